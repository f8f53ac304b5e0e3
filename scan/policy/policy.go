// Package policy holds what a source says of robots.txt over time: which copies of an
// origin's a crawler might lawfully go by at a moment, and what each of them says of
// a request.
//
// A source is a list of rows: an origin, a time, the answer to /robots.txt from then
// on. Each origin's rows become versions with a beginning and an end (versions.go);
// redirects become what they lead to meanwhile (redirects.go); failures in succession
// become spells (spells.go); and of all this a table is made that has the lawful
// copies between any two moments at which they change (lawful.go, sets.go, table.go).
// So to ask for them costs a search in that table, and nothing is worked out per
// request. What a copy says of one is asked of a Binding (binding.go), of bodies that
// are read when they are first asked (body.go, contents.go).
//
// The copies are those of the source alone. What the log itself says of robots.txt is
// for others to add; Lawful.Spells tells where to look besides the window itself.
//
// Where the rules are silent, this is how they are read:
//   - of what was observed, a version is in force from the observation before it, that
//     moment included, until just before the one behind it; equal observations in
//     succession are one version, whose From is the first of them;
//   - the statuses 408, 444 and 499 are no answers, as Unreachable is none;
//   - a status 2xx without a file is an empty body;
//   - a redirect whose location is not in the source, or missing, cannot be followed;
//     one to an origin that has nothing at that moment, or past the fifth hop, or back
//     to an origin that led there, is as 404; one to another path than /robots.txt
//     cannot be followed either, unless the rules of that origin forbid it, which makes
//     it as 404: a copy that is a hop;
//   - a max_age counts for all that a redirect leads to, as that of the target does,
//     and the longest of them is the window;
//   - a redirect that cannot be followed counts also when a spell of failures
//     consults the time of its beginning.
package policy

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// Reading is a way of reading a copy for a crawler.
type Reading uint8

const (
	// ReadRFC9309, ReadGoogle and ReadOriginal are the three dialects.
	ReadRFC9309 Reading = iota
	ReadGoogle
	ReadOriginal
	// ReadGoogleWide is ReadGoogle with the product tokens of robots.txt read as
	// ReadRFC9309 reads them: Google's rules for crawlers of others, some of
	// which have names that Google's parser cuts short.
	ReadGoogleWide
	readings
)

// Dialect returns the dialect of the reading.
func (r Reading) Dialect() automaton.Dialect {
	switch r {
	case ReadGoogle, ReadGoogleWide:
		return automaton.Google
	case ReadOriginal:
		return automaton.Original
	default:
		return automaton.RFC9309
	}
}

// Options say how a source is to be taken.
type Options struct {
	// Observed says that rows tell when an answer was seen, not since when it was
	// given.
	Observed bool
	// Window is how long a crawler may keep a copy: 24 hours if 0, and not less.
	Window time.Duration
	// AssumeConstant lets each origin's first version begin before all time.
	AssumeConstant bool
	// Hosts are the only origins to be judged, if there are any. Redirects may lead
	// through others.
	Hosts []origin.Origin
	// MaxBytes is how much of each robots.txt is read, as compile.Options has it.
	MaxBytes int
}

// defaultWindow is how long a copy may be kept by RFC 9309 2.4.
const defaultWindow = 24 * time.Hour

// Policy is what a source says of the origins to be judged. It is immutable and safe
// for any number of goroutines.
type Policy struct {
	any       bool // for all origins
	named     bool // Options.Hosts were given
	window    time.Duration
	origins   []origin.Origin // sorted by compareOrigins
	histories []*history      // of each of them
}

// New makes the policy of a source. It keeps the rows' bodies. Two rows of one origin
// and moment are an error, and so is a host of Options that no row is for.
func New(rows []Row, o Options) (*Policy, error) {
	switch {
	case o.Window == 0:
		o.Window = defaultWindow
	case o.Window < defaultWindow:
		return nil, fmt.Errorf("a window of %v is less than the %v for which a copy may be kept", o.Window, defaultWindow)
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
		origins = append(origins, at)
	}
	if len(o.Hosts) > 0 {
		if origins, err = onlyHosts(origins, o.Hosts); err != nil {
			return nil, err
		}
	}
	return newPolicy(origins, sorted, o)
}

// onlyHosts returns those of the origins that are among hosts. A host without any is
// an error, but not one scheme of two.
func onlyHosts(origins, hosts []origin.Origin) ([]origin.Origin, error) {
	for _, h := range hosts {
		if !slices.ContainsFunc(hosts, func(o origin.Origin) bool {
			return o.Host == h.Host && slices.Contains(origins, o)
		}) {
			return nil, fmt.Errorf("no robots.txt of %v in the source", h)
		}
	}
	return slices.DeleteFunc(origins, func(o origin.Origin) bool { return !slices.Contains(hosts, o) }), nil
}

// Constant makes the policy of one robots.txt that is in force throughout all time, on
// the hosts of Options, or, if there are none, wherever a request went. Of the row only
// Body, Size and File count.
func Constant(r Row, o Options) *Policy {
	origins := slices.Clone(o.Hosts)
	if len(origins) == 0 {
		origins = []origin.Origin{{}}
	}
	row := &Row{Status: 200, Body: r.Body, Size: r.Size, File: r.File}
	rows := map[origin.Origin][]*Row{}
	for _, at := range origins {
		rows[at] = []*Row{row}
	}
	o.AssumeConstant, o.Window = true, max(o.Window, defaultWindow)
	p, _ := newPolicy(origins, rows, o) // only redirects, and many versions, could fail
	p.any = len(o.Hosts) == 0
	return p
}

// newPolicy makes the policy of the origins to be judged, in any order, and the
// sorted rows of all origins of the source.
func newPolicy(origins []origin.Origin, rows map[origin.Origin][]*Row, o Options) (*Policy, error) {
	slices.SortFunc(origins, compareOrigins)
	p := &Policy{window: o.Window, named: len(o.Hosts) > 0, origins: slices.Compact(origins)}
	follower := newFollower(rows, o)
	library := newLibrary(o.MaxBytes)
	sets := &sets{}
	for i, at := range p.origins {
		if i > 0 && sameHistory(rows[p.origins[i-1]], rows[at]) {
			p.histories = append(p.histories, p.histories[i-1])
			continue
		}
		pieces, err := follower.follow(at)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", at, err)
		}
		h, err := newHistory(pieces, o.Window, library, sets)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", at, err)
		}
		p.histories = append(p.histories, h)
	}
	return p, nil
}

// sameHistory tells whether two origins have the same rows, as http and https of one
// host often do, and no redirects, which may be relative.
func sameHistory(a, b []*Row) bool {
	return slices.Equal(a, b) && !slices.ContainsFunc(a, func(r *Row) bool { return r.Status/100 == 3 })
}

// Any tells whether the policy is for all origins.
func (p *Policy) Any() bool { return p.any }

// Window returns how long a crawler may keep a copy, if its version does not say
// more.
func (p *Policy) Window() time.Duration { return p.window }

// Origins returns the origins to be judged, by host, port and scheme, not to be
// changed; the zero Origin if Any. Other methods take an index in it.
func (p *Policy) Origins() []origin.Origin { return p.origins }

// Versions returns the versions of an origin, by From, not to be changed.
func (p *Policy) Versions(origin int32) []Version { return p.histories[origin].versions }

// Copies returns how many copies an origin has: the different bodies of its versions,
// and redirects that rules may forbid to follow. They are numbered from 0.
func (p *Policy) Copies(origin int32) int { return len(p.histories[origin].copies) }

// Lawful returns the copies of an origin that are lawful at t, in nanoseconds since
// 1970, for a crawler of Google's or another. It does not allocate; the result is not
// to be changed.
func (p *Policy) Lawful(origin int32, t int64, google bool) *Lawful {
	class := others
	if google {
		class = googles
	}
	return p.histories[origin].tables[class].at(t)
}

// InForce returns the versions of an origin that were in force, or may have been, at
// some moment from the first to the last: Versions[first:last]. Where what redirects
// led to was only observed, there may be others among them.
func (p *Policy) InForce(origin int32, from, to int64) (first, last int) {
	return p.histories[origin].inForce(from, to)
}

// Names tells whether the robots.txt of any origin, at any time, has a group for a
// product token.
func (p *Policy) Names(token string) bool {
	for i, h := range p.histories {
		if i > 0 && h == p.histories[i-1] {
			continue
		}
		for _, c := range h.copies {
			if c.hop != "" {
				break
			}
			if c.body.names(token) {
				return true
			}
		}
	}
	return false
}
