package compile

import (
	"slices"
	"strconv"
	"time"
)

// maxDelay is the longest Crawl-delay that is accepted.
const maxDelay = 366 * 24 * time.Hour

// CrawlDelay returns the Crawl-delay for the crawler, from the groups that name it or, if none
// does, from those for *. A value is a number of seconds, with or without a fraction; other values
// are ignored. ok is false if no delay applies.
//
// RFC 9309 does not define Crawl-delay, and parsers disagree on whether it ends a run of user-agent
// lines, as rules do: after "user-agent: A, crawl-delay: 10, user-agent: B" some apply 10 seconds
// to B, others nothing. CrawlDelay applies a delay to the run of user-agent lines before it, which
// begins after the previous delay. ok is true only if one of these runs names the crawler. The
// result is the shortest of the delays of those runs and of the first delay in the crawler's
// groups, which a parser without runs may use.
func (a Agent) CrawlDelay() (delay time.Duration, ok bool) {
	if a.robots == nil {
		return 0, false
	}
	delay = maxDelay
	r, groups, name := a.robots, a.Groups(), []byte(a.name)
	isNamed := func(line *AgentLine) bool {
		if !a.named || line.Wildcard {
			return !a.named && line.Wildcard
		}
		return a.machine.Dialect().Names(name, line.Token)
	}
	first := true
	group, next := -1, 0 // the run ends before the group's agent next
	named := false       // the run names the crawler
	for _, record := range r.Records {
		if !equalFold(record.Key, "crawl-delay") {
			continue
		}
		if _, bound := slices.BinarySearch(groups, record.Group); !bound {
			continue
		}
		if record.Group != group {
			group, next, named = record.Group, 0, false
		}
		agents := r.Groups[group].Agents[next:]
		for i := 0; i < len(agents) && agents[i].Line < record.Line; i++ {
			named = i > 0 && named || isNamed(&agents[i])
			next++
		}
		length, isNumber := ParseDelay(record.Value)
		if !isNumber {
			continue
		}
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

// ParseDelay parses the value of a Crawl-delay. ok is false unless it is a number of seconds from 0
// to a year.
func ParseDelay(value string) (delay time.Duration, ok bool) {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || !(seconds >= 0 && seconds <= maxDelay.Seconds()) {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}
