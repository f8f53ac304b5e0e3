package checkpage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/checkpage"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/lint"
)

// TestLines checks that lines are counted like in parsers, that the lines of a group have one tint
// and comments, blank lines and other lines have none, and that each note is next to its line.
func TestLines(t *testing.T) {
	known, err := crawler.New(crawler.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ body, want string }{
		{"", ""},
		{"User-agent: *\nDisallow: /a\n", "1:1 2:1"},
		{"User-agent: *\r\nDisallow: /a\rDisallow: /b\n\nDisallow: /c", "1:1 2:1 3:1 4:0 5:1"},
		{"# x\nUser-agent: *\nDisallow: /a\n# of the next\nUser-agent: GPTBot\nSitemap: https://a.example/s\nDisallow: /",
			"1:0 2:1 3:1 4:0 5:2 6:0 7:2"},
		{"Disalow /a\nUser-agent: *\nDisallow: /a\nnonsense\n", "1:0! 2:1 3:1 4:1!"},
		{"\xef\xbb\xbfUser-agent: *\nDisallow: /\x1b[2J\xff\n", "1:1! 2:1!"},
	} {
		file := &explain.File{Name: "robots.txt", Body: []byte(c.body)}
		p := checkpage.Of(explain.Describe(explain.Options{Robots: file, Lint: lint.Options{Crawlers: known}}), file, nil)
		var got []string
		for _, s := range p.Sections {
			for _, l := range s.Lines {
				text := fmt.Sprintf("%d:%d", l.Number, l.Tint)
				if len(l.Notes) > 0 {
					text += "!"
				}
				if got = append(got, text); strings.ContainsAny(l.Text, "\x1b\xff") {
					t.Errorf("%q acts on a terminal", l.Text)
				}
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %s, want %s", c.body, got, c.want)
		}
	}
}
