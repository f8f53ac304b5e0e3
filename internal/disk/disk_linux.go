package disk

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// madeUpSystems are the file systems whose files are the answers of the kernel.
var madeUpSystems = []int64{unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC,
	unix.SECURITYFS_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.BPF_FS_MAGIC}

// madeUp reports whether the system makes up a file when it is read.
func madeUp(f *os.File) bool {
	var on unix.Statfs_t
	return unix.Fstatfs(int(f.Fd()), &on) == nil && slices.Contains(madeUpSystems, int64(on.Type))
}
