// Package tabletest checks tables of package table, for tests only: package compile makes
// all tables there are, and archives store rules.
package tabletest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/table"
)

// The check of a table, in one line: each rule is looked for in it where a path
// would find the rule. Two things complicate it.
//
// First, that search must itself be safe, so that the structure comes before the
// meaning: all numbers are of something, and what is reached is reached in one
// way only, from what lies before it. Then a match neither reads past an end nor
// goes round in a circle, and a place in the table stands for one text.
//
// Second, a table says too much if it has rules where they do not belong. So the
// places with a rule are counted, and the rules that were found in theirs: every
// rule has but one place, so that if the counts are equal, no place is wrong.

// Errors that several checks return, wrapped with the number of the wrong part.
var (
	errUnreached  = errors.New("nothing leads here")
	errLengths    = errors.New("lengths are not those of the edges")
	errSize       = errors.New("size of a hash table is not a power of two")
	errEmpty      = errors.New("empty place leads somewhere")
	errSlots      = errors.New("slot bits are not those of the edges")
	errEdgeState  = errors.New("edge of no state")
	errCandidates = errors.New("ranges of rules to try do not follow one another in order")
	errNoRule     = errors.New("no such rule")
	errMissing    = errors.New("the table does not have this rule where a path would find it")
)

// checker is the state of the check of one table.
type checker struct {
	*table.Table
	rules []rule

	states   []checkedState
	reached  []bool           // of each point, whether an edge or another point leads to it
	anchored []bool           // of each anchor, whether a point has it
	octets   map[octet]uint32 // the anchors of one octet

	places, found int // with rules; and those in which their rule was found
}

type checkedState struct {
	depth   uint32 // 0 if nothing leads here
	lengths uint8  // of the edges
}

// rule is a rule, and what lies before its first gap.
type rule struct {
	*automaton.Rule
	prefix uint32
	gaps   bool
}

// Check returns an error unless a table answers for ranked rules as they would one by one.
func Check(t *table.Table, rules []automaton.Rule) error {
	c := checker{Table: t}
	for i := range rules {
		prefix, _, gaps := rules[i].Cut()
		c.rules = append(c.rules, rule{&rules[i], uint32(len(prefix)), gaps})
	}
	for _, check := range []func() error{c.shape, c.points, c.prefixes} {
		if err := check(); err != nil {
			return err
		}
	}
	if t.Gaps != nil {
		if err := (&gapsChecker{checker: &c, Gaps: t.Gaps}).check(); err != nil {
			return fmt.Errorf("gaps: %w", err)
		}
	}
	if t.Segments != nil {
		if err := (&segmentsChecker{checker: &c, Segments: t.Segments}).check(); err != nil {
			return fmt.Errorf("segments: %w", err)
		}
	}
	return c.meaning()
}

// Bytes returns how much memory a table takes, in bytes, its rules and its parts of a
// constant size not counted. A nil table takes none.
func Bytes(t *table.Table) int {
	if t == nil {
		return 0
	}
	return bytesOf(reflect.ValueOf(t).Elem())
}

func bytesOf(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return bytesOf(v.Elem())
		}
	case reflect.Slice:
		return v.Len() * int(v.Type().Elem().Size())
	case reflect.Array:
		return int(v.Type().Size())
	case reflect.Struct:
		for i := range v.NumField() {
			n += bytesOf(v.Field(i))
		}
	}
	return n
}

// shape checks that the table has the parts which the other checks need.
func (c *checker) shape() error {
	if len(c.States) < 2 || c.States[0].Lengths != 0 {
		return errors.New("state 0 is not dead, or state 1 is missing")
	}
	if n := len(c.Edges); n == 0 || n&(n-1) != 0 {
		return fmt.Errorf("edges: %w", errSize)
	}
	if len(c.Points) == 0 || c.Points[0].Len != 1 || c.Points[0].Next > 1 {
		return errors.New("point 0 is not the slash at the start of a path")
	}
	c.states = make([]checkedState, len(c.States))
	c.states[1].depth = 1
	c.reached = make([]bool, len(c.Points))
	switch {
	case c.Gaps != nil && c.Segments != nil:
		return errors.New("segments are to be found in two ways")
	case c.Gaps != nil:
		c.anchored = make([]bool, len(c.Gaps.Anchors))
	case c.Segments != nil:
		c.anchored = make([]bool, len(c.Segments.Anchors))
		for i := range min(len(c.anchored), table.EveryPathSlash+1) {
			c.anchored[i] = true // on every path
		}
	}
	if !c.has(c.Base) {
		return fmt.Errorf("base: %w", errNoRule)
	}
	return nil
}

// has counts a place with a rule, or table.None, and tells whether there is such a rule.
func (c *checker) has(rule uint32) bool {
	if rule == table.None {
		return true
	}
	c.places++
	return uint64(rule) < uint64(len(c.rules))
}

// points checks points one by one, and that each state is behind one of them.
func (c *checker) points() error {
	tried := uint32(0)
	for i := range c.Points {
		p := &c.Points[i]
		if !c.has(p.Accept) || !c.has(p.End) {
			return fmt.Errorf("point %d: %w", i, errNoRule)
		}
		if p.Candidates != tried || !c.candidates(p) {
			return fmt.Errorf("point %d: %w", i, errCandidates)
		}
		tried = p.CandidatesEnd
		if p.Anchor != 0 && !once(c.anchored, p.Anchor) {
			return fmt.Errorf("point %d: anchor is none, or that of another point", i)
		}
		if p.B != 0 && !(once(c.reached, p.B) && c.Points[p.B].B == 0 && c.Points[p.B].Next == 0) {
			return fmt.Errorf("point %d: point for form B is none, or that of another point", i)
		}
		if i > 0 && p.Next != 0 {
			if uint64(p.Next) >= uint64(len(c.states)) || c.states[p.Next].depth != 0 {
				return fmt.Errorf("point %d: point goes on in no state, or in one of another point", i)
			}
			c.states[p.Next].depth = p.Len
		}
	}
	if int(tried) != len(c.Candidates) {
		return errCandidates
	}
	for i, s := range c.states[2:] {
		if s.depth == 0 {
			return fmt.Errorf("state %d: %w", i+2, errUnreached)
		}
	}
	return nil
}

// once marks a number that is not 0, and tells whether it exists and was not marked.
func once(marks []bool, i uint32) bool {
	if uint64(i) >= uint64(len(marks)) || marks[i] {
		return false
	}
	marks[i] = true
	return true
}

// candidates checks the rules that are tried at a point: in order, so that they can be
// searched.
func (c *checker) candidates(p *table.Point) bool {
	if p.CandidatesEnd < p.Candidates || uint64(p.CandidatesEnd) > uint64(len(c.Candidates)) {
		return false
	}
	for i := p.Candidates; i < p.CandidatesEnd; i++ {
		rule := c.Candidates[i]
		if rule == table.None || !c.has(rule) || i > p.Candidates && rule <= c.Candidates[i-1] {
			return false
		}
	}
	return true
}

// prefixes checks the edges one by one, and that the rest agrees with them.
func (c *checker) prefixes() error {
	first := table.Filter{}
	err := eachEdge(&c.Trie, func(e *table.Edge) error {
		if e.Key>>3 == 1 {
			table.AddEdge(first[:], e)
		}
		return c.edge(e)
	})
	if err != nil {
		return err
	}
	for i, s := range c.states {
		if c.States[i].Lengths != s.lengths {
			return fmt.Errorf("state %d: %w", i, errLengths)
		}
	}
	table.AddShorter(first[:], c.states[1].lengths)
	if first != c.First {
		return errors.New("filter of the first state is not that of its edges")
	}
	for i, reached := range c.reached[1:] {
		if !reached {
			return fmt.Errorf("point %d: %w", i+1, errUnreached)
		}
	}
	return nil
}

// eachEdge calls a function for each edge, in the order of the hash table, and checks that
// a search finds it.
func eachEdge(t *table.Trie, check func(*table.Edge) error) error {
	if len(t.Slots) != len(t.Edges) {
		return errSlots
	}
	empty := slices.IndexFunc(t.Edges, func(e table.Edge) bool { return e.Key == 0 })
	if empty < 0 {
		return errors.New("edges: hash table without an empty place")
	}
	if t.Edges[empty].To != table.None {
		return fmt.Errorf("edge %d: %w", empty, errEmpty)
	}
	slots := make([]uint8, len(t.Edges))
	mask := len(t.Edges) - 1
	filled := uint64(0) // places in a row up to this one: a search that begins in one of them comes by
	for n := 1; n <= mask; n++ {
		i := (empty + n) & mask
		e := &t.Edges[i]
		if e.Key == 0 {
			if e.To != table.None {
				return fmt.Errorf("edge %d: %w", i, errEmpty)
			}
			filled = 0
			continue
		}
		filled++
		hash := table.Hash(e.Word, e.Key, t.Seed)
		if distance := (uint64(i) - hash) & uint64(mask); distance >= min(filled, table.MaxProbes) {
			return fmt.Errorf("edge %d: search does not find this, or takes long", i)
		}
		slots[hash&uint64(mask)] |= table.SlotBit(hash)
		if e.Word&^table.WordMask[e.Key&7+1] != 0 {
			return fmt.Errorf("edge %d: octets beyond the length of an edge", i)
		}
		if err := check(e); err != nil {
			return fmt.Errorf("edge %d: %w", i, err)
		}
	}
	if !bytes.Equal(slots, t.Slots) {
		return errSlots
	}
	return nil
}

func (c *checker) edge(e *table.Edge) error {
	state, n := e.Key>>3, e.Key&7+1
	if state == 0 || uint64(state) >= uint64(len(c.states)) {
		return errEdgeState
	}
	c.states[state].lengths |= 1 << (n - 1)
	if e.To&table.IsPoint == 0 {
		rule := e.To &^ table.IsWhole
		if !c.has(rule) {
			return errNoRule
		}
		if whole := c.states[state].depth+n >= c.rules[rule].prefix && c.rules[rule].isWhole(); whole != (e.To&table.IsWhole != 0) {
			return errors.New("a rule that matches whatever follows is not marked so, or another is")
		}
		return nil
	}
	to := e.To &^ table.IsPoint
	if to == 0 || !once(c.reached, to) {
		return errors.New("edge to no point, or to one that is reached otherwise")
	}
	p, seen := &c.Points[to], uint64(c.states[state].depth)+uint64(n)
	if uint64(p.Len) < seen || n < table.EdgeOctets && (uint64(p.Len) > seen || p.Next != 0) {
		return errors.New("edge to a point that does not lie behind it")
	}
	if uint64(p.Len) > seen && (uint64(p.From) >= uint64(len(c.rules)) || p.Len > c.rules[p.From].prefix) {
		return errors.New("the rule that says what lies before a point is too short")
	}
	return nil
}

// meaning looks for each rule, once the structure is known to be right.
func (c *checker) meaning() error {
	for i := range c.rules {
		r := &c.rules[i]
		if r.prefix > 0 && r.Pattern[0] != '/' || r.isEmptyPath() {
			continue
		}
		if err := c.rule(uint32(i), r); err != nil {
			return fmt.Errorf("rule %d: %w", i, err)
		}
	}
	if c.found != c.places {
		return errors.New("rules stand where no path that they match finds them")
	}
	return nil
}

// isWhole tells whether the rule matches whatever follows its prefix, on every form of a
// path that is compared with more than rules in form B.
func (r *rule) isWhole() bool { return !r.gaps && !r.Anchored && r.Form != automaton.FormB }

// isEmptyPath tells whether the rule matches no path but the empty one, which
// does not begin with a slash.
func (r *rule) isEmptyPath() bool { return r.Pattern == "" && r.Anchored }

// rule checks that where a path would find a rule there is that rule, or one which
// outranks it and matches the same paths.
func (c *checker) rule(id uint32, r *rule) error {
	if r.prefix <= 1 && r.Form != automaton.FormB && !r.gaps && !r.Anchored {
		if c.Base == id {
			c.found++
		} else if c.Base > id {
			return errMissing
		}
		return nil
	}
	at, err := c.place(id, r)
	switch {
	case err != nil:
		return err
	case at == id:
		c.found++
	case at > id || !c.rules[at].matchesAs(r):
		return errMissing
	}
	return nil
}

// matchesAs tells whether two rules are the same in everything but their verdict.
func (r *rule) matchesAs(o *rule) bool {
	return r.Anchored == o.Anchored && (r.Form == automaton.FormB) == (o.Form == automaton.FormB) && r.text() == o.text()
}

// text is the pattern, without the slash before a gap where it means nothing.
func (r *rule) text() string {
	if r.isEveryPath() {
		return r.Pattern[r.prefix:]
	}
	return r.Pattern
}

// isEveryPath tells whether the rule has nothing before its first gap, or, which is the same,
// the slash: no segment can begin with that of the path unless it begins with one.
func (r *rule) isEveryPath() bool {
	return r.gaps && r.Form != automaton.FormB && (r.prefix == 0 || r.prefix == 1 && r.Pattern[0] == '/') && r.Pattern[r.prefix+1] != '/'
}

// place returns the rule in the place of one that does not match every path, table.None
// if there is none.
func (c *checker) place(id uint32, r *rule) (uint32, error) {
	if r.gaps && r.prefix <= 1 && r.Form != automaton.FormB {
		return c.behindGap(r, 0)
	}
	p, rule := c.point(r)
	if p == nil {
		return rule, nil
	}
	if r.Form == automaton.FormB {
		if p.B == 0 {
			return table.None, nil
		}
		p = &c.Points[p.B]
	}
	switch {
	case !r.gaps && r.Anchored:
		return p.End, nil
	case !r.gaps:
		return p.Accept, nil
	}
	tries := c.Candidates[p.Candidates:p.CandidatesEnd]
	i, tried := slices.BinarySearch(tries, id)
	switch {
	case tried:
		return id, nil
	case i > 0 && c.rules[tries[i-1]].matchesAs(r):
		return tries[i-1], nil
	case p.Anchor != 0:
		return c.behindGap(r, p.Anchor)
	}
	return table.None, nil
}

// point returns the point at which the octets before a rule's first gap end, or,
// where an edge leads to a rule instead, that rule; table.None where nothing does.
func (c *checker) point(r *rule) (*table.Point, uint32) {
	p := &c.Points[0]
	for p.Len < r.prefix {
		if p.Next == 0 {
			return nil, table.None
		}
		n := min(r.prefix-p.Len, table.EdgeOctets)
		to := c.Trie.Edge(table.FirstOctets([]byte(r.Pattern[p.Len:p.Len+n])), p.Next<<3|(n-1))
		if to == table.None {
			return nil, table.None
		}
		if to&table.IsPoint == 0 {
			return nil, to &^ table.IsWhole
		}
		seen := p.Len + n
		p = &c.Points[to&^table.IsPoint]
		if p.Len > r.prefix || p.Len > seen && r.Pattern[seen:p.Len] != c.rules[p.From].Pattern[seen:p.Len] {
			return nil, table.None
		}
	}
	if p.Len != r.prefix {
		return nil, table.None
	}
	return p, table.None
}
