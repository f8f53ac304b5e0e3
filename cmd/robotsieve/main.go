// Robotsieve reports from access logs which crawlers requested URLs that robots.txt
// forbids, and says for any URL whether robots.txt permits it. See the README, or
// robotsieve --help.
package main

import (
	"os"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/cli"
)

func main() { os.Exit(cli.Main()) }
