package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

// runDump prints each machine of robots.txt files in each dialect, with the user agents it binds.
func runDump(ctx context.Context, s streams, o job.CompileOptions) error {
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

// maxDump limits the machines printed for one file in one dialect, in bytes, but for the last one.
const maxDump = 4 << 20

func runList(ctx context.Context, s streams, name, output string) error {
	if err := job.RefuseStreams(s.out, s.err, s.in, name); err != nil {
		return err
	}
	w := bufio.NewWriterSize(s.out, 64<<10)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	sum, err := job.ListArchive(ctx, name, func(v report.ArchiveVersion) error {
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

// runClasses lists how much an archive forbids to some agents.
func runClasses(ctx context.Context, s streams, a *args, dialects []automaton.Dialect) error {
	c := job.ClassOptions{Archive: a.text("list"), AsOf: a.text("as-of"), Memory: value[int64](a, "memory"),
		Messages: s.messages()}
	var dialect *automaton.Dialect
	if a.set("dialect") {
		dialect = &dialects[0]
	}
	for _, name := range slices.Concat(values[[]string](a, "class")...) {
		c.Agents = append(c.Agents, job.Agent{Name: name, Dialect: dialect})
	}
	switch output := a.text("output"); {
	case dialect != nil && len(dialects) > 1:
		return usageError("--class reads robots.txt by one --dialect, or without it by each crawler's own")
	case a.set("by") && (output == "" || output == "text"):
		return runMonths(ctx, s, c)
	case a.set("by"):
		return listRows(ctx, s, a, render.NewMonths, func(ctx context.Context, each func(*report.MonthClass) error) error {
			return job.Trend(ctx, c, each)
		})
	case output == "text":
		return usageError("--class has no --output text without --by month: choose one of %s",
			strings.Join(render.RowOutputs(), ", "))
	}
	return listRows(ctx, s, a, render.NewClasses, func(ctx context.Context, each func(*report.SiteClass) error) error {
		return job.Classes(ctx, c, each)
	})
}

func runMonths(ctx context.Context, s streams, c job.ClassOptions) error {
	if err := job.RefuseStreams(s.out, s.err, s.in, c.Archive); err != nil {
		return err
	}
	var list []report.MonthClass
	if err := job.Trend(ctx, c, func(m *report.MonthClass) error {
		m.Agent = report.Printable(m.Agent)
		list = append(list, *m)
		return nil
	}); err != nil {
		return err
	}
	if len(list) == 0 {
		return usageError("%s has no version with a date: --by month is for one made with --versions all", c.Archive)
	}
	_, err := io.WriteString(s.out, render.MonthTable(list)+"\n")
	return writing("the table", err)
}

func listRows[T any](ctx context.Context, s streams, a *args, make func(io.Writer, string) *render.List[T],
	list func(context.Context, func(*T) error) error) error {
	output := a.text("output")
	if output == "parquet" && isTerminal(s.out) {
		return errParquet
	}
	if err := job.RefuseStreams(s.out, s.err, s.in, cmp.Or(a.text("tdmrep"), a.text("list"))); err != nil {
		return err
	}
	ctx, release := onInterrupt(ctx)
	defer release()
	w := bufio.NewWriterSize(s.out, 64<<10)
	rows := make(w, output)
	err := list(ctx, rows.Add)
	if err == nil || rows.Begun() {
		err = cmp.Or(err, writing("the rows", cmp.Or(rows.Close(), w.Flush())))
	}
	return err
}

func runTDMRep(ctx context.Context, s streams, a *args) error {
	file := job.RobotsFile{Name: a.text("tdmrep"), Stdin: s.in, MaxBytes: maxBytes(a)}
	list := func(ctx context.Context, each func(*report.SiteSignal) error) error {
		return job.TDMRep(ctx, file, s.messages(), each)
	}
	if a.text("output") != "text" {
		return listRows(ctx, s, a, render.NewSignals, list)
	}
	if err := job.RefuseStreams(s.out, s.err, s.in, file.Name); err != nil {
		return err
	}
	w := bufio.NewWriter(s.out)
	err := list(ctx, func(r *report.SiteSignal) error {
		_, err := fmt.Fprintf(w, "%-40s  %-15s  %s\n", report.Printable(r.Path), r.Use, report.Printable(r.Value))
		return err
	})
	return cmp.Or(err, writing("the rows", w.Flush()))
}

func writeArchive(to io.Writer, a report.ArchiveSummary) error {
	number := func(n int) string { return english.Grouped(int64(n)) }
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, read by %s\n", report.Printable(a.File), english.Plural(int64(a.Origins), "origin"),
		english.List(a.Dialects))
	fmt.Fprintf(&b, "  versions  %s, %s of them dated\n", number(a.Versions), number(a.Dated))
	fmt.Fprintf(&b, "  answers   %s with a robots.txt, %s without, %s unreachable,\n            %s redirected to "+
		"where the sources had nothing\n",
		number(a.WithRules), number(a.Missing), number(a.Unreachable), number(a.Redirected))
	fmt.Fprintf(&b, "  written by robotsieve %s\n", report.Printable(a.Program))
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
