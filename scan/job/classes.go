package job

import (
	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile/prove"
	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/filter"
)

// AgentClass is how much of an origin a version of its robots.txt forbids an agent, /robots.txt aside.
type AgentClass struct {
	Agent string
	// Class is that of prove.Classify: full, partial, none or undecided; or unreachable, if robots.txt
	// failed and no answer before it did not, or unknown, if the archive does not have the
	// robots.txt to which it was redirected.
	Class string
	// Forbidden and Allowed are a shortest path of each sort, "" if there is none or none is known.
	Forbidden, Allowed string
	// Named says that a group names the agent.
	Named bool
	// AllSomeNone and Probed are the classes by two studies (prove.AllSomeNone, prove.Probed); ""
	// without a file to judge.
	AllSomeNone, Probed string
}

// classSize is about how many bytes are remembered of an agent and a ruleset.
const classSize = 256

// classes remembers the classes of rulesets, of which many origins may have the same.
type classes struct {
	// known has the classes of the agents by the numbers of rulesets; nil for an agent of another
	// dialect.
	known   map[uint32][]*AgentClass
	n, room int64 // how many classes are known, and how many may be
}

// stand sets which version judges for each agent while the version i is in force: the last one that
// did not fail or, if all did, the first.
func (l *lister) stand(standing []int, versions []archive.Version, i int) {
	for j := range standing {
		if answer.Of(int(versions[i].Status), l.agents[j].class) != answer.Failed {
			standing[j] = i
		}
	}
}

// classOf returns the class of an agent on an origin at an instant, by the version from another
// instant.
func (l *lister) classOf(i int, key []byte, version, at int64) (c AgentClass, err error) {
	agent := &l.agents[i]
	e, _, err := l.archive.LookupAt(key, agent.dialect, version)
	if err != nil {
		return c, err
	}
	valid := filter.Always
	meaning, err := l.meaning(&e, agent, filter.Query{At: at}, &valid)
	switch {
	case err != nil:
		return c, err
	case meaning == answer.File:
		c = *l.classified(&e)[i]
		_, token := agent.Bound(e.Ruleset)
		c.Named = token != ""
	case meaning == answer.None:
		c = restriction(nil)
	case meaning == answer.Failed:
		c.Class = "unreachable"
	default: // a redirect
		c.Class = "unknown"
	}
	c.Agent = agent.name
	return c, nil
}

// classified returns the classes of a ruleset for each agent that reads by its dialect.
func (l *lister) classified(e *archive.Entry) []*AgentClass {
	if list := l.known[e.Number]; list != nil {
		return list
	}
	agents := int64(len(l.agents))
	if l.n += agents; l.known == nil || l.n > l.room {
		l.known, l.n = map[uint32][]*AgentClass{}, agents
	}
	list, of := make([]*AgentClass, len(l.agents)), map[*automaton.Machine]*AgentClass{}
	probes := prove.Probes(e.Ruleset)
	for i := range list {
		if e.Ruleset != nil && l.agents[i].dialect != e.Ruleset.Dialect() {
			continue
		}
		m := l.agents[i].Machine(e.Ruleset)
		if of[m] == nil {
			c := restriction(m)
			c.AllSomeNone, c.Probed = prove.AllSomeNone(m), prove.Probed(m, probes)
			of[m] = &c
		}
		list[i] = of[m]
	}
	l.known[e.Number] = list
	return list
}

// restriction returns the class of a machine, without those of the studies.
func restriction(m *automaton.Machine) AgentClass {
	r := prove.Classify(m)
	return AgentClass{Class: r.Class.String(), Forbidden: r.Forbidden.Path, Allowed: r.Allowed.Path}
}
