package cli

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// rules compiles an archive of some origins.
func rules(t *testing.T, args ...string) string {
	t.Helper()
	sources := file(t, "robots.jsonl", `{"host":"a.example","body":"user-agent: *\ndisallow: /p\n\nuser-agent: gptbot\ndisallow: /g\n"}
{"host":"https://b.example:8443","body":"user-agent: *\ndisallow: /b%7E\n"}
{"host":"down.example","status":503}
{"host":"gone.example","status":404}
`)
	out := filepath.Join(t.TempDir(), "rules.rsv")
	if r := command(t, "", append([]string{"compile", sources, "-o", out}, args...)...); r.code != exitDone {
		t.Fatal(r.err)
	}
	return out
}

// truncating cuts a file short when it is first read from or, if there are other contents, writes
// them over it in place.
type truncating struct {
	io.Reader
	name  string
	other []byte
}

func (r *truncating) Read(p []byte) (int, error) {
	if r.other == nil {
		if err := os.Truncate(r.name, 0); err != nil {
			return 0, err
		}
		return r.Reader.Read(p)
	}
	f, err := os.OpenFile(r.name, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	_, err = f.Write(r.other)
	later := time.Now().Add(time.Minute) // the clock of a disk may be slow
	if err := cmp.Or(err, f.Close(), os.Chtimes(r.name, later, later)); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

func TestFilterSurvivesAnArchiveThatIsCutWhileInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("archives are not mapped into memory there")
	}
	for _, workers := range []string{"1", "4"} {
		archive := rules(t)
		in := &truncating{Reader: strings.NewReader(strings.Repeat("http://a.example/p\nhttps://a.example/\n", 100_000)), name: archive}
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"filter", "--rules", archive, "--agent", "x", "--workers", workers, "-"}, streams{in: in, out: &stdout, err: &stderr})
		if code != exitInput || stdout.Len() > 0 || !strings.Contains(stderr.String(), archive+": changed while in use") {
			t.Errorf("code %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
		}
	}
}

// TestArchiveChangedInPlace: an archive of the same length, but with other rules or with noise behind
// its index, gives neither false verdicts nor a panic.
func TestArchiveChangedInPlace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("archives are not mapped into memory there")
	}
	crawl := warcFile(t, "x.warc", warcRecord{"http://a.example/p", "2024-05-03T00:00:00Z", 200, "", ""})
	for name, change := range map[string]func(data []byte){
		"another rule": func(data []byte) { copy(data[bytes.Index(data, []byte("/p")):], "/q") },
		"noise": func(data []byte) {
			for i := range data[len(data)/2:] {
				data[len(data)/2+i] ^= byte(i*7 + 1)
			}
		},
		"nothing but the time": func([]byte) {},
	} {
		for _, c := range []struct {
			args []string
			in   string
		}{
			{[]string{"filter", "--agent", "x", "-"}, strings.Repeat("http://a.example/p\nhttp://a.example/q\n", 1000)},
			{[]string{"filter", "--agent", "x", "--annotate", "json", "-"}, "http://a.example/p\n"},
			{[]string{"filter", "--agent", "x", "-"}, string(plain(t, crawl))},
			{[]string{"check", "--agent", "x", "-"}, "http://a.example/p\n"},
		} {
			archive := rules(t)
			other := plain(t, archive)
			change(other)
			in := &truncating{strings.NewReader(c.in), archive, other}
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), append(c.args, "--rules", archive), streams{in: in, out: &stdout, err: &stderr})
			judged := strings.Contains(stdout.String(), "a.example") || strings.Contains(stdout.String(), "allowed")
			if code != exitInput || judged || !strings.Contains(stderr.String(), archive+": changed while in use") {
				t.Errorf("%s, %v: code %d, stdout %q, stderr %q", name, c.args, code, stdout.String(), stderr.String())
			}
		}
	}
}
