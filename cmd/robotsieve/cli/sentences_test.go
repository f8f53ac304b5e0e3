package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// neverSaid are words that say more than a log can show (audit-rules 10).
var neverSaid = []string{
	"had read", "who read it", "ept to it", "published list", "had been sent", "proven", "lawful", "nobody outside", "was told", "got no robots.txt", "by 1 crawler", "by 2 crawlers",
}

// TestNoOutputSaysMore: what robotsieve prints for people, as the sessions and golden files have it, and its letters.
func TestNoOutputSaysMore(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "evidence")
	if r := command(t, "", append(fullAudit(sample), "--evidence", folder, "--quiet")...); r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	letters, _ := filepath.Glob(filepath.Join(folder, "*", "letter.txt"))
	if len(letters) != 2 {
		t.Errorf("%v", letters)
	}
	names := append(letters, "testdata/script/sentences.txtar")
	for _, form := range []string{"text", "full", "markdown", "html"} {
		names = append(names, "testdata/sample."+form)
	}
	for _, name := range names {
		text := strings.Join(strings.Fields(string(plain(t, name))), " ")
		for _, not := range neverSaid {
			if strings.Contains(text, not) {
				t.Errorf("%s says %q", name, not)
			}
		}
	}
}
