package policy

import (
	"bytes"
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
)

// body is a text of robots.txt, with what is made of it when it is asked for.
type body struct {
	text     []byte
	read     Read
	rulesets [readings]struct {
		once sync.Once
		*automaton.Ruleset
	}
	// agree says that the groups for * agree in the two readings for crawlers of
	// which nothing is known: most of them are bound by these.
	agree     bool
	agreeOnce sync.Once
}

// ruleset returns the body as a reading has it.
func (b *body) ruleset(r Reading) *automaton.Ruleset {
	set := &b.rulesets[r]
	set.once.Do(func() { set.Ruleset = b.read(r, b.text) })
	return set.Ruleset
}

// names tells whether a group is for a product token. Most bodies do not have the
// word, and are not read for that.
func (b *body) names(token string) bool {
	if !bytes.Contains(bytes.ToLower(b.text), bytes.ToLower([]byte(token))) {
		return false
	}
	_, named := b.ruleset(ReadRFC9309).Named([]byte(token))
	return named
}

// wildcardsAgree tells whether the groups for * agree for Unknown.
func (b *body) wildcardsAgree() bool {
	b.agreeOnce.Do(func() {
		b.agree = b.ruleset(ReadRFC9309).Wildcard().Agrees(b.ruleset(ReadGoogleWide).Wildcard())
	})
	return b.agree
}

// library holds each different body once.
type library struct {
	read   Read
	byText map[string]*body
	byRow  map[*Row]*body
}

func newLibrary(read Read) *library {
	return &library{read, map[string]*body{}, map[*Row]*body{}}
}

// body returns the body of a row.
func (l *library) body(r *Row) *body {
	if b := l.byRow[r]; b != nil {
		return b
	}
	b := l.byText[string(r.Body)]
	if b == nil {
		b = &body{text: r.Body, read: l.read}
		l.byText[string(r.Body)] = b
	}
	l.byRow[r] = b
	return b
}
