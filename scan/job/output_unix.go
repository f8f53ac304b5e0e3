//go:build unix

package job

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// keepOwner gives a file the owner and the group of another one, if the system permits it: mostly they are the same already.
func keepOwner(f *disk.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}

// refusePlanted returns an error for a link in a folder in which all users may make one, unless it belongs to the caller or
// to the owner of the folder, as Linux does if fs.protected_symlinks is set.
func refusePlanted(path string, link fs.FileInfo) error {
	folder, err := disk.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	if folder.Mode()&fs.ModeSticky == 0 || folder.Mode().Perm()&0o002 == 0 {
		return nil
	}
	own, ok := link.Sys().(*syscall.Stat_t)
	of, ok2 := folder.Sys().(*syscall.Stat_t)
	if ok && ok2 && own.Uid != of.Uid && int(own.Uid) != syscall.Geteuid() {
		return errPlanted
	}
	return nil
}

// refuseFixed returns an error for a file that cannot get another content by a rename, which else would fail when all is done.
func refuseFixed(path string, old fs.FileInfo) error {
	if disk.IsMount(path) {
		return errors.New("a mount point, which cannot be replaced: mount the folder instead")
	}
	if f, err := disk.OpenFile(path, os.O_WRONLY, 0); err == nil {
		f.Close()
	} else if errors.Is(err, syscall.EPERM) {
		return errors.New("a file that its attributes protect from changes")
	}
	folder, err := disk.Stat(filepath.Dir(path))
	if err != nil || folder.Mode()&fs.ModeSticky == 0 {
		return err
	}
	own, ok := old.Sys().(*syscall.Stat_t)
	of, ok2 := folder.Sys().(*syscall.Stat_t)
	if me := syscall.Geteuid(); ok && ok2 && me != 0 && int(own.Uid) != me && int(of.Uid) != me {
		return errors.New("a file of another user in a folder where only its owner may replace it")
	}
	return nil
}
