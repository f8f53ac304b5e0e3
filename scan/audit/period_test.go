package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/report"
)

// periodOfTest is in the middle of stateLog.
func periodOfTest() Period {
	return Period{Since: time.Unix(0, moment(-2*day0)), Until: time.Unix(0, moment(7*day0))}
}

// limited returns an auditor of a period, and appends each verdict in it to a list.
func limited(t testing.TB, p Period, verdicts *[]string) *Auditor {
	a := New(stateAuditor(t).config)
	a.config.Judged = listen(func(j *Event) {
		if !j.HasTime || periodOfTest().contains(j.Time) {
			for range j.N {
				*verdicts = append(*verdicts, fmt.Sprintf("%s %v %v %v %v %s", j.Verdict, j.Reason, j.Identity, j.Informed,
					j.Evasive, j.Line))
			}
		}
	})
	a.config.Period = p
	return New(a.config)
}

// The verdicts on the requests in a period are those of an audit of the whole log: a 404 for
// robots.txt just before it clears what it clears.
func TestAPeriodChangesNoVerdict(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 7))
	for round := range 4 {
		lines := stateLog(rng, 1500)
		lines = append(lines, entry{vhost: "example.com:443", time: "-", target: "/private/"}.String())
		var whole, part []string
		all := auditText(t, limited(t, Period{}, &whole), "vhost_combined", strings.Join(lines, "\n"))
		r := auditText(t, limited(t, periodOfTest(), &part), "vhost_combined", strings.Join(lines, "\n"))
		slices.Sort(whole)
		slices.Sort(part)
		if !slices.Equal(whole, part) {
			t.Fatalf("round %d: %d verdicts differ: %s", round, len(whole),
				firstDifference(strings.Join(part, "\n"), strings.Join(whole, "\n")))
		}
		if len(part) < 100 || r.OutOfPeriod < 100 || r.Lines+r.OutOfPeriod != all.Lines {
			t.Errorf("%d verdicts, %d lines and %d outside of the period of %d", len(part), r.Lines, r.OutOfPeriod, all.Lines)
		}
		if r.Since != "2026-02-28T10:00:00Z" || r.Until != "2026-03-09T10:00:00Z" || r.From < r.Since || r.To >= r.Until {
			t.Errorf("%s to %s, requests from %s to %s", r.Since, r.Until, r.From, r.To)
		}
		if r.OutsideFrom == "" || r.OutsideFrom >= r.Since || r.OutsideTo < r.Until || all.OutsideFrom+all.OutsideTo != "" {
			t.Errorf("lines outside from %s to %s", r.OutsideFrom, r.OutsideTo)
		}
	}
}

// The end of a period is not in it, its beginning is.
func TestBoundsOfAPeriod(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	for what, c := range map[string]struct {
		since, until int // seconds, 0: none
		want         int64
	}{
		"all":   {0, 0, 5},
		"since": {2, 0, 3},
		"until": {0, 2, 3},
		"both":  {2, 3, 2},
	} {
		p := Period{}
		if c.since > 0 {
			p.Since = time.Unix(0, moment(c.since))
		}
		if c.until > 0 {
			p.Until = time.Unix(0, moment(c.until))
		}
		a.config.Period = p
		r := auditEntries(t, New(a.config), entry{time: at(0)}, entry{time: at(1)}, entry{time: at(2)}, entry{time: at(3)},
			entry{time: "-"})
		if r.Lines != c.want || r.OutOfPeriod != 5-c.want || r.Totals.Verdicts[report.Indeterminate] != 1 {
			t.Errorf("%s: %d lines, %d out of the period, %d without a time", what, r.Lines, r.OutOfPeriod,
				r.Totals.Verdicts[report.Indeterminate])
		}
	}
}

// A crawler that only fetched robots.txt, and outside of the period, is in no row.
func TestFetchesOutsideOfAPeriodAreNoRequests(t *testing.T) {
	c := newAuditor(t, robotsTxtBody, "https://example.com").config
	c.Period.Since = time.Unix(0, moment(100))
	a := New(c)
	r := auditEntries(t, a, entry{target: "/robots.txt"}, entry{target: "/robots.txt", agent: acmebot},
		entry{target: "/robots.txt", agent: twoBots},
		entry{target: "/robots.txt", agent: browser}, entry{target: "/robots.txt", agent: chatgpt},
		entry{agent: browser, time: at(200)})
	if len(r.Crawlers) != 0 || r.Lines != 1 || r.OutOfPeriod != 5 || r.RobotsTxt.Requests != 0 || !r.RobotsTxt.Logged {
		t.Errorf("%d crawlers, %d lines, %d out of the period, %+v", len(r.Crawlers), r.Lines, r.OutOfPeriod, r.RobotsTxt)
	}
}
