//go:build man

package cli

import (
	"os"

	"github.com/spf13/cobra/doc"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// WriteMan writes the man pages of all commands to a folder.
func WriteMan(dir string) error {
	if err := disk.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root := newRoot(streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "robotsieve", Manual: "robotsieve"}, dir)
}
