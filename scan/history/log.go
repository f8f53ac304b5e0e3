package history

import (
	"time"

	"github.com/robotsieve/robotsieve/scan/report"
)

const (
	// inTurn is how near to each other answers come in turn. One that comes back once, as after a change
	// that was undone, makes another interval; when it does so again, these intervals become one.
	inTurn = report.Moment(7 * 24 * time.Hour)
	// lookedAt is how many intervals are looked at for an answer that comes again.
	lookedAt = 16
	// maxIntervals and maxAnswers bound the intervals of a site and the answers of one of them. What
	// comes after the last is in it, and what has no room there has the status 0.
	maxIntervals, maxAnswers = 1000, 64
)

// interval is a time in which a site gave some answers.
type interval report.LoggedInterval

// AddAnswer adds answers, which come in the order of time, to the intervals of a site.
func AddAnswer(list []report.LoggedInterval, a report.LoggedAnswer) []report.LoggedInterval {
	last := len(list) - 1
	if last >= 0 && (*interval)(&list[last]).like(&a) != nil {
		(*interval)(&list[last]).add(a)
		return list
	}
	var before []int // intervals with the answer
	for i := max(0, last-lookedAt); i <= last; i++ {
		if x := (*interval)(&list[i]).like(&a); x != nil && a.First-x.Last <= inTurn {
			before = append(before, i)
		}
	}
	if len(before) < 2 && len(list) < maxIntervals {
		return append(list, report.LoggedInterval{First: a.First, Last: a.Last, Answers: []report.LoggedAnswer{a}})
	}
	into := last
	if len(before) > 1 {
		into = before[0]
	}
	for _, other := range list[into+1:] {
		for _, x := range other.Answers {
			(*interval)(&list[into]).add(x)
		}
	}
	(*interval)(&list[into]).add(a)
	return list[:into+1]
}

// like returns the answer of the interval that is like another; nil if there is none.
func (of *interval) like(a *report.LoggedAnswer) *report.LoggedAnswer {
	for i := range of.Answers {
		if x := &of.Answers[i]; x.Status == a.Status && x.Bytes == a.Bytes {
			return x
		}
	}
	return nil
}

func (of *interval) add(a report.LoggedAnswer) {
	if len(of.Answers) >= maxAnswers && of.like(&a) == nil {
		a.Status, a.Bytes, a.Fits = 0, -1, []string{}
	}
	if x := of.like(&a); x != nil {
		x.N, x.First, x.Last = x.N+a.N, min(x.First, a.First), max(x.Last, a.Last)
	} else {
		of.Answers = append(of.Answers, a)
	}
	of.Last = max(of.Last, a.Last)
}
