// Package block generates server rules that block crawlers that violated robots.txt, and counts the other clients that
// these rules would have blocked.
//
// A Collector keeps what an audit proves (collect.go). Decide turns it into a Plan: rules as plain data (decide.go). A
// Counter applies the rules to every request of the same logs (dryrun.go). A Kind writes both for a server (write.go,
// and the templates in kinds).
package block

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Collector collects the violations and the impostors of an audit, in bounded memory.
type Collector struct {
	limit    int // maximum number of clients
	crawlers map[*crawler.Profile]*claimed
	clients  map[netip.Addr]*client
	unplaced int64 // violations at addresses that no rule can name
	unkept   int64 // violations of clients beyond the limit
}

// ClientBytes is the approximate memory use of a client.
const ClientBytes = 600

// NewCollector returns a collector for at most limit clients.
func NewCollector(clients int) *Collector {
	return &Collector{limit: max(clients, 100), crawlers: map[*crawler.Profile]*claimed{},
		clients: map[netip.Addr]*client{}}
}

// claimed counts the requests made in the name of a known crawler.
type claimed struct{ verified, impostors deeds }

// client is an address from which requests broke robots.txt in the name of crawlers that were not
// verified.
type client struct {
	deeds
	names    []string // of crawlers, at most maxNames
	profiles []*crawler.Profile
}

// maxNames limits the crawlers listed per client.
const maxNames = 3

// deeds summarizes requests of one kind.
type deeds struct {
	n           int64
	first, last int64 // nanoseconds since 1970, if timed
	timed       bool
	rule        string // of robots.txt
	others      bool   // there are further rules
}

// Add adds a request. The collector is a Judged sink of an audit. Violations and impostors come
// from a single goroutine, and it ignores other requests.
func (c *Collector) Add(e *audit.Event) error {
	switch {
	case e.Verdict == report.Spoofed && e.Crawler != nil:
		c.of(e.Crawler).impostors.add(e)
	case e.Verdict != report.Violation:
	case e.Identity == report.Verified && e.Crawler != nil:
		c.of(e.Crawler).verified.add(e)
	default:
		c.addClient(e)
	}
	return nil
}

func (c *Collector) of(p *crawler.Profile) *claimed {
	if c.crawlers[p] == nil {
		c.crawlers[p] = &claimed{}
	}
	return c.crawlers[p]
}

func (c *Collector) addClient(e *audit.Event) {
	addr, ok := crawler.Client(e.Address)
	if !ok || addr.Is4() && addr.As4()[3] == 0 { // the log may have cut it
		c.unplaced += e.N
		return
	}
	of := c.clients[addr]
	if of == nil {
		if len(c.clients) == c.limit {
			c.unkept += e.N
			return
		}
		of = &client{}
		c.clients[addr] = of
	}
	of.add(e)
	if name, _, _ := e.Named(); len(of.names) < maxNames && !slices.Contains(of.names, name) {
		of.names = append(of.names, name)
	}
	if e.Crawler != nil && !slices.Contains(of.profiles, e.Crawler) {
		of.profiles = append(of.profiles, e.Crawler)
	}
}

// add adds a request. The violated rule is formatted for comments; an impostor has none.
func (d *deeds) add(e *audit.Event) {
	rule := fmt.Sprintf("%s (line %d)", e.Rule.Rule[:min(len(e.Rule.Rule), 100)], e.Rule.Line)
	d.merge(&deeds{n: e.N, first: e.Time, last: e.Time, timed: e.HasTime, rule: rule})
}

// merge adds the requests of another summary.
func (d *deeds) merge(o *deeds) {
	if d.n == 0 {
		*d = *o
		return
	}
	d.others, d.rule = d.others || o.others || d.rule != o.rule, min(d.rule, o.rule)
	switch {
	case !d.timed:
		d.first, d.last, d.timed = o.first, o.last, o.timed
	case o.timed:
		d.first, d.last = min(d.first, o.first), max(d.last, o.last)
	}
	d.n += o.n
}

// span formats the days of the requests, or returns "" if none has a time.
func (d *deeds) span() string {
	if !d.timed {
		return ""
	}
	day := func(t int64) string { return time.Unix(0, t).UTC().Format("2006-01-02 15:04") }
	if day(d.first) == day(d.last) {
		return " on " + day(d.first)
	}
	return " from " + day(d.first) + " to " + day(d.last)
}
