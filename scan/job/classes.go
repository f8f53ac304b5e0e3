package job

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile/prove"
	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/report"
)

// ClassOptions say what Classes lists.
type ClassOptions struct {
	Archive string
	Agents  []Agent
	AsOf    string // only versions in force at a time, as CheckOptions.AsOf has it; "" is all
	// Memory is how many bytes rules, and what is known of them, may take; 0 is DefaultMemory.
	Memory   int64
	Messages Messages
}

// Classes calls each for every version of each origin of an archive and each agent, in the order of
// ListArchive. An error of each ends the list. Errors are of type *Error.
func Classes(ctx context.Context, o ClassOptions, each func(*report.SiteClass) error) error {
	agents, err := different(o.Agents, o.Messages)
	if err != nil {
		return err
	}
	at, err := asOf(o.AsOf, time.Now())
	if err != nil {
		return err
	}
	rules, err := openRules(ctx, o.Archive, agents...)
	if err != nil {
		return err
	}
	for _, agent := range agents {
		agent.warnOfOthers(nil, o.Messages)
	}
	rules.most = max(cmp.Or(o.Memory, DefaultMemory)/4*3, leastRules)
	c := classifier{
		archived: rules, all: o.AsOf == "", at: at, each: each, known: map[*automaton.Machine]report.SiteClass{},
	}
	err = listed(ctx, o.Archive, rules.mapped.Use(c.run))
	return cmp.Or(err, rules.mapped.Close())
}

// classifier lists classes.
type classifier struct {
	*archived
	all   bool  // versions; else those in force at an instant
	at    int64 // the instant
	each  func(*report.SiteClass) error
	known map[*automaton.Machine]report.SiteClass // of the rulesets that are decoded, which many origins may have
}

func (c *classifier) run() error {
	for o, err := range c.archive.Origins() {
		if err = cmp.Or(err, c.ctx.Err()); err == nil {
			err = c.origin(o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// origin lists the classes of an origin. For an agent, the last version that did not fail judges or,
// if all did, the first.
func (c *classifier) origin(o archive.Origin) error {
	standing := make([]int64, len(c.agents)) // from when on the version that judges is in force
	for i, v := range o.Versions {
		until := int64(math.MaxInt64)
		if i+1 < len(o.Versions) {
			until = o.Versions[i+1].From
		}
		if c.archive.Limit(c.most) {
			clear(c.known)
		}
		for j := range standing {
			if i == 0 || answer.Of(int(v.Status), c.agents[j].class) != answer.Failed {
				standing[j] = v.From
			}
			if !c.all && (c.at < v.From || until <= c.at) {
				continue
			}
			class, err := c.classOf(&c.agents[j], o.Key, standing[j], v.From)
			if err = cmp.Or(err, c.ctx.Err()); err == nil {
				class.Origin, class.From, class.Until, class.Status = string(o.Key), v.From, until, int(v.Status)
				err = c.each(&class)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// classOf returns the class of an agent on an origin at an instant, by the version from another one.
func (c *classifier) classOf(agent *subject, key []byte, version, at int64) (class report.SiteClass, err error) {
	e, _, err := c.archive.LookupAt(key, agent.dialect, version)
	if err != nil {
		return class, err
	}
	meaning, err := c.meaning(&e, agent, filter.Query{At: at}, &filter.Span{})
	switch meaning {
	case answer.None:
		class = c.byRules(nil, nil)
		class.AllSomeNone, class.Probed = "", ""
	case answer.File:
		m, token := agent.Bound(e.Ruleset)
		class = c.byRules(m, e.Ruleset)
		class.Named = token != ""
	case answer.Failed:
		class.Class = "unreachable"
	default: // a redirect
		class.Class = "unknown"
	}
	class.Agent = agent.name
	return class, err
}

// byRules returns the class by a machine of a ruleset.
func (c *classifier) byRules(m *automaton.Machine, r *automaton.Ruleset) report.SiteClass {
	class, known := c.known[m]
	if !known {
		p := prove.Classify(m)
		class = report.SiteClass{Class: p.Class.String(), Forbidden: p.Forbidden.Path, Allowed: p.Allowed.Path,
			AllSomeNone: prove.AllSomeNone(m), Probed: prove.Probed(m, r)}
		c.known[m] = class
	}
	return class
}
