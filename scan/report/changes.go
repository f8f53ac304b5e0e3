package report

// RobotsChange compares requests up to 14 days before and after a change of robots.txt.
type RobotsChange struct {
	Origin     string  `json:"origin"`      // empty: any; only the host if http and https have the same robots.txt
	Time       Time    `json:"time"`        // from when on the new version is in force, or was seen
	Since      Time    `json:"since"`       // when the file before it was last seen; what is between is on neither side
	OldFile    string  `json:"old_file"`    // the file before it; empty: there was none
	NewFile    string  `json:"new_file"`    // and after it
	DaysBefore float64 `json:"days_before"` // the compared days that the logs cover
	DaysAfter  float64 `json:"days_after"`  // and those after it
	Requests   int64   `json:"requests"`    // of the crawlers, on both sides
	// Crawlers are those that robots.txt binds, by requests for changed paths, then by requests. Impostors are
	// in no number.
	Crawlers []ChangedCrawler `json:"crawlers"`
}

// ChangedCrawler is what a crawler requested before and after a change.
type ChangedCrawler struct {
	Crawler       string `json:"crawler"`              // its name, as in CrawlerInfo
	Before        int64  `json:"before"`               // its requests before the change
	After         int64  `json:"after"`                // and after it
	ChangedBefore int64  `json:"changed_paths_before"` // those for paths on which the files differ for this crawler
	ChangedAfter  int64  `json:"changed_paths_after"`  // and those after it
	// FetchSeconds is how long after the change a GET under this name first got the new file, by its size, or 304; null
	// if none is logged.
	FetchSeconds *int64 `json:"first_fetch_seconds"`
}
