package audit

// Verdict is what the audit says of one request of a crawler: exactly one of
// nine.
type Verdict uint8

const (
	// Allowed: every known lawful copy of robots.txt permits the request.
	Allowed Verdict = iota
	// RobotsFetch: a request for /robots.txt itself (RFC 9309 2.2.2).
	RobotsFetch
	// Violation: every lawful copy forbids the request.
	Violation
	// Grace: some lawful copies forbid it, some permit it.
	Grace
	// Indeterminate: it cannot be decided, for a Reason.
	Indeterminate
	// NoPolicy: only an unavailable robots.txt permits it (RFC 9309 2.3.1.3).
	NoPolicy
	// Unreachable: only an unreachable robots.txt permits it (RFC 9309 2.3.1.4).
	Unreachable
	// Exempt: robots.txt does not apply to the agent, as its operator says.
	Exempt
	// Spoofed: the client claims to be a crawler that it is proven not to be.
	Spoofed
	verdicts
)

// Reason says why a request is Indeterminate.
type Reason uint8

const (
	NoVersion Reason = iota
	NoHost
	NoTime
	UnknownScheme
	LossyPath
	Truncated
	AmbiguousAgent
	RedirectedPolicy
	ContestedRule
	reasons
)

// Outcome is what the server did about a request, by its status.
type Outcome uint8

const (
	Obtained   Outcome = iota // 2xx, 304
	Redirected                // other 3xx
	Refused                   // 401, 403, 429, 444, 451, 5xx
	Absent                    // every other status
	outcomes
)

// outcomeOf returns the outcome of a status.
func outcomeOf(status int) Outcome {
	switch {
	case status/100 == 2 || status == 304:
		return Obtained
	case status/100 == 3:
		return Redirected
	case status/100 == 5:
		return Refused
	}
	switch status {
	case 401, 403, 429, 444, 451:
		return Refused
	}
	return Absent
}

// Method is a class of request methods.
type Method uint8

const (
	Get Method = iota
	Head
	OtherMethod
	methods
)

func methodOf(method []byte) Method {
	switch string(method) {
	case "GET":
		return Get
	case "HEAD":
		return Head
	}
	return OtherMethod
}

// Identity is what is known of who sent a request.
type Identity uint8

const (
	Verified Identity = iota
	SpoofedIdentity
	Unverified
	Unverifiable
	identities
)

var (
	outcomeNames  = [outcomes]string{"obtained", "redirected", "refused", "absent"}
	methodNames   = [methods]string{"GET", "HEAD", "other"}
	identityNames = [identities]string{"verified", "spoofed", "unverified", "unverifiable"}
)
