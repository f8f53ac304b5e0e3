package automaton

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Ruleset is one robots.txt in one dialect: it maps crawlers to machines. It is immutable and safe
// for concurrent use, even if it makes machines on demand (NewRuleset). The nil Ruleset has no
// groups and allows everything.
type Ruleset struct {
	dialect  Dialect
	agents   []TokenMachine // sorted by token; in file order for the dialect original
	wildcard *Machine
	// tokens is the union of all agents' tokenBits. Most crawlers are not named, and the agents and
	// tokens of a random origin are not cached.
	tokens uint64
	// source is set by NewRuleset, and once guards the call of its Bind.
	source Source
	once   sync.Once
}

// Source makes the parts of a ruleset when they are first needed. Its methods are never called
// concurrently.
type Source interface {
	// Bind returns the product tokens of the ruleset, each with the number of its machine, and the
	// number of the machine for *, or -1 without one. Machines are numbered from 0 to count-1. Bind is
	// called at most once.
	Bind() (tokens []TokenNumber, wildcard, count int)
	// Build returns a machine in the ruleset's dialect. It is called at most once for each number.
	Build(number int) *Machine
}

// TokenNumber is a lowercase product token and the number of its machine in a Source.
type TokenNumber struct {
	Token  string
	Number int
}

// NewRuleset returns a ruleset that calls source.Bind on first use, and source.Build when a machine
// is first needed. It panics on first use if the tokens break the requirements of Builder.Ruleset.
func NewRuleset(d Dialect, source Source) *Ruleset { return &Ruleset{dialect: d, source: source} }

func (r *Ruleset) bound() *Ruleset {
	if r != nil && r.source != nil {
		r.once.Do(r.bind)
	}
	return r
}

// bind takes the agents from the source.
func (r *Ruleset) bind() {
	tokens, star, count := r.source.Bind()
	machines := laterMachines(r.dialect, r.source, count)
	agents := make([]TokenMachine, len(tokens))
	for i, t := range tokens {
		agents[i] = TokenMachine{Token: t.Token, Machine: &machines[t.Number]}
	}
	var wildcard *Machine
	if star >= 0 {
		wildcard = &machines[star]
	}
	if err := r.set(agents, wildcard); err != nil {
		panic(err)
	}
}

// set sets the agents of an empty ruleset.
func (r *Ruleset) set(agents []TokenMachine, wildcard *Machine) error {
	if wildcard != nil && wildcard.dialect != r.dialect {
		return fmt.Errorf("automaton: wildcard: %w", errDialect)
	}
	r.agents, r.wildcard = agents, wildcard
	if r.dialect.row().crawlers != namedWithin {
		slices.SortFunc(agents, func(a, b TokenMachine) int { return strings.Compare(a.Token, b.Token) })
	}
	for i := range agents {
		if err := r.check(i); err != nil {
			return fmt.Errorf("automaton: agent %q: %w", agents[i].Token, err)
		}
		r.tokens |= tokenBit(agents[i].Token)
	}
	return nil
}

// Forbidding returns the ruleset for a robots.txt that cannot be reached. According to RFC 9309 it
// forbids everything but /robots.txt. Its verdicts have no line, as there is no file.
func Forbidding() *Ruleset {
	all := Rule{Rank: 1, Pattern: "/", Verdict: Verdict{Disallowed: true}, Form: RFC9309.row().form}
	m := &Machine{dialect: RFC9309, form: all.Form, exemptsItself: RFC9309.row().exemptsItself}
	all.prefix = uint32(len(all.Pattern))
	m.rules, m.list = []Rule{all}, make(list, 1)
	m.list[0].set(&all)
	return &Ruleset{dialect: RFC9309, wildcard: m}
}

// TokenMachine is a product token and the machine for crawlers with that token.
type TokenMachine struct {
	// Token is the product token in lower case.
	Token string
	// Machine holds the rules of all groups that name the token.
	Machine *Machine
}

var errDialect = errors.New("machine of another dialect")

// check checks an agent whose predecessors are valid.
func (r *Ruleset) check(i int) error {
	a := &r.agents[i]
	switch {
	case a.Machine == nil:
		return errors.New("no machine")
	case a.Machine.dialect != r.dialect:
		return errDialect
	// original would find it in every name, rfc9309 in none
	case a.Token == "" && r.dialect.row().crawlers != namedWhole:
		return errors.New("no product token")
	case r.dialect.row().crawlers != namedWithin && i > 0 && r.agents[i-1].Token == a.Token:
		return errors.New("product token twice")
	}
	for i := range len(a.Token) {
		if lower(a.Token[i]) != a.Token[i] {
			return errors.New("product token is not in lower case")
		}
	}
	return nil
}

// Dialect returns the dialect in which robots.txt was read; for the nil Ruleset it is RFC9309.
func (r *Ruleset) Dialect() Dialect {
	if r == nil {
		return RFC9309
	}
	return r.dialect
}

// Named returns the machine of the groups that name the crawler, and whether such a group exists. A
// group without rules counts, and allows everything.
//
// name is the crawler's own name in any ASCII case. In dialect Google it must be the bare product
// token, since it is compared as a whole: "Googlebot/2.1" finds no group. In RFC9309 it is first
// cut to its product token (CutToken). In Original it is searched for the tokens of robots.txt.
// Named does not allocate.
func (r *Ruleset) Named(name []byte) (*Machine, bool) {
	r = r.bound()
	if r == nil {
		return nil, false
	}
	crawlers := r.dialect.row().crawlers
	if crawlers == namedWithin {
		for i := range r.agents {
			if containsFold(name, r.agents[i].Token) {
				return r.agents[i].Machine.built(), true
			}
		}
		return nil, false
	}
	if crawlers == namedCut {
		name = CutToken(name)
		if len(name) == 0 {
			return nil, false
		}
	}
	if r.tokens&tokenBit(name) == 0 {
		return nil, false
	}
	i, ok := slices.BinarySearchFunc(r.agents, name, func(a TokenMachine, name []byte) int {
		return -compareFold(name, a.Token)
	})
	if !ok {
		return nil, false
	}
	return r.agents[i].Machine.built(), true
}

// Agents returns the agents in lookup order: sorted by token, or in file order for dialect
// Original. The caller must not modify the slice.
func (r *Ruleset) Agents() []TokenMachine {
	r = r.bound()
	if r == nil {
		return nil
	}
	for i := range r.agents {
		r.agents[i].Machine.built()
	}
	return r.agents
}

// Number returns the number of a machine in the ruleset's Source, and whether it has one.
func (r *Ruleset) Number(m *Machine) (number int, ok bool) {
	r = r.bound()
	if r == nil || r.source == nil || m == nil {
		return 0, false
	}
	ok = m == r.wildcard || slices.ContainsFunc(r.agents, func(a TokenMachine) bool { return a.Machine == m })
	return int(m.number), ok
}

// Wildcard returns the machine of the groups for *, or nil if there are none.
func (r *Ruleset) Wildcard() *Machine {
	r = r.bound()
	if r == nil {
		return nil
	}
	return r.wildcard.built()
}

// Machine returns the machine of the groups that name the crawler. Without such a group it is the
// machine for *, or nil.
func (r *Ruleset) Machine(name []byte) *Machine {
	if m, ok := r.Named(name); ok {
		return m
	}
	return r.Wildcard()
}

// Match returns the verdict on one URL for a crawler. It calls Machine, Dialect.Path and
// Machine.Match; for many queries about one crawler, keep its Machine.
func (r *Ruleset) Match(s *Scratch, name, url []byte) Verdict {
	return r.Machine(name).Match(s, r.Dialect().Path(s, url))
}

// tokenBit hashes a token or name, ignoring case, to one of 64 bits by its length and its first and
// last byte.
func tokenBit[text string | []byte](name text) uint64 {
	const odd, bits = 0x9E3779B1, 6
	n := len(name)
	if n == 0 {
		return 1
	}
	x := uint32(n)<<16 | uint32(lower(name[0]))<<8 | uint32(lower(name[n-1]))
	return 1 << (x * odd >> (32 - bits))
}

// compareFold compares name, ignoring case, with a lowercase token.
func compareFold(name []byte, token string) int {
	for i := 0; i < len(name) && i < len(token); i++ {
		if c := lower(name[i]); c != token[i] {
			return int(c) - int(token[i])
		}
	}
	return len(name) - len(token)
}

// containsFold reports whether name, ignoring case, contains a lowercase token.
func containsFold(name []byte, token string) bool {
	for ; len(name) >= len(token); name = name[1:] {
		if compareFold(name[:len(token)], token) == 0 {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}
