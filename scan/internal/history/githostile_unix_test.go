//go:build unix

package history

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fifo puts a pipe in place of a file.
func fifo(t *testing.T, name string) {
	t.Helper()
	_ = os.Remove(name)
	_ = os.MkdirAll(filepath.Dir(name), 0o700)
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestGitPipes checks that a pipe instead of any file of a repository delays no longer than
// gitPatience, and loses only its own content.
func TestGitPipes(t *testing.T) {
	patience := gitPatience
	gitPatience = 2 * time.Second
	defer func() { gitPatience = patience }()
	const all = "2026-01-01T00:00:00Z,a.example,200,A\n2026-01-02T00:00:00Z,a.example,200,B\n" +
		"2026-01-03T00:00:00Z,a.example,200,C"
	object := func(rev string) func(dir string) string {
		return func(dir string) string {
			id := gitLine(t, dir, "", "rev-parse", rev)
			return ".git/objects/" + id[:2] + "/" + id[2:]
		}
	}
	of := func(name string) func(string) string { return func(string) string { return name } }
	for name, c := range map[string]struct {
		of          func(dir string) string
		want, fault string
	}{
		"config":  {of(".git/config"), all, ""},
		"include": {of("fifo"), all, ""},
		"refs":    {of(".git/packed-refs"), all, ""},
		"shallow": {of(".git/info/grafts"), all, ""},
		"hook":    {of(".git/hooks/post-checkout"), all, ""},
		"index":   {of(".git/index"), all, ""},
		"graph":   {of(".git/objects/info/commit-graph"), all, ""},
		"midx":    {of(".git/objects/pack/multi-pack-index"), all, ""},
		"blob":    {object("HEAD~1:robots.txt"), strings.Replace(all, "200,B", "200,,,unknown", 1), "not answered"},
		"tree":    {object("HEAD~1^{tree}"), strings.Replace(all, "200,B", "200,,,unknown", 1), "not answered"},
		"commit":  {object("HEAD~2"), all[strings.Index(all, "\n")+1:], "not answered"},
		"HEAD":    {of(".git/HEAD"), "", "HEAD: not a regular file"},
		"main":    {of(".git/refs/heads/main"), "", "main: not a regular file"},
		"others":  {of(".git/objects/info/alternates"), "", "alternates: not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := repo(t, [2]string{"2026-01-01T00:00:00Z", "printf A > robots.txt"},
				[2]string{"2026-01-02T00:00:00Z", "printf B > robots.txt"},
				[2]string{"2026-01-03T00:00:00Z", "printf C > robots.txt; git config include.path ../fifo"})
			fifo(t, filepath.Join(dir, c.of(dir)))
			begun := time.Now()
			a := ask(t, git, []string{dir}, "path", "robots.txt", "origin", "a.example")
			if c.want == "" {
				if a.err == nil || !strings.Contains(a.err.Error(), c.fault) {
					t.Errorf("error %v", a.err)
				}
			} else if equal(t, a, c.want); !strings.Contains(strings.Join(a.fault, "\n"), c.fault) || (c.fault == "") !=
				(len(a.fault) == 0) {
				t.Errorf("faults %q", a.fault)
			}
			if took := time.Since(begun); took > 5*gitPatience {
				t.Errorf("it took %v", took)
			}
		})
	}
}
