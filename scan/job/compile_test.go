package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
)

// sites writes n lines of JSON, each with a robots.txt of its own of about size bytes.
func sites(n, size int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"host":"h%d.example","body":"User-agent: *\nDisallow: /%d/%s"}`+"\n", i, i,
			strings.Repeat("a", size))
	}
	return b.String()
}

// archiveOf compiles lines of JSON in some memory.
func archiveOf(t *testing.T, lines string, memory int64, maxBytes int) ([]byte, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "rules.rsv")
	c, err := Compile(t.Context(), CompileOptions{
		Sources: []string{"-"}, Stdin: strings.NewReader(lines), Output: out, Memory: memory, MaxBytes: maxBytes,
	})
	if err != nil {
		if _, statErr := os.Stat(out); statErr == nil {
			t.Error("there is an archive in spite of an error")
		}
		return nil, err
	}
	data, readErr := os.ReadFile(out)
	if readErr != nil || int64(len(data)) != c.Size {
		t.Errorf("%d bytes instead of %d: %v", len(data), c.Size, readErr)
	}
	return data, nil
}

// TestCompileInLittleMemoryGivesTheSameArchive: bodies and rulesets that go to files come back.
func TestCompileInLittleMemoryGivesTheSameArchive(t *testing.T) {
	lines := sites(200, 20_000)
	opened := 0
	restore := disk.Inject(func(op disk.Op, name string) error {
		if op == disk.OpOpen && name == os.TempDir() {
			opened++
		}
		return nil
	})
	little, err := archiveOf(t, lines, 2_000_000, 30_000)
	restore()
	if err != nil {
		t.Fatal(err)
	}
	much, err := archiveOf(t, lines, 0, 30_000)
	if err != nil || !bytes.Equal(little, much) {
		t.Errorf("%d bytes instead of %d, error %v", len(little), len(much), err)
	}
	if opened < 3 {
		t.Errorf("%d temporary files, want one to try, one of bodies and one of rulesets at least", opened)
	}
}

// TestCompileSaysWhichMemoryWouldDo: for the longest robots.txt.
func TestCompileSaysWhichMemoryWouldDo(t *testing.T) {
	_, err := archiveOf(t, sites(1, 1), 1_000_000, 0)
	if e := new(Error); !errors.As(err, &e) || e.Kind != Usage ||
		!strings.Contains(err.Error(), "up to 512,000 bytes: --memory 48MB would do") {
		t.Errorf("got %v", err)
	}
	if _, err := archiveOf(t, sites(1, 1), 48_000_000, 0); err != nil {
		t.Errorf("the memory that would do: %v", err)
	}
}

// TestCompileEndsWhenTheDiskFails: an error of a temporary file ends it, and nothing is left.
func TestCompileEndsWhenTheDiskFails(t *testing.T) {
	full := errors.New("full")
	for n := range 20 {
		writes := 0
		restore := disk.Inject(func(op disk.Op, _ string) error {
			if op != disk.OpWrite {
				return nil
			}
			if writes++; writes != n+1 {
				return nil
			}
			return full
		})
		_, err := archiveOf(t, sites(60, 20_000), 1_000_000, 30_000)
		restore()
		if !errors.Is(err, full) && (err != nil || writes > n) {
			t.Errorf("write %d of %d fails: %v", n+1, writes, err)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	_, err := Compile(ctx, CompileOptions{Sources: []string{"-"}, Stdin: strings.NewReader(sites(1, 1)),
		Output: filepath.Join(t.TempDir(), "x")})
	if e := new(Error); !errors.As(err, &e) || e.Kind != Interrupted {
		t.Errorf("interrupted: %v", err)
	}
}

// TestCompileKeepsAllVersions: each capture that has a date, whatever their order and the memory;
// without AllVersions the newest.
func TestCompileKeepsAllVersions(t *testing.T) {
	capture := func(day int, status, rest string) string {
		head := "HTTP/1.1 " + status + "\r\n" + rest
		return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/robots.txt\r\nWARC-Date: "+
			"2026-11-%02dT00:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			day, len(head), head)
	}
	at := func(day int) int64 { return time.Date(2026, 11, day, 0, 0, 0, 0, time.UTC).Unix() }
	warc := []string{
		capture(9, "404 Not Found", "\r\n"), capture(3, "200 OK", "\r\nUser-agent: *\nDisallow: /a\n"),
		capture(5, "200 OK", "\r\nUser-agent: *\nDisallow: /a\n# the same\n"), capture(7, "503 Busy", "\r\n"),
	}
	compiled := func(all bool) *archive.Archive {
		t.Helper()
		out := filepath.Join(t.TempDir(), "rules.rsv")
		c, err := Compile(t.Context(), CompileOptions{Sources: []string{"-"},
			Stdin: strings.NewReader(strings.Join(warc, "")), Output: out, AllVersions: all})
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		a, err := archive.Open(data, compile.Semantics, nil)
		if err != nil || a.Len() != 1 {
			t.Fatal(err, a.Len())
		}
		for o := range a.Origins() {
			if int64(len(o.Versions)) != c.Versions {
				t.Errorf("%d versions, not %d", len(o.Versions), c.Versions)
			}
		}
		return a
	}
	for range warc {
		warc = append(warc[1:], warc[0])
		all, newest := compiled(true), compiled(false)
		for day, want := range map[int]uint16{2: 0, 3: 200, 5: 200, 7: 503, 8: 503, 9: 404, 30: 404} {
			e, found, err := all.LookupAt([]byte("http://a:80"), automaton.Google, at(day))
			if e.Status != want || found != (want != 0) || err != nil || (e.Ruleset != nil) != (want == 200) {
				t.Errorf("on day %d: %+v, found %v, error %v", day, e, found, err)
			}
		}
		if e, _, _ := all.LookupAt([]byte("http://a:80"), automaton.Google, at(6)); e.From != at(3) || e.Until != at(7) {
			t.Errorf("from %d to %d", e.From, e.Until)
		}
		if e, found, err := newest.LookupAt([]byte("http://a:80"), automaton.Google, at(8)); !found || e.Status != 404 ||
			err != nil {
			t.Errorf("the newest, before its date: %+v, found %v, error %v", e, found, err)
		}
	}
}
