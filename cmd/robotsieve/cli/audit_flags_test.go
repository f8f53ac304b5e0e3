package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// auditFiles are what most audits of a test need.
type auditFiles struct{ robots, policy, log, dir string }

func newAuditFiles(t *testing.T) auditFiles {
	return auditFiles{
		robots: file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"),
		policy: manifest(t, map[string]string{"a.txt": "user-agent: *\ndisallow: /p\n"}, "2026-11-01T00:00:00Z,https://example.com,200,a.txt"),
		log:    file(t, "a.log", logLine("/p", "GPTBot/1")),
		dir:    t.TempDir(),
	}
}

// Of several things that end an audit the gravest is its exit code.
func TestGravestExitCodeWins(t *testing.T) {
	f := newAuditFiles(t)
	interrupted := func(args ...string) result {
		in := &blocking{strings.NewReader(strings.Repeat(logLine("/p", "GPTBot/1"), 30000)), make(chan struct{}), make(chan struct{})}
		defer close(in.until)
		ctx, interrupt := context.WithCancel(t.Context())
		go func() {
			<-in.read
			interrupt()
		}()
		var out, diag strings.Builder
		code := run(ctx, append([]string{"audit", "--robots", f.robots, "-"}, args...), streams{in: in, out: &out, err: &diag})
		return result{out.String(), diag.String(), code}
	}
	failing := []string{"--fail-on", "violation>0"}
	for name, c := range map[string]struct {
		got  result
		want int
	}{
		"violations":                      {command(t, "", append([]string{"audit", "--robots", f.robots, f.log}, failing...)...), exitFound},
		"violations and a missing log":    {command(t, "", append([]string{"audit", "--robots", f.robots, f.log, "missing.log"}, failing...)...), exitInput},
		"wrong usage and a missing log":   {command(t, "", "audit", "--robots", f.robots, "missing.log", "--samples", "-1"), exitUsage},
		"interrupted":                     {interrupted(), exitInterrupted},
		"interrupted with violations":     {interrupted(failing...), exitInterrupted},
		"interrupted and a missing log":   {interrupted(append(failing, "missing.log")...), exitInterrupted},
		"interrupted, state not writable": {interrupted("--state", filepath.Join(f.dir, "none", "a.state")), exitInput}, // before it reads
	} {
		if c.got.code != c.want {
			t.Errorf("%s: code %d, stderr %q; want %d", name, c.got.code, c.got.err, c.want)
		}
	}
	// An interrupt that finds neither a place for the state nor one for the report is one all the same.
	dir := filepath.Join(f.dir, "state")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	in := &vanishing{strings.NewReader(logLine("/p", "GPTBot/1")), dir}
	var diag strings.Builder
	time.AfterFunc(100*time.Millisecond, interrupt)
	code := run(ctx, []string{"audit", "--robots", f.robots, "--state", filepath.Join(dir, "a.state"), "-"},
		streams{in: io.MultiReader(in, &blocking{strings.NewReader(""), make(chan struct{}), make(chan struct{})}), out: brokenPipe{}, err: &diag})
	if code != exitInterrupted {
		t.Errorf("code %d, stderr %q", code, diag.String())
	}
}
