package report

// SiteClass is how much of an origin a version of its robots.txt forbids an agent, /robots.txt aside.
type SiteClass struct {
	Origin      string
	From, Until int64 // in Unix seconds; math.MinInt64 and math.MaxInt64, if it has no date or no end
	Status      int
	Agent       string
	Named       bool // a group names the agent
	// Class is that of prove.Classify, with its paths; or unreachable, if robots.txt failed and no
	// answer before it did not, or unknown, if the archive lacks the robots.txt to which it was
	// redirected, or PageClass.
	Class, Forbidden, Allowed string
	// AllSomeNone and Probed are those of package prove; "" without a file to judge.
	AllSomeNone, Probed string
	Bias                int // of package prove; nothing where these are empty
}

// PageClass is the class of a web page in place of a robots.txt: it forbids nothing.
const PageClass = "page"

// SiteSignal is a preference that a version of the robots.txt of an origin states.
type SiteSignal struct {
	Origin      string // "" where only the file is known
	From, Until int64  // as SiteClass has them
	Agent       string // a product token, or * for those that no group names; "" stands for all
	// Signal, Use, Path and Value are those of a preference.Statement.
	Signal, Use, Path, Value string
}

// MonthClass counts the sites of a panel by the classes of an agent that were in force at the end of a month. A
// site that has an origin by https is that origin; others are those by http.
type MonthClass struct {
	Month, Agent string // a month as 2026-01
	Sites        int64
	Classes      map[string]int64 // by the names that MonthClasses returns; their sum is Sites
}

// The classes of MonthClass that SiteClass has not: MissingClass has no robots.txt; UnknownClass is also that of a site
// before its first version.
const (
	MissingClass = "missing"
	UnknownClass = "unknown"
)

// MonthClasses returns the classes of MonthClass, UnknownClass first.
func MonthClasses() []string {
	return []string{UnknownClass, "none", "partial", "full", "undecided", PageClass, "unreachable", MissingClass}
}
