package audit

import (
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Event is a request with its verdict. It is what gets counted, listed, kept as evidence and turned into
// rules. Nothing else describes a request once it has been judged. A request whose verdict depends
// on lines that have not been read yet is an Event, too, which waits among the deferred records
// until the final pass decides it.
type Event struct {
	Place
	Request
	// Crawler is the profile of the crawler, nil if it is not known.
	Crawler *crawler.Profile
	Client
	Decision
	// N is how many requests were exactly alike. It is 1 in events of workers.
	N int64
	waiting
}

// Place is where the line of a request is.
type Place struct {
	// Worker is the number of the worker that read the line, in the order of Run.Worker, or -1 if
	// the event comes from the final pass.
	Worker int
	// Input is the one set by Worker.SetPlace, and Number counts the lines of the input from 1.
	Input  int
	Number int64
	// Line is the line of the log, at most its first 32 KiB; Cut reports whether it was longer.
	Line []byte
	Cut  bool
}

// Request is the request as its line describes it.
type Request struct {
	// Origin is where it went, such as https://example.com, as far as the log shows it: without the
	// scheme if that may be either one, and empty if nothing is known. Site holds the origins of the
	// policy.
	Origin string
	Site   policy.Site
	// Address is the client's, as the log has it; nil if it has none. Agent is its User-Agent, Method the
	// request's method and Target its target, as the log has them, at most their first 8 KiB.
	Address, Agent, Method, Target []byte
	// Claim is the claim of the format.Record; nil if the log has none.
	Claim []byte
	// Status is 0 if the log has none. Size is as in format.Record.
	Status int
	Size   int64
	// Time is in nanoseconds since 1970, if HasTime; otherwise 0.
	Time        int64
	HasTime     bool
	Outcome     report.Outcome
	Challenged  bool // its status is one that firewalls send: see report.Challenge
	MethodClass report.Method
}

// Client is who sent a request.
type Client struct {
	// Name is the name of the crawler, empty if the client names none.
	Name     string
	Identity report.Identity
	// Ambiguous: its header names crawlers of several operators, and the address verifies none.
	Ambiguous bool
}

// Decision is the verdict on a request. Reason has a meaning only if Verdict is Indeterminate.
type Decision struct {
	judge.Decision
	// Rule has a meaning only if Verdict is Violation; Rule.Violations is 0, and Rule.Paths is empty.
	Rule report.RuleInfo
	// Informed: the crawler had fetched rules that forbid the request. It has a meaning
	// only if Verdict is Violation or Grace. InformedKnown is as in CrawlerInfo.
	Informed, InformedKnown bool
}

// waiting is what sinks do not see of a request: what its verdict still depends on,
// and where it is counted.
type waiting struct {
	from    judge.Sender
	proof   []byte // the address, if Run.Verify may prove that it is the crawler's
	when    ifCut
	counted bool // it has its verdict, and waits only for what the addresses prove
	// Only set without a verdict:
	exact, hasNormal bool
	copies           judge.Copies      // when it is written
	stances, normal  [][]policy.Stance // when it has been read: of each origin, and for its normal form
	cited            int32             // 1 and the version that a violation would quote
	line             uint32            // and the line

	row  *row
	rule ruleKey // if a violation
}

// Sink takes events. An event and its slices belong to the caller, and must not be kept. After an
// error the audit ends with it.
type Sink interface {
	Add(e *Event) error
}

// SinkFunc is a function that is a Sink.
type SinkFunc func(*Event) error

// Add calls the function.
func (f SinkFunc) Add(e *Event) error { return f(e) }

// Sinks are several sinks, each of which takes all events.
type Sinks []Sink

// Add gives an event to each sink, up to the first error.
func (s Sinks) Add(e *Event) error {
	for _, sink := range s {
		if err := sink.Add(e); err != nil {
			return err
		}
	}
	return nil
}

// Listeners are the sinks that the caller of an audit gives it; nil ones get nothing. Events of
// workers come on the goroutine of each worker, in the order of its lines, from several at the same time.
type Listeners struct {
	// Judged gets each request of a crawler once it has its verdict. Those whose verdicts are final
	// at once come from Worker.Chunk. The others come from Run.Report, on its goroutine, operator by
	// operator; among them are all violations, all requests in grace, and all requests of clients
	// that an address list verifies or refutes.
	Judged Sink
	// OnlyViolations: Judged gets nothing else, and so only from Run.Report.
	OnlyViolations bool
	// Answered gets each GET of /robots.txt that Judged does not get: by a client that is no crawler,
	// or outside of Period. It comes from workers. Name is empty if the client is no crawler.
	Answered Sink
	// Fetched gets each request for /robots.txt, of any method, by any client, to any host: Origin is the
	// host if nothing else is known. It comes from workers. Nothing is judged then.
	Fetched Sink
	// Seen gets the client of each request of Period, to any host. Nothing else is known of these but their
	// Verdict: RobotsFetch for /robots.txt itself, Allowed if every copy of robots.txt permits the request to
	// the crawler that was in force when it was made, or so long before that the crawler may still have used
	// it, whatever the log's own answers say, and Indeterminate otherwise. It comes from workers, and nothing
	// is counted then.
	Seen Sink
	// Undeclared gets each request of a client that names no crawler, if every copy of robots.txt forbids
	// it to * that was in force when it was made, or so long before that a crawler may still have used it,
	// whatever the log's own answers to robots.txt say. It comes from workers. Name is empty, and Rule is
	// what forbids it.
	Undeclared Sink
}

// Bounds of what sinks get of a line, in bytes.
const (
	maxGivenLine = 32 << 10
	maxGivenText = 8 << 10 // of each other text
)

// Named returns the name of the crawler, in ASCII if it is not known, its operator, and its role:
// crawler or fetcher.
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

// IsOf reports whether a choice has the crawler.
func (e *Event) IsOf(c *report.Choice) bool {
	if e.Crawler == nil {
		return c.Has(report.InASCII(e.Name), report.Unknown)
	}
	return c.Has(e.Name, e.Crawler.Category)
}

// waits reports whether the identity of the client, which the line proves or refutes, depends on what
// all lines show of the addresses.
func (e *Event) waits() bool {
	return e.Identity == report.Verified || e.Identity == report.SpoofedIdentity || e.when != always
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

// textOf returns as much of a field as sinks get.
func textOf(field []byte) []byte { return field[:min(len(field), maxGivenText)] }

// newEvent makes the event of the record, with what the tally needs.
func (w *Worker) newEvent(at *site, x *client) *Event {
	e, r := &w.event, &w.record
	e.Crawler, e.Identity, e.when, e.from.Crawler = x.Profile, x.identity, x.when, x.index
	e.Site, e.Size, e.Time, e.HasTime = at.Site, r.Size, r.Time, r.HasTime
	if !r.HasTime {
		e.Time = 0
	}
	return e
}

// describe adds to an event what sinks are told of its client and its line.
func (w *Worker) describe(e *Event, x *client) {
	r := &w.record
	e.Name, e.Ambiguous = x.Name, x.Ambiguous
	e.Input, e.Number = w.place.input, w.place.numberOf(r)
	e.Line = r.Line[:min(len(r.Line), maxGivenLine)]
	e.Cut = len(e.Line) < len(r.Line)
	e.Origin = w.origins.of(w.auditor, e.Site)
	e.Address = nil
	if a := w.client(); len(a) > 0 && string(a) != "-" {
		e.Address = textOf(a)
	}
	e.Agent, e.Method, e.Target = textOf(r.Agent), textOf(r.Method), textOf(r.Target)
	if e.Claim = nil; len(r.Claim) > 0 && string(r.Claim) != "-" {
		e.Claim = textOf(r.Claim)
	}
	e.Status = r.Status
	e.classify(r)
}

// classify sets how the server answered the record, and its method.
func (e *Event) classify(r *format.Record) {
	e.MethodClass = methodOf(r.Method)
	e.Outcome = outcomeOf(r.Status, r.Size, e.MethodClass)
	e.Challenged = report.Challenge(r.Status)
}

// decided gives an event with a verdict that no other line can change to the tally and to
// whoever gets it. What becomes of an impostor or of a client that is verified is known when all
// lines have been read.
func (w *Worker) decided(e *Event, x *client) {
	_ = w.tally.Add(e) // it has no errors
	switch c := &w.auditor.config; {
	case c.Judged == nil || c.OnlyViolations:
	case e.waits():
		w.deferCounted(e, x)
	default:
		w.describe(e, x)
		w.give(c.Judged, e)
	}
}

// give gives an event to a sink.
func (w *Worker) give(to Sink, e *Event) {
	if err := to.Add(e); err != nil && w.err == nil {
		w.err = err
	}
}

// nobody stands for a client that is no crawler.
var nobody = &client{agent: &agent{}, identity: report.Unverified}

// giveAnswer gives the record, a GET of /robots.txt, to Answered.
func (w *Worker) giveAnswer(at *site, x *client) {
	if to := w.auditor.config.Answered; to != nil {
		e := w.newEvent(at, x)
		e.Decision.Decision = judge.Decision{Verdict: report.RobotsFetch}
		w.describe(e, x)
		w.give(to, e)
	}
}

// giveFetched gives the record to Fetched, if it is a request for /robots.txt.
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

// giveSeen gives the client of the record to Seen.
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
