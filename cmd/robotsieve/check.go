package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/job"
)

func newCheck(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check --robots FILE --agent NAME URL...",
		Short: "Explain what a robots.txt says about URLs",
		Long: `Check prints for each URL whether the agent may fetch it, which rule decided, in
which group, and why.

If NAME is a known crawler, such as Googlebot-Image, its product tokens are tried
in their order, and robots.txt is read in its own way; otherwise NAME is the
product token. A URL may be a bare path: text that begins with one slash or two is
a request target without a host. If the only URL is -, URLs are read from
stdin, one a line.

With --jsonl, cases are read from stdin, one JSON object a line, with robots,
agent and url (or robots_b64, agent_b64, url_b64). Each is answered with a line
{"allowed":true,"line":0}. The agent is then always a bare product token, the
dialect is rfc9309 unless given, and the dialect decides how the url is read:
google takes the x of "//x" for a host.`,
		Example: `  robotsieve check --robots robots.txt --agent GPTBot https://example.com/archive/
  robotsieve check --robots robots.txt --agent MyBot --dialect google --output json /a /b
  robotsieve check --jsonl --dialect google --max-bytes 0 < cases.jsonl`,
	}
	o := &job.CheckOptions{Robots: job.RobotsFile{Stdin: s.in}, Messages: s.messages()}
	robotsFlags(cmd, &o.Robots, &o.Agent.Dialect)
	agentFlags(cmd, &o.Agent)
	jsonl := cmd.Flags().Bool("jsonl", false, "read cases from stdin, one JSON object a line")
	var output string
	choice(cmd, "output", "text", "form of the answers", to(&output), "text", "json", "ndjson", "csv")
	cmd.RunE = func(cmd *cobra.Command, urls []string) error {
		if *jsonl {
			if len(urls) > 0 || o.Robots.Name != "" || o.Agent.Name != "" || o.Agent.Crawlers != "" || cmd.Flags().Changed("output") {
				return usageError("--jsonl reads robots.txt, agent and URL from stdin, and has its own form of output")
			}
			options := compile.Options{MaxBytes: o.Robots.MaxBytes}
			if o.Agent.Dialect != nil {
				options.Dialect = *o.Agent.Dialect
			}
			return runBatch(s, options)
		}
		return runCheck(cmd.Context(), s, *o, output, urls)
	}
	return cmd
}

func runCheck(ctx context.Context, s streams, o job.CheckOptions, output string, urls []string) error {
	fromStdin := len(urls) == 1 && urls[0] == "-"
	switch {
	case len(urls) == 0:
		return usageError("no URL")
	case fromStdin && o.Robots.Name == "-":
		return usageError("robots.txt and the URLs cannot both be stdin")
	}
	c, err := job.NewChecker(ctx, o)
	if err != nil {
		return err
	}
	w := newAnswerWriter(s, output)
	if !fromStdin {
		for _, url := range urls {
			w.write(c.Check(url))
		}
		return writeError(w.close())
	}
	if err := eachLine(s.in, "URLs", func(url string) error { w.write(c.Check(url)); return nil }); err != nil {
		return errors.Join(w.close(), err)
	}
	return writeError(w.close())
}

// answerWriter prints answers in one of their forms. After an error it prints
// nothing more; close returns the error.
type answerWriter struct {
	w    *bufio.Writer
	form string
	json jsonList
	csv  *csv.Writer
	err  error
}

func newAnswerWriter(s streams, form string) *answerWriter {
	b := bufio.NewWriter(s.out)
	w := &answerWriter{w: b, form: form, json: jsonList{w: b}, csv: csv.NewWriter(b)}
	if form == "csv" {
		w.err = w.csv.Write([]string{"url", "agent", "dialect", "allowed", "line", "rule"})
	}
	return w
}

func (w *answerWriter) write(a job.Answer) {
	if w.err != nil {
		return
	}
	switch w.form {
	case "json":
		w.err = w.json.add(a)
	case "ndjson":
		w.err = report.Encoder(w.w).Encode(a)
	case "csv":
		w.err = w.csv.Write([]string{
			report.Cell(a.URL), report.Cell(a.Agent), a.Dialect, strconv.FormatBool(a.Allowed), strconv.Itoa(a.Line), report.Cell(a.Rule),
		})
	default:
		w.text(a)
	}
}

func (w *answerWriter) text(a job.Answer) {
	line := func(format string, args ...any) {
		fmt.Fprintf(w.w, format+"\n", args...)
	}
	line("%-10s  %s", a.Verdict(), a.URL)
	if a.Line > 0 {
		line("  rule      line %d: %s", a.Line, a.Rule)
	}
	line("  because   %s", a.WhyRule)
	for _, g := range a.Groups {
		line("  group     line %d: User-agent: %s", g.Line, english.List(g.Agents))
	}
	line("  because   %s", a.WhyGroup)
	line("  reading   %s", a.Dialect)
	if a.Contested != "" {
		line("  contested %s", a.Contested)
	}
	if a.Exempt != "" {
		line("  but       %s does not apply robots.txt: %s", a.Agent, a.Exempt)
	}
}

func (w *answerWriter) close() error {
	switch {
	case w.err != nil:
	case w.form == "json":
		w.json.end()
	case w.form == "csv":
		w.csv.Flush()
		w.err = w.csv.Error()
	}
	return errors.Join(w.err, w.w.Flush())
}
