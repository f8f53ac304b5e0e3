package audit

import (
	"bytes"
	"cmp"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Bounds of what Config.Judged gets of a line, in bytes.
const (
	maxGivenLine = 32 << 10
	maxGivenText = 8 << 10 // of each other text
)

// Named returns the name of the crawler, in ASCII if it is not known, its operator, and its role:
// crawler or fetcher.
func (j *Judged) Named() (crawler, operator, role string) {
	switch p := j.Profile; {
	case p == nil:
		return report.InASCII(j.Crawler), "unknown", "crawler"
	case p.IsFetcher():
		return j.Crawler, p.Operator, "fetcher"
	default:
		return j.Crawler, p.Operator, "crawler"
	}
}

// IsOf reports whether a choice has the crawler.
func (j *Judged) IsOf(c *report.Choice) bool {
	if j.Profile == nil {
		return c.Has(report.InASCII(j.Crawler), report.Unknown)
	}
	return c.Has(j.Crawler, j.Profile.Category)
}

// place is where the lines of a worker's chunk are.
type place struct {
	input   int
	line    int64 // the number of the line at counted
	chunk   []byte
	counted int // the offset in chunk up to which lines were counted
}

// SetPlace says where the next chunk is, for Judged.Input and Judged.Number: line is the number
// of its first line in the input, from 1. It must come before Chunk; nothing but
// Config.Judged uses it.
func (w *Worker) SetPlace(input int, line int64) { w.place = place{input: input, line: line} }

// numberOf returns the number of a line of the chunk. The lines come in their order, and each is
// a view into the chunk, or into a line of it. So its capacity, which reaches to the end of the
// chunk, tells where it begins.
func (p *place) numberOf(line []byte) int64 {
	if at := cap(p.chunk) - cap(line); p.counted <= at && at <= len(p.chunk) {
		p.line += int64(bytes.Count(p.chunk[p.counted:at], []byte("\n")))
		p.counted = at
	}
	return p.line
}

// originTexts has the text of each site that was asked for.
type originTexts map[policy.Site]string

func (o originTexts) of(a *Auditor, at policy.Site) string {
	text, known := o[at]
	if !known {
		text = a.originText(at)
		o[at] = text
	}
	return text
}

// giveFinal gives the record with a verdict that is final to Config.Judged. If
// addresses may yet turn out to prove nothing, that has to wait.
func (w *Worker) giveFinal(at site, c *agent, identity report.Identity, d judge.Decision) {
	if identity == report.Verified || identity == report.SpoofedIdentity || w.when != always {
		w.deferCounted(at, c, identity, d)
		return
	}
	w.auditor.config.Judged(w.asJudged(at, c, identity, d))
}

// nobody stands for a client that is no crawler.
var nobody = &agent{}

// giveAnswer gives the record, a GET of /robots.txt, to Config.Answered. c is nil if the client is
// no crawler.
func (w *Worker) giveAnswer(at site, c *agent, identity report.Identity) {
	if w.auditor.config.Answered == nil {
		return
	}
	if c == nil {
		c = nobody
	}
	w.auditor.config.Answered(w.asJudged(at, c, identity, judge.Decision{Verdict: report.RobotsFetch}))
}

// Fetched is a request for /robots.txt.
type Fetched struct {
	Worker int    // as in Judged
	Site   string // where it went, an origin or a host as far as that is known
	*format.Record
}

// giveFetched gives the record to Config.Fetched, if it is a request for /robots.txt.
func (w *Worker) giveFetched() {
	w.tally.Lines++
	if !w.record.Robots {
		return
	}
	w.reader.Complete(&w.record)
	if w.robotsAsk() == asksRobots {
		at := w.site()
		name := cmp.Or(w.origins.of(w.auditor, at.Site), at.host)
		w.auditor.config.Fetched(&Fetched{w.number, name, &w.record})
	}
}

// Seen is a request by any client, which belongs to the caller as Judged does.
type Seen struct {
	Worker         int    // as in Judged
	Agent, Address []byte // as the log has them
	Fetch          bool   // of /robots.txt itself
	// Crawler, Profile and Identity are as in Judged. Crawler is empty if the header names none.
	Crawler  string
	Profile  *crawler.Profile
	Identity report.Identity
	// Permitted: every copy of robots.txt permits it to the crawler that was in force when it was made, or so
	// long before that the crawler may still have used it, whatever the log's own answers say.
	Permitted bool
}

// giveSeen gives the record to Config.Seen.
func (w *Worker) giveSeen() {
	w.tally.Lines++
	w.reader.Complete(&w.record)
	r := &w.record
	s := Seen{Worker: w.number, Agent: r.Agent, Address: w.client(), Fetch: r.Robots && w.robotsAsk() == asksRobots}
	if c := w.agent(r.Agent); c.isCrawler() {
		c, s.Identity, _ = w.identify(c, s.Address)
		s.Crawler, s.Profile = c.Name, c.Profile
		s.Permitted = w.bySources(c) == report.Allowed
	}
	w.auditor.config.Seen(&s)
}

// asJudged returns the record as a request with a verdict.
func (w *Worker) asJudged(at site, c *agent, identity report.Identity, d judge.Decision) *Judged {
	r, line := &w.record, w.record.Line[:min(len(w.record.Line), maxGivenLine)]
	w.given = Judged{
		Worker: w.number, Input: w.place.input, Number: w.place.numberOf(r.Line), Line: line, Cut: len(line) < len(r.Line),
		Origin: w.origins.of(w.auditor, at.Site), Site: at.Site, Address: w.givenAddress(), Agent: textOf(r.Agent),
		Method: textOf(r.Method), Target: textOf(r.Target), Status: r.Status, Size: r.Size, Time: r.Time, HasTime: r.HasTime,
		Crawler: c.Name, Profile: c.Profile, Identity: identity, Outcome: w.outcome(), MethodClass: methodOf(r.Method),
		Verdict: d.Verdict, Reason: d.Reason, Ambiguous: c.Ambiguous, N: 1,
	}
	return &w.given
}

// textOf returns as much of a field as Config.Judged gets.
func textOf(field []byte) []byte { return field[:min(len(field), maxGivenText)] }

// givenAddress returns the address that Config.Judged gets.
func (w *Worker) givenAddress() []byte {
	if a := w.client(); len(a) > 0 && string(a) != "-" {
		return textOf(a)
	}
	return nil
}
