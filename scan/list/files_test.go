package list

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFiles reads the same four pages from a file of each form that others write, found by
// its content. Each was captured a second after the one before.
func TestFiles(t *testing.T) {
	text, err := os.ReadFile("testdata/pages.txt")
	if err != nil {
		t.Fatal(err)
	}
	pages := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, test := range []struct {
		file string
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
	} {
		t.Run(test.file, func(t *testing.T) {
			list, err := os.ReadFile(filepath.Join("testdata", test.file))
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Date: test.date}
			kind, err := Detect(list, "", o)
			if kind != test.kind {
				t.Fatalf("the kind is %v, %v", kind, err)
			}
			if kind == Sitemap {
				kind = URLs
				if list, err = io.ReadAll(NewSitemap(bytes.NewReader(list))); err != nil {
					t.Fatal(err)
				}
			}
			l, err := New(kind, list, o)
			if err != nil {
				t.Fatal(err)
			}
			r := l.NewReader()
			r.Reset(list, true)
			n := 0
			for row := (Row{}); r.Next(&row); {
				switch {
				case row.State == Header && n == 0:
				case row.State != Good || n == len(pages) || string(row.URL) != pages[n]:
					t.Fatalf("row %d is %q with the state %d", n, row.URL, row.State)
				default:
					const first = 1704164645
					if dated := kind == CDX || kind == CDXJ || test.date != ""; dated &&
						(!row.HasTime || row.Time != first+int64(n)) {
						t.Errorf("row %d is of %d", n, row.Time)
					}
					n++
				}
			}
			if n != len(pages) {
				t.Errorf("there are %d rows, want %d", n, len(pages))
			}
		})
	}
}
