//go:build unix

package source

import (
	"io/fs"
	"syscall"
)

func identify(info fs.FileInfo) fileID {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}
	}
	return fileID{uint64(st.Dev), uint64(st.Ino)} //nolint:unconvert // other systems have other types
}
