package archived

import (
	"cmp"
	"maps"
	"math"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile/prove"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Classes lists classes: of all versions, or only those in force at an instant.
type Classes struct {
	*Rules
	All   bool
	At    int64
	Each  func(*report.SiteClass) error
	known map[ruled]report.SiteClass // of decoded rulesets, which many origins may share
}

// ruled is a ruleset with a machine, which is nil for a crawler that no rule binds.
type ruled struct {
	machine *automaton.Machine
	ruleset *automaton.Ruleset
}

// NewClasses returns a list of the classes by rules.
func NewClasses(rules *Rules, all bool, at int64) *Classes {
	return &Classes{Rules: rules, All: all, At: at, known: map[ruled]report.SiteClass{}}
}

// List calls Each for every version of each origin and each agent, in the order of the archive. It runs within the Use
// of Rules.Mapped.
func (c *Classes) List() error {
	for o, err := range c.Archive.Origins() {
		if err = cmp.Or(err, c.ctx.Err()); err == nil {
			err = c.origin(o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// origin lists the classes of an origin. For each agent, the last version that did not fail decides
// or, if all failed, the first.
func (c *Classes) origin(o archive.Origin) error {
	standing := make([]int64, len(c.Agents)) // since when the deciding version is in force
	for i, v := range o.Versions {
		until := untilOf(o.Versions, i)
		if c.Archive.Limit(c.Most) {
			clear(c.known)
		}
		for j := range standing {
			if i == 0 || answer.Of(int(v.Status), c.Agents[j].Class) != answer.Failed {
				standing[j] = v.From
			}
			if !c.All && (c.At < v.From || until <= c.At) {
				continue
			}
			class, err := c.classOf(&c.Agents[j], o.Key, standing[j], v.From)
			if err = cmp.Or(err, c.ctx.Err()); err == nil {
				class.Origin, class.From, class.Until, class.Status = origin.OfKey(o.Key), v.From, until, int(v.Status)
				err = c.Each(&class)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// classOf returns the class of an agent on an origin at an instant, using the version of another instant.
func (c *Classes) classOf(agent *Agent, key []byte, version, at int64) (class report.SiteClass, err error) {
	e, _, err := c.Archive.LookupAt(key, agent.Dialect, version)
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

func (c *Classes) byRules(m *automaton.Machine, r *automaton.Ruleset) report.SiteClass {
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

// NewMonths returns a count of what List calls Each for, by month.
func NewMonths(c *Classes) *Months {
	t := &Months{Classes: c, changes: map[monthAgent]map[string]int64{}, first: math.MaxInt, end: math.MinInt}
	c.Each = t.add
	return t
}

// MonthsError is the number of months between the first date and the last, if there are too many.
type MonthsError int64

func (e MonthsError) Error() string {
	return english.Plural(int64(e), "month") + " lie between its first date and its last, too many to list by month"
}

// maxMonths bounds the months of a trend: a calendar has years of four digits, but an archive any instant.
const maxMonths = 12 * 10_000

// Rows calls each, after List, for every agent and month, from that of the first dated version to that of the last one:
// how many sites had which class at the end of the month.
func (t *Months) Rows(each func(*report.MonthClass) error) error {
	if t.first < t.end && t.end-t.first >= maxMonths {
		return MonthsError(t.end - t.first)
	}
	for _, a := range t.Agents {
		sum := map[string]int64{}
		maps.Copy(sum, t.changes[monthAgent{math.MinInt, a.Name}])
		for month := t.first; month <= t.end; month++ {
			row := report.MonthClass{Month: time.Date(0, time.Month(month+1), 1, 0, 0, 0, 0, time.UTC).Format("2006-01"),
				Agent: a.Name, Sites: t.sites}
			for class, n := range t.changes[monthAgent{month, a.Name}] {
				sum[class] += n
			}
			row.Classes = maps.Clone(sum)
			row.Classes[report.UnknownClass] = t.sites // also those without a version yet
			for _, class := range report.MonthClasses()[1:] {
				row.Classes[report.UnknownClass] -= sum[class]
			}
			if err := each(&row); err != nil {
				return err
			}
		}
	}
	return nil
}

// monthAgent is a month, in months since the year 0, and an agent. Versions without a date have the month math.MinInt.
type monthAgent struct {
	month int
	agent string
}

// Months counts how the number of sites of a class changes from month to month.
type Months struct {
	*Classes
	changes    map[monthAgent]map[string]int64
	origin     string // of the last class
	sites      int64
	first, end int
}

// add counts a version from its first month to the one before its end. If a site has origins by https and
// by http, the one by https counts.
func (t *Months) add(c *report.SiteClass) error {
	if host, isPlain := strings.CutPrefix(c.Origin, "http://"); isPlain {
		secure := "https://" + strings.TrimSuffix(host, ":80") + ":443"
		if _, found, err := t.Archive.LookupAt([]byte(secure), t.Archive.Dialects()[0], math.MaxInt64); found || err != nil {
			return err
		}
	}
	if c.Origin != t.origin {
		t.origin, t.sites = c.Origin, t.sites+1
	}
	from, until := monthOf(c.From), monthOf(c.Until)
	if from != math.MinInt {
		t.first, t.end = min(t.first, from), max(t.end, from)
	}
	class := c.Class
	if c.Class == "none" && c.Probed == "" {
		class = report.MissingClass
	}
	for month, by := range map[int]int64{from: 1, until: -1} {
		key := monthAgent{month, c.Agent}
		if t.changes[key] == nil {
			t.changes[key] = map[string]int64{}
		}
		if from < until {
			t.changes[key][class] += by
		}
	}
	return nil
}

// monthOf returns the month of an instant in Unix seconds, in months since the year 0.
func monthOf(at int64) int {
	switch at {
	case math.MinInt64:
		return math.MinInt
	case math.MaxInt64:
		return math.MaxInt
	}
	t := time.Unix(at, 0).UTC()
	return t.Year()*12 + int(t.Month()) - 1
}
