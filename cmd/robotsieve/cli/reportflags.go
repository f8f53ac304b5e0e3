package cli

import (
	"bytes"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/job"
)

// reportFlags are the flags about the result of an audit.
type reportFlags struct {
	output string
	full   bool
	by     string // as in audit.Inputs
	quiet  bool
	listed bool // rows go to stdout in place of the report
	files  []job.ReportFile
	failOn []condition
	config *audit.Config // known when check has been called
}

// reportFiles are the flags that write the report to a file, beside what goes to stdout.
var reportFiles = []struct {
	flag, usage string
	kind        string
	begins      string // what files of the kind begin with
	write       func(io.Writer, *audit.Report) error
}{
	{"html", "also write the report to a file as a page that is complete in itself", "a page of HTML",
		"<!doctype html>", report.WriteHTML},
	{"prometheus", "also write the figures to a file for the textfile collector of Prometheus",
		"a file of figures for Prometheus", "# HELP robotsieve_", report.WritePrometheus},
}

// addReportFlags adds these flags, with more values of --output.
func addReportFlags(cmd *cobra.Command, outputs ...string) *reportFlags {
	f := &reportFlags{}
	choice(cmd, "output", "text", "form of the report", to(&f.output), append(report.Outputs(), outputs...)...)
	cmd.Flags().BoolVar(&f.full, "full", false, "print the whole report in text, not only one screen of it: "+
		"as --output full does")
	choice(cmd, "by", "auto", "unit of the figures over time; auto is hours for up to seven days, days for more",
		func(unit string) {
			if f.by = unit; unit == "auto" {
				f.by = ""
			}
		}, "auto", "hour", "day")
	cmd.Flags().BoolVar(&f.quiet, "quiet", false, "print no report and no progress: the exit status, "+
		"warnings and the files asked for are the answer")
	f.files = make([]job.ReportFile, len(reportFiles))
	for i, file := range reportFiles {
		isKind := func(head []byte) bool { return bytes.HasPrefix(head, []byte(file.begins)) }
		f.files[i] = job.ReportFile{Flag: "--" + file.flag, Kind: file.kind, Is: isKind, Write: file.write}
		cmd.Flags().StringVar(&f.files[i].Name, file.flag, "", file.usage)
	}
	addFlag(cmd, "stringArray", "fail-on", "",
		"exit with 1 if this holds, such as 'violation>0', 'violation.verified.content>10', "+
			"'GPTBot:violation>1%' (of its requests) or 'unparsed>0.5%' (of the lines); repeatable; fetchers, "+
			"such as link previews, count only where they are named",
		func(text string) error {
			c, err := parseCondition(text)
			if err != nil {
				return usageError("--fail-on %q: %w", text, err)
			}
			f.failOn = append(f.failOn, c)
			return nil
		})
	return f
}

// finish prints the report of an audit or a merge, and returns the error that ends the
// command with its exit code.
func (f *reportFlags) finish(s streams, a *job.Audited, err error) error {
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
	if f.prints(a.Report) {
		if err := report.Write(s.out, f.form(), a.Report, colours(s.out)); err != nil {
			s.warn("writing the report: %v", err)
			return exitWith(max(code, exitInput))
		}
	}
	if code == exitDone {
		return f.verdict(s, a)
	}
	if a.Partial && len(f.failOn) > 0 {
		s.warn("--fail-on is not checked on a part of the input: the rest could clear a violation")
	}
	return exitWith(code)
}

// form is the output that --output and --full ask for.
func (f *reportFlags) form() string {
	if f.full && f.output == "text" {
		return report.Full
	}
	return f.output
}

// prints tells whether the report goes to stdout. If no input could be read, the text would
// only repeat the warnings.
func (f *reportFlags) prints(r *audit.Report) bool {
	wasRead := func(in audit.InputInfo) bool { return in.Format != "" }
	return !f.quiet && !f.listed && (f.output != "text" || len(r.Inputs) == 0 || slices.ContainsFunc(r.Inputs, wasRead))
}

// messages are those of the command for its job.
func (f *reportFlags) messages(s streams) job.Messages {
	m := s.messages()
	if f.quiet {
		m.Progress = nil
	}
	return m
}

// verdict ends the command with 1 if a condition holds, and says which one. It ends
// it with 3 if the logs had nothing that a condition could count.
func (f *reportFlags) verdict(s streams, a *job.Audited) error {
	code, r := exitDone, a.Report
	for _, c := range f.failOn {
		if why := c.unchecked(r, f.config); why != "" {
			s.warn("--fail-on %s was not checked: %s", c.text, why)
			code = exitInput
		} else if n, of := c.count(r); c.holds(n, of) {
			s.warn("--fail-on %s: %s", c.text, c.found(n, of))
			code = max(code, exitFound)
		}
	}
	return exitWith(code)
}

// check refuses conditions that cannot hold, whatever the logs say.
func (f *reportFlags) check(config *audit.Config) error {
	f.config = config
	for _, c := range f.failOn {
		if why := c.impossible(config); why != "" {
			return usageError("--fail-on %s can never hold: %s", c.text, why)
		}
	}
	return nil
}
