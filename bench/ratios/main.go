// Ratios times robotsieve beside programs and a library that do less of the same work, on the same files, and prints a table of the
// ratios with the facts of the machine:
//
//	make bench
//
// It needs about 1.6 times -size on the disk of the temporary folder, 400 MB of memory, and less than seven minutes on two busy cores. The logs are a
// real one where there is a folder of shared data beside the checkout, else that of the sample, over and over.
//
// A ratio is our time divided by that of the other: less than 1 is faster. All times are those that pass from the start to the end of a
// process, or of a function in this process, with its output discarded; each is the median of -rounds turns, in which the contestants take
// turns, after a turn that warms up and whose output is checked. What a target says is for people: a missed one is no failure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the command as a function of its arguments and streams. It returns the exit code: 2 for wrong usage, 3 if something could not be
// measured, 130 if it was interrupted.
func run(ctx context.Context, args []string, out, stderr io.Writer) int {
	flags := flag.NewFlagSet("ratios", flag.ContinueOnError)
	flags.SetOutput(stderr)
	size := flags.Int("size", 1000, "of the log, in `MB`")
	rounds := flags.Int("rounds", 7, "of which a time is the median")
	program := flags.String("command", "bin/robotsieve", "`FILE` of the program that is timed")
	root := flags.String("root", ".", "`FOLDER` of the checkout")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 0 || *size < 1 || *rounds < 1 {
		fmt.Fprintln(stderr, "ratios: there are no arguments, and -size and -rounds are at least 1")
		return 2
	}
	err := measureAll(ctx, *root, *program, *size*1e6, *rounds, out)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "interrupted")
		return 130
	case err != nil:
		fmt.Fprintln(stderr, "ratios:", err)
		return 3
	}
	return 0
}

// measureAll makes the files in a temporary folder, and prints the table row by row.
func measureAll(ctx context.Context, root, program string, size, rounds int, out io.Writer) error {
	program, err := exec.LookPath(filepath.FromSlash(program))
	if err != nil {
		return fmt.Errorf("%w: make build", err)
	}
	texts, err := readTexts(root)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ratios-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	files, err := writeFiles(ctx, dir, texts, size)
	if err != nil {
		return err
	}
	printFacts(ctx, out, root)
	fmt.Fprintf(out, "Medians of %d in turn. The log: %s, %d MB in all. A ratio is our time divided by the other's.\n\n", rounds, texts.origin, files.size/1e6)
	printHead(out)
	for _, t := range trials(program, texts, files) {
		if err := t.measure(ctx, rounds, out); err != nil {
			return fmt.Errorf("%s: %w", t.what, err)
		}
	}
	return nil
}
