package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"
)

// The parts of the site. A path with a final slash is a page of links.
var (
	front = []string{"/", "/about", "/issues/", "/essays/", "/poems/", "/archive/", "/members/join"}
	feeds = []string{"/feed.xml", "/sitemap.xml"}

	essays = under("/essays/",
		"the-moth-and-the-street", "caf%C3%A9-at-closing-time", "a-map-of-wells", "on-mending", "the-night-ferry",
		"what-the-tide-left", "letters-to-a-lighthouse", "salt", "the-last-typesetter", "winter-markets",
		"bees-of-the-ring-road", "a-history-of-shade", "the-quiet-carriage", "my-father%27s-radio", "rust",
		"eleven-bridges", "how-to-read-a-cloud", "the-glass-harvest", "low-sun", "small-engines")
	poems = under("/poems/",
		"november", "tinder", "owl-with-keys", "inventory", "the-ferryman-rests", "blue-hour", "paraffin",
		"two-weathers", "the-wick", "stair", "ember-list", "fog-signal")
	images = under("/images/",
		"moth.jpg", "cafe.jpg", "wells.jpg", "ferry.jpg", "tide.jpg", "lighthouse.jpg", "press.jpg", "market.jpg",
		"bees.jpg", "bridge.jpg", "cloud.jpg", "glass.jpg")

	archive = inYears("/archive/%d/%s", "editorial", "the-lamplighters-strike", "notes-from-the-harbour", "reviews",
		"a-walk-in-march", "correspondence")
	covers = inYears("/archive/covers/%d-%s.jpg", "spring", "autumn")

	// What GrabbitBot guesses: pages that never existed, and years without their slash, which the
	// server redirects.
	lost = under("/archive/", "1961/editorial", "1962/editorial", "1963/editorial", "1964/reviews", "1965/reviews",
		"index.zip")
	bare = under("/archive/", "1974", "1978", "1981", "1984", "1987", "1992")
	pdfs = under("/issues/", "2025-01.pdf", "2025-04.pdf", "2025-07.pdf", "2025-10.pdf", "2026-01.pdf", "2026-04.pdf",
		"2026-07.pdf", "2026-10.pdf")
	paged = []string{"/essays/?page=2", "/essays/?page=3", "/archive/?year=1987", "/poems/?page=2"}
)

func under(folder string, names ...string) []string {
	var paths []string
	for _, n := range names {
		paths = append(paths, folder+n)
	}
	return paths
}

func inYears(format string, names ...string) []string {
	var paths []string
	for _, year := range []int{1974, 1976, 1978, 1981, 1984, 1987, 1990, 1992} {
		for _, n := range names {
			paths = append(paths, fmt.Sprintf(format, year, n))
		}
	}
	return paths
}

const robotsPath = "/robots.txt"

// The site's robots.txt changed once in the four days. For forty minutes of the first evening it
// couldn't be fetched, because of a server fault that answered all requests with 500.
var (
	downFrom = november("16 21:10:00")
	downTo   = november("16 21:50:00")
	changed  = november("17 10:00:00")
)

func down(at time.Time) bool { return !at.Before(downFrom) && at.Before(downTo) }

// robotsSize is the size of the robots.txt in force, which is part of the sample.
func robotsSize(at time.Time) int {
	if at.Before(changed) {
		return 471
	}
	return 715
}

// bodySize is the size of a path's body. For robots.txt it is the true one, for everything else it
// is derived from the path.
func bodySize(path string, at time.Time) int {
	if path == robotsPath {
		return robotsSize(at)
	}
	h := fnv.New32a()
	h.Write([]byte(path))
	spread := int(h.Sum32() % 10_000)
	switch {
	case strings.Contains(path, ".pdf"):
		return 1_800_000 + 517*spread
	case strings.HasSuffix(path, ".jpg"):
		return 40_000 + 23*spread
	case strings.HasPrefix(path, "/static/"):
		return 1_200 + spread
	}
	return 6_000 + 2*spread
}

// A request is the content of one line of the log.
type request struct {
	at       time.Time
	addr     string
	line     string // METHOD TARGET PROTOCOL, escaped as in the log
	status   int
	referrer string // "" if there is none
	agent    string
}

// get is an ordinary request for a path.
func get(path string) string { return "GET " + path + " HTTP/1.1" }

// String returns the request in Apache's combined format.
func (r request) String() string {
	return fmt.Sprintf(`%s - - [%s] "%s" %d %s "%s" "%s"`, r.addr, logTime(r.at), r.line, r.status, r.size(),
		cmp.Or(r.referrer, "-"), r.agent)
}

// size returns the logged number of bytes of the body, "-" if none was sent.
func (r request) size() string {
	method, rest, _ := strings.Cut(r.line, " ")
	target, _, _ := strings.Cut(rest, " ")
	switch {
	case method == "HEAD", r.status == 304:
		return "-"
	case r.status == 200:
		return strconv.Itoa(bodySize(target, r.at))
	}
	return strconv.Itoa(r.status - 100) // the server's error pages are short
}

func logTime(at time.Time) string { return at.Format("02/Jan/2006:15:04:05 -0700") }
