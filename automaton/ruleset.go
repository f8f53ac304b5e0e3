package automaton

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Ruleset is one robots.txt in one dialect: which machine is for which crawler. It is
// immutable and safe for any number of goroutines, also where it makes a machine when it is
// first asked for it (NewRuleset). The nil Ruleset has no groups and allows everything.
type Ruleset struct {
	dialect  Dialect
	agents   []TokenMachine // sorted by token; in file order for the dialect original
	wildcard *Machine
	// tokens has the tokenBit of each agent. Most crawlers are not named, and the agents
	// and tokens of a random origin are in no cache.
	tokens uint64
	// source has the agents and machines of a ruleset that NewRuleset has made, and once says that the agents
	// are set.
	source Source
	once   sync.Once
}

// Source makes the parts of a ruleset when they are first needed. Neither method is called by two goroutines
// at a time.
type Source interface {
	// Bind returns the product tokens of the ruleset, each with the number of its machine, and the number of
	// the machine for *, -1 if there is none. Machines are numbered from 0 to one less than count. Bind is
	// called once at most.
	Bind() (tokens []TokenNumber, wildcard, count int)
	// Build returns a machine of the ruleset's dialect. It is called once at most for each number.
	Build(number int) *Machine
}

// TokenNumber is a product token in lower case and the number of its machine in a Source.
type TokenNumber struct {
	Token  string
	Number int
}

// NewRuleset returns a ruleset of a dialect that takes its agents from source when it is first asked, and each
// machine when a crawler is first asked for that has it. It then panics if the tokens are not as
// Builder.Ruleset demands.
func NewRuleset(d Dialect, source Source) *Ruleset { return &Ruleset{dialect: d, source: source} }

// bound returns the ruleset after its agents have been set.
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

// Forbidding returns the ruleset that stands for a robots.txt that cannot be reached. By RFC 9309 it
// forbids everything but /robots.txt, and since there is no file, its verdicts have no line.
func Forbidding() *Ruleset {
	all := Rule{Rank: 1, Pattern: "/", Verdict: Verdict{Disallowed: true}, Form: RFC9309.row().form}
	m := &Machine{dialect: RFC9309, form: all.Form, exemptsItself: RFC9309.row().exemptsItself}
	all.prefix = uint32(len(all.Pattern))
	m.rules, m.list = []Rule{all}, make(list, 1)
	m.list[0].set(&all)
	return &Ruleset{dialect: RFC9309, wildcard: m}
}

// TokenMachine is a product token and the machine for the crawlers that have it.
type TokenMachine struct {
	// Token is the product token in lower case.
	Token string
	// Machine holds the rules of all groups that name the token.
	Machine *Machine
}

var errDialect = errors.New("machine of another dialect")

// check checks an agent. Those before it have been checked.
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

// Dialect returns the dialect in which robots.txt was read, RFC9309 for the nil Ruleset.
func (r *Ruleset) Dialect() Dialect {
	if r == nil {
		return RFC9309
	}
	return r.dialect
}

// Named returns the machine of the groups that name the crawler, and whether there is such a
// group. A group without rules counts, and allows everything.
//
// The name is the crawler's own string. For google it must be the bare product
// token: it is compared whole, so "Googlebot/2.1" finds no group. For rfc9309 it
// is cut to its product token first (CutToken). For original it is searched for
// the tokens of robots.txt. ASCII case never matters. It does not allocate.
func (r *Ruleset) Named(name []byte) (*Machine, bool) {
	if r = r.bound(); r == nil {
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
		if name = CutToken(name); len(name) == 0 {
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

// Agents returns the agents of the ruleset in the order in which names are looked up: sorted
// by token, in file order for the dialect original. The slice is the ruleset's own and is
// not to be changed.
func (r *Ruleset) Agents() []TokenMachine {
	if r = r.bound(); r == nil {
		return nil
	}
	for i := range r.agents {
		r.agents[i].Machine.built()
	}
	return r.agents
}

// Number returns the number that a machine of the ruleset has in its Source, and whether it has one.
func (r *Ruleset) Number(m *Machine) (number int, ok bool) {
	if r = r.bound(); r == nil || r.source == nil || m == nil {
		return 0, false
	}
	ok = m == r.wildcard || slices.ContainsFunc(r.agents, func(a TokenMachine) bool { return a.Machine == m })
	return int(m.number), ok
}

// Wildcard returns the machine of the groups for *, nil if there is none.
func (r *Ruleset) Wildcard() *Machine {
	if r = r.bound(); r == nil {
		return nil
	}
	return r.wildcard.built()
}

// Machine returns the machine of the groups that name the crawler, else the machine of the
// groups for *, else nil.
func (r *Ruleset) Machine(name []byte) *Machine {
	if m, ok := r.Named(name); ok {
		return m
	}
	return r.Wildcard()
}

// Match returns the verdict on one URL for a crawler: it calls Machine, Dialect.Path and
// Machine.Match. For repeated queries about one crawler, keep its Machine.
func (r *Ruleset) Match(s *Scratch, name, url []byte) Verdict {
	return r.Machine(name).Match(s, r.Dialect().Path(s, url))
}

// tokenBit returns one of 64 bits for a token or a name in any case, which depends on its
// length and its first and last byte.
func tokenBit[text string | []byte](name text) uint64 {
	const odd, bits = 0x9E3779B1, 6
	n := len(name)
	if n == 0 {
		return 1
	}
	x := uint32(n)<<16 | uint32(lower(name[0]))<<8 | uint32(lower(name[n-1]))
	return 1 << (x * odd >> (32 - bits))
}

// compareFold orders name, in any case, against a token in lower case.
func compareFold(name []byte, token string) int {
	for i := 0; i < len(name) && i < len(token); i++ {
		if c := lower(name[i]); c != token[i] {
			return int(c) - int(token[i])
		}
	}
	return len(name) - len(token)
}

// containsFold reports whether token, in lower case, is part of name in any case.
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
