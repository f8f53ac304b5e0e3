package compile

import (
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
)

// Agent is a crawler as one robots.txt binds it: its groups, or those for *, in the dialect in which the
// file was read. Robots.Agent returns it. Any number of goroutines may use it. The zero Agent is bound by
// nothing.
type Agent struct {
	robots  *Robots
	machine *automaton.Machine
	name    string // as the groups name it; empty if they are those for *
	named   bool
}

// Parse reads the first DefaultMaxBytes of a body by RFC 9309. Compile takes Options.
func Parse(body []byte) *Robots { return Compile(body, Options{}) }

// Agent returns a crawler as the file binds it: by the groups that name it, or, if none does, by those for *,
// which are also the ones of the name "*". The name is as Ruleset.Named takes it: by RFC 9309 a product token
// such as GPTBot, or a string that begins with it, such as GPTBot/1.2.
func (r *Robots) Agent(name string) Agent {
	if m, named := r.Ruleset.Named(octetsOf(name)); named {
		return Agent{r, m, name, true}
	}
	return Agent{robots: r, machine: r.Ruleset.Wildcard()}
}

// Named reports whether the file has a group that names the crawler.
func (a Agent) Named() bool { return a.named }

// Allows reports whether the crawler may fetch a URL, which may also be the path of one: see Allowed.
func (a Agent) Allows(url string) bool { return a.Match(url).Allowed() }

// matchers are the scratches of calls of Match that have ended.
var matchers = sync.Pool{New: func() any { return new(automaton.Scratch) }}

// Match returns the verdict on a URL with the line that decided: 0 if none did, and if robots.txt could not be
// reached. It allocates nothing.
func (a Agent) Match(url string) automaton.Verdict {
	s := matchers.Get().(*automaton.Scratch)
	defer matchers.Put(s)
	return a.MatchWith(s, octetsOf(url))
}

// MatchWith is Match for many URLs in a loop: with a Scratch of the caller's, which one goroutine uses.
func (a Agent) MatchWith(s *automaton.Scratch, url []byte) automaton.Verdict {
	return a.machine.Match(s, a.machine.Dialect().Path(s, url))
}

// Groups returns the groups that bind the crawler, as indexes in Robots.Groups in file order.
func (a Agent) Groups() []int {
	if a.robots == nil {
		return nil
	}
	return a.robots.GroupsOf(a.machine)
}
