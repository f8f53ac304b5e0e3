// Peers gives the same work to robotsieve and to other parsers of robots.txt, in
// one run on the same inputs, and prints a table of their times and of how often
// they agree with google/robotstxt as robotsieve reads it.
//
//	make bench-peers
//
// installs what can be installed and runs it. Peers in Go run in this process,
// those of other languages in scripts that measure themselves (adapters), all
// others as commands that answer the cases of robotsieve check --jsonl:
//
//	make bench-peers PEERS_FLAGS="--external 'google=./wrapper'"
//
// such as a wrapper of your own around a parser in C++, which reads on stdin lines
// {"robots":"…","agent":"…","url":"…"} (robots_b64 and url_b64, in base64, where
// they are not UTF-8) and answers each with a line {"allowed":true}.
//
// It is a module of its own, so that robotsieve does not depend on the peers.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/bench"
)

// timedRounds come after one that warms up.
const timedRounds = 3

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the command as a function of its arguments and streams. It returns the
// exit code: 1 if robotsieve itself differs from what was recorded of the
// reference, 2 for wrong usage, 3 if there is no input, 130 if it was interrupted.
func run(ctx context.Context, args []string, out, stderr io.Writer) int {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	sites := flags.Int("sites", 200, "ask about so many robots.txt, evenly spaced; 0 is all")
	timeout := flags.Duration("timeout", time.Minute, "for one round of one peer")
	all := entrants()
	flags.Func("external", "`NAME=COMMAND` of a peer that answers as robotsieve check --jsonl does; a shell runs "+
		"it (repeatable)", func(v string) error {
		name, command, found := strings.Cut(v, "=")
		if !found || name == "" || command == "" {
			return errors.New("want NAME=COMMAND")
		}
		all = append(all, bench.External(name, command))
		return nil
	})
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintln(stderr, "peers: there are no arguments, only flags")
		return 2
	}
	c, err := loadCorpus(*sites)
	if err != nil {
		fmt.Fprintln(stderr, "peers:", err)
		return 3
	}
	differ := c.compete(ctx, all, *timeout, out, stderr)
	list, err := loadList()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		fmt.Fprintf(out, "\nNo list was filtered: %v\n", err)
	case err != nil:
		fmt.Fprintln(stderr, "peers:", err)
		return 3
	default:
		fmt.Fprintln(out)
		list.compete(ctx, all, *timeout, out, stderr)
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(out, "interrupted")
		return 130
	case differ > 0:
		return 1
	}
	return 0
}

// compete measures the engines on the corpus and prints their table. It returns the number of verdicts in which
// robotsieve differs from the reference.
func (c *corpus) compete(ctx context.Context, all []bench.Entrant, timeout time.Duration, out,
	stderr io.Writer) (differ int) {
	differ = printHead(out, c)
	var rows []bench.Result
	for _, e := range all {
		if ctx.Err() != nil {
			break
		}
		if c.only == nil || slices.Contains(c.only, e.Name) {
			fmt.Fprintf(stderr, "%s ...\n", show(e.Name))
			rows = append(rows, c.measure(ctx, e, bench.Plan{Rounds: timedRounds, Timeout: timeout}))
		}
	}
	c.printTable(out, rows)
	return differ
}

// printHead prints the inputs and the circumstances of the table. It returns the number of
// verdicts in which robotsieve differs from the reference.
func printHead(out io.Writer, c *corpus) (differ int) {
	octets, urls := c.size()
	fmt.Fprintf(out, "%d sites: %s; %d bytes, %d URLs. %s, %s/%s, %d CPUs.\n",
		len(c.sites), c.name, octets, urls, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Fprintf(out, "One thread each; medians of %d rounds after one that warms up. "+
		"Agreement is with robotsieve's dialect google.\n", timedRounds)
	recorded, differ := c.recordedDifferences()
	switch {
	case recorded == 0:
		fmt.Fprint(out, "No verdicts of google/robotstxt are recorded for these URLs.\n\n")
	case differ == 0:
		fmt.Fprintf(out, "That agrees with google/robotstxt (C++) on all %d verdicts recorded, line included.\n\n", recorded)
	default:
		fmt.Fprintf(out, "That DIFFERS from google/robotstxt (C++) on %d of %d verdicts recorded, line included.\n\n",
			differ, recorded)
	}
	return differ
}
