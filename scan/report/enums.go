package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Outcome is how the server answered a request, judged by status, method and body size.
type Outcome uint8

const (
	Content      Outcome = iota // 2xx with a body, except to HEAD
	NotModified                 // 304
	Empty                       // 2xx without a body, or to HEAD
	Redirected                  // other 3xx
	Refused                     // RefusedBy
	OtherOutcome                // any other status, 202 among them, or none
	Outcomes                    // the number of outcomes
)

// RefusedBy names the statuses of Refused.
const RefusedBy = "401, 402, 403, 429, 444, 451 or 5xx"

// Method is a class of request methods.
type Method uint8

const (
	Get Method = iota
	Head
	OtherMethod
	Methods // the number of methods
)

// Identity is how well the sender of a request is proven. Each has the number of the corresponding crawler.State.
type Identity uint8

const (
	Verified Identity = iota
	SpoofedIdentity
	Unverified
	Unverifiable
	Identities // the number of identities
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
	AnswerOther                          // any other status
	answerClasses
)

// Unit is a length of time. Each is a multiple of the one before.
type Unit uint8

const (
	Hour Unit = iota
	Day
	Week   // from Monday
	Year   // 52 weeks
	Decade // 520 weeks
	Units  // the number of units
)

const day = 24 * time.Hour

var unitLengths = [Units]time.Duration{time.Hour, day, 7 * day, 364 * day, 3640 * day}

// Length returns the length of the unit.
func (u Unit) Length() time.Duration { return unitLengths[u] }

// Role is who causes the requests of a crawler.
type Role string

// The roles. A fetcher is sent by a person, a subscription or the site's own operator.
const (
	RoleCrawler Role = "crawler"
	RoleFetcher Role = "fetcher"
)

// YesNo is what is known about a crawler; it is empty if nothing is known.
type YesNo string

// The values of YesNo.
const (
	Yes      YesNo = "yes"
	No       YesNo = "no"
	NotKnown YesNo = Unknown
)

// History is the meaning of the times of robots.txt versions.
type History string

// The histories.
const (
	Deployed  History = "deployed" // when each came into force
	Observed  History = "observed" // when each was seen
	Constant  History = "constant" // one robots.txt is taken as in force throughout
	NoHistory History = "none"     // no robots.txt was given
)

// The names of all these in reports. A new value is one line above and one name here:
// states, sums and reports take both from these tables.
var (
	outcomeNames  = [Outcomes]string{"content", "not_modified", "empty", "redirected", "refused", "other"}
	methodNames   = [Methods]string{"GET", "HEAD", "other"}
	identityNames = [Identities]string{"verified", "spoofed", "unverified", "unverifiable"}
	answerNames   = [answerClasses]string{"2xx", "304", "3xx", "4xx", "429", "5xx", "other"}
	unitNames     = [Units]string{"hour", "day", "week", "year", "decade"}
)

// String returns the outcome's name in reports.
func (o Outcome) String() string { return outcomeNames[o] }

// String returns the method's name in reports.
func (m Method) String() string { return methodNames[m] }

// String returns the identity's name in reports.
func (i Identity) String() string { return identityNames[i] }

// String returns the name of the class in reports.
func (c AnswerClass) String() string { return answerNames[c] }

// String returns the unit's name in reports.
func (u Unit) String() string { return unitNames[u] }

// MarshalText implements encoding.TextMarshaler.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// MarshalText implements encoding.TextMarshaler.
func (m Method) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// MarshalText implements encoding.TextMarshaler.
func (i Identity) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// MarshalText implements encoding.TextMarshaler.
func (u Unit) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *Outcome) UnmarshalText(text []byte) error { return readName(o, outcomeNames[:], text) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Method) UnmarshalText(text []byte) error { return readName(m, methodNames[:], text) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (i *Identity) UnmarshalText(text []byte) error { return readName(i, identityNames[:], text) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (u *Unit) UnmarshalText(text []byte) error { return readName(u, unitNames[:], text) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (v *Verdict) UnmarshalText(text []byte) error { return readName(v, verdictNames[:], text) }

func readName[E ~uint8](e *E, names []string, text []byte) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return fmt.Errorf("%q is none of %s", text, strings.Join(names, ", "))
	}
	*e = E(i)
	return nil
}

// Numbers of requests by the values of an enum. In JSON each is an object with all names of the enum, in its order.
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
