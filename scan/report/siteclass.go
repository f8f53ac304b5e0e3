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
	// redirected.
	Class, Forbidden, Allowed string
	// AllSomeNone and Probed are those of package prove; "" without a file to judge.
	AllSomeNone, Probed string
	Bias                int // of package prove; nothing where these are empty
}
