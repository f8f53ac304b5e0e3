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

func main() {
	if disk.WasClosed(os.Stdout) {
		os.Stdout.Close() // so that what is written there is not lost without an error
	}
	os.Exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}
