package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/test/cases"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/lint"
)

// options are the command's options without flags.
func options(t testing.TB) lint.Options {
	set, err := crawler.New(crawler.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	logOf := func(body []byte) string {
		log, err := format.Detect(body[:min(len(body), format.SampleBytes)], len(body) <= format.SampleBytes)
		if err != nil {
			return ""
		}
		return log.Name()
	}
	return lint.Options{Crawlers: set, LogOf: logOf, Sitemap: func(yield func([]byte) bool) {
		_ = yield([]byte("https://example.com/shop/a")) && yield([]byte("https://example.com/about"))
	}}
}

// TestKinds checks that the bad example of a kind has a note of it on its line, and that the good one has none.
func TestKinds(t *testing.T) {
	o := options(t)
	names := map[string]bool{}
	for _, k := range lint.Kinds() {
		if k.Severity == 0 || k.Sentence == "" || !strings.HasPrefix(k.Source, "https://") || names[k.Name] {
			t.Errorf("%s: no severity, sentence or source, or a second row", k.Name)
		}
		names[k.Name] = true
		is := func(n lint.Note) bool { return n.Kind == k.Name }
		bad, good := lint.Check([]byte(k.Bad), o), lint.Check([]byte(k.Good), o)
		if at := slices.IndexFunc(bad, is); at < 0 || bad[at].Line != k.Line {
			t.Errorf("%s: no note in line %d of %.200q: %v", k.Name, k.Line, k.Bad, bad)
		}
		if slices.ContainsFunc(good, is) {
			t.Errorf("%s: a note in %.200q", k.Name, k.Good)
		}
	}
}

// show returns the notes as lines "LINE KIND".
func show(notes []lint.Note) string {
	var lines []string
	for _, n := range notes {
		lines = append(lines, fmt.Sprint(n.Line, " ", n.Kind, "; ", n.Severity, "; ", n.Note, "; ", n.Text, "; ", n.Witness))
	}
	return strings.Join(lines, "\n")
}

// TestSentences checks that a note names its crawler, the line for comparison, and the probable intention.
func TestSentences(t *testing.T) {
	for _, row := range cases.Rows(t, "sentences.txt") {
		body, kind, want := row[0], row[1], row[2]
		notes := lint.Check([]byte(body), options(t))
		at := slices.IndexFunc(notes, func(n lint.Note) bool { return n.Kind == kind })
		if at < 0 || !strings.HasSuffix(notes[at].Note, want) && !strings.Contains(notes[at].Note, want+" ") {
			t.Errorf("%q: no note %s with %q: %v", body, kind, want, notes)
		}
	}
}

// TestContradicted checks that contradicted rules are noted if a plain path overlooks a type of
// files, and on request all others.
func TestContradicted(t *testing.T) {
	for _, c := range []struct {
		body  string
		noted bool
	}{
		{"Allow: /docs/\nDisallow: /*.pdf$\n", true},
		{"Disallow: /tmp/\nAllow: *.html\n", true},
		{"Disallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n", false}, // an exception
		{"Disallow: /core/\nAllow: /core/*.css$\n", false},
		{"Disallow: /\nAllow: /*.css\n", false},
		{"Allow: /api/ui-extensions/\nDisallow: /*&reversePaginate=*\n", false}, // such queries anywhere
		{"Disallow: /*?tag=*\nAllow: /api/ui-extensions/\n", false},
		{"Disallow: /hc/requests/\nAllow: /hc/*/requests/new\n", false}, // /hc/requests/requests/new
	} {
		for _, crossings := range []bool{false, true} {
			o := options(t)
			o.Crossings = crossings
			is := slices.ContainsFunc(lint.Check([]byte("User-agent: *\n"+c.body), o), func(n lint.Note) bool {
				return n.Kind == "contradicted"
			})
			if is != (c.noted || crossings) {
				t.Errorf("%q, crossings %v: %v", c.body, crossings, is)
			}
		}
	}
}

// TestColon checks that a missing colon is reported only where one is missing.
func TestColon(t *testing.T) {
	for _, body := range []string{"User agent: *\nDisallow: /\n", "Useragent: *\nDisallow: /\n",
		"User-agent: *\nDisallow AI training: /\n", "User-agent: *\nDisallowAITraining: /\n",
		"User-agent: *\nDissallow: /\n"} {
		notes := lint.Check([]byte(body), options(t))
		at := slices.IndexFunc(notes, func(n lint.Note) bool { return n.Kind == "misspelled-key" && n.Severity == "error" })
		if at < 0 || strings.Contains(show(notes), "colon") {
			t.Errorf("%q: %s", body, show(notes))
		}
	}
}

// TestEqualRules checks that one of several redundant rules remains, and that all noted ones may be removed.
func TestEqualRules(t *testing.T) {
	for _, c := range []struct {
		body string
		dead []int
	}{
		{"Disallow: /*%2B*\nDisallow: /*%2b*\nDisallow: /*%2B\n", []int{3, 4}},
		{"Disallow: /a\nDisallow: /b\nDisallow: /a*\n", []int{4}},
		{"Disallow: /a/b\nDisallow: /a\n", []int{2}},
		{"Allow: /a\nDisallow: /a\n", []int{3}},
		{"Disallow: /%7Ea\nDisallow: /~a\n", nil}, // Google's parser distinguishes these
	} {
		var dead []int
		for _, n := range lint.Check([]byte("User-agent: *\n"+c.body), options(t)) {
			if n.Kind == "dead-rule" {
				dead = append(dead, n.Lines...)
			}
		}
		if slices.Sort(dead); !slices.Equal(dead, c.dead) {
			t.Errorf("%q: dead are lines %v, want %v", c.body, dead, c.dead)
		}
	}
}

// TestHostile has files whose rules are slow to compare: each ends in seconds, and undecided questions are reported.
func TestHostile(t *testing.T) {
	o := options(t)
	var text strings.Builder
	text.WriteString("User-agent: *\n")
	for i := range 15_000 {
		fmt.Fprintf(&text, "Disallow: /*%d*x\nAllow: /*x*%d\n", i, i)
	}
	gaps := "User-agent: *\n"
	for i := range 20 {
		gaps += "Disallow: /" + strings.Repeat("*a", 6000+i) + "\nAllow: /" + strings.Repeat("*b*a", 3000+i) + "\n"
	}
	for _, body := range []string{text.String(), gaps} {
		start := time.Now()
		isTold := slices.ContainsFunc(lint.Check([]byte(body), o), func(n lint.Note) bool { return n.Kind == "not-decided" })
		if took := time.Since(start); took > 30*time.Second || !isTold {
			t.Errorf("%.40q...: %v, undecided is reported: %v", body, took, isTold)
		}
	}
}
