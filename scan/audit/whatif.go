package audit

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/report"
)

// With Config.WhatIf no request gets a verdict. Instead both files are asked about each request of a
// crawler, as the crawler reads them: by its own product tokens and dialect, whoever the client was
// and whenever the request came.

// whatIf counts the requests of a part of the input by what the other robots.txt would change.
type whatIf struct {
	robots, exempt int64
	left           report.ReasonCounts         // not compared, for other reasons
	crawlers       map[string]*[effects]change // by name; all that are not known have one, and "" is all
	under          bounded[changeKey]
}

// effect is what the other file changes for a request.
type effect uint8

const (
	unchanged effect = iota
	forbidden        // and allowed by the policy's file
	allowed          // and forbidden by the policy's file
	undecided        // that depends on how the files, or the target, are read
	effects
)

// change counts the requests with an effect.
type change struct {
	n, bytes int64
	examples samples // of targets, but for those that are unchanged
}

// changeKey names the requests of a change whose paths begin alike.
type changeKey struct {
	crawler string
	effect  effect
	prefix  string
}

const (
	maxPrefixes = 1 << 13 // of all changes together
	maxPrefix   = 100     // bytes
	maxExamples = 3       // of a change
)

func newWhatIf() *whatIf {
	return &whatIf{crawlers: map[string]*[effects]change{}, under: *newBounded(maxPrefixes, hashChange)}
}

func hashChange(k changeKey) uint64 {
	return mix(hashString(k.prefix) ^ mix(hashString(k.crawler)+uint64(k.effect)))
}

// of returns the changes of a crawler.
func (t *whatIf) of(crawler string) *[effects]change {
	c := t.crawlers[crawler]
	if c == nil {
		c = &[effects]change{}
		for i := range c {
			c[i].examples = samples{most: maxExamples, distinct: true}
		}
		t.crawlers[crawler] = c
	}
	return c
}

// reading is one way in which a crawler may read both files.
type reading struct {
	dialect       automaton.Dialect
	before, after *automaton.Machine
}

// effect returns the effect on a target by one reading.
func (r *reading) effect(s *automaton.Scratch, target []byte) effect {
	before := r.before.Match(s, r.dialect.TargetPath(s, target)).Disallowed
	switch after := r.after.Match(s, r.dialect.TargetPath(s, target)).Disallowed; {
	case before == after:
		return unchanged
	case after:
		return forbidden
	}
	return allowed
}

// compare counts the record, a request of a crawler.
func (w *Worker) compare(at site, c *agent) {
	t := w.tally.whatIf
	w.tally.NotJudged++
	w.findLoss()
	switch {
	case c.exempt():
		t.exempt++
	case w.robotsAsk() != asksElse:
		t.robots++
	case at.N == 0:
		t.left[report.NoHost]++
	case c.Ambiguous:
		t.left[report.AmbiguousAgent]++
	case w.record.Truncated || c.Overlong:
		t.left[report.Truncated]++
	case w.record.Lossy == format.Rewritten:
		t.left[report.LossyPath]++
	case c.Profile == nil:
		w.countEffect(w.effect(c), "", report.UnknownCrawlers)
	default:
		w.countEffect(w.effect(c), "", c.Name)
	}
}

// effect returns the effect on the record. All ways in which its crawler may read the files must
// agree on it, and all spellings of a target that was decoded.
func (w *Worker) effect(c *agent) effect {
	if c.readings == nil {
		for _, r := range c.subject.Readings {
			before, after := w.policy.Robots(0, 0, r), w.auditor.config.WhatIf.Robots(0, 0, r)
			way := reading{r.Dialect(), c.subject.Machine(before.Ruleset), c.subject.Machine(after.Ruleset)}
			if !slices.Contains(c.readings, way) {
				c.readings = append(c.readings, way)
			}
		}
	}
	spellings := w.spellings.list[:w.spellings.n]
	if w.record.Lossy != format.Decoded {
		spellings = nil
	}
	found := c.readings[0].effect(&w.scratch, w.record.Target)
	for i := range c.readings {
		differs := func(target []byte) bool { return c.readings[i].effect(&w.scratch, target) != found }
		if i > 0 && differs(w.record.Target) || slices.ContainsFunc(spellings, differs) {
			return undecided
		}
	}
	return found
}

// countEffect counts the record for some crawlers.
func (w *Worker) countEffect(e effect, crawlers ...string) {
	target, size := w.record.Target, max(w.record.Size, 0)
	prefix := prefixOf(automaton.RFC9309.TargetPath(&w.scratch, target))
	text, known := w.prefixes[string(prefix)]
	if !known {
		text = string(prefix)
		w.prefixes.keep(&w.quota, prefix, text, 0)
	}
	for _, name := range crawlers {
		of := &w.tally.whatIf.of(name)[e]
		of.n, of.bytes = of.n+1, report.Plus(of.bytes, size)
		if e != unchanged {
			of.examples.add(0, target[:min(len(target), maxPath)])
			w.tally.whatIf.under.add(changeKey{name, e, text}, tallied{N: 1, Bytes: size})
		}
	}
}

// prefixOf returns the first folder of a path, or its name with the query's mark if it has a query
// but no folder. All other paths are under "/".
func prefixOf(path []byte) []byte {
	if end := bytes.IndexAny(path[1:], "/?"); end >= 0 {
		return path[:min(1+end+1, maxPrefix)]
	}
	return path[:1]
}

// merge adds the counts of another part of the input.
func (t *whatIf) merge(other *whatIf) {
	t.robots, t.exempt = t.robots+other.robots, t.exempt+other.exempt
	report.AddCounts(t.left[:], other.left[:], 1)
	for name, list := range other.crawlers {
		to := t.of(name)
		for e, from := range list {
			to[e].n, to[e].bytes = to[e].n+from.n, report.Plus(to[e].bytes, from.bytes)
			to[e].examples.merge(&from.examples)
		}
	}
	t.under.merge(&other.under)
}

// info makes what a report says of the other file.
func (t *whatIf) info(file string) *report.WhatIfInfo {
	t.under.prune(1)
	under := map[changeKey][]report.PrefixInfo{} // by keys without a prefix
	for k, n := range t.under.Kept {
		of := changeKey{crawler: k.crawler, effect: k.effect}
		under[of] = append(under[of], report.PrefixInfo{Prefix: k.prefix, Requests: n.N, Bytes: n.Bytes})
	}
	t.of("")
	list := []report.ComparedInfo{}
	for name, changes := range t.crawlers {
		var of [effects]report.ChangeInfo
		for e, c := range changes {
			of[e] = report.ChangeInfo{Requests: c.n, Bytes: c.bytes, Examples: []string{},
				Prefixes: append([]report.PrefixInfo{}, under[changeKey{crawler: name, effect: effect(e)}]...)}
			slices.SortFunc(of[e].Prefixes, func(x, y report.PrefixInfo) int {
				return cmp.Or(cmp.Compare(y.Requests, x.Requests), cmp.Compare(x.Prefix, y.Prefix))
			})
			for _, s := range c.examples.Kept {
				of[e].Examples = append(of[e].Examples, string(s.Line))
			}
		}
		list = append(list, report.ComparedInfo{Crawler: name, Unchanged: of[unchanged], Forbidden: of[forbidden],
			Allowed: of[allowed], Undecided: of[undecided]})
	}
	slices.SortFunc(list, func(x, y report.ComparedInfo) int { // all are before each
		return cmp.Or(cmp.Compare(y.Changed(), x.Changed()), cmp.Compare(x.Crawler, y.Crawler))
	})
	return &report.WhatIfInfo{File: file, All: list[0], Crawlers: list[1:], RobotsFetch: t.robots, Exempt: t.exempt,
		NotCompared: t.left}
}
