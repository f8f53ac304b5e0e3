// Package status defines what the HTTP status of an answer to a request for /robots.txt means (RFC
// 9309 2.3.1), for packages compile and scan/internal/answer.
package status

// Meaning is the meaning of a status to the reader of an answer.
type Meaning uint8

const (
	File     Meaning = iota // the body is the robots.txt (RFC 9309 2.3.1.1)
	Redirect                // robots.txt is at another URL (2.3.1.2)
	None                    // there is no robots.txt: everything is allowed (2.3.1.3)
	Failed                  // robots.txt is unreachable (2.3.1.4)
	Nothing                 // the answer doesn't show what the robots.txt is
)

// Class is a class of programs that read answers. The meaning of a status depends on it.
type Class uint8

const (
	// Others are the crawlers that are not Google's.
	Others Class = iota
	// Google are the crawlers of Google. They read 429 as a server error.
	Google
	// Archive is a reader of the captures of a crawl. A capture with status 1xx or 304
	// shows nothing.
	Archive
)

// MayBeGone reports whether a class of readers may treat a Failed status like 404. Google does so
// for 5xx other than 503 after some time.
func MayBeGone(status int, by Class) bool { return by == Google && status/100 == 5 && status != 503 }

// Of returns the meaning of an HTTP status to a class of readers. Status 0 means no answer, as do
// 444 and 499, which servers log when they sent none. Codes that HTTP doesn't define are failures.
func Of(status int, by Class) Meaning {
	hundred := status / 100
	switch {
	case by == Archive && (hundred < 2 || status == 304):
		return Nothing
	case status == 204:
		return None
	case hundred == 2:
		return File
	case hundred == 3:
		return Redirect
	case status == 429 && by == Google, status == 444, status == 499:
		return Failed
	case hundred == 4:
		return None
	default:
		return Failed
	}
}
