package job

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestFixedFileIsRefusedEarly: a file that a rename cannot replace is refused before anything is read.
func TestFixedFileIsRefusedEarly(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "old")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o777|fs.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	out := output{"--state", name, aState, false}
	if err := out.check(inputFiles{}, nil); err != nil {
		t.Errorf("the caller's own file: %v", err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // which ends with the goroutine
		if _, _, failed := syscall.RawSyscall(syscall.SYS_SETRESUID, ^uintptr(0), 12345, ^uintptr(0)); failed != 0 {
			done <- failed
			return
		}
		info, err := os.Lstat(name)
		if err == nil {
			err = refuseFixed(name, info)
		}
		done <- err
	}()
	if err := <-done; err == nil || !strings.Contains(err.Error(), "a file of another user") {
		t.Errorf("the file of another user: %v", err)
	}
}
