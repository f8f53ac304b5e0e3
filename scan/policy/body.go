package policy

import (
	"bytes"
	"sync"

	"github.com/robotsieve/robotsieve/compile"
)

// body is one text of robots.txt. It is compiled once for each reading, when that
// reading is first needed.
type body struct {
	text     []byte
	maxBytes int // as compile.Options has it
	compiled [readings]struct {
		once   sync.Once
		robots *compile.Robots
	}
	// agree says that the groups for * agree in the two readings for crawlers of
	// which nothing is known: most of them are bound by these.
	agree     bool
	agreeOnce sync.Once
}

// robots returns the body as compiled for a reading.
func (b *body) robots(r Reading) *compile.Robots {
	c := &b.compiled[r]
	c.once.Do(func() {
		c.robots = compile.Compile(b.text, compile.Options{
			Dialect: r.Dialect(), MaxBytes: b.maxBytes, WideTokens: r == ReadGoogleWide,
		})
	})
	return c.robots
}

// names tells whether a group is for a product token. Most bodies do not have the
// word, and are not read for that.
func (b *body) names(token string) bool {
	if !bytes.Contains(bytes.ToLower(b.text), bytes.ToLower([]byte(token))) {
		return false
	}
	_, named := b.robots(ReadRFC9309).Ruleset.Named([]byte(token))
	return named
}

// wildcardsAgree tells whether the groups for * agree for Unknown.
func (b *body) wildcardsAgree() bool {
	b.agreeOnce.Do(func() {
		b.agree = b.robots(ReadRFC9309).Ruleset.Wildcard().Agrees(b.robots(ReadGoogleWide).Ruleset.Wildcard())
	})
	return b.agree
}

// library holds each different body once.
type library struct {
	maxBytes int
	byText   map[string]*body
	byRow    map[*Row]*body
}

func newLibrary(maxBytes int) *library {
	return &library{maxBytes, map[string]*body{}, map[*Row]*body{}}
}

// body returns the body of a row.
func (l *library) body(r *Row) *body {
	if b := l.byRow[r]; b != nil {
		return b
	}
	b := l.byText[string(r.Body)]
	if b == nil {
		b = &body{text: r.Body, maxBytes: l.maxBytes}
		l.byText[string(r.Body)] = b
	}
	l.byRow[r] = b
	return b
}
