package capture

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/internal/warc"
)

// WARC reads the responses to requests for /robots.txt, and for any other URLs that
// Options.Wants selects, in a WARC file that is already decompressed (see package warc). The URL
// of a capture is its WARC-Target-URI. Records of other pages, requests and metadata are
// skipped. A revisit of /robots.txt, which has no body, yields a *SkipError, as does a response
// for /robots.txt that is unusable for any reason; the accompanying capture has the origin and
// the time, if known. Any other error ends the iteration, because the start of the next record
// is unknown.
func WARC(r io.Reader, o Options) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		w := &crawl{records: warc.NewReader(r), o: o}
		for {
			rec, err := w.next()
			if isEOF(err) {
				return
			}
			if err != nil {
				yield(Capture{}, err)
				return
			}
			c, reason := w.capture(rec)
			broken := w.records.End()
			if broken != nil && rec.isCapture() {
				reason = CutShort
			}
			if rec.robots && reason != "" || reason == "" && rec.isCapture() {
				var skipped error
				if reason != "" {
					skipped = &SkipError{fmt.Sprintf("record %d", rec.Number), reason, rec.Kind + " " + rec.Target}
				}
				if !yield(c, skipped) {
					return
				}
			}
			if broken != nil {
				yield(Capture{}, broken)
				return
			}
		}
	}
}

// crawl is a WARC file that is being read.
type crawl struct {
	records *warc.Reader
	o       Options
}

// record is the header of a record, reduced to what matters here.
type record struct {
	*warc.Record
	robots bool          // the target is a robots.txt
	wanted bool          // or page, which Options.Wants selects
	page   answer.Target // the target, unless it is a robots.txt
}

func (r *record) isCapture() bool { return r.Kind == "response" && (r.robots || r.wanted) }

// next reads the header of a record, or returns io.EOF after the last.
func (w *crawl) next() (rec record, err error) {
	if rec.Record, err = w.records.Next(); err != nil {
		return rec, err
	}
	rec.robots = isRobots(rec.Target)
	if !rec.robots && rec.Kind == "response" && w.o.Wants != nil {
		var ok bool
		rec.page, ok = target(answer.Target{}, rec.Target)
		// Nothing is known about /robots.txt with an empty query, or by FTP.
		rec.wanted = ok && rec.page.Path != answer.RobotsPath && w.o.Wants(rec.page)
	}
	return rec, nil
}

// isRobots reports whether a URL is an origin's robots.txt.
func isRobots(url string) bool {
	scheme, rest, ok := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	return ok && path == "robots.txt" && host != "" && !strings.ContainsAny(host, "?#\\") &&
		(strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// capture reads the block of a record. The reason is "" if the result is a capture, or if the record belongs to another
// page or is not a response.
func (w *crawl) capture(rec record) (c Capture, why Reason) {
	if !rec.robots && !rec.wanted || rec.Kind == "request" || rec.Kind == "metadata" {
		return c, ""
	}
	var err error
	if rec.robots {
		if rec.page.Origin, err = origin.Of([]byte(rec.Target)); err != nil {
			return c, BadHost
		}
	}
	c.Origins, c.Path = []origin.Origin{rec.page.Origin}, rec.page.Path
	if c.Time, err = rec.Time(); err != nil {
		return c, BadDate
	}
	if rec.Kind != "response" {
		return c, Revisit
	}
	return c, w.response(&c, rec.Truncated)
}

// response reads the HTTP response in the block of a record. truncated means that the capture is
// incomplete.
func (w *crawl) response(c *Capture, truncated bool) Reason {
	r, err := warc.ReadResponse(w.records)
	switch {
	case errors.Is(err, warc.ErrLongHead):
		return LongHead
	case err != nil:
		return NotHTTP
	}
	c.Status, c.Location = uint16(r.Status), r.Location
	switch answer.Of(r.Status, answer.Archive) {
	case answer.Nothing:
		return NotModified
	case answer.File:
		c.Body, err = r.Body(w.o.MaxBody, truncated)
	}
	if err != nil {
		return BadBody
	}
	return ""
}
