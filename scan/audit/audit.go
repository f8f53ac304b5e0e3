// Package audit gives every request of a crawler one of nine verdicts and counts
// them.
//
// Its law is that nothing is said which the log does not prove, and that what is
// said depends on the set of lines alone: not on their order, nor on how many
// workers read them, nor on how the input was cut.
//
// The way of a line: Worker.Chunk cuts it off (worker.go), the format takes it
// apart, the claim of its User-Agent is looked up in a memo (claims.go), where it
// went in another (sites.go), and the request is given a verdict (verdict.go) by the
// copies of robots.txt that its crawler could lawfully hold (request.go, decide.go).
// Most verdicts stand at once, and are counted (tally.go). Those that answers to
// robots.txt elsewhere in the log could still change are kept as late records
// (late.go), sorted and perhaps on disk, with the fetches themselves (robotstxt.go);
// when the whole input has been read, one pass over them, operator by operator,
// tells what each crawler was told (facts.go), gives the verdicts that had to wait
// (settle.go), measures gaps (rates.go) and finds the most frequent of the unknown
// crawlers (ranking.go). A Report (report.go) is made of what was counted
// (reporting.go).
//
// A Run may also be written down as the state of a part of the input, and states
// added up to the run over all of it (state.go).
package audit

import (
	"context"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/spill"
)

// Config says what to judge, and by what. It is not changed once New has it.
type Config struct {
	Crawlers *crawler.Set
	Policy   *policy.Policy
	// Identities tells clients by their addresses. Nil: nobody's ranges are known.
	Identities *crawler.Identities
	// ClientIP says where in a record the client's address stands.
	ClientIP crawler.ClientIP
	// Dialect, if not nil, is the dialect by which all crawlers are judged.
	// Otherwise it is each crawler's own.
	Dialect *automaton.Dialect
	// Samples is how many raw lines of violations to keep for each crawler, 0 or
	// more.
	Samples int
	// Addresses says that those of violations are kept until the report, for
	// Run.Unverified.
	Addresses bool
	// Memory is about how many bytes the records may take that must wait for the
	// whole input, 0 for the default of package spill. Past it they go to a
	// temporary file in TempDir, which is os.TempDir if empty.
	Memory  int64
	TempDir string
}

// Auditor judges logs. It is immutable and safe for any number of goroutines.
type Auditor struct {
	config    Config
	profiles  map[*crawler.Profile]uint16 // index in Config.Crawlers.Profiles
	operators []uint16                    // of each profile: index among the names of operators
}

// New returns an auditor.
func New(c Config) *Auditor {
	if c.Identities == nil {
		c.Identities = crawler.NewIdentities(c.Crawlers, crawler.IdentityOptions{})
	}
	a := &Auditor{config: c, profiles: map[*crawler.Profile]uint16{}}
	profiles := c.Crawlers.Profiles()
	var names []string
	for i := range profiles {
		a.profiles[&profiles[i]] = uint16(i)
		names = append(names, profiles[i].Operator)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for i := range profiles {
		at, _ := slices.BinarySearch(names, profiles[i].Operator)
		a.operators = append(a.operators, uint16(at))
	}
	return a
}

// Run is one audit: workers count parts of the input, and Report adds up what
// they counted. Close it after use.
type Run struct {
	auditor *Auditor
	late    *spill.Sorter
	workers []*Worker
	tally   *tally // of what was gathered
	added   bool   // states were
	// verified are the addresses that Verify was told of.
	verified map[verifiedKey]bool
}

// Begin returns a new run.
func (a *Auditor) Begin() *Run {
	return &Run{
		auditor: a,
		late:    spill.New(spill.Options{Memory: a.config.Memory, Dir: a.config.TempDir}),
		tally:   a.newTally(),
	}
}

// Close gives back what the run holds, its temporary file among it.
func (r *Run) Close() error { return r.late.Close() }

// StopAt has what goes over the records that had to wait end with the error of ctx when
// it has one: Report, WriteState and Unverified.
func (r *Run) StopAt(ctx context.Context) { r.late.StopAt(ctx) }

// gather adds what the workers counted to the run's tally. They are not to be
// used afterwards.
func (r *Run) gather() error {
	for _, w := range r.workers {
		if err := w.end(); err != nil {
			return err
		}
		r.tally.merge(w.tally)
	}
	r.workers = nil
	return nil
}

// subject returns a crawler as robots.txt sees it, and whether it reads it as
// Google does what answers other than success mean.
func (a *Auditor) subject(c crawler.Claim) (s policy.Subject, google bool) {
	s = policy.Subject{Tokens: c.Tokens(), Readings: policy.Unknown()}
	if p := c.Profile; p != nil {
		s.IgnoresWildcard = p.IgnoresWildcard
		if d, err := automaton.ParseDialect(p.Dialect); err == nil {
			google = d == automaton.Google
			s.Readings = policy.Known(d, google)
		}
	}
	if d := a.config.Dialect; d != nil {
		s.Readings = policy.Known(*d, google)
	}
	return s, google
}

// operator returns the key of who runs a crawler: crawlers of one operator may
// hand each other the copies that they fetched. An unknown crawler is its own.
func (a *Auditor) operator(c crawler.Claim) operatorKey {
	if c.Profile != nil {
		return operatorKey{known: true, index: a.operators[a.profiles[c.Profile]]}
	}
	return operatorKey{name: strings.ToLower(c.Name)}
}

// operatorKey names an operator: by index if it is known, else by the name of
// its one crawler in lower case.
type operatorKey struct {
	known bool
	index uint16
	name  string
}
