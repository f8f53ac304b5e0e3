package block

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Sort says by what a rule recognizes clients.
type Sort uint8

const (
	// ByName rules match the name of a crawler whose verified clients broke robots.txt.
	ByName Sort = iota
	// Impostor rules match the name of a crawler from addresses that aren't the operator's.
	Impostor
	// ByAddress rules match addresses that broke robots.txt in the name of a crawler that can't be
	// verified.
	ByAddress
)

// Rule is a rule that refuses some clients.
type Rule struct {
	Sort     Sort
	Crawlers []string     // crawlers that it applies to
	Name                  // empty for ByAddress
	Own      addresses    // for Impostor: addresses that aren't refused
	Prefix   netip.Prefix // for ByAddress
	// Range is the wider range, if Plan.Rules also has a rule for the range around this address; only
	// one of the two is in force.
	Range netip.Prefix
	// Notes explain the basis of the rule, and Withheld, in Plan.Held, why it isn't in force.
	Notes    []string
	Withheld string
	// Search means that the rule affects a crawler whose operator has a search engine, its impostors,
	// or a network with clients of a search engine.
	Search bool
	broke  int64 // for ByAddress: requests that broke robots.txt
}

// Plan is the result of Decide.
type Plan struct {
	Rules []Rule
	// Held are rules that aren't in force, because nobody has confirmed them or because they would do
	// harm.
	Held []Rule
	// Until is the day after which addresses must be checked again, because they change hands.
	Until time.Time
	// Notes lists what no rule covers, and why.
	Notes []string
}

// Options are the inputs of Decide besides the requests.
type Options struct {
	Crawlers   *crawler.Set
	Identities *crawler.Identities
	LookedUp   []crawler.Pair // clients verified by DNS
	Report     *report.Report // the audit's report
	Search     bool           // rules for search engines are wanted
	Names      bool           // rules by unverifiable names are wanted
	End        time.Time      // end of the log
}

// Limits of rules by name. For an unverifiable crawler, at least fewestBroken requests, and one in
// brokenShare, must have broken robots.txt; for a verified one, one in rareShare.
const (
	fewestBroken = 50
	brokenShare  = 5
	rareShare    = 20
)

// term is how long after the end of the log addresses are refused, and the maximum age of an
// address's last violation at that time.
const term = 30 * 24 * time.Hour

// If several addresses of a range broke robots.txt, the whole range is refused.
const (
	severalAddresses = 2
	rangeIPv4        = 24
	rangeIPv6        = 64
)

// decision is a Plan under construction.
type decision struct {
	*Plan
	*Collector
	Options
	lists    map[*crawler.Profile]addresses // the given lists
	engines  map[string]bool                // operators of search engines
	crawling addresses                      // addresses of search engines' clients
	proxied  bool                           // addresses prove nothing
	byName   []string                       // crawlers refused by an unverifiable name
	open     map[string]int64               // violations without a rule, by reason
}

// Decide returns the rules that the collected requests justify.
func Decide(c *Collector, o Options) *Plan {
	d := &decision{Plan: &Plan{Until: o.End.Add(term).UTC()}, Collector: c, Options: o,
		lists: map[*crawler.Profile]addresses{}, engines: map[string]bool{}, open: map[string]int64{}}
	hasProxy := func(i report.InputInfo) bool { return i.Clients == report.ByProxy || i.Clients == report.ByForwarded }
	d.proxied = o.Report.Proxied || slices.ContainsFunc(o.Report.Inputs, hasProxy)
	d.readLists()
	byName := func(x, y *crawler.Profile) int { return strings.Compare(x.Name, y.Name) }
	for _, p := range slices.SortedFunc(maps.Keys(c.crawlers), byName) {
		d.addNames(p, c.crawlers[p])
	}
	d.addUnverifiable()
	d.open["at private, cut or missing addresses"] = c.unplaced
	d.open["at more addresses than are kept (option Memory)"] = c.unkept
	d.addAddresses()
	for _, reason := range slices.Sorted(maps.Keys(d.open)) {
		if n := d.open[reason]; n > 0 {
			d.Notes = append(d.Notes, fmt.Sprintf("No rule covers %s %s.", english.Plural(n, "violation"), reason))
		}
	}
	return d.Plan
}

// readLists collects the addresses of known crawlers, and of those whose operators have search
// engines.
func (d *decision) readLists() {
	profiles := d.Crawlers.Profiles()
	for i := range profiles {
		if profiles[i].Category == "search" {
			d.engines[profiles[i].Operator] = true
		}
	}
	var crawling []netip.Prefix
	for i := range profiles {
		p := &profiles[i]
		listed := d.own(p)
		if listed != nil {
			d.lists[p] = newAddresses(listed)
		}
		if d.isSearch(p) {
			crawling = append(crawling, listed...)
		}
	}
	d.crawling = newAddresses(crawling)
}

// own returns the known addresses of a crawler.
func (d *decision) own(p *crawler.Profile) []netip.Prefix {
	listed, _ := d.Identities.Own(p)
	for _, pair := range d.LookedUp {
		if addr, ok := crawler.Client([]byte(pair.Addr)); ok && pair.Profile == p {
			listed = append(listed, netip.PrefixFrom(addr, addr.BitLen()))
		}
	}
	return listed
}

func (d *decision) isSearch(p *crawler.Profile) bool { return p != nil && d.engines[p.Operator] }

// add adds a rule. withheld says why it isn't in force, or is "".
func (d *decision) add(r Rule, withheld string) {
	if withheld == "" && r.Search && r.Sort != Impostor && !d.Search {
		withheld = "a search engine is concerned (option BlockSearch)"
	}
	r.Withheld = withheld
	if withheld != "" {
		d.Held = append(d.Held, r)
	} else {
		d.Rules = append(d.Rules, r)
	}
}

func (d *decision) addNames(p *crawler.Profile, of *claimed) {
	who := p.Name + " (" + p.Operator + ")"
	name, ok := nameOf(p, p.Words, d.Crawlers)
	switch {
	case !ok:
		d.open["by "+who+", whose name no server's rule can match reliably"] = of.verified.n
		return
	case d.proxied:
		return
	}
	rule := Rule{Crawlers: []string{p.Name}, Name: name, Search: d.isSearch(p)}
	if of.verified.n > 0 {
		named, withheld := rule, ""
		named.Notes = []string{who + ", verified: " + of.verified.text("robots.txt forbids"), of.verified.cited()}
		if broke, all := d.counted(p.Name); broke*rareShare < all {
			withheld = fmt.Sprintf("robots.txt forbids less than %d %% of its requests", 100/rareShare)
		}
		d.add(named, withheld)
	}
	if of.impostors.n == 0 {
		return
	}
	_, unknown := d.Identities.Own(p)
	rule.Sort, rule.Own = Impostor, newAddresses(append(d.own(p), unknown...))
	rule.Notes = []string{
		who + ", impostors: " + of.impostors.text("were made in its name from addresses that are not its own"),
		"This holds as long as its lists are complete: make this file again whenever they change",
	}
	d.add(rule, "")
}

// counted returns how many of a crawler's requests broke robots.txt, and their total, without
// impostors.
func (d *decision) counted(name string) (broke, all int64) {
	for i := range d.Report.Crawlers {
		if c := &d.Report.Crawlers[i]; c.Crawler == name {
			return c.Verdicts[report.Violation], c.Requests - c.Verdicts[report.Spoofed]
		}
	}
	return 0, 0
}

// addUnverifiable adds rules by the names of unverifiable crawlers.
func (d *decision) addUnverifiable() {
	for i := range d.Report.Crawlers {
		c := &d.Report.Crawlers[i]
		broke, all := d.counted(c.Crawler)
		if broke < fewestBroken || broke*brokenShare < all {
			continue
		}
		p, words := d.Crawlers.ByName(c.Crawler), []string{c.Crawler}
		if p == nil || p.Operator != c.Operator {
			p = nil
		} else if words = p.Words; p.Verify != "" || d.lists[p] != nil || p.Anybodys() {
			continue
		}
		name, ok := nameOf(p, words, d.Crawlers)
		if !ok || p == nil && !isWord(c.Crawler) {
			continue
		}
		withheld := "nobody can verify the crawler, so the name may be anybody's (option BlockNames)"
		if d.Names {
			withheld = ""
			d.byName = append(d.byName, c.Crawler)
		}
		d.add(Rule{Crawlers: []string{c.Crawler}, Name: name, Search: d.isSearch(p), Notes: []string{fmt.Sprintf(
			"%s (%s), which nobody can verify: robots.txt forbids %s of its %s", c.Crawler, c.Operator,
			english.Grouped(broke), english.Plural(all, "request"))}}, withheld)
	}
}

// text says how many requests there were, and when.
func (d *deeds) text(what string) string {
	return english.Plural(d.n, "request") + " that " + what + "," + d.span()
}

// cited describes the rule of robots.txt.
func (d *deeds) cited() string {
	if d.others {
		return "Rule of robots.txt: " + d.rule + ", and others"
	}
	return "Rule of robots.txt: " + d.rule
}

// addAddresses adds the rules by address.
func (d *decision) addAddresses() {
	type group struct {
		netip.Prefix
		search bool // separate, so that nobody hides behind a search engine
	}
	ranges := map[group][]netip.Addr{}
	isOpen := func(name string) bool { return !slices.Contains(d.byName, name) }
	for _, addr := range slices.SortedFunc(maps.Keys(d.clients), netip.Addr.Compare) {
		switch c := d.clients[addr]; {
		case d.proxied:
			d.open["at addresses that are a proxy's (option ClientIP)"] += c.n
		case d.Report.IPv4Cut && crawler.KindOf(addr.AppendTo(nil)) == crawler.IPv4MayBeCut:
			d.open["at private, cut or missing addresses"] += c.n
		case c.timed && time.Unix(0, c.last).Before(d.End.Add(-term)):
			d.open["at addresses that have not been seen to break it for 30 days before the end of the log"] += c.n
		case len(c.names) < maxNames && !slices.ContainsFunc(c.names, isOpen): // they have a rule by name
		default:
			of := group{around(addr), !d.Search && slices.ContainsFunc(c.profiles, d.isSearch)}
			ranges[of] = append(ranges[of], addr)
		}
	}
	order := func(x, y group) int {
		return cmp.Or(x.Addr().Compare(y.Addr()), cmp.Compare(len(ranges[x]), len(ranges[y])))
	}
	for _, of := range slices.SortedFunc(maps.Keys(ranges), order) {
		list, prefix := ranges[of], of.Prefix
		isListed := func(a netip.Addr) bool { return d.listedFor(prefix, d.clients[a]) != nil }
		spared := !of.search && ranges[group{prefix, true}] != nil
		isWhole := len(list) >= severalAddresses && !spared && !slices.ContainsFunc(list, isListed)
		if isWhole {
			d.addAddress(prefix, d.together(list), len(list), netip.Prefix{})
		}
		for _, addr := range list {
			single := netip.PrefixFrom(addr, addr.BitLen())
			if p := d.listedFor(single, d.clients[addr]); p != nil {
				d.open["at addresses in a list of "+p.Operator] += d.clients[addr].n
			} else if !isWhole {
				d.addAddress(single, d.clients[addr], 1, netip.Prefix{})
			} else if d.Rules != nil && d.Rules[len(d.Rules)-1].isAt(prefix) { // otherwise the range is held
				d.addAddress(single, d.clients[addr], 1, prefix)
			}
		}
	}
}

// isAt reports whether the rule is for a range, or for addresses instead of it.
func (r *Rule) isAt(p netip.Prefix) bool {
	return r.Sort == ByAddress && (r.Prefix == p || r.Range == p)
}

// around returns the range that is refused if several of its addresses are.
func around(a netip.Addr) netip.Prefix {
	bits := rangeIPv6
	if a.Is4() {
		bits = rangeIPv4
	}
	prefix, _ := a.Prefix(bits) // valid for addresses of either family
	return prefix
}

// together merges the requests of some clients.
func (d *decision) together(list []netip.Addr) *client {
	all := &client{}
	for _, addr := range list {
		c := d.clients[addr]
		all.merge(&c.deeds)
		all.names = append(all.names, c.names...)
		all.profiles = append(all.profiles, c.profiles...)
	}
	slices.Sort(all.names)
	all.names = slices.Compact(all.names)
	return all
}

// listedFor returns a crawler that has listed addresses within a range, other than those in whose
// name the clients came. It returns nil if there is none.
func (d *decision) listedFor(p netip.Prefix, c *client) (of *crawler.Profile) {
	for profile, list := range d.lists {
		if list.overlaps(p) && !slices.Contains(c.profiles, profile) && (of == nil || profile.Operator < of.Operator) {
			of = profile
		}
	}
	return of
}

// addAddress adds the rule for n addresses within p. in is Rule.Range.
func (d *decision) addAddress(p netip.Prefix, c *client, n int, in netip.Prefix) {
	who := p.Addr().String()
	if n > 1 {
		who = fmt.Sprintf("%s, %d addresses of it", p, n)
	}
	isSearch := slices.ContainsFunc(c.profiles, d.isSearch) || d.crawling.overlaps(around(p.Addr()))
	d.add(Rule{Sort: ByAddress, Crawlers: c.names, Prefix: p, Range: in, broke: c.n, Search: isSearch, Notes: []string{
		who + ", as " + english.List(c.names) + ", which nothing verifies: " + c.text("robots.txt forbids"), c.cited(),
		"Until " + d.Until.Format(time.DateOnly) + ": addresses change hands",
	}}, "")
}

// addresses are ranges, sorted and without overlaps.
type addresses []netip.Prefix

func newAddresses(list []netip.Prefix) (a addresses) {
	list = slices.SortedFunc(slices.Values(list), func(x, y netip.Prefix) int {
		return cmp.Or(x.Addr().Compare(y.Addr()), cmp.Compare(x.Bits(), y.Bits()))
	})
	for _, p := range list {
		if n := len(a); n == 0 || !a[n-1].Overlaps(p) {
			a = append(a, p)
		}
	}
	return a
}

func (a addresses) overlaps(p netip.Prefix) bool {
	i, _ := slices.BinarySearchFunc(a, p, func(x, y netip.Prefix) int { return x.Addr().Compare(y.Addr()) })
	return i < len(a) && a[i].Overlaps(p) || i > 0 && a[i-1].Overlaps(p)
}
