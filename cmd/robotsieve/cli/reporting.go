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

	conditions []condition    // with which the command ends with 1
	config     *job.Countable // set by check
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
	r := &reporting{form: a.text("output"), quiet: a.is("quiet"), conditions: values[condition](a, "fail-on")}
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
		CheckCondition: r.check, Program: thisBuild().version, Command: a.line, Stdout: s.out, Messages: s.messages(),
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
		return r.verdict(s, a)
	}
	if a.Partial && len(r.conditions) > 0 {
		s.warn("--fail-on is not checked on a part of the input: the rest could clear a violation")
	}
	return exitWith(code)
}

// prints reports whether the report goes to stdout. Without any input it would only repeat the warnings.
func (r *reporting) prints(of *report.Report) bool {
	wasRead := func(in report.InputInfo) bool { return in.Format != "" }
	return !r.quiet && !r.listed && (!r.isText || len(of.Inputs) == 0 || slices.ContainsFunc(of.Inputs, wasRead))
}

// verdict ends the command with 1 if a condition holds, or with 3 if nothing could make one hold.
func (r *reporting) verdict(s streams, a *job.Audited) error {
	code := exitDone
	for _, c := range r.conditions {
		if why := c.unchecked(a.Report, r.config); why != "" {
			s.warn("--fail-on %s was not checked: %s", c.text, why)
			code = exitInput
		} else if n, of := c.count(a.Report); c.holds(n, of) {
			s.warn("--fail-on %s: %s", c.text, c.found(n, of))
			code = max(code, exitFound)
		}
	}
	return exitWith(code)
}

// check rejects conditions that can't hold for any logs.
func (r *reporting) check(config *job.Countable) error {
	r.config = config
	for _, c := range r.conditions {
		if why := c.impossible(config); why != "" {
			return usageError("--fail-on %s can never hold: %s", c.text, why)
		}
	}
	return nil
}
