package report

// RobotsChange compares what crawlers requested in the 14 days before and after a change of robots.txt, or up to
// another change. It does not say what caused a difference.
type RobotsChange struct {
	Origin string `json:"origin"` // empty: any; only the host if http and https have the same robots.txt
	Time   Time   `json:"time"`   // from when on the new version is in force, or was seen
	// Since is the last time at which the file before it was seen: the change was made between both, and
	// requests between them are on neither side. Empty: Time is the time of the change.
	Since    Time       `json:"since"`
	OldFile  string     `json:"old_file"` // the file before it; empty: there was none
	NewFile  string     `json:"new_file"` // and after it
	Before   ChangeSide `json:"before"`   // the time before it that is compared
	After    ChangeSide `json:"after"`    // and the time after it
	Requests int64      `json:"requests"` // of crawlers on both sides, without impostors
	// Crawlers are those that the report lists and robots.txt binds, with the most requests for the paths that are
	// compared, then with the most requests, then by name; RequestsNotListed are the requests of all others.
	Crawlers          []ChangedCrawler `json:"crawlers"`
	RequestsNotListed int64            `json:"requests_not_listed"`
}

// ChangeSide is the time before or after a change that is compared with the other.
type ChangeSide struct {
	Days float64 `json:"days"` // as many as the logs cover, from their first to their last request of a crawler
}

// ChangedCrawler is what a crawler requested before and after a change.
type ChangedCrawler struct {
	Crawler string       `json:"crawler"` // its name, as in CrawlerInfo
	Before  ChangeCounts `json:"before"`  // its requests before the change
	After   ChangeCounts `json:"after"`   // and after it
	// FetchSeconds is the time from the change to the first GET under this name that was sent the new file,
	// by its size, or told by 304 that its copy of it stands; null if none is logged.
	FetchSeconds *int64 `json:"first_fetch_seconds"`
}

// ChangeCounts counts the requests of a crawler on one side of a change.
type ChangeCounts struct {
	Requests int64 `json:"requests"` // all
	// Paths are those for paths on which the old and the new file differ for this crawler, by all ways in
	// which it may read them.
	Paths int64 `json:"paths"`
}
