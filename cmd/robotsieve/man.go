//go:build man

package main

import (
	"fmt"
	"os"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/cli"
)

// main writes the man pages of all commands to the folder that it is given. It is a
// program of its own, so that the command does not contain the generator.
func main() {
	if err := cli.WriteMan(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}
