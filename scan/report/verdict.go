package report

// Verdict is one of nine results for a crawler's request.
type Verdict uint8

const (
	// Allowed: every known lawful copy of robots.txt permits the request.
	Allowed Verdict = iota
	// RobotsFetch: a request for /robots.txt itself (RFC 9309 2.2.2).
	RobotsFetch
	// Violation: every lawful copy forbids the request.
	Violation
	// Grace: some lawful copies forbid the request, some permit it.
	Grace
	// Indeterminate: the request cannot be judged; Reason is why.
	Indeterminate
	// NoPolicy: only an unavailable robots.txt permits it (RFC 9309 2.3.1.3).
	NoPolicy
	// Unreachable: only an unreachable robots.txt permits it (RFC 9309 2.3.1.4).
	Unreachable
	// Exempt: robots.txt does not apply to the agent, according to its operator.
	Exempt
	// Spoofed: the client claims to be a crawler, but its address proves otherwise.
	Spoofed
	// Verdicts is the number of verdicts.
	Verdicts
)

// Reason is why a request is Indeterminate.
type Reason uint8

const (
	// NoVersion: the copy used may be older than the first known version.
	NoVersion Reason = iota
	// NoHost: the log does not show which host was requested.
	NoHost
	// NoTime: the time of the request cannot be read.
	NoTime
	// UnknownScheme: the log does not show whether http or https was used, and their rules differ, or
	// only one has a robots.txt.
	UnknownScheme
	// LossyPath: the log does not show the path as it was sent, and the verdict depends on it.
	LossyPath
	// Truncated: the server logged only the beginning of the target, or the name of an unknown crawler is too long.
	Truncated
	// AmbiguousAgent: the User-Agent names crawlers of several operators.
	AmbiguousAgent
	// RedirectedPolicy: robots.txt redirected to an unknown place.
	RedirectedPolicy
	// ContestedRule: Google's parser and RFC 9309 read the rule differently.
	ContestedRule
	// NoRobots: no robots.txt was given, so nothing is judged.
	NoRobots
	// Reasons is the number of reasons.
	Reasons
)

// The names in reports. A new verdict or reason needs one line above and one name here.
var (
	verdictNames = [Verdicts]string{
		"allowed", "robots_fetch", "violation", "grace", "indeterminate", "no_policy", "unreachable", "exempt", "spoofed",
	}
	reasonNames = [Reasons]string{
		"no_version", "no_host", "no_time", "unknown_scheme", "lossy_path", "truncated", "ambiguous_agent",
		"redirected_policy", "contested", "no_robots",
	}
)

// String returns the verdict's name in reports.
func (v Verdict) String() string { return verdictNames[v] }

// String returns the reason's name in reports.
func (r Reason) String() string { return reasonNames[r] }
