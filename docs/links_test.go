package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	codeBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	inlineURL = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	notInSlug = regexp.MustCompile("[^\\p{L}\\p{N} _-]")
	linkText  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// slugs are the anchors that GitHub gives the headings of a page.
func slugs(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		title := strings.ToLower(linkText.ReplaceAllString(m[1], "$1"))
		found[strings.ReplaceAll(notInSlug.ReplaceAllString(title, ""), " ", "-")] = true
	}
	return found
}

// TestLinks checks that every relative link of a Markdown page leads to an existing file and, if it
// names a section, to a heading in it, and that the index has every page.
func TestLinks(t *testing.T) {
	index := read(t, "README.md")
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "../bin" || len(d.Name()) > 2 && d.Name()[0] == '.'):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".md":
			return nil
		}
		if page, ok := strings.CutPrefix(filepath.ToSlash(name), "../docs/"); ok && page != "README.md" &&
			!strings.HasPrefix(page, "testdata/") && !strings.Contains(index, "("+page+")") {
			t.Errorf("docs/README.md has no link to %s", page)
		}
		text := codeBlock.ReplaceAllString(read(t, name), "")
		for _, m := range inlineURL.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[1], "://") {
				checkLink(t, name, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkLink checks that a link of a page leads somewhere.
func checkLink(t *testing.T, page, link string) {
	target, anchor, _ := strings.Cut(link, "#")
	file := page
	if target != "" {
		file = filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("%s links to %s, which is not there", page, link)
	} else if anchor != "" && !slugs(read(t, file))[anchor] {
		t.Errorf("%s links to %s, but that file has no such heading", page, link)
	}
}

// TestPagesAreRead checks that a how-to page has at most 900 words, and that prose of documents has
// at most 100 columns.
func TestPagesAreRead(t *testing.T) {
	pages, _ := filepath.Glob("*/*.md")
	roots := []string{"../README.md", "../CONTRIBUTING.md", "../SECURITY.md", "../CHANGELOG.md"}
	for _, page := range slices.Concat(pages, roots) {
		text := read(t, page)
		if words := len(strings.Fields(text)); strings.HasPrefix(page, "howto") && words > 900 {
			t.Errorf("%s has %d words, 900 at most", page, words)
		}
		if lines := strings.Count(text, "\n"); page == "../README.md" && lines > 120 {
			t.Errorf("%s has %d lines: it is one screen and what follows from it", page, lines)
		}
		prose := madePart.ReplaceAllString(codeBlock.ReplaceAllString(text, ""), "")
		for line := range strings.Lines(prose) {
			if utf8.RuneCountInString(line) > 101 && !strings.ContainsAny(line[:1], "|#<>") && strings.Contains(line[40:], " ") {
				t.Errorf("%s: wider than 100 columns: %s", page, line)
			}
		}
	}
}

var madePart = regexp.MustCompile(`(?s)<!-- made by .*?<!-- end -->|<!-- Written by .*?\n\n|Made by .make bench-peers.*`)
