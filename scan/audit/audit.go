// Package audit gives every request of a crawler one of nine verdicts and counts
// them.
//
// It never says more than the log proves, and its results depend on the set of lines
// alone: not on their order, nor on the number of workers, nor on how the input was
// cut.
//
// A Worker (worker.go) consists of a reader of records, a part that knows the crawlers (crawlers.go) and how far
// their identities are proven (identity.go), and one that judges (judging.go): it asks package judge for a
// verdict by the copies of robots.txt that the crawler could lawfully use on the site that the request went to
// (site.go). A path that the log has changed is read in more than one way (spellings.go). The result is an Event
// (event.go). Most verdicts are final at once, and the event is counted (request.go, tally.go) and given to the
// sinks of the caller. An event whose verdict may depend on answers to robots.txt elsewhere in the log is a
// deferred record (deferred.go) until then, and each fetch of robots.txt leaves one, too. Deferred records are
// sorted, perhaps on disk. When the whole input has been read, it is known whether addresses prove anything,
// and the final pass over the records (finalpass.go) collects the answers to all clients and then, operator by
// operator, what each crawler was told. With all that it asks package judge for the open verdicts, gives the
// events to the same sinks, measures gaps and finds the most frequent unknown crawlers. The Report (package
// report) is made from the counts (makereport.go), and is given out only if its numbers add up.
//
// figures.go counts what a row requested; violationpaths.go sorts the paths of violations, which may be any
// number; changes.go compares the times around changes of robots.txt, and whatif.go two robots.txt. What clients
// may name without end is kept in bounded numbers (bounded.go). Clients may also be verified by names that are
// looked up after the log was read.
//
// A Run may also be written as the state of a part of the input. States add up to the run over all of it
// (state.go), whose facts let the requests of each part be given to the sinks.
package audit

import (
	"context"
	"encoding/binary"
	"sync"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/reading"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Config is the configuration of an Auditor. It must not change after New.
type Config struct {
	Crawlers *crawler.Set
	Policy   *policy.Policy
	// WhatIf, if not nil, is another robots.txt, as Policy is one of policy.Constant. No request gets
	// a verdict then: Report.WhatIf says what it would change. There are no states.
	WhatIf *policy.Policy
	// Identities verifies clients by their addresses. If nil, no address ranges are known.
	Identities *crawler.Identities
	// ClientIP selects the field of a record that holds the client's address.
	ClientIP crawler.ClientIP
	// Period is the time whose requests are counted and judged. Answers to robots.txt count as
	// facts whenever they were given, and requests without a time are in each period.
	Period Period
	// Only selects the crawlers to report. All are still counted, in states too, and passed to Judged.
	Only report.Choice
	// Zone is the time zone for the hours and days of timelines. The default is UTC.
	Zone *time.Location
	// Dialect, if not nil, is the dialect by which all crawlers are judged.
	// Otherwise each crawler is judged by its own.
	Dialect *automaton.Dialect
	// Proxied, if not nil, sets Report.Proxied. If nil, the lines decide. Set it when auditing part of a
	// log, which may not show what the whole log shows.
	Proxied *bool
	// Cut, if not nil, likewise sets Report.AddressesCut for IPv4 addresses.
	Cut *bool
	// Samples is how many raw lines of violations to keep for each crawler, 0 or
	// more.
	Samples int
	// KeepAddresses keeps the addresses of violations until the report, for
	// Run.Unverified.
	KeepAddresses bool
	// NeedsAddresses is set if the caller also relies on addresses, so Report.Proxied is always determined.
	NeedsAddresses bool
	Listeners
	// Memory is the number of bytes that a run may hold besides what the other fields of Config take;
	// 0 means 256 MiB. Deferred records that do not fit spill to a temporary file in
	// TempDir, which defaults to os.TempDir. Workers is the number of workers that share the memory; 0 means
	// 1.
	Memory  int64
	Workers int
	TempDir string
	// Basis describes the files and options, for the sentences of the report. Nil stands
	// for the zero Basis.
	Basis *report.BasisInfo
}

// Period is a time from Since on and before Until. A zero bound is none: the zero value is
// all time.
type Period struct{ Since, Until time.Time }

// IsAll reports whether the period has no bounds.
func (p Period) IsAll() bool { return p.Since.IsZero() && p.Until.IsZero() }

// contains reports whether a time, in nanoseconds since 1970, is in the period.
func (p Period) contains(nanos int64) bool {
	t := time.Unix(0, nanos)
	return (p.Since.IsZero() || !t.Before(p.Since)) && (p.Until.IsZero() || t.Before(p.Until))
}

// Inputs describes the inputs for the report. Only the caller of a Worker knows them.
type Inputs struct {
	// Program is the version of the program, Command its command line.
	Program, Command string
	// TimeZone is the name of Config.Zone, as report.Zone has it.
	TimeZone string
	// MaxUnparsed is the share of lines that could not be parsed, in per cent, above which
	// an input makes the report partial.
	MaxUnparsed float64
	// List has all that the workers read.
	List     []report.InputInfo
	Warnings []string
	// Notes are more assumptions.
	Notes []string
	// Partial: not all of the input was read.
	Partial bool
	// By is the unit of timelines, hour or day. Empty: hour if there are at most seven days from
	// the first request to the last, otherwise day.
	By string
}

// Auditor judges logs. It is immutable and safe for any number of goroutines.
type Auditor struct {
	config    Config
	profiles  map[*crawler.Profile]uint32 // index in Config.Crawlers.Profiles
	operators []uint32                    // of each profile: the number of its operator
	limited   bool                        // by Config.Period
	verifies  bool                        // whether it matters if addresses belong to a proxy
	changes   changes
	zoneless  func() *policy.Policy // returns the policy for times whose zone is not known
}

// New returns an auditor.
func New(c Config) *Auditor {
	if c.Identities == nil {
		c.Identities = crawler.NewIdentities(c.Crawlers, crawler.IdentityOptions{})
	}
	if c.Basis == nil {
		c.Basis = &report.BasisInfo{}
	}
	a := &Auditor{config: c, limited: !c.Period.IsAll(), profiles: map[*crawler.Profile]uint32{}}
	a.verifies = c.Identities.HaveEvidence() || c.KeepAddresses || c.NeedsAddresses
	a.changes = newChanges(c.Policy)
	a.zoneless = sync.OnceValue(func() *policy.Policy { return c.Policy.Skewed(zoneless) })
	profiles, numbers := c.Crawlers.Profiles(), map[string]uint32{}
	for i := range profiles {
		p := &profiles[i]
		if _, known := numbers[p.Operator]; !known {
			numbers[p.Operator] = uint32(len(numbers))
		}
		a.profiles[p] = uint32(i)
		a.operators = append(a.operators, numbers[p.Operator])
	}
	return a
}

// zoneless is by how much more the times of a log may be wrong that names no zone, and whose zone
// is not known: they are taken as UTC (audit-rules 10).
const zoneless = 14 * time.Hour

// settle finds out what all lines show of the addresses in them, and counts by that.
func (r *Run) settle() { r.tally.settle(&r.auditor.config, r.auditor.verifies) }

// policy returns the policy by which requests are judged: all lines have been read.
func (r *Run) policy() *policy.Policy {
	if r.tally.Zoneless > 0 {
		return r.auditor.zoneless()
	}
	return r.auditor.config.Policy
}

// Run is one audit: workers count parts of the input, and Report adds up their
// counts. Close it after use.
type Run struct {
	auditor   *Auditor
	budget    budget
	deferred  *spill.Sorter
	workers   []*Worker
	mu        sync.Mutex      // while workers count
	tally     *tally          // of finished workers and added states, and rows of others
	hasStates bool            // that were added
	ctx       context.Context // of StopAt; nil if it was not called
	verified  map[verifiedKey]bool
	paths     *violationPaths // while the report is made
}

// Begin returns a new run.
func (a *Auditor) Begin() *Run {
	b := divide(a.config.Memory, a.config.Workers)
	return &Run{
		auditor:  a,
		budget:   b,
		deferred: spill.New(spill.Options{Memory: b.records, Dir: a.config.TempDir}),
		tally:    a.newTally(),
		verified: map[verifiedKey]bool{},
	}
}

// Close removes the run's temporary file and releases its memory.
func (r *Run) Close() error { return r.deferred.Close() }

// StopAt makes Report, WriteState and Unverified stop when ctx ends, with its error.
func (r *Run) StopAt(ctx context.Context) {
	r.ctx = ctx
	r.deferred.StopAt(ctx)
}

// addRows adds rows of known crawlers to the run's tally.
func (r *Run) addRows(known map[*crawler.Profile]*row) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.addRows(known)
}

// endWorkers adds the counts of the workers to the run's tally. They must not be used
// afterwards.
func (r *Run) endWorkers() error {
	for _, w := range r.workers {
		if err := w.end(); err != nil {
			return err
		}
		r.tally.merge(w.tally)
	}
	r.workers = nil
	return nil
}

// subject returns a crawler as robots.txt sees it.
func (a *Auditor) subject(c crawler.Claim) reading.Subject {
	s := reading.Subject{Tokens: c.Tokens(), Readings: reading.UnknownReadings()}
	dialect := a.config.Dialect
	if p := c.Profile; p != nil {
		s.IgnoresWildcard, s.Also = p.IgnoresWildcard, p.Also
		if d, err := automaton.ParseDialect(p.Dialect); err == nil && dialect == nil {
			dialect = &d
		}
	}
	if dialect != nil {
		s.Readings = reading.ReadingsOf(*dialect, classOf(c.Profile) == answer.Google)
	}
	return s
}

// classOf returns how a crawler reads answers other than success.
func classOf(p *crawler.Profile) answer.Class {
	if p != nil && p.Dialect == automaton.Google.String() {
		return answer.Google
	}
	return answer.Others
}

// operator returns the operator of a crawler as deferred records have it. Crawlers of
// one operator may hand each other the copies that they fetched. An unknown crawler is
// its own operator.
func (a *Auditor) operator(c crawler.Claim) []byte {
	if c.Profile != nil {
		return binary.AppendUvarint([]byte{aboutKnown}, uint64(a.operators[a.profiles[c.Profile]]))
	}
	return unknownOperator(lower(c.Name))
}

// lower returns a name in lower case. Only ASCII letters are folded, as in product tokens, and
// all other bytes are kept: names that still differ belong to different crawlers.
func lower(name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func unknownOperator(name string) []byte { return append(append([]byte{aboutUnknown}, name...), 0) }
