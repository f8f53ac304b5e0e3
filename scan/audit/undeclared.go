package audit

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"

	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/report"
)

// With Config.Undeclared the requests of clients that name no crawler are counted by address, and of
// these the ones that robots.txt forbids to *. A log may have any number of addresses: a worker adds
// up those of its memos, and then they are sorted as deferred records are, so that the counts are exact.
const (
	maxClientsListed = 20
	maxOfClient      = 16  // headers of a client
	partBytes        = 256 // of a part, beside its texts
	noAddress        = "-" // stands for all clients without one
)

// part is some requests of a client that names no crawler: all that were counted, or those with
// one header that one rule forbids.
type part struct {
	client    string // its address, of IPv6 the /64
	forbidden bool
	header    []byte // at most its first maxHeader bytes
	rule      ruleKey
	tallied
}

func (x *part) code(c *coder) {
	text(c, &x.client)
	if c.flag(&x.forbidden); x.forbidden {
		text(c, &x.header)
		c.site(&x.rule.at)
		fixed(c, &x.rule.version)
		fixed(c, &x.rule.line)
		c.time(&x.Period.First)
		c.time(&x.Period.Last)
		x.Period.Any = x.Period.Any || c.reads
	}
	uvarint(c, &x.N, mostLines)
}

// undeclared counts the record, which names no crawler, by its address.
func (w *Worker) undeclared() {
	r := &w.record
	if r.Target[0] == '*' || string(r.Method) == "CONNECT" {
		return
	}
	at := w.site()
	if at.other {
		return
	}
	address := w.address()
	if len(address) == 0 {
		address = []byte(noAddress)
	}
	all := w.clients[string(address)]
	if all == nil {
		all = &part{client: clientOf(string(address))}
		w.clients.keep(&w.quota, address, all, partBytes)
	}
	if all.N++; !w.forbiddenToAll(at) {
		return
	}
	version := w.question.Lawful.Quoted
	copy := w.policy.Versions(at.First)[version].Copy
	line := w.bindingAt(w.everybody, at.First).Judge(&w.scratch, copy, r.Target).Line
	key := part{client: all.client, forbidden: true, header: r.Agent[:min(len(r.Agent), maxHeader)],
		rule: ruleKey{at.Site, version, line}}
	w.out.b = w.out.b[:0]
	key.code(&w.out)
	x := w.forbidden[string(w.out.b)]
	if x == nil {
		key.header = slices.Clone(key.header)
		x = &key
		w.forbidden.keep(&w.quota, w.out.b, x, partBytes+len(key.header))
	}
	x.tallied = x.Plus(tallied{N: 1, Period: period{r.Time, r.Time, true}})
}

// forbiddenToAll reports whether every copy of robots.txt that a crawler may have used forbids the
// record to *, and leaves that in w.question.
func (w *Worker) forbiddenToAll(at site) bool {
	w.findLoss()
	q := w.asCase(at, w.everybody, w.robotsAsk())
	if at.N > 0 && q.HasTime {
		q.Lawful = w.policy.Lawful(at.First, q.Time, q.Class)
	}
	q.SourceOnly = true
	d, _ := judge.Decide(w.policy, q, nil)
	q.SourceOnly = false
	return d.Verdict == report.Violation
}

// clientOf returns the address of a client in its normal form, of IPv6 its /64, all of which one
// client has. What is no address is left as it is.
func clientOf(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if a = a.Unmap(); a.Is4() {
		return a.String()
	}
	network, _ := a.WithZone("").Prefix(64)
	return network.String()
}

// deferClients turns the clients that the worker has counted into deferred records.
func (w *Worker) deferClients() {
	for _, list := range []memo[*part]{w.clients, w.forbidden} {
		for _, x := range list {
			x.code(w.begin([]byte{aboutClients}, recordClient))
			w.keep()
		}
	}
	w.clients, w.forbidden = memo[*part]{}, memo[*part]{}
}

// clientList lists the clients with most forbidden requests, which come one after the other.
type clientList struct {
	report.UndeclaredInfo
	part     // the forbidden requests of the client whose parts come
	requests int64
	headers  *bounded[string]
	rules    map[ruleKey]int64
}

// client reads a part of a client.
func (f *finalPass) client(rd *coder, n int64) {
	var x part
	x.code(rd)
	rd.require(x.N <= f.run.tally.NotCrawlers/n, "a client has more requests than there are lines")
	if rd.end(); rd.bad() || f.onlyRequests {
		return
	}
	l := &f.clients
	if x.N *= n; x.client != l.client {
		f.endClient()
		*l = clientList{UndeclaredInfo: l.UndeclaredInfo, part: part{client: x.client}}
	}
	if !x.forbidden {
		l.requests += x.N
		return
	}
	if l.rules == nil {
		l.headers, l.rules = newBounded(maxOfClient, hashString), map[ruleKey]int64{}
	}
	l.tallied = l.Plus(x.tallied)
	l.headers.add(string(x.header), tallied{N: x.N})
	l.rules[x.rule] += x.N
}

// endClient lists the client whose parts have come, unless addresses do not tell clients apart.
func (f *finalPass) endClient() {
	l := &f.clients
	if l.N == 0 {
		return
	}
	l.Clients, l.Requests = l.Clients+1, l.Requests+l.N
	at, _ := slices.BinarySearchFunc(l.List, l, func(x report.ClientInfo, l *clientList) int {
		return cmp.Or(cmp.Compare(l.N, x.Forbidden), cmp.Compare(x.Address, l.client))
	})
	if at < maxClientsListed && !f.proxied {
		l.List = slices.Insert(l.List, at, f.run.auditor.clientInfo(l))
		l.List = l.List[:min(len(l.List), maxClientsListed)]
	}
}

func headerInfo(header string, n int64) report.HeaderInfo {
	return report.HeaderInfo{Header: header, Requests: n}
}

func (a *Auditor) clientInfo(c *clientList) report.ClientInfo {
	headers, _ := mostFrequent(c.headers, maxOfClient, headerInfo)
	rule := slices.MinFunc(slices.Collect(maps.Keys(c.rules)), func(x, y ruleKey) int {
		return cmp.Or(cmp.Compare(c.rules[y], c.rules[x]), cmp.Compare(x.at.First, y.at.First),
			cmp.Compare(x.version, y.version), cmp.Compare(x.line, y.line))
	})
	of := a.rule(rule, c.rules[rule])
	return report.ClientInfo{
		Address: c.client, Requests: c.requests, Forbidden: c.N,
		First: timeText(c.Period.First), Last: timeText(c.Period.Last),
		Headers: int64(len(headers)), HeadersExact: c.headers.Below == 0,
		Header: headers[0].Header, HeaderRequests: headers[0].Requests,
		Origin: of.Origin, Line: of.Line, Rule: of.Rule, RuleRequests: of.Violations,
	}
}
