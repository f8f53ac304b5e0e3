package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

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
