//go:build unix

package bench

import (
	"os/exec"
	"syscall"
)

// OwnGroup makes a command the head of a process group, which cancelling it kills with all children. The returned
// function kills the processes that are left after it has ended.
func OwnGroup(c *exec.Cmd) (killRest func()) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	return func() {
		if c.Process != nil { // the number belongs to this group while any of its processes lives
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // usually none is left
		}
	}
}
