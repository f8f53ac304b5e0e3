package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
)

// peak runs the command in a process of its own, with lines on its stdin, and returns what
// it has printed and the most memory that it held at one time, in bytes.
func peak(t *testing.T, stdin io.Reader, args ...string) (r result, bytesHeld int64) {
	t.Helper()
	c, status := launched(t, args...), filepath.Join(t.TempDir(), "status")
	c.Env = append(c.Env, peakFile+"="+status)
	var out, diag bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = stdin, &out, &diag
	_ = c.Run() // only the exit code matters
	text := raw(t, status)
	// Not getrusage, which counts the memory of this process until the command has begun.
	_, text, _ = bytes.Cut(text, []byte("VmHWM:"))
	must.Get(fmt.Sscanf(string(text), "%d kB", &bytesHeld))(t)
	return result{out.String(), diag.String(), c.ProcessState.ExitCode()}, bytesHeld << 10
}

// lines are n lines, made one by one while they are read.
func lines(n int, line func(i int) string) io.Reader {
	r, w := io.Pipe()
	go func() {
		var b []byte
		for i := range n {
			if b = append(append(b, line(i)...), '\n'); len(b) > 1<<16 || i == n-1 {
				if _, err := w.Write(b); err != nil {
					return
				}
				b = b[:0]
			}
		}
		w.Close()
	}()
	return r
}

// programMemory is what the process may hold beside --memory.
const programMemory = 64_000_000

// TestMemoryBoundsTheProcess checks that for any distinct input and any number of workers the
// process stays within --memory plus 64 MB, and counts each line.
func TestMemoryBoundsTheProcess(t *testing.T) {
	skipUnderRace(t) // which takes memory of its own
	robots := file(t, "robots.txt", "user-agent: *\ncrawl-delay: 1\ndisallow: /p\n")
	manifest := file(t, "manifest.csv", "from,origin,status,file\n2026-11-01,http://h1.example,200,"+robots+"\n")
	long := strings.Repeat("x", 7900)
	request := func(i int, addr, path, agent string) string {
		return fmt.Sprintf(`%s - - [%02d/Nov/2026:%02d:%02d:%02d +0000] "GET %s HTTP/1.1" 200 %d "-" "%s"`, addr,
			1+i/86400%28, i/3600%24, i/60%60, i%60, path, 5+i%2, agent)
	}
	const addr = "198.51.100.7"
	for name, c := range map[string]struct {
		n    int
		line func(i int) string
	}{
		"headers of 8 KB": {10_000, func(i int) string {
			return request(i, addr, "/p", fmt.Sprintf("Nm%dbot%s/1.0 (+http://x.example/bot)", i, long))
		}},
		"hosts": {60_000, func(i int) string {
			return fmt.Sprintf("h%d.example:80 %s", i, request(i, addr, "/p", "GPTBot/1"))
		}},
		"addresses": {60_000, func(i int) string {
			return request(i, fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), "/p", "GPTBot/1")
		}},
		"paths":         {5_000, func(i int) string { return request(i, addr, fmt.Sprintf("/p/%d/%s", i, long), "GPTBot/1") }},
		"lines of 1 MB": {100, func(i int) string { return request(i, addr, strings.Repeat("/"+long, 130), "GPTBot/1") }},
	} {
		t.Run(name, func(t *testing.T) {
			policy := []string{"--robots", robots, "--format", "combined"}
			if name == "hosts" {
				policy = []string{"--policy", manifest, "--format", "vhost_combined"}
			}
			r, held := peak(t, lines(c.n, c.line), append([]string{"audit", "--memory", "1MB", "--workers", "16", "--output",
				"json", "-"}, policy...)...)
			if r.code != exitDone || auditJSON(t, r)["lines"] != float64(c.n) {
				t.Fatalf("code %d, stderr %q", r.code, r.err)
			}
			if held > 1_000_000+programMemory {
				t.Errorf("%d MB", held/1_000_000)
			}
		})
	}
}

// TestMemoryBoundsAFilter checks the same for filter, with many hosts and looked-up rules. The
// mapped archive doesn't count.
func TestMemoryBoundsAFilter(t *testing.T) {
	skipUnderRace(t) // which takes memory of its own
	const hosts = 10_000
	var bodies bytes.Buffer
	for i := range hosts {
		body := "user-agent: *\n" + strings.Repeat(fmt.Sprintf("disallow: /p%d/*x\ndisallow: /q%d\n", i, i), 30)
		if err := json.NewEncoder(&bodies).Encode(map[string]any{"host": fmt.Sprintf("h%d.example", i), "status": 200,
			"body": body}); err != nil {
			t.Fatal(err)
		}
	}
	archive := filepath.Join(t.TempDir(), "rules.rsv")
	done(t, "", "compile", "-o", archive, file(t, "robots.jsonl", bodies.String()))
	info := must.Get(os.Stat(archive))(t)
	url := func(i int) string { return fmt.Sprintf("http://h%d.example/q%d", i, i%7) }
	filter := func(memory string) (result, int64) {
		return peak(t, lines(2*hosts, url), "filter", "--rules", archive, "--agent", "GPTBot", "--workers", "64",
			"--memory", memory, "-")
	}
	want, _ := filter("1GB")
	r, held := filter("1MB")
	if r != want || r.code != exitDone {
		t.Errorf("code %d, stderr %q, differs at %s", r.code, r.err, reporttest.FirstDifference(r.out, want.out))
	}
	if held > 1_000_000+programMemory+info.Size() {
		t.Errorf("%d MB", held/1_000_000)
	}
}

// TestMemoryBoundsACompile checks the same for compile, with many origins with separate or shared
// bodies or redirects. The archive must be the same.
func TestMemoryBoundsACompile(t *testing.T) {
	skipUnderRace(t) // which takes memory of its own
	line := func(i int) string {
		switch i % 3 {
		case 0:
			return fmt.Sprintf(`{"host":"h%d.example","status":301,"location":"https://h%d.example/robots.txt"}`, i, i+1)
		case 1:
			return fmt.Sprintf(`{"host":"h%d.example","body":"user-agent: *\ndisallow: /%d/%s"}`, i, i, strings.Repeat("x", 500))
		}
		return fmt.Sprintf(`{"host":"h%d.example","body":"user-agent: *\ndisallow: /"}`, i)
	}
	var archives [][]byte
	for _, memory := range []string{"48MB", "1GB"} {
		name := filepath.Join(t.TempDir(), "rules.rsv")
		r, held := peak(t, lines(60_000, line), "compile", "-o", name, "--memory", memory, "-")
		if r.code != exitDone {
			t.Fatal(r.err)
		}
		if memory == "48MB" && held > 48_000_000+programMemory {
			t.Errorf("%d MB", held/1_000_000)
		}
		data := raw(t, name)
		archives = append(archives, data)
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("little memory gives another archive")
	}
}

// TestMemoryBoundsAMerge checks the same for merge, with many states.
func TestMemoryBoundsAMerge(t *testing.T) {
	skipUnderRace(t) // which takes memory of its own
	const n = 100
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"+strings.Repeat("# a comment of some length\n", 5000))
	state := filepath.Join(t.TempDir(), "a.state")
	done(t, "", "audit", "--robots", robots, "--state", state, file(t, "a.log", manyViolations(2000)))
	whole := raw(t, state)
	args := []string{"merge", "--memory", "1MB", "--allow-duplicates", "--output", "json"}
	for i := range n {
		name := filepath.Join(filepath.Dir(state), fmt.Sprint(i))
		write(t, name, string(whole))
		args = append(args, name)
	}
	r, held := peak(t, nil, args...)
	if r.code != exitDone || auditJSON(t, r)["lines"] != 2200.*float64(n) {
		t.Fatalf("code %d, stderr %.500q", r.code, r.err)
	}
	if held > 1_000_000+programMemory {
		t.Errorf("%d MB", held/1_000_000)
	}
}

// TestMemoryForSideFiles checks the share of side files. If too little memory is left, the error
// says how much would suffice.
func TestMemoryForSideFiles(t *testing.T) {
	skipUnderRace(t) // which takes memory of its own
	var body strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&body, "disallow: /%d\n", i)
	}
	robots, log := file(t, "robots.txt", "user-agent: *\n"+body.String()), file(t, "a.log", manyViolations(10))
	r := command(t, "", "audit", "--robots", robots, "--memory", "1MB", log)
	_, rest, _ := strings.Cut(r.err, "--memory ")
	_, would, _ := strings.Cut(rest, "--memory ")
	would, _, found := strings.Cut(would, " would do")
	if r.code != exitInput || !found {
		t.Fatalf("code %d, stderr %q", r.code, r.err)
	}
	if r, held := peak(t, nil, "audit", "--robots", robots, "--memory", would, log); r.code != exitDone ||
		held > 11_000_000+programMemory {
		t.Errorf("with %s: code %d, stderr %q, %d MB", would, r.code, r.err, held/1_000_000)
	}
}

// TestMemoryOfHistory checks the same for histories of many sites, answers and captures.
func TestMemoryOfHistory(t *testing.T) {
	skipUnderRace(t)
	const n = 100_000
	dir := t.TempDir()
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "{\"host\":\"h%d.example\",\"at\":\"2026-01-%02d\",\"status\":404}\n", i, 1+i%28)
	}
	write(t, dir+"/a.jsonl", b.String())
	r, held := peak(t, nil, "history", "captures", "--memory", "1MB", "--fields", "host=host,date=at,status=status",
		dir+"/a.jsonl", "-o", dir+"/out")
	if rows := bytes.Count(raw(t, dir+"/out/manifest.csv"), []byte("\n")); r.code != exitDone || rows != n+1 ||
		held > 1_000_000+programMemory {
		t.Errorf("captures: code %d, %d rows, %d bytes held, stderr %q", r.code, rows, held, r.err)
	}
}
