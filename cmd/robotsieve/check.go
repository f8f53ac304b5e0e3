package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
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
product token. A URL may be a bare path: what begins with a slash, also with two,
is a request target without a host. If the only URL is -, URLs are read from
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
	robots, agent := addRobotsFlags(cmd), addAgentFlags(cmd, "the crawler that would fetch the URLs")
	jsonl := cmd.Flags().Bool("jsonl", false, "read cases from stdin, one JSON object a line")
	output := choice(cmd, "output", "text", "form of the answers", "text", "json", "ndjson", "csv")
	cmd.RunE = func(cmd *cobra.Command, urls []string) error {
		if *jsonl {
			if len(urls) > 0 || *robots.file != "" || *agent.name != "" || *agent.crawlers != "" || cmd.Flags().Changed("output") {
				return usageError("--jsonl reads robots.txt, agent and URL from stdin, and has its own form of output")
			}
			return runBatch(s, robots)
		}
		output, errOutput := output()
		if *robots.file == "" {
			return usageError("no robots.txt: name it with --robots FILE")
		}
		file, who, err := robotsAndAgent(s, robots, agent)
		if err := cmp.Or(errOutput, err); err != nil {
			return err
		}
		return runCheck(cmd.Context(), s, job.CheckOptions{Robots: file, Agent: who, Log: s.log()}, output, urls)
	}
	return cmd
}

// maxURL is the longest line of URLs that is read.
const maxURL = 16 << 20

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
	lines := bufio.NewScanner(s.in)
	lines.Buffer(nil, maxURL)
	n := int64(0)
	for ; lines.Scan(); n++ {
		w.write(c.Check(lines.Text()))
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("line %s is longer than %s", english.Grouped(n+1), english.Plural(maxURL, "byte"))
		}
		return errors.Join(w.close(), inputError(fmt.Errorf("reading URLs from stdin: %w", err)))
	}
	return writeError(w.close())
}

// answerWriter prints answers in one of their forms. After an error it prints
// nothing more; close returns the error.
type answerWriter struct {
	w    *bufio.Writer
	form string
	csv  *csv.Writer
	n    int
	err  error
}

func newAnswerWriter(s streams, form string) *answerWriter {
	w := &answerWriter{w: bufio.NewWriter(s.out), form: form}
	if form == "csv" {
		w.csv = csv.NewWriter(w.w)
		w.err = w.csv.Write([]string{"url", "agent", "dialect", "allowed", "line", "rule"})
	}
	return w
}

func (w *answerWriter) write(a job.Answer) {
	if w.err != nil {
		return
	}
	w.n++
	switch w.form {
	case "json":
		w.w.WriteString(map[bool]string{true: "[\n", false: ",\n"}[w.n == 1])
		w.err = report.Encoder(trimNewline{w.w}).Encode(a)
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

// trimNewline drops the newline that json.Encoder writes after a value.
type trimNewline struct{ w *bufio.Writer }

func (t trimNewline) Write(b []byte) (int, error) {
	_, err := t.w.WriteString(strings.TrimSuffix(string(b), "\n"))
	return len(b), err
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
		line("  group     line %d: %s", g.Line, shortList(g.Agents))
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

// shortList joins the user agents of a group, which may be hundreds.
func shortList(agents []string) string {
	const most = 8
	if len(agents) <= most {
		return "User-agent: " + strings.Join(agents, ", ")
	}
	return fmt.Sprintf("User-agent: %s and %d more", strings.Join(agents[:most], ", "), len(agents)-most)
}

func (w *answerWriter) close() error {
	switch {
	case w.err != nil:
	case w.form == "json" && w.n == 0:
		w.w.WriteString("[]\n")
	case w.form == "json":
		w.w.WriteString("\n]\n")
	case w.form == "csv":
		w.csv.Flush()
		w.err = w.csv.Error()
	}
	return errors.Join(w.err, w.w.Flush())
}
