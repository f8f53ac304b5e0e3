package cli

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// tree writes files into a new directory, and returns its name.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		write(t, filepath.Join(dir, name), content)
	}
	return dir
}

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCompileChecksItsOutputBeforeItReads checks that an output that cannot be written is found before stdin is read.
func TestCompileChecksItsOutputBeforeItReads(t *testing.T) {
	for _, out := range []string{filepath.Join(t.TempDir(), "no", "out.rsv"), os.DevNull} {
		stdin := iotest.ErrReader(errors.New("stdin is read"))
		if r := runIn(t.Context(), stdin, "compile", "-o", out, "-"); r.code != exitInput || strings.Contains(r.err, "is read") {
			t.Errorf("%s: %+v", out, r)
		}
	}
}

// TestBoundedDumps checks that dumping a hostile robots.txt takes bounded time and output, and that
// the output mentions the rest. The machines of "cross", thousands that share thousands of rules,
// took gigabytes.
func TestBoundedDumps(t *testing.T) {
	var cross, rules strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&cross, "User-agent: a%d\n", i)
	}
	for i := range 4000 {
		fmt.Fprintf(&cross, "Disallow: /%d*z\n", i)
	}
	for i := range 1500 {
		fmt.Fprintf(&cross, "User-agent: a%d\nDisallow: /q%d\n", i, i)
	}
	rules.WriteString("User-agent: *\n")
	for i := range 22_000 {
		fmt.Fprintf(&rules, "Disallow: /p%d/*x%d\nx: %d\n", i, i, i)
	}
	for name, body := range map[string]string{
		"cross": cross.String(), "rules": rules.String(), "line": "User-agent: *\nDisallow: /" +
			strings.Repeat("a*", 200_000) + "\n",
		"agent": "User-agent: " + strings.Repeat("a", 400_000) + "\nDisallow: /\nSitemap: " + strings.Repeat("b", 50_000) +
			"\n",
	} {
		robots := file(t, name+".txt", body)
		calls := [][]string{{"check", "--robots", robots}, {"compile", "--dump", robots}}
		if name == "cross" || name == "agent" {
			calls = append(calls, []string{"check", "--robots", robots, "--output", "json"})
		}
		for _, args := range calls {
			r := command(t, "", args...)
			if r.code != exitDone || len(r.out) > 12<<20 || len(r.out) > 1_500_000 && !strings.Contains(r.out, " more") &&
				!strings.Contains(r.out, "not_listed") {
				t.Errorf("%q: code %d, %d bytes", args, r.code, len(r.out))
			}
			if name == "line" && len(r.out) > 20_000 {
				t.Errorf("%q: %d bytes", args, len(r.out))
			}
			counted := regexp.MustCompile(`\n  \.\.\. and [1-9][0-9,]* more rules\n`).MatchString(r.out)
			if name == "rules" && args[0] == "check" && !counted {
				t.Error("rules that are left out are not counted")
			}
		}
	}
}

func rules(t *testing.T, args ...string) string {
	t.Helper()
	sources := file(t, "robots.jsonl", `{"host":"a.example","body":"user-agent: *\ndisallow: /p\n\nuser-agent: `+
		`gptbot\ndisallow: /g\n"}
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

// TestArchiveChangedInPlace checks that an archive that is truncated while in use, or gets other
// rules of the same length or noise after its index, causes neither false verdicts nor a panic.
func TestArchiveChangedInPlace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("archives are not mapped into memory there")
	}
	crawl := warcText(warcRecord{"http://a.example/p", "2024-05-03T00:00:00Z", 200, "", ""})
	for name, change := range map[string]func(data []byte){
		"cut":          nil,
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
			{[]string{"filter", "--agent", "x", "-"}, strings.Repeat("http://a.example/p\nhttp://a.example/q\n", 50_000)},
			{[]string{"filter", "--agent", "x", "--workers", "1", "-"}, "http://a.example/p\nhttp://a.example/q\n"},
			{[]string{"filter", "--agent", "x", "--annotate", "json", "-"}, "http://a.example/p\n"},
			{[]string{"filter", "--agent", "x", "-"}, crawl},
			{[]string{"check", "--agent", "x", "-"}, "http://a.example/p\n"},
		} {
			archive := rules(t)
			in := &truncating{strings.NewReader(c.in), archive, nil}
			if change != nil {
				in.other = plain(t, archive)
				change(in.other)
			}
			var stdout, stderr bytes.Buffer
			code := streams{in: in, out: &stdout, err: &stderr}.run(t.Context(), append(c.args, "--rules", archive))
			judged := strings.Contains(stdout.String(), "a.example") || strings.Contains(stdout.String(), "allowed")
			if code != exitInput || judged || !strings.Contains(stderr.String(), archive+": changed while in use") {
				t.Errorf("%s, %v: code %d, stdout %q, stderr %q", name, c.args, code, stdout.String(), stderr.String())
			}
		}
	}
}

// warcRecord is one record of a WARC file with a response.
type warcRecord struct {
	url, date string
	status    int
	headers   string // each with its line end
	body      string
}

// warcText is a WARC file of responses, each with its request.
func warcText(responses ...warcRecord) string {
	text := "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2024-05-01T00:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
	for i, r := range responses {
		for kind, block := range map[string]string{"request": "GET / HTTP/1.1\r\n\r\n",
			"response": fmt.Sprintf("HTTP/1.1 %d X\r\n%s\r\n%s", r.status, r.headers, r.body)} {
			text += fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:%s:%d>\r\nWARC-Date: %s\r\n"+
				"WARC-Target-URI: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, kind, i, r.date, r.url, len(block), block)
		}
	}
	return text
}

// TestArchiveCutWhileItIsOpened truncates an archive between checking its size and reading it.
func TestArchiveCutWhileItIsOpened(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("archives are not mapped into memory there")
	}
	for _, args := range [][]string{{"filter", "-"}, {"check", "https://a.example/p"}} {
		archive := rules(t)
		restore := disk.Inject(func(op disk.Op, name string) error {
			if op == disk.OpMap {
				return os.Truncate(name, 0)
			}
			return nil
		})
		r := command(t, "http://a.example/p\n", append(args, "--rules", archive, "--agent", "x")...)
		restore()
		if r.code != exitInput || r.out != "" || !strings.Contains(r.err, "changed while in use") {
			t.Errorf("%v: %+v", args, r)
		}
	}
}
