package policy

import (
	"bytes"
	"github.com/robotsieve/robotsieve/scan/reading"
	"slices"
	"sync"
)

// A crawler's product token SHOULD be part of its User-Agent header (RFC 9309 2.2.1). So if no page documents a
// crawler's tokens, a group may be meant for it if the group's token occurs anywhere in its header (audit rules,
// section 7).

// minPart is the minimum length of such a token, in bytes.
const minPart = 3

// tokens finds the tokens of an origin's groups in headers, by their first bytes. It is built on
// first use.
type tokens struct {
	once sync.Once
	by   map[[minPart]byte][]string
}

// TokensIn returns the group tokens from any copy of an origin's robots.txt that occur in a lower-case text, sorted:
// those of three bytes or more, as the subject's readings define them. The time is linear in the length of the text if
// few tokens start alike.
func (p *Policy) TokensIn(origin int32, s reading.Subject, text []byte) (found []string) {
	a := p.histories[origin].account
	for _, r := range s.Readings {
		if r.EndsRuns() {
			continue // it has the same tokens
		}
		by := a.tokensBy(r)
		for i := 0; i+minPart <= len(text) && len(by) > 0; i++ {
			for _, token := range by[[minPart]byte(text[i:])] {
				if bytes.HasPrefix(text[i:], []byte(token)) {
					found = append(found, token)
				}
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func (a *account) tokensBy(r reading.Reading) map[[minPart]byte][]string {
	t := &a.tokens[r]
	t.once.Do(func() {
		t.by = map[[minPart]byte][]string{}
		seen := map[string]bool{}
		for _, c := range a.copies {
			for _, token := range c.body.tokens(r) {
				if len(token) < minPart || seen[token] {
					continue
				}
				seen[token] = true
				start := [minPart]byte([]byte(token))
				t.by[start] = append(t.by[start], token)
			}
		}
	})
	return t.by
}

// tokens returns the tokens of all groups of the body in a reading.
func (b *body) tokens(r reading.Reading) (list []string) {
	agents := b.robots(r).Ruleset.Agents()
	if len(b.past) > 0 {
		agents = append(slices.Clip(agents), b.withPast(r).Ruleset.Agents()...)
	}
	for _, agent := range agents {
		list = append(list, agent.Token)
	}
	return list
}
