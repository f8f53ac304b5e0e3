package audit

import (
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/report"
)

// handmade is a reader of records as no format of today makes them, one for each byte of
// a chunk.
type handmade struct {
	records []format.Record
	next    int
}

func (h *handmade) Reset([]byte) { h.next = 0 }

func (h *handmade) Next(r *format.Record) format.Kind {
	if h.next == len(h.records) {
		return format.End
	}
	*r = format.Record{Line: h.records[h.next].Line, Agent: h.records[h.next].Agent, Robots: h.records[h.next].Robots}
	h.next++
	return format.Request
}

func (h *handmade) Complete(r *format.Record) { *r = h.records[h.next-1] }

func (*handmade) Plausible(*format.Record) bool { return true }

// request returns the record of a request by GPTBot at someTime.
func request(target string) format.Record {
	return format.Record{
		Line: []byte(target), Agent: []byte(gptbot), Host: []byte("example.com:443"), Addr: []byte("192.0.2.1"),
		Method: []byte("GET"), Target: []byte(target),
		Robots: target == robotsTxt, Time: moment(0), HasTime: true, Status: 200, Size: 512,
	}
}

// auditRecords audits records.
func auditRecords(t testing.TB, a *Auditor, records ...format.Record) *report.Report {
	t.Helper()
	run := begin(t, a)
	w := run.Worker()
	w.readers[format.Default()] = &handmade{records: slices.Clip(records)}
	w.Chunk(format.Default(), nil, []byte("x"))
	return resultOf(t, run)
}

// verdictOf is the verdict on one record, with its reason if it is indeterminate.
func verdictOf(t testing.TB, a *Auditor, r format.Record) string {
	t.Helper()
	result := auditRecords(t, a, r)
	switch v := result.Totals.Verdicts; {
	case result.OtherHost == 1:
		return "other_host"
	case v[report.Indeterminate] == 1:
		for reason := range nonZero(t, result.Crawlers[0].Reasons) {
			return reason
		}
	default:
		for verdict := range nonZero(t, v) {
			return verdict
		}
	}
	return "nothing"
}
