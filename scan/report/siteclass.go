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

// ArchiveSummary describes the contents of an archive.
type ArchiveSummary struct {
	File      string   `json:"archive"`
	Size      int64    `json:"size"`    // in bytes
	Program   string   `json:"program"` // the release that wrote it
	Dialects  []string `json:"dialects"`
	Origins   int      `json:"origins"`
	Versions  int      `json:"versions"` // in all origins
	Dated     int      `json:"dated"`    // versions that have a date
	Rulesets  int      `json:"rulesets"` // distinct rulesets
	WithRules int      `json:"with_rules"`
	// These count origins by their newest version. Missing ones have no robots.txt, so everything is allowed;
	// Unreachable ones could not be fetched, so everything is disallowed; Redirected ones redirect to a file that
	// the sources lack, so the rules are unknown.
	Missing     int `json:"missing"`
	Unreachable int `json:"unreachable"`
	Redirected  int `json:"redirected"`
}

// ArchiveVersion is a version of the robots.txt of an origin.
type ArchiveVersion struct {
	Origin string `json:"origin"`
	From   string `json:"from"` // since when it is in force, RFC 3339; "" if it has no date
	Status int    `json:"status"`
	Groups int    `json:"groups"` // distinct rulesets, each of which binds some product tokens or all other crawlers
	Rules  int    `json:"rules"`  // in all groups
}

// BodyCounts describe the robots.txt files that an archive was made of.
type BodyCounts struct {
	// MaxBytes is the limit of a body. Bodies counts the distinct bodies; BodyBytes is
	// the length of their lines within the limit.
	MaxBytes          int
	Bodies, BodyBytes int64
	// BodyOrigins counts the origins with a body. The others count the ones among them whose body looks like a web
	// page, looks like UTF-16, or is any other text without a line that names a user agent. Any rules in it are in the
	// archive.
	BodyOrigins, Pages, UTF16, Unnamed int64
	// Cut counts the bodies longer than the limit, and CutOrigins their origins. The
	// archive lacks the rules beyond the limit.
	Cut, CutOrigins int64
	// Redirected counts the origins with a robots.txt that redirects to a URL that the sources
	// lack: Filter treats their robots.txt as unknown.
	Redirected int64
}
