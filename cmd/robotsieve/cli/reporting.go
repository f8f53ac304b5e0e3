package cli

import (
	"bytes"
	"io"
	"slices"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

// reporting says where the result of an audit or a merge goes.
type reporting struct {
	form   string // format of the report on stdout
	isText bool   // the format is text, of any length
	quiet  bool
	listed bool // stdout has rows instead of the report
	gate   gate
}

// reportFiles are the flags that also write the report to a file.
var reportFiles = []struct {
	flag   string
	kind   string
	begins string // how files of the kind begin
	write  func(io.Writer, *report.Report) error
}{
	{"html", "a page of HTML", "<!doctype html>", render.WriteHTML},
	{"prometheus", "a file of figures for Prometheus", "# HELP robotsieve_", render.WritePrometheus},
}

// reportingOf returns the reporting of a command line. Rows replace the report on stdout.
func reportingOf(a *args) *reporting {
	r := &reporting{form: a.text("output"), quiet: a.is("quiet"), gate: gate{conditions: values[condition](a, "fail-on")}}
	if a.text("list") != "" {
		r.listed, r.form = true, "text"
	}
	r.isText = r.form == "text"
	if r.isText && a.is("full") {
		r.form = render.Full
	}
	return r
}

func results(s streams, a *args, r *reporting) job.Results {
	o := job.Results{
		State: a.text("state"), Force: a.is("force"), Only: report.Choice{Crawlers: a.texts("crawler"),
			Categories: a.texts("category")},
		AllowDuplicates: a.is("allow-duplicates"), Anonymous: a.text("anonymize") != "",
		CheckCondition: r.gate.check, Program: thisBuild().version, Command: a.line, Stdout: s.out, Messages: s.messages(),
	}
	if by := a.text("by"); by != auto {
		o.By = by
	}
	for _, file := range reportFiles {
		isKind := func(head []byte) bool { return bytes.HasPrefix(head, []byte(file.begins)) }
		o.Files = append(o.Files, job.ReportFile{Flag: "--" + file.flag, Name: a.text(file.flag), Kind: file.kind,
			Is: isKind, Write: file.write})
	}
	if r.quiet || r.listed && isTerminal(s.out) { // the rows would run into the bar
		o.Messages.Progress = nil
	}
	return o
}

// finish prints the report of an audit or a merge, and returns the error that sets the exit code.
func (r *reporting) finish(s streams, a *job.Audited, err error) error {
	if a == nil {
		return err
	}
	code := exitDone
	if a.Partial {
		code = exitInput
	}
	if err != nil {
		s.warn("%v", err)
		code = codeOf(err)
	}
	if r.prints(a.Report) {
		if err := render.Write(s.out, r.form, a.Report, colours(s.out)); err != nil {
			s.warn("writing the report: %v", err)
			return exitWith(max(code, exitInput))
		}
	} else if text := a.Report.OtherSizes(); text != "" {
		s.warn("%s", text)
	}
	if code == exitDone {
		return r.gate.verdict(s, a)
	}
	if a.Partial && len(r.gate.conditions) > 0 {
		s.warn("--fail-on is not checked on a part of the input: the rest could clear a violation")
	}
	return exitWith(code)
}

// prints reports whether the report goes to stdout. Without any input it would only repeat the warnings.
func (r *reporting) prints(of *report.Report) bool {
	wasRead := func(in report.InputInfo) bool { return in.Format != "" }
	return !r.quiet && !r.listed && (!r.isText || len(of.Inputs) == 0 || slices.ContainsFunc(of.Inputs, wasRead))
}

// gate makes an audit or a merge end with 1 if a condition holds.
type gate struct {
	conditions []condition
	config     *job.Countable // set by check
}

// verdict ends the command with 1 if a condition holds, and prints which one. It ends the command
// with 3 if the logs contain nothing that a condition could count.
func (g *gate) verdict(s streams, a *job.Audited) error {
	code, r := exitDone, a.Report
	for _, c := range g.conditions {
		if why := c.unchecked(r, g.config); why != "" {
			s.warn("--fail-on %s was not checked: %s", c.text, why)
			code = exitInput
		} else if n, of := c.count(r); c.holds(n, of) {
			s.warn("--fail-on %s: %s", c.text, c.found(n, of))
			code = max(code, exitFound)
		}
	}
	return exitWith(code)
}

// check rejects conditions that can't hold for any logs.
func (g *gate) check(config *job.Countable) error {
	g.config = config
	for _, c := range g.conditions {
		if why := c.impossible(config); why != "" {
			return usageError("--fail-on %s can never hold: %s", c.text, why)
		}
	}
	return nil
}
