package report

import (
	"encoding/json"
	"strconv"
)

// Outcome is how the server answered a request, by status, method and size of the body.
type Outcome uint8

const (
	Content      Outcome = iota // 2xx with a body, and not to HEAD
	NotModified                 // 304
	Empty                       // 2xx without a body, or to HEAD
	Redirected                  // other 3xx
	Refused                     // 401, 403, 429, 444, 451, 5xx
	OtherOutcome                // every other status, or none
	Outcomes                    // their number
)

// Method is a class of request methods.
type Method uint8

const (
	Get Method = iota
	Head
	OtherMethod
	Methods // their number
)

// Identity is how far the sender of a request is proven. Each is a crawler.State, of the same number.
type Identity uint8

const (
	Verified Identity = iota
	SpoofedIdentity
	Unverified
	Unverifiable
	Identities // their number
)

// AnswerClass is a class of answers to a GET of robots.txt, by status.
type AnswerClass uint8

const (
	AnswerSuccess     AnswerClass = iota // 2xx
	AnswerNotModified                    // 304
	AnswerRedirect                       // other 3xx
	AnswerUnavailable                    // other 4xx
	AnswerTooMany                        // 429
	AnswerError                          // 5xx
	AnswerOther                          // every other status
	answerClasses
)

// The names of all these in reports. A new value is one line above and one name here:
// states, sums and reports take both from these tables.
var (
	outcomeNames  = [Outcomes]string{"content", "not_modified", "empty", "redirected", "refused", "other"}
	methodNames   = [Methods]string{"GET", "HEAD", "other"}
	identityNames = [Identities]string{"verified", "spoofed", "unverified", "unverifiable"}
	answerNames   = [answerClasses]string{"2xx", "304", "3xx", "4xx", "429", "5xx", "other"}
)

// String returns the outcome's name in reports.
func (o Outcome) String() string { return outcomeNames[o] }

// String returns the method's name in reports.
func (m Method) String() string { return methodNames[m] }

// String returns the identity's name in reports.
func (i Identity) String() string { return identityNames[i] }

// String returns the name of the class in reports.
func (c AnswerClass) String() string { return answerNames[c] }

// Numbers of requests by the values of an enum. As JSON each is an object with all
// names of the enum, in its order.
type (
	// VerdictCounts counts requests by Verdict.
	VerdictCounts [Verdicts]int64
	// ReasonCounts counts indeterminate requests by Reason.
	ReasonCounts [Reasons]int64
	// OutcomeCounts counts violations by Outcome.
	OutcomeCounts [Outcomes]int64
	// IdentityCounts counts requests by Identity, which is a crawler.State.
	IdentityCounts [Identities]int64
	// AnswerCounts counts answers to fetches of robots.txt by AnswerClass.
	AnswerCounts [answerClasses]int64
)

// MarshalJSON implements json.Marshaler.
func (n VerdictCounts) MarshalJSON() ([]byte, error) { return counts(verdictNames[:], n[:]), nil }

// MarshalJSON implements json.Marshaler.
func (n ReasonCounts) MarshalJSON() ([]byte, error) { return counts(reasonNames[:], n[:]), nil }

// MarshalJSON implements json.Marshaler.
func (n OutcomeCounts) MarshalJSON() ([]byte, error) { return counts(outcomeNames[:], n[:]), nil }

// MarshalJSON implements json.Marshaler.
func (n IdentityCounts) MarshalJSON() ([]byte, error) { return counts(identityNames[:], n[:]), nil }

// MarshalJSON implements json.Marshaler.
func (n AnswerCounts) MarshalJSON() ([]byte, error) { return counts(answerNames[:], n[:]), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (n *VerdictCounts) UnmarshalJSON(b []byte) error { return readCounts(b, verdictNames[:], n[:]) }

// UnmarshalJSON implements json.Unmarshaler.
func (n *ReasonCounts) UnmarshalJSON(b []byte) error { return readCounts(b, reasonNames[:], n[:]) }

// UnmarshalJSON implements json.Unmarshaler.
func (n *OutcomeCounts) UnmarshalJSON(b []byte) error { return readCounts(b, outcomeNames[:], n[:]) }

// UnmarshalJSON implements json.Unmarshaler.
func (n *IdentityCounts) UnmarshalJSON(b []byte) error { return readCounts(b, identityNames[:], n[:]) }

// UnmarshalJSON implements json.Unmarshaler.
func (n *AnswerCounts) UnmarshalJSON(b []byte) error { return readCounts(b, answerNames[:], n[:]) }

func counts(names []string, n []int64) []byte {
	b := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(strconv.AppendQuote(b, name), ':'), n[i], 10)
	}
	return append(b, '}')
}

func readCounts(b []byte, names []string, n []int64) error {
	var byName map[string]int64
	err := json.Unmarshal(b, &byName)
	for i, name := range names {
		n[i] = byName[name]
	}
	return err
}
