//go:build man

package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra/doc"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// main writes the man pages of all commands to the folder that it is given. It is a
// program of its own, so that the command does not contain the generator.
func main() {
	if err := writeMan(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

func writeMan(dir string) error {
	if err := disk.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root := newRoot(streams{os.Stdin, os.Stdout, os.Stderr})
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "robotsieve", Manual: "robotsieve"}, dir)
}
