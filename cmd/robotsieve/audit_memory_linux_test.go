package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// However many logs there are, nothing of them is kept but what they are.
func TestManyLogsTakeLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the memory of a process")
	}
	const logs = 600
	log := compressed(t, manyViolations(3000)) // more than the beginning that a format is known by
	dir := t.TempDir()
	for i := range logs {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte(log), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "audit", "--robots", file(t, "robots.txt", "user-agent: *\ndisallow: /q\n"), "--allow-duplicates", "--output", "json", dir)
	c.Env = append(os.Environ(), asCommand+"=1")
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	if report := auditJSON(t, result{out: string(out)}); report["lines"] != 3300.*logs {
		t.Errorf("%v lines", report["lines"])
	}
	if used := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; used > 100<<10 {
		t.Errorf("%d MiB", used>>10)
	}
}
