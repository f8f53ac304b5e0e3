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
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/internal/archived"
	"github.com/robotsieve/robotsieve/scan/preference"
	"github.com/robotsieve/robotsieve/scan/reading"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// isArchive reports whether a file is an archive, of this version or another.
func isArchive(name string) bool {
	in, err := source.NewFile(name)
	if err != nil || !in.Regular() { // reading from a pipe would consume it
		return false
	}
	head, err := in.Head(4096)
	return err == nil && anArchive.Is(head)
}

// errNoFiles is returned for an archive where the robots.txt files themselves are needed.
func errNoFiles(name string) error {
	return fmt.Errorf("%s is an archive of compile, which has rules and no robots.txt files: give what it was compiled "+
		"from to robotsieve history captures, which makes a folder of versions for audit", name)
}

// ListArchive calls each for every version of each origin of an archive, in the order of the
// archive, which depends only on its contents, and returns a summary. Groups and Rules
// come from the first of its dialects. each may be nil if only the summary is wanted. An
// error of each ends the list. Errors are of type *Error.
func ListArchive(ctx context.Context, name string, each func(report.ArchiveVersion) error) (
	sum report.ArchiveSummary, err error,
) {
	mapped, err := disk.Map(name)
	if err != nil {
		return sum, inputError(err)
	}
	defer func() { err = errors.Join(err, mapped.Close()) }()
	err = mapped.Use(func() error {
		a, err := archive.Open(mapped.Data)
		if err == nil {
			sum, err = archived.List(ctx, a, each, leastRules)
		}
		sum.File, sum.Size = name, int64(len(mapped.Data))
		return err
	})
	return sum, listed(ctx, name, err)
}

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
	c, err := newClasses(ctx, o)
	if err != nil {
		return err
	}
	c.Each = each
	return listAll(ctx, o.Archive, c.Rules, c.List)
}

// Trend calls each for every agent and month, from the month of the first dated version in an archive to the month
// of the last one, with the number of sites in each class at the end of the month. Errors are of type *Error, or of
// each.
func Trend(ctx context.Context, o ClassOptions, each func(*report.MonthClass) error) error {
	c, err := newClasses(ctx, o)
	if err != nil {
		return err
	}
	months := archived.NewMonths(c)
	if err := listAll(ctx, o.Archive, c.Rules, c.List); err != nil {
		return err
	}
	err = months.Rows(each)
	if _, tooMany := errors.AsType[archived.MonthsError](err); tooMany {
		return inputError(fmt.Errorf("%s: %w", o.Archive, err))
	}
	return err
}

func newClasses(ctx context.Context, o ClassOptions) (*archived.Classes, error) {
	agents, err := different(o.Agents, o.Messages)
	if err != nil {
		return nil, err
	}
	at, err := asOf(o.AsOf, time.Time{})
	if err != nil {
		return nil, err
	}
	rules, err := openRules(ctx, o.Archive, agents...)
	if err != nil {
		return nil, err
	}
	for _, agent := range agents {
		o.Messages.warnOfOthers(agent, nil)
	}
	rules.Most = max(cmp.Or(o.Memory, DefaultMemory)/4*3, leastRules)
	return archived.NewClasses(rules, o.AsOf == "", at), nil
}

// SignalOptions select what Signals lists.
type SignalOptions struct {
	Archive string
	AsOf    string // as in ClassOptions
}

// Signals calls each for every preference that a version of a robots.txt in an archive states, and for every group of
// a control token, in the order of ListArchive. An error of each ends the list. Errors are of type *Error.
func Signals(ctx context.Context, o SignalOptions, each func(*report.SiteSignal) error) error {
	at, err := asOf(o.AsOf, time.Time{})
	if err != nil {
		return err
	}
	rules, err := openRules(ctx, o.Archive)
	if err != nil {
		return err
	}
	rules.Most = leastRules
	return listAll(ctx, o.Archive, rules, func() error { return rules.Signals(o.AsOf == "", at, each) })
}

// TDMRep calls each for every preference in a /.well-known/tdmrep.json of this name, in its order, and warns of
// entries that state nothing. An error of each ends the list. Errors are of type *Error.
func TDMRep(ctx context.Context, file RobotsFile, messages Messages, each func(*report.SiteSignal) error) error {
	body, err := file.Read(ctx)
	if err != nil {
		return err
	}
	list, faults, err := preference.ReadTDMRep(body)
	if err != nil {
		return inputError(fmt.Errorf("%s: %w", file.Name, err))
	}
	for _, f := range faults {
		messages.warn("%s: entry %d: %s: %q", file.Name, f.Line, f.More, f.Text)
	}
	row := report.SiteSignal{From: math.MinInt64, Until: math.MaxInt64}
	return archived.EachSignal(row, []preference.Crawlers{{Statements: list}}, each)
}

func openRules(ctx context.Context, path string, agents ...archived.Agent) (*archived.Rules, error) {
	rules, err := archived.Open(ctx, path, agents...)
	if err != nil {
		return nil, inputError(err)
	}
	return rules, nil
}

// listAll lists an archive by its rules, and closes it.
func listAll(ctx context.Context, name string, rules *archived.Rules, all func() error) error {
	err := listed(ctx, name, rules.Mapped.Use(all))
	return cmp.Or(err, rules.Mapped.Close())
}

// Find looks up the agent as every job does, and returns its crawler and the dialect in which it reads robots.txt.
// An error is of type *Error.
func (a Agent) Find() (reading.Subject, automaton.Dialect, error) {
	s, err := a.lookUp(Messages{}, "")
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
	rules *archived.Rules
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
	rules.Most = DefaultMemory / 4 * 3
	return &Archive{path, rules}, nil
}

// Config returns the configuration of a filter.Judge for one agent or more, at most filter.MaxAgents. Verdicts are
// valid only if requested within Config.Guard and it returned no error. An error is of type *Error.
func (a *Archive) Config(agents ...Agent) (c filter.Config, err error) {
	rules := *a.rules
	rules.Agents = nil
	for _, agent := range agents {
		of, err := agent.lookUp(Messages{}, "")
		if err != nil {
			return c, err
		}
		rules.Agents, c.Dialects = append(rules.Agents, of), append(c.Dialects, of.Dialect)
	}
	if err := archived.Lacking(a.path, a.rules.Archive.Dialects(), rules.Agents); err != nil {
		return c, inputError(err)
	}
	rules.Judge(&c)
	return c, nil
}

// Close releases the archive.
func (a *Archive) Close() error { return a.rules.Mapped.Close() }
