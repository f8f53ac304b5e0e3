package checkpage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/checkpage"
	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/lint"
)

// laidOut returns the page of a robots.txt, compared with an older one unless that is "".
func laidOut(t *testing.T, body, older string) checkpage.Page {
	t.Helper()
	known := must.Get(crawler.New(crawler.Builtin()))(t)
	o := explain.Options{Robots: &explain.File{Name: "robots.txt", Body: []byte(body)}, Lint: lint.Options{Crawlers: known}}
	if older != "" {
		o.Against = &explain.File{Name: "older", Body: []byte(older)}
	}
	return checkpage.Of(explain.Describe(o), o.Robots, nil)
}

// sectionOf returns the section with an ID.
func sectionOf(p checkpage.Page, id string) (s checkpage.Section) {
	if i := slices.IndexFunc(p.Sections, func(s checkpage.Section) bool { return s.ID == id }); i >= 0 {
		s = p.Sections[i]
	}
	return s
}

// TestNamesAreWhole checks that every barred crawler is named once in the table and in its change,
// and that only the headline is short.
func TestNamesAreWhole(t *testing.T) {
	names := strings.Fields("Amazonbot anthropic-ai Bytespider CCBot ChatGPT-User Claude-Web ClaudeBot cohere-ai Diffbot " +
		"FacebookBot Google-Extended GPTBot Meta-ExternalAgent PerplexityBot YouBot")
	body := "User-agent: " + strings.Join(names, "\nUser-agent: ") + "\nDisallow: /\n"
	p := laidOut(t, body+body, "# nothing\n") // twice, as with a generated block in front
	want := strings.Join(names, ", ")
	if got := sectionOf(p, "barred").Groups[0].Rows[1][0]; got != want {
		t.Errorf("barred are %q", got)
	}
	if got := sectionOf(p, "changes").Groups[0].Title; got != "May no longer fetch: "+want {
		t.Error(got)
	}
	if got := sectionOf(p, "signals").Groups[0].Rows; got[0][0] != "Google-Extended" {
		t.Errorf("preferences are %q", got)
	}
	if got := p.Headline[2]; got != strings.Join(names[:6], ", ")+" and 9 more crawlers may fetch nothing." {
		t.Error(got)
	}
}

// TestNotesSayWhich checks that a note quotes the part of its line that it concerns, unless that ends the line.
func TestNotesSayWhich(t *testing.T) {
	p := laidOut(t, "User-agent: *\nContent-Signal: ai-retrieval=yes, train-ai=no, ai-train=perhaps\nDisallow: *.js$*\n"+
		"Disallow: nothing\n\nLicense: /l\n", "")
	var got []string
	for _, l := range sectionOf(p, "lines").Lines {
		for _, n := range l.Notes {
			got = append(got, fmt.Sprint(l.Number, " ", n.Text))
		}
	}
	for _, want := range []string{
		`2 a key that the signal does not have, so that it states nothing: "ai-retrieval"`,
		`2 a key that the signal does not have, so that it states nothing; ai-train meant?: "train-ai"`,
		"4 path begins neither with / nor with a wildcard; it never matches",
		"6 not a full URL, so that no license is stated",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
}

// TestLines checks that lines are counted like in parsers, that the lines of a group have one tint
// and comments, blank lines and other lines have none, and that each note is next to its line.
func TestLines(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"", ""},
		{"User-agent: *\nDisallow: /a\n", "1:1 2:1"},
		{"User-agent: *\r\nDisallow: /a\rDisallow: /b\n\nDisallow: /c", "1:1 2:1 3:1 4:0 5:1"},
		{"# x\nUser-agent: *\nDisallow: /a\n# of the next\nUser-agent: GPTBot\nSitemap: https://a.example/s\nDisallow: /",
			"1:0 2:1 3:1 4:0 5:2 6:0 7:2"},
		{"License: https://a.example/l\nUser-agent: *\nContent-Signal: search=yes\nCrawl-delay: 5\nDisallow: /a\n",
			"1:0 2:1 3:1 4:1 5:1"},
		{"Disalow /a\nUser-agent: *\nDisallow: /a\nnonsense\n", "1:0! 2:1 3:1 4:1!"},
		{"\xef\xbb\xbfUser-agent: *\nDisallow: /\x1b[2J\xff\n", "1:1! 2:1!"},
	} {
		p := laidOut(t, c.body, "")
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
