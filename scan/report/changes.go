package report

// RobotsChange compares what crawlers requested in the 14 days before and after a change of robots.txt, or up to
// another change. It does not say what caused a difference.
type RobotsChange struct {
	Origin string `json:"origin"` // empty: any; only the host if http and https have the same robots.txt
	Time   Time   `json:"time"`   // from when on the new version is in force, or was seen
	// Since is the last time at which the file before it was seen: the change was made between both, and
	// requests between them are on neither side. It is Time if that is known to be the time of the change.
	Since   Time   `json:"since"`
	OldFile string `json:"old_file"` // the file before it; empty: there was none
	NewFile string `json:"new_file"` // and after it
	// DaysBefore and DaysAfter are as many of the days that are compared as the logs cover, from their first
	// to their last request of a crawler.
	DaysBefore float64 `json:"days_before"`
	DaysAfter  float64 `json:"days_after"`
	Requests   int64   `json:"requests"` // of the crawlers, on both sides
	// Crawlers are those that the report lists and robots.txt binds, with the most requests for changed paths,
	// then with the most requests, then by name. Impostors are in no number.
	Crawlers []ChangedCrawler `json:"crawlers"`
}

// ChangedCrawler is what a crawler requested before and after a change.
type ChangedCrawler struct {
	Crawler string `json:"crawler"` // its name, as in CrawlerInfo
	Before  int64  `json:"before"`  // its requests before the change
	After   int64  `json:"after"`   // and after it
	// ChangedBefore and ChangedAfter are those of them for paths on which the old and the new file differ for
	// this crawler, by all ways in which it may read them.
	ChangedBefore int64 `json:"changed_paths_before"`
	ChangedAfter  int64 `json:"changed_paths_after"`
	// FetchSeconds is the time from the change to the first GET under this name that was sent the new file,
	// by its size, or told by 304 that its copy of it stands; null if none is logged.
	FetchSeconds *int64 `json:"first_fetch_seconds"`
}
