package report

// SiteClass is how much of an origin a version of its robots.txt forbids to an agent, apart from /robots.txt.
type SiteClass struct {
	Origin      string
	From, Until int64 // in Unix seconds; math.MinInt64 without a date, math.MaxInt64 without an end
	Status      int
	Agent       string
	Named       bool // whether a group names the agent
	// Class is a class of prove.Classify, with its paths, or PageClass. It is unreachable if robots.txt failed and no
	// earlier answer succeeded, and unknown if the archive lacks the robots.txt to which it was redirected.
	Class, Forbidden, Allowed string
	// AllSomeNone and Probed are the results of package prove; "" without a file to judge.
	AllSomeNone, Probed string
	Bias                int // from package prove; meaningless if these are empty
}

// PageClass is the class of a web page in place of a robots.txt, which forbids nothing.
const PageClass = "page"

// SiteSignal is a preference that a version of the robots.txt of an origin states.
type SiteSignal struct {
	Origin      string // "" if only the file is known
	From, Until int64  // as in SiteClass
	Agent       string // a product token, or * for agents that no group names; "" stands for all
	// Signal, Use, Path and Value come from a preference.Statement.
	Signal, Use, Path, Value string
}

// MonthClass counts the sites of a panel by the class of an agent that was in force at the end of a
// month. A site is represented by its https origin, if it has one, otherwise by its http origin.
type MonthClass struct {
	Month, Agent string // the month is written like 2026-01
	Sites        int64
	Classes      map[string]int64 // by the names that MonthClasses returns; they add up to Sites
}

// Classes that only MonthClass has. MissingClass means that there is no robots.txt. UnknownClass
// also covers the time before a site's first version.
const (
	MissingClass = "missing"
	UnknownClass = "unknown"
)

// MonthClasses returns the classes of MonthClass, with UnknownClass first.
func MonthClasses() []string {
	return []string{UnknownClass, "none", "partial", "full", "undecided", PageClass, "unreachable", MissingClass}
}
