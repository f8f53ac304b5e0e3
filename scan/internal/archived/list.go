package archived

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/report"
)

// List calls each, unless it is nil, for every version of each origin of an archive, in the order of the archive, and
// returns a summary, without the file. most bounds the bytes of decoded rulesets.
func List(ctx context.Context, a *archive.Archive, each func(report.ArchiveVersion) error, most int64) (
	sum report.ArchiveSummary, err error,
) {
	sum = report.ArchiveSummary{Program: a.Program(), Origins: a.Len(), Rulesets: a.Rulesets()}
	for _, d := range a.Dialects() {
		sum.Dialects = append(sum.Dialects, d.String())
	}
	for o, err := range a.Origins() {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return sum, err
		}
		count(&sum, o)
		for i := 0; i < len(o.Versions) && each != nil; i++ {
			shown, err := describedVersion(a, o.Key, o.Versions[i])
			if err == nil {
				err = each(shown)
			}
			if err != nil {
				return sum, err
			}
			a.Limit(most)
		}
	}
	return sum, nil
}

func count(s *report.ArchiveSummary, o archive.Origin) {
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
func describedVersion(a *archive.Archive, key []byte, v archive.Version) (shown report.ArchiveVersion, err error) {
	shown = report.ArchiveVersion{Origin: origin.OfKey(key), Status: int(v.Status)}
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
