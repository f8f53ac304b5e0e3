package filter

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/source"
)

// shared opens a file in the directory of reference data, which is no part of the
// module and lies beside it, and decompresses it. It skips the test if the file
// is not there.
func shared(t testing.TB, name string) (path string, text []byte) {
	t.Helper()
	path = filepath.Join("../../../shared", filepath.FromSlash(name))
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("reference data are not part of the module: no shared/%s beside it", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err == nil {
		text, err = io.ReadAll(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path, text
}

// realWeb has the robots.txt of every n-th host of the reference data, as it
// stands for http and https.
func realWeb(t testing.TB, d automaton.Dialect, n int) *web {
	t.Helper()
	_, text := shared(t, "data/robots/by-host.jsonl.gz")
	bodies := map[string]string{}
	i := 0
	for line := range bytes.Lines(text) {
		if i++; i%n != 0 {
			continue
		}
		var r struct {
			Host string `json:"host"`
			Body string `json:"body"`
			B64  []byte `json:"body_b64"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.B64 != nil {
			r.Body = string(r.B64)
		}
		if o, err := origin.Parse("http://" + r.Host); err != nil || len(o) != 1 {
			continue // a few are addresses of mail
		}
		bodies["http://"+r.Host], bodies["https://"+r.Host] = r.Body, r.Body
	}
	return newWeb(t, d, bodies, nil)
}

// archived is a web in an archive, as the command has it.
type archived struct {
	*archive.Archive
	dialect automaton.Dialect
}

func newArchived(t testing.TB, d automaton.Dialect, w *web) archived {
	t.Helper()
	writer, err := archive.NewWriter(compile.Semantics, d)
	if err != nil {
		t.Fatal(err)
	}
	for o, body := range w.bodies {
		r := compile.Compile([]byte(body), compile.Options{Dialect: d, MaxBytes: -1}).Ruleset
		if err := writer.Add(string(o.AppendKey(nil)), 200, r); err != nil {
			t.Fatal(err)
		}
	}
	var data bytes.Buffer
	if _, err := writer.WriteTo(&data); err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(data.Bytes(), compile.Semantics, compile.EngineAuto.Table)
	if err != nil {
		t.Fatal(err)
	}
	return archived{a, d}
}

func (a archived) Find(q Query, rules []Rules) (Span, bool, error) {
	lookup := a.LookupAt
	if q.Busy {
		lookup = a.LookupBusyAt
	}
	e, found, err := lookup(q.Origin.AppendKey(nil), a.dialect, q.At)
	for i := range rules {
		rules[i] = Rules{Machine: e.Ruleset.Machine([]byte(agent))}
	}
	return Always, found, err
}

// TestRealURLs compares every verdict on URLs of real hosts, of which an archive has the
// robots.txt, with the naive reading. That takes a fifth of a millisecond for each, so it is given
// every eighth URL, and the robots.txt of every fourth host: the URLs of the others have no policy.
func TestRealURLs(t *testing.T) {
	every, step := 4, 8
	if testing.Short() {
		every, step = 50, 16
	}
	_, all := shared(t, "data/urls/with-robots.txt.gz")
	var b strings.Builder
	number := 0
	for line := range bytes.Lines(all) {
		if number++; number%step == 0 {
			b.Write(line)
		}
	}
	text := b.String()
	for _, d := range []automaton.Dialect{automaton.RFC9309, automaton.Google} {
		w := realWeb(t, d, every)
		c := Config{Dialects: []automaton.Dialect{d}, Policy: newArchived(t, d, w), NoPolicy: true}
		want, count := expect(c, "", w, text)
		if judged := count[Allowed] + count[Disallowed]; judged < 100 || count[Disallowed] == 0 {
			t.Errorf("%s: the sample is too small: %s", d, describe(count))
		}
		for _, workers := range []int{1, 2, 16} {
			if out, s := filteredBy(t, c, source.Options{Workers: workers, InOrder: true}, memory(text)); out != want ||
				s.Count != count {
				t.Errorf("%s, %d workers: %d bytes printed, %s; want %d, %s", d, workers, len(out), describe(s.Count), len(want),
					describe(count))
			}
		}
	}
}
