package loginfo

import (
	"fmt"
	"slices"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// State is a state to be added up, by the name of its file, and the logs in it.
type State struct {
	Name string
	Logs []Info
}

// content is equal for two logs if they are the same.
type content struct {
	report.InputInfo        // without the name and the hash, if check is known
	check            string // as in Info
}

func contentOf(log *Info) content {
	in := log.InputInfo
	in.DuplicateOf = ""
	if log.Check != "" {
		in.Name, in.SHA256 = "", "" // not all logs are hashed
	}
	return content{in, log.Check}
}

// Repeated reports which states repeat others, since their logs all occur in another one; none if all are to be
// counted. It warns of these, and of all logs that are in two states.
func Repeated(states []State, countAll bool) (repeated []bool, warnings []string) {
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	contents := make([]map[content]bool, len(states))
	holders := map[content][]int{} // the states that have a log
	for i, state := range states {
		contents[i] = map[content]bool{}
		for _, log := range state.Logs {
			if c := contentOf(&log); log.Bytes > 0 && !contents[i][c] {
				contents[i][c] = true
				holders[c] = append(holders[c], i)
			}
		}
	}
	repeated = make([]bool, len(states))
	in := make([]int, len(states))
	for i := range states {
		in[i] = within(i, contents, holders)
		repeated[i] = in[i] >= 0 && !countAll
	}
	for i, state := range states {
		if repeated[i] {
			warn("%s: all its inputs are in %s too: not counted (option AllowDuplicates counts it)", state.Name,
				states[in[i]].Name)
			continue
		}
		for _, log := range state.Logs {
			list := holders[contentOf(&log)]
			first := slices.IndexFunc(list, func(i int) bool { return !repeated[i] })
			if first >= 0 && list[first] < i {
				warn("%s, of %s, is in %s and in %s: its lines are counted twice", log.Name,
					english.Plural(log.Bytes, "byte"), states[list[first]].Name, state.Name)
			}
		}
	}
	return repeated, append(warnings, packed(states, repeated)...)
}

// within returns a state with all logs of state i that has more of them or comes
// before it; -1 if there is none. Logs without a checksum may differ.
func within(i int, contents []map[content]bool, holders map[content][]int) int {
	var some content
	for some = range contents[i] {
		if some.check == "" {
			return -1
		}
	}
	hasAll := func(other int) bool {
		for log := range contents[i] {
			if !contents[other][log] {
				return false
			}
		}
		return true
	}
	for _, other := range holders[some] {
		more := len(contents[other]) - len(contents[i])
		if other != i && (more > 0 || more == 0 && other < i) && hasAll(other) {
			return other
		}
	}
	return -1
}

// packed warns of logs of different states that may be one log, compressed and uncompressed: their checksums
// differ, but their decompressed size and number of lines agree.
func packed(states []State, repeated []bool) (warnings []string) {
	type size struct{ bytes, lines int64 }
	type place struct{ name, codec, state string }
	first := map[size]place{}
	for i, state := range states {
		if repeated[i] {
			continue
		}
		for _, in := range state.Logs {
			k, here := size{in.Bytes, in.Lines}, place{in.Name, in.Codec, state.Name}
			switch other, seen := first[k]; {
			case in.Lines == 0:
			case !seen:
				first[k] = here
			case other.codec != here.codec && other.state != here.state:
				warnings = append(warnings, fmt.Sprintf("%s in %s and %s in %s have as many lines and bytes, decompressed: if "+
					"they are one log, its lines are counted twice", other.name, other.state, here.name, here.state))
			}
		}
	}
	return warnings
}
