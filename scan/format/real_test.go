package format

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// open opens a file of real logs, or skips the test where there are none.
func open(t *testing.T, name string) io.Reader {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "logs", name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no real logs here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// combinedLine is the combined format as a regular expression, for lines in
// which every quote is escaped.
var combinedLine = regexp.MustCompile(`^(\S+) \S+ [^"]*?\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [-+]\d{4})\] ` +
	`"([A-Za-z_]+) ((?:/|https?://|\*)(?:[^"\\]|\\.)*?)(?: HTTP/[\d.]+)?" (\d{3}) (\d+|-) ` +
	`"(?:[^"\\]|\\.)*" "((?:[^"\\]|\\.)*)"(?: |$)`)

// TestRealCombinedLogs detects the format of logs from three servers, and compares each line with a
// regular expression that is independent of this package. Lines that it doesn't match have no
// request or raw quotes.
func TestRealCombinedLogs(t *testing.T) {
	for _, c := range []struct {
		name     string
		lines    int
		unparsed int // each looked at: cut lines, and targets such as "./x"
	}{
		{"semicomplete-2015.combined.log.gz", 10_000, 1},
		{"small-site-2005-2018.combined.log.gz", 105_177, 27},
		{"wordpress-2016.combined.log.gz", 206_860, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			z, err := gzip.NewReader(open(t, c.name))
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			f, err := Detect(data[:min(len(data), SampleBytes)], false)
			if err != nil || f.Name() != "combined" {
				t.Fatalf("detected as %v, %v", f, err)
			}
			if testing.Short() {
				data = data[:bytes.LastIndexByte(data[:min(len(data), 1<<20)], '\n')+1]
			}
			var r Record
			reader := f.NewReader()
			lines, unparsed, unmatched := 0, 0, 0
			for line := range bytes.Lines(data) {
				line = bytes.TrimRight(line, "\r\n")
				lines++
				reader.Reset(line)
				kind := reader.Next(&r)
				if kind == Request && lines%8 > 0 {
					continue // the expression is slow
				}
				m := combinedLine.FindSubmatch(line)
				if kind != Request {
					if unparsed++; m != nil {
						t.Errorf("not a record: %s", line)
					}
					continue
				}
				reader.Complete(&r)
				if !r.HasTime || r.Status == 0 {
					t.Errorf("no time or no status: %s", line)
				}
				if m == nil {
					unmatched++
					continue
				}
				at, ok := clfTime(m[2], nil)
				for _, same := range []struct {
					what string
					is   bool
				}{
					{"address", bytes.Equal(r.Addr, m[1])},
					{"time", ok == r.HasTime && at == r.Time},
					{"method", bytes.Equal(r.Method, m[3])},
					{"target", bytes.Equal(r.Target, unescape(nil, m[4]))},
					{"status", r.Status == int(m[5][0]-'0')*100+int(m[5][1]-'0')*10+int(m[5][2]-'0')},
					{"size", r.Size == parseSize(m[6])},
					{"agent", bytes.Equal(r.Agent, unescape(nil, m[7]))},
				} {
					if !same.is {
						t.Errorf("%s differs: %+v of %s", same.what, fieldsOf(&r), line)
					}
				}
			}
			t.Logf("%d lines, %d unparsed, %d unmatched", lines, unparsed, unmatched)
			if !testing.Short() && (lines != c.lines || unparsed != c.unparsed) {
				t.Errorf("%d lines, %d unparsed, want %d and %d", lines, unparsed, c.lines, c.unparsed)
			}
		})
	}
}
