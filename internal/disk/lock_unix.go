//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disk

import "golang.org/x/sys/unix"

// LockDir locks a folder until the File is closed or the process ends, however it ends. The error
// is that of the system, also if another process holds the lock. Where the system has no such lock
// the File is nil.
func LockDir(name string) (*File, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
