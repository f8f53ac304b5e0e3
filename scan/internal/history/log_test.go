package history

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/report"
)

const hour = report.Moment(3600e9)

// intervalsOf reads answers such as "0 40; 5 55; 6 404": hours, and a size or else a status, and prints the intervals.
func intervalsOf(t *testing.T, text string) string {
	t.Helper()
	var list []report.LoggedInterval
	for part := range strings.SplitSeq(text, "; ") {
		var at, n int64
		if _, err := fmt.Sscan(part, &at, &n); err != nil {
			t.Fatal(part)
		}
		a := report.LoggedAnswer{Status: 200, Bytes: n, N: 1, First: report.Moment(at) * hour, Last: report.Moment(at) * hour}
		if n > 300 {
			a.Status, a.Bytes = int(n), -1
		}
		list = AddAnswer(list, a)
	}
	var all []string
	for _, of := range list {
		s := fmt.Sprintf("%d-%d", of.First/hour, of.Last/hour)
		for _, a := range of.Answers {
			s += fmt.Sprintf(" %d:%d(%d,%d-%d)", a.Status, a.Bytes, a.N, a.First/hour, a.Last/hour)
		}
		all = append(all, s)
	}
	return strings.Join(all, "; ")
}

// TestIntervals puts answers into intervals. Equal answers share one, an answer that returns once, as after a reverted
// change, starts a new one, and alternating answers, as with compression for some clients, share one.
func TestIntervals(t *testing.T) {
	for text, want := range map[string]string{
		"0 40; 1 40; 9 55; 12 55":            "0-1 200:40(2,0-1); 9-12 200:55(2,9-12)",
		"0 40; 1 404; 2 503":                 "0-0 200:40(1,0-0); 1-1 404:-1(1,1-1); 2-2 503:-1(1,2-2)",
		"0 40; 1 55; 2 40":                   "0-0 200:40(1,0-0); 1-1 200:55(1,1-1); 2-2 200:40(1,2-2)",
		"0 40; 1 25; 2 40; 3 25; 4 40; 5 25": "0-5 200:40(3,0-4) 200:25(3,1-5)",
		"0 40; 1 25; 2 40; 3 25; 4 40; 9 55; 10 30; 11 55; 12 30; 13 55": "0-4 200:40(3,0-4) 200:25(2,1-3); " +
			"9-13 200:55(3,9-13) 200:30(2,10-12)",
		// Once a month that is no alternation.
		"0 40; 720 25; 1440 40; 2160 25; 2880 40": "0-0 200:40(1,0-0); 720-720 200:25(1,720-720); " +
			"1440-1440 200:40(1,1440-1440); 2160-2160 200:25(1,2160-2160); 2880-2880 200:40(1,2880-2880)",
	} {
		if got := intervalsOf(t, text); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestIntervalsAreBounded checks that a site's intervals stay few without losing answers.
func TestIntervalsAreBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, size := range map[string]func(i int) int64{
		"all different": func(i int) int64 { return int64(i) },
		"random":        func(int) int64 { return r.Int64N(100) },
	} {
		var list []report.LoggedInterval
		const n = 200_000
		for i := range n {
			at := report.Moment(i) * 60e9
			list = AddAnswer(list, report.LoggedAnswer{Status: 200, Bytes: size(i), N: 1, First: at, Last: at})
		}
		sum, answers := int64(0), 0
		for _, of := range list {
			for _, a := range of.Answers {
				sum, answers = sum+a.N, max(answers, len(of.Answers))
				if a.First < of.First || a.Last > of.Last {
					t.Fatalf("%s: an answer is outside of its interval", name)
				}
			}
		}
		if len(list) > maxIntervals || answers > maxAnswers+1 || sum != n {
			t.Errorf("%s: %d intervals, up to %d answers in one, %d in all", name, len(list), answers, sum)
		}
	}
}
