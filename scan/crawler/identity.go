//go:build !js

package crawler

import (
	"cmp"
	"maps"
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/gaissmai/bart"
)

// State says how far a client is known to be the crawler that it claims to be.
type State uint8

const (
	// Verified: the address is in a list, or has a confirmed name in one of the operator's domains.
	Verified State = iota
	// Spoofed: lists of the request's time prove that the address is not the crawler's.
	Spoofed
	// Unverified: no list was given, or none about such an address at that time.
	Unverified
	// Unverifiable: the operator publishes nothing, or the log has no public address.
	Unverifiable
)

const day = int64(24 * time.Hour)

// How far from a request a list may have been made to say something about it
// (audit-rules 8). Operators change their lists every few days or weeks, and lists grow:
// an older one does not know new machines.
const (
	defaultMaxAge = 365 * 24 * time.Hour // to prove membership
	timely        = 30 * day             // to contradict that an address is absent
	justBefore    = day                  // to prove absence, if it was made before the request
)

// IdentityOptions have the evidence for NewIdentities. The zero value proves nothing.
type IdentityOptions struct {
	// Series are the lists of ranges. A crawler may have several series.
	Series []Series
	// MaxAge is how long before or after a request a list may have been made to prove that
	// the crawler has an address; 0 is 365 days.
	MaxAge time.Duration
	// Names are confirmed names of addresses; nil if there are none.
	Names *HostNames
}

// Identities say whether clients are the crawlers that they claim to be. They
// are immutable and safe for any number of goroutines. The zero value knows no
// ranges.
type Identities struct {
	evidence map[*Profile]*evidence
	names    *HostNames
	maxAge   int64 // in nanoseconds
}

// evidence has the lists of one crawler.
type evidence struct {
	// ranges has, for each range of any list, the lists that have all of it.
	ranges *bart.Table[*listing]
	series []families
	// partial: the operator publishes more lists for the crawler than were given.
	partial bool
}

// listing says which lists have an address.
type listing struct {
	members  dates // those that have it as the crawler's
	mentions dates // these, and those that have it for a service that is not known
}

// families are the dates of those lists of a series that have addresses of IPv4, and of
// those that have addresses of IPv6.
type families [2]dates

// family returns the index in families of an address.
func family(a netip.Addr) int { return a.BitLen() / 128 }

// dates are the times at which lists were made, ascending, each once.
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
	series := map[*Profile][]Series{}
	for _, s := range o.Series {
		if len(s.Lists) > 0 {
			series[s.Profile] = append(series[s.Profile], s)
		}
	}
	for n := range set.profiles {
		if p := &set.profiles[n]; series[p] != nil {
			i.evidence[p] = newEvidence(p, series[p], set)
		}
	}
	return i
}

func newEvidence(p *Profile, series []Series, set *Set) *evidence {
	published := map[string]bool{} // a list may have two names
	for _, list := range p.Lists {
		published[list.URL] = true
	}
	e := &evidence{partial: len(series) < len(published)}
	own := map[netip.Prefix]*listing{}
	services := map[string]*Profile{}
	for _, s := range series {
		var f families
		for _, list := range s.Lists {
			for n, prefix := range list.prefixes {
				member, known := list.serves(n, p, set, services)
				if known && !member {
					continue
				}
				if own[prefix] == nil {
					own[prefix] = new(listing)
				}
				own[prefix].mentions.add(list.Created)
				if member {
					own[prefix].members.add(list.Created)
					f[family(prefix.Addr())].add(list.Created)
				}
			}
		}
		for n := range f {
			f[n] = f[n].with(nil)
		}
		e.series = append(e.series, f)
	}
	e.ranges = tableOf(own)
	return e
}

// tableOf returns a table that leads each address to the lists that have it in any range,
// given the lists that have each range.
func tableOf(own map[netip.Prefix]*listing) *bart.Table[*listing] {
	table := new(bart.Table[*listing])
	byBits := func(a, b netip.Prefix) int { return cmp.Compare(a.Bits(), b.Bits()) } // the widest first
	for _, prefix := range slices.SortedFunc(maps.Keys(own), byBits) {
		l := own[prefix]
		wider, ok := table.LookupPrefix(prefix)
		if !ok {
			wider = new(listing)
		}
		table.Insert(prefix, &listing{l.members.with(wider.members), l.mentions.with(wider.mentions)})
	}
	return table
}

// serves reports whether a prefix of the list, by its index, is for a crawler, and whether
// all crawlers that it is for are known. services remembers the crawlers of names.
func (r *Ranges) serves(n int, p *Profile, set *Set, services map[string]*Profile) (member, known bool) {
	names := r.services[n]
	if names == nil {
		return true, true
	}
	known = true
	for _, name := range names {
		of, asked := services[name]
		if !asked {
			of = set.ByName(name)
			services[name] = of
		}
		member = member || of == p
		known = known && of != nil
	}
	return member, known
}

// HaveEvidence reports whether there are any lists or names to identify clients by.
func (i *Identities) HaveEvidence() bool { return len(i.evidence) > 0 || i.names != nil }

// wholeFamilies are the addresses of each family, in ranges that every server can be given: none is of
// 0 bits, and none of IPv6 has IPv4 in it.
var wholeFamilies = [2][]netip.Prefix{
	{netip.MustParsePrefix("0.0.0.0/1"), netip.MustParsePrefix("128.0.0.0/1")}, {netip.MustParsePrefix("2000::/3")},
}

// Own returns the addresses that may be a crawler's, for rules that refuse others in its name: listed
// are the ranges of its lists, of whatever date, and addresses with a confirmed name in its domains.
// unknown are all addresses of a family that one of its series does not have: there the lists prove
// nothing. Both are nil without lists and names.
func (i *Identities) Own(p *Profile) (listed, unknown []netip.Prefix) {
	if e := i.evidence[p]; e != nil {
		for prefix := range e.ranges.All() {
			listed = append(listed, prefix)
		}
		for n, all := range wholeFamilies {
			if slices.ContainsFunc(e.series, func(f families) bool { return len(f[n]) == 0 }) {
				unknown = append(unknown, all...)
			}
		}
	}
	if i.names != nil && len(p.Domains) > 0 {
		for addr := range i.names.names {
			if i.names.verifies(addr, p.Domains) {
				listed = append(listed, netip.PrefixFrom(addr, addr.BitLen()))
			}
		}
	}
	return listed, unknown
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

// HasLists reports whether lists of addresses were given for the crawler. A client of such a
// crawler is Unverified if no list says anything about its request.
func (p *Proof) HasLists() bool { return p.evidence != nil }

// Identify reports whether a client at an address is the proof's crawler. t is the
// request's time in nanoseconds since 1970, if it has one. It does not allocate.
//
// A list proves membership for requests within MaxAge before or after it was made; a list
// without a date does so for all requests. It is the only one that verifies a request
// without a time. See evidence.absent for what proves an impostor.
func (p *Proof) Identify(addr []byte, t int64, hasTime bool) State {
	if !p.known {
		return Unverifiable
	}
	ip, ok := parseAddr(addr)
	if !ok || anonymous(ip) {
		return Unverifiable
	}
	e := p.evidence
	if e == nil {
		switch {
		case p.names.verifies(ip, p.domains):
			return Verified
		case p.published:
			return Unverified
		default:
			return Unverifiable
		}
	}
	lists, listed := e.ranges.Lookup(ip)
	isMember := listed && (lists.members.anytime() || hasTime && lists.members.near(t, p.maxAge, p.maxAge))
	isMentioned := listed && (lists.mentions.anytime() || lists.mentions.near(t, timely, timely))
	switch {
	case isMember || p.names.verifies(ip, p.domains):
		return Verified
	case hasTime && !isMentioned && e.absent(family(ip), t):
		return Spoofed
	default:
		return Unverified
	}
}

// absent reports whether the lists prove that an address of a family, which no list made
// within 30 days of t has, is not the crawler's: each series has addresses of the family in a list
// made at most a day before t or at most 30 days after it. Operators publish several files for
// one crawler, so the other series do not make up for one that is stale, has no date or
// says nothing of the family.
func (e *evidence) absent(family int, t int64) bool {
	for i := range e.series {
		if made := e.series[i][family]; !made.near(t, justBefore, timely) {
			return false
		}
	}
	return !e.partial
}

// add adds a date at the end.
func (d *dates) add(made int64) {
	if n := len(*d); n == 0 || (*d)[n-1] != made {
		*d = append(*d, made)
	}
}

// with returns all dates of two lists, ascending, each once.
func (d dates) with(more dates) dates {
	all := slices.Concat(d, more)
	slices.Sort(all)
	return slices.Compact(all)
}

// anytime reports whether one of the lists has no date.
func (d dates) anytime() bool { return len(d) > 0 && d[0] == undated }

// near reports whether one of the lists was made at most before earlier than t and at most
// after later.
func (d dates) near(t, before, after int64) bool {
	from, to := t-before, t+after
	if from > t {
		from = math.MinInt64
	}
	if to < t {
		to = math.MaxInt64
	}
	n, _ := slices.BinarySearch(d, max(from, undated+1))
	return n < len(d) && d[n] <= to
}

// Identify reports whether a client at an address is a crawler of its claim, as
// Proof.Identify does. It also returns the claim: if a header names crawlers of several
// operators and the address verifies one of them, it is the claim of that crawler. Such a
// client is spoofed only if it is proven to be none of the crawlers that it names, which
// is never proven if it is Foreign; otherwise the state is the first crawler's.
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
	case first == Spoofed && (c.Foreign || !spoofed):
		return c, Unverified
	default:
		return c, first
	}
}
