package crawler

import (
	"math"
	"slices"
	"time"

	"github.com/gaissmai/bart"
)

// State says how far a client is known to be the crawler that it claims to be.
type State uint8

const (
	// Verified: the address is in the ranges that the operator publishes, or has
	// a confirmed name in one of its domains.
	Verified State = iota
	// Spoofed: ranges were given for the crawler, among them some of the request's
	// time, and the address is in none.
	Spoofed
	// Unverified: it could have been verified, but no ranges were given, or they
	// are too old or too young for the request.
	Unverified
	// Unverifiable: it cannot be verified. The operator publishes nothing, or the
	// field is not an address, or an address that any private network may use.
	Unverifiable
)

// defaultMaxAge is how far from a request a list of ranges may have been made to
// prove by an address's absence that a client is an impostor. Operators change
// their lists every few days or weeks.
const defaultMaxAge = 30 * 24 * time.Hour

// IdentityOptions have the evidence for NewIdentities. The zero value proves nothing.
type IdentityOptions struct {
	// Series are the lists of ranges. A crawler may have several series; then
	// absence proves something only if each of them has a list of the time.
	Series []Series
	// MaxAge is how old or young a list may be at a request; 0 is 30 days.
	MaxAge time.Duration
	// Names are confirmed names of addresses; nil if there are none.
	Names *HostNames
}

// Identities tell whether clients are the crawlers that they claim to be. They
// are immutable and safe for any number of goroutines. The zero value knows no
// ranges.
type Identities struct {
	evidence map[*Profile]*evidence
	names    *HostNames
	maxAge   int64 // in nanoseconds
}

// evidence has the lists of one crawler.
type evidence struct {
	table  *bart.Lite // all lists together, for membership in any of them verifies
	series []dates
}

// dates are the times at which the lists of a series were made, ascending.
type dates []int64

// undated is the Created of lists without a date; no date is before it.
const undated = 0

// NewIdentities returns the identities of the set's profiles. Series of other
// profiles are passed over.
func NewIdentities(set *Set, o IdentityOptions) *Identities {
	i := &Identities{evidence: map[*Profile]*evidence{}, names: o.Names, maxAge: int64(o.MaxAge)}
	if i.maxAge <= 0 {
		i.maxAge = int64(defaultMaxAge)
	}
	own := map[*Profile]bool{}
	for n := range set.profiles {
		own[&set.profiles[n]] = true
	}
	for _, series := range o.Series {
		if !own[series.Profile] || len(series.Lists) == 0 {
			continue
		}
		e := i.evidence[series.Profile]
		if e == nil {
			e = &evidence{table: new(bart.Lite)}
			i.evidence[series.Profile] = e
		}
		var made dates
		for _, list := range series.Lists {
			for _, prefix := range list.prefixes {
				e.table.Insert(prefix)
			}
			made = append(made, list.Created)
		}
		slices.Sort(made)
		e.series = append(e.series, made)
	}
	return i
}

// Proof is the evidence that proves or disproves that a client is one crawler. The zero
// value proves nothing. It is immutable and safe for any number of goroutines.
type Proof struct {
	known     bool // there is something to identify clients by
	published bool
	evidence  *evidence
	names     *HostNames // nil if they could prove nothing
	domains   []string
	maxAge    int64
}

// Of returns the evidence for one crawler, a profile of the set, or nil for an unknown
// crawler. Keep it for repeated use.
func (i *Identities) Of(p *Profile) Proof {
	if p == nil {
		return Proof{}
	}
	proof := Proof{evidence: i.evidence[p], domains: p.Domains, maxAge: i.maxAge, published: p.Verify != ""}
	if len(p.Domains) > 0 {
		proof.names = i.names
	}
	proof.known = proof.evidence != nil || proof.names != nil || proof.published
	return proof
}

// Identify tells whether a client at an address is the proof's crawler. t is the
// request's time in nanoseconds since 1970, if it has one. It does not allocate.
//
// Membership in any list verifies, even if the list is old. Absence proves an impostor
// only if each series has a list of the request's time. For a request without a time only
// lists without a date count.
func (p *Proof) Identify(addr []byte, t int64, hasTime bool) State {
	if !p.known {
		return Unverifiable
	}
	ip, ok := parseAddr(addr)
	if !ok || anonymous(ip) {
		return Unverifiable
	}
	e := p.evidence
	switch {
	case e != nil && e.table.Contains(ip), p.names.verifies(ip, p.domains):
		return Verified
	case e == nil && !p.published:
		return Unverifiable
	case e == nil || !e.current(t, hasTime, p.maxAge):
		return Unverified
	default:
		return Spoofed
	}
}

// current tells whether each series has a list that was made at most maxAge
// from t, or that has no date and so is taken as current.
func (e *evidence) current(t int64, hasTime bool, maxAge int64) bool {
	for _, made := range e.series {
		if made[0] != undated && !(hasTime && made.near(t, maxAge)) {
			return false
		}
	}
	return true
}

// near tells whether one of the dates is at most maxAge from t.
func (d dates) near(t, maxAge int64) bool {
	from := t - maxAge
	if from > t {
		from = math.MinInt64
	}
	n, _ := slices.BinarySearch(d, from)
	return n < len(d) && (d[n] <= t || d[n]-maxAge <= t)
}

// Identify tells whether a client at an address is a crawler of its claim, as
// Proof.Identify does. It also returns the claim: if a header names crawlers of several
// operators and the address verifies one of them, it is the claim of that crawler. Such a
// client is spoofed only if it is proven to be none of the crawlers that it names;
// otherwise the state is the first crawler's.
func (i *Identities) Identify(c Claim, addr []byte, t int64, hasTime bool) (Claim, State) {
	if !c.Ambiguous {
		proof := i.Of(c.Profile)
		return c, proof.Identify(addr, t, hasTime)
	}
	var verified *Profile
	spoofed, first := true, Unverifiable
	for n, p := range c.Rivals {
		proof := i.Of(p)
		s := proof.Identify(addr, t, hasTime)
		if n == 0 {
			first = s
		}
		spoofed = spoofed && s == Spoofed
		if s != Verified {
			continue
		}
		if verified != nil { // it may be either
			return c, Verified
		}
		verified = p
	}
	switch {
	case verified != nil:
		return Claim{Profile: verified, Name: verified.Name}, Verified
	case first == Spoofed && !spoofed:
		return c, Unverified
	default:
		return c, first
	}
}
