package job

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/internal/capture"
)

// capturesOf makes a history of captures and lists its rows: time, origin, status, body, location.
func capturesOf(t *testing.T, values map[string]string, args ...string) (rows []string, lost bool) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	made, err := History(t.Context(), HistoryOptions{Source: "captures", Args: args, Values: values, Output: dir})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "manifest.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range lines[1:] {
		body := ""
		if row[3] != "" {
			text, err := os.ReadFile(filepath.Join(dir, row[3]))
			if err != nil {
				t.Fatal(err)
			}
			body = fmt.Sprintf("%q", text)
		}
		rows = append(rows, strings.TrimSpace(strings.Join([]string{row[0], row[1], row[2], body, row[4], row[5]}, " ")))
		if row[6] != "observed" {
			t.Errorf("%q is not observed", row)
		}
	}
	return rows, made.Lost
}

// put writes files, and returns the folder.
func put(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// warcRecord is a record of a response.
func warcRecord(kind, url, at, head, body string) string {
	block := head + "\r\n\r\n" + body
	record := fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:x>\r\nWARC-Target-URI: %s\r\n"+
		"WARC-Date: %s\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, url, at, len(block), block)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(record))
	z.Close()
	return b.String()
}

// TestHistoryOfCaptures checks that each form gives the rows of a manifest made by hand.
func TestHistoryOfCaptures(t *testing.T) {
	const ok, url = "HTTP/1.1 200 OK", "https://a.example/robots.txt"
	crawl := warcRecord("response", url, "2026-01-01T00:00:00Z", ok, "A") +
		warcRecord("response", url, "2026-01-02T00:00:00Z", ok, "A") + // an observation
		warcRecord("response", "http://a.example/robots.txt", "2026-01-02T00:00:00Z",
			"HTTP/1.1 301 Moved\r\nLocation: https://a.example/robots.txt", "gone") +
		warcRecord("response", "https://a.example/page", "2026-01-02T00:00:00Z", ok, "page") +
		warcRecord("response", url, "2026-01-03T00:00:00Z", "HTTP/1.1 503 Busy", "") +
		warcRecord("response", url, "2026-01-04T00:00:00Z", ok, "") + // which is a file without a byte
		warcRecord("response", url, "2026-01-05T00:00:00Z", "HTTP/1.1 304 Not Modified", "")
	ofCrawl := []string{`2026-01-01T00:00:00Z https://a.example 200 "A"`, `2026-01-02T00:00:00Z https://a.example 200 "A"`,
		`2026-01-02T00:00:00Z http://a.example 301  https://a.example/robots.txt`,
		`2026-01-03T00:00:00Z https://a.example 503`, `2026-01-04T00:00:00Z https://a.example 200 ""`}
	last := warcRecord("response", url, "2026-01-06T00:00:00Z", ok, "Z")
	ofFolders := []string{`2026-01-01T00:00:00Z a.example 200 "A"`, `2026-02-01T00:00:00Z a.example 200 "B"`,
		`2026-01-01T00:00:00Z b.example 200 "C"`}
	ofMonths := []string{strings.Replace(ofFolders[0], "-01T00:00:00Z", "", 1), ofFolders[1],
		strings.Replace(ofFolders[2], "-01T00:00:00Z", "", 1)}
	dir := put(t, map[string]string{
		"crawl.warc.gz": crawl, "cut.warc.gz": crawl + last[:len(last)/2], "damaged.warc.gz": crawl + "\x1f\x8b\x08damage",
		"revisit.warc.gz": crawl + warcRecord("revisit", url, "2026-01-06T00:00:00Z", ok, ""),
		"urls.json": `{"https://a.example/robots.txt":{"2026-01-01":"A","2026-02-01":"B"},
			"https://b.example/x?y":{"2026-01-01":"C"}}`,
		"hosts.json": `{"a.example":{"2026-01-01":"A","2026-02-01T00:00:00Z":"B"}}
			{"b.example":{"2026-01-01":"C"}}`,
		"lines.jsonl": `{"h":"a.example","at":"20260101000000","text":"A"}
			{"h":"a.example","at":1769904000,"text":"B"}` + "\n" + `{"h":"b.example","at":"2026-01-01","text":"C"}`,
		"undated.jsonl":              `{"host":"a.example","body":"A"}`,
		"2026-01-01/of-day.jsonl":    `{"host":"a.example","body":"A"}`,
		"date/2026-01/a.example.txt": "A", "date/2026-02-01-crawl/a.example/robots.txt": "B",
		"date/2026-01/b.example.robots.txt": "C",
		"host/a.example/2026-01-01.txt":     "A", "host/a.example/2026-02-01T000000Z.txt": "B",
		"host/b.example/20260101000000id_r.txt": "C", "host/b.example/notes.txt": "no",
	})
	for name, c := range map[string]struct {
		fields string
		want   []string
		lost   bool
	}{
		"crawl.warc.gz": {want: ofCrawl}, "cut.warc.gz": {want: ofCrawl, lost: true},
		"damaged.warc.gz": {want: append(slices.Clone(ofCrawl), "2026-01-05T00:00:00Z https://a.example 200   unknown"),
			lost: true}, // a capture that cannot be read is one of another file
		"revisit.warc.gz": {want: append(slices.Clone(ofCrawl), "2026-01-06T00:00:00Z https://a.example 200   unknown")},
		"urls.json": {want: []string{`2026-01-01T00:00:00Z https://a.example 200 "A"`,
			`2026-02-01T00:00:00Z https://a.example 200 "B"`, `2026-01-01T00:00:00Z https://b.example 200 "C"`}},
		"2026-01-01": {want: ofFolders[:1]}, "hosts.json": {want: ofFolders}, "date": {want: ofMonths}, "host": {want: ofFolders},
		"lines.jsonl": {fields: "host=h,date=at,body=text", want: ofFolders},
	} {
		got, lost := capturesOf(t, map[string]string{"fields": c.fields}, filepath.Join(dir, name))
		if !slices.Equal(got, c.want) || lost != c.lost {
			t.Errorf("%s: lost %v\n got %s\nwant %s", name, lost, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	all, lost := capturesOf(t, nil, dir+"/undated.jsonl", dir+"/date", dir+"/host")
	if !slices.Equal(all, ofMonths) || !lost {
		t.Errorf("the same from two folders: lost %v, %s", lost, strings.Join(all, "\n"))
	}
	for name, args := range map[string][]string{"nothing": {dir + "/undated.jsonl"}, "not there": {dir + "/missing"}} {
		out := filepath.Join(t.TempDir(), "out")
		made, err := History(t.Context(), HistoryOptions{Source: "captures", Args: args, Output: out})
		if name == "not there" && err == nil || err == nil && (made.Rows > 0 || !made.Lost) {
			t.Errorf("%s: %+v, %v", name, made, err)
		}
	}
}

// TestDateOfFile checks the dates in names under which people keep copies.
func TestDateOfFile(t *testing.T) {
	for name, want := range map[string]string{
		"2026-01-15.txt": "2026-01-15 00:00:00", "2026-01-15.txt.gz": "2026-01-15 00:00:00", "2026-01": "",
		"2026-01-15T01:02:03Z.txt": "2026-01-15 01:02:03", "2026-01-15T010203Z.txt": "2026-01-15 01:02:03",
		"20260115010203_robots.txt": "2026-01-15 01:02:03", "20260115010203id_https_a.example": "2026-01-15 01:02:03",
		"20260115010203.txt": "2026-01-15 01:02:03", "20260115010203": "2026-01-15 01:02:03",
		"202601150102034.txt": "", "2026-13-01.txt": "", "20261301000000.txt": "",
		"2026-01-15-robots.txt": "", "a.txt": "", "": "",
	} {
		at, ok := capture.DateOfFile(name)
		if ok != (want != "") || ok && at.UTC().Format("2006-01-02 15:04:05") != want {
			t.Errorf("%s: %v, %v", name, at, ok)
		}
	}
}
