package compile

import (
	"slices"
	"strconv"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
)

// maxDelay is the longest Crawl-delay that is believed.
const maxDelay = 366 * 24 * time.Hour

// Delay returns the Crawl-delay that the file asks of a crawler, which is bound by m, a
// machine of the file's ruleset. name is the crawler's name, as Ruleset.Named takes it, or
// empty if m is the machine of the groups for *. A value is a number of seconds, with or
// without a fraction; other values are ignored. ok is false if no delay is asked.
//
// RFC 9309 does not define Crawl-delay, and readers differ on whether it ends a run of
// user-agent lines, as rules do: in "user-agent: A, crawl-delay: 10, user-agent: B" some
// ask 10 seconds of B, others nothing. A delay counts only if all readers ask it. The
// result is the shortest of the delays that a line with the crawler's name comes before
// in its run, and of the first delay in the crawler's groups.
func (r *Robots) Delay(m *automaton.Machine, name []byte) (delay time.Duration, ok bool) {
	delay = maxDelay
	groups := r.Bound(m)
	run := delayRun{group: -1}
	first := true
	for _, record := range r.Records {
		if !equalFold(record.Key, "crawl-delay") {
			continue
		}
		if _, bound := slices.BinarySearch(groups, record.Group); !bound {
			continue
		}
		named := run.names(r, record, string(name))
		length, isNumber := parseDelay(record.Value)
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

// delayRun is the run of user-agent lines that a Crawl-delay belongs to, if it ends one:
// the lines before it, back to another Crawl-delay between user-agent lines.
type delayRun struct {
	group int
	next  int  // index of the group's first agent behind the run
	named bool // the run names the crawler
}

// names tells whether the run of a Crawl-delay names a crawler. It is asked in file
// order, so that it looks at each line once.
func (d *delayRun) names(r *Robots, record Record, name string) bool {
	if record.Group != d.group {
		*d = delayRun{group: record.Group}
	}
	agents := r.Groups[d.group].Agents[d.next:]
	for i := 0; i < len(agents) && agents[i].Line < record.Line; i++ {
		named := agents[i].Wildcard
		if name != "" {
			named = !named && readings[r.Ruleset.Dialect()].names(name, agents[i].Token)
		}
		d.named = named || i > 0 && d.named
		d.next++
	}
	return d.named
}

func parseDelay(value string) (delay time.Duration, ok bool) {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || !(seconds >= 0 && seconds <= maxDelay.Seconds()) {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}
