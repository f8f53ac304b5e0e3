package audit

import (
	"bytes"
	"strings"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Bounds of a worker's memos: a log has 10^2 to 10^5 distinct headers and a few
// hosts. A memo that is full is emptied; headers longer than maxMemoKey are rare,
// and are read anew each time.
const (
	maxMemoEntries = 1 << 15
	maxMemoBytes   = 4 << 20
	maxMemoKey     = 2 << 10
)

// memo maps bytes from the log to what was made of them.
type memo[V any] struct {
	m     map[string]V
	bytes int
}

func (m *memo[V]) put(key []byte, v V) {
	if len(key) > maxMemoKey {
		return
	}
	if m.m == nil || len(m.m) >= maxMemoEntries || m.bytes+len(key) > maxMemoBytes {
		m.reset()
	}
	m.m[string(key)] = v
	m.bytes += len(key)
}

func (m *memo[V]) reset() { m.m, m.bytes = map[string]V{}, 0 }

// agent is a crawler that a User-Agent header names, with all that a worker needs of
// it: its row, and the rules that bind it.
type agent struct {
	crawler.Claim
	row      *row
	subject  policy.Subject
	google   bool   // it reads answers other than success as Google does
	operator []byte // as in deferred records
	// index is the index of the profile. For an unknown crawler it is 0, or the hash of
	// a name with dots: a.site_bot and b.site_bot are both listed as site_bot, but what
	// one of them fetched the other did not.
	index   uint16
	proof   crawler.Proof // of its clients, unless it is ambiguous
	at      int32         // the origin of binding
	binding *policy.Binding
}

func (c *agent) exempt() bool { return c.Profile != nil && c.Profile.Exempt != "" }

// agent returns the crawler that a User-Agent names, nil if it names none.
func (w *Worker) agent(field []byte) *agent {
	if c, known := w.agents.m[string(field)]; known {
		return c
	}
	c := w.newAgent(w.headers.Read(field))
	w.agents.put(field, c)
	return c
}

// newAgent returns the agent of a claim. Headers are many and known crawlers few: each
// of these has one agent, except for headers that name two.
func (w *Worker) newAgent(claim crawler.Claim) *agent {
	if claim.Name == "" {
		return nil
	}
	if claim.Profile != nil && !claim.Ambiguous {
		return w.knownAgent(claim.Profile)
	}
	// So has each unknown crawler, which may change its header with every request.
	key := ""
	if claim.Profile == nil {
		key = strings.Join(claim.Tokens(), " ")
		if c := w.named[key]; c != nil {
			return c
		}
	}
	if len(w.tally.unknown) >= maxNames {
		w.deferUnknown()
	}
	c := w.makeAgent(claim)
	if tokens := claim.Tokens(); claim.Profile == nil && len(tokens) > 1 {
		c.index = uint16(hashString(strings.ToLower(tokens[0]))) | 1
	}
	if key != "" {
		if len(w.named) >= maxMemoEntries {
			w.forget()
		}
		w.named[key] = c
	}
	return c
}

func (w *Worker) makeAgent(claim crawler.Claim) *agent {
	a := w.auditor
	return &agent{
		Claim: claim, row: w.tally.rowOf(claim), subject: a.subject(claim), google: readsAsGoogle(claim.Profile),
		operator: a.operator(claim), index: a.profiles[claim.Profile],
	}
}

// knownAgent returns the agent of a known crawler.
func (w *Worker) knownAgent(p *crawler.Profile) *agent {
	c := w.known[p]
	if c == nil {
		c = w.makeAgent(crawler.Claim{Profile: p, Name: p.Name})
		c.proof = w.auditor.config.Identities.Of(p)
		w.known[p] = c
	}
	return c
}

// deferUnknown turns the rows of unknown crawlers into deferred records, to make room
// for others.
func (w *Worker) deferUnknown() {
	for key, row := range w.tally.unknown {
		w.deferCounts(key, row)
	}
	clear(w.tally.unknown)
	w.forget() // agents point at rows
}

// forget empties the memos of headers.
func (w *Worker) forget() {
	w.agents.reset()
	clear(w.named)
}

// bindingKey names the rules that bind an agent on an origin.
type bindingKey struct {
	agent  *agent
	origin int32
}

// Bounds of the bindings that a worker keeps, in number and in their copies: a crawler
// on each of many origins has one each, clients can invent crawlers, and a history may
// be long.
const (
	maxBindings    = 1 << 14
	maxBoundCopies = 1 << 18
)

// bindingAt returns the rules that bind the crawler on an origin.
func (w *Worker) bindingAt(c *agent, origin int32) *policy.Binding {
	if c.binding != nil && c.at == origin {
		return c.binding
	}
	k := bindingKey{c, origin}
	b := w.bindings[k]
	if b == nil {
		b = w.auditor.config.Policy.Bind(origin, c.subject)
		copies := w.auditor.config.Policy.Copies(origin)
		if w.bindings == nil || len(w.bindings) >= maxBindings || w.bound+copies > maxBoundCopies {
			w.bindings, w.bound = map[bindingKey]*policy.Binding{}, 0
			w.forget()
			clear(w.known)
		}
		w.bound += copies
		w.bindings[k] = b
	}
	c.at, c.binding = origin, b
	return b
}

// site is where a request went: the origins of the policy that it may have gone to,
// none if the log does not tell, or another host.
type site struct {
	policy.Site
	other bool
	host  string // for the report, if other
}

// site returns where the record's request went, by the first of: an absolute target
// (RFC 9112 3.2.2), the log's host field, the hosts of the options for a log without
// one. An empty host field may stand for any host.
func (w *Worker) site() site {
	p := w.auditor.config.Policy
	switch {
	case p.Any():
	case w.record.Target[0] != '/':
		return w.siteBy(&w.urls, authorityPrefix(w.record.Target), origin.Of)
	case w.record.Host != nil:
		if host := w.record.Host; len(host) == 0 || string(host) == "-" {
			return site{}
		}
		return w.siteBy(&w.hosts, w.record.Host, loggedOrigin)
	}
	s, _ := p.Unnamed()
	return site{Site: s}
}

// authorityPrefix returns an absolute target up to the end of its authority.
func authorityPrefix(target []byte) []byte {
	from := bytes.Index(target, []byte("://")) + len("://")
	if end := bytes.IndexAny(target[from:], "/?#"); end >= 0 {
		return target[:from+end]
	}
	return target
}

// loggedOrigin reads a host field.
func loggedOrigin(field []byte) (origin.Origin, error) {
	return origin.Logged(string(field))
}

// siteBy returns the site of a key. Each function read has a memo of its own: a host
// field may look like a URL without being one.
func (w *Worker) siteBy(known *memo[site], key []byte, read func([]byte) (origin.Origin, error)) site {
	s, ok := known.m[string(key)]
	if !ok {
		s = w.newSite(key, read)
		known.put(key, s)
	}
	return s
}

func (w *Worker) newSite(key []byte, read func([]byte) (origin.Origin, error)) site {
	o, err := read(key)
	if err == nil {
		if s, ok := w.auditor.config.Policy.Site(o); ok {
			return site{Site: s}
		}
	}
	host := o.String()
	if err != nil {
		host = string(key)
	}
	return site{other: true, host: host[:min(len(host), maxHostName)]}
}
