package job

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// Description is what a robots.txt says, in words. Its texts have the bytes of the
// file: escape them before printing (audit.Texts).
type Description struct {
	File    string `json:"file"`
	Dialect string `json:"dialect"` // by which it was read
	Bytes   int    `json:"bytes"`   // that were read, decompressed
	Lines   int    `json:"lines"`
	Rules   int    `json:"rules"`
	// Groups are in file order.
	Groups []GroupText `json:"groups"`
	// Agents say which groups bind each agent that was asked for.
	Agents []AgentText `json:"agents"`
	// Others are the lines that are neither user agents nor rules, such as sitemaps.
	Others []LineText `json:"others"`
	Notes  []NoteText `json:"notes"`
}

// GroupText is one group.
type GroupText struct {
	AgentLines
	Rules []RuleText `json:"rules"`
}

// RuleText is one rule.
type RuleText struct {
	Line  int    `json:"line"`
	Rule  string `json:"rule"` // as in the file
	Allow bool   `json:"allow"`
	// Paths says in words which paths it is for, "" if it never matches.
	Paths string `json:"paths"`
}

// AgentText says which groups bind an agent, and why.
type AgentText struct {
	Agent    string       `json:"agent"`
	Groups   []AgentLines `json:"groups"`
	WhyGroup string       `json:"why_group"`
	Exempt   string       `json:"exempt"` // why it does not apply robots.txt; "" if it does
}

// LineText is one line.
type LineText struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// NoteText is a note on one line. A line that only some dialects read in another way than
// its author may have meant has a note too.
type NoteText struct {
	Line     int    `json:"line"`
	Severity string `json:"severity"` // info, warning or error
	Note     string `json:"note"`
	Text     string `json:"text"` // the part of the line that it is about
}

// Describe says what the robots.txt says by a dialect. Nil stands for that of the agents, or
// for RFC 9309's if they have several or there are none; then there are also the notes of
// both RFC 9309's reading and Google's. An archive has no text to describe, and is an error.
func (c *Checker) Describe(dialect *automaton.Dialect) (*Description, error) {
	if c.file.Name == "" {
		return nil, usageError("no URL: an archive is asked about URLs")
	}
	by := c.commonDialect()
	if dialect != nil {
		by = *dialect
	}
	robots := c.compile(by, false)
	notes := robots.Notes
	if dialect == nil {
		notes = c.notes()
	}
	d := &Description{
		File: c.file.Name, Dialect: by.String(), Bytes: len(c.body), Lines: robots.Lines,
		Groups: []GroupText{}, Agents: []AgentText{}, Others: []LineText{}, Notes: []NoteText{},
	}
	for _, g := range robots.Groups {
		text := GroupText{AgentLines: agentLines(g), Rules: []RuleText{}}
		for _, r := range g.Rules {
			text.Rules = append(text.Rules, RuleText{Line: r.Line, Rule: r.String(), Allow: r.Allow, Paths: pathsOf(r)})
		}
		d.Rules += len(text.Rules)
		d.Groups = append(d.Groups, text)
	}
	for _, a := range c.agents {
		d.Agents = append(d.Agents, AgentText{a.name, a.groups, a.whyGroup, a.exempt})
	}
	for _, r := range robots.Records {
		d.Others = append(d.Others, LineText{r.Line, r.Key + ": " + r.Value})
	}
	for _, n := range notes {
		d.Notes = append(d.Notes, NoteText{n.Line, n.Kind.Severity().String(), n.Kind.String(), n.Text})
	}
	return d, nil
}

// commonDialect returns the dialect that all agents have, else RFC 9309's.
func (c *Checker) commonDialect() (common automaton.Dialect) {
	for i, a := range c.agents {
		if i > 0 && a.dialect != common {
			return automaton.RFC9309
		}
		common = a.dialect
	}
	return common
}

// notes returns the notes of RFC 9309's reading and of Google's, each once, by line.
func (c *Checker) notes() []compile.Note {
	notes := c.compile(automaton.RFC9309, false).Notes
	for _, n := range c.compile(automaton.Google, true).Notes {
		if !slices.Contains(notes, n) {
			notes = append(notes, n)
		}
	}
	slices.SortStableFunc(notes, func(x, y compile.Note) int { return cmp.Compare(x.Line, y.Line) })
	return notes
}

// pathsOf says in words which paths a rule is for.
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
