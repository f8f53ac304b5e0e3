package audit

import (
	"bytes"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// rates measures the gaps between fetches of robots.txt, and between requests for
// which a group states a Crawl-delay. It gets deferred records in their order, and
// holds no more than the data of one operator's crawlers.
type rates struct {
	fetches map[*row]*fetchRate // of the operator whose records come now

	row     *row         // whose delayed requests come now
	from    judge.Sender // the client of the last one
	address []byte
	last    int64 // time of the address's last request
	gaps    gaps  // shorter than the delay at their end, or not
	delay   int64 // in milliseconds, of the latest request
	latest  int64 // the time of that
}

// fetchRate is how a crawler fetches robots.txt.
type fetchRate struct {
	last map[policy.Site]int64
	gaps gaps // their limit is a millisecond more than a day
}

// delayAt is how a crawler kept a Crawl-delay on a site. Delay is the one stated at the
// last request; Shorter counts gaps by the one stated at their end.
type delayAt struct {
	at policy.Site
	report.DelayInfo
}

const (
	millisecond      = 1_000_000 // in nanoseconds
	minute           = int64(60_000 * millisecond)
	hour             = 60 * minute
	dayMillis        = 24 * 60 * 60 * 1000          // in milliseconds
	longestGapMillis = 100 * 366 * int64(dayMillis) // longer gaps count as this
)

// gaps are numbers of milliseconds. Up to exactGaps of them are kept as they are; more
// of them go to a histogram, exact to three digits.
type gaps struct {
	exact []int64
	h     *hdrhistogram.Histogram // nil while they are few
	n     int64
	max   int64
	short int64 // how many were shorter than their limit
}

const exactGaps = 1 << 12

// add adds n gaps of the same length and limit.
func (g *gaps) add(millis, limit, n int64) {
	if n == 0 {
		return
	}
	g.n += n
	g.max = max(g.max, millis)
	if millis < limit {
		g.short += n
	}
	switch {
	case g.h != nil:
		g.record(millis, n)
	case n <= int64(exactGaps-len(g.exact)):
		for range n {
			g.exact = append(g.exact, millis)
		}
	default:
		g.h = hdrhistogram.New(1, longestGapMillis, 3)
		for _, millis := range g.exact {
			g.record(millis, 1)
		}
		g.exact = nil
		g.record(millis, n)
	}
}

func (g *gaps) record(millis, n int64) {
	// The number is in the range of the histogram, so there is no error.
	_ = g.h.RecordValues(min(millis, longestGapMillis), n)
}

// quantile returns the smallest gap that at least this share of all gaps, in per cent,
// do not exceed.
func (g *gaps) quantile(percent int64) int64 {
	if g.h != nil {
		return g.h.ValueAtQuantile(float64(percent))
	}
	slices.Sort(g.exact)
	return g.exact[max(0, (int64(len(g.exact))*percent+99)/100-1)]
}

// millis returns the milliseconds between two moments, even if the number of
// nanoseconds overflows.
func millis(from, to int64) int64 {
	if d := to - from; d >= 0 {
		return d / millisecond
	}
	return to/millisecond - from/millisecond
}

func seconds(millis int64) float64 { return float64(millis) / 1000 }

// delaySupport says whether a crawler heeds Crawl-delay: yes, no, or "" if that is not
// known. Google's parser knows no such line.
func delaySupport(p *crawler.Profile) string {
	if p == nil {
		return ""
	}
	if p.CrawlDelay == "" && classOf(p) == answer.Google {
		return "no"
	}
	return p.CrawlDelay
}

func newRates() *rates { return &rates{fetches: map[*row]*fetchRate{}} }

// fetch adds n fetches at one moment. Those of an operator come in the order of time.
func (r *rates) fetch(row *row, at policy.Site, t, n int64) {
	f := r.fetches[row]
	if f == nil {
		f = &fetchRate{last: map[policy.Site]int64{}}
		r.fetches[row] = f
	}
	if last, ok := f.last[at]; ok {
		f.gaps.add(millis(last, t), dayMillis+1, 1)
	}
	f.gaps.add(0, dayMillis+1, n-1)
	f.last[at] = t
}

// delayed adds n equal requests to which a Crawl-delay applies. Those of
// a row and a site come together; among them those of a client, which is a crawler at an
// address, in the order of time.
func (r *rates) delayed(row *row, x *delayed, n int64) {
	if row != r.row || x.from.Site != r.from.Site {
		r.endRequests()
		r.row, r.gaps, r.latest = row, gaps{}, x.time
	} else if x.from == r.from && bytes.Equal(x.address, r.address) {
		r.gaps.add(millis(r.last, x.time), x.millis, 1)
	}
	r.from, r.address = x.from, append(r.address[:0], x.address...)
	r.gaps.add(0, x.millis, n-1)
	r.last = x.time
	if x.time >= r.latest {
		r.latest, r.delay = x.time, x.millis
	}
}

// endRequests adds the measurements of delayed requests to their row.
func (r *rates) endRequests() {
	if r.row != nil && r.gaps.n > 0 {
		r.row.addDelay(delayAt{r.from.Site, report.DelayInfo{
			Delay: seconds(r.delay), Gaps: r.gaps.n, Shorter: r.gaps.short, Median: seconds(r.gaps.quantile(50)),
			P10: seconds(r.gaps.quantile(10)),
		}})
	}
	r.row = nil
}

// endOperator adds the measurements of an operator's crawlers to their rows.
func (r *rates) endOperator() {
	r.endRequests()
	for row, f := range r.fetches {
		if f.gaps.n > 0 {
			row.fetchGaps = &report.FetchInfo{
				Gaps: f.gaps.n, MedianGap: seconds(f.gaps.quantile(50)), LongestGap: seconds(f.gaps.max),
				Within24h: float64(f.gaps.short) / float64(f.gaps.n),
			}
		}
	}
	clear(r.fetches)
}
