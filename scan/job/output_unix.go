//go:build unix

package job

import (
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// keepOwner gives a file the owner and the group of another one, if the system permits it: mostly
// they are the same already.
func keepOwner(f *disk.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}

// refusePlanted returns an error for a link in a folder in which all users may make one, unless it
// belongs to the caller or to the owner of the folder, as Linux does if fs.protected_symlinks is
// set.
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
