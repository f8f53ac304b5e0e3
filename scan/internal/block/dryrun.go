package block

import (
	"net/netip"
	"slices"
	"sync"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Refused counts the requests in a log that rules would have blocked. Others counts those from
// clients that the rules aren't meant for.
type Refused struct {
	Requests, Others int64
	Permitted        int64 // permitted by robots.txt, without Others
	Visitors         int64 // of Others: no crawler's name, as with browsers
	Verified         int64 // of Others: verified crawlers
	Search           int64 // of Others: names of search engines
}

func (r *Refused) add(o Refused) {
	r.Requests, r.Others, r.Visitors = r.Requests+o.Requests, r.Others+o.Others, r.Visitors+o.Visitors
	r.Permitted, r.Verified, r.Search = r.Permitted+o.Permitted, r.Verified+o.Verified, r.Search+o.Search
}

// Counter applies the rules of a plan to requests.
type Counter struct {
	plan    *Plan
	kinds   []*Kind
	at      map[netip.Prefix]int // rules by address
	workers []counting
	mu      sync.Mutex // guards results
	results []Result
}

// counting is the state of one worker.
type counting struct {
	lines   int64
	headers map[string][]hit // matching rules by header
	hits    []hit            // rules that match the request
}

// hit is a matching rule, for servers with regular expressions and for those without.
type hit struct {
	rule        int
	whole, part bool
}

// Result is the dry run of the rules in one output format.
type Result struct {
	Lines int64 // number of requests
	Refused
	Rules []Refused // each rule alone
	// Written has the rules in force. Held has the others, with what they would have refused, which is
	// mostly requests of others.
	Written []bool
	Held    []Rule
}

// NewCounter returns a counter for some output formats.
func NewCounter(p *Plan, kinds []*Kind, workers int) *Counter {
	c := &Counter{plan: p, kinds: kinds, at: map[netip.Prefix]int{}, workers: make([]counting, workers),
		results: make([]Result, len(kinds))}
	for i, r := range p.Rules {
		if r.Sort == ByAddress {
			c.at[r.Prefix] = i
		}
	}
	for k, kind := range kinds {
		c.results[k].Rules = make([]Refused, len(p.Rules))
		for i := range p.Rules {
			c.results[k].Written = append(c.results[k].Written, kind.writes(&p.Rules[i]))
		}
	}
	return c
}

// maxHeaders limits the headers that a worker remembers, and maxHeader their length.
const (
	maxHeaders = 1000
	maxHeader  = 1 << 10
)

// Add counts a request. The counter is a Seen sink of an audit.
func (c *Counter) Add(s *audit.Event) error {
	w := &c.workers[s.Worker]
	addr, isClient := crawler.Client(s.Address)
	w.hits = w.hits[:0]
	w.lines++
	for _, h := range c.named(w, s.Agent) {
		r := &c.plan.Rules[h.rule]
		if r.Sort == ByName || isClient && !r.Own.overlaps(netip.PrefixFrom(addr, addr.BitLen())) {
			w.hits = append(w.hits, h)
		}
	}
	if isClient {
		for _, p := range []netip.Prefix{netip.PrefixFrom(addr, addr.BitLen()), around(addr)} {
			if i, ok := c.at[p]; ok {
				w.hits = append(w.hits, hit{i, true, true})
			}
		}
	}
	if len(w.hits) > 0 {
		c.count(w.hits, s)
	}
	return nil
}

// named returns the rules that a header matches.
func (c *Counter) named(w *counting, header []byte) []hit {
	list, known := w.headers[string(header)]
	if known {
		return list
	}
	for i := range c.plan.Rules {
		if whole, part := c.plan.Rules[i].isIn(header); whole || part {
			list = append(list, hit{i, whole, part})
		}
	}
	if w.headers == nil || len(w.headers) == maxHeaders {
		w.headers = map[string][]hit{}
	}
	if len(header) <= maxHeader {
		w.headers[string(header)] = list
	}
	return list
}

// count counts a request that some rules match.
func (c *Counter) count(hits []hit, s *audit.Event) {
	other, permitted := Refused{Requests: 1, Others: 1}, int64(0)
	if s.Verdict == report.Allowed {
		permitted = 1
	}
	switch {
	case s.Name == "":
		other.Visitors = 1
	case s.Identity == report.Verified:
		other.Verified = 1
	}
	if s.Crawler != nil && s.Crawler.Category == "search" {
		other.Search = 1
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, kind := range c.kinds {
		var all Refused
		for _, h := range hits {
			r := &c.plan.Rules[h.rule]
			matches := h.whole
			if kind.Substrings {
				matches = h.part
			}
			if !c.results[k].Written[h.rule] || s.Verdict == report.RobotsFetch && kind.FreesRobots || !matches {
				continue
			}
			one := other
			if r.isFor(s) {
				one = Refused{Requests: 1, Permitted: permitted}
			}
			c.results[k].Rules[h.rule].add(one)
			if all.Requests == 0 || one.Others == 0 { // one of the rules is meant for it
				all = one
			}
		}
		c.results[k].add(all)
	}
}

// Settle takes rules out of force that refuse the wrong requests on their own. It replaces a range
// by its addresses if most of the range's requests didn't break robots.txt, and drops rules that
// refuse mostly others. It reports whether it changed anything; if so, the requests must be counted
// again, because the joint effect of the remaining rules has changed.
func (c *Counter) Settle() (again bool) {
	for k := range c.results {
		result := &c.results[k]
		changed := false
		for i, r := range c.plan.Rules {
			alone := result.Rules[i]
			switch mostly := 2*alone.Others > alone.Requests; {
			case !result.Written[i]:
				continue
			case r.Range.IsValid() && result.Written[c.at[r.Range]]:
			case r.Sort == ByAddress && !r.Prefix.IsSingleIP() && 2*r.broke <= alone.Requests:
			case mostly:
				r.Notes = append(slices.Clone(r.Notes), alone.text("It would have"))
				r.Withheld = "it would refuse mostly others"
				result.Held = append(result.Held, r)
			default:
				continue
			}
			result.Written[i], changed = false, true
		}
		again = again || changed
	}
	if again {
		for k := range c.results {
			c.results[k].Refused = Refused{}
			clear(c.results[k].Rules)
		}
		c.workers = make([]counting, len(c.workers))
	}
	return again
}

// isFor reports whether a refused request is one that the rule is meant for.
func (r *Rule) isFor(s *audit.Event) bool {
	named := slices.Contains(r.Crawlers, s.Name) ||
		s.Crawler == nil && slices.Contains(r.Crawlers, report.InASCII(s.Name))
	switch r.Sort {
	case ByName:
		return named
	case Impostor:
		return named && s.Identity == report.SpoofedIdentity
	default:
		return named && s.Identity != report.Verified
	}
}

// Results returns the dry run for each output format.
func (c *Counter) Results() []Result {
	lines := int64(0)
	for _, w := range c.workers {
		lines += w.lines
	}
	for k := range c.results {
		c.results[k].Lines = lines
	}
	return c.results
}
