package compile

import (
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
)

// Agent is a crawler bound by one robots.txt: by the groups that name it or, without any, by those
// for *. Robots.Agent returns it. It is safe for concurrent use. The zero Agent is not bound by any
// rules.
type Agent struct {
	robots  *Robots
	machine *automaton.Machine
	name    string // as in the groups; empty if they are those for *
	named   bool
}

// Parse compiles the first DefaultMaxBytes of a body according to RFC 9309. Use Compile for other
// options.
func Parse(body []byte) *Robots { return Compile(body, Options{}) }

// Agent returns the crawler with the given name, bound by the groups that name it or, without any,
// by those for *. The name "*" selects the latter. Names are read as in Ruleset.Named: according to
// RFC 9309 a name is a product token such as GPTBot, or begins with one, such as GPTBot/1.2.
func (r *Robots) Agent(name string) Agent {
	// The first question makes the Ruleset ask for the tokens, and each new crawler for its machine: see
	// Bind and Build in machines.go.
	if m, named := r.Ruleset.Named(octetsOf(name)); named {
		return Agent{r, m, name, true}
	}
	return Agent{robots: r, machine: r.Ruleset.Wildcard()}
}

// Named reports whether a group names the crawler.
func (a Agent) Named() bool { return a.named }

// Allows reports whether the crawler may fetch a URL or path; see Allowed.
func (a Agent) Allows(url string) bool { return a.Match(url).Allowed() }

// matchers recycles the scratches of Match.
var matchers = sync.Pool{New: func() any { return new(automaton.Scratch) }}

// Match returns the verdict on a URL and the line that decided, which is 0 if no rule matches or
// robots.txt was unreachable. It does not allocate.
func (a Agent) Match(url string) automaton.Verdict {
	s := matchers.Get().(*automaton.Scratch)
	defer matchers.Put(s)
	return a.MatchWith(s, octetsOf(url))
}

// MatchWith is Match with the caller's Scratch, for many URLs in a loop. A Scratch isn't safe for
// concurrent use.
func (a Agent) MatchWith(s *automaton.Scratch, url []byte) automaton.Verdict {
	return a.machine.Match(s, a.machine.Dialect().Path(s, url))
}

// Groups returns the indexes in Robots.Groups, in file order, of the groups that bind the crawler.
func (a Agent) Groups() []int {
	if a.robots == nil {
		return nil
	}
	return a.robots.GroupsOf(a.machine)
}
