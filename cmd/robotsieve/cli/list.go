package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	writers "github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

// listFlags are the flags of compile --list.
type listFlags struct {
	job.ListOptions
	classes []string
	output  string
}

// onlyForList are the names of those that are of use only with --list.
var onlyForList = []string{"class", "as-of", "since", "until"}

func addListFlags(cmd *cobra.Command) *listFlags {
	f, flags := &listFlags{}, cmd.Flags()
	flags.StringVar(&f.Archive, "list", "", "print what this archive has, instead of writing one")
	flags.StringSliceVar(&f.classes, "class", nil, "with --list: how much is forbidden to these crawlers: "+
		"full, partial, none")
	_ = cmd.RegisterFlagCompletionFunc("class", completeAgents) // it fails only for a flag that does not exist
	flags.StringVar(&f.AsOf, "as-of", "", "with --list: only versions in force at this time: "+
		"2026-11-22T05:00:00Z, or a date, which is its midnight in UTC")
	flags.StringVar(&f.Since, "since", "", "with --list: only versions in force at this time or later")
	flags.StringVar(&f.Until, "until", "", "with --list: only versions in force before this time")
	choice(cmd, "output", "text", "form of --list; csv and parquet are for --class", to(&f.output),
		append([]string{"text"}, writers.RowOutputs()...)...)
	return f
}

// asked reports whether a list is wanted, or a flag is given that needs one.
func (f *listFlags) asked(cmd *cobra.Command) bool {
	return f.Archive != "" || slices.ContainsFunc(onlyForList, cmd.Flags().Changed)
}

// refuse returns an error for flags that do not fit together.
func (f *listFlags) refuse(s streams, o *job.CompileOptions) error {
	switch {
	case f.Archive == "":
		return usageError("--%s need --list ARCHIVE", strings.Join(onlyForList, ", --"))
	case len(o.Sources) > 0:
		return usageError("--list takes one archive, and no sources")
	case len(f.classes) == 0 && f.output != "text" && f.output != "ndjson":
		return usageError("--output %s is for --class", f.output)
	case f.output == "parquet" && isTerminal(s.out):
		return errParquet
	}
	return job.RefuseStreams(s.out, s.err, s.in, f.Archive)
}

// run prints what an archive has.
func (f *listFlags) run(cmd *cobra.Command, s streams, o job.CompileOptions) error {
	if err := f.refuse(s, &o); err != nil {
		return err
	}
	for _, name := range f.classes {
		agent := job.Agent{Name: name}
		if cmd.Flags().Changed("dialect") {
			if len(o.Dialects) > 1 {
				return usageError("--class reads robots.txt by one --dialect, or without it by each crawler's own")
			}
			agent.Dialect = &o.Dialects[0]
		}
		f.Agents = append(f.Agents, agent)
	}
	f.Memory, f.Messages = o.Memory, o.Messages
	ctx, release := onInterrupt(cmd.Context())
	defer release()
	w := bufio.NewWriterSize(s.out, 64<<10)
	rows := writers.NewClasses(w, cmp.Or(strings.TrimPrefix(f.output, "text"), "ndjson"))
	sum, err := job.ListArchive(ctx, f.ListOptions, f.line(w, rows))
	if len(f.classes) > 0 && f.output != "text" && (err == nil || rows.Begun()) {
		err = errors.Join(err, rows.Close())
	}
	if err = cmp.Or(err, writing("the list", w.Flush())); err != nil {
		return err
	}
	return writeArchive(s.err, sum)
}

// line returns a function that writes the lines of a version.
func (f *listFlags) line(w io.Writer, rows *writers.Classes) func(job.ArchiveVersion) error {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	switch {
	case len(f.classes) == 0 && f.output == "text":
		return func(v job.ArchiveVersion) error { return writeVersion(w, v) }
	case len(f.classes) == 0:
		return func(v job.ArchiveVersion) error { return lines.Encode(v) }
	case f.output == "text":
		return func(v job.ArchiveVersion) error { return writeClasses(w, v) }
	}
	return func(v job.ArchiveVersion) error { return addClasses(rows, v) }
}

func addClasses(rows *writers.Classes, v job.ArchiveVersion) error {
	until := v.In.Last
	if until != math.MaxInt64 {
		until++
	}
	for _, c := range v.Classes {
		err := rows.Add(&writers.Class{Origin: v.Origin, From: v.In.First, Until: until, Status: v.Status, Agent: c.Agent,
			Named: c.Named, Class: c.Class, Forbidden: c.Forbidden, Allowed: c.Allowed, DataProvenance: c.AllSomeNone,
			Imc25: c.Probed})
		if err != nil {
			return err
		}
	}
	return nil
}

func writeVersion(w io.Writer, v job.ArchiveVersion) error {
	_, err := fmt.Fprintf(w, "%-40s  %-20s  %3d  %s, %s\n", report.Printable(v.Origin), cmp.Or(v.From, "-"), v.Status,
		english.Plural(int64(v.Groups), "group"), english.Plural(int64(v.Rules), "rule"))
	return err
}

func writeClasses(w io.Writer, v job.ArchiveVersion) error {
	for _, c := range v.Classes {
		line := fmt.Sprintf("%-40s  %-20s  %-12s  %-11s", report.Printable(v.Origin), cmp.Or(v.From, "-"),
			report.Printable(c.Agent), c.Class)
		if c.AllSomeNone != "" {
			line += fmt.Sprintf("  %-4s  %-9s", c.AllSomeNone, c.Probed)
		}
		if c.Forbidden != "" {
			line += "  forbids " + report.Printable(c.Forbidden)
		}
		if c.Allowed != "" {
			line += "  allows " + report.Printable(c.Allowed)
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
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
