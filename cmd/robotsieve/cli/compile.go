package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/capture"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

func newCompile(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compile SOURCE... -o FILE | compile --list ARCHIVE | compile --dump ROBOTS...",
		Short: "Compile many sites' robots.txt into one archive",
		Long: `Compile reads the robots.txt of any number of origins and writes their rules to
one archive, for filter --rules.

The name of a SOURCE says what it is:
  *.jsonl, *.ndjson, *.json
                      lines {"host":"example.com","body":"User-agent: *\n..."};
                      body_b64, base64 of any bytes, may replace body; an HTTP
                      status from 100 to 999 may be added, and then body may be
                      left out unless the status is 2xx; a redirect has a
                      location.
                      Or objects {"example.com":{"2026-01-15":"User-agent..."}}
  *.parquet           rows with columns host and body
  *.warc, *.wacz      captures of /robots.txt by a crawler, with their status
  any other file      a robots.txt named after its host: HOST, HOST.txt,
                      HOST/robots.txt, HOST.robots.txt, HOST_robots.txt or
                      https___HOST_robots.txt
  a directory         any of these, and directories whose names begin with the
                      date of what is in them, such as 2026-01 or 2026-01-15,
                      or HOST/DATE.txt
  -                   stdin: JSON or WARC
All but Parquet may be compressed (gz, zst, bz2, xz). --fields names the
members or columns: host, body, body_b64, status, location and date, as in
host=domain,body=meta.robots,date=fetched. A host may be given with scheme and
port, as in https://example.com:8443; without a scheme it stands for http and
https.

Of several copies for one origin, the newest by its date is used, or with
--versions all each, from its date on (see filter --as-of and --date-column). A
copy without a date takes precedence over all with one, and the last of them
wins. Where one is used, an answer that failed is used only if all did. A file
that by its content is a WARC, ARC or CDX file, JSON lines or binary data, but
not by its name, is passed over, and the exit status is 3. So is README.md, or
another name that need not be a host's, unless the file is a robots.txt.

Status 2xx: the rules of the body apply, also if it looks like a web page. 3xx:
the answer that the redirect leads to counts, if the sources have it: another
origin's robots.txt, or in WARC any URL, if the redirect is read first or the
name is like robots_v2.txt; otherwise the robots.txt is not known, and
--no-policy of filter decides. 4xx and 204: everything is allowed. All others,
for crawlers of Google also 429: robots.txt failed, and the last answer that
did not counts; without one everything is disallowed. 1xx and 304 say nothing
about a robots.txt and are passed over.

FILE is always complete, old or new: the archive gets the name when all of it
is on the disk. If FILE is a symbolic link, its target is replaced. FILE cannot
be one of the sources. While an archive is in use, do not change it in place,
as cp over it does.

With --list no archive is written: what an archive has is printed, one line for
each version of each origin: the origin, since when it is in force, the status,
and the number of groups that differ and of their rules; before that, on stderr,
what it has in all.

With --list and --class a row for each version and crawler says how much is
forbidden: full, partial or none, which is proved, with shortest paths; or
undecided, unreachable or unknown. Beside it are the classes by two published
studies. Crawlers are named as for filter --agent, and * is one that no group
names; --dialect has all of them read by one dialect.

With --dump no archive is written: the arguments are robots.txt files, plain or
compressed (- is stdin), and their machines are printed, one for each dialect
and set of groups: the rules in the order of their rank, and for more than a
few rules the table with its states, edges and actions. Of a very large
machine the beginning is printed.`,
		Example: `  robotsieve compile -o rules.rsv robots/
  robotsieve compile -o rules.rsv --dialect google crawl-2026-*.warc.gz
  zcat hosts.jsonl.gz | robotsieve compile -o rules.rsv -
  robotsieve compile -o rules.rsv --fields host=domain,body=robots_txt table.parquet
  robotsieve compile -o history.rsv --versions all 2025/ 2026/
  robotsieve compile --list rules.rsv
  robotsieve compile --list history.rsv --class '*,GPTBot' --as-of 2026-01-01 --output csv
  robotsieve compile --dump --dialect google robots.txt`,
	}
	o, flags := job.CompileOptions{Stdin: s.in, Messages: s.messages()}, cmd.Flags()
	flags.StringVarP(&o.Output, "out", "o", "", "the archive to write")
	forceFlag(cmd, &o.Force)
	names := flags.StringSlice("dialect", []string{automaton.RFC9309.String(), automaton.Google.String()},
		"the ways to read robots.txt that the archive holds: "+strings.Join(automaton.DialectNames(), ", "))
	maxBytesFlag(cmd, &o.MaxBytes, "as many as there is memory for, up to 64 MiB")
	memoryFlag(cmd, &o.Memory)
	addFlag(cmd, "list", "fields", "", "names of the members of JSON, or columns of Parquet: host=NAME,body=NAME,...",
		func(text string) (err error) {
			if o.Fields, err = capture.ParseFields(text); err != nil {
				return usageError("--fields: %w", err)
			}
			return nil
		})
	choice(cmd, "versions", "newest", "which copies of an origin's robots.txt to keep",
		func(which string) { o.AllVersions = which == "all" }, "newest", "all")
	list := flags.String("list", "", "print what this archive has, instead of writing one")
	var output string
	choice(cmd, "output", "", "form of --list, text or ndjson; with --class ndjson, csv or parquet", to(&output),
		append([]string{"text"}, render.RowOutputs()...)...)
	var c job.ClassOptions
	classes := flags.StringSlice("class", nil, "with --list: how much is forbidden to these crawlers")
	_ = cmd.RegisterFlagCompletionFunc("class", completeAgents) // it fails only for a flag that does not exist
	flags.StringVar(&c.AsOf, "as-of", "", "with --class: only the versions in force at this time: "+
		"2026-11-22T05:00:00Z, or a date, which is its midnight in UTC")
	dump := flags.Bool("dump", false, "print the machines of robots.txt files instead")
	complete(cmd, "dialect", automaton.DialectNames()...)
	cmd.RunE = func(cmd *cobra.Command, sources []string) (err error) {
		o.Sources = sources
		if o.Dialects, err = parseDialects(*names); err != nil {
			return err
		}
		switch c.Archive, c.Memory, c.Messages = *list, o.Memory, o.Messages; {
		case *list == "" && len(*classes) > 0, len(*classes) == 0 && c.AsOf != "":
			return usageError("--class needs --list ARCHIVE, and --as-of needs both")
		case flags.Changed("class") && len(*classes) == 0:
			return usageError("--class names no crawler")
		case *list != "" && len(sources) > 0:
			return usageError("--list takes one archive, and no sources")
		case *list != "" && o.Output != "":
			return usageError("--list writes no archive: leave out -o")
		case *list == "" && output != "":
			return usageError("--output is the form of --list")
		case len(*classes) > 0:
			return runClasses(cmd, s, o, c, *classes, output)
		case *list != "":
			return runList(cmd.Context(), s, *list, output)
		}
		if *dump { // which leaves nothing behind that a signal would have to remove
			return runDump(cmd.Context(), s, o)
		}
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		return runCompile(ctx, s, o)
	}
	return cmd
}

func runCompile(ctx context.Context, s streams, o job.CompileOptions) error {
	c, err := job.Compile(ctx, o)
	if err != nil {
		return err
	}
	uses := func(n int64) string { return english.Plural(n, "origin") }
	if o.AllVersions { // an origin has several
		uses = func(n int64) string { return english.Grouped(n) + " " + english.Verb(n, "copy", "copies") }
	}
	if c.Cut > 0 {
		limit := "--max-bytes"
		if c.MaxBytes != o.MaxBytes {
			limit = "the most that compile reads of a robots.txt with this --memory"
		}
		s.warn("cut at %s, %s, at the end of a line: distinct bodies: %s, of %s",
			limit, english.Plural(int64(c.MaxBytes), "byte"), english.Grouped(c.Cut),
			uses(c.CutOrigins))
	}
	odd := func(n int64, text string) {
		if n > 0 {
			s.warn("%s of %s with a robots.txt %s one that %s",
				english.Grouped(n), uses(c.BodyOrigins), english.Verb(n, "has", "have"), text)
		}
	}
	odd(c.Pages, "looks like a web page")
	odd(c.UTF16, "looks like UTF-16, of which no line can be read")
	odd(c.Unnamed, "has text, but no line that names a user agent")
	if c.Redirected > 0 {
		of := "the robots.txt of " + uses(c.Redirected)
		if o.AllVersions {
			of = uses(c.Redirected) + " of robots.txt"
		}
		s.warn("redirects that cannot be followed in the sources: %s; --no-policy of filter decides about these", of)
	}
	s.warn("%s", taken(c))
	versions := ""
	if o.AllVersions {
		versions = english.Plural(c.Versions, "version") + "; "
	}
	s.warn("%s: %s; %sdistinct bodies: %s, of %s; rulesets: %s; archive of %s", o.Output,
		english.Plural(int64(c.Origins), "origin"), versions,
		english.Grouped(c.Bodies), english.Plural(c.BodyBytes, "byte"), english.Grouped(int64(c.Rulesets)),
		english.Plural(c.Size, "byte"))
	if c.Lost {
		return exitWith(exitInput)
	}
	return nil
}

// taken says what the captures were read from.
func taken(c *job.Compiled) string {
	total, parts := 0, []string{}
	for _, from := range slices.Sorted(maps.Keys(c.Taken)) {
		total += c.Taken[from]
		parts = append(parts, english.Grouped(int64(c.Taken[from]))+" from "+from)
	}
	return fmt.Sprintf("taken: %s (%s)", english.Grouped(int64(total))+" "+english.Verb(int64(total), "copy",
		"copies")+" of robots.txt",
		strings.Join(parts, ", "))
}

func parseDialects(names []string) ([]automaton.Dialect, error) {
	var dialects []automaton.Dialect
	for _, name := range names {
		d, err := automaton.ParseDialect(strings.ToLower(strings.TrimSpace(name)))
		if err != nil {
			return nil, usageError("--dialect: %w", err)
		}
		dialects = append(dialects, d)
	}
	if len(dialects) == 0 {
		return nil, usageError("--dialect names no dialect")
	}
	return slices.Compact(slices.Sorted(slices.Values(dialects))), nil
}

// runDump prints the machines of robots.txt files in each dialect, each machine
// once with the user agents that it binds.
func runDump(ctx context.Context, s streams, o job.CompileOptions) error {
	switch {
	case o.Output != "":
		return usageError("--dump writes no archive: leave out -o")
	case len(o.Sources) == 0:
		return usageError("no robots.txt files to dump")
	}
	if err := job.RefuseStreams(s.out, s.err, s.in, o.Sources...); err != nil {
		return err
	}
	for _, file := range o.Sources {
		body, err := job.RobotsFile{Name: file, Stdin: s.in, MaxBytes: o.MaxBytes}.Read(ctx)
		if err != nil {
			return err
		}
		for _, d := range o.Dialects {
			r := compile.Compile(body, compile.Options{Dialect: d, MaxBytes: o.MaxBytes}).Ruleset
			if err := writing("the machines", dump(s.out, report.Printable(file), r)); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxDump bounds the machines that are printed of a file in a dialect, in bytes. The last may go
// beyond.
const maxDump = 4 << 20

// runList prints what an archive has.
func runList(ctx context.Context, s streams, name, output string) error {
	if output == "csv" || output == "parquet" {
		return usageError("--output %s is for --class", output)
	}
	if err := job.RefuseStreams(s.out, s.err, s.in, name); err != nil {
		return err
	}
	w := bufio.NewWriterSize(s.out, 64<<10)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	sum, err := job.ListArchive(ctx, name, func(v job.ArchiveVersion) error {
		if output == "ndjson" {
			return lines.Encode(v)
		}
		_, err := fmt.Fprintf(w, "%-40s  %-20s  %3d  %s, %s\n", report.Printable(v.Origin), cmp.Or(v.From, "-"),
			v.Status,
			english.Plural(int64(v.Groups), "group"), english.Plural(int64(v.Rules), "rule"))
		return err
	})
	if err = cmp.Or(err, writing("the list", w.Flush())); err != nil {
		return err
	}
	return writeArchive(s.err, sum)
}

// runClasses lists how much an archive forbids some agents.
func runClasses(cmd *cobra.Command, s streams, o job.CompileOptions, c job.ClassOptions, names []string,
	output string) error {
	var dialect *automaton.Dialect
	if cmd.Flags().Changed("dialect") {
		dialect = &o.Dialects[0]
	}
	for _, name := range names {
		c.Agents = append(c.Agents, job.Agent{Name: name, Dialect: dialect})
	}
	switch {
	case output == "text":
		return usageError("--class has no --output text: choose one of %s", strings.Join(render.RowOutputs(), ", "))
	case output == "parquet" && isTerminal(s.out):
		return errParquet
	case dialect != nil && len(o.Dialects) > 1:
		return usageError("--class reads robots.txt by one --dialect, or without it by each crawler's own")
	}
	if err := job.RefuseStreams(s.out, s.err, s.in, c.Archive); err != nil {
		return err
	}
	ctx, release := onInterrupt(cmd.Context())
	defer release()
	w := bufio.NewWriterSize(s.out, 64<<10)
	rows := render.NewClasses(w, output)
	err := job.Classes(ctx, c, rows.Add)
	if err == nil || rows.Begun() {
		err = cmp.Or(err, writing("the classes", cmp.Or(rows.Close(), w.Flush())))
	}
	return err
}

// writeArchive says what an archive has in all.
func writeArchive(to io.Writer, a job.ArchiveSummary) error {
	number := func(n int) string { return english.Grouped(int64(n)) }
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, read by %s\n", report.Printable(a.File), english.Plural(int64(a.Origins), "origin"),
		english.List(a.Dialects))
	fmt.Fprintf(&b, "  versions  %s, %s of them dated\n", number(a.Versions), number(a.Dated))
	fmt.Fprintf(&b, "  answers   %s with a robots.txt, %s without, %s unreachable,\n            %s redirected to "+
		"where the sources had nothing\n",
		number(a.WithRules), number(a.Missing), number(a.Unreachable), number(a.Redirected))
	fmt.Fprintf(&b, "  size      %s, %s\n", english.Plural(a.Size, "byte"),
		english.Plural(int64(a.Rulesets), "distinct ruleset"))
	_, err := io.WriteString(to, b.String())
	return err
}

// listSome lists the first hundred of some texts, and counts the rest.
func listSome(texts []string) string {
	const most = 100
	list := strings.Join(texts[:min(len(texts), most)], ", ")
	if more := len(texts) - most; more > 0 {
		list += fmt.Sprintf(", and %s more", english.Grouped(int64(more)))
	}
	return list
}

func dump(w io.Writer, file string, r *automaton.Ruleset) error {
	var machines []*automaton.Machine
	agents := map[*automaton.Machine][]string{}
	bind := func(m *automaton.Machine, agent string) {
		if agents[m] == nil {
			machines = append(machines, m)
		}
		agents[m] = append(agents[m], agent)
	}
	for _, a := range r.Agents() {
		bind(a.Machine, fmt.Sprintf("%q", a.Token))
	}
	if m := r.Wildcard(); m != nil {
		bind(m, "*")
	}
	size := 0
	for i, m := range machines {
		if size > maxDump {
			_, err := fmt.Fprintf(w, "// %s, %v: ... and %s\n", file, r.Dialect(),
				english.Plural(int64(len(machines)-i), "more machine"))
			return err
		}
		n, err := fmt.Fprintf(w, "// %s, %v: %s\n%s", file, r.Dialect(), listSome(agents[m]), m)
		if err != nil {
			return err
		}
		size += n
	}
	if len(machines) == 0 {
		_, err := fmt.Fprintf(w, "// %s, %v: no group binds any user agent\n", file, r.Dialect())
		return err
	}
	return nil
}
