package studies

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/scan/report"
)

// about says how the rows were made, and what the log cannot say.
func about(r *report.Report, unplaced int64) (list []report.StudyRow) {
	say := func(measure string, notes ...string) {
		for _, note := range notes {
			list = append(list, report.StudyRow{Measure: measure, Scope: "log", Value: math.NaN(), Low: math.NaN(),
				High: math.NaN(), Note: note})
		}
	}
	say("methods", fmt.Sprintf("robotsieve %s, docs/studies.md of that version; requests of crawlers from %s to %s, "+
		"judged by %s", r.Program, cmp.Or(r.From, "?"), cmp.Or(r.To, "?"), r.Policy.File))
	if !r.Choice.IsAll() {
		say("limit", "all rows are of "+r.Choice.String()+" only (--crawler, --category)")
	}
	say("assumption", r.Assumptions...)
	say("limit", r.Warnings...)
	if unplaced > 0 {
		say("limit", fmt.Sprintf("requests without an address or a time, which are in no session: %d", unplaced))
	}
	if !r.RobotsTxt.Logged {
		say("limit", "the log has no fetch of robots.txt, so there is no measure of them")
	}
	if len(r.Changes) == 0 {
		say("limit", "no change of robots.txt is within the log, so there is neither a baseline nor a latency")
	}
	return list
}

// reported makes rows of what the report has counted, without impostors.
func reported(r *report.Report) (list []report.StudyRow) {
	for i := range r.Crawlers {
		c := &r.Crawlers[i]
		for _, d := range c.CrawlDelay {
			row := shareRow("crawl_delay", "crawler", c.Crawler, "gaps", d.Gaps-d.Shorter, d.Gaps)
			row.Note = fmt.Sprintf("Crawl-delay %g s of %s; no baseline", d.Delay, cmp.Or(d.Origin, "any site"))
			list = append(list, row)
		}
	}
	l := latencies{}
	for i := range r.Changes {
		of := &r.Changes[i]
		for j := range of.Crawlers {
			if c := &of.Crawlers[j]; !of.Given {
				list = append(list, directive(of, c)...)
				l.addChange(of, c)
			}
		}
	}
	return append(list, l.rows()...)
}

// directive compares which share of the requests is for the paths that a change is about, before it and
// after, by z as Kim and others print it.
func directive(of *report.RobotsChange, c *report.ChangedCrawler) (list []report.StudyRow) {
	b, a := c.Before, c.After
	if b.Requests == 0 || a.Requests == 0 || b.Paths == nil || a.Paths == nil {
		return nil
	}
	add := func(measure string, part, of int64) {
		list = append(list, shareRow(measure, "crawler", c.Crawler, "requests", part, of))
	}
	add("changed_paths_before", *b.Paths, b.Requests)
	add("changed_paths_after", *a.Paths, a.Requests)
	if p := float64(c.Paths()) / float64(c.Requests()); 0 < p && p < 1 {
		add("changed_paths_z", 0, c.Requests())
		list[2].Value = (list[1].Value - list[0].Value) / math.Sqrt(p*(1-p)*(1/float64(b.Requests)+1/float64(a.Requests)))
	}
	for i := range list {
		list[i].Note = fmt.Sprintf("%s: %s in place of %s", of.Time, cmp.Or(of.NewFile, "no file"),
			cmp.Or(of.OldFile, "no file"))
	}
	return list
}

// span is a number of seconds; ended: what it was to last until has come.
type span struct {
	seconds float64
	ended   bool
}

// latencies has the spans of each measure and crawler, and of all crawlers under the name "".
type latencies map[[2]string][]span

// addChange adds what a crawler did after a change.
func (l latencies) addChange(of *report.RobotsChange, c *report.ChangedCrawler) {
	add := func(measure string, seconds float64, ended bool) {
		for _, name := range []string{"", c.Crawler} {
			k := [2]string{measure, name}
			l[k] = append(l[k], span{seconds, ended})
		}
	}
	if c.Unknown == report.ChangeNoFetch && c.After.Requests > 0 {
		add("latency_to_fetch", of.After.Days*86400, false)
	}
	if c.FetchSeconds == nil {
		return
	}
	add("latency_to_fetch", float64(*c.FetchSeconds), true)
	if c.LastSeconds == nil {
		add("latency_to_last_forbidden", 0, true)
	} else {
		add("latency_to_last_forbidden", float64(*c.LastSeconds), !c.Ongoing)
	}
}

func (l latencies) rows() (list []report.StudyRow) {
	for _, k := range slices.SortedFunc(maps.Keys(l), func(x, y [2]string) int { return slices.Compare(x[:], y[:]) }) {
		row := report.StudyRow{Measure: k[0], Scope: "crawler", Name: k[1], Unit: "changes", N: int64(len(l[k])),
			Value: median(l[k]), Low: math.NaN(), High: math.NaN()}
		if k[1] == "" {
			row.Scope, row.Unit = "all", "crawlers and changes"
		}
		if math.IsNaN(row.Value) {
			row.Note = "not reached"
		}
		list = append(list, row)
	}
	return list
}

// median returns the first time at which the Kaplan-Meier estimate of what still lasts is at most a
// half, NaN if there is none. What ends at a time ends before what is last seen then.
func median(list []span) float64 {
	slices.SortFunc(list, func(x, y span) int {
		return cmp.Or(cmp.Compare(x.seconds, y.seconds), cmp.Compare(isOf(y.ended), isOf(x.ended)))
	})
	lasting := 1.0
	for i, s := range list {
		if s.ended {
			lasting *= 1 - 1/float64(len(list)-i)
		}
		if lasting < 0.5+1e-9 {
			return s.seconds
		}
	}
	return math.NaN()
}
