package audit

import (
	"bytes"
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

// anyCDN is the agent of requests whose header a CDN has replaced: nobody is seen in them.
var anyCDN = &agent{Claim: crawler.Claim{Library: true}}

// isCDN tells whether a CDN sends a header in place of the client's. Sources: Amazon
// CloudFront, Developer Guide, "Request and response behavior for custom origins";
// docs.webp.se, "User Agent for Origin".
func isCDN(field []byte) bool {
	return string(field) == "Amazon CloudFront" || bytes.HasPrefix(field, []byte("WebP Cloud Services/"))
}

func (c *agent) exempt() bool { return c.Profile != nil && c.Profile.Exempt != "" }

// agent returns the crawler that a User-Agent names, nil if it names none.
func (w *Worker) agent(field []byte) *agent {
	if c, known := w.agents[string(field)]; known {
		return c
	}
	c := w.newAgent(w.headers.Read(field))
	if c == nil && isCDN(field) {
		c = anyCDN
	}
	w.agents.keep(&w.quota, field, c, 0)
	return c
}

// newAgent returns the agent of a claim. A log has many headers, but few crawlers: each
// crawler has one agent, also an unknown one, which may change its header with every
// request. A header that names several crawlers has an agent of its own.
func (w *Worker) newAgent(claim crawler.Claim) *agent {
	switch {
	case claim.Library:
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

// empty hands over the rows of the worker's tally and empties its memos, whose agents point
// at these rows. No agent is in use then.
func (w *Worker) empty() {
	w.deferUnknown()
	w.run.addRows(w.tally.known)
	w.tally.known, w.agents, w.hosts, w.urls = map[*crawler.Profile]*row{}, memo[*agent]{}, newSites(), newSites()
	w.claims = memo[string]{}
	clear(w.seen[:])
	w.known, w.named, w.bindings = map[*crawler.Profile]*agent{}, map[string]*agent{}, map[bindingKey]*policy.Binding{}
	w.quota.held = 0
}

// deferUnknown turns the rows of unknown crawlers into deferred records.
func (w *Worker) deferUnknown() {
	for key, row := range w.tally.unknown {
		w.deferCounts(key, row)
	}
	w.tally.unknown = map[string]*row{}
}

// bindingKey names the rules that bind an agent on an origin.
type bindingKey struct {
	agent  *agent
	origin int32
}

// bindingAt returns the rules that bind the crawler on an origin.
func (w *Worker) bindingAt(c *agent, origin int32) *policy.Binding {
	if c.binding != nil && c.at == origin {
		return c.binding
	}
	k := bindingKey{c, origin}
	b := w.bindings[k]
	if b == nil {
		b = w.auditor.config.Policy.Bind(origin, c.subject)
		w.quota.held += bindingBytes + boundBytes*w.auditor.config.Policy.Copies(origin)
		w.bindings[k] = b
	}
	c.at, c.binding = origin, b
	return b
}
