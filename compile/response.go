package compile

import (
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/status"
)

// forbidding is the ruleset that applies while robots.txt is unreachable.
var forbidding = sync.OnceValue(automaton.Forbidding)

// FromResponse returns the rules that apply after an HTTP response to GET /robots.txt, according to
// RFC 9309 2.3.1. For 2xx these are the rules of the body. For 204 and 4xx there are none, so
// everything is allowed. For all other codes, such as 5xx or 0 for no response, the result is
// Unreachable and forbids everything but /robots.txt; its verdicts have no line. The codes 429, as
// Google reads it, and 444 and 499, which servers log if they send no response, forbid too.
//
// For a redirect robots is nil, and location is the value of the Location header, for the caller to
// follow at least five times. location is empty if the header is missing, and for 304, after which
// the caller's copy remains valid.
//
// header may be an http.Header. body must be free of any Content-Encoding, as http.Client returns
// it. FromResponse retains no reference to it.
func FromResponse(code int, header map[string][]string, body []byte) (robots *Robots, location string) {
	switch status.Of(code, status.Google) {
	case status.File:
		return Compile(body, Options{}), ""
	case status.Redirect:
		if to := header["Location"]; len(to) > 0 && code != 304 {
			location = to[0]
		}
		return nil, location
	case status.None:
		return Compile(nil, Options{}), ""
	}
	return &Robots{Ruleset: forbidding(), Unreachable: true}, ""
}

// Sitemaps returns the distinct values of the sitemap lines in file order, unchanged. They should
// be absolute URLs. Sitemaps apply to the whole file, whatever group they stand in.
func (r *Robots) Sitemaps() (list []string) {
	seen := map[string]bool{"": true}
	for _, record := range r.Records {
		if isSitemap := equalFold(record.Key, "sitemap") || equalFold(record.Key, "site-map"); isSitemap &&
			!seen[record.Value] {
			seen[record.Value] = true
			list = append(list, record.Value)
		}
	}
	return list
}
