package automaton

import (
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// String returns the machine as text: its rules in the order of their rank, each with its
// number, line, verdict, pattern and rank, whose halves are written apart, and its table
// if it has one. It is for people to read when a verdict surprises them, and changes with
// the engine.
func (m *Machine) String() string {
	b := &strings.Builder{}
	parts := m.all()
	if len(parts) == 0 {
		fmt.Fprintf(b, "%v, no rules: allows everything\n", m.Dialect())
	}
	for i, p := range parts {
		if len(parts) > 1 {
			fmt.Fprintf(b, "part %d of %d, ", i+1, len(parts))
		}
		engine := "list"
		if p.table != nil {
			engine = "automaton"
		}
		fmt.Fprintf(b, "%v, %s, %s\n", m.Dialect(), table.Count(len(p.rules), "rule"), engine)
		for i := range p.rules {
			rank := p.rules[i].Rank
			fmt.Fprintf(b, "  rule %d, %s, rank %d.%08x\n", i, p.rules[i].text(), rank>>32, uint32(rank))
		}
		for _, s := range p.graph() {
			fmt.Fprintf(b, "%s\n", s.Title)
			for _, note := range s.Notes {
				fmt.Fprintf(b, "  %s\n", note)
			}
			for i := range s.Vertices {
				dumpVertex(b, &s.Vertices[i])
			}
		}
	}
	return b.String()
}

// text writes a rule as a line of robots.txt would say it.
func (r *Rule) text() string {
	verdict, anchor, form := "allow", "", ""
	if r.Verdict.Disallowed {
		verdict = "disallow"
	}
	if r.Anchored {
		anchor = "$"
	}
	if r.Form == FormB {
		form = " in form B"
	}
	return fmt.Sprintf("line %d: %s %+q%s", r.Verdict.Line, verdict, r.Pattern+anchor, form)
}

// graph returns the part's table as a graph, nothing if it has none.
func (p *part) graph() []table.Section {
	if p.table == nil {
		return nil
	}
	return p.table.Graph(func(rule, octets uint32) string { return p.rules[rule].Pattern[:octets] })
}

// dumpVertex writes a vertex as a line, or as one for each edge that reads octets.
func dumpVertex(b *strings.Builder, v *table.Vertex) {
	name := fmt.Sprintf("  %s %d", v.Kind, v.ID)
	if v.Label != "" {
		name += ", " + v.Label
	}
	var targets []string
	for _, e := range v.Edges {
		target := fmt.Sprintf("%s %d", e.Kind, e.From)
		if e.To > e.From {
			target += fmt.Sprintf(" to %d", e.To)
		}
		if e.Octets {
			fmt.Fprintf(b, "%s, %s: %s\n", name, e.Label, target)
			continue
		}
		targets = append(targets, strings.TrimPrefix(e.Label+" "+target, " "))
	}
	switch {
	case len(targets) > 0:
		fmt.Fprintf(b, "%s: %s\n", name, strings.Join(targets, ", "))
	case len(v.Edges) == 0:
		fmt.Fprintf(b, "%s\n", name)
	}
}

// Graphviz returns the machine as a graph in the language of Graphviz: rules, and the
// states and what else its table has, as String writes them. A machine without a table is
// a graph without edges.
func (m *Machine) Graphviz() string {
	b := &strings.Builder{}
	b.WriteString("digraph machine {\n  rankdir=LR;\n  node [shape=box, fontname=monospace];\n")
	for i, p := range m.all() {
		name := func(kind string, id uint32) string {
			return fmt.Sprintf("p%d_%s%d", i, strings.ReplaceAll(kind, " ", "_"), id)
		}
		for i := range p.rules {
			fmt.Fprintf(b, "  %s [label=%s, style=rounded];\n", name("rule", uint32(i)), quoteDot(fmt.Sprintf("rule %d, %s", i, p.rules[i].text())))
		}
		for _, s := range p.graph() {
			for _, v := range s.Vertices {
				from := name(v.Kind, v.ID)
				fmt.Fprintf(b, "  %s [label=%s];\n", from, quoteDot(strings.TrimSpace(fmt.Sprintf("%s %d\n%s", v.Kind, v.ID, v.Label))))
				for _, e := range v.Edges {
					for id := e.From; id <= e.To; id++ {
						fmt.Fprintf(b, "  %s -> %s [label=%s];\n", from, name(e.Kind, id), quoteDot(e.Label))
					}
				}
			}
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// quoteDot quotes a string, whose octets are printable ASCII and newlines, for Graphviz.
func quoteDot(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
