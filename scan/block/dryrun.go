package block

import (
	"net/netip"
	"slices"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Refused is what rules would have refused of a log. Others is what of it was of anybody else than
// those whom the rules are for.
type Refused struct {
	Requests, Others int64
	Visitors         int64 // of Others: they name no crawler, as browsers do
	Verified         int64 // of Others: verified crawlers
	Search           int64 // of Others: in the name of search engines
}

func (r *Refused) add(o Refused) {
	r.Requests, r.Others, r.Visitors = r.Requests+o.Requests, r.Others+o.Others, r.Visitors+o.Visitors
	r.Verified, r.Search = r.Verified+o.Verified, r.Search+o.Search
}

// Counter holds the rules of a plan to requests.
type Counter struct {
	plan    *Plan
	kinds   []*Kind
	at      map[netip.Prefix]int // the rules by address
	workers []counting
}

// counting is what one worker counts.
type counting struct {
	lines   int64
	results []Result
	headers map[string][]int // the rules whose patterns match
	hits    []int
}

// Result is the dry run of the rules as one kind writes them.
type Result struct {
	Lines int64 // how many requests there were
	Refused
	Rules []Refused // each rule alone
}

// NewCounter returns a counter for files of some kinds.
func NewCounter(p *Plan, kinds []*Kind, workers int) *Counter {
	c := &Counter{plan: p, kinds: kinds, at: map[netip.Prefix]int{}, workers: make([]counting, workers)}
	for i, r := range p.Rules {
		if r.Sort == ByAddress {
			c.at[r.Prefix] = i
		}
	}
	for i := range c.workers {
		c.workers[i] = counting{headers: map[string][]int{}, results: c.empty()}
	}
	return c
}

func (c *Counter) empty() []Result {
	list := make([]Result, len(c.kinds))
	for i := range list {
		list[i].Rules = make([]Refused, len(c.plan.Rules))
	}
	return list
}

// maxHeaders bounds the headers that a worker remembers, and maxHeader their length.
const (
	maxHeaders = 1000
	maxHeader  = 1 << 10
)

// Seen counts a request: it is audit.Config.Seen.
func (c *Counter) Seen(s *audit.Seen) {
	w := &c.workers[s.Worker]
	w.lines++
	addr, isClient := crawler.Client(s.Address)
	w.hits = w.hits[:0]
	for _, i := range c.named(w, s.Agent) {
		if r := &c.plan.Rules[i]; r.Sort == ByName || isClient && !r.Own.overlaps(netip.PrefixFrom(addr, addr.BitLen())) {
			w.hits = append(w.hits, i)
		}
	}
	if isClient {
		for _, p := range []netip.Prefix{netip.PrefixFrom(addr, addr.BitLen()), around(addr)} {
			if i, ok := c.at[p]; ok {
				w.hits = append(w.hits, i)
			}
		}
	}
	if len(w.hits) > 0 {
		c.count(w, s)
	}
}

// named returns the rules whose patterns match a header.
func (c *Counter) named(w *counting, header []byte) []int {
	list, known := w.headers[string(header)]
	if known {
		return list
	}
	for i, r := range c.plan.Rules {
		if r.match != nil && r.match.Match(header) {
			list = append(list, i)
		}
	}
	if len(w.headers) == maxHeaders {
		clear(w.headers)
	}
	if len(header) <= maxHeader {
		w.headers[string(header)] = list
	}
	return list
}

// count counts a request that rules match.
func (c *Counter) count(w *counting, s *audit.Seen) {
	other := Refused{Requests: 1, Others: 1}
	switch {
	case s.Crawler == "":
		other.Visitors = 1
	case s.Identity == report.Verified:
		other.Verified = 1
	}
	if s.Profile != nil && s.Profile.Category == "search" {
		other.Search = 1
	}
	for k, kind := range c.kinds {
		var all Refused
		for _, i := range w.hits {
			if r := &c.plan.Rules[i]; kind.writes(r) && !(s.Fetch && kind.FreesRobots) {
				one := other
				if r.isFor(s) {
					one = Refused{Requests: 1}
				}
				w.results[k].Rules[i].add(one)
				if all.Requests == 0 || one.Others == 0 { // for one of them it is no other
					all = one
				}
			}
		}
		w.results[k].add(all)
	}
}

// isFor reports whether a request that the rule refuses is one of those that it is for.
func (r *Rule) isFor(s *audit.Seen) bool {
	named := slices.Contains(r.Crawlers, s.Crawler) ||
		s.Profile == nil && slices.Contains(r.Crawlers, report.InASCII(s.Crawler))
	switch r.Sort {
	case ByName:
		return named
	case Impostor:
		return named && s.Identity == report.SpoofedIdentity
	default:
		return named && s.Identity != report.Verified
	}
}

// Results returns the dry run of each kind.
func (c *Counter) Results() []Result {
	list := c.empty()
	for _, w := range c.workers {
		for k := range list {
			list[k].Lines += w.lines
			list[k].add(w.results[k].Refused)
			for i, r := range w.results[k].Rules {
				list[k].Rules[i].add(r)
			}
		}
	}
	return list
}
