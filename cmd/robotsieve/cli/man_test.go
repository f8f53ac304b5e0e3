package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goTool returns the go command; without one the test is skipped.
func goTool(t *testing.T) string {
	t.Helper()
	name, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	return name
}

func TestManPages(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	if out, err := exec.Command(goTool(t), "run", "-pgo=off", "-tags", "man", "..", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	root := newRoot(streams{})
	for _, cmd := range append(root.Commands(), root) {
		page, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"))
		if err != nil || !strings.Contains(string(page), ".SH SYNOPSIS") {
			t.Errorf("%s: %v", cmd.CommandPath(), err)
		}
	}
}

// What writes man pages, and the matcher that only tests need, are not in the binary.
func TestBinaryHasNoToolsOfTests(t *testing.T) {
	out, err := exec.Command(goTool(t), "list", "-deps", "..").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name := range strings.Lines(string(out)) {
		for _, tool := range []string{"spf13/cobra/doc", "cpuguy83/go-md2man", "russross/blackfriday", "internal/twin"} {
			if strings.Contains(name, tool) {
				t.Errorf("the binary has %s", name)
			}
		}
	}
}
