package report

import (
	"fmt"
	"path"
	"strings"
)

// RobotsChange compares what crawlers requested before and after a change of robots.txt, or a time
// that was given for a change of something else. It does not say what caused a difference.
type RobotsChange struct {
	Origin string `json:"origin"` // empty: any; only the host if http and https have the same robots.txt
	Time   string `json:"time"`   // from when on the new version is in force, or was seen
	// Since is the last time at which the file before it was seen: the change was made between both, and
	// requests between them are on neither side. Empty: Time is the time of the change.
	Since string `json:"since"`
	// Given: it is a time of --change, at which no other robots.txt came into force.
	Given bool `json:"given"`
	// OldFile and NewFile are the files, OldStatus and NewStatus the answers: 404 is that there is none. Of
	// a time that was given both are the version in force then; status 0: none is known, or it failed.
	OldFile   string     `json:"old_file"`
	OldStatus int        `json:"old_status"`
	NewFile   string     `json:"new_file"`
	NewStatus int        `json:"new_status"`
	Before    ChangeSide `json:"before"`   // the time before it that is compared
	After     ChangeSide `json:"after"`    // and the time after it
	Requests  int64      `json:"requests"` // of crawlers on both sides, without impostors
	// Crawlers are the 40 with the most requests, then by name; RequestsNotListed are the requests of
	// all others.
	Crawlers          []ChangedCrawler `json:"crawlers"`
	RequestsNotListed int64            `json:"requests_not_listed"`
}

// ChangeSide is the time before or after a change that is compared with the other.
type ChangeSide struct {
	From string  `json:"from"` // where it begins
	To   string  `json:"to"`   // and ends
	Days float64 `json:"days"` // as many of it as the logs cover, from their first to their last request of a crawler
	// Limits are why these are fewer than --around: clipped, another change is nearer; log, the logs do
	// not cover it all; short, they cover less than a day of it, so no rate is stated.
	Limits []string `json:"limits"`
}

// The limits of a ChangeSide.
const (
	SideClipped = "clipped"
	SideLog     = "log"
	SideShort   = "short"
)

// ChangedCrawler is what a crawler requested before and after a change.
type ChangedCrawler struct {
	Crawler string       `json:"crawler"` // its name, as in CrawlerInfo
	Before  ChangeCounts `json:"before"`  // its requests before the change
	After   ChangeCounts `json:"after"`   // and after it
	// Unknown is why the fields below say nothing: not_logged, the logs have no fetch of robots.txt by
	// anybody; no_fetch, none in After that shows that the new file was sent under this name; given,
	// there is no new file. Otherwise it is empty.
	Unknown string `json:"unknown"`
	// FirstFetch is when a GET under this name was first sent the new file, by its size, or told by 304
	// that its copy of it stands; FetchSeconds is the time from the change to it, null if there is none.
	FirstFetch   string `json:"first_fetch"`
	FetchSeconds *int64 `json:"first_fetch_seconds"`
	// LastForbidden is the last request after FirstFetch, within After, that the new file forbids;
	// LastSeconds is the time between them. Empty and null: there is none.
	LastForbidden string `json:"last_forbidden"`
	LastSeconds   *int64 `json:"last_forbidden_seconds"`
	// Ongoing: LastForbidden is within a day of the end of what is seen, so it need not be the last.
	Ongoing bool `json:"ongoing"`
	// ForbiddenSince and Sessions count the requests after FirstFetch, within After, that the new file
	// forbids: a session is a run of them from one address, under one name, on one origin, and ends after
	// 5 minutes without one. They are 0 without a FirstFetch.
	ForbiddenSince int64 `json:"forbidden_since_fetch"`
	Sessions       int64 `json:"sessions_since_fetch"`
}

// The values of ChangedCrawler.Unknown.
const (
	ChangeNotLogged = "not_logged"
	ChangeNoFetch   = "no_fetch"
	ChangeGiven     = "given"
)

// Requests counts the requests on both sides.
func (c *ChangedCrawler) Requests() int64 { return c.Before.Requests + c.After.Requests }

// ChangeCounts counts the requests of a crawler on one side of a change.
type ChangeCounts struct {
	Requests int64 `json:"requests"` // all
	// Changed are those for paths on which the old and the new file differ for this crawler, by all ways in
	// which it may read them; null if there is no new file.
	Changed   *int64 `json:"changed"`
	Forbidden int64  `json:"forbidden"` // those that the new file forbids, whatever was in force
	// RequestsPerDay and ChangedPerDay are per day of ChangeSide.Days; null if these are too few.
	RequestsPerDay *float64 `json:"requests_per_day"`
	ChangedPerDay  *float64 `json:"changed_per_day"`
}

// ChangesNote says what tables of changes mean, and what they do not.
const ChangesNote = "Changed paths are those on which the old and the new file differ for the crawler, by all ways in " +
	"which it may read them. The first fetch is the first GET that was sent the new file, by its size, or 304; what the " +
	"new file forbids is counted from then on. Such a request is no violation while its crawler may still be using an " +
	"older copy. A session ends after 5 minutes without such a request from its address. Other things may have changed " +
	"on the same day: a difference is not proof that the change caused it. Impostors are in no number."

// Title names the change.
func (c *RobotsChange) Title() string {
	what := fmt.Sprintf("%s in place of %s", version(c.NewFile, c.NewStatus), version(c.OldFile, c.OldStatus))
	if c.Given {
		what = "a time given with --change"
	}
	text := c.Origin
	if text += " " + c.Time + ", " + what; c.Since != "" {
		text += fmt.Sprintf(", which was last seen on %s: the change was made between, and requests between are not counted",
			c.Since)
	}
	return strings.TrimSpace(text) + ":"
}

// version names a version of robots.txt.
func version(file string, status int) string {
	if file == "" {
		return fmt.Sprintf("no file (status %d)", status)
	}
	return path.Base(file)
}

// Sides says how much of the time before and after the change is compared, and why it is not more.
func (c *RobotsChange) Sides() string {
	return c.Before.text("before it") + "; " + c.After.text("after it") + "."
}

func (s *ChangeSide) text(side string) string {
	text := fmt.Sprintf("%.1f days %s", s.Days, side)
	for _, limit := range s.Limits {
		text += map[string]string{
			SideClipped: ", up to another change", SideLog: ", as the logs cover no more",
			SideShort: ", too little for a number a day",
		}[limit]
	}
	return text
}
