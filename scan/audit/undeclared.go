package audit

import (
	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/report"
)

// undeclared gives the record, which names no crawler, to Config.Undeclared if robots.txt forbids it to *.
func (w *Worker) undeclared() {
	if w.record.Target[0] == '*' || string(w.record.Method) == "CONNECT" {
		return
	}
	at := w.site()
	if at.other || !w.forbiddenToAll(at) {
		return
	}
	version := w.question.Lawful.Quoted
	copy := w.policy.Versions(at.First)[version].Copy
	line := w.bindingAt(w.everybody, at.First).Judge(&w.scratch, copy, w.record.Target).Line
	j := w.asJudged(at, w.everybody, report.Unverified, judge.Decision{Verdict: report.Violation})
	j.Rule = w.auditor.rule(ruleKey{at.Site, version, line}, 0)
	w.auditor.config.Undeclared(j)
}

// forbiddenToAll reports whether every copy of robots.txt that a crawler may have used forbids the
// record to *, and leaves that in w.question.
func (w *Worker) forbiddenToAll(at site) bool {
	w.findLoss()
	q := w.asCase(at, w.everybody, w.robotsAsk())
	if at.N > 0 && q.HasTime {
		q.Lawful = w.policy.Lawful(at.First, q.Time, q.Class)
	}
	q.SourceOnly = true
	d, _ := judge.Decide(w.policy, q, nil)
	q.SourceOnly = false
	return d.Verdict == report.Violation
}
