package list

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// files are lists of the same four pages in each form that others write, each captured a second
// after the one before.
var files = []struct {
	name string
	kind Kind
	date string // the column with the times
}{
	{"pages.txt", URLs, ""},
	{"crawler.csv", CSV, "Crawl Timestamp"},
	{"noheader.csv", CSV, "1"},
	{"table.tsv", TSV, "seen"},
	{"documents.jsonl", JSON, "date"},
	{"nested.jsonl", JSON, "meta.timestamp"},
	{"index.cdx", CDX, ""},
	{"ninecolumns.cdx", CDX, ""},
	{"index.cdxj", CDXJ, ""},
	{"sitemap.xml", Sitemap, ""},
	{"sitemapindex.xml", Sitemap, ""},
	{"feed.rss", Sitemap, ""},
	{"atom.xml", Sitemap, ""},
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestFiles reads all files, whose kinds are found by their content.
func TestFiles(t *testing.T) {
	pages := strings.Split(strings.TrimSuffix(string(readFile(t, "pages.txt")), "\n"), "\n")
	for _, file := range files {
		t.Run(file.name, func(t *testing.T) {
			list, o := readFile(t, file.name), Options{Date: file.date}
			kind, err := Detect(list, "", o)
			if kind != file.kind {
				t.Fatalf("the kind is %v, %v", kind, err)
			}
			if kind == Sitemap {
				kind = URLs
				if list, err = io.ReadAll(NewSitemap(bytes.NewReader(list))); err != nil {
					t.Fatal(err)
				}
			}
			var want []string
			for i, url := range pages {
				if file.date != "" || kind == CDX || kind == CDXJ {
					url += fmt.Sprint(" 2024-01-02T03:04:0", 5+i)
				}
				want = append(want, url)
			}
			got := rowsOf(t, kind, o, string(list))
			if got[0] == "header" {
				got = got[1:]
			}
			if !slices.Equal(got, want) {
				t.Errorf("the rows are\n%q, want\n%q", got, want)
			}
		})
	}
}

// TestGuardRowsDoNotAllocate reads long lists: once the buffers have grown, no row takes memory.
func TestGuardRowsDoNotAllocate(t *testing.T) {
	for _, file := range files {
		for _, o := range []Options{{}, {Date: file.date}} {
			if !file.kind.HasLines() {
				continue
			}
			head := readFile(t, file.name)
			l, err := New(file.kind, head, o)
			if err != nil {
				t.Fatal(file.name, err)
			}
			list, r, row := bytes.Repeat(head, 100), l.NewReader(), Row{}
			if n := testing.AllocsPerRun(5, func() {
				for r.Reset(list, true); r.Next(&row); {
				}
			}); n > 0 {
				t.Errorf("%s: %v allocations", file.name, n)
			}
		}
	}
}
