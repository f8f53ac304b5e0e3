package main

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
	if out, err := exec.Command(goTool(t), "run", "-pgo=off", "-tags", "man", ".", dir).CombinedOutput(); err != nil {
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

// What writes man pages is not in the binary, and tables are made in one package.
func TestImports(t *testing.T) {
	out, err := exec.Command(goTool(t), "list", "-deps", "-f", "{{.ImportPath}}: {{join .Imports \" \"}} ", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		name, imports, _ := strings.Cut(line, ":")
		for _, writer := range []string{"github.com/spf13/cobra/doc", "github.com/cpuguy83/go-md2man", "github.com/russross/blackfriday"} {
			if strings.HasPrefix(name, writer) {
				t.Errorf("the binary has %s", name)
			}
		}
		const tables = "github.com/jedib0t/go-pretty/"
		if strings.Contains(imports, " "+tables) && !strings.HasPrefix(name, tables) && !strings.HasSuffix(name, "cmd/robotsieve/internal/report") {
			t.Errorf("%s imports%s", name, imports)
		}
	}
}
