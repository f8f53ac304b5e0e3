package automaton

import (
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// String describes the machine for debugging: its rules in order of rank, each with its number,
// line, verdict, pattern and rank (both halves apart), and its table if it has one. The format may
// change at any time. The text is cut after about 1 MiB, and says so.
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

// dump is the text of a machine under construction.
type dump struct {
	strings.Builder
	cut bool // something is left out
}

// maxDump bounds a dump, and maxShown the patterns in it, in bytes. The last line may go beyond.
const (
	maxDump  = 1 << 20
	maxShown = 1000
)

// printf appends to the text unless it has reached its limit.
func (b *dump) printf(format string, args ...any) {
	if b.Len() >= maxDump {
		b.cut = true
		return
	}
	fmt.Fprintf(b, format, args...)
}

// shown returns the beginning of a pattern, and a remark on how much was left out.
func shown(pattern string) (beginning, more string) {
	if len(pattern) <= maxShown {
		return pattern, ""
	}
	return pattern[:maxShown], fmt.Sprintf(" and %d octets more", len(pattern)-maxShown)
}

// text formats a rule as a line of robots.txt.
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
