package capture

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
)

// The records of a set begin with a two-byte length and a text, which is the URL of a capture or
// the target of a redirect to follow. Then comes a date, encoded so that the newest of a URL's
// records sorts first. All numbers are big-endian.

var be = binary.BigEndian

func appendText(dst, text []byte) []byte {
	return append(be.AppendUint16(dst, uint16(len(text))), text...)
}

// cutText returns the text at the beginning of a record, and the rest.
func cutText(r []byte) (text, rest []byte) {
	n := int(be.Uint16(r))
	return r[2 : 2+n], r[2+n:]
}

// date is the time of a capture, in Unix nanoseconds.
type date int64

// undated is the newest possible date.
const undated date = math.MaxInt64

func dateOf(t time.Time) date {
	switch {
	case t.IsZero():
		return undated
	case t.Year() < 1700: // dates range from 1677 to 2262
		return math.MinInt64
	case t.Year() > 2200:
		return undated - 1
	}
	return date(t.UnixNano())
}

// append appends a date, encoded so that newer dates sort first.
func (d date) append(dst []byte) []byte { return be.AppendUint64(dst, ^(uint64(d) ^ 1<<63)) }

const dateLen = 8

func readDate(r []byte) date { return date(^be.Uint64(r) ^ 1<<63) }

func (d date) second() int64 { return time.Unix(0, int64(d)).Unix() }

// held is a capture of one URL.
type held struct {
	failed  bool // it comes after all others, because the set keeps one, and an answer that did not fail counts
	date    date
	number  uint64 // how many captures were added before
	robots  bool   // it belongs to an origin's robots.txt
	status  uint16
	content content
	rest    []byte // the SHA-256 of its body, or the URL that it redirects to
}

// content is what a capture says.
type content byte

const (
	aStatus   content = iota // nothing but its status
	aBody                    // a body
	aRedirect                // a redirect that can be read
)

// append appends the capture to its URL.
func (h *held) append(dst []byte) []byte {
	dst = h.date.append(append(dst, bit(h.failed)))
	dst = be.AppendUint64(dst, ^h.number) // of equal dates the last one comes first
	dst = append(be.AppendUint16(append(dst, bit(h.robots)), h.status), byte(h.content))
	return append(dst, h.rest...)
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// readHeld reads a capture that follows its URL. The result is a view of r.
func readHeld(r []byte) held {
	failed, d := r[0] == 1, readDate(r[1:])
	r = r[1+dateLen:]
	return held{failed, d, ^be.Uint64(r), r[8] == 1, be.Uint16(r[9:]), content(r[11]), r[12:]}
}

// waiting is a redirect of an origin that must be followed.
type waiting struct {
	date   date // of the first redirect
	status uint16
	from   int64
	key    []byte // of the origin
	via    []byte // as in Use.Via
}

func (w *waiting) append(dst []byte) []byte {
	dst = be.AppendUint16(w.date.append(dst), w.status)
	return append(appendText(be.AppendUint64(dst, uint64(w.from)), w.key), w.via...)
}

// readWaiting reads a redirect that follows its target. The result is a view of r.
func readWaiting(r []byte) waiting {
	w := waiting{date: readDate(r), status: be.Uint16(r[dateLen:]), from: int64(be.Uint64(r[dateLen+2:]))}
	w.key, w.via = cutText(r[dateLen+2+8:])
	return w
}

// through adds the target of a redirect, unless it is a robots.txt or there have already been five
// redirects.
func (w *waiting) through(url []byte) {
	known := 0
	for rest := w.via; len(rest) > 0; known++ {
		_, rest = cutText(rest)
	}
	_, path, _ := bytes.Cut(url, []byte("://"))
	if bytes.IndexByte(path, '/') >= 0 && known < maxVia {
		w.via = appendText(slices.Clip(w.via), url)
	}
}

// maxVia limits Use.Via. Crawlers needn't follow redirects after the fifth (RFC 9309 2.3.1.2).
const maxVia = 5

// The records of answers begin with a byte 0, or with a byte 1 and the SHA-256 of the body. Then
// follow the key of the origin, the time, the status and the texts of Use.Via.

func readUse(r []byte) Use {
	key, r := cutText(r)
	use := Use{Key: string(key), From: int64(be.Uint64(r)), Status: be.Uint16(r[8:])}
	r = r[10:]
	for len(r) > 0 {
		var url []byte
		url, r = cutText(r)
		use.Via = append(use.Via, string(url))
	}
	return use
}

// resolver determines the answer of each origin.
type resolver struct {
	s       *Set
	answers *spill.Records
	next    *spill.Records // redirects to follow in the next round
	waits   int            // number of these
	record  []byte
}

// maxRedirects limits the redirects followed in succession, like browsers do.
const maxRedirects = 20

// resolve returns the answers of all origins. Each round joins the pending redirects with all
// captures.
func (s *Set) resolve(ctx context.Context) (answers *spill.Records, err error) {
	r := &resolver{s: s, answers: s.sorter(), next: s.sorter()}
	r.answers.StopAt(ctx)
	err = r.own()
	for n := 1; err == nil && r.waits > 0; n++ {
		waiting := r.next
		waiting.StopAt(ctx)
		r.next, r.waits = s.sorter(), 0
		err = cmp.Or(r.follow(waiting, n == maxRedirects), waiting.Close())
	}
	return r.answers, cmp.Or(err, r.next.Close())
}

// own finds the captures of each origin's robots.txt that the set keeps.
func (r *resolver) own() error {
	var url []byte
	var before date // of the previous capture of the same URL
	first := true
	for c, err := range r.s.captures.All() {
		if err != nil {
			return err
		}
		u, rest := cutText(c)
		first = first || !bytes.Equal(u, url)
		if first {
			url = append(url[:0], u...)
		}
		h := readHeld(rest)
		keep := first || r.s.AllVersions && before != undated && !h.failed && h.date.second() != before.second()
		if keep {
			before = h.date
		}
		switch {
		case !h.robots:
		case !keep:
			r.s.replaced++
		default:
			if first {
				r.s.origins++
			}
			from := int64(math.MinInt64) // a single version is in force at any time
			if r.s.AllVersions && h.date != undated {
				from = h.date.second()
			}
			err = r.answer(&h, &waiting{h.date, h.status, from, url, nil}, false)
		}
		if err != nil {
			return err
		}
		first = false
	}
	return nil
}

// answer adds an origin's answer from a capture, or a redirect that must be followed, unless the
// limit is reached.
func (r *resolver) answer(h *held, w *waiting, last bool) error {
	switch {
	case h.content == aRedirect && !last:
		r.waits++
		w.through(h.rest)
		r.record = w.append(appendText(r.record[:0], h.rest))
		return r.next.Add(r.record)
	case answer.Of(int(h.status), answer.Archive) == answer.Redirect:
		return r.use(nil, w, w.status)
	case h.content == aBody:
		return r.use(h.rest, w, h.status)
	}
	return r.use(nil, w, h.status)
}

// use adds the answer of an origin.
func (r *resolver) use(digest []byte, w *waiting, status uint16) error {
	r.record = append(r.record[:0], 0)
	if digest != nil {
		r.record = append(append(r.record[:0], 1), digest...)
	}
	r.record = be.AppendUint64(appendText(r.record, w.key), uint64(w.from))
	r.record = append(be.AppendUint16(r.record, status), w.via...)
	return r.answers.Add(r.record)
}

// follow joins redirects with the captures of their targets.
func (r *resolver) follow(redirects *spill.Records, last bool) error {
	pull, stop := iter.Pull2(redirects.All())
	defer stop()
	j := &join{resolver: r, last: last, pull: pull}
	if err := j.advance(); err != nil {
		return err
	}
	for c, err := range r.s.captures.All() {
		if err == nil && j.more {
			err = j.capture(c)
		}
		if err != nil {
			return err
		}
	}
	for j.more {
		if err := j.end(j.newer); err != nil {
			return err
		}
	}
	return nil
}

// join joins redirects with captures. Both are sorted by URL, then from newest to oldest.
type join struct {
	*resolver
	last bool // this is the last round
	pull func() ([]byte, error, bool)

	more  bool    // there is a redirect, in url and w
	url   []byte  // its target
	w     waiting // the rest of it
	newer *held   // the last capture of that URL, newer than the redirect; nil for none
	kept  held    // what newer points to
}

// advance moves to the next redirect.
func (j *join) advance() error {
	before := append([]byte(nil), j.url...)
	r, err, more := j.pull()
	j.more = more && err == nil
	if !j.more {
		return err
	}
	var rest []byte
	j.url, rest = cutText(r)
	j.w = readWaiting(rest)
	if !bytes.Equal(before, j.url) {
		j.newer = nil
	}
	return nil
}

// capture answers all redirects that need no further captures.
func (j *join) capture(c []byte) error {
	url, rest := cutText(c)
	h := readHeld(rest)
	for j.more {
		var to *held
		switch order := cmp.Or(cmp.Compare(len(j.url), len(url)), bytes.Compare(j.url, url)); {
		case order > 0:
			return nil
		case order < 0:
			to = j.newer
		case j.newer == nil && (!j.s.AllVersions || h.date == undated):
			to = &h
		case j.newer != nil && (h.failed || j.newer.date.second() == h.date.second()):
			return nil // the last one of a second counts
		case j.w.date.second() < h.date.second(): // an older one may be closer
			rest := append(j.kept.rest[:0], h.rest...)
			j.kept, j.newer = h, &j.kept
			j.kept.rest = rest
			return nil
		case j.newer != nil && j.newer.date.second()-j.w.date.second() <= j.w.date.second()-h.date.second():
			to = j.newer // it is the nearest, or as near
		default:
			to = &h
		}
		if err := j.end(to); err != nil {
			return err
		}
	}
	return nil
}

// end answers the redirect with the capture of its target, or nil for none.
func (j *join) end(to *held) (err error) {
	if to == nil {
		err = j.use(nil, &j.w, j.w.status)
	} else {
		err = j.answer(to, &j.w, j.last)
	}
	return cmp.Or(err, j.advance())
}
