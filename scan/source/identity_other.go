//go:build !unix

package source

import "io/fs"

func identify(fs.FileInfo) fileID { return fileID{} }
