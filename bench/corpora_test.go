package bench

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/source"
)

// sharedFile returns the path of a file of the shared data. It skips the benchmark where there is none.
func sharedFile(b *testing.B, name string) string {
	b.Helper()
	path := filepath.Join("../../shared", name)
	if _, err := os.Stat(path); err != nil {
		b.Skipf("no shared data: %v", err)
	}
	return path
}

// shared returns the content of a file of the shared data, decompressed.
func shared(b *testing.B, name string) []byte {
	b.Helper()
	return decompressed(b, sharedFile(b, name))
}

func decompressed(b testing.TB, path string) []byte {
	b.Helper()
	r := must(must(source.NewFile(path)).Open())
	defer r.Close()
	return must(io.ReadAll(r))
}

// realLog returns a real log of the combined format where there is one, else the sample's. Its last line ends.
func realLog(b *testing.B) []byte {
	b.Helper()
	path := "../../shared/data/logs/wordpress-2016.combined.log.gz"
	if _, err := os.Stat(path); err != nil {
		path = "../testdata/sample/access.log.gz"
	}
	return append(bytes.TrimSuffix(decompressed(b, path), []byte("\n")), '\n')
}

// writeFile writes data to a file of a folder of its own.
func writeFile(b *testing.B, name string, data []byte) (path string) {
	b.Helper()
	path = filepath.Join(b.TempDir(), name)
	must(0, os.WriteFile(path, data, 0o600))
	return path
}

func lines(data []byte) [][]byte {
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

// site is a robots.txt with URLs and the reference's verdicts on them.
type site struct {
	Robots []byte  `json:"robots_b64"`
	Agent  string  `json:"agent"`
	Cases  [][]any `json:"cases"` // URL, allowed, line
}

// question is a URL with the reference's verdict on it.
type question struct {
	site int
	url  []byte
	want automaton.Verdict
}

// real returns 1,220 real sites with their 111,084 questions in file order, the
// URLs one after the other in memory, as a reader of a list has them.
func real(b *testing.B) (sites []site, questions []question) {
	b.Helper()
	var urls []byte
	var ends []int
	for _, line := range lines(shared(b, "vectors/google-real.jsonl.gz")) {
		var s site
		must(0, json.Unmarshal(line, &s))
		for _, c := range s.Cases {
			urls = append(urls, c[0].(string)...)
			ends = append(ends, len(urls))
			questions = append(questions, question{
				site: len(sites),
				want: automaton.Verdict{Line: uint32(c[2].(float64)), Disallowed: !c[1].(bool)},
			})
		}
		s.Cases = nil
		sites = append(sites, s)
	}
	from := 0
	for i, end := range ends {
		questions[i].url = urls[from:end:end]
		from = end
	}
	return sites, questions
}
