package compile

import (
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

// delayRun is the run of user-agent lines that a Crawl-delay comes with, if it ends one:
// those before it, back to another Crawl-delay that stands between user-agent lines. Lines
// are gone through once, however many of both there are.
type delayRun struct {
	group int
	next  int  // index of the group's first agent behind the run
	named bool // the run names the crawler
}

// names tells whether the run of a Crawl-delay names a crawler. Records come in file
// order.
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
