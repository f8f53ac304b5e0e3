//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command the head of a process group, all of which is killed
// with it: a shell's children would outlive the shell.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
