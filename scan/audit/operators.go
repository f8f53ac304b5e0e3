package audit

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/robotsieve/robotsieve/scan/report"
)

// hostOf returns where the host of a Referer by http or https is; nothing is there if it has none.
func hostOf(referer []byte) (from, to int) {
	switch {
	case bytes.HasPrefix(referer, []byte("https://")):
		from = len("https://")
	case bytes.HasPrefix(referer, []byte("http://")):
		from = len("http://")
	default:
		return 0, 0
	}
	if n := bytes.IndexAny(referer[from:], "/:?#"); n >= 0 {
		return from, from + n
	}
	return from, len(referer)
}

// listOperators compares what crawlers of operators took with the visitors whom the operators sent:
// of those whose search engines and assistants are known.
func (a *Auditor) listOperators(t *tally, crawlers []report.CrawlerInfo) []report.OperatorInfo {
	list := []report.OperatorInfo{}
	if t.Referers == 0 {
		return list
	}
	crawled := map[string]int64{}
	for i := range crawlers {
		crawled[crawlers[i].Operator] += taken(&crawlers[i])
	}
	for _, p := range a.config.Crawlers.Profiles() {
		info := report.OperatorInfo{Operator: p.Operator, Crawled: crawled[p.Operator], Referred: t.Referred[p.Operator],
			Referrers: p.Referrers}
		if len(p.Referrers) > 0 && (info.Crawled > 0 || info.Referred > 0 && a.config.Only.IsAll()) {
			list = append(list, info)
		}
	}
	slices.SortFunc(list, func(x, y report.OperatorInfo) int {
		return cmp.Or(cmp.Compare(y.Crawled, x.Crawled), cmp.Compare(y.Referred, x.Referred),
			cmp.Compare(x.Operator, y.Operator))
	})
	return list
}

// taken returns how many requests were for anything but robots.txt, without impostors.
func taken(c *report.CrawlerInfo) int64 {
	n := c.Requests - c.Verdicts[report.Spoofed] - c.Verdicts[report.RobotsFetch]
	if c.Exempt != "" {
		n -= c.RobotsTxt.Fetches
	}
	return n
}
