package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/capture"
)

// compileFlags are what a user says of an archive to be made.
type compileFlags struct {
	out      *string
	dialects *[]string
	maxBytes *int
	dump     *string
}

func newCompile(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compile SOURCE... -o FILE | compile --dump ROBOTS...",
		Short: "Many origins' robots.txt into one archive",
		Long: `Compile reads the robots.txt of any number of origins and writes their rules into
one archive, from which they are looked up without being read again.

A SOURCE is told by its name:
  *.jsonl, *.ndjson   lines {"host":"example.com","body":"User-agent: *\n..."};
                      body_b64, base64 of any bytes, may stand for body, and
                      status, that of HTTP, 100 to 599, may be there: unless it is
                      2xx, there need be no body
  *.warc              captures of /robots.txt by a crawler, with their status
  any other file      a robots.txt named by its host: HOST, HOST.txt or
                      HOST/robots.txt
  a directory         of all these
  -                   stdin: JSON lines or WARC
All may be compressed (gz, zst, bz2, xz). A host may be given with scheme and port,
as in https://example.com:8443; without a scheme it stands for http and https.

Of several copies for one origin, the newest by WARC-Date is used. Files and JSON
lines have no date: they go before WARC, and among themselves the last one wins.

Status 2xx: the body holds. 3xx: where it leads to the robots.txt of another origin
of the sources, that one holds, else everything is allowed. 4xx: everything is
allowed. 5xx is recorded, for filter to treat as unreachable. 1xx and 304 say nothing
of a robots.txt and are passed over, as if they were not there. Other numbers are no
status: such a JSON line is passed over, and the exit status is 3; WARC may have 600
to 999, which count as 4xx.

The archive is written under another name first and then renamed, so that FILE is
the old one or the new one, whole. Where FILE is a symbolic link, the file that it
leads to is replaced. A FILE that is one of the sources is refused. An archive that is
in use may be replaced so, or by mv; to change it in place, as cp over it does, is not
safe.

With --dump no archive is written: the arguments are robots.txt files (plain or
compressed; - is stdin), and what the program makes of each is printed, machine by machine: the rules in the
order of their rank, and for more than a few of them the automaton, its states,
edges and actions; --dump=dot is for Graphviz, each machine a graph of its own: one for
each dialect and each set of groups.`,
		Example: `  robotsieve compile -o rules.rsv robots/
  robotsieve compile -o rules.rsv --dialect google crawl-2026-*.warc.gz
  zcat hosts.jsonl.gz | robotsieve compile -o rules.rsv -
  robotsieve compile --dump --dialect google robots.txt
  robotsieve compile --dump=dot --dialect google robots.txt | dot -Tsvg > machine.svg`,
	}
	f := compileFlags{
		out: cmd.Flags().StringP("out", "o", "", "the archive to write"),
		dialects: cmd.Flags().StringSlice("dialect", []string{automaton.RFC9309.String(), automaton.Google.String()},
			"ways to read robots.txt that the archive is to hold: rfc9309, google, original"),
		maxBytes: cmd.Flags().Int("max-bytes", compile.DefaultMaxBytes, "read no more than this of a robots.txt, decompressed; 0 is no limit but 64 MiB"),
		dump:     cmd.Flags().String("dump", "", "print the machines of robots.txt files instead, as text or, with =dot, for Graphviz"),
	}
	cmd.Flags().Lookup("dump").NoOptDefVal = "text"
	_ = cmd.RegisterFlagCompletionFunc("dump", cobra.FixedCompletions([]string{"text", "dot"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("dialect", cobra.FixedCompletions([]string{"rfc9309", "google", "original"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, sources []string) error {
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		return runCompile(ctx, s, f, sources)
	}
	return cmd
}

// maxBody bounds a body where the user sets no limit.
const maxBody = 64 << 20

func runCompile(ctx context.Context, s streams, f compileFlags, sources []string) error {
	dialects, err := parseDialects(*f.dialects)
	if err != nil {
		return err
	}
	limit, err := robotsFlags{maxBytes: f.maxBytes}.limit()
	switch {
	case err != nil:
		return err
	case len(sources) == 0:
		return usageError("no source of robots.txt files")
	case *f.dump != "" && *f.out != "":
		return usageError("--dump writes no archive: leave out -o")
	case *f.dump != "":
		return runDump(ctx, s, *f.dump, dialects, limit, sources)
	case *f.out == "":
		return usageError("no archive to write: name it with -o FILE")
	case *f.out == "-":
		return usageError("-o -: an archive is a file, which replaces one of its name when it is whole")
	}
	if err := checkOutput(*f.out); err != nil {
		return inputError(err)
	}
	if err := refuseSource(*f.out, sources, s.in); err != nil {
		return err
	}
	// One byte more than the limit tells the compiler that there is more.
	if limit < 0 || limit > maxBody {
		limit = maxBody
	}
	g := &gatherer{streams: s, ctx: ctx, options: capture.Options{MaxBody: limit + 1}}
	c := &compilation{dialects: dialects, limit: limit}
	size, err := c.run(ctx, g, sources, *f.out)
	g.report()
	switch {
	case err == nil:
		c.warnOfCuts(s)
		s.warn("%s: %s", *f.out, c.summary(size))
	case ctx.Err() != nil:
		s.warn("interrupted; nothing has been written")
		return exitWith(exitInterrupted)
	default:
		return inputError(err)
	}
	if g.lost {
		return exitWith(exitInput)
	}
	return nil
}

// parseDialects returns the dialects in the order of their numbers, so that the
// same content makes the same archive however they are written.
func parseDialects(names []string) ([]automaton.Dialect, error) {
	var dialects []automaton.Dialect
	for _, name := range names {
		d, err := automaton.ParseDialect(strings.ToLower(strings.TrimSpace(name)))
		if err != nil {
			return nil, usageError("--dialect: %w", err)
		}
		dialects = append(dialects, d)
	}
	slices.Sort(dialects)
	if dialects = slices.Compact(dialects); len(dialects) == 0 {
		return nil, usageError("--dialect names none")
	}
	return dialects, nil
}

// compilation makes an archive of copies of robots.txt.
type compilation struct {
	dialects []automaton.Dialect
	limit    int // compile.Options.MaxBytes, at most maxBody
	copies   []capture.Copy

	origins, rulesets int
}

// summary says what has been made.
func (c *compilation) summary(size int64) string {
	bodies, length := int64(0), int64(0)
	for _, copied := range c.copies {
		if copied.Body != nil {
			bodies++
			length += int64(len(wholeLines(copied.Body, c.limit)))
		}
	}
	return fmt.Sprintf("%s; distinct bodies: %s, of %s; rulesets: %s; archive of %s", plural(int64(c.origins), "origin"),
		grouped(bodies), plural(length, "byte"), grouped(int64(c.rulesets)), plural(size, "byte"))
}

// warnOfCuts says how many bodies are longer than what is read of them. Rules may
// be missing for that, which would have forbidden something.
func (c *compilation) warnOfCuts(s streams) {
	bodies, origins := int64(0), int64(0)
	for _, copied := range c.copies {
		if len(copied.Body) > c.limit {
			bodies++
			origins += int64(len(copied.Uses))
		}
	}
	if bodies > 0 {
		s.warn("cut at --max-bytes, %s, at the end of a line: distinct bodies: %s, of %s",
			plural(int64(c.limit), "byte"), grouped(bodies), plural(origins, "origin"))
	}
}

// run makes an archive of sources and returns its size.
func (c *compilation) run(ctx context.Context, g *gatherer, sources []string, name string) (size int64, err error) {
	end := showProgress(g.err, g)
	defer end()
	g.gather(sources)
	if ctx.Err() == nil && g.set.Len() == 0 {
		return 0, errors.New("no robots.txt in any source; nothing has been written")
	}
	c.copies = g.set.Copies()
	return c.write(ctx, g, name)
}

// write writes the archive and returns its size. It leaves no file if it fails or
// ctx ends.
func (c *compilation) write(ctx context.Context, g *gatherer, name string) (size int64, err error) {
	w, err := c.compile(ctx, g)
	if err != nil {
		return 0, err
	}
	err = writeFile(name, func(f io.Writer) error {
		out := bufio.NewWriterSize(stopped{ctx, f}, 1<<20)
		if size, err = w.WriteTo(out); err != nil {
			return err
		}
		return out.Flush()
	})
	return size, err
}

// compile compiles each body once in each dialect, on all processors. An origin
// whose rules the archive cannot hold is left to g to be counted: nobody's file may
// prevent an archive of the others'.
func (c *compilation) compile(ctx context.Context, g *gatherer) (*archive.Writer, error) {
	w, err := archive.NewWriter(c.dialects...)
	if err != nil {
		return nil, err
	}
	type compiled struct {
		uses     []capture.Use
		rulesets []*automaton.Ruleset
	}
	done := make(chan compiled, 16)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(c.copies) {
					return
				}
				done <- compiled{c.copies[i].Uses, c.readings(c.copies[i].Body)}
			}
		})
	}
	go func() {
		workers.Wait()
		close(done)
	}()
	var key []byte
	for d := range done {
		for _, use := range d.uses {
			key = use.Origin.AppendKey(key[:0])
			if err := w.Add(key, use.Status, d.rulesets...); err != nil {
				g.skip(unheld, true, err)
			}
		}
	}
	c.origins, c.rulesets = w.Len(), w.Rulesets()
	return w, ctx.Err()
}

// readings returns the rulesets of a body, nil ones where there is none.
func (c *compilation) readings(body []byte) []*automaton.Ruleset {
	rulesets := make([]*automaton.Ruleset, len(c.dialects))
	for i, d := range c.dialects {
		if body != nil {
			// An archive holds lists; automata would be made for nothing.
			rulesets[i] = compile.Compile(body, compile.Options{Dialect: d, MaxBytes: c.limit, Engine: compile.EngineList}).Ruleset
		}
	}
	return rulesets
}
