package automaton

import (
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// String returns the machine as text: its rules in the order of their rank, each with its
// number, line, verdict, pattern and rank, whose halves are written apart, and its table
// if it has one. It is for people to read when a verdict surprises them, and changes with
// the engine. Of a large machine it has the beginning, some 1 MiB, and says what it leaves out.
func (m *Machine) String() string {
	b := &dump{}
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
			if b.full("  ", len(p.rules)-i, "rule") {
				break
			}
			rank := p.rules[i].Rank
			fmt.Fprintf(b, "  rule %d, %s, rank %d.%08x\n", i, p.rules[i].text(), rank>>32, uint32(rank))
		}
		for _, s := range b.graph(p, "") {
			fmt.Fprintf(b, "%s\n", s.Title)
			for _, note := range s.Notes {
				fmt.Fprintf(b, "  %s\n", note)
			}
			for i := range s.Vertices {
				if b.full("  ", len(s.Vertices)-i, "line") {
					break
				}
				dumpVertex(b, &s.Vertices[i])
			}
		}
	}
	return b.String()
}

// dump is the text of a machine while it is made.
type dump struct {
	strings.Builder
	cut bool
}

// maxDump bounds a dump, and maxShown the patterns in it, in bytes. The last line may go beyond.
const (
	maxDump  = 1 << 20
	maxShown = 1000
)

// full tells whether the dump is as long as it may be. Then it says what is left out, behind a prefix.
func (b *dump) full(prefix string, left int, what string) bool {
	if b.Len() < maxDump {
		return false
	}
	b.cut = true
	fmt.Fprintf(b, "%s... and %s more\n", prefix, table.Count(left, what))
	return true
}

// graph returns the part's table as a graph, nothing if it has none, or if not even its rules had room.
func (b *dump) graph(p *part, prefix string) []table.Section {
	if b.cut && p.table != nil {
		fmt.Fprintf(b, "%s... and the automaton\n", prefix)
		return nil
	}
	return p.graph()
}

// shown returns the beginning of a pattern, and how much is left out.
func shown(pattern string) (beginning, more string) {
	if len(pattern) <= maxShown {
		return pattern, ""
	}
	return pattern[:maxShown], fmt.Sprintf(" and %d octets more", len(pattern)-maxShown)
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
	pattern, more := shown(r.Pattern + anchor)
	return fmt.Sprintf("line %d: %s %+q%s%s", r.Verdict.Line, verdict, pattern, more, form)
}

// graph returns the part's table as a graph, nothing if it has none.
func (p *part) graph() []table.Section {
	if p.table == nil {
		return nil
	}
	return p.table.Graph(func(rule, octets uint32) string { return p.rules[rule].Pattern[:min(octets, maxShown)] })
}

// dumpVertex writes a vertex as a line, or as one for each edge that reads octets.
func dumpVertex(b *dump, v *table.Vertex) {
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
// a graph without edges. It has as much of a large machine as String.
func (m *Machine) Graphviz() string {
	b := &dump{}
	b.WriteString("digraph machine {\n  rankdir=LR;\n  node [shape=box, fontname=monospace];\n")
	for i, p := range m.all() {
		name := func(kind string, id uint32) string {
			return fmt.Sprintf("p%d_%s%d", i, strings.ReplaceAll(kind, " ", "_"), id)
		}
		for i := range p.rules {
			if b.full("  // ", len(p.rules)-i, "rule") {
				break
			}
			fmt.Fprintf(b, "  %s [label=%s, style=rounded];\n", name("rule", uint32(i)), quoteDot(fmt.Sprintf("rule %d, %s", i, p.rules[i].text())))
		}
		for _, s := range b.graph(p, "  // ") {
			for i, v := range s.Vertices {
				if b.full("  // ", len(s.Vertices)-i, "vertex") {
					break
				}
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
