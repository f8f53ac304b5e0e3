package history

import (
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/report"
)

const (
	// inTurn is the maximum gap between alternating responses. A response that returns once, as after a change was
	// reverted, starts a new interval; if it returns again, these intervals are merged.
	inTurn = report.Moment(7 * 24 * time.Hour)
	// lookedAt is how many intervals are searched for an answer that returns.
	lookedAt = 16
	// maxIntervals and maxAnswers limit the intervals of a site and the responses in one of them. The last interval takes
	// everything that comes later, and responses that do not fit there have status 0.
	maxIntervals, maxAnswers = 1000, 64
)

// AddAnswer adds answers to the intervals of a site. They must come in order of time.
func AddAnswer(list []report.LoggedInterval, a report.LoggedAnswer) []report.LoggedInterval {
	into := len(list) - 1
	if into < 0 || find(list[into].Answers, &a) < 0 {
		var before []int // intervals with the answer
		for i := max(0, into-lookedAt); i <= into; i++ {
			if n := find(list[i].Answers, &a); n >= 0 && a.First-list[i].Answers[n].Last <= inTurn {
				before = append(before, i)
			}
		}
		if len(before) > 1 {
			into = before[0]
		} else if len(list) < maxIntervals {
			return append(list, report.LoggedInterval{First: a.First, Last: a.Last, Answers: []report.LoggedAnswer{a}})
		}
	}
	for _, other := range list[into+1:] {
		for _, x := range other.Answers {
			add(&list[into], x)
		}
	}
	add(&list[into], a)
	return list[:into+1]
}

// find returns the index of an equal answer, or -1 if there is none.
func find(answers []report.LoggedAnswer, a *report.LoggedAnswer) int {
	return slices.IndexFunc(answers, func(x report.LoggedAnswer) bool {
		return x.Status == a.Status && x.Bytes == a.Bytes
	})
}

func add(to *report.LoggedInterval, a report.LoggedAnswer) {
	n := find(to.Answers, &a)
	if n < 0 && len(to.Answers) >= maxAnswers {
		a.Status, a.Bytes, a.Fits = 0, -1, []string{}
		n = find(to.Answers, &a)
	}
	if n < 0 {
		to.Answers = append(to.Answers, a)
	} else {
		x := &to.Answers[n]
		x.N, x.First, x.Last = x.N+a.N, min(x.First, a.First), max(x.Last, a.Last)
	}
	to.Last = max(to.Last, a.Last)
}
