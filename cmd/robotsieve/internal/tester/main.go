// Command tester writes the page in which anybody can try a robots.txt. No binary of a release contains it.
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
