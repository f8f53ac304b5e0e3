package policy

// Several tests check whether rules are the same, and each ignores something else:
//   - Alternatives with the same machine pointer are the same. This ignores the reading by which a
//     target becomes a path.
//   - Machine.Agrees compares the verdicts on canonical paths and the deciding lines. It ignores
//     dialects, and all paths that aren't canonical.
//   - contents.number compares lists of rules across versions. It ignores only their lines.
//   - Binding.Alike compares whole copies, by the numbers of all alternatives with their readings and
//     by the Sitemap lines. It ignores lines, and the groups of other crawlers.

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/plain"
	"github.com/robotsieve/robotsieve/scan/reading"
)

// Binding holds the rules that apply to one crawler on one origin: for each copy of its robots.txt, the machines of
// the groups that may be the crawler's. They are built when the copy is first needed. It is safe for concurrent
// use.
type Binding struct {
	subject reading.Subject
	host    string // "" if the policy is for all hosts
	history *history
	rules   []atomic.Pointer[copyRules] // per copy
	alike   struct {
		sync.Once
		first     []int32
		different []*copyRules // of bodies, without repetitions
	}
}

// alternative is one way in which a copy may bind a crawler.
type alternative struct {
	machine *automaton.Machine
	reading reading.Reading
}

// copyRules are the rules of a copy that bind a crawler. Only delay changes, once.
type copyRules struct {
	first  alternative
	others []alternative // alternatives that may differ
	plain  []alternative // alternatives that may differ on a canonical path
	hop    *Judgement    // the judgement of a hop on all targets; nil if the copy isn't a hop

	delay struct {
		sync.Once
		length time.Duration
		stated bool
	}
}

// Bind returns the binding of a crawler on an origin, an index in Origins. In each copy and
// reading, the groups of Subject.Machine apply. The subject must not be modified afterwards.
func (p *Policy) Bind(origin int32, s reading.Subject) *Binding {
	h := p.histories[origin]
	b := &Binding{subject: s, history: h, rules: make([]atomic.Pointer[copyRules], len(h.copies))}
	if !p.any {
		b.host = p.origins[origin].Host
	}
	return b
}

// Alike returns, for each copy, the first copy that has the same stance on every request, possibly
// by other lines: most versions differ only in the groups of other crawlers. Callers must not
// modify the slice. The first call compiles all copies.
func (b *Binding) Alike() []int32 {
	b.alike.Do(b.findAlike)
	return b.alike.first
}

func (b *Binding) findAlike() {
	first, seen := make([]int32, len(b.rules)), map[string]int32{}
	var different []*copyRules
	for n := range int32(len(b.rules)) {
		first[n] = n
		m := b.rulesOf(n)
		if m.hop != nil {
			continue
		}
		class := b.says(n, m)
		if same, known := seen[class]; known {
			first[n] = same
		} else {
			seen[class] = n
			different = append(different, m)
		}
	}
	b.alike.first, b.alike.different = first, different
}

// RulesPermit reports whether the rules of every copy with a body permit a request target, by all
// readings, ignoring Sitemap lines. It is cheaper than calling Judge for each copy.
func (b *Binding) RulesPermit(s *automaton.Scratch, target []byte) bool {
	b.alike.Do(b.findAlike)
	if !plain.Is(target) {
		forbids := func(m *copyRules) bool { return m.ask(s, target).Stance != Permits }
		return !slices.ContainsFunc(b.alike.different, forbids)
	}
	for _, m := range b.alike.different {
		if m.first.machine.MatchPlain(s, target).Disallowed {
			return false
		}
		for i := range m.plain {
			if m.plain[i].machine.MatchPlain(s, target).Disallowed {
				return false
			}
		}
	}
	return true
}

// rulesOf returns the rules of a copy that bind the crawler.
func (b *Binding) rulesOf(n int32) *copyRules {
	if known := b.rules[n].Load(); known != nil {
		return known
	}
	b.rules[n].CompareAndSwap(nil, b.makeRules(b.history.copies[n]))
	return b.rules[n].Load()
}

func (b *Binding) makeRules(c copyOf) *copyRules {
	all := b.alternatives(c.body)
	m := &copyRules{first: all[0]}
	for i, a := range all[1:] {
		if slices.ContainsFunc(all[:i+1], func(other alternative) bool { return other.machine == a.machine }) {
			continue
		}
		agrees := func(other alternative) bool { return c.body.agree(other, a) }
		// An alternative that agrees with one that forbids nothing forbids nothing either.
		if agrees(m.first) && m.first.machine == nil {
			continue
		}
		m.others = append(m.others, a)
		if !agrees(m.first) && !slices.ContainsFunc(m.plain, agrees) {
			m.plain = append(m.plain, a)
		}
	}
	if c.hop != "" {
		j := m.ask(new(automaton.Scratch), []byte(c.hop))
		m.hop = &j
	}
	return m
}

// alternatives returns the ways in which a body may bind the crawler: by each of its readings, then
// by each of its lists of tokens, and by each group that may be meant for it. Equal readings share
// a ruleset.
func (b *Binding) alternatives(c *body) (all []alternative) {
	var seen []*automaton.Ruleset
	add := func(r reading.Reading, robots *compile.Robots) {
		rules := robots.Ruleset
		if slices.Contains(seen, rules) {
			return
		}
		seen = append(seen, rules)
		all = append(all, alternative{b.subject.Machine(rules), r})
		for _, tokens := range b.subject.Also {
			also := reading.Subject{Tokens: tokens, IgnoresWildcard: b.subject.IgnoresWildcard}
			all = append(all, alternative{also.Machine(rules), r})
		}
		if len(b.subject.Perhaps) == 0 {
			return
		}
		for _, agent := range rules.Agents() {
			if slices.Contains(b.subject.Perhaps, agent.Token) {
				all = append(all, alternative{agent.Machine, r})
			}
		}
	}
	for _, r := range b.subject.Readings {
		add(r, c.robots(r))
		// Lines past the limit can only permit. A reading that ends runs would find fewer of them, so it
		// isn't used.
		if len(c.past) > 0 && r != reading.ReadGoogle && !r.EndsRuns() {
			add(r, c.withPast(r))
		}
	}
	return all
}

// says returns a key for the rules of a copy, whose alternatives m has. Copies with the same key
// give the crawler the same stances.
func (b *Binding) says(n int32, m *copyRules) string {
	var key []byte
	for _, a := range append([]alternative{m.first}, m.others...) {
		key = append(key, byte(a.reading))
		key = binary.BigEndian.AppendUint32(key, uint32(b.history.contents.number(a.machine)))
	}
	for _, r := range b.subject.Readings {
		if s := b.history.copies[n].body.sitemaps(r); !r.EndsRuns() && !s.none() {
			key = append(key, s.sum[:]...)
		}
	}
	return string(key)
}

// Stance says whether a copy permits a request.
type Stance uint8

const (
	Permits Stance = iota
	Forbids
	// Contested means that the alternatives differ: several readings may be the crawler's, the tokens belong to several
	// crawlers, or a group may be meant for it.
	Contested
	// Unseen means that the stance depends on an unknown part of the target.
	Unseen
)

// Judgement is a stance and the line of the forbidding rule. If alternatives forbid by different
// lines, it is the line of the first reading and the first tokens.
type Judgement struct {
	Stance Stance
	Line   uint32
}

// Judge returns the judgement of a copy on a request target in origin or absolute form. It permits
// targets listed in a Sitemap line of the copy. A copy that is a hop has one judgement for all
// targets: whether the path of its redirect may be fetched. Judge doesn't retain target. It
// allocates only on the first call for a copy, and for the first target that its rules don't
// permit. Callers must not ask about /robots.txt itself, which is always allowed, because the
// dialects differ on it.
func (b *Binding) Judge(s *automaton.Scratch, n int32, target []byte) Judgement {
	m := b.rulesOf(n)
	if m.hop != nil {
		return *m.hop
	}
	j := m.ask(s, target)
	if j.Stance != Permits && b.isSitemap(s, n, target) {
		return Judgement{}
	}
	return j
}

// JudgeUnseen returns the judgement of a copy on a request with an unknown target: it permits if no rule forbids
// anything.
func (b *Binding) JudgeUnseen(n int32) Judgement {
	m := b.rulesOf(n)
	if m.hop != nil {
		return *m.hop
	}
	forbids := func(a alternative) bool { return a.machine.Forbids() }
	if forbids(m.first) || slices.ContainsFunc(m.others, forbids) {
		return Judgement{Stance: Unseen}
	}
	return Judgement{}
}

// ask returns the judgement without sitemaps.
func (m *copyRules) ask(s *automaton.Scratch, target []byte) Judgement {
	var forbids automaton.Verdict
	if plain.Is(target) {
		forbids = m.first.machine.MatchPlain(s, target)
		for i := range m.plain {
			if m.plain[i].machine.MatchPlain(s, target).Disallowed != forbids.Disallowed {
				return Judgement{Stance: Contested}
			}
		}
	} else {
		forbids = m.first.match(s, target)
		for i := range m.others {
			if m.others[i].match(s, target).Disallowed != forbids.Disallowed {
				return Judgement{Stance: Contested}
			}
		}
	}
	if forbids.Disallowed {
		return Judgement{Stance: Forbids, Line: forbids.Line}
	}
	return Judgement{}
}

func (a *alternative) match(s *automaton.Scratch, target []byte) automaton.Verdict {
	return a.machine.Match(s, a.reading.Dialect().TargetPath(s, target))
}

// isSitemap reports whether a Sitemap line of a copy lists a target, for the host or, if the policy applies to all
// hosts, for any.
func (b *Binding) isSitemap(s *automaton.Scratch, n int32, target []byte) bool {
	for _, r := range b.subject.Readings {
		list := b.history.copies[n].body.sitemaps(r)
		if !r.EndsRuns() && !list.none() && list.has(string(automaton.RFC9309.TargetPath(s, target)), b.host) {
			return true
		}
	}
	return false
}

// Delay returns the Crawl-delay that a copy asks of the crawler in the first of its readings. ok is
// false if the copy has none, or is a hop.
func (b *Binding) Delay(n int32) (d time.Duration, ok bool) {
	m := b.rulesOf(n)
	if m.hop != nil {
		return 0, false
	}
	m.delay.Do(func() {
		robots := b.history.copies[n].body.robots(b.subject.Readings[0])
		m.delay.length, m.delay.stated = b.subject.Agent(robots).CrawlDelay()
	})
	return m.delay.length, m.delay.stated
}
