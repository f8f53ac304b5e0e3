package audit

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/robotsieve/robotsieve/scan/report"
)

// referred counts the record, of a client that is no crawler, by its Referer.
func (w *Worker) referred() {
	w.tally.Referers++
	host := refererHost(w.record.Referer)
	if len(host) == 0 {
		return
	}
	if !bytes.Equal(host, w.referer) { // most are the site itself
		w.referer = append(w.referer[:0], host[:min(len(host), maxHostName)]...)
		w.referrer = w.auditor.config.Crawlers.Referrer(w.referer)
	}
	if w.referrer != "" {
		w.tally.Referred[w.referrer]++
	}
}

// refererHost returns the host of a Referer by http or https, nil if it has none.
func refererHost(referer []byte) []byte {
	rest, isHTTP := bytes.CutPrefix(referer, []byte("http"))
	if !isHTTP || len(rest) < len("s://") {
		return nil
	}
	if rest[0] == 's' {
		rest = rest[1:]
	}
	host, found := bytes.CutPrefix(rest, []byte("://"))
	if !found {
		return nil
	}
	for i, c := range host {
		if c == '/' || c == ':' || c == '?' || c == '#' {
			return host[:i]
		}
	}
	return host
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
		if len(p.Referrers) > 0 && info.Crawled+info.Referred > 0 {
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
