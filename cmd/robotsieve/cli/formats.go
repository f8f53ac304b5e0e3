package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

func runFormats(ctx context.Context, s streams, a *args) (err error) {
	w := bufio.NewWriter(s.out)
	switch {
	case a.is("explain"):
		err = explainLogs(ctx, s, w, job.ExplainOptions{
			Logs: job.Inputs{Names: a.rest, Stdin: s.in}, Format: a.text("format"), Messages: s.messages(),
		})
	case len(a.rest) > 1:
		err = usageError("%s", whyExplain)
	case len(a.rest) == 1:
		err = writeWords(w, a.rest[0])
	default:
		most := 0
		if isTerminal(s.out) {
			most = maxWidth
		}
		listFormats(w, most)
	}
	return cmp.Or(err, writing("the answers", w.Flush()))
}

// writeWords prints the specification of a named format, as a user would write it.
func writeWords(w io.Writer, name string) error {
	f, ok := format.ByName(name)
	similar := format.Similar(name)
	switch {
	case ok && f.Words() == "":
		return usageError("%s has no words of its own: it is made of other formats or envelopes", name)
	case !ok && len(similar) > 0:
		return usageError("there is no format %q, but %s; --explain shows how a log is read", name,
			strings.Join(similar, ", "))
	case !ok:
		return usageError("there is no format %q; --explain shows how a log is read", name)
	}
	_, err := fmt.Fprintln(w, f.Words())
	return err
}

// maxWidth is the assumed width of a terminal, in characters.
const maxWidth = 80

// ownFormats are the notations in which users can describe formats, with an example of each.
var ownFormats = []struct{ of, example string }{
	{"nginx", "--format /etc/nginx/nginx.conf:main"},
	{"nginx", `--format '$remote_addr [$time_local] "$request" "$http_user_agent"'`},
	{"Apache", "--format /etc/apache2/apache2.conf:site"},
	{"Apache", `--format '%h %t "%r" %>s %b "%{User-Agent}i" %v'`},
	{"GoAccess", `--format '%h %^[%d:%t %^] "%r" %s %b "%R" "%u"'`},
	{"HAProxy", "--format haproxy:host,user-agent"},
	{"JSON", "--format 'time=ts ip=client.ip url=uri ua=headers.User-Agent.0'"},
	{"W3C", "--format '#Fields: date time cs-uri-stem c-ip cs(User-Agent)'"},
	{"regexp", `--format '^\[(?P<time>[^]]+)\] (?P<target>\S+) (?P<ua>.*)'`},
}

// listFormats lists all formats and envelopes, with lines of at most most characters; 0 means no limit.
func listFormats(w *bufio.Writer, most int) {
	fact := func(name, text string) {
		line := strings.TrimRight(fmt.Sprintf("  %-10s %s", name, report.Printable(text)), " ")
		if most > 0 {
			line = render.Cut(line, most)
		}
		fmt.Fprintln(w, line)
	}
	for _, family := range format.Typical() {
		fmt.Fprintf(w, "%s:\n\n", family.Title)
		for _, f := range family.Formats {
			fmt.Fprintln(w, f.Name())
			fact("written by", f.By())
			lacks := f.Lacks()
			if f.Sampled() {
				lacks = append(lacks, "requests, if it is sampled")
			}
			if len(lacks) > 0 {
				fact("lacks", strings.Join(lacks, ", "))
			}
			name := "sample"
			for line := range strings.Lines(f.Head() + f.Sample()) {
				fact(name, strings.TrimSuffix(line, "\n"))
				name = ""
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprint(w, "Envelopes, each around the lines of any format without a header:\n\n")
	for _, e := range format.Envelopes() {
		fmt.Fprintln(w, e.Name)
		fact("written by", e.By)
		fact("sample", e.Sample)
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "A format of your own, in the words that you have it in:\n\n")
	for _, own := range ownFormats {
		fact(own.of, own.example)
	}
}

// explainLogs prints how each log is read, as soon as it is known.
func explainLogs(ctx context.Context, s streams, w *bufio.Writer, o job.ExplainOptions) error {
	if err := job.RefuseStreams(s.out, s.err, s.in, o.Logs.Names...); err != nil {
		return err
	}
	ctx, release := onInterrupt(ctx)
	defer release()
	first := true
	return job.Explain(ctx, o, func(log *job.ExplainedLog) error {
		if !first {
			fmt.Fprintln(w)
		}
		first = false
		explainLog(w, log)
		return writing("the answers", w.Flush())
	})
}

func explainLog(w *bufio.Writer, log *job.ExplainedLog) {
	const mostOfLine = 500 // characters
	text := func(s string) string { return render.Cut(report.Printable(s), maxMessage) }
	fmt.Fprintf(w, "%s: ", text(log.Name))
	if log.Err != nil {
		fmt.Fprintln(w, text(inFlags(log.Err.Error())))
	} else {
		fmt.Fprintf(w, "%s (%s)\n", text(log.Format.Name()), log.Format.By())
	}
	if log.Lines > 0 {
		fmt.Fprintf(w, "  %s.\n", countsOf(log))
	}
	if len(log.Readings) > 1 {
		var counts []string
		for _, r := range log.Readings {
			counts = append(counts, text(r.Format)+" "+english.Grouped(int64(r.Lines)))
		}
		fmt.Fprintf(w, "  Lines that each format fits: %s.\n", strings.Join(counts, ", "))
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
			fmt.Fprintln(w, "no request by design:")
		case format.NoRequest:
			fmt.Fprintln(w, "a connection without an HTTP request:")
		default:
			fmt.Fprintf(w, "not read%s\n", strings.TrimSuffix(": "+text(inFlags(e.Fault)), ": "))
		}
		fmt.Fprintf(w, "    %s\n", render.Cut(text(string(e.Line)), mostOfLine))
	}
	list := func(title string, list []string) {
		for i, item := range list {
			if i == 0 {
				fmt.Fprintf(w, "\n  %s:\n", title)
			}
			fmt.Fprintf(w, "    %s\n", text(inFlags(item)))
		}
	}
	if log.Format != nil {
		list("What the format leaves unclear", log.Format.Doubts())
	}
	list("What an audit lacks", log.Missing)
}

func countsOf(log *job.ExplainedLog) string {
	lines := "The first line"
	if log.Lines > 1 {
		lines = "The first " + english.Plural(int64(log.Lines), "line")
	}
	counts := lines + ": " + english.Plural(int64(log.Requests), "request")
	if n := int64(log.Others); n > 0 {
		counts += ", " + english.Grouped(n) + " " + english.Verb(n, "that is no request", "that are no requests") +
			" by design"
	}
	if n := int64(log.Unparsed); n > 0 {
		counts += ", " + english.Grouped(n) + " not read"
	}
	return counts
}
