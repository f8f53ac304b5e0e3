//go:build !man

// Robotsieve reports from access logs which crawlers requested URLs that robots.txt
// forbids, and says for any URL whether robots.txt permits it. See the README, or
// robotsieve --help.
package main

import (
	"context"
	"os"

	"github.com/robotsieve/robotsieve/internal/disk"
)

func main() { os.Exit(process()) }

// process runs the command of this process and returns its exit code.
func process() int {
	if disk.WasClosed(os.Stdout) {
		os.Stdout.Close() // so that what is written there is not lost without an error
	}
	return run(context.WithValue(context.Background(), ownProcess{}, true), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
}
