package policy

import (
	"bytes"
	"github.com/robotsieve/robotsieve/scan/reading"
	"slices"
	"sync"
)

// A crawler SHOULD name itself so that its product token is a part of its header (RFC 9309
// 2.2.1). So a group whose token stands anywhere in the header of a crawler that no page tells
// the token of may be meant for it (audit rules, section 7).

// minPart is the least length of such a token, in bytes.
const minPart = 3

// tokens finds the tokens of the groups of an origin in headers, by the bytes that they begin
// with. It is made when it is first needed.
type tokens struct {
	once sync.Once
	by   map[[minPart]byte][]string
}

// TokensIn returns the tokens of groups, of any copy of an origin's robots.txt, that stand in a
// text in lower case, sorted: those of three bytes and more, by the subject's readings. It
// takes time in proportion to the text, if few tokens begin alike.
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

// tokens returns the tokens of all groups of the body by a reading.
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
