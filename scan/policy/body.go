package policy

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"sync"
	"unsafe"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/reading"
)

// body is a text of robots.txt. It is compiled once per reading, on first use.
type body struct {
	text     []byte
	past     []byte // as in Row
	maxBytes int    // as in compile.Options
	compiled [reading.Readings]struct {
		once, pastOnce, sitemapsOnce sync.Once

		robots, withPast *compile.Robots
		sitemaps         sitemaps
	}
	// wildAgree reports whether the groups for * agree in all of UnknownReadings. Most crawlers with
	// these readings are bound by the groups for *.
	wildAgree bool
	wildOnce  sync.Once
}

// robots returns the body as compiled for a reading. Nearly always no run of user-agent lines
// contains another record; then readings that end runs at records are the same as others.
func (b *body) robots(r reading.Reading) *compile.Robots {
	c := &b.compiled[r]
	c.once.Do(func() {
		if r.EndsRuns() && !b.robots(r.Whole()).SplitRuns {
			c.robots = b.robots(r.Whole())
			return
		}
		c.robots = compile.Compile(b.text, r.Options(b.limit(r)))
	})
	return c.robots
}

// limit returns how many bytes every crawler of a reading has read: the minimum of RFC 9309, or
// Google's limit if it reads as Google does.
func (b *body) limit(r reading.Reading) int {
	if r == reading.ReadGoogle {
		return b.maxBytes
	}
	return min(compile.Limit(b.maxBytes), compile.DefaultMaxBytes)
}

// withPast is robots including the lines past the limit.
func (b *body) withPast(r reading.Reading) *compile.Robots {
	c := &b.compiled[r]
	c.pastOnce.Do(func() {
		text := append(slices.Clip(compile.WholeLines(b.text, b.limit(r))), '\n')
		c.withPast = compile.Compile(append(text, b.past...), r.Options(-1))
	})
	return c.withPast
}

// sitemaps returns the targets of the Sitemap lines in a reading.
func (b *body) sitemaps(r reading.Reading) *sitemaps {
	c := &b.compiled[r]
	c.sitemapsOnce.Do(func() {
		robots := b.robots(r)
		if len(b.past) > 0 {
			robots = b.withPast(r)
		}
		c.sitemaps.read(robots)
	})
	return &c.sitemaps
}

// names reports whether a group is for a product token. It first searches for the word, so that
// most bodies needn't be compiled.
func (b *body) names(token string) bool {
	if !bytes.Contains(bytes.ToLower(b.text), bytes.ToLower([]byte(token))) {
		return false
	}
	_, named := b.robots(reading.ReadRFC9309).Ruleset.Named([]byte(token))
	return named
}

// agree reports whether two alternatives of the body give the same verdicts on canonical paths.
func (b *body) agree(x, y alternative) bool {
	if x.reading == reading.ReadRFC9309 && y.reading == reading.ReadGoogleWide &&
		x.machine == b.robots(x.reading).Ruleset.Wildcard() && y.machine == b.robots(y.reading).Ruleset.Wildcard() {
		return b.wildcardsAgree()
	}
	return x.machine.Agrees(y.machine)
}

// wildcardsAgree reports whether the groups for * agree in UnknownReadings.
func (b *body) wildcardsAgree() bool {
	b.wildOnce.Do(func() {
		star := b.robots(reading.ReadRFC9309).Ruleset.Wildcard()
		b.wildAgree = star.Agrees(b.robots(reading.ReadGoogleWide).Ruleset.Wildcard())
	})
	return b.wildAgree
}

// bodyText is everything read of a body.
type bodyText struct{ text, past string }

// store holds each distinct body once.
type store struct {
	maxBytes int
	byText   map[bodyText]*body
	byFile   map[*byte]*body // by address of the text, which rows for the same file share
}

func (s *store) body(r *Row) *body {
	at := unsafe.SliceData(r.Body)
	b := s.byFile[at]
	if b == nil || len(b.text) != len(r.Body) || len(b.text) == 0 {
		text := bodyText{string(r.Body), string(r.Past)}
		b = s.byText[text]
		if b == nil {
			b = &body{text: r.Body, past: append(pastDefault(r.Body, s.maxBytes), r.Past...), maxBytes: s.maxBytes}
			s.byText[text] = b
		}
		s.byFile[at] = b
	}
	return b
}

// contents numbers machines by their rules, ignoring line numbers, so that machines of different
// versions with the same rules have the same number. The zero value is ready for use. It is safe
// for concurrent use.
type contents struct {
	mu      sync.Mutex
	known   map[*automaton.Machine]int32
	numbers map[[sha256.Size]byte]int32
}

// number returns the number of a machine, which may be nil. Two machines of the same dialect have
// the same number only if they agree on every path.
func (c *contents) number(m *automaton.Machine) int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.known[m]
	if ok {
		return n
	}
	if c.known == nil {
		c.known, c.numbers = map[*automaton.Machine]int32{}, map[[sha256.Size]byte]int32{}
	}
	sum := sha256.Sum256(reading.RulesOf(m))
	if n, ok = c.numbers[sum]; !ok {
		n = int32(len(c.numbers))
		c.numbers[sum] = n
	}
	c.known[m] = n
	return n
}
