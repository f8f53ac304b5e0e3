package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// tree writes files into a new directory, and returns its name.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// compiled runs the command, which must end as wanted, and opens its archive.
func compiled(t *testing.T, want int, stdin string, args ...string) (*archive.Archive, result) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "rules.rsv")
	r := command(t, stdin, append([]string{"compile", "-o", out}, args...)...)
	if r.code != want || r.out != "" {
		t.Fatalf("code %d, want %d; stdout %q, stderr %q", r.code, want, r.out, r.err)
	}
	return opened(t, out), r
}

func opened(t testing.TB, name string) *archive.Archive {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(data, compile.Semantics, compile.EngineAuto.Table)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// entry looks an origin up, which must be there.
func entry(t testing.TB, a *archive.Archive, from string, d automaton.Dialect) archive.Entry {
	t.Helper()
	origins, err := origin.Parse(from)
	if err != nil {
		t.Fatal(err)
	}
	e, found, err := a.Lookup(origins[0].AppendKey(nil), d)
	if err != nil || !found {
		t.Fatalf("%s: found %v, error %v", from, found, err)
	}
	return e
}

// forbids tells whether an archive forbids an agent a path.
func forbids(t testing.TB, a *archive.Archive, from, agent, path string) bool {
	t.Helper()
	return entry(t, a, from, automaton.RFC9309).Ruleset.Match(new(automaton.Scratch), []byte(agent), []byte(path)).Disallowed
}

// questions makes agents and paths of what a robots.txt says: what each of its
// patterns matches, and what it nearly does.
func questions(r *compile.Robots) (agents, paths []string) {
	agents, paths = []string{"Nobody"}, []string{"/", "/robots.txt"}
	for _, g := range r.Groups {
		for _, a := range g.Agents {
			agents = append(agents, a.Token)
		}
		for _, rule := range g.Rules {
			path := strings.TrimSuffix(rule.Value, "$")
			for _, gap := range []string{"", "x/y"} {
				path := strings.ReplaceAll(path, "*", gap)
				paths = append(paths, path, path+"?a=%2f", path[:len(path)/2], strings.ToUpper(path))
			}
		}
	}
	return agents, paths
}

// agree compares the verdicts of an archive's ruleset with those of the body.
func agree(t testing.TB, what string, got *automaton.Ruleset, body string, d automaton.Dialect, limit int) (asked int) {
	t.Helper()
	want := compile.Compile([]byte(body), compile.Options{Dialect: d, MaxBytes: limit})
	var s automaton.Scratch
	agents, paths := questions(want)
	for _, agent := range agents {
		for _, path := range paths {
			asked++
			g, w := got.Match(&s, []byte(agent), []byte(path)), want.Ruleset.Match(&s, []byte(agent), []byte(path))
			if g != w {
				t.Errorf("%s in %v: agent %q, path %q: got %+v, want %+v", what, d, agent, path, g, w)
			}
		}
	}
	return asked
}

var bodies = map[string]string{
	"plain.example":    "User-agent: *\nDisallow: /private/\nAllow: /private/open$\n",
	"empty.example":    "",
	"wild.example":     "User-agent: *\nDisallow: /*?sort=*&page=\nDisallow: *.pdf$\nAllow: /index.html\nDisallow: /*a*b*c*d*e*f*g*h*i*j$\n",
	"groups.example":   "User-agent: a\nUser-agent: b\nDisallow: /ab\n\nUser-agent: b\nUser-agent: c\nDisallow: /bc\nAllow: /\n\nUser-agent: *\nUser-agent: a\nDisallow: /\n",
	"escapes.example":  "User-agent: *\nDisallow: /%7Euser/\nDisallow: /\xc3\xa9?q=http%3A//x\nDisallow: /%2f%zz\n",
	"html.example":     "<html>\nUser-agent: x\n</html>\nDisallow: /a b\n",
	"crlf.example":     "\xef\xbb\xbfUser-agent: GPTBot\r\nDisallow: /\r\rUser-agent: Google*bot\nDisallow:",
	"repeated.example": "User-agent: *\nDisallow: /private/\nAllow: /private/open$\n",
}

func TestCompiledArchiveAnswersAsTheFilesDo(t *testing.T) {
	files := map[string]string{}
	for host, body := range bodies {
		files[host+"/robots.txt"] = body
	}
	dialects := []automaton.Dialect{automaton.Google, automaton.Original, automaton.RFC9309}
	a, r := compiled(t, exitDone, "", "--dialect", "google,original,rfc9309", tree(t, files))
	if !strings.Contains(r.err, "16 origins; distinct bodies: 7, of ") {
		t.Errorf("summary %q", r.err)
	}
	for host, body := range bodies {
		for _, d := range dialects {
			for _, scheme := range []string{"http://", "https://"} {
				e := entry(t, a, scheme+host, d)
				if e.Status != 200 {
					t.Errorf("%s: status %d", host, e.Status)
				}
				agree(t, host, e.Ruleset, body, d, 0)
			}
		}
	}
	if _, found, err := a.Lookup([]byte("https://plain.example:80"), automaton.Google); found || err != nil {
		t.Errorf("an origin of no file: found %v, error %v", found, err)
	}
}

// TestCompiledArchiveOfTheCorpus asks an archive of 43,507 real hosts about the
// URLs and agents of each robots.txt itself.
func TestCompiledArchiveOfTheCorpus(t *testing.T) {
	name := filepath.Join("..", "..", "..", "shared", "data", "robots", "by-host.jsonl.gz")
	if _, err := os.Stat(name); err != nil {
		t.Skip("reference data are not part of the module:", err)
	}
	data, want, wantOrigins := plain(t, name), exitInput, 87_007 // four of the hosts are addresses of mail
	if testing.Short() {
		t.Log("short: the first 2,000 of 43,514 lines")
		data, want, wantOrigins = bytes.Join(bytes.SplitAfterN(data, []byte("\n"), 2001)[:2000], nil), exitDone, 4_000
	}
	a, r := compiled(t, want, string(data), "-")
	if a.Len() != wantOrigins {
		t.Errorf("%d origins, want %d, stderr %s", a.Len(), wantOrigins, r.err)
	}
	hosts, asked := 0, 0
	lines := json.NewDecoder(bytes.NewReader(data))
	for n := 0; ; n++ {
		var line struct {
			Host, Body string
			Coded      []byte `json:"body_b64"`
		}
		if err := lines.Decode(&line); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		origins, err := origin.Parse(line.Host)
		// A sample, and none of the few that would ask a million questions. Where a host is there twice, the
		// later line holds; those are written in capitals.
		if err != nil || strings.ToLower(line.Host) != line.Host || n%20 != 0 || len(line.Body) > 4000 {
			continue
		}
		body := line.Body + string(line.Coded)
		hosts++
		for _, d := range []automaton.Dialect{automaton.RFC9309, automaton.Google} {
			asked += agree(t, line.Host, entry(t, a, origins[1].String(), d).Ruleset, body, d, 0)
		}
	}
	t.Logf("%d questions about %d hosts", asked, hosts)
	if asked < 100*hosts || hosts == 0 {
		t.Error("too few questions")
	}
}

func TestCompileReadsEveryKindOfSource(t *testing.T) {
	body := func(path string) string { return "User-agent: *\nDisallow: " + path + "\n" }
	object := func(host, path string) string {
		line, err := json.Marshal(map[string]string{"host": host, "body": body(path)})
		if err != nil {
			t.Fatal(err)
		}
		return string(line) + "\n"
	}
	record := func(target, head, body string) string {
		block := "HTTP/1.1 " + head + "\r\n\r\n" + body
		return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-11-01T00:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", target, len(block), block)
	}
	dir := tree(t, map[string]string{
		"named.example":               body("/named"),
		"text.example.txt":            body("/text"),
		"packed.example":              gzipped(t, body("/packed")),
		"ended.example.txt.gz":        gzipped(t, body("/ended")),
		"both.example/robots.txt.zst": zstandard(t, body("/both")),
		"dir.example/robots.txt":      body("/dir"),
		"dir.example/other.txt":       body("/"),
		"without/other.txt":           body("/"),
		".hidden":                     body("/"),
		"a.jsonl":                     object("lines.example", "/lines") + object("https://lines.example:8443", "/port"),
		"b.jsonl.gz":                  gzipped(t, object("gz.example", "/gz")),
		"c.ndjson.zst":                zstandard(t, object("zst.example", "/zst")),
		"d.warc.gz": gzipped(t, record("http://warc.example/robots.txt", "301 Moved\r\nLocation: https://warc.example/robots.txt", "")) +
			gzipped(t, record("https://warc.example/robots.txt", "200 OK", body("/warc"))) +
			gzipped(t, record("https://named.example/robots.txt", "200 OK", body("/older-than-the-file"))) +
			gzipped(t, record("https://gone.example/robots.txt", "404 Not Found", body("/"))) +
			gzipped(t, record("https://broken.example/robots.txt", "503 Sorry", body("/"))),
	})
	a, r := compiled(t, exitDone, object("stdin.example", "/stdin"), dir, "-")
	for from, path := range map[string]string{
		"named.example": "/named", "text.example": "/text", "packed.example": "/packed", "ended.example": "/ended", "both.example": "/both", "dir.example": "/dir", "lines.example": "/lines",
		"https://lines.example:8443": "/port", "gz.example": "/gz", "zst.example": "/zst", "http://warc.example": "/warc",
		"https://warc.example": "/warc", "https://named.example": "/named", "stdin.example": "/stdin",
	} {
		if !forbids(t, a, from, "x", path+"/y") || forbids(t, a, from, "x", "/open") {
			t.Errorf("%s does not forbid %s alone", from, path)
		}
	}
	for from, status := range map[string]uint16{"https://gone.example": 404, "https://broken.example": 503} {
		if e := entry(t, a, from, automaton.Google); e.Status != status || e.Ruleset != nil {
			t.Errorf("%s: %+v", from, e)
		}
	}
	for _, want := range []string{"passed over: directory without a robots.txt, of which nothing else is read: 1\n", "copies replaced by a newer or later one of their origin: 1\n"} {
		if !strings.Contains(r.err, want) {
			t.Errorf("no %q in %q", want, r.err)
		}
	}
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

func zstandard(t testing.TB, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

func TestCompileSaysWhatItCouldNotUse(t *testing.T) {
	good := `{"host":"good.example","body":"User-agent: *\nDisallow: /"}` + "\n"
	lines := file(t, "x.jsonl", strings.Repeat("\x1b]0;title\a\n", 20)+good+`{"host":"a b","body":""}`+"\n")
	cut := gzipped(t, good+good)
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"bad lines", []string{lines}, []string{
			`x.jsonl: line 1: not a JSON object of the expected fields: "\x1b]0;title\a"`, "line 5:",
			"passed over: not a JSON object of the expected fields: 20\n", "passed over: not the name of a host or origin: 1\n", "2 origins;"}},
		{"a damaged file", []string{lines, file(t, "cut.jsonl.gz", cut[:len(cut)-6])}, []string{"cut.jsonl.gz: at byte ", "could not be read to its end: 1\n", "2 origins;"}},
		{"a missing file", []string{lines, "no/such.jsonl"}, []string{"such.jsonl: no such file", "could not be read to its end: 1\n"}},
		{"a file without a host", []string{lines, file(t, "a b", "")}, []string{`a b": `, "passed over: not the name of a host or origin: 2\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, r := compiled(t, exitInput, "", c.args...)
			for _, want := range c.want {
				if !strings.Contains(r.err, want) {
					t.Errorf("no %q in %q", want, r.err)
				}
			}
			if strings.Contains(r.err, "\x1b") || strings.Contains(r.err, "line 6:") {
				t.Errorf("stderr %q", r.err)
			}
			if !forbids(t, a, "good.example", "x", "/y") {
				t.Error("what could be used is not in the archive")
			}
		})
	}
}

// TestCompileNamesTheFormsThatItDoesNotRead, also compressed and in a folder.
func TestCompileNamesTheFormsThatItDoesNotRead(t *testing.T) {
	const index = "com,example)/robots.txt 20260101000000 {\"status\": \"200\"}\n"
	files := map[string]string{
		"x.cdxj": index, "x.cdx.gz": gzipped(t, " CDX N b a m s k r M S V g\n"), "x.arc.gz": gzipped(t, "filedesc://x.arc 0.0.0.0 20140301000000 text/plain 76\n"),
		"x.zst": zstandard(t, index), "crawl.gz": gzipped(t, "WARC/1.0\r\n"), "hosts.txt": `{"host":"a.example","body":""}`,
		"image.example/robots.txt": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10",
		"good.example":             "User-agent: *\nDisallow: /\n",
	}
	wants := []string{
		"x.cdxj: an index of captures (CDX or CDXJ), not a robots.txt: give the WARC files that it points to\n", "x.cdx.gz: an index", "x.zst: an index",
		"x.arc.gz: an ARC file", "crawl.gz: a WARC file", "hosts.txt: lines of JSON objects",
		"robots.txt: binary data", "passed over: not a robots.txt: ", "2 origins;",
	}
	dir := tree(t, files)
	var one strings.Builder
	for name := range files {
		_, r := compiled(t, exitInput, "", filepath.Join(dir, name), filepath.Join(dir, "good.example"), file(t, "a b", "")) // another that is passed over
		one.WriteString(r.err)
	}
	_, all := compiled(t, exitInput, "", dir)
	for _, want := range wants {
		if !strings.Contains(one.String(), want) {
			t.Errorf("no %q in %q", want, one.String())
		}
	}
	if !strings.Contains(all.err, "passed over: not a robots.txt: 7\n") || !strings.Contains(all.err, "2 origins;") {
		t.Errorf("stderr %q", all.err)
	}
	out := filepath.Join(t.TempDir(), "x.rsv")
	if r := command(t, index, "compile", "-o", out, "-"); r.code != exitInput || !strings.Contains(r.err, "-: neither WARC nor lines of JSON objects, but an index of captures") {
		t.Errorf("%+v", r)
	}
	if r := command(t, "", "compile", "-o", out, filepath.Join(dir, "x.cdxj")); r.code != exitInput || !strings.Contains(r.err, "x.cdxj: an index") ||
		!strings.Contains(r.err, "no robots.txt in any source; nothing has been written") {
		t.Errorf("%+v", r)
	}
	for _, args := range [][]string{
		{"compile", "--dump", filepath.Join(dir, "x.cdxj")}, {"filter", "--robots", filepath.Join(dir, "x.cdxj"), "--agent", "x", "-"},
		{"check", "--robots", filepath.Join(dir, "x.cdxj"), "--agent", "x", "http://h/"},
	} {
		if r := command(t, "http://h/\n", args...); r.code != exitInput || !strings.HasSuffix(r.err, "x.cdxj: an index of captures (CDX or CDXJ), not a robots.txt\n") || r.out != "" {
			t.Errorf("%s: %+v", args[0], r)
		}
	}
}

// TestCompileCountsOddBodies, whose rules count all the same.
func TestCompileCountsOddBodies(t *testing.T) {
	dir := tree(t, map[string]string{
		"page.example": "<html>\nUser-agent: *\nDisallow: /p", "blank.example": " \n<html>", "same.example": "<html>", "empty.example": " \n",
		"utf16.example": "\xff\xfeU\x00s\x00e\x00r\x00", "urls.example": "http://a.example/\nhttp://b.example/\n", "good.example": "User-agent: *\n",
	})
	a, r := compiled(t, exitDone, `{"host":"http://e.example","status":404,"body":"<html>"}`, "-", dir)
	const have = " of 14 origins with a robots.txt have one that "
	const want = "robotsieve: 6" + have + "looks like a web page\nrobotsieve: 2" + have + "looks like UTF-16, of which no line can be read\n" +
		"robotsieve: 2" + have + "has text, but no line that names a user agent\n"
	if !strings.HasPrefix(r.err, want) {
		t.Errorf("stderr %q", r.err)
	}
	if !forbids(t, a, "page.example", "x", "/p") {
		t.Error("the rules in it do not count")
	}
	_, r = compiled(t, exitDone, `{"host":"http://one.example","body":"<html>"}`, "-")
	if want := "robotsieve: 1 of 1 origin with a robots.txt has one that looks like a web page\n"; !strings.HasPrefix(r.err, want) {
		t.Errorf("stderr %q, want %q", r.err, want)
	}
}

func TestCompileRefuses(t *testing.T) {
	dir := tree(t, map[string]string{"a.example": "", "b.example/robots.txt": ""})
	if err := os.Symlink("a.example", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.rsv")
	for _, c := range []struct {
		name string
		code int
		args []string
		want string
	}{
		{"no source", exitUsage, []string{"-o", out}, "no source"},
		{"no archive", exitUsage, []string{dir}, "-o FILE"},
		{"an archive to stdout", exitUsage, []string{"-o", "-", dir}, "an archive is a file"},
		{"an unknown dialect", exitUsage, []string{"-o", out, "--dialect", "bing", dir}, `unknown dialect "bing"`},
		{"no dialect", exitUsage, []string{"-o", out, "--dialect", "", dir}, "--dialect"},
		{"a negative limit", exitUsage, []string{"-o", out, "--max-bytes", "-1", dir}, "negative"},
		{"sources with nothing in them", exitInput, []string{"-o", out, t.TempDir()}, "no robots.txt in any source"},
		{"stdin that is neither", exitInput, []string{"-o", out, "-"}, "-: neither WARC nor lines of JSON"},
		{"an archive that is a directory", exitInput, []string{"-o", dir, dir}, "not a regular file"},
		{"an archive that is a device", exitInput, []string{"-o", os.DevNull, dir}, "not a regular file"},
		{"an archive in no directory", exitInput, []string{"-o", filepath.Join(dir, "no", "out.rsv"), dir},
			"robotsieve: writing " + filepath.Join(dir, "no", "out.rsv") + ": no such file or directory\n"},
		{"an archive in a file", exitInput, []string{"-o", filepath.Join(dir, "a.example", "out.rsv"), dir},
			"robotsieve: writing " + filepath.Join(dir, "a.example", "out.rsv") + ": not a directory\n"},
		{"an archive whose name ends in a slash", exitInput, []string{"-o", filepath.Join(dir, "no") + "/", dir}, "writing "},
		{"a source", exitUsage, []string{"-o", filepath.Join(dir, "a.example"), filepath.Join(dir, "a.example")}, "which is to be read"},
		{"a source by another name", exitUsage, []string{"-o", filepath.Join(dir, "link"), filepath.Join(dir, "a.example")}, "which is to be read"},
		{"a source in a directory", exitUsage, []string{"-o", filepath.Join(dir, "a.example"), dir}, "which is to be read"},
		{"a source in a directory of its host", exitUsage, []string{"-o", filepath.Join(dir, "b.example", "robots.txt"), dir}, "which is to be read"},
	} {
		r := command(t, "User-agent: *", append([]string{"compile"}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.err, c.want) || r.out != "" {
			t.Errorf("%s: code %d, stdout %q, stderr %q", c.name, r.code, r.out, r.err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%s: there is an archive", c.name)
		}
	}
}

// unreadable is a stdin that must not be read.
type unreadable struct{ t *testing.T }

func (u unreadable) Read([]byte) (int, error) {
	u.t.Error("stdin is read")
	return 0, io.EOF
}

func TestCompileChecksItsOutputBeforeItReads(t *testing.T) {
	source := file(t, "hosts.jsonl", `{"host":"a","body":""}`)
	stdin, err := os.Open(source)
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	for out, in := range map[string]io.Reader{
		filepath.Join(t.TempDir(), "no", "out.rsv"): unreadable{t}, os.DevNull: unreadable{t}, source: stdin,
	} {
		var stderr bytes.Buffer
		if code := run(t.Context(), []string{"compile", "-o", out, "-"}, streams{in: in, out: io.Discard, err: &stderr}); code == exitDone {
			t.Errorf("%s: stderr %q", out, stderr.String())
		}
	}
}

func TestCompileWritesThroughASymbolicLink(t *testing.T) {
	dir := tree(t, map[string]string{"real/old.rsv": "old", "links/keep": ""})
	for _, target := range []string{"../real/old.rsv", "../real/new.rsv", filepath.Join(dir, "real", "third.rsv")} {
		first, second := filepath.Join(dir, "links", "first"), filepath.Join(dir, "links", "second")
		if err := errors.Join(os.Symlink(target, first), os.Symlink("first", second)); err != nil {
			t.Fatal(err)
		}
		r := command(t, `{"host":"a.example","body":"user-agent: *\ndisallow: /"}`, "compile", "--force", "-o", second, "-")
		info, err := os.Lstat(second)
		if r.code != exitDone || err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Fatalf("%s: %+v, error %v", target, r, err)
		}
		if !forbids(t, opened(t, filepath.Join(dir, "real", filepath.Base(target))), "a.example", "x", "/") {
			t.Errorf("%s: not written", target)
		}
		if err := errors.Join(os.Remove(first), os.Remove(second)); err != nil {
			t.Error(err)
		}
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if r := command(t, "", "compile", "-o", loop, "-"); r.code != exitInput || !strings.Contains(r.err, "too many symbolic links") {
		t.Errorf("%+v", r)
	}
}

func TestCompileReadsNoMoreThanItsLimit(t *testing.T) {
	dir := tree(t, map[string]string{"a.example": "User-agent: *\nDisallow: /first\nDisallow: /second\n"})
	a, _ := compiled(t, exitDone, "", "--max-bytes", "33", dir)
	if !forbids(t, a, "a.example", "x", "/first") || forbids(t, a, "a.example", "x", "/second") {
		t.Error("the limit is not kept")
	}
	long := "User-agent: *\n" + strings.Repeat("#", compile.DefaultMaxBytes) + "\nDisallow: /late\n"
	dir = tree(t, map[string]string{"a.example": long})
	for limit, want := range map[string]bool{fmt.Sprint(compile.DefaultMaxBytes): false, "0": true} {
		if a, _ := compiled(t, exitDone, "", "--max-bytes", limit, dir); forbids(t, a, "a.example", "x", "/late") != want {
			t.Errorf("limit %s: /late forbidden is not %v", limit, want)
		}
	}
}

func TestCompiledBytesDependOnlyOnTheContent(t *testing.T) {
	files := map[string]string{}
	var objects []string
	for host, body := range bodies {
		files[host] = body
		line, err := json.Marshal(map[string]any{"host": host, "body_b64": []byte(body)})
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, string(line))
	}
	slices.Sort(objects)
	dir, lines := tree(t, files), file(t, "a.jsonl", strings.Join(objects, "\n"))
	slices.Reverse(objects)
	back := file(t, "b.jsonl", strings.Join(objects, "\n"))
	var first []byte
	for _, args := range [][]string{{dir}, {lines}, {back}, {"--dialect", "google,rfc9309,google", dir}} {
		out := filepath.Join(t.TempDir(), "rules.rsv")
		if r := command(t, "", append([]string{"compile", "-o", out}, args...)...); r.code != exitDone {
			t.Fatal(r.err)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		} else if !bytes.Equal(first, data) {
			t.Errorf("%v gives other bytes", args)
		}
	}
}

func TestCompileSaysWhatItCut(t *testing.T) {
	const body = "User-agent: *\nDisallow: /first\nDisallow: /second\n" // lines of 14, 17 and 18 bytes
	dir := tree(t, map[string]string{"a.example": body, "b.example": body, "short.example": body[:31]})
	for limit, want := range map[string]string{
		"33": "robotsieve: cut at --max-bytes, 33 bytes, at the end of a line: distinct bodies: 1, of 4 origins\n",
		"47": "robotsieve: cut at --max-bytes, 47 bytes, at the end of a line: distinct bodies: 1, of 4 origins\n",
		"49": "", "0": "",
	} {
		_, r := compiled(t, exitDone, "", "--max-bytes", limit, filepath.Join(dir, "a.example"), filepath.Join(dir, "b.example"), filepath.Join(dir, "short.example"))
		if !strings.HasPrefix(r.err, want) || strings.Contains(r.err, "cut at") != (want != "") {
			t.Errorf("limit %s: %q", limit, r.err)
		}
		used := "distinct bodies: 2, of 80 bytes;"
		if want != "" {
			used = "distinct bodies: 2, of 62 bytes;" // the first two lines, twice
		}
		if !strings.Contains(r.err, used) {
			t.Errorf("limit %s: no %q in %q", limit, used, r.err)
		}
	}
}

// interrupting gives bytes and then ends the context, as SIGINT does.
type interrupting struct {
	io.Reader
	interrupt func()
}

func (r interrupting) Read(p []byte) (int, error) {
	defer r.interrupt()
	return r.Reader.Read(p)
}

func TestInterruptedCompileLeavesTheOldArchive(t *testing.T) {
	dir := tree(t, map[string]string{"rules.rsv": "old"})
	out := filepath.Join(dir, "rules.rsv")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in := interrupting{strings.NewReader(`{"host":"a","body":""}` + "\n" + strings.Repeat(" ", 1<<20)), cancel}
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"compile", "--force", "-o", out, "-"}, streams{in: in, out: &stdout, err: &stderr})
	if code != exitInterrupted || !strings.Contains(stderr.String(), "interrupted; nothing has been written") {
		t.Errorf("code %d, stderr %q", code, stderr.String())
	}
	onlyOld(t, dir)
}

// onlyOld: the directory holds the old archive and nothing else.
func onlyOld(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, error %v", entries, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "rules.rsv")); err != nil || string(data) != "old" {
		t.Errorf("the archive is %q, error %v", data, err)
	}
}

// TestEntangledGroupsTakeWhatTheyHold: 16,385 agents, each bound by a group of its
// own and by one of 32,768 rules that all have in common.
func TestEntangledGroupsTakeWhatTheyHold(t *testing.T) {
	var b strings.Builder
	token := func(i int) string { return strings.NewReplacer("0", "z", "1", "q").Replace(fmt.Sprintf("%b", i)) }
	for i := range 16_385 {
		fmt.Fprintf(&b, "user-agent: %s\n", token(i))
	}
	for i := range 32_768 {
		fmt.Fprintf(&b, "disallow: /%d\n", i)
	}
	for i := range 16_385 {
		fmt.Fprintf(&b, "user-agent: %s\nallow: /\n", token(i))
	}
	dir := tree(t, map[string]string{"entangled.example": b.String(), "plain.example": bodies["plain.example"]})
	a, r := compiled(t, exitDone, "", "--max-bytes", "0", "--dialect", "google", dir)
	if a.Len() != 4 {
		t.Errorf("%d origins, stderr %q", a.Len(), r.err)
	}
	e := entry(t, a, "entangled.example", automaton.Google)
	if v := e.Ruleset.Match(new(automaton.Scratch), []byte(token(16_384)), []byte("/32767")); !v.Disallowed {
		t.Errorf("got %+v", v)
	}
}

func TestDumpPrintsEachMachineOnce(t *testing.T) {
	const body = "user-agent: a\nuser-agent: B\ndisallow: /x\n\nuser-agent: *\nallow: /\n"
	file := filepath.Join(t.TempDir(), "robots.txt")
	if err := os.WriteFile(file, []byte(body), 0o666); err != nil {
		t.Fatal(err)
	}
	r := command(t, "", "compile", "--dump", "--dialect", "google", file)
	want := "// " + file + `, google: "a", "b"
google, 1 rule, list
  rule 0, line 3: disallow "/x", rank 4.fffffffc
// ` + file + `, google: *
google, 1 rule, list
  rule 0, line 6: allow "/", rank 3.fffffff9
`
	if r.code != exitDone || r.out != want {
		t.Errorf("got %q, want %q", r.out, want)
	}
	r = command(t, "# nothing\n", "compile", "--dump", "--dialect", "original", "-")
	if !strings.Contains(r.out, "no group binds any user agent") {
		t.Errorf("got %q", r.out)
	}
}

// full is an output without space, as /dev/full is.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestDumpThatCannotBeWrittenIsNoUsageError(t *testing.T) {
	var stderr bytes.Buffer
	for _, body := range []string{bodies["plain.example"], ""} {
		stderr.Reset()
		code := run(t.Context(), []string{"compile", "--dump", "-"}, streams{in: strings.NewReader(body), out: full{}, err: &stderr})
		if want := "robotsieve: writing the machines: no space left on device\n"; code != exitInput || stderr.String() != want {
			t.Errorf("%q: code %d, stderr %q", body, code, stderr.String())
		}
	}
}

func TestOutputThatCannotBeWrittenIsNoUsageError(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"completion", "bash"}, {"crawlers"}} {
		var stderr bytes.Buffer
		code := run(t.Context(), args, streams{in: strings.NewReader(""), out: full{}, err: &stderr})
		if code != exitInput || !strings.HasSuffix(stderr.String(), "no space left on device\n") {
			t.Errorf("%v: code %d, stderr %q", args, code, stderr.String())
		}
	}
}

func TestDumpRefuses(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"--dump"}, exitUsage}, {[]string{"--dump=dot", "-"}, exitUsage},
		{[]string{"--dump", "-o", "x.rsv", "-"}, exitUsage}, {[]string{"--dump", missing}, exitInput},
	} {
		if r := command(t, "", append([]string{"compile"}, c.args...)...); r.code != c.code || r.out != "" {
			t.Errorf("%v: code %d, stdout %q, stderr %q", c.args, r.code, r.out, r.err)
		}
	}
}

// TestBoundedDumps: of a hostile robots.txt a bounded amount is printed, in bounded time, and it is said that there is more. The machines
// of "cross", thousands that share thousands of rules, took gigabytes.
func TestBoundedDumps(t *testing.T) {
	skipInShort(t)
	var cross, rules strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&cross, "User-agent: a%d\n", i)
	}
	for i := range 4000 {
		fmt.Fprintf(&cross, "Disallow: /%d*z\n", i)
	}
	for i := range 3000 {
		fmt.Fprintf(&cross, "User-agent: a%d\nDisallow: /q%d\n", i, i)
	}
	rules.WriteString("User-agent: *\n")
	for i := range 22_000 {
		fmt.Fprintf(&rules, "Disallow: /p%d/*x%d\nx: %d\n", i, i, i)
	}
	for name, body := range map[string]string{
		"cross": cross.String(), "rules": rules.String(), "line": "User-agent: *\nDisallow: /" + strings.Repeat("a*", 200_000) + "\n",
		"agent": "User-agent: " + strings.Repeat("a", 400_000) + "\nDisallow: /\nSitemap: " + strings.Repeat("b", 50_000) + "\n",
	} {
		robots := file(t, name+".txt", body)
		for _, args := range [][]string{{"check", "--robots", robots}, {"check", "--robots", robots, "--output", "json"}, {"compile", "--dump", robots}} {
			r := command(t, "", args...)
			if r.code != exitDone || len(r.out) > 12<<20 || len(r.out) > 1_500_000 && !strings.Contains(r.out, " more") && !strings.Contains(r.out, "not_listed") {
				t.Errorf("%q: code %d, %d bytes", args, r.code, len(r.out))
			}
			if name == "line" && len(r.out) > 20_000 {
				t.Errorf("%q: %d bytes", args, len(r.out))
			}
		}
	}
	if r := command(t, "", "check", "--robots", file(t, "rules.txt", rules.String())); !regexp.MustCompile(`\n  \.\.\. and [1-9][0-9,]* more rules\n`).MatchString(r.out) {
		t.Error("rules that are left out are not counted")
	}
}
