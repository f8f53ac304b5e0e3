package audit

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/report"
)

// With Config.WhatIf no request gets a verdict. Instead, both files are asked about each request of a crawler as
// the crawler reads them, by its own product tokens and dialect, regardless of client and time.

// whatIf counts requests of a part of the input by the effect of the other robots.txt.
type whatIf struct {
	report.WhatIfInfo                                 // File, All and Crawlers are set by info
	crawlers          map[string]*report.ComparedInfo // by name; unknown crawlers share one, and "" stands for all
	under             bounded[changeKey]              // the changes of crawlers, from which info sets Prefixes
	// memos of a worker
	prefixes memo[string]
	readings map[*agent][]twoMachines
}

func (t *whatIf) empty() { t.prefixes, t.readings = memo[string]{}, map[*agent][]twoMachines{} }

// changeKey names requests with the same effect whose paths begin alike.
type changeKey struct {
	crawler string
	effect  report.Effect
	prefix  string
}

const (
	maxPrefixes = 1 << 13 // for all changes together
	maxPrefix   = 100     // in bytes
	maxExamples = 3       // per change
)

// of returns the counts of a crawler's requests with an effect.
func (t *whatIf) of(crawler string, e report.Effect) *report.ChangeInfo {
	c := t.crawlers[crawler]
	if c == nil {
		c = &report.ComparedInfo{Crawler: crawler}
		for e := range report.Effects {
			*c.Of(e) = report.ChangeInfo{Prefixes: []report.PrefixInfo{}, Examples: []string{}}
		}
		t.crawlers[crawler] = c
	}
	return c.Of(e)
}

// twoMachines is one way in which a crawler may read the two files.
type twoMachines struct {
	dialect       automaton.Dialect
	before, after *automaton.Machine
}

func (r *twoMachines) effect(s *automaton.Scratch, target []byte) report.Effect {
	before := r.before.Match(s, r.dialect.TargetPath(s, target)).Disallowed
	switch after := r.after.Match(s, r.dialect.TargetPath(s, target)).Disallowed; {
	case before == after:
		return report.Unchanged
	case after:
		return report.NowForbidden
	}
	return report.NowAllowed
}

// compare counts the record, a request of a crawler.
func (w *Worker) compare(at *site, agent *agent) {
	whatIf := w.tally.whatIf
	w.tally.NotJudged++
	w.target.findLoss(&w.record)
	switch {
	case agent.exempt():
		whatIf.Exempt++
	case w.robotsAsk(&w.record) != asksElse:
		whatIf.RobotsFetch++
	case at.N == 0:
		whatIf.NotCompared[report.NoHost]++
	case agent.Ambiguous:
		whatIf.NotCompared[report.AmbiguousAgent]++
	case w.record.Truncated || agent.Overlong:
		whatIf.NotCompared[report.Truncated]++
	case w.record.Lossy == format.Rewritten:
		whatIf.NotCompared[report.LossyPath]++
	case agent.Profile == nil:
		w.countEffect(w.effect(agent), "", report.UnknownCrawlers)
	default:
		w.countEffect(w.effect(agent), "", agent.Name)
	}
}

// effect returns the effect on the record. All readings of the files by its crawler must agree on
// it, and all spellings of a decoded target.
func (w *Worker) effect(agent *agent) report.Effect {
	readings := w.tally.whatIf.readings[agent]
	if readings == nil {
		for _, r := range agent.subject.Readings {
			before, after := w.policy.Robots(0, 0, r), w.auditor.config.WhatIf.Robots(0, 0, r)
			way := twoMachines{r.Dialect(), agent.subject.Machine(before.Ruleset), agent.subject.Machine(after.Ruleset)}
			if !slices.Contains(readings, way) {
				readings = append(readings, way)
			}
		}
		w.tally.whatIf.readings[agent] = readings
	}
	spellings := w.target.spellings.list[:w.target.spellings.n]
	if w.record.Lossy != format.Decoded {
		spellings = nil
	}
	found := readings[0].effect(&w.scratch, w.record.Target)
	for i := range readings {
		differs := func(target []byte) bool { return readings[i].effect(&w.scratch, target) != found }
		if i > 0 && differs(w.record.Target) || slices.ContainsFunc(spellings, differs) {
			return report.NotDecided
		}
	}
	return found
}

func (w *Worker) countEffect(effect report.Effect, crawlers ...string) {
	target, size := w.record.Target, max(w.record.Size, 0)
	prefix := prefixOf(automaton.RFC9309.TargetPath(&w.scratch, target))
	whatIf := w.tally.whatIf
	text, known := whatIf.prefixes[string(prefix)]
	if !known {
		text = string(prefix)
		whatIf.prefixes.keep(&w.quota, string(prefix), text, 0)
	}
	for _, name := range crawlers {
		of := whatIf.of(name, effect)
		of.Requests, of.Bytes = of.Requests+1, report.Plus(of.Bytes, size)
		if effect != report.Unchanged {
			addExample(of, target[:min(len(target), maxPath)])
			whatIf.under.add(changeKey{name, effect, text}, tallied{N: 1, Bytes: byteSum(size)})
		}
	}
}

func addExample(of *report.ChangeInfo, target []byte) {
	at, known := slices.BinarySearchFunc(of.Examples, target, func(example string, target []byte) int {
		return bytes.Compare([]byte(example), target)
	})
	if !known && at < maxExamples {
		of.Examples = slices.Insert(of.Examples, at, string(target))
		of.Examples = of.Examples[:min(len(of.Examples), maxExamples)]
	}
}

// prefixOf returns the first folder of a path, or, if it has a query but no folder, its name with
// the question mark. All other paths are under "/".
func prefixOf(path []byte) []byte {
	if end := bytes.IndexAny(path[1:], "/?"); end >= 0 {
		return path[:min(1+end+1, maxPrefix)]
	}
	return path[:1]
}

// merge adds the counts of another part of the input.
func (t *whatIf) merge(other *whatIf) {
	t.RobotsFetch, t.Exempt = t.RobotsFetch+other.RobotsFetch, t.Exempt+other.Exempt
	report.AddCounts(t.NotCompared[:], other.NotCompared[:], 1)
	for name, c := range other.crawlers {
		for e := range report.Effects {
			to, from := t.of(name, e), c.Of(e)
			to.Requests, to.Bytes = to.Requests+from.Requests, report.Plus(to.Bytes, from.Bytes)
			for _, target := range from.Examples {
				addExample(to, []byte(target))
			}
		}
	}
	t.under.merge(&other.under)
}

// info returns the part of a report about the other file. It must be called once.
func (t *whatIf) info(file string) *report.WhatIfInfo {
	t.under.prune(1)
	kept := t.under.Kept
	for _, k := range slices.SortedFunc(maps.Keys(kept), func(x, y changeKey) int {
		return cmp.Or(cmp.Compare(kept[y].N, kept[x].N), cmp.Compare(x.prefix, y.prefix))
	}) {
		of := t.of(k.crawler, k.effect)
		of.Prefixes = append(of.Prefixes, report.PrefixInfo{Prefix: k.prefix, Requests: kept[k].N,
			Bytes: int64(kept[k].Bytes)})
	}
	list := []report.ComparedInfo{}
	t.of("", report.Unchanged) // so that it exists even without requests
	for _, c := range t.crawlers {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(x, y report.ComparedInfo) int { // all are before single ones
		return cmp.Or(cmp.Compare(y.Changed(), x.Changed()), cmp.Compare(x.Crawler, y.Crawler))
	})
	t.File, t.All, t.Crawlers = file, list[0], list[1:]
	return &t.WhatIfInfo
}
