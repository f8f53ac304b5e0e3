package audit

import (
	"bytes"
	"strings"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/reading"
)

// agent is a crawler or an HTTP library named by a User-Agent header, with everything a worker needs to know about
// a crawler: its row, and the rules that bind it. It may also represent an overlooked header.
type agent struct {
	crawler.Claim
	row      *row
	subject  reading.Subject
	class    answer.Class
	operator []byte // its key in deferred records
	// index is the index of the profile, or 0 for an unknown crawler. word is the word of an unknown
	// crawler in lower case, if its name is only a part of that: a.site_bot and b.site_bot are both
	// listed as site_bot, but their fetches are separate.
	index  uint32
	word   string
	spread uint64        // places its targets among the recent ones
	proof  crawler.Proof // verifies its clients, unless it is ambiguous
	// of and header are set in the agent of a single header whose claim is loose: of is the crawler's
	// agent, and header the text that may contain tokens of other groups.
	of     *agent
	header []byte
	// verified are the agents of the rivals in an ambiguous header, made on demand.
	verified []*agent
	bound
}

// anyCDN is the agent of requests whose header a CDN has replaced, which hides any crawler.
var anyCDN = &agent{Claim: crawler.Claim{Library: true}}

// isCDN reports whether a field is a header that a CDN sends instead of the client's. Sources: Amazon CloudFront,
// Developer Guide, "Request and response behavior for custom origins"; docs.webp.se, "User Agent for Origin".
func isCDN(field []byte) bool {
	return string(field) == "Amazon CloudFront" || bytes.HasPrefix(field, []byte("WebP Cloud Services/"))
}

// clients identifies the crawlers behind a worker's records, and how far each record proves it.
type clients struct {
	auditor *Auditor
	tally   *tally // has the rows that agents point at
	quota   *quota
	headers *crawler.Reader
	agents  memo[namedAgent]
	recent  [recentHeaders]namedAgent // some of agents, each in its slot
	senders senders
	sender  *sender // of the record last passed to identify
	known   map[*crawler.Profile]*agent
	named   map[string]*agent // unknown crawlers by token
	found   [2]client         // results of identify
}

func (w *clients) empty() {
	clear(w.recent[:]) // in a new worker, too: see slotsOf
	if w.known != nil {
		w.senders.empty()
	}
	w.agents, w.known, w.named = memo[namedAgent]{}, map[*crawler.Profile]*agent{}, map[string]*agent{}
}

// isCrawler reports whether the agent is a crawler. A nil agent is not.
func (c *agent) isCrawler() bool { return c != nil && c.row != nil }

func (c *agent) exempt() bool { return c.Profile != nil && c.Profile.Exempt != "" }

// agent returns the crawler that a User-Agent names, or nil.
func (w *clients) agent(field []byte) *agent {
	recent := &w.recent[slotOf(field)%recentHeaders]
	if recent.header == string(field) {
		return recent.agent
	}
	if known, ok := w.agents[string(field)]; ok {
		*recent = known
		return known.agent
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
	header := string(field)
	w.agents.keep(w.quota, header, namedAgent{header, c}, 0)
	return c
}

// newAgent returns the agent of a claim. A log has many headers but few crawlers, so each crawler
// has one agent, even an unknown one, which may change its header with every request. A header that
// names several crawlers has its own agent.
func (w *clients) newAgent(claim crawler.Claim) *agent {
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

func (w *clients) makeAgent(claim crawler.Claim) *agent {
	a := w.auditor
	w.quota.held += agentBytes
	return &agent{
		Claim: claim, row: w.tally.rowOf(claim), subject: a.subject(claim), class: classOf(claim.Profile),
		operator: a.operator(claim), index: a.profiles[claim.Profile], spread: hashString(claim.Name),
	}
}

func (w *clients) knownAgent(p *crawler.Profile) *agent {
	c := w.known[p]
	if c == nil {
		c = w.makeAgent(crawler.Claim{Profile: p, Name: p.Name})
		c.proof = w.auditor.config.Identities.Of(p)
		w.known[p] = c
	}
	return c
}

// inHeader returns an agent for the requests of a crawler with one header.
func (w *clients) inHeader(c *agent, header []byte) *agent {
	h := *c
	h.of, h.header, h.bound = c, header, bound{}
	w.quota.held += headerBytes + len(header)
	return &h
}

// verifiedAgent returns the agent of a verified crawler that an ambiguous header names.
func (w *clients) verifiedAgent(c *agent, p *crawler.Profile) *agent {
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

// quota limits, in bytes, what the memos of a worker may hold, and the rows in which its lines are counted. They
// charge it for what they keep. When it is used up, all of them are emptied before the next line, so a log may have
// any number of distinct headers, names, hosts, statuses and rules, of any length.
type quota struct{ limit, held int }

func (q *quota) isUsedUp() bool { return q.held > q.limit }

// The overhead of entries besides their texts, in bytes, rounded up: a slot of a half-full map, the
// value and the allocator's overhead.
const (
	memoBytes    = 256
	agentBytes   = 2 << 10 // including its row
	headerBytes  = 512     // an agent for one header
	bindingBytes = 512
	boundBytes   = 512 // per copy of a binding
	statusBytes  = 64
)

// memo maps bytes from the log to the value derived from them.
type memo[V any] map[string]V

// keep adds a value that holds that many further bytes. Keys longer than maxMemoKey are rare, and
// are parsed anew each time.
func (m memo[V]) keep(q *quota, key string, v V, further int) {
	if len(key) > maxMemoKey {
		return
	}
	m[key] = v
	q.held += len(key) + further + memoBytes
}

const maxMemoKey = 2 << 10

// budget divides Config.Memory. It leaves out what does not grow with the log: the tables of a
// worker, some 5 MB, and the rows of a report, whose lists are bounded.
type budget struct {
	memos   int   // per worker: see quota
	records int64 // deferred records
	paths   int64 // violationPaths, once the memos are no longer needed
}

// divide assigns a quarter to the memos of all workers, five eighths to deferred records, and the rest to garbage.
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
	// maxMemos is the most memory that a worker's memos can use well: a log has 10^2 to 10^5 distinct
	// headers and a few hosts.
	maxMemos = 24 << 20
)
