//go:build js

// Command wasm runs the parser, matcher and notes of check in a browser, for the page of check.
package main

import (
	"errors"
	"strings"
	"syscall/js"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/checkpage"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/lint"
	"github.com/robotsieve/robotsieve/scan/report"
)

// maxSteps limits each search, so that the page keeps up with typing.
const maxSteps = explain.MaxSteps / 20

// known is the set of built-in crawlers.
var known, _ = crawler.New(crawler.Builtin())

// file is the last robots.txt that was read.
var file = &explain.File{}

// main registers the functions for the script, and keeps running.
func main() {
	var names []any
	for _, p := range known.Profiles() {
		names = append(names, p.Name)
	}
	js.Global().Set("robotsieve", js.ValueOf(map[string]any{
		"agents": names, "read": js.FuncOf(read), "describe": js.FuncOf(describe), "ask": js.FuncOf(ask),
	}))
	select {}
}

// read takes the name and the bytes of a robots.txt for the other functions.
func read(_ js.Value, args []js.Value) any {
	file = fileOf(args[0], args[1])
	return nil
}

// describe returns the page about the robots.txt. It compares the file with an older one if given
// its name and bytes.
func describe(_ js.Value, args []js.Value) any {
	o := explain.Options{Robots: file, Lint: lint.Options{Crawlers: known}, Steps: maxSteps}
	if len(args) > 0 {
		o.Against = fileOf(args[0], args[1])
	}
	page := checkpage.Of(explain.Describe(o), file, nil)
	object := map[string]any{"title": page.Title, "headline": texts(page.Headline)}
	var totals, sections []any
	for _, t := range page.Totals {
		totals = append(totals, map[string]any{"name": t.Name, "count": t.Count})
	}
	for i := range page.Sections {
		sections = append(sections, sectionOf(&page.Sections[i]))
	}
	object["totals"], object["sections"] = totals, sections
	return object
}

func fileOf(name, octets js.Value) *explain.File {
	f := &explain.File{Name: name.String(), Body: make([]byte, min(octets.Length(), compile.DefaultMaxBytes))}
	js.CopyBytesToGo(f.Body, octets)
	return f
}

func texts(list []string) (values []any) {
	for _, text := range list {
		values = append(values, text)
	}
	return values
}

func sectionOf(s *checkpage.Section) map[string]any {
	var columns, groups, lines []any
	for _, c := range s.Columns {
		columns = append(columns, map[string]any{"heading": c.Heading, "code": c.Code})
	}
	for _, g := range s.Groups {
		var rows []any
		for _, row := range g.Rows {
			rows = append(rows, texts(row))
		}
		groups = append(groups, map[string]any{"title": g.Title, "tint": g.Tint, "rows": rows})
	}
	for _, l := range s.Lines {
		var notes []any
		for _, n := range l.Notes {
			notes = append(notes, []any{n.Severity, n.Text})
		}
		lines = append(lines, []any{l.Number, l.Text, l.Tint, notes})
	}
	return map[string]any{"id": s.ID, "heading": s.Heading, "intro": s.Intro, "columns": columns, "groups": groups,
		"lines": lines, "more": s.More}
}

// ask returns the robots.txt's verdict for the name of an agent and a URL or path.
func ask(_ js.Value, args []js.Value) any {
	agent, err := agentOf(strings.TrimSpace(args[0].String()))
	url := strings.TrimSpace(args[1].String())
	if !strings.HasPrefix(url, "/") && !strings.Contains(url, "://") {
		err = errors.New("give a URL, such as https://example.com/a, or a path, which begins with a slash")
	}
	if err != nil {
		return map[string]any{"error": report.Printable(err.Error())}
	}
	a := file.Ask(agent).Answer(url).Rewrite(report.Printable)
	why := []string{a.WhyRule}
	if a.Line > 0 {
		why = append([]string{a.Rule}, why...)
	}
	for _, text := range []string{a.WhyGroup, a.Contested, a.Exempt} {
		if text != "" {
			why = append(why, text)
		}
	}
	return map[string]any{"verdict": a.Verdict(), "agent": a.Agent, "line": a.Line, "why": texts(why)}
}

// agentOf finds the crawler with a name, like the flag --agent.
func agentOf(name string) (explain.Agent, error) {
	claim := crawler.Claim{Profile: known.ByName(name), Name: name}
	var err error
	if claim.Profile == nil {
		claim, err = known.Named(name)
	}
	if err != nil || name == "" {
		return explain.Agent{}, errors.Join(err, errors.New("give an agent, such as Googlebot"))
	}
	return explain.AgentOf(claim, nil), nil
}
