package audit

import (
	"strings"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// claim is a crawler as the worker needs it: where it is counted and what binds
// it.
type claim struct {
	crawler.Claim
	row      *row
	subject  policy.Subject
	google   bool // what answers other than success mean, it reads as Google does
	operator operatorKey
	// index is that of the profile. Of an unknown crawler it is 0, or stands for what
	// dots join to its name: a.site_bot and b.site_bot are listed as site_bot, but what
	// one was told the other was not.
	index   uint16
	proof   crawler.Proof // by which its clients are told, unless it is ambiguous
	at      int32         // the origin asked for last, whose binding is here
	binding *policy.Binding
}

// Bounds of a worker's memos: a log has 10^2 to 10^5 distinct headers and a few
// hosts. A memo that is full is emptied; headers longer than maxMemoKey are
// rare, and are read anew each time.
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

// claim returns which crawler a User-Agent claims to be, nil if none.
func (w *Worker) claim(agent []byte) *claim {
	if c, known := w.claims.m[string(agent)]; known {
		return c
	}
	c := w.newClaim(w.headers.Read(agent))
	w.claims.put(agent, c)
	return c
}

// newClaim finds the row for a claim. Headers are many, known crawlers few, so
// these have one claim each, but for headers that name two.
func (w *Worker) newClaim(who crawler.Claim) *claim {
	if who.Name == "" {
		return nil
	}
	if who.Profile != nil && !who.Ambiguous {
		return w.claimOf(who.Profile)
	}
	// So have unknown crawlers, which may change their headers with every request.
	key := ""
	if who.Profile == nil {
		key = strings.Join(who.Tokens(), " ")
		if c := w.named[key]; c != nil {
			return c
		}
	}
	if len(w.tally.unknown) >= maxNames {
		w.keepUnknown()
	}
	c := &claim{Claim: who, row: w.tally.rowOf(who), operator: w.auditor.operator(who), index: w.auditor.profiles[who.Profile]}
	if tokens := who.Tokens(); who.Profile == nil && len(tokens) > 1 {
		c.index = uint16(hashString(strings.ToLower(tokens[0]))) | 1
	}
	c.subject, c.google = w.auditor.subject(who)
	if key != "" {
		if len(w.named) >= maxMemoEntries {
			w.forget()
		}
		w.named[key] = c
	}
	return c
}

// keepUnknown makes late records of what was counted of unknown crawlers, so that
// there is room for others.
func (w *Worker) keepUnknown() {
	for key, row := range w.tally.unknown {
		w.keepCounts(key, row)
	}
	clear(w.tally.unknown)
	w.forget() // claims point at rows
}

// forget drops what is known of headers.
func (w *Worker) forget() {
	w.claims.reset()
	clear(w.named)
}

// claimOf returns the claim to be a known crawler.
func (w *Worker) claimOf(p *crawler.Profile) *claim {
	c := w.known[p]
	if c == nil {
		who := crawler.Claim{Profile: p, Name: p.Name}
		c = &claim{
			Claim: who, row: w.tally.rowOf(who), operator: w.auditor.operator(who), index: w.auditor.profiles[p], proof: w.auditor.config.Identities.Of(p),
		}
		c.subject, c.google = w.auditor.subject(who)
		w.known[p] = c
	}
	return c
}

// bindingKey names what binds a claim on an origin.
type bindingKey struct {
	claim  *claim
	origin int32
}

// Bounds of the bindings that a worker keeps, in number and in the copies that they
// are of: a crawler on each of many origins has one each, anybody can invent
// crawlers, and a history may be long.
const (
	maxBindings    = 1 << 14
	maxBoundCopies = 1 << 18
)

// bindingAt returns what binds the crawler on an origin.
func (w *Worker) bindingAt(c *claim, origin int32) *policy.Binding {
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
