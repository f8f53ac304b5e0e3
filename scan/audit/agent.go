package audit

import (
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// agent is a crawler or an HTTP library that a User-Agent header names, with all that a
// worker needs of a crawler: its row, and the rules that bind it.
type agent struct {
	crawler.Claim
	row      *row
	subject  policy.Subject
	google   bool   // it reads answers other than success as Google does
	operator []byte // as in deferred records
	// index is the index of the profile, 0 for an unknown crawler. word is the word of an
	// unknown crawler in lower case, if its name is only a part of it: a.site_bot and
	// b.site_bot are both listed as site_bot, but each has its own fetches.
	index   uint32
	word    string
	proof   crawler.Proof // of its clients, unless it is ambiguous
	at      int32         // the origin of binding
	binding *policy.Binding
	// delay is the Crawl-delay that the version cited in delayOf asks of the crawler.
	delayOf   *policy.Lawful
	delay     time.Duration
	isDelayed bool
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

// newAgent returns the agent of a claim. A log has many headers, but few crawlers: each
// crawler has one agent, also an unknown one, which may change its header with every
// request. A header that names several crawlers has an agent of its own.
func (w *Worker) newAgent(claim crawler.Claim) *agent {
	switch {
	case claim.Library:
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
	if len(w.tally.unknown) >= maxNames {
		w.deferUnknown()
	}
	c := w.makeAgent(claim)
	if word := claim.Word(); word != claim.Name && !claim.Nameless {
		c.word = lower(word)
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
		if w.bindings == nil || len(w.bindings) >= maxBindings || w.boundCopies+copies > maxBoundCopies {
			w.bindings, w.boundCopies = map[bindingKey]*policy.Binding{}, 0
			w.forget() // agents hold bindings too
			clear(w.known)
		}
		w.boundCopies += copies
		w.bindings[k] = b
	}
	c.at, c.binding = origin, b
	return b
}
