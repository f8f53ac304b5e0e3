// Package policy holds the robots.txt of origins over time. It determines which copies a crawler may lawfully use at a
// moment, and whether each of them permits a request.
//
// A source is a list of rows: an origin, a time, and the response to /robots.txt from then
// on (row.go, manifest.go, directory.go). Each origin's rows become versions with a start
// and an end, and redirects are replaced by the target's responses during that time
// (redirects.go). The lawful copies stay the same between two changes (lawful.go), so they
// can be found by binary search. A Binding judges requests by a copy (binding.go), and
// permits requests for its sitemaps (sitemaps.go). A body is compiled on first use, once for
// each reading (body.go), and again for any lines past the limit that may permit
// (pastlimit.go).
//
// All copies come from the source. The caller adds the responses to /robots.txt that the log itself
// records: those within Span, and LawfulLong if one of them failed.
//
// Where the audit rules (docs/reference/audit-rules.md, section 2) leave a choice, this package makes
// it:
//   - An observed version is in force from the observation before it, inclusive, until just before the
//     next one. Consecutive equal observations are one version, whose From is the first of them.
//   - A status 2xx without a file is an empty body.
//   - The answer at the end of redirects may be kept for the longest max_age of the redirects and of
//     the answer. Its observation ends when the observation of any of them does.
//   - Past the fifth redirect "everything is allowed" is the only possibility if there is no file at
//     the end, even if the end isn't in the source.
package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/reading"
)

// Options control how a source is interpreted.
type Options struct {
	// Observed is set if a row's time is when its response was seen, rather than when the response came into
	// force.
	Observed bool
	// Window is how long a crawler may keep a copy, Delay how much longer queues, caches and
	// late logging may keep the copy in use, and Skew how much the clocks of the log and of the
	// source may differ. The defaults are 24 hours, 3 hours and 10 minutes, which are also the
	// minimums.
	Window, Delay, Skew time.Duration
	// AssumeConstant extends each origin's first version to before all time.
	AssumeConstant bool
	// Hosts limits the origins to be judged; empty means all of the source. Redirects may lead to
	// others.
	Hosts []origin.Origin
	// MaxBytes limits how much of each robots.txt is read, as in compile.Options.
	MaxBytes int
}

// The minimum values of Options. RFC 9309 2.4 lets a crawler keep a copy for 24 hours.
const (
	MinWindow = 24 * time.Hour
	MinDelay  = 3 * time.Hour
	MinSkew   = 10 * time.Minute
)

// Policy holds the histories of the origins to be judged. It is immutable and safe for concurrent
// use.
type Policy struct {
	timing
	any       bool            // the policy is for all origins
	none      bool            // there is no robots.txt, and nothing is judged
	named     bool            // Options.Hosts were given
	origins   []origin.Origin // sorted by compareOrigins
	histories []*history      // one per origin
}

// New returns the policy for a source. It retains the rows' bodies. It fails if two rows have the same origin and time,
// or if a host in Options has no row.
func New(rows []Row, o Options) (*Policy, error) {
	for _, d := range []struct {
		name         string
		given, least time.Duration
	}{{"window", o.Window, MinWindow}, {"delay", o.Delay, MinDelay}, {"skew", o.Skew, MinSkew}} {
		if d.given != 0 && d.given < d.least {
			return nil, fmt.Errorf("a %s of %v is less than %v", d.name, d.given, d.least)
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("no robots.txt in the source")
	}
	sorted, err := sortRows(rows)
	if err != nil {
		return nil, err
	}
	var origins []origin.Origin
	for at := range sorted {
		if len(o.Hosts) == 0 || slices.Contains(o.Hosts, at) {
			origins = append(origins, at)
		}
	}
	// A host may lack one of its two schemes, but not both.
	for _, h := range o.Hosts {
		if !slices.ContainsFunc(origins, func(o origin.Origin) bool { return o.Host == h.Host }) {
			return nil, fmt.Errorf("no robots.txt of %v in the source", h)
		}
	}
	return newPolicy(origins, sorted, o)
}

// Constant returns the policy for one robots.txt that is always in force, on the hosts in
// Options or, if there are none, on all hosts. It only uses Body, Past, Size, Sum and File of
// the row.
func Constant(r Row, o Options) *Policy {
	return throughout(&Row{Status: 200, Body: r.Body, Past: r.Past, Size: r.Size, Sum: r.Sum, File: r.File}, o)
}

// None returns a policy without a robots.txt, which judges nothing, for the hosts in Options or, if there are none, for
// all hosts.
func None(o Options) *Policy {
	p := throughout(&Row{Status: 404}, o)
	p.none = true
	return p
}

// throughout makes the policy for one row, see Constant.
func throughout(row *Row, o Options) *Policy {
	origins := slices.Clone(o.Hosts)
	if len(origins) == 0 {
		origins = []origin.Origin{{}}
	}
	rows := map[origin.Origin][]*Row{}
	for _, at := range origins {
		rows[at] = []*Row{row}
	}
	o.AssumeConstant = true
	p, _ := newPolicy(origins, rows, o) // only redirects could fail
	p.any = len(o.Hosts) == 0
	return p
}

// newPolicy makes the policy for the origins to be judged, in any order, given the sorted rows of
// all origins of the source.
func newPolicy(origins []origin.Origin, rows map[origin.Origin][]*Row, o Options) (*Policy, error) {
	slices.SortFunc(origins, compareOrigins)
	p := &Policy{named: len(o.Hosts) > 0, origins: slices.Compact(origins), timing: timing{
		window: int64(max(o.Window, MinWindow)), delay: int64(max(o.Delay, MinDelay)), skew: int64(max(o.Skew, MinSkew)),
	}}
	follower := newFollower(rows, o)
	bodies := &store{maxBytes: o.MaxBytes, byText: map[bodyText]*body{}, byFile: map[*byte]*body{}}
	for i, at := range p.origins {
		if i > 0 && sameHistory(rows[p.origins[i-1]], rows[at]) {
			p.histories = append(p.histories, p.histories[i-1])
			continue
		}
		replies, err := follower.follow(at)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", at, err)
		}
		p.histories = append(p.histories, newHistory(newAccount(replies, bodies), p.timing))
	}
	return p, nil
}

// sameHistory reports whether two origins have the same rows, as http and https of a host often do,
// without redirects, which may be relative.
func sameHistory(a, b []*Row) bool {
	return slices.Equal(a, b) && !slices.ContainsFunc(a, func(r *Row) bool { return r.Status/100 == 3 })
}

// Any reports whether the policy applies to all origins.
func (p *Policy) Any() bool { return p.any }

// None reports whether the policy was returned by the function None.
func (p *Policy) None() bool { return p.none }

// Window returns how long a crawler may keep a copy, unless its version allows longer.
func (p *Policy) Window() time.Duration { return time.Duration(p.window) }

// Delay returns how much longer than Window a copy may be in use.
func (p *Policy) Delay() time.Duration { return time.Duration(p.delay) }

// Skew returns how much the clocks of the log and of the source may differ.
func (p *Policy) Skew() time.Duration { return time.Duration(p.skew) }

// Origins returns the origins to be judged, sorted by host, port and scheme, or the zero Origin if
// Any. Callers must not modify them. Other methods take an index in it.
func (p *Policy) Origins() []origin.Origin { return p.origins }

// Versions returns the versions of an origin, sorted by From. Callers must not modify them.
func (p *Policy) Versions(origin int32) []Version { return p.histories[origin].versions }

// Copies returns the number of copies of an origin: the distinct bodies of its versions, and its
// hops, which are redirects to another path (see Lawful.Hops). Copies are numbered from 0.
func (p *Policy) Copies(origin int32) int { return len(p.histories[origin].copies) }

// InForce returns the range Versions[first:last] with the versions of an origin that may have been
// in force at t, given clocks that differ by up to Skew. If the targets of redirects were only
// observed, the range may contain others.
func (p *Policy) InForce(origin int32, t int64) (first, last int) {
	return p.histories[origin].inForce(before(t, p.skew), after(t, p.skew))
}

// VersionsAt returns the versions of InForce.
func (p *Policy) VersionsAt(origin int32, t int64) []Version {
	first, last := p.InForce(origin, t)
	return p.Versions(origin)[first:last]
}

// HaveSize reports whether any of some versions has a file of a given size.
func HaveSize(versions []Version, size int64) bool {
	return slices.ContainsFunc(versions, func(v Version) bool { return v.Copy >= 0 && v.Size == size })
}

// HasSize reports whether any version of an origin may have a given size. Versions of unknown size
// may.
func (p *Policy) HasSize(origin int32, size int64) bool {
	h := p.histories[origin]
	return h.unsized || h.hasSize(size)
}

// Unseen reports whether an origin had a version with an unknown body.
func (p *Policy) Unseen(origin int32) bool { return p.histories[origin].unseen }

// OfSize appends to dst, in ascending order, the bodies of a given size among an origin's versions,
// as numbers of copies.
func (p *Policy) OfSize(origin int32, size int64, dst []int32) []int32 {
	return p.histories[origin].ofSize(size, dst)
}

// MayRedirect reports whether any answer of an origin was a redirect to something other than a
// robots.txt of the source.
func (p *Policy) MayRedirect(origin int32) bool {
	return p.histories[origin].redirects
}

// Names reports whether any robots.txt of any origin has a group for a product token.
func (p *Policy) Names(token string) bool {
	asked := map[*body]bool{} // thousands of origins may share a body
	for _, h := range p.histories {
		for _, c := range h.copies[:h.bodies] {
			if asked[c.body] {
				continue
			}
			asked[c.body] = true
			if c.body.names(token) {
				return true
			}
		}
	}
	return false
}

// Robots returns the robots.txt of an origin's version, or of its redirect's target, compiled for a
// reading; nil if the version has no body.
func (p *Policy) Robots(origin, version int32, r reading.Reading) *compile.Robots {
	h := p.histories[origin]
	c := h.versions[version].Copy
	if c < 0 {
		return nil
	}
	return h.copies[c].body.robots(r)
}

// Body returns the robots.txt of an origin's version, or of its redirect's target, as in Row.Body;
// nil if the version has none. Callers must not modify it.
func (p *Policy) Body(origin, version int32) []byte {
	h := p.histories[origin]
	c := h.versions[version].Copy
	if c < 0 {
		return nil
	}
	return h.copies[c].body.text
}

// QuoteRule returns the rule on a line of an origin's version in the form of compile.Rule.String;
// "" if the line has no rule. Some dialects may not read the line as a rule, but all that do read
// the same text.
func (p *Policy) QuoteRule(origin, version int32, line int) string {
	for r := range reading.Reading(automaton.NumDialects) {
		robots := p.Robots(origin, version, r)
		if robots == nil {
			break
		}
		if rule, ok := robots.Rule(line); ok {
			return rule.String()
		}
	}
	return ""
}

// Site is where a request may have gone: the origins Origins()[First:First+N].
type Site struct {
	First int32 `cbor:"1,keyasint"`
	N     int32 `cbor:"2,keyasint"`
}

// OneHost reports whether a site is a single host, whose scheme may be unknown.
func (p *Policy) OneHost(s Site) bool {
	return s.N > 0 && p.origins[s.First].Host == p.origins[s.First+s.N-1].Host
}

// Union returns a site with all origins of two. It may include others between them:
// the more origins a request may have gone to, the more cautiously it is judged.
func (s Site) Union(other Site) Site {
	if s.N == 0 || other.N == 0 {
		return Site{First: max(s.First, other.First), N: max(s.N, other.N)}
	}
	first, last := min(s.First, other.First), max(s.First+s.N, other.First+other.N)
	return Site{First: first, N: last - first}
}

// compareOrigins orders origins by host, port and scheme: the origins of one host, and
// of one host and port, are next to each other.
func compareOrigins(a, b origin.Origin) int {
	return cmp.Or(strings.Compare(a.Host, b.Host), cmp.Compare(a.Port, b.Port), strings.Compare(a.Scheme, b.Scheme))
}

// Site returns the origins that o may be. If o has no port, these are all origins of its host, and
// if it has a port but no scheme, all of its host and port. If o has a scheme but no port, it has
// the scheme's default port. ok is false if the policy has no such origin. Site doesn't allocate
// and keeps no view of o.
func (p *Policy) Site(o origin.Origin) (s Site, ok bool) {
	if p.any {
		return Site{0, 1}, true
	}
	if o.Scheme != "" && o.Port == 0 {
		o.Port = origin.DefaultPort(o.Scheme)
		if o.Port == 0 {
			return Site{}, false
		}
	}
	first, _ := slices.BinarySearchFunc(p.origins, o, compareOrigins)
	last := first
	for last < len(p.origins) && mayBe(o, p.origins[last]) {
		last++
	}
	return Site{int32(first), int32(last - first)}, last > first
}

// mayBe reports whether o, which may lack its port and scheme, is the known origin.
func mayBe(o, known origin.Origin) bool {
	return o.Host == known.Host && (o.Port == 0 || o.Port == known.Port) && (o.Scheme == "" || o.Scheme == known.Scheme)
}

// Unnamed returns the site of the requests in a log that names no hosts, which is the hosts in
// Options. ok is false if Options has no hosts and the policy isn't for any host.
func (p *Policy) Unnamed() (s Site, ok bool) {
	if !p.any && !p.named {
		return Site{}, false
	}
	return Site{0, int32(len(p.origins))}, true
}
