package report

import (
	"cmp"
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
	// OldFile and NewFile are the files before and after it; empty: there was none. Of a time that was
	// given both are the one in force then.
	OldFile  string     `json:"old_file"`
	NewFile  string     `json:"new_file"`
	Before   ChangeSide `json:"before"`   // the time before it that is compared
	After    ChangeSide `json:"after"`    // and the time after it
	Requests int64      `json:"requests"` // of crawlers on both sides, without impostors
	// Crawlers are the 40 with the most requests for the paths that are compared, then with the most requests,
	// then by name; RequestsNotListed are the requests of all others.
	Crawlers          []ChangedCrawler `json:"crawlers"`
	RequestsNotListed int64            `json:"requests_not_listed"`
}

// ChangeSide is the time before or after a change that is compared with the other.
type ChangeSide struct {
	Days float64 `json:"days"` // as many as the logs cover, from their first to their last request of a crawler
	// Clipped and Cut are why these are fewer than --around: another change is nearer, and the logs do not
	// cover it all. Of less than a day no output for people has a number a day.
	Clipped bool `json:"clipped"`
	Cut     bool `json:"cut"`
}

// ChangedCrawler is what a crawler requested before and after a change.
type ChangedCrawler struct {
	Crawler string       `json:"crawler"` // its name, as in CrawlerInfo
	Before  ChangeCounts `json:"before"`  // its requests before the change
	After   ChangeCounts `json:"after"`   // and after it
	// Unknown is why the fields below say nothing: not_logged, the logs have no fetch of robots.txt by
	// anybody; no_fetch, none in After that shows that the new file was sent under this name; given,
	// there is no new file; exempt, robots.txt does not bind the agent. Otherwise it is empty.
	Unknown string `json:"unknown"`
	// FetchSeconds is the time from the change to the first GET under this name that was sent the new file,
	// by its size, or told by 304 that its copy of it stands; null if there is none.
	FetchSeconds *int64 `json:"first_fetch_seconds"`
	// LastSeconds is the time from that GET to the last request, within After, that the new file forbids;
	// null if there is none. Ongoing: it is within a day of the end of what is seen, so it need not be the
	// last.
	LastSeconds *int64 `json:"last_forbidden_seconds"`
	Ongoing     bool   `json:"ongoing"`
	// Forbidden and Sessions count the requests after that GET, within After, that the new file forbids: a
	// session is a run of them from one address, under one name, on one origin, and ends after 5 minutes
	// without one.
	Forbidden int64 `json:"forbidden_since_fetch"`
	Sessions  int64 `json:"sessions_since_fetch"`
}

// The values of ChangedCrawler.Unknown.
const (
	ChangeNotLogged = "not_logged"
	ChangeNoFetch   = "no_fetch"
	ChangeGiven     = "given"
	ChangeExempt    = "exempt"
)

// ChangeCounts counts the requests of a crawler on one side of a change.
type ChangeCounts struct {
	Requests int64 `json:"requests"` // all
	// Paths are those for paths on which the old and the new file differ for this crawler, by all ways in
	// which it may read them; of a time that was given, for paths that the file in force then forbids. It
	// is null for an agent that robots.txt does not bind.
	Paths *int64 `json:"paths"`
}

// Requests counts the requests on both sides.
func (c *ChangedCrawler) Requests() int64 { return c.Before.Requests + c.After.Requests }

// Paths counts those for ChangeCounts.Paths.
func (c *ChangedCrawler) Paths() int64 {
	if c.Before.Paths == nil {
		return 0
	}
	return *c.Before.Paths + *c.After.Paths
}

// ChangesNote says what tables of changes mean, and what they do not.
const ChangesNote = "Changed paths are those on which the old and the new file differ for the crawler, by all ways " +
	"in which it may read them. The first fetch is the first GET that was sent the new file, by its size, or 304; what " +
	"the new file forbids is counted from then on. Such a request is no violation while its crawler may still be using " +
	"an older copy. A session ends after 5 minutes without such a request from its address. Other things may have changed " +
	"on the same day: a difference is not proof that the change caused it. Impostors are in no number."

// Title names the change.
func (c *RobotsChange) Title() string {
	old, now := cmp.Or(c.OldFile, "no file"), cmp.Or(c.NewFile, "no file")
	if path.Base(old) != path.Base(now) {
		old, now = path.Base(old), path.Base(now)
	}
	what := now + " in place of " + old
	if c.Given {
		what = "a time given with --change"
	}
	if c.Since != "" {
		what += ", which was last seen on " + c.Since + ": requests between the two times are not counted"
	}
	return strings.TrimSpace(c.Origin + " " + c.Time + ", " + what + ":")
}

// Sides says how much of the time before and after the change is compared, and why it is not more.
func (c *RobotsChange) Sides() string {
	text := func(s ChangeSide, side string) string {
		return fmt.Sprintf("%.1f days %s", s.Days, side) + map[bool]string{true: ", up to another change"}[s.Clipped] +
			map[bool]string{true: ", as the logs cover no more"}[s.Cut]
	}
	return text(c.Before, "before it") + "; " + text(c.After, "after it") + "."
}
