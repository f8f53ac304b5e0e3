package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

type checkFlags struct {
	*args
	options job.CheckOptions
}

func runCheck(ctx context.Context, s streams, a *args) error {
	if a.is("jsonl") {
		return runBatch(s, a)
	}
	if a.text("tdmrep") != "" {
		return runTDMRep(ctx, s, a)
	}
	f := &checkFlags{a, job.CheckOptions{
		Agents: agentsOf(a), Robots: robotsFile(s, a), Archive: a.text("rules"), AsOf: a.text("as-of"),
		Messages: s.messages(), Crawlers: a.text("crawlers"), Crossings: a.is("crossings"),
		Against:  job.RobotsFile{Name: a.text("against"), Stdin: s.in, MaxBytes: maxBytes(a)},
		Sitemaps: a.texts("sitemap"),
	}}
	if f.options.Against.Name != "" && f.options.Against.Name == f.options.Robots.Name {
		return usageError("--robots and --against are the same file")
	}
	switch {
	case f.text("warc") != "":
		return f.runPages(ctx, s, a.rest)
	case len(a.rest) == 0 && f.options.Archive != "" && f.options.Robots.Name == "":
		return f.describeArchive(ctx, s)
	}
	return f.run(ctx, s, a.rest)
}

func (f *checkFlags) describeArchive(ctx context.Context, s streams) error {
	if err := job.RefuseStreams(s.out, s.err, s.in, f.options.Archive); err != nil {
		return err
	}
	sum, err := job.ListArchive(ctx, f.options.Archive, nil)
	if err != nil {
		return err
	}
	if f.text("output") == "text" {
		err = writeArchive(s.out, sum)
	} else {
		sum.File, sum.Program = report.ToUTF8(sum.File), report.ToUTF8(sum.Program)
		err = render.WriteJSON(s.out, sum, "")
	}
	return writing("what the archive has", err)
}

// run answers about URLs, or describes the robots.txt.
func (f *checkFlags) run(ctx context.Context, s streams, urls []string) error {
	if err := job.RefuseStreams(s.out, s.err, s.in, slices.Concat(stdinIn(urls), f.options.Sitemaps,
		[]string{f.options.Robots.Name, f.options.Against.Name, f.options.Archive, f.options.Crawlers})...); err != nil {
		return err
	}
	c, err := job.NewChecker(ctx, f.options)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // the file was only read
	if len(urls) == 0 {
		return f.describe(ctx, s, c, nil)
	}
	if f.is("quiet") {
		s.out = io.Discard
	} else if f.isPage() {
		var answers []explain.Answer
		err := eachAnswer(s, c, urls, func(a explain.Answer) { answers = append(answers, a) })
		if err != nil {
			return err
		}
		return f.describe(ctx, s, c, answers)
	}
	w := newAnswerWriter(s, f.text("output"), len(f.options.Agents) > 1)
	err = eachAnswer(s, c, urls, func(a explain.Answer) { w.write(a, nil) })
	return f.end(w, err, "the archive does not have the robots.txt of the origin")
}

// isPage reports whether the answers go on a page about the whole robots.txt.
func (f *checkFlags) isPage() bool {
	return slices.Contains([]string{"html", "markdown"}, f.text("output"))
}

// eachAnswer calls each for the answers about URLs, which may come from stdin.
func eachAnswer(s streams, c *job.Checker, urls []string, each func(explain.Answer)) (err error) {
	ask := func(url string) error {
		answers, err := c.Check(url)
		for _, a := range answers {
			each(a)
		}
		return err
	}
	if len(stdinIn(urls)) > 0 {
		line := int64(0)
		return eachLine(s.in, "URLs", func(url string) error {
			line++
			if err := ask(strings.Trim(url, "\ufeff \t")); err != nil { // no part of a URL
				return fmt.Errorf("line %s of stdin: %w", english.Grouped(line), err)
			}
			return nil
		})
	}
	for i := 0; i < len(urls) && err == nil; i++ {
		err = ask(urls[i])
	}
	return err
}

func (f *checkFlags) runPages(ctx context.Context, s streams, urls []string) error {
	if err := job.RefuseStreams(s.out, s.err, s.in, f.text("warc"), f.options.Robots.Name, f.options.Archive,
		f.options.Crawlers); err != nil {
		return err
	}
	answers, err := job.CheckPages(ctx, f.options, f.text("warc"), urls)
	if f.is("quiet") {
		s.out = io.Discard
	}
	w := newAnswerWriter(s, f.text("output"), len(f.options.Agents) > 1)
	for _, a := range answers {
		w.write(a.Answer, &a)
	}
	return f.end(w, err, "the robots.txt of the origin is not known: give it with --robots or --rules")
}

// end completes the output. The reason says why an answer has no verdict.
func (f *checkFlags) end(w *answerWriter, err error, reason string) error {
	if err = errors.Join(w.close(), err); err != nil {
		return err
	}
	if w.unknown > 0 {
		return inputError(fmt.Errorf("%s without a verdict, because %s", english.Plural(w.unknown, "answer"), reason))
	}
	if f.is("quiet") && w.disallowed {
		return exitWith(exitFound)
	}
	return nil
}

// describe prints what robots.txt says. It returns an error if a condition of --fail-on holds.
func (f *checkFlags) describe(ctx context.Context, s streams, c *job.Checker, answers []explain.Answer) error {
	d, err := c.Describe(ctx, dialect(f.args))
	if err != nil {
		return err
	}
	if !f.is("quiet") {
		write := func() error { return f.writeDescription(s, d) }
		if f.isPage() {
			write = func() error { return f.writePage(s, c, d, answers) }
		}
		if err := write(); err != nil {
			return writing("the answers", err)
		}
	}
	code := exitDone
	for _, condition := range slices.Concat(values[[]string](f.args, "fail-on")...) {
		n, noun := len(d.Differences)+d.NotListed.Differences, "difference"
		if condition != onChange {
			n, noun = 0, "note"
			for _, severity := range failOnValues[slices.Index(failOnValues, condition):] {
				n += d.Severities[severity]
			}
		} else if n == 0 && len(d.Undecided) > 0 {
			return inputError(fmt.Errorf("--fail-on change was not decided for %s, because the search was too long",
				explain.NamesOf(d.Undecided)))
		}
		if n > 0 {
			code = exitFound
			if !f.is("quiet") {
				s.warn("--fail-on %s: %s", condition, english.Plural(int64(n), noun))
			}
		}
	}
	return exitWith(code)
}
