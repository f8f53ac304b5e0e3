package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNotices checks that each module of a binary has its licences in the notices, including those
// in subfolders, and that nothing in them depends on this machine.
func TestNotices(t *testing.T) {
	const pkg, system = "github.com/robotsieve/robotsieve/cmd/robotsieve", "windows/amd64"
	text, err := notices(pkg, []string{system})
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]*module{}
	if err := list(pkg, system, modules); err != nil {
		t.Fatal(err)
	}
	for name := range modules {
		if !strings.Contains(text, "\n"+name+": ") {
			t.Errorf("nothing of %s", name)
		}
	}
	for _, want := range []string{"\nGo 1.", "Copyright 2009 The Go Authors", "mousetrap",
		"zstd/internal/xxhash/LICENSE.txt", ": UNLICENSE"} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing of %q", want)
		}
	}
	root, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	if dir := filepath.Clean(strings.TrimSpace(string(root))); strings.Contains(text, dir) {
		t.Errorf("the notices name %s", dir)
	}
	if _, err := notices(pkg+"/missing", []string{system}); err == nil {
		t.Error("a package that is not there has notices")
	}
}
