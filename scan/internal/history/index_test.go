package history

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/columnar"
)

// indexed are the captures of the tests: url, time, status, digest, redirect; "-" is null.
const indexed = `https://example.com/robots.txt 2026-01-01T00:00:00.5Z 200 A -
http://www.example.com/robots.txt 2026-01-02T00:00:00Z 301 AAAA https://example.com/robots.txt
https://example.com/ 2026-01-02T00:00:00Z 200 A -
https://example.com/robots.txt 2026-01-03T00:00:00Z 200 A -
https://example.com/robots.txt 2026-01-04T00:00:00Z 200 B -
https://example.com/robots.txt 2026-01-05T00:00:00Z 404 C -
https://example.com/robots.txt 2026-01-06T00:00:00Z 304 C -
https://example.com/robots.txt 2026-01-07T00:00:00Z 200 - -
https://example.com/robots.txt - 200 A -
- 2026-01-07T00:00:00Z 200 A -
https://example.com/robots.txt 2026-01-08T00:00:00Z - A -`

// writeIndex writes captures as an index of Common Crawl has them, perhaps with times as text, and
// with the columns that older ones have.
func writeIndex(t *testing.T, name, rows string, asText bool, columns ...string) {
	t.Helper()
	var b bytes.Buffer
	fields := []columnar.Field{{Name: "url_surtkey"}}
	for _, c := range columns {
		f := columnar.Field{Name: c}
		if c == "fetch_status" {
			f.Kind = columnar.Int32
		} else if c == "fetch_time" && !asText {
			f.Kind = columnar.Time
		}
		fields = append(fields, f)
	}
	w := columnar.NewWriter(&b, "index", fields)
	for row := range strings.Lines(rows) {
		cells := strings.Fields(row)
		line := columnar.AppendText(nil, "key")
		for i, c := range columns {
			cell := cells[i]
			at, _ := time.Parse(time.RFC3339, cell)
			switch {
			case cell == "-":
				line = columnar.AppendNull(line)
			case c == "fetch_status":
				var n int64
				_, _ = fmt.Sscan(cell, &n)
				line = columnar.AppendNumber(line, n)
			case c == "fetch_time" && asText:
				line = columnar.AppendText(line, at.Format("2006-01-02 15:04:05.000"))
			case c == "fetch_time":
				line = columnar.AppendNumber(line, at.UnixMicro())
			case len(cell) == 1:
				line = columnar.AppendText(line, sha(cell))
			default:
				line = columnar.AppendText(line, cell)
			}
		}
		if _, err := w.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestIndex compares the rows of a current and an older index, with the given bodies, with a manifest made by hand.
func TestIndex(t *testing.T) {
	dir := files(t, map[string]string{"b/old/robots.txt": "A", "b/other.txt": "D"})
	hand := strings.NewReplacer("SHA_B", "sha1:"+sha("B"), "SHA_A", "sha1:"+sha("A")).Replace(`
	2026-01-01T00:00:00.5Z,https://example.com,200,A
	2026-01-02T00:00:00Z,http://www.example.com,301,,https://example.com/robots.txt
	2026-01-03T00:00:00Z,https://example.com,200,A
	2026-01-04T00:00:00Z,https://example.com,200,,,SHA_B
	2026-01-05T00:00:00Z,https://example.com,404
	2026-01-07T00:00:00Z,https://example.com,200,,,unknown`)
	columns := indexColumns
	for name, c := range map[string]struct {
		columns []string
		asText  bool
		hand    string
	}{
		"of today":   {columns, false, hand},
		"times text": {columns, true, hand},
		"of 2018":    {columns[:4], false, strings.ReplaceAll(hand, "301,,https://example.com/robots.txt", "301")},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, "a.parquet")
			writeIndex(t, file, indexed, c.asText, c.columns...)
			a := ask(t, index, []string{file}, "bodies", dir+"/b")
			equal(t, a, c.hand)
			if len(a.fault) != 1 || !strings.HasSuffix(a.fault[0], "captures without a time or a status: 2") {
				t.Errorf("faults %q", a.fault)
			}
			if a.Bodies != 1 || a.Unknown != 2 {
				t.Errorf("%+v", a.Summary)
			}
			equal(t, ask(t, index, []string{file}), strings.ReplaceAll(c.hand, "200,A", "200,,,sha1:"+sha("A")))
		})
	}
}

// TestDamagedIndex checks that invalid indexes and missing columns are reported, and that other files are read.
func TestDamagedIndex(t *testing.T) {
	dir := files(t, map[string]string{"text": "url\n", "empty": ""})
	good, cut := filepath.Join(dir, "good.parquet"), filepath.Join(dir, "cut.parquet")
	writeIndex(t, good, indexed[:strings.Index(indexed, "\n")], false, indexColumns...)
	whole, _ := os.ReadFile(good)
	if err := os.WriteFile(cut, whole[:len(whole)-9], 0o600); err != nil {
		t.Fatal(err)
	}
	writeIndex(t, dir+"/columns", "https://example.com/robots.txt 2026-01-01T00:00:00Z", false, "url", "fetch_time")
	names := []string{dir + "/text", dir + "/empty", dir + "/missing", cut, dir + "/columns", good}
	a := ask(t, index, names)
	equal(t, a, "2026-01-01T00:00:00.5Z,https://example.com,200,,,sha1:"+sha("A"))
	if len(a.fault) != len(names)-1 {
		t.Errorf("faults %q", a.fault)
	}
	for i := range whole { // any byte may be another
		broken := bytes.Clone(whole)
		broken[i] ^= 0x15
		if err := os.WriteFile(cut, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if i%7 == 0 {
			ask(t, index, []string{cut})
		}
	}
}
