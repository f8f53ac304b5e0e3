package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/job"
)

// runPages explains what robots.txt and the pages say, as a WARC file has them.
func (f *checkFlags) runPages(ctx context.Context, s streams, urls []string) error {
	switch {
	case f.output == "csv":
		return usageError("--warc has no form csv: what a page states does not fit into a row")
	case len(urls) == 0:
		return usageError("no URL: --warc explains the captures of URLs")
	case f.options.Robots.Name == "-" || f.warc == "-" || len(stdinIn(urls)) > 0:
		return usageError("with --warc nothing is read from stdin")
	}
	if err := job.RefuseStreams(s.out, s.err, s.in, f.warc, f.options.Robots.Name, f.options.Archive,
		f.agent.Crawlers); err != nil {
		return err
	}
	answers, err := job.CheckPages(ctx, f.options, f.warc, urls)
	if f.quiet {
		s.out = io.Discard
	}
	w := newAnswerWriter(s, f.output, len(f.names) > 1)
	for _, a := range answers {
		w.write(a.Answer, a, func() {
			a := audit.Texts(a, audit.Printable)
			w.text(a.Answer)
			w.pageText(a)
		})
	}
	return f.end(w, err, "the robots.txt of the origin is not known: give it with --robots or --rules")
}

// end ends the answers and returns the error of the command. The reason is why an answer has no verdict.
func (f *checkFlags) end(w *answerWriter, err error, reason string) error {
	if err = errors.Join(w.close(), err); err != nil {
		return err
	}
	if w.unknown > 0 {
		return inputError(fmt.Errorf("%s without a verdict, because %s", english.Plural(w.unknown, "answer"), reason))
	}
	if f.quiet && w.disallowed {
		return exitWith(exitFound)
	}
	return nil
}

// pageText prints what follows the verdict on the URL of a captured page.
func (w *answerWriter) pageText(a job.PageAnswer) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w.w, "  %-9s "+format+"\n", append([]any{label}, args...)...)
	}
	if a.RobotsTxt != "" {
		line("robots", "%s", a.RobotsTxt)
	}
	c := a.Capture
	capture := []string{fmt.Sprintf("status %d", c.Status)}
	if c.ContentType != "" {
		capture = append(capture, c.ContentType)
	}
	if c.Date != "" {
		capture = append(capture, c.Date)
	}
	if c.Captures > 1 {
		capture = append(capture, fmt.Sprintf("the newest of %s", english.Plural(int64(c.Captures), "capture")))
	}
	line("capture", "%s", strings.Join(capture, ", "))
	for _, s := range a.Statements {
		label, text := "header", s.Source+": "+s.Text
		if s.Source == "meta" {
			label, text = "meta", s.Crawler+": "+s.Text
			if s.Crawler == "" {
				text = "robots: " + s.Text
			}
		}
		if !s.Applies {
			text += " (not for " + a.Agent + ")"
		}
		if len(s.Unknown) > 0 {
			text += " (unknown: " + strings.Join(s.Unknown, ", ") + ")"
		}
		line(label, "%s", text)
	}
	if len(a.Directives) > 0 {
		line("page", "states %s", strings.Join(a.Directives, ", "))
	} else {
		line("page", "states nothing that restricts %s", a.Agent)
	}
	if a.Partial {
		line("but", "not all of its head was read, because it is too large")
	}
	if c.Unread != "" {
		line("but", "the body could not be read to its end: %s", c.Unread)
	}
	if a.Unseen != "" {
		line("unseen", "%s", a.Unseen)
	}
}
