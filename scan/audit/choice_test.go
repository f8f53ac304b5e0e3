package audit

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/report"
)

// A report of some crawlers has their rows of the report of all, and the same lines. Its sums are those
// of the rows, and a sum of states has the same report.
func TestChoice(t *testing.T) {
	lines := stateLog(rand.New(rand.NewPCG(3, 5)), 4000)
	all, err := reportOf(stateAuditor(t), stateOf(t, stateAuditor(t), lines))
	if err != nil {
		t.Fatal(err)
	}
	unknown := slices.IndexFunc(all.Crawlers, func(c report.CrawlerInfo) bool { return c.Operator == report.Unknown })
	for _, only := range []report.Choice{
		{Categories: []string{report.AI}},
		{Categories: []string{"search", report.Unknown}},
		{Crawlers: []string{"googlebot"}, Categories: []string{"AI-training"}},
		{Crawlers: []string{all.Crawlers[unknown].Crawler, "bingbot"}},
		{Crawlers: []string{"no crawler"}},
	} {
		a := stateAuditor(t)
		a.config.Only = only
		got, err := reportOf(a, stateOf(t, a, lines))
		if err != nil {
			t.Fatal(err)
		}
		if wrong := anyWrongSum(got); wrong != "" {
			t.Errorf("%v: %s", only, wrong)
		}
		want := slices.DeleteFunc(slices.Clone(all.Crawlers),
			func(c report.CrawlerInfo) bool { return !only.Has(c.Crawler, c.Category) })
		if !reflect.DeepEqual(got.Crawlers, want) {
			t.Errorf("%v: got %+v\nwant %+v", only, got.Crawlers, want)
		}
		if got.LineCounts != all.LineCounts || got.AllBytes != all.AllBytes || got.AllRequests() != all.Totals.Requests {
			t.Errorf("%v: %+v and %d requests, want %+v", only, got.LineCounts, got.AllRequests(), all.LineCounts)
		}
		checkSitesOf(t, only, got, lines)
		sum, err := reportOf(a, stateOf(t, a, lines[:700]), stateOf(t, a, lines[700:]))
		if err != nil {
			t.Fatal(err)
		}
		if got, sum := marshal(t, got), marshal(t, sum); got != sum {
			t.Errorf("%v: the sum of states: %s", only, firstDifference(sum, got))
		}
	}
}

// checkSitesOf compares the sites of a report with the requests of its crawlers. Those of crawlers that are
// not known, and chosen by name, are in the last row.
func checkSitesOf(t *testing.T, only report.Choice, r *report.Report, lines []string) {
	t.Helper()
	want, others := map[string]int64{}, int64(0)
	config := stateAuditor(t).config
	config.Judged = listen(func(j *Event) {
		switch byCategory := (report.Choice{Categories: append([]string{"none"}, only.Categories...)}); {
		case !j.IsOf(&only):
		case j.Crawler == nil && !j.IsOf(&byCategory):
			others += j.N
		default:
			want[j.Origin] += j.N
		}
	})
	auditText(t, New(config), "vhost_combined", strings.Join(lines, "\n"))
	for _, s := range r.Sites {
		if s.Origin == report.OtherSites {
			want[s.Origin] = others
		}
		if s.Requests != want[s.Origin] {
			t.Errorf("%v: %s has %d requests, want %d", only, s.Origin, s.Requests, want[s.Origin])
		}
		delete(want, s.Origin)
	}
	if len(want) > 0 {
		t.Errorf("%v: sites without a row: %v", only, want)
	}
}
