package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

func runCompile(ctx context.Context, s streams, a *args) error {
	dialects, err := parseDialects(slices.Concat(values[[]string](a, "dialect")...))
	if err != nil {
		return err
	}
	o := job.CompileOptions{
		Sources: a.rest, Stdin: s.in, Output: a.text("out"), Force: a.is("force"), Dialects: dialects,
		MaxBytes: maxBytes(a), Fields: a.text("fields"), AllVersions: a.text("versions") == "all",
		Memory: value[int64](a, "memory"), Messages: s.messages(),
	}
	switch {
	case a.set("class"):
		return runClasses(ctx, s, a, dialects)
	case a.is("signals"):
		o := job.SignalOptions{Archive: a.text("list"), AsOf: a.text("as-of")}
		return listRows(ctx, s, a, render.NewSignals, func(ctx context.Context, each func(*report.SiteSignal) error) error {
			return job.Signals(ctx, o, each)
		})
	case a.text("list") != "":
		return runList(ctx, s, a.text("list"), a.text("output"))
	case a.is("dump"): // a dump leaves no files for a signal to remove
		return runDump(ctx, s, o)
	}
	ctx, release := onInterrupt(ctx)
	defer release()
	return compileArchive(ctx, s, o)
}

func compileArchive(ctx context.Context, s streams, o job.CompileOptions) error {
	c, err := job.Compile(ctx, o)
	if err != nil {
		return err
	}
	uses := func(n int64) string { return english.Plural(n, "origin") }
	if o.AllVersions { // an origin can have several
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
