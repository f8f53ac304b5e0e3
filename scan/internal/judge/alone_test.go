package judge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
)

// TestStandsAlone checks which 404 and 410 answers are isolated, which is a run of answers to one
// client between two files at most the delay, 3 hours, apart. Each line has minutes and the answers
// at that time: a file, or a 404 for a client by number, where 0 is unknown. Wanted are those that
// clear.
func TestStandsAlone(t *testing.T) {
	p := history(t, policy.Options{}, version{from: -9 * aDay, body: "a"})
	for log, want := range map[string]string{
		"0 file, 60 1, 120 file":                       "",
		"0 file, 60 1, 61 1, 120 file":                 "",
		"0 file, 60 1, 61 2, 120 file":                 "60 61",
		"0 file, 60 0, 120 file":                       "60",
		"0 file, 60 1, 61 0, 120 file":                 "60 61",
		"0 file, 60 1, 180 file":                       "",
		"0 file, 60 1, 181 file":                       "60",
		"60 1, 120 file":                               "60",
		"0 file, 60 1":                                 "60",
		"60 1":                                         "60",
		"0 file, 30 1, 60 file, 90 2, 120 file":        "",
		"0 file, 30 1, 60 file, 60 2, 90 2, 120 file":  "30 60",
		"0 file, 30 1, 60 file, 60 1, 90 2, 120 file":  "60 90",
		"0 file, 60 1, 60 file, 120 file":              "",
		"0 file, 60 1, 60 file":                        "60",
		"60 1, 60 file, 120 file":                      "60",
		"0 file, 60 1, 60 file, 300 file":              "60",
		"0 file, 60 1, 60 2, 60 file, 120 file":        "60",
		"0 file, 60 1, 120 moved, 121 error, 150 same": "",
		"0 file, 60 1, 120 moved, 121 error, 150 none": "60",
		"0 file, 60 1 of unknown, 120 file":            "60",
		"0 file, 60 1, 61 2 of unknown, 120 file":      "61",
	} {
		a := NewAnswers(p)
		var gone []int
		for item := range strings.SplitSeq(log, ", ") {
			var minutes int
			var what, host string
			fmt.Sscanf(strings.Replace(item, " of ", " ", 1), "%d %s %s", &minutes, &what, &host)
			kind := map[string]Kind{"file": ToldFile, "same": ToldSame, "moved": ToldRedirect, "error": ToldBusy,
				"none": ToldNone}[what]
			client := uint64(0)
			if kind == 0 {
				kind = ToldGone
				fmt.Sscan(what, &client)
				gone = append(gone, minutes)
			}
			site := policy.Site{N: 1}
			if host == "unknown" {
				site.N = 0
			}
			x := AnswerOf(kind, moment(60*minutes), true)
			x.Client, x.Stranger = client, true
			a.Add(site, x, 1)
		}
		a.Complete()
		var clears []string
		for i, m := range gone {
			if at := moment(60 * m); (i == 0 || gone[i-1] != m) && a.gone(0, at, at) {
				clears = append(clears, fmt.Sprint(m))
			}
		}
		if got := strings.Join(clears, " "); got != want {
			t.Errorf("%s: %q clear, want %q", log, got, want)
		}
	}
}
