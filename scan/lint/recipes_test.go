package lint_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/test/cases"
	"github.com/robotsieve/robotsieve/scan/lint"
)

// linesOf returns notes as LINE+LINE KIND SEVERITY, in lines, sorted.
func linesOf(notes []lint.Note) string {
	var list []string
	for _, n := range notes {
		lines := strings.ReplaceAll(strings.Trim(fmt.Sprint(n.Lines), "[]"), " ", "+")
		list = append(list, fmt.Sprint(lines, " ", n.Kind, " ", n.Severity))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// TestDefaults checks that the notes on the robots.txt of content management systems are useful to their users.
func TestDefaults(t *testing.T) {
	o := options(t)
	o.Sitemap = nil
	for name, want := range map[string]string{
		"shopify": "4 dead-rule warning\n8 dead-rule warning\n8+10 encoding note\n10 dead-rule warning\n" +
			"16+23 star-not-for-named note\n17 dead-rule warning\n23 no-rules warning",
		"drupal": "", "squarespace": "", "wordpress": "",
		"wix": "3 dead-rule note\n15 no-rules warning",
		"magento": "8 dead-rule warning\n9 dead-rule warning\n10 no-field error\n12 dead-rule warning\n" +
			"13 dead-rule warning",
	} {
		body, err := os.ReadFile("testdata/defaults/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(want, "\n")
		slices.Sort(lines)
		if got := linesOf(lint.Check(body, o)); got != strings.Join(lines, "\n") {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

// TestRecipes checks that there are no false notes on what pages for authors teach. A case is a robots.txt in other words,
// with all notes, LINE+LINE KIND SEVERITY, and with verdicts: an agent, a path, and yes or no.
func TestRecipes(t *testing.T) {
	o := options(t)
	o.Sitemap = nil
	for _, r := range cases.Texts(t, "recipes.txt") {
		body, notes, verdicts := r.Parts[0], strings.Split(strings.TrimSuffix(r.Parts[1], "\n"), "\n"), r.Parts[2]
		slices.Sort(notes)
		if got, want := linesOf(lint.Check([]byte(body), o)), strings.Join(notes, "\n"); got != want {
			t.Errorf("%s: got %q, want %q", r.Name, got, want)
		}
		for line := range strings.Lines(verdicts) {
			asked := strings.Fields(line)
			if compile.Allowed([]byte(body), asked[0], asked[1]) != (asked[2] == "yes") {
				t.Errorf("%s: %s", r.Name, line)
			}
		}
	}
}

// TestPlanted checks that each fault of planted.txt, which has one of nearly every kind, is found on its line. A comment
// says which the line after it has.
func TestPlanted(t *testing.T) {
	planted, err := os.ReadFile("testdata/planted.txt")
	if err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(string(planted), strings.Repeat("x", 17_000))
	body += strings.Repeat("x", compile.DefaultMaxBytes-len(body)+1)
	notes := lint.Check([]byte(body), options(t))
	has := func(line int, kind string) bool {
		return slices.ContainsFunc(notes, func(n lint.Note) bool { return slices.Contains(n.Lines, line) && n.Kind == kind })
	}
	absent := map[string]bool{}
	for _, k := range lint.Kinds() {
		absent[k.Name] = true
	}
	for i, line := range strings.Split(body, "\n") {
		_, kinds, _ := strings.Cut(line, "#! ")
		for _, kind := range strings.Fields(kinds) {
			delete(absent, kind)
			if !has(i+2, kind) {
				t.Errorf("line %d has no note %s", i+2, kind)
			}
		}
	}
	if !has(1, "bom") {
		t.Error("no note of the byte order mark")
	}
	// The others need a file of their own, as in TestKinds.
	for _, kind := range []string{"bom", "html", "utf-16", "log", "everything-forbidden", "not-decided",
		"blocks-sitemap"} {
		delete(absent, kind)
	}
	if len(absent) > 0 {
		t.Errorf("not planted: %v", absent)
	}
	if t.Failed() {
		t.Log("\n" + show(notes))
	}
}
