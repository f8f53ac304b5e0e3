package lint

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
)

// generators are the marks, in lower case, of blocks that a CDN inserts into the site's file.
var generators = []struct{ begin, end string }{
	{"# begin cloudflare managed content", "# end cloudflare managed content"},
}

// lineEnds normalizes the line ends of a robots.txt.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Lines returns the lines that parsers read of a robots.txt, at most maxBytes of it. After the last line end
// there is an empty line.
func Lines(body []byte, maxBytes int) iter.Seq[string] {
	return strings.SplitSeq(lineEnds.Replace(string(compile.WholeLines(body, maxBytes))), "\n")
}

// readBlocks adds a note on each generated block, with what it adds to the site's own file.
func (l *linter) readBlocks() {
	for _, g := range generators {
		begin, line := 0, 0
		for text := range Lines(l.body, l.o.MaxBytes) {
			line++
			switch text = strings.ToLower(strings.TrimSpace(text)); {
			case strings.HasPrefix(text, g.begin):
				begin = line
			case begin > 0 && strings.HasPrefix(text, g.end):
				l.add(begin, "generated-block", "", fmt.Sprintf("up to line %d: %s", line, l.adds(begin, line)), "")
				begin = 0
			}
		}
	}
}

// adds says what the lines between two line numbers add to a file.
func (l *linter) adds(begin, end int) string {
	groups, rules := int64(0), int64(0)
	var other []string
	isIn := func(line int) bool { return begin < line && line < end }
	for _, g := range l.read[0].Groups {
		if isIn(g.Agents[0].Line) {
			groups++
		}
		for _, r := range g.Rules {
			if isIn(r.Line) {
				rules++
			}
		}
	}
	for _, r := range l.read[0].Records {
		if isIn(r.Line) && !slices.Contains(other, r.Key) {
			other = append(other, r.Key)
		}
	}
	text := english.Plural(groups, "group") + " with " + english.Plural(rules, "rule")
	if len(other) > 0 {
		text += ", and " + english.List(other)
	}
	return text
}
