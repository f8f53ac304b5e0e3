package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// A truth is the correct verdict on one line. The zero truth is that of a
// browser.
type truth struct {
	crawler  string // as the report names it; "" is none
	verdict  string // of a crawler's line: one of the nine, or notJudged
	alone    string // the verdict of an audit by robots.txt alone, if that is another
	reason   string // of an indeterminate verdict
	identity string // if the client is not the crawler's own
	method   string
	outcome  string
	evasive  bool // allowed, but forbidden in the normal form of its path
	told     bool // the line is a GET of robots.txt that was answered with the file in force
	// toldAlone: the answer fits today's robots.txt too, by its size or by having none.
	toldAlone bool
	not       string // blank or unparsed, if the line is no record
}

// The nine verdicts, what is known of a client, and four words for lines without
// a verdict.
const (
	allowed       = "allowed"
	robotsFetch   = "robots_fetch"
	violation     = "violation"
	grace         = "grace"
	indeterminate = "indeterminate"
	noPolicy      = "no_policy"
	unreachable   = "unreachable"
	exempt        = "exempt"
	spoofed       = "spoofed"

	verified     = "verified"
	unverified   = "unverified"
	unverifiable = "unverifiable"

	notJudged = "not_judged"
	otherHost = "other_host"
	unparsed  = "unparsed"
	blank     = "blank"
)

// in returns the verdict on the line and the identity of its client in one of the
// two audits.
func (t truth) in(full bool) (verdict, identity string) {
	byRobots, byFiles := identityOf(t.crawler)
	if full {
		return t.verdict, cmp.Or(t.identity, byFiles)
	}
	return cmp.Or(t.alone, t.verdict), byRobots // without a list no impostor is found out
}

// sentOld returns the crawlers that were sent the robots.txt of before. An audit by today's
// alone does not know that file, and so accuses none of them.
func sentOld(lines []line) map[string]bool {
	names := map[string]bool{}
	for _, l := range lines {
		if l.truth.told && l.truth.outcome == "content" && !l.truth.toldAlone {
			names[l.truth.crawler] = true
		}
	}
	return names
}

// methodOf says how reports call the method of a request line.
func methodOf(line string) string {
	if method, _, _ := strings.Cut(line, " "); method == "GET" || method == "HEAD" {
		return method
	}
	return "other"
}

// outcome returns the outcome of a violation.
func (r request) outcome() string {
	switch {
	case r.status/100 == 2 && r.size() == "-":
		return "empty"
	case r.status/100 == 2:
		return "content"
	case r.status == 304:
		return "not_modified"
	case r.status/100 == 3:
		return "redirected"
	case slices.Contains([]int{401, 403, 429, 444, 451}, r.status), r.status/100 == 5:
		return "refused"
	}
	return "other"
}

// expectations is expected.json: the correct figures of two audits, by today's
// robots.txt alone, and with the manifest, the crawlers and the ranges.
type expectations struct {
	Alone *report `json:"robots"`
	Full  *report `json:"policy"`
}

// A report has the figures of an audit under the names that its own JSON output
// gives them, and one more (blank).
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
	Crawler       string         `json:"crawler"`
	Requests      int            `json:"requests"`
	Verdicts      map[string]int `json:"verdicts"`
	Reasons       map[string]int `json:"reasons"`
	Outcomes      map[string]int `json:"outcomes"`
	Identity      map[string]int `json:"identity"`
	Evasive       int            `json:"evasive"`
	GraceInformed int            `json:"grace_informed"` // after its own first fetch of the new robots.txt
	InformedKnown bool           `json:"informed_known"` // a 200 for robots.txt had the size of a version
	Violations    []*alike       `json:"violations"`

	told, toldNew time.Time // its first fetches of robots.txt at all, and of the new one
}

// alike counts violations that differ in nothing else.
type alike struct {
	Identity string `json:"identity"`
	Outcome  string `json:"outcome"`
	Method   string `json:"method"`
	Informed bool   `json:"informed"` // after its own first fetch of robots.txt: all of them break rules of both versions
	N        int    `json:"n"`
}

// tally counts the truths of lines, which are in order of time.
func tally(lines []line, full bool) *report {
	var r report
	byName := map[string]*crawlerFigures{}
	old := map[string]bool{}
	if !full {
		old = sentOld(lines)
	}
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
		case !full && l.truth.alone == otherHost:
			r.OtherHost++
		default:
			c := byName[l.truth.crawler]
			if c == nil {
				c = newFigures(l.truth.crawler)
				byName[c.Crawler] = c
			}
			c.count(l, full, old[c.Crawler])
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
			allowed: 0, robotsFetch: 0, violation: 0, grace: 0, indeterminate: 0,
			noPolicy: 0, unreachable: 0, exempt: 0, spoofed: 0,
		},
		Reasons:    map[string]int{},
		Outcomes:   map[string]int{"content": 0, "not_modified": 0, "empty": 0, "redirected": 0, "refused": 0, "other": 0},
		Identity:   map[string]int{verified: 0, spoofed: 0, unverified: 0, unverifiable: 0},
		Violations: []*alike{},
	}
}

func (c *crawlerFigures) count(l line, full, sentOld bool) {
	verdict, identity := l.truth.in(full)
	reason := l.truth.reason
	if verdict == violation && sentOld {
		verdict, reason = indeterminate, "no_version"
	}
	c.Requests++
	c.Verdicts[verdict]++
	c.Identity[identity]++
	if l.truth.evasive {
		c.Evasive++
	}
	switch verdict {
	case indeterminate:
		c.Reasons[reason]++
	case grace:
		if !c.toldNew.IsZero() {
			c.GraceInformed++
		}
	case violation:
		c.Outcomes[l.truth.outcome]++
		c.violate(alike{identity, l.truth.outcome, l.truth.method, !c.told.IsZero() && c.told.Before(l.at), 0})
	}
	told := l.truth.toldAlone || full && l.truth.told
	c.InformedKnown = c.InformedKnown || told && l.truth.outcome == "content"
	if told && c.told.IsZero() {
		c.told = l.at
	}
	if told && c.toldNew.IsZero() && !l.at.Before(changed) {
		c.toldNew = l.at
	}
}

// violate counts a violation among those that are like it.
func (c *crawlerFigures) violate(v alike) {
	for _, known := range c.Violations {
		if v.N = known.N; *known == v {
			known.N++
			return
		}
	}
	v.N = 1
	c.Violations = append(c.Violations, &v)
}
