//go:build unix

package bench

import (
	"os/exec"
	"syscall"
)

// OwnGroup makes a command the head of a process group, which is killed as a whole
// when the command is cancelled: children of a shell would survive it. The returned
// function kills those that are left after the command has ended.
func OwnGroup(c *exec.Cmd) (killRest func()) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	return func() {
		if c.Process != nil { // the number belongs to this group while one of its processes lives
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // mostly there is none left
		}
	}
}
