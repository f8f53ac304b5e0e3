//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe that nobody writes to is refused where a file is meant, not waited for.
func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := tree(t, map[string]string{"good.example/robots.txt": "user-agent: *\ndisallow: /p\n", "pipe.example/other": ""})
	pipe := filepath.Join(dir, "pipe.example", "robots.txt")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	a, r := compiled(t, exitInput, "", dir)
	if !strings.Contains(r.err, "pipe.example/robots.txt: not a regular file") || !forbids(t, a, "good.example", "x", "/p") {
		t.Errorf("%q", r.err)
	}
	if r := command(t, "http://good.example/\n", "filter", "--rules", pipe, "--agent", "x", "-"); r.code != exitInput || !strings.Contains(r.err, "not a regular file") {
		t.Errorf("%+v", r)
	}
}

// A configuration is read once, so that it may come from a pipe.
func TestFormatFromAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "nginx.conf")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	written := make(chan error, 1)
	go func() {
		written <- os.WriteFile(pipe, []byte("log_format main '$remote_addr [$time_local] \"$request\" \"$http_user_agent\"';\n"), 0)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	line := `192.0.2.1 [01/Nov/2026:00:00:00 +0000] "GET /p HTTP/1.1" "GPTBot/1.0"` + "\n"
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	var out, diag bytes.Buffer
	code := run(ctx, []string{"audit", "--robots", robots, "--format", pipe + ":main", "--output", "json", "-"},
		streams{in: strings.NewReader(line), out: &out, err: &diag})
	if err := <-written; code != exitDone || err != nil || !strings.Contains(out.String(), `"violation": 1`) && !strings.Contains(out.String(), `"violation":1`) {
		t.Errorf("code %d, error %v, stderr %q, stdout %.500q", code, err, diag.String(), out.String())
	}
}
