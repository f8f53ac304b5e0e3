package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile/prove"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/reading"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// archived answers for agents by the rules of an archive.
type archived struct {
	ctx     context.Context // ends Find, since a chunk may need thousands of large rulesets
	mapped  *disk.Mapped
	archive *archive.Archive
	agents  []subject
	most    int64          // bytes budgeted for decoded rulesets
	epoch   *atomic.Uint64 // how often they were freed
	dated   bool           // versions without a date are unknown: nobody can say when they were in force
	saw     *sawDates
}

// sawDates says whether answers were found in an archive that hold at all times, or for a span only.
type sawDates struct{ always, span atomic.Bool }

// openRules maps an archive into memory and opens it for agents. The rules are valid until mapped
// is closed, and may be used only within its Use: the file must not change meanwhile. Compile never
// changes an archive in place, since it replaces files whole.
func openRules(ctx context.Context, path string, agents ...subject) (*archived, error) {
	mapped, err := disk.Map(path)
	if err != nil {
		return nil, inputError(err)
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
		err = lacking(path, a.Dialects(), agents)
	}
	if err != nil {
		return nil, inputError(errors.Join(err, mapped.Close()))
	}
	return &archived{
		ctx: ctx, mapped: mapped, archive: a, agents: agents, most: math.MaxInt64, epoch: new(atomic.Uint64),
		saw: new(sawDates),
	}, nil
}

// judges makes a filter judge by the archive.
func (p *archived) judges(c *filter.Config) {
	c.Policy, c.Epoch, c.Guard = p, p.epoch.Load, p.mapped.Use
}

// isArchive reports whether a file is an archive, of this version or another.
func isArchive(name string) bool {
	in, err := source.NewFile(name)
	if err != nil || !in.Regular() { // what is read of a pipe is gone
		return false
	}
	head, err := in.Head(headBytes)
	return err == nil && anArchive.is(head)
}

// errNoFiles is returned for an archive where the robots.txt files themselves are needed.
func errNoFiles(name string) error {
	return fmt.Errorf("%s is an archive of compile, which has rules and no robots.txt files: give what it was compiled "+
		"from to robotsieve history captures, which makes a folder of versions for audit", name)
}

// lacking returns an error if an archive lacks the dialect of an agent.
func lacking(path string, held []automaton.Dialect, agents []subject) error {
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

// Find implements filter.Policy. It follows the rules of package answer and reads statuses as an audit does:
// while robots.txt fails, the last answer that did not fail counts, however old it is (RFC 9309 2.4);
// a redirect through a URL that its own host disallows for the agent counts as no robots.txt, so
// everything is allowed. If any other redirect leads to a file that the archive lacks, the rules are
// unknown.
func (p *archived) Find(q filter.Query, rules []filter.Rules) (valid filter.Span, found bool, err error) {
	if p.ctx.Err() != nil {
		return valid, false, context.Cause(p.ctx)
	}
	if p.archive.Limit(p.most) {
		p.epoch.Add(1) // so that the workers of a filter stop using them
	}
	var buf [128]byte // enough for most keys without allocating
	key := q.Origin.AppendKey(buf[:0])
	valid = filter.Always
	var e archive.Entry
	for i := range p.agents {
		agent := &p.agents[i]
		if i == 0 || agent.Dialect != p.agents[i-1].Dialect || agent.class != p.agents[i-1].class {
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
			if p.dated && e.From == math.MinInt64 {
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
func (p *archived) lastAnswer(key []byte, agent *subject, q filter.Query, valid *filter.Span) (
	e archive.Entry, found bool, err error,
) {
	lookup := p.archive.LookupAt
	if q.Busy {
		lookup = p.archive.LookupBusyAt
	}
	if e, found, err = lookup(key, agent.Dialect, q.At); err != nil {
		return e, false, err
	}
	until := e.Until
	for found && e.From != math.MinInt64 && answer.Of(int(e.Status), agent.class) == answer.Failed {
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
func (p *archived) meaning(a *archive.Entry, agent *subject, q filter.Query, valid *filter.Span) (answer.Meaning,
	error) {
	for url := range strings.Lines(redirectsOf(a.Via)) {
		scheme, rest, _ := strings.Cut(url, "://")
		host, path, _ := strings.Cut(rest, "/")
		e, found, err := p.lastAnswer([]byte(scheme+"://"+host), agent, q, valid)
		if err != nil {
			return answer.None, err
		}
		if found && redirectsOf(e.Via) == "" && answer.Of(int(e.Status), agent.class) == answer.File {
			var s automaton.Scratch
			target := agent.Dialect.TargetPath(&s, []byte("/"+strings.TrimSuffix(path, "\n")))
			if agent.Machine(e.Ruleset).Match(&s, target).Disallowed {
				return answer.None, nil
			}
		}
	}
	return answer.Of(int(a.Status), agent.class), nil
}

// ArchiveSummary describes the contents of an archive.
type ArchiveSummary struct {
	File      string   `json:"archive"`
	Size      int64    `json:"size"`    // in bytes
	Program   string   `json:"program"` // the release that wrote it
	Dialects  []string `json:"dialects"`
	Origins   int      `json:"origins"`
	Versions  int      `json:"versions"` // in all origins
	Dated     int      `json:"dated"`    // versions that have a date
	Rulesets  int      `json:"rulesets"` // distinct rulesets
	WithRules int      `json:"with_rules"`
	// These count origins by their newest version: there is no robots.txt, so everything is allowed;
	// it could not be fetched, so everything is disallowed; it redirects to a file that the sources
	// lack, so the rules are unknown.
	Missing     int `json:"missing"`
	Unreachable int `json:"unreachable"`
	Redirected  int `json:"redirected"`
}

// ArchiveVersion is a version of the robots.txt of an origin.
type ArchiveVersion struct {
	Origin string `json:"origin"`
	From   string `json:"from"` // since when it is in force, RFC 3339; "" if it has no date
	Status int    `json:"status"`
	Groups int    `json:"groups"` // distinct rulesets, each of which binds some product tokens or all other crawlers
	Rules  int    `json:"rules"`  // in all groups
}

// ListArchive calls each for every version of each origin of an archive, in the order of the
// archive, which depends only on its contents, and returns a summary. Groups and Rules
// come from the first of its dialects. each may be nil if only the summary is wanted. An
// error of each ends the list. Errors are of type *Error.
func ListArchive(ctx context.Context, name string, each func(ArchiveVersion) error) (sum ArchiveSummary, err error) {
	mapped, err := disk.Map(name)
	if err != nil {
		return sum, inputError(err)
	}
	defer func() { err = errors.Join(err, mapped.Close()) }()
	err = mapped.Use(func() error {
		sum, err = listArchive(ctx, name, mapped.Data, each)
		return err
	})
	return sum, listed(ctx, name, err)
}

// listed returns the error of listing an archive.
func listed(ctx context.Context, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return &Error{Interrupted, errors.New("interrupted")}
	case errors.Is(err, disk.ErrChanged):
		return inputError(err)
	}
	return inputError(fmt.Errorf("%s: %w", name, err))
}

func listArchive(ctx context.Context, name string, data []byte, each func(ArchiveVersion) error) (sum ArchiveSummary,
	err error) {
	a, err := archive.Open(data)
	if err != nil {
		return sum, err
	}
	sum = ArchiveSummary{File: name, Size: int64(len(data)), Program: a.Program(), Origins: a.Len(),
		Rulesets: a.Rulesets()}
	for _, d := range a.Dialects() {
		sum.Dialects = append(sum.Dialects, d.String())
	}
	for o, err := range a.Origins() {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return sum, err
		}
		sum.count(o)
		for i := 0; i < len(o.Versions) && each != nil; i++ {
			shown, err := describedVersion(a, o.Key, o.Versions[i])
			if err == nil {
				err = each(shown)
			}
			if err != nil {
				return sum, err
			}
			a.Limit(leastRules)
		}
	}
	return sum, nil
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

// describedVersion looks up the rules of a version.
func describedVersion(a *archive.Archive, key []byte, v archive.Version) (shown ArchiveVersion, err error) {
	shown = ArchiveVersion{Origin: string(key), Status: int(v.Status)}
	if v.From != math.MinInt64 {
		shown.From = time.Unix(v.From, 0).UTC().Format(time.RFC3339)
	}
	if !v.HasRules {
		return shown, nil
	}
	e, _, err := a.LookupAt(key, a.Dialects()[0], v.From)
	if err != nil {
		return shown, err
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
	return shown, nil
}

// ClassOptions select what Classes lists.
type ClassOptions struct {
	Archive string
	Agents  []Agent
	AsOf    string // only versions in force at a time, as in CheckOptions.AsOf; "" lists all
	// Memory limits the bytes that rules and facts about them may take; 0 stands for DefaultMemory.
	Memory   int64
	Messages Messages
}

// Classes calls each for every version of each origin of an archive and each agent, in the order of
// ListArchive. An error of each ends the list. Errors are of type *Error.
func Classes(ctx context.Context, o ClassOptions, each func(*report.SiteClass) error) error {
	c, err := newClassifier(ctx, o)
	if err != nil {
		return err
	}
	c.each = each
	return c.list(o.Archive, c.origin)
}

// newClassifier opens an archive for classes.
func newClassifier(ctx context.Context, o ClassOptions) (*classifier, error) {
	agents, err := different(o.Agents, o.Messages)
	if err != nil {
		return nil, err
	}
	at, err := asOf(o.AsOf, time.Now())
	if err != nil {
		return nil, err
	}
	rules, err := openRules(ctx, o.Archive, agents...)
	if err != nil {
		return nil, err
	}
	for _, agent := range agents {
		agent.warnOfOthers(nil, o.Messages)
	}
	rules.most = max(cmp.Or(o.Memory, DefaultMemory)/4*3, leastRules)
	return &classifier{archived: rules, all: o.AsOf == "", at: at, known: map[ruled]report.SiteClass{}}, nil
}

// list calls each for the origins of the archive of this name, and closes it.
func (c *classifier) list(name string, each func(archive.Origin) error) error {
	err := listed(c.ctx, name, c.mapped.Use(func() error { return c.run(each) }))
	return cmp.Or(err, c.mapped.Close())
}

// classifier lists classes.
type classifier struct {
	*archived
	all   bool  // all versions, or only those in force at an instant
	at    int64 // the instant
	each  func(*report.SiteClass) error
	known map[ruled]report.SiteClass // of decoded rulesets, which many origins may share
}

// ruled is a ruleset with a machine, which is nil for a crawler that no rule binds.
type ruled struct {
	machine *automaton.Machine
	ruleset *automaton.Ruleset
}

func (c *classifier) run(each func(archive.Origin) error) error {
	for o, err := range c.archive.Origins() {
		if err = cmp.Or(err, c.ctx.Err()); err == nil {
			err = each(o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// origin lists the classes of an origin. For each agent, the last version that did not fail decides
// or, if all failed, the first.
func (c *classifier) origin(o archive.Origin) error {
	standing := make([]int64, len(c.agents)) // since when the deciding version is in force
	for i, v := range o.Versions {
		until := untilOf(o.Versions, i)
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

// classOf returns the class of an agent on an origin at an instant, using the version of another instant.
func (c *classifier) classOf(agent *subject, key []byte, version, at int64) (class report.SiteClass, err error) {
	e, _, err := c.archive.LookupAt(key, agent.Dialect, version)
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
		if extrasIn(e.Via).Page {
			class.Class = report.PageClass
		}
	case answer.Failed:
		class.Class = "unreachable"
	default: // a redirect
		class.Class = "unknown"
	}
	class.Agent = agent.Name
	return class, err
}

// byRules returns the class by a machine of a ruleset.
func (c *classifier) byRules(m *automaton.Machine, r *automaton.Ruleset) report.SiteClass {
	class, known := c.known[ruled{m, r}]
	if !known {
		p := prove.Classify(m)
		class = report.SiteClass{Class: p.Class.String(), Forbidden: p.Forbidden.Path, Allowed: p.Allowed.Path,
			AllSomeNone: prove.AllSomeNone(m), Probed: prove.Probed(m, r)}
		if r != nil {
			class.Bias = prove.Bias(m, r)
		}
		c.known[ruled{m, r}] = class
	}
	return class
}

// Find looks up the agent as every job does: its crawler, and the dialect in which that
// reads robots.txt. An error is of type *Error.
func (a Agent) Find() (reading.Subject, automaton.Dialect, error) {
	s, err := a.lookUp(Messages{})
	return s.Subject, s.Dialect, err
}

// Archive is an open archive, by which filter.NewJudge judges single URLs as Filter does:
//
//	config, err := archive.Config(job.Agent{Name: "GPTBot"})
//	judge := filter.NewJudge(&config) // one for each goroutine
//	err = config.Guard(func() error {
//		verdict = judge.Judge([]byte("https://example.com/a"), math.MaxInt64) // by the newest rules
//		return judge.Err()
//	})
//
// Any number of goroutines may use it, but not during Close nor after it.
type Archive struct {
	path  string
	rules *archived
}

// OpenArchive maps an archive of Compile into memory. Decoded rules may take three quarters of
// DefaultMemory. The file may be replaced meanwhile, but not changed in place. An error is of type
// *Error.
func OpenArchive(path string) (*Archive, error) {
	rules, err := openRules(context.Background(), path)
	if errors.Is(err, archive.ErrNotArchive) {
		err = inputError(fmt.Errorf("%s: %w; robotsieve compile makes one", path, archive.ErrNotArchive))
	}
	if err != nil {
		return nil, err
	}
	rules.most = DefaultMemory / 4 * 3
	return &Archive{path, rules}, nil
}

// Config returns the configuration of a filter.Judge for an agent. Verdicts are valid only if requested
// within Config.Guard and it returned no error. An error is of type *Error.
func (a *Archive) Config(agent Agent) (c filter.Config, err error) {
	of, err := agent.lookUp(Messages{})
	if err != nil {
		return c, err
	}
	rules := *a.rules
	rules.agents = []subject{of}
	if err := lacking(a.path, a.rules.archive.Dialects(), rules.agents); err != nil {
		return c, inputError(err)
	}
	c.Dialects = []automaton.Dialect{of.Dialect}
	rules.judges(&c)
	return c, nil
}

// Close releases the archive.
func (a *Archive) Close() error { return a.rules.mapped.Close() }
