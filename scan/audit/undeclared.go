package audit

import (
	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/report"
)

// undeclared gives the record, which names no crawler, to Config.Undeclared if robots.txt forbids it to *.
func (w *Worker) undeclared() {
	if w.bySources(w.everybody) != report.Violation {
		return
	}
	at := w.site()
	version := w.question.Lawful.Quoted
	copy := w.policy.Versions(at.First)[version].Copy
	line := w.bindingAt(w.everybody, at.First).Judge(&w.scratch, copy, w.record.Target).Line
	j := w.asJudged(at, w.everybody, report.Unverified, judge.Decision{Verdict: report.Violation})
	j.Rule = w.auditor.rule(ruleKey{at.Site, version, line}, 0)
	w.auditor.config.Undeclared(j)
}

// bySources returns the verdict on the record as one of a crawler by the copies of robots.txt alone that it
// may have used, and leaves these in w.question. It is NoPolicy if the record is not to be judged.
func (w *Worker) bySources(c *agent) report.Verdict {
	if w.record.Target[0] == '*' || string(w.record.Method) == "CONNECT" {
		return report.NoPolicy
	}
	at := w.site()
	if at.other {
		return report.NoPolicy
	}
	w.findLoss()
	q := w.asCase(at, c, w.robotsAsk())
	if at.N > 0 && q.HasTime && !c.exempt() {
		q.Lawful = w.policy.Lawful(at.First, q.Time, q.Class)
	}
	q.SourceOnly = true
	d, _ := judge.Decide(w.policy, q, nil)
	q.SourceOnly = false
	return d.Verdict
}
