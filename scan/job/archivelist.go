package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/filter"
)

// ArchiveSummary says what an archive has.
type ArchiveSummary struct {
	File      string   `json:"archive"`
	Size      int64    `json:"size"` // in bytes
	Dialects  []string `json:"dialects"`
	Origins   int      `json:"origins"`
	Versions  int      `json:"versions"` // of all origins
	Dated     int      `json:"dated"`    // versions that have a date
	Rulesets  int      `json:"rulesets"` // distinct ones
	WithRules int      `json:"with_rules"`
	// Of the newest version of each origin: that there is no robots.txt, so that everything is
	// allowed; that it could not be fetched, so that everything is disallowed; and that it is
	// redirected to where the sources had nothing, so that it is not known.
	Missing     int `json:"missing"`
	Unreachable int `json:"unreachable"`
	Redirected  int `json:"redirected"`
}

// ArchiveVersion is a version of the robots.txt of an origin.
type ArchiveVersion struct {
	Origin string `json:"origin"`
	From   string `json:"from"` // since when it is in force, RFC 3339; "" if it has no date
	Status int    `json:"status"`
	Groups int    `json:"groups"` // those that differ: sets of rules, of which each binds product tokens, or all others
	Rules  int    `json:"rules"`  // in all of them
	// In are the instants at which it is in force.
	In filter.Span `json:"-"`
	// Classes are those of ListOptions.Agents, in their order. With agents, Groups and Rules are 0.
	Classes []AgentClass `json:"-"`
}

// ListOptions say what ListArchive lists.
type ListOptions struct {
	Archive string
	// Agents are those whose classes are listed.
	Agents []Agent
	// Since and Until leave the versions that are in force at some time from Since on and before
	// Until, AsOf those that are in force at an instant. Each is a time as AuditOptions.Since has it;
	// "" is no limit.
	Since, Until, AsOf string
	// Memory is how many bytes classes, and the rules that they are of, may take; 0 is DefaultMemory.
	Memory   int64
	Messages Messages
}

// period returns the seconds of which a version must be in force in one.
func (o *ListOptions) period() (filter.Span, error) {
	if o.AsOf != "" && (o.Since != "" || o.Until != "") {
		return filter.Span{}, usageError("--as-of is one instant: it cannot be given with --since or --until")
	}
	p, err := periodOf(o.Since, o.Until, time.UTC, time.Time{})
	in := filter.Always
	if !p.Since.IsZero() {
		in.First = p.Since.Unix()
	}
	if !p.Until.IsZero() {
		in.Last = p.Until.Unix() - 1
	}
	if o.AsOf != "" && err == nil {
		in.First, err = asOf(o.AsOf, time.Now())
		in.Last = in.First
	}
	return in, err
}

// ListArchive calls each for every version of each origin of an archive, in the order of the
// archive, which depends on nothing but what is in it, and returns what it has in sum. Groups and
// Rules are those of the first of its dialects. each may be nil: then only the sum is wanted. An
// error of each ends the list. Errors are of type *Error.
func ListArchive(ctx context.Context, o ListOptions, each func(ArchiveVersion) error) (sum ArchiveSummary, err error) {
	agents, err := different(o.Agents, o.Messages)
	if err != nil {
		return sum, err
	}
	in, err := o.period()
	if err != nil {
		return sum, err
	}
	mapped, err := disk.Map(o.Archive)
	if err != nil {
		return sum, inputError(err)
	}
	defer func() { err = errors.Join(err, mapped.Close()) }()
	err = mapped.Use(func() error {
		l := lister{archived: &archived{ctx: ctx, mapped: mapped, agents: agents, most: leastRules}, in: in, each: each}
		if memory := cmp.Or(o.Memory, DefaultMemory); len(agents) > 0 {
			l.most, l.room = max(memory/4*3, leastRules), memory/4/classSize
		}
		sum, err = l.run(o.Archive)
		return err
	})
	switch {
	case err == nil:
		for _, agent := range agents {
			agent.warnOfOthers(nil, o.Messages)
		}
	case ctx.Err() != nil:
		err = &Error{Interrupted, errors.New("interrupted")}
	case errors.Is(err, disk.ErrChanged):
		err = inputError(err)
	default:
		err = inputError(fmt.Errorf("%s: %w", o.Archive, err))
	}
	return sum, err
}

// lister lists an archive.
type lister struct {
	*archived
	classes
	in   filter.Span
	each func(ArchiveVersion) error
}

// run opens the archive of a file and lists it.
func (l *lister) run(file string) (sum ArchiveSummary, err error) {
	var makeTable automaton.TableFunc // without classes no path is matched
	if len(l.agents) > 0 {
		makeTable = compile.EngineAuto.Table
	}
	a, err := archive.Open(l.mapped.Data, compile.Semantics, makeTable)
	if err == nil {
		err = lacking("the archive", a.Dialects(), l.agents)
	}
	if err != nil {
		return sum, err
	}
	l.archive = a
	sum = ArchiveSummary{File: file, Size: int64(len(l.mapped.Data)), Origins: a.Len(), Rulesets: a.Rulesets()}
	for _, d := range a.Dialects() {
		sum.Dialects = append(sum.Dialects, d.String())
	}
	for o, err := range a.Origins() {
		switch {
		case err != nil:
			return sum, err
		case l.ctx.Err() != nil:
			return sum, l.ctx.Err()
		}
		sum.count(o)
		if l.each == nil {
			continue
		}
		if err := l.origin(o); err != nil {
			return sum, err
		}
		a.Limit(l.most)
	}
	return sum, nil
}

// origin lists the versions of an origin.
func (l *lister) origin(o archive.Origin) error {
	standing := make([]int, len(l.agents))
	for i, v := range o.Versions {
		l.stand(standing, o.Versions, i)
		shown := ArchiveVersion{Origin: string(o.Key), Status: int(v.Status)}
		if shown.In = (filter.Span{First: v.From, Last: math.MaxInt64}); i+1 < len(o.Versions) {
			shown.In.Last = o.Versions[i+1].From - 1
		}
		if shown.In.Last < l.in.First || shown.In.First > l.in.Last {
			continue
		}
		if v.From != math.MinInt64 {
			shown.From = time.Unix(v.From, 0).UTC().Format(time.RFC3339)
		}
		err := l.describe(&shown, o, v)
		for j := 0; j < len(l.agents) && err == nil; j++ {
			var class AgentClass
			class, err = l.classOf(j, o.Key, o.Versions[standing[j]].From, v.From)
			shown.Classes = append(shown.Classes, class)
		}
		if err == nil {
			err = l.each(shown)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// count counts an origin.
func (s *ArchiveSummary) count(o archive.Origin) {
	s.Versions += len(o.Versions)
	for _, v := range o.Versions {
		if v.From != math.MinInt64 {
			s.Dated++
		}
	}
	newest := o.Versions[len(o.Versions)-1]
	switch answer.Of(int(newest.Status), answer.Archive) {
	case answer.File:
		s.WithRules++
	case answer.None:
		s.Missing++
	case answer.Failed:
		s.Unreachable++
	default:
		s.Redirected++
	}
}

// describe counts the groups and rules of a version, unless classes are wanted instead.
func (l *lister) describe(shown *ArchiveVersion, o archive.Origin, v archive.Version) error {
	if !v.HasRules || len(l.agents) > 0 {
		return nil
	}
	e, _, err := l.archive.LookupAt(o.Key, l.archive.Dialects()[0], v.From)
	if err != nil {
		return err
	}
	machines := map[*automaton.Machine]bool{}
	for _, agent := range e.Ruleset.Agents() {
		machines[agent.Machine] = true
	}
	if m := e.Ruleset.Wildcard(); m != nil {
		machines[m] = true
	}
	shown.Groups = len(machines)
	for m := range machines {
		shown.Rules += m.Len()
	}
	return nil
}
