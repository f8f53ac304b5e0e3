// Command man writes the man pages of all commands to a folder. It is a separate program so that
// robotsieve doesn't contain the generator.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra/doc"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/cli"
)

func main() {
	root := cli.Root()
	root.DisableAutoGenTag = true
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "robotsieve", Manual: "robotsieve"},
		os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}
