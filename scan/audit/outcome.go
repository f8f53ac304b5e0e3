package audit

import (
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/report"
)

// outcomeOf returns the outcome of an answer to a method (audit-rules 6).
func outcomeOf(status int, size int64, m report.Method) report.Outcome {
	switch {
	case status == 202: // accepted is not content, and challenges are sent so
		return report.OtherOutcome
	case status/100 == 2 && (m == report.Head || !hasBody(status, size)):
		return report.Empty
	case status/100 == 2:
		return report.Content
	case status == 304:
		return report.NotModified
	case status/100 == 3:
		return report.Redirected
	case status/100 == 5:
		return report.Refused
	}
	switch status {
	case 401, 402, 403, 429, 444, 451:
		return report.Refused
	}
	return report.OtherOutcome
}

// hasBody reports whether an answer with status 2xx to a GET had a body, as far as a log
// tells: a format without sizes tells it by the status alone.
func hasBody(status int, size int64) bool {
	return status != 204 && (size > 0 || size == format.NoSizes)
}

func methodOf(method []byte) report.Method {
	switch string(method) {
	case "GET":
		return report.Get
	case "HEAD":
		return report.Head
	}
	return report.OtherMethod
}

func answerClassOf(status int) report.AnswerClass {
	switch {
	case status == 304:
		return report.AnswerNotModified
	case status == 429:
		return report.AnswerTooMany
	case 200 <= status && status < 600:
		return [...]report.AnswerClass{2: report.AnswerSuccess, report.AnswerRedirect, report.AnswerUnavailable,
			report.AnswerError}[status/100]
	}
	return report.AnswerOther
}
