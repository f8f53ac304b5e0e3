package report

// RobotsChange compares requests up to 14 days before and after a change of robots.txt.
type RobotsChange struct {
	Origin     string  `json:"origin"`      // the site; empty for any; only the host if http and https are alike
	Time       Time    `json:"time"`        // when the new version came into force, or was first seen
	Since      Time    `json:"since"`       // when the old file was last seen; between it and Time, no requests count
	OldFile    string  `json:"old_file"`    // the old file; empty if there was none
	NewFile    string  `json:"new_file"`    // the new file
	DaysBefore float64 `json:"days_before"` // how many of the compared days before the change the logs cover
	DaysAfter  float64 `json:"days_after"`  // how many of the compared days after the change the logs cover
	Requests   int64   `json:"requests"`    // the crawlers' requests on both sides
	// Crawlers are the crawlers that robots.txt binds, by requests for changed paths, then by all
	// requests. Impostors are not counted.
	Crawlers []ChangedCrawler `json:"crawlers"`
}

// ChangedCrawler is what a crawler requested before and after a change.
type ChangedCrawler struct {
	Crawler       string `json:"crawler"`              // the crawler's name, as in CrawlerInfo
	Before        int64  `json:"before"`               // its requests before the change
	After         int64  `json:"after"`                // its requests after the change
	ChangedBefore int64  `json:"changed_paths_before"` // its requests before it for paths that the files treat differently
	ChangedAfter  int64  `json:"changed_paths_after"`  // its requests after it for these paths
	// FetchSeconds is how long after the change a GET under this name first got the new file, judged
	// by its size, or a 304; null if none is logged.
	FetchSeconds *int64 `json:"first_fetch_seconds"`
}
