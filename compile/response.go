package compile

import (
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/status"
)

// forbidding has what a crawler must assume while robots.txt cannot be reached.
var forbidding = sync.OnceValue(automaton.Forbidding)

// FromResponse returns the rules that an HTTP response to a GET of /robots.txt stands for, read as
// RFC 9309 2.3.1 says: the body's for 2xx; none, so that everything is allowed, for 204 and 4xx; and
// for all else, such as 5xx or the code 0 of no answer at all, Robots.Unreachable, which forbids everything but
// /robots.txt and has no line. 429 forbids too, as Google reads it: the server asked for fewer requests, and did not
// say that there is no file; and so do 444 and 499, which servers log where they sent no answer.
//
// A redirect has no rules: robots is nil, and location is where it leads, as the header has it, for
// the caller to follow at least five times. It is empty for 304, by which a copy stands that the
// caller has, and where the header names none.
//
// The header may be an http.Header. The body is without the Content-Encoding, as http.Client returns
// it. FromResponse keeps no reference to it.
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

// Sitemaps returns the values of the sitemap lines, in file order and each once, as they are in the
// file: they should be whole URLs. They belong to the file, whatever group they stand in.
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
