package main

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// A truth is what a true audit says of one line. The zero truth is that of a
// browser.
type truth struct {
	crawler string // as the report names it; "" is none
	verdict string // of a crawler's line: one of the nine, or notJudged
	reason  string // of an indeterminate verdict
	outcome string // of a violation
	told    bool   // the line is a fetch of robots.txt that had an answer
	not     string // what the line is not, if not a record: blank or unparsed
}

// The verdicts that this sample has, and three words for lines without one.
const (
	allowed       = "allowed"
	robotsFetch   = "robots_fetch"
	violation     = "violation"
	indeterminate = "indeterminate"
	exempt        = "exempt"

	notJudged = "not_judged"
	unparsed  = "unparsed"
	blank     = "blank"
)

// outcomeOf says what a violation was answered with.
func outcomeOf(status int) string {
	switch {
	case status/100 == 2, status == 304:
		return "obtained"
	case status/100 == 3:
		return "redirected"
	case slices.Contains([]int{401, 403, 429, 444, 451}, status), status/100 == 5:
		return "refused"
	}
	return "absent"
}

// A report is expected.json: the figures of the audit under the names that its
// own JSON output gives them, and two more (blank, and informed as one number).
type report struct {
	Blank       int               `json:"blank"`
	Lines       int               `json:"lines"`
	Unparsed    int               `json:"unparsed"`
	NotCrawlers int               `json:"not_crawlers"`
	OtherHost   int               `json:"other_host"`
	NotJudged   int               `json:"not_judged"`
	Crawlers    []*crawlerFigures `json:"crawlers"`
}

type crawlerFigures struct {
	Crawler  string         `json:"crawler"`
	Requests int            `json:"requests"`
	Verdicts map[string]int `json:"verdicts"`
	Reasons  map[string]int `json:"reasons"`
	Outcomes map[string]int `json:"outcomes"`
	Informed int            `json:"informed"` // violations after its own first fetch of robots.txt

	told time.Time // that first fetch; zero if there was none yet
}

// tally counts what is known of the lines, which are in order of time.
func tally(lines []line) *report {
	var r report
	byName := map[string]*crawlerFigures{}
	for _, l := range lines {
		if l.truth.not == blank {
			r.Blank++
			continue
		}
		r.Lines++
		switch {
		case l.truth.not == unparsed:
			r.Unparsed++
		case l.truth.crawler == "":
			r.NotCrawlers++
		case l.truth.verdict == notJudged:
			r.NotJudged++
		default:
			c := byName[l.truth.crawler]
			if c == nil {
				c = newFigures(l.truth.crawler)
				byName[c.Crawler] = c
			}
			c.count(l)
		}
	}
	r.Crawlers = slices.SortedFunc(maps.Values(byName), func(a, b *crawlerFigures) int {
		return cmp.Or(cmp.Compare(b.Verdicts[violation], a.Verdicts[violation]), cmp.Compare(a.Crawler, b.Crawler))
	})
	return &r
}

func newFigures(name string) *crawlerFigures {
	return &crawlerFigures{
		Crawler: name,
		Verdicts: map[string]int{
			allowed: 0, robotsFetch: 0, violation: 0, "grace": 0, indeterminate: 0,
			"no_policy": 0, "unreachable": 0, exempt: 0, "spoofed": 0,
		},
		Reasons:  map[string]int{},
		Outcomes: map[string]int{"obtained": 0, "redirected": 0, "refused": 0, "absent": 0},
	}
}

func (c *crawlerFigures) count(l line) {
	c.Requests++
	c.Verdicts[l.truth.verdict]++
	switch l.truth.verdict {
	case indeterminate:
		c.Reasons[l.truth.reason]++
	case violation:
		c.Outcomes[l.truth.outcome]++
		if !c.told.IsZero() && c.told.Before(l.at) {
			c.Informed++
		}
	}
	if l.truth.told && c.told.IsZero() {
		c.told = l.at
	}
}
