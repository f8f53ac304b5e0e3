package policy

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
)

var archived = []automaton.Dialect{automaton.RFC9309, automaton.Google}

func rulesets(body string) (sets []*automaton.Ruleset) {
	for _, d := range archived {
		sets = append(sets, compile.Compile([]byte(body), compile.Options{Dialect: d}).Ruleset)
	}
	return sets
}

// TestRestore: a text that is made of rules has each on its line, and says the same.
func TestRestore(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""}, {"<html>\n", ""},
		{"# x\nUser-agent: *\n\n\nDisallow: /a # y\nAllow:/b*$\n", "\n\n\nUser-agent: *\nDisallow: /a\nAllow: /b**\n"},
		{"User-agent: a\nUser-agent: B\nDisallow: /%c3%a4\nUser-agent: a\nDisallow: /*?x=*&y\n",
			"User-agent: a\nUser-agent: b\nDisallow: /%C3%A4\nUser-agent: a\nDisallow: /*?x=*&y\n"},
		{"User-agent: a\nAllow: /dir/index.html\nDisallow: /d***e$\nUser-agent: b\n",
			"User-agent: a\nAllow: /dir/index.html\nDisallow: /d***e$\nUser-agent: b\n"},
	} {
		body, want := c[0], c[1]
		if got := textOf(rulesets(body)); got == nil || string(got) != want {
			t.Errorf("%q: %q\nwant %q", body, got, want)
		}
	}
	// What only one of two dialects reads as a rule is in no text for both.
	if got := textOf(rulesets("User-agent: *\nDissallow: /a\n")); got != nil {
		t.Errorf("a misspelled rule: %q", got)
	}
}

// TestRestoreReal: nearly all real files are restored.
func TestRestoreReal(t *testing.T) {
	f, err := os.Open("../../../shared/data/robots/bodies.jsonl.gz")
	if err != nil {
		t.Skip("no real files: ", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 64<<20)
	n, known := 0, 0
	for ; lines.Scan() && n < 3000; n++ {
		var x struct {
			Body string
			B64  []byte `json:"body_b64"`
		}
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		if textOf(rulesets(x.Body+string(x.B64))) != nil {
			known++
		}
	}
	if t.Logf("%d of %d", known, n); known < n/100*99 {
		t.Errorf("only %d of %d files are restored", known, n)
	}
}

// TestReadArchive: the versions of an archive, with and without a date, rules and redirects.
func TestReadArchive(t *testing.T) {
	w, err := archive.NewWriter(compile.Semantics, archived...)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	const body = "User-agent: *\nDisallow: /a\n"
	add := func(key string, from int64, status uint16, via, body string) {
		var sets []*automaton.Ruleset
		if sets = make([]*automaton.Ruleset, len(archived)); status == 200 {
			sets = rulesets(body)
		}
		if err := w.AddVersion(key, from, status, via, sets...); err != nil {
			t.Fatal(err)
		}
	}
	add("https://a.example:443", 1767225600, 200, "", body)
	add("https://a.example:443", 1767312000, 404, "", "")
	add("https://a.example:443", 1767398400, 200, "", "User-agent: *\nDissallow: /b\n")
	add("http://a.example:80", math.MinInt64, 200, "", body)
	add("http://b.example:80", 1767225600, 200, "http://c.example:80/x", body)
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.rsv")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := ReadArchive(path, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, strings.Join([]string{r.Origins[0].String(), startOf(r.From), strconv.Itoa(r.Status),
			string(r.Body), r.Digest}, " "))
	}
	slices.Sort(got)
	want := []string{
		"http://a.example never 200 " + body + unknownSitemaps + " ", "http://b.example 1767225600 302  ",
		"https://a.example 1767225600 200 " + body + unknownSitemaps + " ", "https://a.example 1767312000 404  ",
		"https://a.example 1767398400 200  rules",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if _, err := New(rows, Options{Observed: true}); err != nil {
		t.Error(err)
	}
	if _, err := ReadArchive(path, 100); !errors.Is(err, disk.ErrMemory) {
		t.Errorf("with little memory: %v", err)
	}
	for i := range b.Len() {
		if i%7 != 0 {
			continue
		}
		damaged := bytes.Clone(b.Bytes())
		damaged[i] ^= 0x41
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if rows, err := ReadArchive(path, 1<<30); err == nil && len(rows) != len(want) {
			t.Errorf("byte %d is another: %d rows and no error", i, len(rows))
		}
	}
}

func startOf(from int64) string {
	if from == MinTime {
		return "never"
	}
	return strconv.FormatInt(from/1e9, 10)
}
