// Package explain describes a robots.txt: which crawlers it binds, what it forbids them, how it treats
// a URL and why, what changed from an older file, and what is wrong with it. It reads no files, so that
// it also runs on a page in a browser.
package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/lint"
	"github.com/robotsieve/robotsieve/scan/preference"
	"github.com/robotsieve/robotsieve/scan/reading"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Description describes a robots.txt in words. Its texts are raw bytes of the
// file: escape them before printing (Rewrite). For a very large file it covers the beginning, with
// about 2 MiB of texts, each cut at 2,000 bytes, and NotListed counts the rest.
type Description struct {
	File    string `json:"file"`
	Dialect string `json:"dialect"` // that it was read in
	Bytes   int    `json:"bytes"`   // that were read, decompressed
	Lines   int    `json:"lines"`
	Rules   int    `json:"rules"`
	// Barred describes how the file treats *, and the known crawlers for search, AI and SEO that it treats
	// differently. Crawlers with equal treatment are grouped.
	Barred []Treatment `json:"barred"`
	// Against names the older robots.txt that the file was compared with; "" if there is none.
	Against string `json:"against"`
	// Differences are the changes from the older robots.txt: for each agent, change and deciding rule,
	// a shortest path.
	Differences []Difference `json:"differences"`
	// Undecided are the agents for which the search for differences reached its bound: there may be
	// others than those in Differences.
	Undecided []string `json:"undecided"`
	// Groups are in file order.
	Groups []GroupText `json:"groups"`
	// Agents list the groups that bind each requested agent.
	Agents []AgentText `json:"agents"`
	// Others are the lines that are not user agents or rules, such as sitemaps.
	Others []LineText `json:"others"`
	// Signals are the preferences that the file states besides its rules, by RFC 9309's reading.
	Signals []preference.Crawlers `json:"signals"`
	Notes   []lint.Note           `json:"notes"`
	// Severities counts the notes, including those that are not listed.
	Severities map[string]int `json:"severities"`
	// NotListed counts what was left out.
	NotListed NotListed `json:"not_listed"`
}

// Rewrite returns a copy of the description in which write was called once for each text.
func (d *Description) Rewrite(write report.Rewriter) *Description {
	c := *d
	write.Texts(&c.File, &c.Dialect, &c.Against)
	write.Lists(&c.Undecided)
	class := func(r *Restriction) { write.Texts(&r.Class, &r.Forbidden, &r.Allowed) }
	statement := func(s *preference.Statement) { write.Texts(&s.Signal, &s.Use, &s.Path, &s.Value) }
	report.Each(&c.Barred, func(t *Treatment) {
		write.Lists(&t.Agents)
		write.Texts(&t.Reading)
		class(&t.Restriction)
	})
	report.Each(&c.Differences, func(x *Difference) {
		write.Texts(&x.Agent, &x.Change, &x.Path, &x.RuleBefore, &x.RuleAfter)
	})
	report.Each(&c.Groups, func(g *GroupText) {
		write.Lists(&g.Agents, &g.Binds)
		report.Each(&g.Rules, func(r *RuleText) { write.Texts(&r.Rule, &r.Paths) })
	})
	report.Each(&c.Agents, func(a *AgentText) {
		write.Texts(&a.Agent, &a.WhyGroup, &a.Exempt)
		rewriteAgents(&a.Groups, write)
		class(&a.Restriction)
		report.Each(&a.Signals, statement)
	})
	report.Each(&c.Others, func(l *LineText) { write.Texts(&l.Text) })
	report.Each(&c.Signals, func(p *preference.Crawlers) {
		write.Lists(&p.Agents)
		report.Each(&p.Statements, statement)
	})
	report.Each(&c.Notes, func(n *lint.Note) {
		write.Texts(&n.Kind, &n.Severity, &n.Note, &n.Text, &n.Witness)
		write.Lists(&n.Texts)
	})
	return &c
}

// NotListed counts the parts of a robots.txt that a Description leaves out.
type NotListed struct {
	Groups int `json:"groups"`
	Rules  int `json:"rules"`  // of groups that are listed
	Agents int `json:"agents"` // user-agent lines of groups that are listed
	Others int `json:"others"`
	Notes  int `json:"notes"`
	// Differences and Undecided count agents.
	Differences int `json:"differences"`
	Undecided   int `json:"undecided"`
	Signals     int `json:"signals"` // crawlers of which others are stated
}

// The bounds of a Description, in bytes of its texts.
const (
	maxDescribed = 2 << 20
	maxShownText = 2000
	roomOfLine   = 50 // for the text around each
)

// describer counts the bytes of a description while it is made.
type describer struct {
	size  int
	known func(token string) bool // reports whether a known crawler has a token, in lower case
}

// text cuts a text, and counts it.
func (d *describer) text(s string) string {
	s = shortText(s)
	d.size += len(s) + roomOfLine
	return s
}

func shortText(s string) string {
	if more := len(s) - maxShownText; more > 0 {
		return fmt.Sprintf("%s... and %s more", s[:maxShownText], english.Plural(int64(more), "byte"))
	}
	return s
}

// group describes a group, and counts in left what it leaves out.
func (d *describer) group(g compile.Group, left *NotListed) GroupText {
	text := GroupText{AgentLines: AgentLines{Line: g.Agents[0].Line}}
	text.Agents = described(d, g.Agents, &left.Agents, func(a compile.AgentLine) string { return d.text(a.Value) })
	known := map[string]bool{}
	text.Binds = []string{}
	for _, a := range g.Agents[:len(text.Agents)] {
		name := a.Value[:len(a.Token)]
		if a.Wildcard {
			name = "*"
		}
		if key := strings.ToLower(name); key != "" && !known[key] {
			known[key] = true
			text.Binds, text.Known = append(text.Binds, d.text(name)), text.Known || d.known(key)
		}
	}
	text.Rules = described(d, g.Rules, &left.Rules, func(r compile.Rule) RuleText {
		return RuleText{Line: r.Line, Rule: d.text(r.String()), Allow: r.Allow, Paths: d.text(pathsOf(r))}
	})
	return text
}

// described describes the elements of a list within the budget, and adds the number of the others
// to left.
func described[T, U any](d *describer, of []T, left *int, describe func(T) U) []U {
	texts := []U{}
	for i, x := range of {
		if d.size > maxDescribed {
			*left += len(of) - i
			break
		}
		texts = append(texts, describe(x))
	}
	return texts
}

// knownTokens returns a function that reports whether a token is * or names one of the crawlers, in a
// dialect.
func knownTokens(crawlers []crawler.Profile, d automaton.Dialect) func(token string) bool {
	tokens := []string{"*"}
	for i := range crawlers {
		for _, token := range crawlers[i].Tokens {
			tokens = append(tokens, strings.ToLower(token))
		}
	}
	return func(token string) bool {
		return slices.ContainsFunc(tokens, func(known string) bool {
			return known == token || d.SearchesNames() && strings.Contains(known, token)
		})
	}
}

// GroupText is one group.
type GroupText struct {
	AgentLines
	// Binds are the names of the crawlers that the user-agent lines name, as the dialect reads
	// them: "*" for every crawler that no other group names. Some lines name none.
	Binds []string `json:"binds"`
	// Known means that one of the names is * or a known crawler.
	Known bool       `json:"known"`
	Rules []RuleText `json:"rules"`
}

// RuleText is a rule.
type RuleText struct {
	Line  int    `json:"line"`
	Rule  string `json:"rule"` // as in the file
	Allow bool   `json:"allow"`
	// Paths describes the matching paths in words, "" if it never matches.
	Paths string `json:"paths"`
}

// AgentText lists the groups that bind an agent, and why.
type AgentText struct {
	Agent    string       `json:"agent"`
	Groups   []AgentLines `json:"groups"`
	WhyGroup string       `json:"why_group"`
	Exempt   string       `json:"exempt"` // why it does not apply robots.txt; "" if it does
	Restriction
	// Signals are the preferences for it, out of Description.Signals.
	Signals []preference.Statement `json:"signals"`
}

// LineText is a line.
type LineText struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Options select what to describe.
type Options struct {
	Robots  *File
	Against *File // an older robots.txt to compare Robots with; nil for none
	Asked   []*Asked
	// Dialect is how the file is read. Nil stands for the dialect of the given agents, or for RFC 9309's if they
	// differ or there are none; then the notes cover both RFC 9309's reading and Google's.
	Dialect *automaton.Dialect
	// Lint are the options for notes; Readings and MaxBytes are set from those here. Its crawlers are also
	// used for Description.Barred.
	Lint lint.Options
	// Steps bounds the searches for each table, in steps of prove.Prover. 0 stands for MaxSteps.
	Steps int
}

type describing struct {
	Options
	steps int
}

// Describe describes the robots.txt.
func Describe(o Options) *Description {
	c := &describing{o, cmp.Or(o.Steps, MaxSteps)}
	dialect := o.Dialect
	by := c.commonDialect()
	if dialect != nil {
		by = *dialect
	}
	robots := o.Robots.Compile(reading.Reading(by))
	notes := c.notes()
	d := &Description{
		File: o.Robots.Name, Dialect: by.String(), Bytes: len(o.Robots.Body), Lines: robots.Lines,
		Agents: []AgentText{},
	}
	for _, g := range robots.Groups {
		d.Rules += len(g.Rules)
	}
	made, left := &describer{known: knownTokens(o.Lint.Crawlers.Profiles(), by)}, &d.NotListed
	d.Groups = described(made, robots.Groups, &left.Groups, func(g compile.Group) GroupText { return made.group(g, left) })
	search := &searcher{most: c.steps}
	signals, _ := preference.Read(o.Robots.Compile(reading.ReadRFC9309))
	for _, a := range o.Asked {
		d.Agents = append(d.Agents, AgentText{a.Name, a.Groups, a.WhyGroup, a.Exempt, search.restriction(a.Machine),
			a.signals(signals)})
	}
	d.Barred = c.barred(by, dialect, search)
	made.size = 0 // the rest has its own budget
	d.Differences, d.Undecided = []Difference{}, []string{}
	if o.Against != nil {
		d.Against = o.Against.Name
		differences, undecided := c.differences(dialect, &searcher{most: c.steps})
		d.Differences = described(made, differences, &left.Differences, func(x Difference) Difference {
			made.size += len(x.Agent) + len(x.Path) + len(x.RuleBefore) + len(x.RuleAfter) + roomOfLine
			return x
		})
		d.Undecided = described(made, undecided, &left.Undecided, made.text)
	}
	made.size = 0
	d.Others = described(made, robots.Records, &left.Others, func(r compile.Record) LineText {
		return LineText{r.Line, made.text(r.Key + ": " + r.Value)}
	})
	made.size = 0
	d.Signals = described(made, signals, &left.Signals, made.signals)
	made.size = 0
	d.Severities = map[string]int{"note": 0, "warning": 0, "error": 0}
	for _, n := range notes {
		d.Severities[n.Severity]++
	}
	d.Notes = described(made, notes, &left.Notes, func(n lint.Note) lint.Note {
		n.Note, n.Text, n.Witness = made.text(n.Note), made.text(n.Text), made.text(n.Witness)
		n.Texts = slices.Clone(n.Texts)
		for i := range n.Texts {
			n.Texts[i] = made.text(n.Texts[i])
		}
		return n
	})
	return d
}

// commonDialect returns the dialect that all agents share, otherwise RFC 9309's.
func (c *describing) commonDialect() (common automaton.Dialect) {
	for i, a := range c.Asked {
		if i > 0 && a.Dialect != common {
			return automaton.RFC9309
		}
		common = a.Dialect
	}
	return common
}

// notes returns the notes in a dialect's reading; in RFC 9309's and Google's if it is nil.
func (c *describing) notes() []lint.Note {
	o := c.Lint
	o.MaxBytes, o.Readings = c.Robots.MaxBytes, nil
	if c.Dialect != nil {
		o.Readings = []reading.Reading{reading.Reading(*c.Dialect)}
	}
	return lint.Check(c.Robots.Body, o)
}

func pathsOf(r compile.Rule) string {
	pattern, anchored := strings.CutSuffix(r.Pattern, "$")
	literal := r.Form == automaton.FormDecoded
	if literal {
		pattern, anchored = r.Pattern, false
	}
	switch wild := !literal && strings.Contains(strings.TrimRight(pattern, "*"), "*"); {
	case r.Inert || r.Pattern == "":
		return ""
	case strings.Trim(pattern, "*") == "" || pattern == "/" && !anchored:
		return "everything"
	case wild:
		return fmt.Sprintf("paths that match %s", r.Value)
	case anchored && !strings.HasSuffix(pattern, "*"):
		return fmt.Sprintf("exactly %s", strings.TrimSuffix(r.Value, "$"))
	default:
		return fmt.Sprintf("paths that begin with %s", strings.TrimRight(r.Value, "*"))
	}
}
