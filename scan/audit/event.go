package audit

import (
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Event is a request with its verdict. Events are what is counted, listed, kept as evidence and made into rules;
// nothing else describes a judged request. A request whose verdict depends on unread lines is an Event too, which
// waits among the deferred records until the final pass decides it.
type Event struct {
	Place
	Request
	// Crawler is the profile of the crawler, or nil if it is unknown.
	Crawler *crawler.Profile
	Client
	Decision
	// N is the number of exactly equal requests. It is 1 in events from workers.
	N int64
	waiting
}

// Place locates the line of a request.
type Place struct {
	// Worker is the number of the worker that read the line, in the order of calls of Run.Worker, or
	// -1 if the event comes from the final pass.
	Worker int
	// Input is as set by Worker.SetPlace. Number is the number of the line in the input, from 1.
	Input  int
	Number int64
	// Line is the line of the log, at most its first 32 KiB. Cut reports whether it was longer.
	Line []byte
	Cut  bool
}

// Request is the request as its line describes it.
type Request struct {
	// Origin is where the request went, such as https://example.com, as far as the log shows it: without the scheme if
	// that is unknown, and empty if nothing is known. Site holds the origins of the policy.
	Origin string
	Site   policy.Site
	// Address is the client's address as logged, or nil. Agent is its User-Agent, and Method and
	// Target are the request's, as logged. Each is cut to 8 KiB.
	Address, Agent, Method, Target []byte
	// Claim is the claim of the format.Record, or nil.
	Claim []byte
	// Status is 0 if the log has none. Size is as in format.Record.
	Status int
	Size   int64
	// Time is in nanoseconds since 1970 if HasTime, otherwise 0.
	Time        int64
	HasTime     bool
	Outcome     report.Outcome
	Challenged  bool // the status is typical of firewalls: see report.Challenge
	MethodClass report.Method
}

// Client is the sender of a request.
type Client struct {
	// Name is the name of the crawler, or empty if the client names none.
	Name     string
	Identity report.Identity
	// Ambiguous means that the header names crawlers of several operators, and the address verifies none.
	Ambiguous bool
}

// Decision is the verdict on a request. Reason is meaningful only if Verdict is Indeterminate.
type Decision struct {
	judge.Decision
	// Rule is meaningful only if Verdict is Violation. Rule.Violations is 0 and Rule.Paths is empty.
	Rule report.RuleInfo
	// Informed means that the crawler had fetched rules that forbid the request. It is meaningful only
	// if Verdict is Violation or Grace. InformedKnown is as in CrawlerInfo.
	Informed, InformedKnown bool
}

// waiting is the part of a request that sinks do not see: what its verdict still depends on, and
// where it is counted.
type waiting struct {
	from    judge.Sender
	proof   []byte // the address, if Run.Verify may prove that it belongs to the crawler
	when    ifCut
	counted bool // the verdict is final; it only waits for what the addresses prove
	// Set only without a verdict:
	exact, hasNormal bool
	copies           judge.Copies      // while writing
	stances, normal  [][]policy.Stance // after reading: for each origin, and for its normal form
	cited            int32             // 1 plus the version that a violation would quote
	line             uint32            // and its line

	row  *row
	rule ruleKey // set for violations
}

// Sink receives events. An event and its slices belong to the caller and must not be kept. An error ends the audit.
type Sink interface {
	Add(e *Event) error
}

// SinkFunc is a function that implements Sink.
type SinkFunc func(*Event) error

// Add calls the function.
func (f SinkFunc) Add(e *Event) error { return f(e) }

// Sinks are several sinks, each of which receives all events.
type Sinks []Sink

// Add passes an event to each sink, up to the first error.
func (s Sinks) Add(e *Event) error {
	for _, sink := range s {
		if err := sink.Add(e); err != nil {
			return err
		}
	}
	return nil
}

// Listeners are the sinks that receive events during an audit; each may be nil. Workers call them
// concurrently, each worker on its own goroutine and in the order of its lines.
type Listeners struct {
	// Judged receives each request of a crawler once it has its verdict. Those with immediate verdicts come from
	// Worker.Chunk. The others come from Run.Report, on its goroutine, operator by operator. They include all
	// violations, all requests in grace, and all requests of clients that an address list verifies or refutes.
	Judged Sink
	// OnlyViolations restricts Judged to violations, which only come from Run.Report.
	OnlyViolations bool
	// Answered receives each GET of /robots.txt that Judged does not: those by clients that are no crawlers, and those
	// outside of Period. It is called by workers. Name is empty if the client is no crawler.
	Answered Sink
	// Fetched receives each request for /robots.txt, of any method, by any client, to any host. Origin
	// is the host if nothing else is known. It is called by workers. Requests are not judged then.
	Fetched Sink
	// Seen receives the client of each request of Period, to any host. The Verdict is the only other field set. It is
	// RobotsFetch for /robots.txt itself. It is Allowed if the request is permitted to the crawler by every copy of
	// robots.txt in force at the time, or so recently that the crawler may still have used it, whatever answers the
	// log contains. Otherwise it is Indeterminate. Seen is called by workers, and nothing is counted then.
	Seen Sink
	// Undeclared receives each request of a client that names no crawler, if it is forbidden to * by
	// every copy of robots.txt in force at the time, or so recently that a crawler may still have used
	// it, whatever answers to robots.txt the log contains. It is called by workers. Name is empty, and
	// Rule is the rule that forbids the request.
	Undeclared Sink
}

// Limits on what sinks receive of a line, in bytes.
const (
	maxGivenLine = 32 << 10
	maxGivenText = 8 << 10 // any other text
)

// Named returns the name of the crawler, in ASCII if it is unknown, its operator, and its role: crawler or fetcher.
func (e *Event) Named() (crawler, operator, role string) {
	switch p := e.Crawler; {
	case p == nil:
		return report.InASCII(e.Name), "unknown", "crawler"
	case p.IsFetcher():
		return e.Name, p.Operator, "fetcher"
	default:
		return e.Name, p.Operator, "crawler"
	}
}

// IsOf reports whether a choice includes the crawler.
func (e *Event) IsOf(c *report.Choice) bool {
	if e.Crawler == nil {
		return c.Has(report.InASCII(e.Name), report.Unknown)
	}
	return c.Has(e.Name, e.Crawler.Category)
}

// waits reports whether the identity of the client, as its line proves or refutes it, depends on
// what all lines show about addresses.
func (e *Event) waits() bool {
	return e.Identity == report.Verified || e.Identity == report.SpoofedIdentity || e.when != always
}

// originTexts caches the texts of sites.
type originTexts map[policy.Site]string

func (o originTexts) of(a *Auditor, at policy.Site) string {
	text, known := o[at]
	if !known {
		text = a.originText(at)
		o[at] = text
	}
	return text
}

// textOf returns the part of a field that sinks receive.
func textOf(field []byte) []byte { return field[:min(len(field), maxGivenText)] }

// newEvent makes an event of the record, with everything the tally needs.
func (w *Worker) newEvent(at *site, x *client) *Event {
	e, r := &w.event, &w.record
	e.Crawler, e.Identity, e.when, e.from.Crawler = x.Profile, x.identity, x.when, x.index
	e.Site, e.Size, e.Time, e.HasTime = at.Site, r.Size, r.Time, r.HasTime
	if !r.HasTime {
		e.Time = 0
	}
	return e
}

// describe adds the details of client and line that sinks receive.
func (w *Worker) describe(event *Event, client *client) {
	record := &w.record
	event.Name, event.Ambiguous = client.Name, client.Ambiguous
	event.Input, event.Number = w.place.input, w.place.numberOf(record)
	event.Line = record.Line[:min(len(record.Line), maxGivenLine)]
	event.Cut = len(event.Line) < len(record.Line)
	event.Origin = w.origins.of(w.auditor, event.Site)
	event.Address = nil
	if a := w.client(); len(a) > 0 && string(a) != "-" {
		event.Address = textOf(a)
	}
	event.Agent, event.Method, event.Target = textOf(record.Agent), textOf(record.Method), textOf(record.Target)
	if event.Claim = nil; len(record.Claim) > 0 && string(record.Claim) != "-" {
		event.Claim = textOf(record.Claim)
	}
	event.Status = record.Status
	event.classify(record)
}

// classify sets the class of the record's answer and method.
func (e *Event) classify(r *format.Record) {
	e.MethodClass = methodOf(r.Method)
	e.Outcome = outcomeOf(r.Status, r.Size, e.MethodClass)
	e.Challenged = report.Challenge(r.Status)
}

// decided passes an event whose verdict is final to the tally and to Judged. Impostors and verified
// clients wait until all lines have been read.
func (w *Worker) decided(e *Event, x *client) {
	_ = w.tally.Add(e) // it returns no errors
	switch c := &w.auditor.config; {
	case c.Judged == nil || c.OnlyViolations:
	case e.waits():
		w.deferCounted(e, x)
	default:
		w.describe(e, x)
		w.give(c.Judged, e)
	}
}

func (w *Worker) give(to Sink, e *Event) {
	if err := to.Add(e); err != nil && w.err == nil {
		w.err = err
	}
}

// nobody stands for a client that is no crawler.
var nobody = &client{agent: &agent{}, identity: report.Unverified}

// giveAnswer passes the record, a GET of /robots.txt, to Answered.
func (w *Worker) giveAnswer(at *site, x *client) {
	if to := w.auditor.config.Answered; to != nil {
		e := w.newEvent(at, x)
		e.Decision.Decision = judge.Decision{Verdict: report.RobotsFetch}
		w.describe(e, x)
		w.give(to, e)
	}
}

// giveFetched passes the record to Fetched, if it is a request for /robots.txt.
func (w *Worker) giveFetched() {
	w.tally.Lines++
	if !w.record.Robots {
		return
	}
	w.reader.Complete(&w.record)
	if w.robotsAsk(&w.record) != asksRobots {
		return
	}
	at := w.site(&w.record)
	e := w.newEvent(at, nobody)
	w.describe(e, nobody)
	if e.Origin == "" {
		e.Origin = at.host
	}
	w.give(w.auditor.config.Fetched, e)
}

// giveSeen passes the client of the record to Seen.
func (w *Worker) giveSeen() {
	w.tally.Lines++
	w.reader.Complete(&w.record)
	r, e, x := &w.record, &w.event, nobody
	e.Agent, e.Address, e.Verdict = r.Agent, w.client(), report.Indeterminate
	isFetch := r.Robots && w.robotsAsk(r) == asksRobots
	if isFetch {
		e.Verdict = report.RobotsFetch
	}
	if c := w.agent(r.Agent); c.isCrawler() {
		x = &w.identify(c, r, e.Address)[0]
		if _, verdict := w.bySources(x.agent); verdict == report.Allowed && !isFetch {
			e.Verdict = report.Allowed
		}
	}
	e.Crawler, e.Name, e.Identity, e.Ambiguous = x.Profile, x.Name, x.identity, x.Ambiguous
	w.give(w.auditor.config.Seen, e)
}
