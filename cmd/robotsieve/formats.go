package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/job"
)

func newFormats(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "formats [--explain LOG...]",
		Short: "List the formats of access logs, or explain how a log is read",
		Long: `Formats lists the formats of access logs that audit reads: what writes each of
them, what it lacks for an audit, and a sample line. It also lists the envelopes that
may be around the lines, such as that of syslog; --format names a format in an
envelope as in syslog:combined, and a log of two formats as in
combined+vhost_combined.

With --explain it shows how the first lines of each LOG are read, field by field;
which lines were not read, and at which place; why the format was chosen; and
what is missing for an audit. A LOG is named as for audit; - is stdin. The exit
status is 3 if the format of a LOG is not found.`,
		Example: `  robotsieve formats
  robotsieve formats --explain access.log
  robotsieve formats --explain --format combined access.log
  kubectl logs web-1 | robotsieve formats --explain -`,
	}
	o := job.ExplainOptions{Logs: job.Inputs{Stdin: s.in}, Messages: s.messages()}
	explain := cmd.Flags().Bool("explain", false, "show how the first lines of logs are read")
	cmd.Flags().StringVar(&o.Format, "format", "auto", "format of the logs, with --explain")
	complete(cmd, "format", append([]string{"auto"}, format.Names()...)...)
	cmd.RunE = func(cmd *cobra.Command, logs []string) error {
		if !*explain && (len(logs) > 0 || cmd.Flags().Changed("format")) {
			return usageError("--explain shows how logs are read: without it there can be neither LOG nor --format")
		}
		w := bufio.NewWriter(s.out)
		if !*explain {
			most := 0
			if isTerminal(s.out) {
				most = maxWidth
			}
			listFormats(w, most)
			return writeError(w.Flush())
		}
		if err := job.RefuseStreams(s.out, s.err, s.in, logs...); err != nil {
			return err
		}
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		o.Logs.Names = logs
		first := true
		err := job.Explain(ctx, o, func(log *job.ExplainedLog) error {
			if !first {
				fmt.Fprintln(w)
			}
			first = false
			explainLog(w, log)
			return writeError(w.Flush())
		})
		return errors.Join(err, writeError(w.Flush()))
	}
	return cmd
}

// maxWidth is the width of a terminal for which lists are made, in characters.
const maxWidth = 80

// maxLineShown bounds the lines of a log that are shown, in characters.
const maxLineShown = 500

// listFormats lists all formats and envelopes. Samples are cut so that no line has more
// than most characters; 0 is no limit.
func listFormats(w *bufio.Writer, most int) {
	entry := func(name string, facts ...[2]string) {
		fmt.Fprintln(w, name)
		for _, f := range facts {
			if f[1] == "" {
				continue
			}
			line := fmt.Sprintf("  %-10s %s", f[0], audit.Printable(f[1]))
			if most > 0 {
				line = report.Cut(line, most)
			}
			fmt.Fprintln(w, line)
		}
		fmt.Fprintln(w)
	}
	for _, f := range format.Typical() {
		lacks := strings.Join(f.Lacks(), ", ")
		if f.Sampled() {
			lacks = strings.TrimPrefix(lacks+", requests if it is sampled", ", ")
		}
		entry(f.Name(), [2]string{"written by", f.By()}, [2]string{"lacks", lacks}, [2]string{"sample", f.Sample()})
	}
	fmt.Fprint(w, "Envelopes, each around the lines of any format without a header:\n\n")
	for _, e := range format.Envelopes() {
		entry(e.Name, [2]string{"written by", e.By}, [2]string{"sample", e.Sample})
	}
}

// explainLog prints how the first lines of a log are read.
func explainLog(w *bufio.Writer, log *job.ExplainedLog) {
	text := func(s string) string { return report.Cut(audit.Printable(s), maxMessage) }
	fmt.Fprintf(w, "%s: ", text(log.Name))
	if log.Err != nil {
		fmt.Fprintln(w, text(log.Err.Error()))
	} else {
		fmt.Fprintf(w, "%s (%s)\n", text(log.Format.Name()), log.Format.By())
	}
	if log.Lines > 0 {
		fmt.Fprintf(w, "  The first %s: %s, %s without a request by design, %s not read.\n", english.Plural(int64(log.Lines), "line"),
			english.Plural(int64(log.Requests), "request"), english.Grouped(int64(log.Others)), english.Grouped(int64(log.Unparsed)))
	}
	if len(log.Readings) > 0 {
		fmt.Fprint(w, "  Lines that each format reads, where it is the first to do so:")
		for i, r := range log.Readings {
			fmt.Fprintf(w, "%s %s %s", map[bool]string{true: ","}[i > 0], text(r.Format), english.Grouped(int64(r.Lines)))
		}
		fmt.Fprintln(w)
	}
	for _, e := range log.Examples {
		fmt.Fprintf(w, "\n  line %s, ", english.Grouped(int64(e.Number)))
		switch e.Kind {
		case format.Request:
			fmt.Fprintln(w, "a request")
			for _, f := range e.Fields {
				fmt.Fprintf(w, "    %-10s %s\n", f.Name, text(f.Value))
			}
			continue
		case format.Other:
			fmt.Fprintln(w, "no request by design")
		default:
			fmt.Fprintf(w, "not read%s\n", strings.TrimSuffix(": "+text(e.Fault), ": "))
		}
		fmt.Fprintf(w, "    %s\n", report.Cut(text(string(e.Line)), maxLineShown))
	}
	if len(log.Missing) > 0 {
		fmt.Fprint(w, "\n  For an audit:\n")
		for _, m := range log.Missing {
			fmt.Fprintf(w, "    %s\n", m)
		}
	}
}
