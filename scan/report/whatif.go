package report

import "fmt"

// UnknownCrawlers is the name under which all unknown crawlers are counted.
const UnknownCrawlers = "(unknown crawlers)"

// WhatIfInfo is what another robots.txt would change for crawlers' requests, whatever their time and client.
type WhatIfInfo struct {
	File     string         `json:"file"`     // the other robots.txt (--what-if)
	All      ComparedInfo   `json:"all"`      // the requests of all crawlers
	Crawlers []ComparedInfo `json:"crawlers"` // each crawler's, by the number that only one file forbids, then by name
	// RobotsFetch, Exempt and NotCompared are requests that All leaves out: requests for robots.txt
	// itself, requests by exempt agents, and others by reason.
	RobotsFetch int64        `json:"robots_fetch"`
	Exempt      int64        `json:"exempt"`
	NotCompared ReasonCounts `json:"not_compared"`
}

// ComparedInfo is what another robots.txt would change for a crawler.
type ComparedInfo struct {
	// Crawler is the crawler's name, (unknown crawlers) for all unknown ones, and empty for all crawlers.
	Crawler   string     `json:"crawler"`
	Unchanged ChangeInfo `json:"unchanged"` // both files allow the requests, or both forbid them
	Forbidden ChangeInfo `json:"forbidden"` // the other file forbids them, and the policy's allows them
	Allowed   ChangeInfo `json:"allowed"`   // the other file allows them, and the policy's forbids them
	// Undecided: Google's parser and RFC 9309 disagree about the change, or spellings of a decoded path do.
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
	Effects // the number of effects
)

// Of returns the requests with an effect.
func (c *ComparedInfo) Of(e Effect) *ChangeInfo {
	return [...]*ChangeInfo{&c.Unchanged, &c.Forbidden, &c.Allowed, &c.Undecided}[e]
}

// Changed counts the requests that one file forbids and the other allows.
func (c *ComparedInfo) Changed() int64 { return c.Forbidden.Requests + c.Allowed.Requests }

// Compared counts all compared requests.
func (c *ComparedInfo) Compared() int64 {
	return c.Unchanged.Requests + c.Changed() + c.Undecided.Requests
}

// ChangeInfo counts requests with the same effect.
type ChangeInfo struct {
	Requests int64 `json:"requests"` // how many requests
	Bytes    int64 `json:"bytes"`    // the body bytes in their answers, as far as the log has sizes
	// Prefixes are the beginnings of their paths, the most requested first; none for unchanged
	// requests. If there are more than 8,192, a selection is listed, with a warning.
	Prefixes []PrefixInfo `json:"prefixes"`
	// Examples are their first three targets, in byte order, cut to 200 bytes; none for unchanged requests.
	Examples []string `json:"examples"`
}

// PrefixInfo counts requests whose paths begin alike.
type PrefixInfo struct {
	// Prefix is the first folder of the paths, or the name before a query, such as /search?; / stands for all others.
	Prefix   string `json:"prefix"`
	Requests int64  `json:"requests"` // how many requests
	Bytes    int64  `json:"bytes"`    // the body bytes in their answers
}

// comparison describes the basis of a WhatIfInfo, in sentences.
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
