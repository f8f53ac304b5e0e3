package render

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// strips show requests over time, one strip per crawler on a common axis, with violations below its line.
type strips struct {
	From, To string
	Unit     string   // time per column
	Unjudged bool     // no robots.txt was given
	Gaps     string   // path of the gaps without any crawler
	Marks    []area   // where robots.txt changed or failed
	Events   []string // describes the marks, in order
	Unlisted string   // describes how many more there are
	List     []strip
	More     string
	Width    int
}

// strip is one crawler's picture. Columns are one unit wide, and the line is at y 0.
type strip struct {
	Name, Title string
	Peak        string // the highest column, and its time
	Areas       []area
	Fetches     string // path of the fetches' marks
	Sum         string // how many requests are forbidden, if robots.txt binds the crawler
	Notes       string // the share of that, the operator, and the kind of crawler
}

// area is the path of the columns of some verdicts.
type area struct{ Class, Path string }

// Measures of a strip, in units of its picture.
const (
	maxColumns  = 120
	stripHeight = 24 // above the line
	stripDepth  = 16 // below it
	maxEvents   = 40 // descriptions of changes and failures of robots.txt
)

// axis maps times to columns.
type axis struct {
	first   time.Time
	last    time.Time // end of the last unit with requests
	step    time.Duration
	columns int
	// unjudged means that no robots.txt was given, so all requests are of the same kind.
	unjudged bool
}

// column returns the column of a time, and whether it has one.
func (a axis) column(at report.Time) (column int, ok bool) {
	t := wallClock(at)
	column = int(t.Sub(a.first) / a.step)
	return column, !at.IsZero() && !t.Before(a.first) && column < a.columns
}

// wallClock returns the local wall-clock time as if it were UTC, so that each day has 24 hours.
func wallClock(t report.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// strips draws the first crawlers. It returns nil if no request has a time.
func (d doc) strips() *strips {
	a, ok := d.axis()
	if !ok {
		return nil
	}
	order, unit := d.pointers(), english.Plural(int64(a.step/time.Hour), "hour")
	if day := 24 * time.Hour; a.step%day == 0 {
		unit = english.Plural(int64(a.step/day), "day")
	}
	s := &strips{From: a.first.Format(time.DateOnly), To: a.last.Add(-time.Second).Format(time.DateOnly),
		Width: a.columns, Unit: unit, Unjudged: a.unjudged, Gaps: a.gaps(order)}
	s.mark(a, d.Policy.Versions)
	for i, c := range order {
		if len(s.List) == maxStripsOnPage {
			left := leftOut{}.addAll(order[i:])
			s.More = fmt.Sprintf("%s %s not drawn.", left.text("crawler"),
				english.Verb(left.others+left.fetchers, "is", "are"))
			break
		}
		if len(c.Timeline.From) > 0 {
			s.List = append(s.List, a.strip(c))
		}
	}
	return s
}

// mark marks when versions came into force, but for the first of an origin, which may be no change.
func (s *strips) mark(a axis, versions []report.VersionInfo) {
	known, marked := map[string]bool{}, map[string]map[int]bool{"changed": {}, "failed": {}}
	var events []report.VersionInfo
	for _, v := range versions {
		class := "changed"
		if v.Status < 200 || v.Status > 299 {
			class = "failed"
		}
		isFirst := !known[v.Origin]
		known[v.Origin] = true
		if column, ok := a.column(v.From); ok && !(isFirst && class == "changed") {
			marked[class][column] = true
			events = append(events, v)
		}
	}
	for _, class := range []string{"changed", "failed"} { // failures are drawn over changes
		path := ""
		for _, column := range slices.Sorted(maps.Keys(marked[class])) {
			path += fmt.Sprintf("M%d-30v48", column)
		}
		if path != "" {
			s.Marks = append(s.Marks, area{class, path})
		}
	}
	slices.SortStableFunc(events, func(x, y report.VersionInfo) int { return x.From.Compare(y.From.Time) })
	for _, v := range events[:min(len(events), maxEvents)] {
		s.Events = append(s.Events, versionTitle(v))
	}
	if more := len(events) - len(s.Events); more > 0 {
		s.Unlisted = fmt.Sprintf("and %d more: see --output json.", more)
	}
}

// gaps draws gaps of a day or more without any crawler, where logs may be missing.
func (a axis) gaps(crawlers []*crawler) string {
	came := make([]bool, a.columns+1)
	came[a.columns] = true
	for _, c := range crawlers {
		for _, from := range c.Timeline.From {
			if column, ok := a.column(from); ok {
				came[column] = true
			}
		}
	}
	var b strings.Builder
	for column, from := 0, 0; column <= a.columns; column++ {
		if !came[column] {
			continue
		}
		if run := column - from; time.Duration(run)*a.step >= 24*time.Hour {
			fmt.Fprintf(&b, "M%d-30h%dv48h-%dz", from, run, run)
		}
		from = column + 1
	}
	return b.String()
}

// axis returns the common time axis of all crawlers.
func (d doc) axis() (a axis, ok bool) {
	a.unjudged = d.Policy.None()
	for i := range d.Crawlers {
		t := d.Crawlers[i].Timeline
		if t.By == report.Decade || len(t.From) == 0 {
			continue
		}
		unit, from, to := t.By.Length(), wallClock(t.From[0]), wallClock(t.From[len(t.From)-1])
		if !ok || from.Before(a.first) {
			a.first = from
		}
		if end := to.Add(unit); !ok || end.After(a.last) {
			a.last = end
		}
		a.step, ok = max(a.step, unit), true
	}
	if !ok {
		return a, false
	}
	units := int((a.last.Sub(a.first) + a.step - 1) / a.step)
	a.step *= time.Duration((units + maxColumns - 1) / maxColumns)
	a.columns = int((a.last.Sub(a.first) + a.step - 1) / a.step)
	return a, true
}

// byLayer counts requests per column by layer, with violations under "", and fetches of robots.txt.
func (a axis) byLayer(c *crawler) (of map[string][]int64, fetches []int64) {
	of, fetches = map[string][]int64{}, make([]int64, a.columns)
	for _, v := range verdictTerms {
		of[v.layer] = make([]int64, a.columns)
	}
	for i, from := range c.Timeline.From {
		column, ok := a.column(from)
		for _, v := range verdictTerms {
			list := c.Timeline.Verdicts[v.verdict]
			if !ok || i >= len(list) {
				continue
			}
			class := v.layer
			if a.unjudged && class == "excused" {
				class = "allowed"
			}
			of[class][column] += list[i]
			if v.verdict == report.RobotsFetch {
				fetches[column] += list[i]
			}
		}
	}
	return of, fetches
}

func (a axis) strip(c *crawler) strip {
	of, fetches := a.byLayer(c)
	below := of[""]
	scale := float64(stripHeight) // units per request, the same above and below the line
	peak, at := int64(0), 0
	for column := range a.columns {
		sum := int64(0)
		for _, numbers := range of {
			sum += numbers[column]
		}
		if sum > peak {
			peak, at = sum, column
		}
		scale = min(scale, stripHeight/float64(max(sum-below[column], 1)), stripDepth/float64(max(below[column], 1)))
	}
	layout := time.DateOnly
	if a.step < 24*time.Hour {
		layout = "01-02 15:04"
	}
	s := a.caption(c)
	s.Peak = fmt.Sprintf("peak %s, %s", english.Grouped(peak), a.first.Add(time.Duration(at)*a.step).Format(layout))
	tops := make([]int64, a.columns) // of the layers so far
	for _, layer := range layers {
		drawn := make([]int64, a.columns) // full height of the columns where the layer has requests
		for column, n := range of[layer.Class] {
			tops[column] += n
			if n > 0 {
				drawn[column] = tops[column]
			}
		}
		if slices.Max(drawn) > 0 { // lower layers are drawn over higher ones
			s.Areas = slices.Insert(s.Areas, 0, area{layer.Class, steps(drawn, -scale)})
		}
	}
	if slices.Max(below) > 0 {
		s.Areas = append(s.Areas, area{"forbidden", steps(below, scale)})
	}
	for column, n := range fetches {
		if n > 0 {
			s.Fetches += fmt.Sprintf("M%d %dh1", column, -stripHeight-3)
		}
	}
	return s
}

// caption returns a strip's texts without its picture.
func (a axis) caption(c *crawler) strip {
	n, own := c.Verdicts[report.Violation], own(c)
	s := strip{Name: shortName(c), Sum: english.Grouped(n) + " of " + english.Grouped(own) + " forbidden"}
	if c.Exempt != "" || a.unjudged {
		s.Sum = english.Plural(own, "request")
	}
	var notes []string
	if n > 0 {
		notes = []string{wholeShare(n, own), identityOf(c)}
	}
	switch {
	case isFetcher(c):
		notes = append(notes, "a fetcher")
	case c.Exempt != "":
		notes = append(notes, "says it is not bound")
	}
	if spoofed := c.Verdicts[report.Spoofed]; spoofed > 0 {
		notes = append(notes, "without "+english.Plural(spoofed, "impostor request"))
	}
	s.Notes = strings.Join(notes, ", ")
	from := c.Timeline.From
	s.Title = fmt.Sprintf("%s: %s, from %s to %s", s.Name, s.Sum, from[0].Format(time.DateOnly),
		from[len(from)-1].Format(time.DateOnly))
	return s
}

// steps draws a column for each number, scale units high per request, and at least one if not 0.
func steps(numbers []int64, scale float64) string {
	var b strings.Builder
	b.WriteString("M0 0")
	at, run := 0, 0 // height of the last columns, and their number
	flush := func() {
		if run > 0 {
			fmt.Fprintf(&b, "h%d", run)
		}
	}
	for _, n := range numbers {
		y := int(math.Copysign(math.Round(max(math.Abs(scale)*float64(n), float64(min(n, 1)))), scale))
		if y != at {
			flush()
			fmt.Fprintf(&b, "v%d", y-at)
			at, run = y, 0
		}
		run++
	}
	flush()
	return b.String() + "V0z"
}
