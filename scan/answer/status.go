// Package answer says what an answer to a request for /robots.txt means: what its
// HTTP status tells a reader, and where a redirect leads (RFC 9309 2.3.1).
package answer

// Meaning is what a status tells the reader of an answer.
type Meaning uint8

const (
	File     Meaning = iota // the body is the robots.txt (RFC 9309 2.3.1.1)
	Redirect                // the robots.txt is elsewhere (2.3.1.2)
	None                    // there is no robots.txt: everything is allowed (2.3.1.3)
	Failed                  // robots.txt is unreachable (2.3.1.4)
	Nothing                 // the answer does not show what the robots.txt is
)

// Reader is a kind of reader of answers. Statuses mean different things to them.
type Reader uint8

const (
	// Others are the crawlers that are not Google's.
	Others Reader = iota
	// Google are the crawlers of Google. They read 429 as a server error.
	Google
	// Archive is whoever reads captures that a crawler left behind. A capture with
	// status 1xx or 304 shows nothing, and only a server error is a failure.
	Archive
)

// Of returns what an HTTP status means to a reader. A status of 0 stands for no
// answer at all.
func Of(status int, by Reader) Meaning {
	switch class := status / 100; {
	case by == Archive && (class < 2 || status == 304):
		return Nothing
	case class == 2:
		return File
	case class == 3:
		return Redirect
	case class == 5, status == 429 && by == Google:
		return Failed
	case by == Archive:
		return None
	case status == 408, status == 444, status == 499:
		return Failed // servers log these when they sent no answer
	case class == 4:
		return None
	default:
		return Failed
	}
}
