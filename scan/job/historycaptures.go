package job

import (
	"context"
	"errors"
	"fmt"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/capture"
	"github.com/robotsieve/robotsieve/scan/history"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// HistorySources are the kinds of sources of History: those of package history, and captures as Compile
// reads them.
func HistorySources() []history.Source { return append(history.Sources(), captures) }

var captures = history.Source{
	Name: "captures", Args: "SOURCE...", Short: "from captures of a crawl, or folders of dated files",
	Times: policy.Observed, Read: readCaptures,
	Long: `Captures reads what compile reads, named likewise: WARC files, of which the responses
to /robots.txt count, such as those of the subset robotstxt of Common Crawl; lines or
tables with hosts, bodies and dates, whose names --fields gives; JSON objects
{"https://example.com":{"2026-01-15":"User-agent..."}}; and folders of files, DATE/HOST
or HOST/DATE. What has no date is passed over, and the exit status is 3.

An archive of compile has rules and no files: give what it was made of.`,
	Example: `  robotsieve history captures crawl-2026-*.warc.gz -o versions
  robotsieve history captures 2025/ 2026/ -o versions`,
	Flags: []history.Flag{{Name: "fields", Help: "names of the members of JSON, or columns of Parquet, as for compile: " +
		"host=NAME,body=NAME,date=NAME,..."}},
}

// readCaptures gives the rows of captures as the servers sent them: redirects are not followed.
func readCaptures(ctx context.Context, q *history.Query, to *history.Writer) (err error) {
	o := CompileOptions{Messages: Messages{Warn: q.Warn}, Memory: q.Memory / 4, MaxBytes: history.MaxBody}
	if fields := q.Values["fields"]; fields != "" {
		if o.Fields, err = capture.ParseFields(fields); err != nil {
			return history.UsageError("--fields: " + err.Error())
		}
	}
	g := newGatherer(ctx, o, shareCompiling(o.Memory))
	defer g.stop(nil)
	g.options.Wants = nil
	g.give = func(c capture.Capture) error {
		if c.Time.IsZero() {
			g.skip(capture.BadDate, fmt.Errorf("%s: %v", g.name, c.Origins))
			return nil
		}
		row := &history.Row{Origins: c.Origins, Time: c.Time, Status: int(c.Status), Location: c.Location, Body: c.Body,
			Place: g.name}
		switch {
		case len(c.Body) > history.MaxBody:
			row.Body = nil
		case c.Body == nil && answer.Of(row.Status, answer.Archive) == answer.File:
			row.Body = []byte{}
		}
		return to.Add(row)
	}
	for _, name := range q.Args {
		g.source(name, aSource)
	}
	g.report()
	if g.lost {
		q.Fault("not all captures could be read")
	}
	if err := context.Cause(g.ctx); err != nil {
		return err
	}
	if len(g.taken) == 0 {
		return errors.New("no robots.txt in any source")
	}
	return nil
}
