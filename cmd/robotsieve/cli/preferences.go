package cli

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/preference"
)

// writeSignals prints preferences. An error stays in the writer.
func writeSignals(w *bufio.Writer, list []preference.Crawlers) {
	if len(list) == 0 {
		return
	}
	fmt.Fprint(w, "\nPreferences on what pages are used for, which allow or forbid no fetch:\n")
	for _, p := range list {
		names := "every crawler"
		if len(p.Agents) > 0 {
			names = strings.ReplaceAll(render.Names(p.Agents, maxWidth-2), "\n", "\n  ")
		}
		fmt.Fprintf(w, "  %s\n", names)
		for _, text := range statementTexts(p.Statements) {
			fmt.Fprintf(w, "    %s\n", text)
		}
	}
}

// statementTexts writes preferences, those of a signal and line together.
func statementTexts(list []preference.Statement) (texts []string) {
	for i, s := range list {
		alike := func(x preference.Statement) bool { return x.Signal == s.Signal && slices.Equal(x.Lines, s.Lines) }
		if slices.ContainsFunc(list[:i], alike) {
			continue
		}
		var parts []string
		for _, x := range list {
			if alike(x) {
				parts = append(parts, statementText(x))
			}
		}
		text := s.Signal + ": " + english.List(parts)
		if len(s.Lines) > 0 {
			text += " (" + linesOf(s.Lines) + ")"
		}
		texts = append(texts, text)
	}
	return texts
}

// statementText writes a preference without its signal.
func statementText(s preference.Statement) string {
	words := []string{s.Use}
	if s.Signal == preference.ControlToken || s.Use == "" {
		words = nil
	}
	if s.Path != "" {
		words = append(words, "for", s.Path)
	}
	return strings.Join(append(words, s.Value), " ")
}
