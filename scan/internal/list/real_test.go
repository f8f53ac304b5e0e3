package list

import (
	"archive/tar"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/source"
)

// shared opens a file of the reference data, which are not part of the module.
func shared(t *testing.T, name string) io.ReadCloser {
	t.Helper()
	in, err := source.NewFile(filepath.Join("..", "..", "..", "..", "shared", "data", filepath.FromSlash(name)))
	if err != nil {
		t.Skip("reference data are not part of the module:", err)
	}
	r, err := in.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestRealURLs writes real URLs as a list of each kind by other encoders, and reads them.
func TestRealURLs(t *testing.T) {
	const most = 30_000
	text, err := io.ReadAll(io.LimitReader(shared(t, "urls/with-robots.txt.gz"), 16<<20))
	if err != nil {
		t.Fatal(err)
	}
	urls := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	urls = urls[:min(len(urls), most)]
	var table, tabs, objects, cdx, cdxj, sitemap bytes.Buffer
	w := csv.NewWriter(&table)
	sitemap.WriteString("<urlset>")
	for i, url := range urls {
		w.Write([]string{fmt.Sprint(i), url, `a "b", c`})
		fmt.Fprintf(&tabs, "%d\t%s\tx\n", i, strings.NewReplacer(`\`, `\\`, "\t", `\t`).Replace(url))
		object, err := json.Marshal(map[string]any{"id": i, "url": url, "text": `<a href="` + url + `">`})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&objects, "%s\n", object)
		fmt.Fprintf(&cdx, "com,x)/%d 20240102030405 %s text/html 200 - - - 1 2 x.warc.gz\n", i,
			strings.ReplaceAll(url, " ", "%20"))
		fmt.Fprintf(&cdxj, "com,x)/%d 20240102030405 %s\n", i, object)
		sitemap.WriteString("<url><loc>")
		xml.EscapeText(&sitemap, []byte(url))
		sitemap.WriteString("</loc></url>")
	}
	w.Flush()
	sitemap.WriteString("</urlset>")
	lines, err := io.ReadAll(NewSitemap(&sitemap))
	if err != nil {
		t.Fatal(err)
	}
	for kind, list := range map[Kind][]byte{URLs: lines, CSV: table.Bytes(), TSV: tabs.Bytes(), JSON: objects.Bytes(),
		CDX: cdx.Bytes(), CDXJ: cdxj.Bytes()} {
		head := list[:min(len(list), 256<<10)]
		if got, err := Detect(head, "", Options{}); got != kind {
			t.Errorf("the kind is %v, %v, want %v", got, err, kind)
		}
		l, err := New(kind, head, Options{})
		if err != nil {
			t.Fatal(kind, err)
		}
		r := l.NewReader()
		r.Reset(list, true)
		i := 0
		for row := (Row{}); r.Next(&row); i++ {
			want := urls[i]
			if kind == CDX {
				want = strings.ReplaceAll(want, " ", "%20")
			}
			if row.State != Good || string(row.URL) != want {
				t.Fatalf("%v: URL %d is %q, state %d, want %q", kind, i, row.URL, row.State, want)
			}
		}
		if i != len(urls) {
			t.Errorf("%v: %d rows, want %d", kind, i, len(urls))
		}
	}
}

// TestRealIndexes reads indexes that InterPlanetary Wayback has written.
func TestRealIndexes(t *testing.T) {
	const noIndex = "ipwb/indexes/5mementos.cdxj" // a list of versions of one page, and no JSON
	read := 0
	for files := tar.NewReader(shared(t, "crawl/warc-samples.tar.xz")); read < 6; {
		file, err := files.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file.Name, ".cdxj") || strings.HasSuffix(file.Name, noIndex) {
			continue
		}
		read++
		list, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		if kind, err := Detect(list, "", Options{}); kind != CDXJ {
			t.Errorf("%s is %v, %v", file.Name, kind, err)
		}
		for i, row := range rowsOf(t, CDXJ, Options{}, string(list)) {
			if row != "header" && !strings.HasPrefix(row, "http://") || strings.Count(row, " 20") > 1 {
				t.Errorf("%s: row %d is %s", file.Name, i, row)
			}
		}
	}
}
