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

// State is the outcome of checking whether a client is the crawler that it claims to be.
type State uint8

const (
	// Verified: the address is in a list, or has a confirmed host name in one of the operator's domains.
	Verified State = iota
	// Spoofed: lists from around the time of the request prove that the address is not the crawler's.
	Spoofed
	// Unverified: no list was given, or none that covers such an address at that time.
	Unverified
	// Unverifiable: the operator publishes nothing, or the log records no public address.
	Unverifiable
)

const day = int64(24 * time.Hour)

// The maximum time between a request and a list that counts as evidence for it (audit-rules 8).
// Operators update their lists every few days or weeks, and lists grow, so an older list is missing new
// machines.
const (
	defaultMaxAge = 365 * 24 * time.Hour // to prove membership
	timely        = 30 * day             // to contradict that an address is absent
	justBefore    = day                  // to prove absence, if it was made before the request
)

// IdentityOptions holds the evidence for NewIdentities. The zero value proves nothing.
type IdentityOptions struct {
	// Series are the lists of address ranges. A crawler may have several series.
	Series []Series
	// MaxAge is how long before or after a request a list may have been made to prove that the address belongs to the
	// crawler. The default is 365 days.
	MaxAge time.Duration
	// Names holds confirmed host names of addresses. It is optional.
	Names *HostNames
}

// Identities checks whether clients are the crawlers that they claim to be.
// It is immutable and safe for concurrent use. The zero value has no
// evidence.
type Identities struct {
	evidence map[*Profile]*evidence
	names    *HostNames
	maxAge   int64 // in nanoseconds
}

// evidence holds the lists of one crawler.
type evidence struct {
	// ranges maps each range in any list to the lists that contain all of it.
	ranges *bart.Table[*listing]
	series []families
	// partial is set if the operator publishes more lists for the crawler than were given.
	partial bool
}

// listing records which lists contain an address.
type listing struct {
	members  dates // lists that have it as the crawler's
	mentions dates // the same, and lists that have it for an unknown service
}

// families holds, for IPv4 and IPv6, the dates of the lists in a series that contain addresses of that
// family.
type families [2]dates

// family returns the index of an address's family in families.
func family(a netip.Addr) int { return a.BitLen() / 128 }

// dates are the times at which lists were made, ascending and without duplicates.
type dates []int64

// undated is the Created value of lists without a date. It sorts before all dates.
const undated = 0

// NewIdentities returns the identities for the profiles of a set. Series for other profiles are
// ignored.
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

// tableOf returns a table that maps each address to all lists that contain it in any range, given the lists that
// contain each range.
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

// serves reports whether prefix n of the list is for crawler p, and whether all crawlers that it is for are known.
// services caches the crawlers by service name.
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

// HaveEvidence reports whether there are any lists or host names to identify clients by.
func (i *Identities) HaveEvidence() bool { return len(i.evidence) > 0 || i.names != nil }

// wholeFamilies covers all addresses of each family with ranges that every server accepts: none has a length of 0 bits,
// and the IPv6 ranges exclude embedded IPv4 addresses.
var wholeFamilies = [2][]netip.Prefix{
	{netip.MustParsePrefix("0.0.0.0/1"), netip.MustParsePrefix("128.0.0.0/1")}, {netip.MustParsePrefix("2000::/3")},
}

// Own returns the addresses that may belong to a crawler, for rules that block everyone else who uses its name. listed
// has the ranges from all its lists, whatever their date, and the addresses with a confirmed host name in its domains.
// unknown has every address of a family that one of its series lacks, because the lists prove nothing about that
// family. Both are nil without lists and names.
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

// Proof is the evidence for or against clients that claim to be one crawler. The zero value proves nothing. It is
// immutable and safe for concurrent use.
type Proof struct {
	known     bool // there is something to identify clients by
	published bool
	evidence  *evidence
	names     *HostNames // nil if they could prove nothing
	domains   []string
	maxAge    int64
}

// Of returns the evidence for one crawler: p is a profile of the set, or nil for an unknown crawler. Callers should
// keep the result for repeated use.
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

// HasLists reports whether address lists were given for the crawler. If so, clients are Unverified when no list covers
// their request.
func (p *Proof) HasLists() bool { return p.evidence != nil }

// Identify reports whether a client at an address is the crawler. t is the time of the request in nanoseconds since
// 1970, if hasTime is set. It does not allocate.
//
// A list proves membership for requests within MaxAge of the time it was made. An undated list does so for all
// requests, and is the only kind that verifies a request without a time. See evidence.absent for what proves a client
// spoofed.
func (p *Proof) Identify(addr []byte, t int64, hasTime bool) State {
	if !p.known {
		return Unverifiable
	}
	ip, ok := Client(addr)
	if !ok {
		return Unverifiable
	}
	return p.IdentifyClient(ip, t, hasTime)
}

// IdentifyClient is Identify for an address from Client. The zero Addr means that the field identifies
// no client.
func (p *Proof) IdentifyClient(ip netip.Addr, t int64, hasTime bool) State {
	if !p.known || !ip.IsValid() {
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

// absent reports whether the lists prove that an address is not the crawler's, given that no list made
// within 30 days of t contains it. Every series must have a list made at most one day before t or at
// most 30 days after it that contains addresses of the same family. Operators publish several files for
// one crawler, so the other series cannot make up for one that is stale, undated or silent about the
// family.
func (e *evidence) absent(family int, t int64) bool {
	for i := range e.series {
		if made := e.series[i][family]; !made.near(t, justBefore, timely) {
			return false
		}
	}
	return !e.partial
}

// add appends a date.
func (d *dates) add(made int64) {
	if n := len(*d); n == 0 || (*d)[n-1] != made {
		*d = append(*d, made)
	}
}

// with returns the union of two lists of dates, ascending and without duplicates.
func (d dates) with(more dates) dates {
	all := slices.Concat(d, more)
	slices.Sort(all)
	return slices.Compact(all)
}

// anytime reports whether one of the lists is undated.
func (d dates) anytime() bool { return len(d) > 0 && d[0] == undated }

// near reports whether one of the lists was made no more than before earlier than t, and no more than after
// later.
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

// Identify reports whether a client at an address is a crawler that it claims to be, as Proof.Identify does. It
// also returns the claim. If the header names crawlers of several operators and the address verifies one of them,
// the result is a claim for that crawler. Such a client is Spoofed only if it is proven not to be any of the
// crawlers named, which is never the case if the claim is Foreign. Otherwise the state is that of the first
// crawler.
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
