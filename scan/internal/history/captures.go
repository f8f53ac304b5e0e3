package history

import (
	"context"
	"errors"
	"fmt"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// capturesSource reads captures as compile does for an archive.
var capturesSource = Source{Name: "captures", Times: policy.Observed, Read: readCaptures}

// readCaptures gives the rows of captures as the servers sent them: redirects are not followed.
func readCaptures(ctx context.Context, q *Query, to *Writer) error {
	o := capture.Options{MaxBody: MaxBody + 1, MaxLine: q.MaxLine}
	if fields := q.Values["fields"]; fields != "" {
		var err error
		if o.Fields, err = capture.ParseFields(fields); err != nil {
			return UsageError("option Fields: " + err.Error())
		}
	}
	g := capture.NewSources(ctx, o)
	g.Window, g.Explain = q.Window, q.Explain
	defer g.Stop(nil)
	monthly := false
	g.Add = func(c capture.Capture) error {
		row := &Row{Origins: c.Origins, Time: c.Time, Month: c.Month, Status: int(c.Status),
			Location: c.Location, Body: c.Body, Place: g.Name}
		monthly = monthly || c.Month
		why := "no date in it, nor in the name of the file or folder"
		if c.Line > 0 {
			row.Place = fmt.Sprintf("%s:%d", g.Name, c.Line)
			why = "no date: option Fields names the members that are read, such as host=host,body=body,date=fetched"
		}
		switch {
		case c.Time.IsZero():
			g.Skip(capture.BadDate, fmt.Errorf("%s: %s", row.Place, why))
			return nil
		case len(c.Body) > MaxBody:
			row.Body = nil
		case c.Body == nil && answer.Of(row.Status, answer.Archive) == answer.File:
			row.Body = []byte{}
		}
		return to.Add(row)
	}
	g.Unused = func(c capture.Capture) { // another file may have been there
		if len(c.Origins) == 0 || c.Path != "" || c.Time.IsZero() {
			return
		}
		if err := to.Add(&Row{Origins: c.Origins, Time: c.Time, Status: 200, Place: g.Name}); err != nil {
			g.Stop(err)
		}
	}
	for _, name := range q.Args {
		g.Inside = name
		if name == "-" {
			g.ReadStream(name, q.In)
		} else if err := q.Refuse(name); err != nil {
			g.Skip(capture.BadForm, err)
		} else {
			g.ReadAll(name)
		}
	}
	g.Report(q.Warn)
	if monthly {
		q.Warn("of some captures only the month is known: audit needs option Skew 31d")
	}
	if g.Lost {
		q.Fault("not all captures could be read")
	}
	if err := context.Cause(g.Context()); err != nil {
		return err
	}
	if len(g.Taken) == 0 {
		return errors.New("no robots.txt in any source")
	}
	return nil
}
