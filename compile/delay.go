package compile

import (
	"slices"
	"strconv"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
)

// maxDelay is the longest Crawl-delay that is taken for one.
const maxDelay = 366 * 24 * time.Hour

// Delay returns the Crawl-delay of the groups whose rules a machine of the file's
// ruleset holds: the first of these lines whose value is a number of seconds. RFC
// 9309 knows no such record; who first honoured it read seconds, with or without
// a fraction. ok is false if there is none.
func (r *Robots) Delay(m *automaton.Machine) (delay time.Duration, ok bool) {
	groups := r.Bound(m)
	for _, record := range r.Records {
		if !equalFold(record.Key, "crawl-delay") || !slices.Contains(groups, record.Group) {
			continue
		}
		seconds, err := strconv.ParseFloat(record.Value, 64)
		if err == nil && seconds >= 0 && seconds <= maxDelay.Seconds() {
			return time.Duration(seconds * float64(time.Second)), true
		}
	}
	return 0, false
}
