package job

import (
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
	Groups int    `json:"groups"` // sets of rules, of which each binds a product token or more, or all others
	Rules  int    `json:"rules"`  // in all of them
}

// ListArchive calls each for every version of each origin of an archive, in the order of the
// archive, which depends on nothing but what is in it, and returns what it has in sum. Groups and
// Rules are those of the first of its dialects. each may be nil: then only the sum is wanted. An
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
	switch {
	case err == nil:
	case ctx.Err() != nil:
		err = &Error{Interrupted, errors.New("interrupted")}
	case errors.Is(err, disk.ErrChanged):
		err = inputError(err)
	default:
		err = inputError(fmt.Errorf("%s: %w", name, err))
	}
	return sum, err
}

func listArchive(ctx context.Context, name string, data []byte, each func(ArchiveVersion) error) (sum ArchiveSummary,
	err error) {
	a, err := archive.Open(data, compile.Semantics, nil)
	if err != nil {
		return sum, err
	}
	sum = ArchiveSummary{File: name, Size: int64(len(data)), Origins: a.Len(), Rulesets: a.Rulesets()}
	for _, d := range a.Dialects() {
		sum.Dialects = append(sum.Dialects, d.String())
	}
	for o, err := range a.Origins() {
		switch {
		case err != nil:
			return sum, err
		case ctx.Err() != nil:
			return sum, ctx.Err()
		}
		sum.count(o)
		if each == nil {
			continue
		}
		for _, v := range o.Versions {
			shown, err := describedVersion(a, o.Key, v)
			if err != nil {
				return sum, err
			}
			if err := each(shown); err != nil {
				return sum, err
			}
		}
		a.Limit(leastRules)
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
