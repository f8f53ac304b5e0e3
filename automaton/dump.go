package automaton

import (
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// String returns the machine as text: its rules in the order of their rank, each with its
// number, line, verdict, pattern and rank, whose halves are written apart, and its table
// if it has one. It is for people to read when a verdict surprises them, and changes with
// the engine. Of a large machine it has the beginning, some 1 MiB, and says that there is more.
func (m *Machine) String() string {
	var b dump
	parts := m.all()
	if len(parts) == 0 {
		b.printf("%v, no rules: allows everything\n", m.Dialect())
	}
	for i, p := range parts {
		if len(parts) > 1 {
			b.printf("part %d of %d, ", i+1, len(parts))
		}
		engine := "list"
		if p.table != nil {
			engine = "table"
		}
		b.printf("%v, %s, %s\n", m.Dialect(), table.Count(len(p.rules), "rule"), engine)
		for i := range p.rules {
			rank := p.rules[i].Rank
			b.printf("  rule %d, %s, rank %d.%08x\n", i, p.rules[i].text(), rank>>32, uint32(rank))
			if b.cut {
				break
			}
		}
		if p.table != nil && !b.cut {
			p.table.Dump(b.printf, func(rule, octets uint32) string { return p.rules[rule].Pattern[:min(octets, maxShown)] })
		}
	}
	if b.cut {
		b.WriteString("... and more\n")
	}
	return b.String()
}

// dump is the text of a machine while it is made.
type dump struct {
	strings.Builder
	cut bool // something is left out
}

// maxDump bounds a dump, and maxShown the patterns in it, in bytes. The last line may go beyond.
const (
	maxDump  = 1 << 20
	maxShown = 1000
)

// printf writes a text, unless the dump is as long as it may be.
func (b *dump) printf(format string, args ...any) {
	if b.Len() >= maxDump {
		b.cut = true
		return
	}
	fmt.Fprintf(b, format, args...)
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
	verdict, end, form := "allow", "", ""
	if r.Verdict.Disallowed {
		verdict = "disallow"
	}
	if r.AtEnd {
		end = "$"
	}
	if r.Form == FormB {
		form = " in form B"
	}
	pattern, more := shown(r.Pattern + end)
	return fmt.Sprintf("line %d: %s %+q%s%s", r.Verdict.Line, verdict, pattern, more, form)
}
