// Package archived puts the rules of captures into an archive, and judges by them: it finds those that bind an agent
// on an origin at an instant, and says how much they forbid.
package archived

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
)

// Rules answer for agents by the rules of an archive. They implement filter.Policy.
type Rules struct {
	Mapped  *disk.Mapped
	Archive *archive.Archive
	Agents  []Agent
	Most    int64 // bytes budgeted for decoded rulesets
	Dated   bool  // versions without a date are unknown: nobody can say when they were in force

	ctx   context.Context // ends Find, since a chunk may need thousands of large rulesets
	epoch *atomic.Uint64  // how often rulesets were freed
	saw   *sawDates
}

// Agent is an agent with its way of reading the status of a robots.txt, whatever the dialect.
type Agent struct {
	explain.Agent
	Class answer.Class
}

// NewAgent returns a claim's crawler as an agent that reads robots.txt in a dialect; nil is its own.
func NewAgent(claim crawler.Claim, dialect *automaton.Dialect) Agent {
	a := Agent{Agent: explain.AgentOf(claim, dialect)}
	if own := explain.AgentOf(claim, nil); own.Dialect == automaton.Google {
		a.Class = answer.Google
	}
	return a
}

// sawDates says whether answers were found in an archive that hold at all times, or for a span only.
type sawDates struct{ always, span atomic.Bool }

// Open maps an archive into memory and opens it for agents. The rules are valid until mapped
// is closed, and may be used only within its Use: the file must not change meanwhile. Compile never
// changes an archive in place, since it replaces files whole.
func Open(ctx context.Context, path string, agents ...Agent) (*Rules, error) {
	mapped, err := disk.Map(path)
	if err != nil {
		return nil, err
	}
	// The archive is opened without tables: building them costs more than matching
	// without them, and most origins don't need them.
	var a *archive.Archive
	err = mapped.Use(func() (err error) {
		a, err = archive.Open(mapped.Data)
		return err
	})
	if errors.Is(err, archive.ErrNotArchive) {
		err = fmt.Errorf("%s: %w; compile makes one, and a robots.txt is for option Robots", path, archive.ErrNotArchive)
	} else if err != nil && !errors.Is(err, disk.ErrChanged) {
		err = fmt.Errorf("%s: %w", path, err)
	} else if err == nil {
		err = Lacking(path, a.Dialects(), agents)
	}
	if err != nil {
		return nil, errors.Join(err, mapped.Close())
	}
	return &Rules{
		ctx: ctx, Mapped: mapped, Archive: a, Agents: agents, Most: math.MaxInt64, epoch: new(atomic.Uint64),
		saw: new(sawDates),
	}, nil
}

// Judge makes a filter judge by the archive.
func (p *Rules) Judge(c *filter.Config) {
	c.Policy, c.Epoch, c.Guard = p, p.epoch.Load, p.Mapped.Use
}

// Lacking returns an error if an archive lacks the dialect of an agent.
func Lacking(path string, held []automaton.Dialect, agents []Agent) error {
	for _, agent := range agents {
		if slices.Contains(held, agent.Dialect) {
			continue
		}
		var names []string
		for _, d := range held {
			names = append(names, d.String())
		}
		return fmt.Errorf("%s holds no rules by the dialect %v, only by %s", path, agent.Dialect,
			strings.Join(names, " and "))
	}
	return nil
}

// SawDates reports whether answers were found that hold at all times, and for a span only.
func (p *Rules) SawDates() (always, span bool) { return p.saw.always.Load(), p.saw.span.Load() }

// Find implements filter.Policy. It follows the rules of package answer and reads statuses as an audit does:
// while robots.txt fails, the last answer that did not fail counts, however old it is (RFC 9309 2.4);
// a redirect through a URL that its own host disallows for the agent counts as no robots.txt, so
// everything is allowed. If any other redirect leads to a file that the archive lacks, the rules are
// unknown.
func (p *Rules) Find(q filter.Query, rules []filter.Rules) (valid filter.Span, found bool, err error) {
	if p.ctx.Err() != nil {
		return valid, false, context.Cause(p.ctx)
	}
	if p.Archive.Limit(p.Most) {
		p.epoch.Add(1) // so that the workers of a filter stop using them
	}
	var buf [128]byte // enough for most keys without allocating
	key := q.Origin.AppendKey(buf[:0])
	valid = filter.Always
	var e archive.Entry
	for i := range p.Agents {
		agent := &p.Agents[i]
		if i == 0 || agent.Dialect != p.Agents[i-1].Dialect || agent.Class != p.Agents[i-1].Class {
			if e, found, err = p.lastAnswer(key, agent, q, &valid); err != nil || !found {
				return valid, false, err
			}
			saw := &p.saw.span
			if e.From == math.MinInt64 && e.Until == math.MaxInt64 {
				saw = &p.saw.always
			}
			if !saw.Load() { // workers share it
				saw.Store(true)
			}
			if p.Dated && e.From == math.MinInt64 {
				return valid, false, nil
			}
		}
		meaning, err := p.meaning(&e, agent, q, &valid)
		if err != nil {
			return valid, false, err
		}
		switch meaning {
		case answer.None:
			rules[i] = filter.Rules{}
		case answer.File:
			rules[i] = filter.Rules{Machine: agent.Machine(e.Ruleset)}
		case answer.Failed:
			rules[i] = filter.Rules{Unreachable: true}
		default: // a redirect
			return valid, false, nil
		}
	}
	return valid, true, nil
}

// lastAnswer returns an origin's last answer for an agent that did not fail or, if all failed,
// the first one, and cuts a span to the instants at which that answer holds.
func (p *Rules) lastAnswer(key []byte, agent *Agent, q filter.Query, valid *filter.Span) (
	e archive.Entry, found bool, err error,
) {
	lookup := p.Archive.LookupAt
	if q.Busy {
		lookup = p.Archive.LookupBusyAt
	}
	if e, found, err = lookup(key, agent.Dialect, q.At); err != nil {
		return e, false, err
	}
	until := e.Until
	for found && e.From != math.MinInt64 && answer.Of(int(e.Status), agent.Class) == answer.Failed {
		before, known, err := lookup(key, agent.Dialect, e.From-1)
		if err != nil {
			return e, false, err
		}
		if !known {
			break
		}
		e = before
	}
	valid.First = max(valid.First, e.From)
	if until != math.MaxInt64 {
		valid.Last = min(valid.Last, until-1)
	}
	return e, found, nil
}

// meaning returns what an answer means to an agent. There is no robots.txt if one of the URLs that led
// to the answer is disallowed for the agent by the robots.txt of its own origin, unless that file is
// itself behind such URLs. It cuts a span to the instants at which this holds.
func (p *Rules) meaning(a *archive.Entry, agent *Agent, q filter.Query, valid *filter.Span) (answer.Meaning,
	error) {
	for url := range strings.Lines(redirectsOf(a.Via)) {
		scheme, rest, _ := strings.Cut(url, "://")
		host, path, _ := strings.Cut(rest, "/")
		e, found, err := p.lastAnswer([]byte(scheme+"://"+host), agent, q, valid)
		if err != nil {
			return answer.None, err
		}
		if found && redirectsOf(e.Via) == "" && answer.Of(int(e.Status), agent.Class) == answer.File {
			var s automaton.Scratch
			target := agent.Dialect.TargetPath(&s, []byte("/"+strings.TrimSuffix(path, "\n")))
			if agent.Machine(e.Ruleset).Match(&s, target).Disallowed {
				return answer.None, nil
			}
		}
	}
	return answer.Of(int(a.Status), agent.Class), nil
}
