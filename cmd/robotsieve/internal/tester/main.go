// Command tester writes the page for trying out a robots.txt. Release binaries don't contain it.
package main

import (
	"fmt"
	"os"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
)

func main() {
	if err := render.WriteTester(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tester:", err)
		os.Exit(1)
	}
}
