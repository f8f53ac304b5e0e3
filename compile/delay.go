package compile

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
)

// maxDelay is the longest Crawl-delay that is taken for one.
const maxDelay = 366 * 24 * time.Hour

// Delay returns the Crawl-delay that is asked of a crawler by the groups whose rules a
// machine of the file's ruleset holds. name is the one by which these groups name it,
// as Ruleset.Named takes it, or empty where they are those for *. Values are seconds, as
// who first honoured them read them, with or without a fraction; others are passed
// over. ok is false if none is asked.
//
// RFC 9309 knows no such record, and readers differ on whether it ends a run of
// user-agent lines, as rules do: in "user-agent: A, crawl-delay: 10, user-agent: B" B is
// asked for 10 seconds, or for nothing. What only some read is not asked. Of several
// delays that lines with its name come with, and the first of the groups, the shortest is.
func (r *Robots) Delay(m *automaton.Machine, name []byte) (delay time.Duration, ok bool) {
	delay = maxDelay
	first := true
	for _, record := range r.delays(r.Bound(m)) {
		length, isNumber := parseDelay(record.Value)
		if !isNumber {
			continue
		}
		named := r.runNames(record, name)
		if ok = ok || named; named || first {
			delay = min(delay, length)
		}
		first = false
	}
	if !ok {
		return 0, false
	}
	return delay, true
}

// delays returns the lines with a Crawl-delay in some groups, in file order.
func (r *Robots) delays(groups []int) (list []Record) {
	for _, record := range r.Records {
		if equalFold(record.Key, "crawl-delay") && slices.Contains(groups, record.Group) {
			list = append(list, record)
		}
	}
	return list
}

// runNames tells whether the user-agent lines before a Crawl-delay name a crawler, back
// to where another Crawl-delay stands between them.
func (r *Robots) runNames(record Record, name []byte) bool {
	agents := r.Groups[record.Group].Agents
	last := 0 // behind the last of them before the record
	for last < len(agents) && agents[last].Line < record.Line {
		last++
	}
	from := 0 // the line of the last Crawl-delay before that
	for _, other := range r.delays([]int{record.Group}) {
		if last > 0 && other.Line < agents[last-1].Line {
			from = other.Line
		}
	}
	return slices.ContainsFunc(agents[:last], func(a Agent) bool { return a.Line > from && a.names(r.Ruleset.Dialect(), name) })
}

// names tells whether a line names a crawler, as Delay has its name.
func (a Agent) names(d automaton.Dialect, name []byte) bool {
	switch {
	case len(name) == 0 || a.Wildcard:
		return len(name) == 0 && a.Wildcard
	case d == automaton.Original:
		return a.Token != "" && bytes.Contains(bytes.ToLower(name), []byte(a.Token))
	case d == automaton.RFC9309:
		name = automaton.CutToken(name)
	}
	return string(bytes.ToLower(name)) == a.Token
}

func parseDelay(value string) (delay time.Duration, ok bool) {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || !(seconds >= 0 && seconds <= maxDelay.Seconds()) {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}
