package render

import (
	"regexp"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/reporttest"
)

// TestMarkdownIsNotWrittenByLogs checks that text of a log is inert in Markdown: outside code each
// special character is escaped, and nobody is mentioned.
func TestMarkdownIsNotWrittenByLogs(t *testing.T) {
	code := regexp.MustCompile("(^|[^\\\\`])(`+)( [^\n]*? |[^`\n]+)(`+)")
	active := regexp.MustCompile(
		"(^|[^\\\\])(`|\\*|_|\\[|\\]|<|>|~)|@|://|www\\.|#[0-9]|(^|\\W)[0-9a-fA-F]{7,40}(\\W|$)|(?i:gh-)[0-9]|(^| " +
			")[!&%][0-9]|:tada:")
	for _, attack := range []string{
		"[click](https://evil.example/)", "![x](//evil.example)", "<img src=x onerror=alert(1)>", "@everyone", "a|b|c",
		"`code`", "``two``", "*bold* _soft_ ~gone~", "</table><script>", "a`@b", "https://evil.example/`x", "&lt;b&gt;",
		`\`, `\\[a](b)`, "#1", "# heading", "- item", "www.evil.example", "x\ny", "$math$", "\u202ex", "@", "```\n@x",
		"GH-1", "gh-12,", "0123456789abcdef0123456789abcdef01234567", "fixes 1a2b3c4.", "(deadbeef)", "/commit/0a1b2c3d",
		"user/repo#1", "a/b@0123456", "#1,", "**#1", ":tada:", "!7 %8 &9",
	} {
		r := reporttest.Report(reporttest.Options{Crawlers: 2, Days: 30, Versions: 3, Lines: 12, Texts: []string{attack}})
		r.Program, r.Partial = attack, true
		text := written(t, "markdown", r, false)
		columns := 0
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); strings.HasPrefix(line, "|") {
				if columns != 0 && n != columns {
					t.Errorf("%q: a row of %d cells, not %d: %s", attack, n, columns, line)
				}
				columns = n
			} else {
				columns = 0
			}
			rest := strings.ReplaceAll(line, "**", "")
			for code.MatchString(rest) {
				rest = code.ReplaceAllString(rest, "$1")
			}
			if m := active.FindString(rest); m != "" {
				t.Errorf("%q: %q acts in %q, of %q", attack, m, rest, line)
			}
		}
	}
}

// TestMarkdownCodeHasNoParentheses checks that parentheses around an address aren't part of it.
func TestMarkdownCodeHasNoParentheses(t *testing.T) {
	got := prose("to (http://a.example, https://b.example).")
	if want := "to (`http://a.example`, `https://b.example`)."; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}
