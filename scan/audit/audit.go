// Package audit gives every request of a crawler one of nine verdicts and counts them.
//
// It never claims more than the log proves. Its results depend only on the set of lines, not on
// their order, the number of workers or how the input was split.
//
// A Worker (worker.go) consists of a reader of records, a part that knows the crawlers (crawlers.go) and how far
// their identities are proven (identity.go), and a part that judges (judging.go). The latter asks package judge for
// a verdict, given the copies of robots.txt that the crawler could lawfully use on the requested site (site.go). A
// path that the log has changed is read in more than one way (spellings.go). The result is an Event (event.go).
// Most verdicts are final at once: the event is counted (request.go, tally.go) and passed to the caller's sinks. An
// event whose verdict may depend on answers to robots.txt elsewhere in the log becomes a deferred record
// (deferred.go), and so does each fetch of robots.txt. Deferred records are sorted, on disk if necessary. At the
// end of the input, when it is known whether addresses prove anything, the final pass over the records
// (finalpass.go) collects the answers to all clients and then, operator by operator, the answers to each crawler.
// It asks package judge for the open verdicts, passes the events to the same sinks, measures gaps and finds the
// most frequent unknown crawlers. The Report (package report) is made from the counts (makereport.go), and is
// returned only if its numbers add up.
//
// figures.go counts the requests of a row; violationpaths.go sorts the paths of violations, of
// which there may be any number; changes.go compares the times around changes of robots.txt, and
// whatif.go compares two robots.txt. Whatever clients may invent is kept in bounded numbers
// (bounded.go). Clients may also be verified by names that are looked up after the log was read.
//
// A Run may also be written as the state of a part of the input. States add up to the run over the
// whole input (state.go), and with its facts the requests of each part can be passed to the sinks.
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
	// WhatIf, if not nil, is another robots.txt, made like Policy by policy.Constant. Requests get no
	// verdicts then: Report.WhatIf shows what it would change. States are not possible.
	WhatIf *policy.Policy
	// Identities verifies clients by their addresses. If nil, no address ranges are known.
	Identities *crawler.Identities
	// ClientIP selects the field of a record that holds the client's address.
	ClientIP crawler.ClientIP
	// Period limits which requests are counted and judged. Answers to robots.txt count as facts
	// whenever they were given, and requests without a time are in each period.
	Period Period
	// Only selects the crawlers to report. All are still counted, in states too, and passed to Judged.
	Only report.Choice
	// Zone is the time zone for the hours and days of timelines. The default is UTC.
	Zone *time.Location
	// Dialect, if not nil, is the dialect used for all crawlers. Otherwise each crawler has its own.
	Dialect *automaton.Dialect
	// Proxied, if not nil, sets Report.Proxied. If nil, the lines decide. Set it when auditing part of
	// a log, whose lines may differ from the whole.
	Proxied *bool
	// Cut, if not nil, likewise sets Report.AddressesCut, for IPv4 addresses.
	Cut *bool
	// Samples is how many raw lines of violations to keep for each crawler, 0 or more.
	Samples int
	// KeepAddresses keeps the addresses of violations until the report is made, for Run.Unverified.
	KeepAddresses bool
	// NeedsAddresses means that the caller uses addresses too, so Report.Proxied is always determined.
	NeedsAddresses bool
	Listeners
	// Memory is the number of bytes that a run may use besides the other fields of Config; 0 means 256
	// MiB. Deferred records that do not fit spill to a temporary file in TempDir, which defaults to
	// os.TempDir. Workers is the number of workers that share the memory; 0 means 1.
	Memory  int64
	Workers int
	TempDir string
	// Basis describes the files and options, for the sentences of the report. The default is the zero Basis.
	Basis *report.BasisInfo
}

// Period is the time from Since until just before Until. Zero means no bound, so the zero Period covers all time.
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
	// Program is the version of the program, and Command is its command line.
	Program, Command string
	// TimeZone is the name of Config.Zone, as for report.Zone.
	TimeZone string
	// MaxUnparsed is the percentage of unparsed lines above which an input makes the report partial.
	MaxUnparsed float64
	// List describes everything that the workers read.
	List     []report.InputInfo
	Warnings []string
	// Notes are additional assumptions.
	Notes []string
	// Partial means that some input was not read.
	Partial bool
	// By is the unit of timelines, hour or day. The default is hour if the requests span at most seven
	// days, otherwise day.
	By string
}

// Auditor judges logs. It is immutable and safe for any number of goroutines.
type Auditor struct {
	config    Config
	profiles  map[*crawler.Profile]uint32 // indexes in Config.Crawlers.Profiles
	operators []uint32                    // the operator's number, by profile
	limited   bool                        // by Config.Period
	verifies  bool                        // whether it matters that addresses belong to a proxy
	changes   changes
	zoneless  func() *policy.Policy // returns the policy for times in an unknown zone
}

// New returns an auditor.
func New(config Config) *Auditor {
	if config.Identities == nil {
		config.Identities = crawler.NewIdentities(config.Crawlers, crawler.IdentityOptions{})
	}
	if config.Basis == nil {
		config.Basis = &report.BasisInfo{}
	}
	profiles, numbers := config.Crawlers.Profiles(), map[string]uint32{}
	auditor := &Auditor{config: config, limited: !config.Period.IsAll(),
		profiles: make(map[*crawler.Profile]uint32, len(profiles)), operators: make([]uint32, 0, len(profiles))}
	auditor.verifies = config.Identities.HaveEvidence() || config.KeepAddresses || config.NeedsAddresses ||
		len(config.Basis.Ranges) > 0 || config.Basis.Names != "" // states are merged without the lists
	auditor.changes = newChanges(config.Policy)
	auditor.zoneless = sync.OnceValue(func() *policy.Policy { return config.Policy.Skewed(zoneless) })
	for i := range profiles {
		p := &profiles[i]
		if _, known := numbers[p.Operator]; !known {
			numbers[p.Operator] = uint32(len(numbers))
		}
		auditor.profiles[p] = uint32(i)
		auditor.operators = append(auditor.operators, numbers[p.Operator])
	}
	return auditor
}

// zoneless is the additional uncertainty of the times of a log that names no zone and whose zone is
// unknown. They are taken as UTC (audit-rules 10).
const zoneless = 14 * time.Hour

// policy returns the policy for judging requests. All lines must have been read.
func (r *Run) policy() *policy.Policy {
	if r.tally.Zoneless > 0 {
		return r.auditor.zoneless()
	}
	return r.auditor.config.Policy
}

// Run is one audit: workers count parts of the input, and Report adds up the counts. Close it after use.
type Run struct {
	auditor   *Auditor
	budget    budget
	deferred  *spill.Sorter
	workers   []*Worker
	mu        sync.Mutex      // for workers that count concurrently
	tally     *tally          // of finished workers and added states, and rows of others
	hasStates bool            // whether states were added
	ctx       context.Context // set by StopAt, or nil
	verified  map[verifiedKey]bool
	paths     *violationPaths // set while the report is made
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

// StopAt makes Report, WriteState and Unverified stop with the error of ctx when ctx ends.
func (r *Run) StopAt(ctx context.Context) {
	r.ctx = ctx
	r.deferred.StopAt(ctx)
}

// addRows adds rows of known crawlers, which must not be used afterwards, to the run's tally.
func (r *Run) addRows(known map[*crawler.Profile]*row) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.addRows(known)
}

// endWorkers adds the counts of the workers to the run's tally. The workers must not be used afterwards.
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

// classOf returns how a crawler treats unsuccessful answers.
func classOf(p *crawler.Profile) answer.Class {
	if p != nil && p.Dialect == automaton.Google.String() {
		return answer.Google
	}
	return answer.Others
}

// operator returns the key of a crawler's operator in deferred records. Crawlers of one operator
// may share the copies that they fetched. An unknown crawler is its own operator.
func (a *Auditor) operator(c crawler.Claim) []byte {
	if c.Profile != nil {
		return binary.AppendUvarint([]byte{aboutKnown}, uint64(a.operators[a.profiles[c.Profile]]))
	}
	return unknownOperator(lower(c.Name))
}

// lower returns a name in lower case. It folds only ASCII letters, as in product tokens: names that
// still differ belong to different crawlers.
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
