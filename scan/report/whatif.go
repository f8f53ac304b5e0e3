package report

import "fmt"

// UnknownCrawlers is the name of all crawlers together that are not known.
const UnknownCrawlers = "(unknown crawlers)"

// WhatIfInfo is what another robots.txt would change for crawlers' requests, whatever their time and client.
type WhatIfInfo struct {
	File     string         `json:"file"`     // the other robots.txt (--what-if)
	All      ComparedInfo   `json:"all"`      // the requests of all crawlers
	Crawlers []ComparedInfo `json:"crawlers"` // those of each, by the number that only one file forbids, then by name
	// RobotsFetch, Exempt and NotCompared are requests not among All: for robots.txt itself, by exempt agents,
	// and others by reason.
	RobotsFetch int64        `json:"robots_fetch"`
	Exempt      int64        `json:"exempt"`
	NotCompared ReasonCounts `json:"not_compared"`
}

// ComparedInfo is what another robots.txt would change for a crawler.
type ComparedInfo struct {
	// Crawler is its name, (unknown crawlers) for all that are not known, and empty for all.
	Crawler   string     `json:"crawler"`
	Unchanged ChangeInfo `json:"unchanged"` // both files allow the requests, or both forbid them
	Forbidden ChangeInfo `json:"forbidden"` // the other file forbids them, and that of the policy allows them
	Allowed   ChangeInfo `json:"allowed"`   // the other file allows them, and that of the policy forbids them
	// Undecided: Google's parser and RFC 9309 differ on the change, or spellings of a decoded path do.
	Undecided ChangeInfo `json:"undecided"`
}

// Effect is what another robots.txt changes for a request.
type Effect uint8

// The effects, in the order of the fields of ComparedInfo.
const (
	Unchanged Effect = iota
	NowForbidden
	NowAllowed
	NotDecided
	Effects // how many there are
)

// Of returns the requests with an effect.
func (c *ComparedInfo) Of(e Effect) *ChangeInfo {
	return [...]*ChangeInfo{&c.Unchanged, &c.Forbidden, &c.Allowed, &c.Undecided}[e]
}

// Changed counts the requests that one file forbids and the other allows.
func (c *ComparedInfo) Changed() int64 { return c.Forbidden.Requests + c.Allowed.Requests }

// Compared counts all requests.
func (c *ComparedInfo) Compared() int64 {
	return c.Unchanged.Requests + c.Changed() + c.Undecided.Requests
}

// ChangeInfo counts requests for which another robots.txt would change the same.
type ChangeInfo struct {
	Requests int64 `json:"requests"` // how many
	Bytes    int64 `json:"bytes"`    // of bodies sent in answer to them, as far as the log has sizes
	// Prefixes are how their paths begin, the most requested first; none for unchanged requests. Of more than
	// 8,192 a choice is listed, with a warning.
	Prefixes []PrefixInfo `json:"prefixes"`
	// Examples are their first three targets, in byte order, cut to 200 bytes; none for unchanged requests.
	Examples []string `json:"examples"`
}

// PrefixInfo counts requests whose paths begin alike.
type PrefixInfo struct {
	// Prefix is the paths' first folder, or the name before a query, such as /search?; / stands for all others.
	Prefix   string `json:"prefix"`
	Requests int64  `json:"requests"` // how many
	Bytes    int64  `json:"bytes"`    // of bodies sent in answer to them
}

// comparison returns what a WhatIfInfo rests on, in sentences.
func (b *BasisInfo) comparison(r *Report) []string {
	readings := "in the way that is known of it. Where none is known, or the log has decoded the path, all ways must agree"
	if d := r.Policy.Dialect; d != AutoDialect {
		readings = fmt.Sprintf("by the dialect %s, as requested", d)
	}
	return []string{
		fmt.Sprintf("%s and %s are asked about each request, as if either had been in force throughout. Nobody is judged: "+
			"times and addresses play no part.", b.File, r.WhatIf.File),
		"Each crawler is asked for by its own product tokens, and reads both files " + readings + ".",
		"Any client can send any User-Agent: all counts are of requests by clients that identify themselves as the " +
			"crawler named. The bytes that they were sent are saved only if the crawler obeys robots.txt.",
	}
}
