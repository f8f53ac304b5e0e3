package block

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/crawler"
)

// Sort is what a rule refuses clients by.
type Sort uint8

const (
	// ByName: the header has the name of a crawler of which verified clients broke robots.txt.
	ByName Sort = iota
	// Impostor: the header has the name of a crawler, and the address is not the operator's.
	Impostor
	// ByAddress: requests from there broke robots.txt in the name of a crawler that nothing verifies.
	ByAddress
)

// Rule refuses some clients.
type Rule struct {
	Sort     Sort
	Crawlers []string // the names of those whom it is for
	// Words are the words of the crawler in small letters, and Pattern is a regular expression that
	// matches headers with one of them, whole, and that all servers read alike if letters of either
	// case are the same. Neither has bytes that mean something to a server. Empty for ByAddress.
	Words   []string
	Pattern string
	Own     addresses    // of Impostor: those that are not refused
	Prefix  netip.Prefix // of ByAddress
	// Notes say what the rule rests on.
	Notes []string
	// Search: it is for a search engine, or its impostors.
	Search bool
	match  *regexp.Regexp
}

// Plan is what to refuse.
type Plan struct {
	Rules []Rule
	// Held are rules for search engines that nobody has confirmed. They are not in force.
	Held []Rule
	// Until is the day after which addresses have to be looked at again: they change hands.
	Until time.Time
	// Notes say what no rule covers, and why.
	Notes []string
}

// Options are what Decide takes into account beside the requests.
type Options struct {
	Crawlers   *crawler.Set
	Identities *crawler.Identities
	LookedUp   []crawler.Pair // clients that were verified by names that were looked up
	Proxied    bool           // addresses prove nothing, as in report.Report
	Search     bool           // rules for search engines are wanted
	End        time.Time      // of the log
}

// term is for how long after the end of the log addresses are refused, and how old the last
// violation of one may be then.
const term = 30 * 24 * time.Hour

// Several addresses of a range that broke robots.txt have the whole range refused.
const (
	severalAddresses = 2
	rangeIPv4        = 24
	rangeIPv6        = 64
)

// decision is a Plan that is being made.
type decision struct {
	*Plan
	*Collector
	Options
	lists map[*crawler.Profile]addresses // those given
	open  map[string]int64               // violations that no rule covers, by the reason
}

// Decide returns the rules that the requests justify.
func Decide(c *Collector, o Options) *Plan {
	d := &decision{&Plan{Until: o.End.Add(term).UTC()}, c, o, map[*crawler.Profile]addresses{}, map[string]int64{}}
	for i := range o.Crawlers.Profiles() {
		p := &o.Crawlers.Profiles()[i]
		if listed, _ := o.Identities.Own(p); listed != nil {
			d.lists[p] = newAddresses(listed)
		}
	}
	byName := func(x, y *crawler.Profile) int { return strings.Compare(x.Name, y.Name) }
	for _, p := range slices.SortedFunc(maps.Keys(c.crawlers), byName) {
		d.addNames(p, c.crawlers[p])
	}
	d.open["at private, cut or missing addresses"] = c.unplaced
	d.open["at more addresses than are kept (--memory)"] = c.unkept
	d.addAddresses()
	for _, reason := range slices.Sorted(maps.Keys(d.open)) {
		if n := d.open[reason]; n > 0 {
			d.Notes = append(d.Notes, fmt.Sprintf("No rule covers %s %s.", english.Plural(n, "violation"), reason))
		}
	}
	return d.Plan
}

// add adds a rule, if it is in force.
func (d *decision) add(r Rule) {
	if r.Search && r.Sort != Impostor && !d.Search {
		d.Held = append(d.Held, r)
	} else {
		d.Rules = append(d.Rules, r)
	}
}

// addNames adds the rules by the name of a crawler.
func (d *decision) addNames(p *crawler.Profile, of *claimed) {
	who := p.Name + " (" + p.Operator + ")"
	rule, ok := ruleFor(p.Words)
	switch {
	case !ok:
		d.open["by "+who+", whose name no server's rule could be sure to hold"] = of.verified.n
		return
	case d.Proxied:
		return
	}
	rule.Crawlers, rule.Search = []string{p.Name}, p.Category == "search"
	if of.verified.n > 0 {
		named := rule
		named.Notes = []string{who + ", verified: " + of.verified.text("robots.txt forbids"), of.verified.cited()}
		d.add(named)
	}
	if of.impostors.n == 0 {
		return
	}
	listed, unknown := d.Identities.Own(p)
	for _, pair := range d.LookedUp {
		if addr, ok := crawler.Client([]byte(pair.Addr)); ok && pair.Profile == p {
			listed = append(listed, netip.PrefixFrom(addr, addr.BitLen()))
		}
	}
	rule.Sort, rule.Own = Impostor, newAddresses(append(listed, unknown...))
	rule.Notes = []string{
		who + ", impostors: " + of.impostors.text("were made in its name from addresses that are not its own"),
		"This holds as long as its lists are complete: make this file again whenever they change",
	}
	d.add(rule)
}

// text says how many requests there were, and when.
func (d *deeds) text(what string) string {
	return english.Plural(d.n, "request") + " that " + what + "," + d.span()
}

// cited names the rule of robots.txt.
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
		held bool // apart, so that nobody hides behind a search engine
	}
	ranges := map[group][]netip.Addr{}
	for _, addr := range slices.SortedFunc(maps.Keys(d.clients), netip.Addr.Compare) {
		switch c := d.clients[addr]; {
		case d.Proxied:
			d.open["at addresses that are a proxy's (--client-ip)"] += c.n
		case c.timed && time.Unix(0, c.last).Before(d.End.Add(-term)):
			d.open["at addresses that have not been seen to break it for 30 days before the end of the log"] += c.n
		default:
			of := group{around(addr), !d.Search && c.isSearch()}
			ranges[of] = append(ranges[of], addr)
		}
	}
	order := func(x, y group) int {
		return cmp.Or(x.Addr().Compare(y.Addr()), cmp.Compare(len(ranges[x]), len(ranges[y])))
	}
	for _, of := range slices.SortedFunc(maps.Keys(ranges), order) {
		list, prefix := ranges[of], of.Prefix
		isListed := func(a netip.Addr) bool { return d.listedFor(prefix, d.clients[a]) != nil }
		spared := !of.held && ranges[group{prefix, true}] != nil
		if len(list) >= severalAddresses && !spared && !slices.ContainsFunc(list, isListed) {
			d.addAddress(prefix, d.together(list), len(list))
			continue
		}
		for _, addr := range list {
			prefix := netip.PrefixFrom(addr, addr.BitLen())
			if p := d.listedFor(prefix, d.clients[addr]); p != nil {
				d.open["at addresses in a list of "+p.Operator] += d.clients[addr].n
			} else {
				d.addAddress(prefix, d.clients[addr], 1)
			}
		}
	}
}

// around returns the range that an address is refused with if others of it are.
func around(a netip.Addr) netip.Prefix {
	bits := rangeIPv6
	if a.Is4() {
		bits = rangeIPv4
	}
	prefix, _ := a.Prefix(bits) // which an address of either family has
	return prefix
}

// together returns the requests of some clients.
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

// listedFor returns a crawler that has addresses of a range in a list, other than those in whose
// names its clients came; nil if there is none.
func (d *decision) listedFor(p netip.Prefix, c *client) (of *crawler.Profile) {
	for profile, list := range d.lists {
		if list.overlaps(p) && !slices.Contains(c.profiles, profile) && (of == nil || profile.Operator < of.Operator) {
			of = profile
		}
	}
	return of
}

func (d *decision) addAddress(p netip.Prefix, c *client, n int) {
	who := p.Addr().String()
	if n > 1 {
		who = fmt.Sprintf("%s, %d addresses of it", p, n)
	}
	d.add(Rule{Sort: ByAddress, Crawlers: c.names, Prefix: p, Search: c.isSearch(), Notes: []string{
		who + ", as " + english.List(c.names) + ", which nothing verifies: " + c.text("robots.txt forbids"), c.cited(),
		"Until " + d.Until.Format(time.DateOnly) + ": addresses change hands",
	}})
}

// isSearch reports whether the client came in the name of a search engine.
func (c *client) isSearch() bool {
	return slices.ContainsFunc(c.profiles, func(p *crawler.Profile) bool { return p.Category == "search" })
}

// apart is a byte that is no part of a word, in a regular expression.
const apart = "[^0-9a-z_-]"

// ruleFor returns a rule for headers with one of some words. ok is false if a word has bytes that have
// a meaning to some server.
func ruleFor(words []string) (r Rule, ok bool) {
	var names []string
	for _, word := range words {
		var b strings.Builder
		word = strings.ToLower(word)
		for _, c := range []byte(word) {
			switch {
			case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_', c == ' ':
				b.WriteByte(c)
			case strings.IndexByte("./()!+@:", c) >= 0:
				b.WriteString("[" + string(c) + "]")
			default:
				return r, false
			}
		}
		r.Words, names = append(r.Words, word), append(names, b.String())
	}
	r.Pattern = "(^|" + apart + ")(" + strings.Join(names, "|") + ")(" + apart + "|$)"
	r.match = regexp.MustCompile("(?i)" + r.Pattern)
	return r, len(names) > 0
}

// addresses are ranges, sorted and apart.
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

// overlaps reports whether one of the ranges and p have an address in common.
func (a addresses) overlaps(p netip.Prefix) bool {
	i, _ := slices.BinarySearchFunc(a, p, func(x, y netip.Prefix) int { return x.Addr().Compare(y.Addr()) })
	return i < len(a) && a[i].Overlaps(p) || i > 0 && a[i-1].Overlaps(p)
}
