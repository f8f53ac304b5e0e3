//go:build unix

package cli

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
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
