//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command the head of a process group, all of which is killed
// with it: a shell's children would outlive the shell. clear kills those that still
// do, after the shell has ended.
func ownGroup(c *exec.Cmd) (clear func()) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	return func() {
		if c.Process != nil { // no other group has this number while one of this is alive
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // mostly there is none left
		}
	}
}
