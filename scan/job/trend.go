package job

import (
	"context"
	"fmt"
	"maps"
	"math"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Trend calls each for every agent and month, from that of the first dated version in an archive to that of the last
// one: how many sites had which class at the end of the month. Errors are of type *Error, or of each.
func Trend(ctx context.Context, o ClassOptions, each func(*report.MonthClass) error) error {
	c, err := newClassifier(ctx, o)
	if err != nil {
		return err
	}
	t := trend{classifier: c, changes: map[monthAgent]map[string]int64{}, first: math.MaxInt, end: math.MinInt}
	c.each = t.add
	if err := c.list(o.Archive, c.origin); err != nil {
		return err
	}
	return t.rows(o.Archive, each)
}

// maxMonths bounds the months of a trend: a calendar has years of four digits, but an archive any instant.
const maxMonths = 12 * 10_000

// rows calls each for every agent and month.
func (t *trend) rows(name string, each func(*report.MonthClass) error) error {
	if t.first < t.end && t.end-t.first >= maxMonths {
		return inputError(fmt.Errorf("%s: %s lie between its first date and its last, too many to list by month", name,
			english.Plural(int64(t.end-t.first), "month")))
	}
	for _, a := range t.agents {
		sum := map[string]int64{}
		maps.Copy(sum, t.changes[monthAgent{math.MinInt, a.Name}])
		for month := t.first; month <= t.end; month++ {
			row := report.MonthClass{Month: time.Date(0, time.Month(month+1), 1, 0, 0, 0, 0, time.UTC).Format("2006-01"),
				Agent: a.Name, Sites: t.sites}
			for class, n := range t.changes[monthAgent{month, a.Name}] {
				sum[class] += n
			}
			row.Classes = maps.Clone(sum)
			row.Classes[report.UnknownClass] = t.sites // also those without a version yet
			for _, class := range report.MonthClasses()[1:] {
				row.Classes[report.UnknownClass] -= sum[class]
			}
			if err := each(&row); err != nil {
				return err
			}
		}
	}
	return nil
}

// monthAgent is a month, in months since the year 0, and an agent. Versions without a date have the month math.MinInt.
type monthAgent struct {
	month int
	agent string
}

// trend counts how the number of sites of a class changes from month to month.
type trend struct {
	*classifier
	changes    map[monthAgent]map[string]int64
	origin     string // of the last class
	sites      int64
	first, end int
}

// add counts a version from its first month to the one before its end. If a site has origins by https and
// by http, the one by https counts.
func (t *trend) add(c *report.SiteClass) error {
	if host, isPlain := strings.CutPrefix(c.Origin, "http://"); isPlain {
		secure := "https://" + strings.TrimSuffix(host, ":80") + ":443"
		if _, found, err := t.archive.LookupAt([]byte(secure), t.archive.Dialects()[0], newest); found || err != nil {
			return err
		}
	}
	if c.Origin != t.origin {
		t.origin, t.sites = c.Origin, t.sites+1
	}
	from, until := monthOf(c.From), monthOf(c.Until)
	if from != math.MinInt {
		t.first, t.end = min(t.first, from), max(t.end, from)
	}
	class := c.Class
	if c.Class == "none" && c.Probed == "" {
		class = report.MissingClass
	}
	for month, by := range map[int]int64{from: 1, until: -1} {
		key := monthAgent{month, c.Agent}
		if t.changes[key] == nil {
			t.changes[key] = map[string]int64{}
		}
		if from < until {
			t.changes[key][class] += by
		}
	}
	return nil
}

// monthOf returns the month of an instant in Unix seconds, in months since the year 0.
func monthOf(at int64) int {
	switch at {
	case math.MinInt64:
		return math.MinInt
	case math.MaxInt64:
		return math.MaxInt
	}
	t := time.Unix(at, 0).UTC()
	return t.Year()*12 + int(t.Month()) - 1
}
