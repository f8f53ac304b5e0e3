package job

import (
	"context"
	"errors"
	"fmt"
	"time"

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

An archive of compile --versions all has rules and no files: of each version a file is
made that has the same rules on the same lines, so that sizes and comments are lost.`,
	Example: `  robotsieve history captures crawl-2026-*.warc.gz -o versions
  robotsieve history captures 2025/ 2026/ -o versions`,
	Flags: []history.Flag{{Name: "fields", Help: "names of the members of JSON, or columns of Parquet, as for compile: " +
		"host=NAME,body=NAME,date=NAME,..."}},
}

// readCaptures gives the rows of captures as the servers sent them: redirects are not followed.
func readCaptures(ctx context.Context, q *history.Query, to *history.Writer) (err error) {
	o := CompileOptions{Messages: Messages{Warn: q.Warn}, Memory: q.Memory, MaxBytes: history.MaxBody}
	if fields := q.Values["fields"]; fields != "" {
		if o.Fields, err = capture.ParseFields(fields); err != nil {
			return history.UsageError("--fields: " + err.Error())
		}
	}
	g := newGatherer(ctx, o, shareCompiling(o.Memory))
	defer g.stop(nil)
	g.options.Wants = nil
	add := func(row *history.Row) error {
		if row.Time.IsZero() {
			g.skip(capture.BadDate, fmt.Errorf("%s: %v", row.Place, row.Origins))
			return nil
		}
		return to.Add(row)
	}
	g.give = func(c capture.Capture) error {
		row := &history.Row{Origins: c.Origins, Time: c.Time, Status: int(c.Status), Location: c.Location, Body: c.Body,
			Place: g.name}
		switch {
		case len(c.Body) > history.MaxBody:
			row.Body = nil
		case c.Body == nil && answer.Of(row.Status, answer.Archive) == answer.File:
			row.Body = []byte{}
		}
		return add(row)
	}
	for _, name := range q.Args {
		if !policy.IsArchive(name) {
			g.source(name, aSource)
			continue
		}
		g.taken["archives"]++
		rows, err := policy.ReadArchive(name, q.Memory/4)
		if err != nil {
			g.skip(unread, err)
		}
		for _, r := range rows {
			row := &history.Row{Origins: r.Origins, Status: r.Status, Body: r.Body, Digest: r.Digest, Place: r.Where}
			if r.From != policy.MinTime {
				row.Time = time.Unix(0, r.From)
			}
			if err := add(row); err != nil {
				return err
			}
		}
	}
	g.report()
	if g.monthly {
		q.Warn("of some folders only the month is known, and the first day is taken: give audit --skew 31d")
	}
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
