package audit

import (
	"bytes"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// agent is a crawler or an HTTP library that a User-Agent header names, with all that a
// worker needs of a crawler: its row, and the rules that bind it. It may also be a header that was
// overlooked.
type agent struct {
	crawler.Claim
	row      *row
	subject  policy.Subject
	class    answer.Class
	operator []byte // as in deferred records
	// index is the index of the profile, 0 for an unknown crawler. word is the word of an
	// unknown crawler in lower case, if its name is only a part of it: a.site_bot and
	// b.site_bot are both listed as site_bot, but each has its own fetches.
	index uint32
	word  string
	proof crawler.Proof // of its clients, unless it is ambiguous
	// of is the agent of the crawler, and header the text in which tokens of other groups may
	// stand, of an agent for one header whose claim is loose; nil otherwise.
	of     *agent
	header []byte
	// verified are the agents of an ambiguous header's rivals, as far as they were needed.
	verified []*agent
	at       int32 // the origin of binding
	binding  *policy.Binding
	// delay is the Crawl-delay that the version cited in delayOf asks of the crawler.
	delayOf   *policy.Lawful
	delay     time.Duration
	isDelayed bool
	readings  []reading // of Config.WhatIf
}

// anyCDN is the agent of requests whose header a CDN has replaced: nobody is seen in them.
var anyCDN = &agent{Claim: crawler.Claim{Library: true}}

// isCDN reports whether a CDN sends a header in place of the client's. Sources: Amazon
// CloudFront, Developer Guide, "Request and response behavior for custom origins";
// docs.webp.se, "User Agent for Origin".
func isCDN(field []byte) bool {
	return string(field) == "Amazon CloudFront" || bytes.HasPrefix(field, []byte("WebP Cloud Services/"))
}

// isCrawler reports whether it is a crawler. A nil agent is none.
func (c *agent) isCrawler() bool { return c != nil && c.row != nil }

func (c *agent) exempt() bool { return c.Profile != nil && c.Profile.Exempt != "" }

// agent returns the crawler that a User-Agent names, nil if it names none.
func (w *Worker) agent(field []byte) *agent {
	if c, known := w.agents[string(field)]; known {
		return c
	}
	claim := w.headers.Read(field)
	c := w.newAgent(claim)
	switch {
	case c == nil && isCDN(field):
		c = anyCDN
	case claim.Overlooked:
		c.header = []byte(shortened(field, maxHeader))
		w.quota.held += 2 * len(c.header)
	case claim.Ambiguous:
		c.header = w.headers.Outside(nil, field)
		w.quota.held += len(c.header)
	case claim.Loose:
		c = w.inHeader(c, w.headers.Outside(nil, field))
	}
	w.agents.keep(&w.quota, field, c, 0)
	return c
}

// newAgent returns the agent of a claim. A log has many headers, but few crawlers: each
// crawler has one agent, also an unknown one, which may change its header with every
// request. A header that names several crawlers has an agent of its own.
func (w *Worker) newAgent(claim crawler.Claim) *agent {
	switch {
	case claim.Library, claim.Overlooked:
		w.quota.held += agentBytes
		return &agent{Claim: claim}
	case claim.Name == "":
		return nil
	}
	if claim.Profile != nil && !claim.Ambiguous {
		return w.knownAgent(claim.Profile)
	}
	key := ""
	if claim.Profile == nil {
		key = strings.Join(claim.Tokens(), " ")
		if c := w.named[key]; c != nil {
			return c
		}
	}
	c := w.makeAgent(claim)
	if word := claim.Word(); word != claim.Name && !claim.Nameless {
		c.word = lower(word)
	}
	if key != "" {
		w.named[key] = c
	}
	w.quota.held += 4*(len(claim.Name)+len(key)+8*len(claim.Rivals)) + memoBytes
	return c
}

func (w *Worker) makeAgent(claim crawler.Claim) *agent {
	a := w.auditor
	w.quota.held += agentBytes
	return &agent{
		Claim: claim, row: w.tally.rowOf(claim), subject: a.subject(claim), class: classOf(claim.Profile),
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

// inHeader returns an agent for the requests of a crawler with one header.
func (w *Worker) inHeader(c *agent, header []byte) *agent {
	h := *c
	h.of, h.header, h.binding, h.delayOf = c, header, nil, nil
	w.quota.held += headerBytes + len(header)
	return &h
}

// verifiedAgent returns the agent of a crawler that an ambiguous header names, whose client is
// verified.
func (w *Worker) verifiedAgent(c *agent, p *crawler.Profile) *agent {
	if !c.LooseAs(p) {
		return w.knownAgent(p)
	}
	for _, v := range c.verified {
		if v.Profile == p {
			return v
		}
	}
	v := w.inHeader(w.knownAgent(p), c.header)
	c.verified = append(c.verified, v)
	return v
}

// empty hands over the rows of the worker's tally and empties its memos, whose agents point
// at these rows. No agent is in use then.
func (w *Worker) empty() {
	w.deferUnknown()
	w.run.addRows(w.tally.known)
	w.tally.known, w.agents, w.hosts, w.urls = map[*crawler.Profile]*row{}, memo[*agent]{}, memo[site]{}, memo[site]{}
	w.claims, w.prefixes = memo[string]{}, memo[string]{}
	clear(w.seen[:])
	w.known, w.named, w.bindings = map[*crawler.Profile]*agent{}, map[string]*agent{}, map[bindingKey]*policy.Binding{}
	w.quota.held = 0
}

// deferUnknown turns the rows of unknown crawlers into deferred records. A log may name any number
// of them; the sort on disk adds up their rows in bounded memory.
func (w *Worker) deferUnknown() {
	for key, row := range w.tally.unknown {
		w.deferCounts(key, row)
	}
	w.tally.unknown = map[string]*row{}
}

// bindingKey names the rules that bind an agent on an origin, or that bind it with further tokens
// that its header has.
type bindingKey struct {
	agent   *agent
	origin  int32
	perhaps string
}

// bindingAt returns the rules that bind the crawler on an origin.
func (w *Worker) bindingAt(c *agent, origin int32) *policy.Binding {
	if c.binding != nil && c.at == origin {
		return c.binding
	}
	k := bindingKey{agent: c, origin: origin}
	b := w.bindings[k]
	if b == nil {
		b = w.bind(c, origin)
		w.bindings[k] = b
		w.quota.held += memoBytes
	}
	c.at, c.binding = origin, b
	return b
}

// bind returns the rules that bind the crawler on an origin, which are the same for all of its
// headers that have the tokens of the same groups.
func (w *Worker) bind(c *agent, origin int32) *policy.Binding {
	p, s := w.auditor.config.Policy, c.subject
	k := bindingKey{agent: c, origin: origin}
	if c.of != nil {
		s.Perhaps = p.TokensIn(origin, s, c.header)
		k.agent, k.perhaps = c.of, strings.Join(s.Perhaps, " ")
	}
	b := w.bindings[k]
	if b == nil {
		b = p.Bind(origin, s)
		w.quota.held += bindingBytes + boundBytes*p.Copies(origin) + 2*len(k.perhaps)
		w.bindings[k] = b
	}
	return b
}

// quota is what the memos of a worker, and the rows that its lines are counted in, may
// hold, in bytes. They charge what they keep to it. When it is used up, all of them are
// emptied before the next line, so that a log may have any number of distinct headers,
// names, hosts, statuses and rules to be bound by, of any length.
type quota struct{ limit, held int }

func (q *quota) isUsedUp() bool { return q.held > q.limit }

// What entries take beside their texts, in bytes, rounded up: a slot of a map that is half
// full, the value, and what the allocator adds.
const (
	memoBytes    = 256
	agentBytes   = 2 << 10 // with its row
	headerBytes  = 512     // of an agent for one header
	bindingBytes = 512
	boundBytes   = 512 // for each copy of a binding
	statusBytes  = 64
)

// memo maps bytes from the log to the value that was made of them.
type memo[V any] map[string]V

// keep adds a value that holds further bytes. Keys longer than maxMemoKey are rare, and are
// read anew each time.
func (m memo[V]) keep(q *quota, key []byte, v V, further int) {
	if len(key) > maxMemoKey {
		return
	}
	m[string(key)] = v
	q.held += len(key) + further + memoBytes
}

const maxMemoKey = 2 << 10

// budget divides Config.Memory. What is not in it does not grow with the log: the tables of
// a worker, some 5 MB, and the rows of a report, which has bounded lists.
type budget struct {
	memos   int   // of one worker: see quota
	records int64 // deferred records
	paths   int64 // violationPaths, when the memos are no longer needed
}

// divide gives a quarter to the memos of all workers, and five eighths to deferred records. An eighth
// is for garbage.
func divide(memory int64, workers int) budget {
	if memory <= 0 {
		memory = defaultMemory
	}
	return budget{
		memos:   int(min(memory/4/int64(max(workers, 1)), maxMemos)),
		records: memory / 8 * 5,
		paths:   memory / 4,
	}
}

const (
	defaultMemory = 256 << 20
	// maxMemos is what a worker's memos are of use for: a log has 10^2 to 10^5 distinct headers
	// and a few hosts.
	maxMemos = 24 << 20
)
