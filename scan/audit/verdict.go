package audit

import "github.com/robotsieve/robotsieve/scan/format"

// outcomeOf returns the outcome of an answer to a method (audit-rules 6).
func outcomeOf(status int, size int64, m Method) Outcome {
	switch {
	case status/100 == 2 && (m == Head || !hasBody(status, size)):
		return Empty
	case status/100 == 2:
		return Content
	case status == 304:
		return NotModified
	case status/100 == 3:
		return Redirected
	case status/100 == 5:
		return Refused
	}
	switch status {
	case 401, 403, 429, 444, 451:
		return Refused
	}
	return OtherOutcome
}

// hasBody reports whether an answer with status 2xx to a GET had a body, as far as a log
// tells: a format without sizes tells it by the status alone.
func hasBody(status int, size int64) bool {
	return status != 204 && (size > 0 || size == format.NoSizes)
}

func methodOf(method []byte) Method {
	switch string(method) {
	case "GET":
		return Get
	case "HEAD":
		return Head
	}
	return OtherMethod
}

func answerClassOf(status int) AnswerClass {
	switch {
	case status == 304:
		return AnswerNotModified
	case status == 429:
		return AnswerTooMany
	case 200 <= status && status < 600:
		return [...]AnswerClass{2: AnswerSuccess, AnswerRedirect, AnswerUnavailable, AnswerError}[status/100]
	}
	return AnswerOther
}
