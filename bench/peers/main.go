// Peers gives the same work to robotsieve and other robots.txt parsers in one run, and prints a table with their times,
// the number of URLs for which they differ from google/robotstxt, and the reasons.
//
//	make bench-peers
//
// installs whatever can be installed and runs it. Peers in Go run in this process, peers in other languages in scripts
// that measure themselves (adapters), and all others as commands that answer the cases of robotsieve check --jsonl:
//
//	make bench-peers PEERS_FLAGS="--external 'mine=./wrapper'"
//
// such as a wrapper of your own. It reads lines {"robots":"…","agent":"…","url":"…"} from stdin, with robots_b64 and
// url_b64 in base64 for anything that is not UTF-8, and answers each with a line {"allowed":true}.
//
// It is a separate module, so that robotsieve does not depend on the peers.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/bench"
)

// timedRounds come after one that warms up, and each takes a millisecond a site, or a second.
const timedRounds = 3

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the command. It returns 1 if robotsieve itself differs from the recorded reference verdicts, 2 for
// incorrect usage, 3 if there is no input or no output, and 130 if interrupted.
func run(ctx context.Context, args []string, out, stderr io.Writer) int {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	sites := flags.Int("sites", 200, "ask about so many robots.txt, evenly spaced; 0 is all")
	timeout := flags.Duration("timeout", 10*time.Minute, "for one round of one peer")
	write := flags.Bool("write", false, "write the tables of README.md and docs/reference/peers.md")
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
	// Few sites are answered so fast that a second of them would be minutes of exchange with the adapters.
	atLeast := min(time.Second, time.Duration(len(c.sites))*time.Millisecond)
	plan := bench.Plan{Rounds: timedRounds, MinRound: atLeast, Timeout: *timeout}
	page, rows := c.compete(ctx, all, plan, stderr)
	fmt.Fprint(out, page)
	if ctx.Err() != nil {
		fmt.Fprintln(out, "interrupted")
		return 130
	}
	if *write {
		err := errors.Join(os.WriteFile(peerPage, []byte(page), 0o666), writeReadme(readme, c.caption()+" ["+
			"Where they differ]("+strings.TrimPrefix(peerPage, "../../")+").", rows))
		if err != nil {
			fmt.Fprintln(stderr, "peers:", err)
			return 3
		}
	}
	if _, differ := c.recordedDifferences(); differ > 0 {
		return 1
	}
	return 0
}

func (c *corpus) compete(ctx context.Context, all []bench.Entrant, p bench.Plan, stderr io.Writer) (string, []row) {
	load := loadAverage()
	c.askReference(ctx, all, p, stderr)
	var rows []row
	for _, e := range all {
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintf(stderr, "%s ...\n", show(e.Name))
		rows = append(rows, c.measure(ctx, e, p))
	}
	var page strings.Builder
	c.printHead(&page, load)
	printTable(&page, rows, nil)
	printFoot(&page, rows)
	c.printClasses(&page, rows)
	return page.String(), rows
}

// askReference takes the verdicts of the reference as those that are wanted, if it is here.
func (c *corpus) askReference(ctx context.Context, all []bench.Entrant, p bench.Plan, stderr io.Writer) {
	p.Rounds = 0
	at := slices.IndexFunc(all, func(e bench.Entrant) bool { return e.Name == reference })
	result, t := c.ask(ctx, all[at], p)
	if result.Missing != nil || result.Broken != nil {
		fmt.Fprintln(stderr, "peers: compared with robotsieve's dialect google, without", reference)
		return
	}
	c.want, c.live = t.verdicts, result.Version
	result.Agreed = result.Asked
	c.result, c.tap = result, t
}

func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	load, _, _ := strings.Cut(string(text), " ")
	return load
}

func (c *corpus) caption() string {
	octets, urls := c.size()
	with := "robotsieve's dialect google, as Google's parser is missing"
	if c.live != "" {
		with = "Google's parser in C++ (jwm.robotstxt " + c.live + "), asked in the same run"
	}
	return fmt.Sprintf("%s URLs by %s %s (%s kB), %s; compared with %s. \\* parses for each URL.",
		thousands(float64(urls)), thousands(float64(len(c.sites))), c.name, thousands(float64(octets)/1e3),
		time.Now().Format("2 January 2006"), with)
}

func (c *corpus) printHead(out io.Writer, load string) {
	fmt.Fprintf(out, "# Other parsers of robots.txt\n\n"+
		"Made by `make bench-peers PEERS_ALL=1 PEERS_FLAGS=--write`.\n\n%s\n\n", c.caption())
	recorded, differ := c.recordedDifferences()
	fmt.Fprintf(out, "Of the %s verdicts recorded of Google's parser before, robotsieve differs on %d, "+
		"line of the rule included.\n\n", thousands(float64(recorded)), differ)
	fmt.Fprintf(out, "%s, %s/%s, %d CPUs, load %s at the start. One thread each; "+
		"the least of %d rounds and more after one that warms up,\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load, timedRounds)
	fmt.Fprint(out, "of parsing and matching alone, by the clock of the peer's own language. "+
		"Each peer parses a robots.txt once and is\nasked about all URLs of its site, "+
		"by the calls that its documentation shows; those marked \\* have no parsed form, "+
		"and their\nparsing speed is that of the whole answer. "+
		"\"Asked once\" is a robots.txt not seen before, and one URL of it.\n\n")
}

func printFoot(out io.Writer, rows []row) {
	fmt.Fprintln(out)
	printMissing(out, rows)
	fmt.Fprint(out, `
jwm.robotstxt calls Python for each line of a robots.txt, so its times are not those of the C++ code; fast-robotstxt
calls a derivative of that code without this detour. Figures of peers in Python include calls from Python.

## Where they differ

Each line has the number of verdicts, what would give them, and the shortest such URL with Google's verdict. The cause
is found by an experiment: the robots.txt or the URL is rewritten as the line says, and Google's reading of the result
is then that of the peer. Causes of a single verdict are left out.
`)
}
