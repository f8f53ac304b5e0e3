//go:build !man

// Robotsieve tells which crawlers ignored robots.txt, by the logs of a web
// server, and what a robots.txt says of any URL. See the README, or
// robotsieve --help.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}
