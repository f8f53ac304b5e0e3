package compile

import (
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
)

// prefixOrder puts the prefixes of rules in the order of their text, equal ones in
// that of their rules. It sorts numbers that hold four octets each, then those
// that are equal by the next four octets, and so on. The time is in proportion to
// the octets, whatever the prefixes have in common, and on real rules 60 % of what
// slices.SortFunc takes that compares eight octets before the strings.
type prefixOrder struct {
	rules   []automaton.Rule
	lengths []uint32 // of the prefix of each rule
}

// What a number holds: four octets of the text, the first in the highest byte; how
// many of them there are; the rule. A text that has ended comes before those that
// go on, be it with NUL.
const (
	octetsAtOnce = 4
	octetsShift  = 32
	countShift   = 29
	ruleMask     = 1<<countShift - 1
)

func (o *prefixOrder) text(rule uint32) string { return o.rules[rule].Pattern[:o.lengths[rule]] }

// sort sorts rules, given as numbers that need hold nothing else, whose texts are
// equal up to a depth.
func (o *prefixOrder) sort(numbers []uint64, depth int) {
	for len(numbers) > 1 {
		for i, n := range numbers {
			rule := uint32(n & ruleMask)
			numbers[i] = numberOf(o.text(rule)[depth:], rule)
		}
		slices.Sort(numbers)
		depth += octetsAtOnce
		// The last ones go on in this loop, so that many octets in common are no
		// deep recursion.
		for {
			n := equalNumbers(numbers)
			if n == len(numbers) {
				break
			}
			if goesOn(numbers[0]) {
				o.sort(numbers[:n], depth)
			}
			numbers = numbers[n:]
		}
		if len(numbers) > 0 && !goesOn(numbers[0]) {
			return
		}
	}
}

// prefixes appends the prefixes of numbers to all.
func (o *prefixOrder) prefixes(all []prefix, numbers []uint64) []prefix {
	all = slices.Grow(all, len(numbers))
	for _, n := range numbers {
		rule := uint32(n & ruleMask)
		text := o.text(rule)
		all = append(all, prefix{text: text, rule: rule, gaps: len(text) < len(o.rules[rule].Pattern)})
	}
	return all
}

func numberOf(text string, rule uint32) uint64 {
	n := min(len(text), octetsAtOnce)
	var octets uint64
	for i := range n {
		octets |= uint64(text[i]) << (8 * (octetsAtOnce - 1 - i))
	}
	return octets<<octetsShift | uint64(n)<<countShift | uint64(rule)
}

// goesOn tells whether the text of a number may go on behind its octets.
func goesOn(number uint64) bool { return number>>countShift&7 == octetsAtOnce }

// equalNumbers is how many numbers at the beginning differ in nothing but the rule.
func equalNumbers(numbers []uint64) int {
	n := 1
	for n < len(numbers) && numbers[n]>>countShift == numbers[0]>>countShift {
		n++
	}
	return n
}
