package capture

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/spill"
)

// Set keeps the newest capture of each origin's robots.txt. A capture without a date counts
// as newer than all with a date, because a user put it there by hand. Of two captures
// without a date, or with the same date, the one added last is kept. The zero value is an
// empty set without a bound of memory. It belongs to one goroutine.
//
// The set has an index in memory and each distinct body once: in memory while there is room,
// else in a temporary file, which Close removes.
//
// To follow redirects, a set also keeps captures of other URLs, in the same way: those that
// Wants asks for.
type Set struct {
	// Memory is about how many bytes the index and the bodies may take, 0 for no bound. It
	// is set before the first Add.
	Memory int64

	held      map[string]held     // by URL, see url
	redirects map[string]string   // of the URLs with a redirect that can be read, where to
	wanted    map[string]struct{} // where redirects lead, apart from robots.txt
	bodies    *spill.Blobs        // of which held has the numbers
	index     int64               // bytes that the maps take
	origins   int
	replaced  int
	spare     int    // bytes that captures took which nothing asked for when they were added
	key       []byte // of the last URL
}

// held is a capture of one URL.
type held struct {
	seconds int64 // of the date
	nanos   uint32
	body    uint32 // number of the body, or noBody
	status  uint16
	dated   bool
	robots  bool // it is of an origin's robots.txt
}

const noBody = math.MaxUint32

// perURL is about how many bytes a URL takes, besides its text: in a map of the set, and
// later in the Copies and in an archive.Writer, which take no more.
const perURL = 128

// ErrMemory is the error of Add when the index has no room in Set.Memory.
var ErrMemory = errors.New("the index of origins has no room in memory")

// Copy is a body with the origins whose robots.txt it is, or origins without a body.
type Copy struct {
	Body int // number of the body for Set.Body, or -1 for none
	Size int // length of the body in bytes
	Uses []Use
}

// Use is an origin with the HTTP status of its robots.txt.
type Use struct {
	Key    string // of the origin, as origin.AppendKey makes it
	Status uint16

	body uint32
}

// Add adds a capture. It copies what is new in it. Its error is ErrMemory, or one of the
// temporary file; nothing more can be added then.
func (s *Set) Add(c Capture) error {
	if s.held == nil {
		s.held, s.redirects, s.wanted = map[string]held{}, map[string]string{}, map[string]struct{}{}
		s.bodies = spill.NewBlobs(cmp.Or(s.Memory, math.MaxInt64))
	}
	for _, o := range c.Origins {
		at := answer.Target{Origin: o, Path: cmp.Or(c.Path, answer.RobotsPath)}
		if err := s.add(at, &c); err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) add(at answer.Target, c *Capture) (err error) {
	s.key = appendURL(s.key[:0], at)
	old, there := s.held[string(s.key)]
	if there && old.newerThan(c.Time) {
		s.count(at, there, 0)
		return nil
	}
	s.count(at, there, len(c.Body))
	h := held{body: noBody, status: c.Status, robots: at.Path == answer.RobotsPath}
	if h.dated = !c.Time.IsZero(); h.dated {
		h.seconds, h.nanos = c.Time.Unix(), uint32(c.Time.Nanosecond())
	}
	if answer.Of(int(c.Status), answer.Archive) == answer.File {
		n, err := s.bodies.Add(c.Body)
		if err != nil {
			return err
		}
		h.body = uint32(n)
	}
	key := string(s.key)
	s.held[key] = h
	if !there {
		s.index += perURL + int64(len(key))
	}
	s.redirect(key, at, c)
	return s.bound()
}

// bound makes bodies leave memory when the index needs their room. It fails if it needs more.
func (s *Set) bound() error {
	if s.Memory == 0 {
		return nil
	}
	room := s.Memory - s.index - int64(s.bodies.Len())*spill.BlobIndex
	if room < 0 {
		return ErrMemory
	}
	return s.bodies.SetRoom(room)
}

// appendURL appends to dst the URL of a capture: the key of its origin, and its path if that
// is not /robots.txt.
func appendURL(dst []byte, at answer.Target) []byte {
	dst = at.Origin.AppendKey(dst)
	if at.Path != answer.RobotsPath {
		dst = append(dst, at.Path...)
	}
	return dst
}

// count counts a capture.
func (s *Set) count(at answer.Target, there bool, length int) {
	const entry = 256 // bytes, about
	_, wanted := s.wanted[string(s.key)]
	switch {
	case at.Path == answer.RobotsPath && there:
		s.replaced++
	case at.Path == answer.RobotsPath:
		s.origins++
	case !wanted:
		s.spare += entry + len(at.Path) + length
	}
}

// maxLocation is how long the location of a redirect may be: longer than the URLs that
// browsers and crawlers take, and not so long that a few thousand hosts fill the index.
const maxLocation = 4 << 10

// redirect keeps where a capture of a URL is redirected to, or that it is not. From now on
// the set wants the URL that it leads to.
func (s *Set) redirect(url string, at answer.Target, c *Capture) {
	old, there := s.redirects[url]
	var to answer.Target
	ok := answer.Of(int(c.Status), answer.Archive) == answer.Redirect && len(c.Location) <= maxLocation
	if ok {
		to, ok = target(at, c.Location)
	}
	if !ok {
		if there {
			delete(s.redirects, url)
			s.index -= perURL + int64(len(old))
		}
		return
	}
	lead := string(appendURL(nil, to))
	s.redirects[url] = lead
	s.index += int64(len(lead) - len(old))
	if !there {
		s.index += perURL
	}
	if _, wanted := s.wanted[lead]; !wanted && to.Path != answer.RobotsPath {
		s.wanted[lead] = struct{}{}
		s.index += perURL + int64(len(lead))
	}
}

// target is answer.Resolve, but takes an empty query for none.
func target(from answer.Target, location string) (to answer.Target, ok bool) {
	to, ok = answer.Resolve(from, location)
	to.Path = strings.TrimSuffix(to.Path, "?")
	return to, ok
}

// maxSpare bounds the bytes of captures that nothing has asked for yet; so does an eighth of
// Set.Memory.
const maxSpare = 64 << 20

// Wants tells whether a capture of a URL other than an origin's robots.txt should be added:
// if a redirect of a capture in the set leads there, as crawlers store the redirect first.
// Captures whose path ends in a name such as robots_v2.txt are wanted before that too, in
// case the files of a crawl are read in another order, until these take 64 MiB or an
// eighth of Memory.
func (s *Set) Wants(to answer.Target) bool {
	s.key = appendURL(s.key[:0], to)
	if _, wanted := s.wanted[string(s.key)]; wanted {
		return true
	}
	path, _, _ := strings.Cut(to.Path, "?")
	name := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	most := maxSpare
	if s.Memory > 0 {
		most = int(min(maxSpare, s.Memory/8))
	}
	return strings.HasPrefix(name, "robots") && strings.HasSuffix(name, ".txt") && s.spare < most
}

// newerThan compares dates of captures, the zero date being the newest.
func (h held) newerThan(t time.Time) bool {
	if !h.dated || t.IsZero() {
		return !h.dated && !t.IsZero()
	}
	return cmp.Or(cmp.Compare(h.seconds, t.Unix()), cmp.Compare(h.nanos, uint32(t.Nanosecond()))) > 0
}

// Len returns the number of origins.
func (s *Set) Len() int { return s.origins }

// Replaced returns how many captures were replaced by another of the same origin.
func (s *Set) Replaced() int { return s.replaced }

// Copies returns the contents of the set, each body once, the longest first. An origin
// whose robots.txt is redirected to a URL of which the set has a capture has the body and
// the status of that (RFC 9309 2.3.1.2). If the redirect leads to any other URL, or to more
// than 20 redirects in succession, or if its location is longer than 4 KiB, the origin has no
// body, and its own status.
//
// Crawlers must follow five redirects; behind more they may assume that there is no
// robots.txt. A crawler that obeys the body all the same is right in both readings.
//
// Copies frees the index: nothing can be added after it, and a second call returns nothing.
func (s *Set) Copies() []Copy {
	uses := make([]Use, 0, s.origins)
	for url, h := range s.held {
		if h.robots {
			end := s.follow(url, h)
			uses = append(uses, Use{url, end.status, end.body})
		}
	}
	s.held, s.redirects, s.wanted = nil, nil, nil
	slices.SortFunc(uses, func(x, y Use) int {
		return cmp.Or(cmp.Compare(s.size(y.body), s.size(x.body)), cmp.Compare(x.body, y.body))
	})
	var copies []Copy
	for start, i := 0, 0; i < len(uses); i++ {
		if i+1 == len(uses) || uses[i+1].body != uses[i].body {
			c := Copy{Body: int(uses[i].body), Size: s.size(uses[i].body), Uses: uses[start : i+1 : i+1]}
			if uses[i].body == noBody {
				c.Body = -1
			}
			copies = append(copies, c)
			start = i + 1
		}
	}
	return copies
}

// size returns the length of a body.
func (s *Set) size(body uint32) int {
	if body == noBody {
		return 0
	}
	return s.bodies.Size(int(body))
}

// Body returns a body that the caller may keep; nil if the copy has none. Any number of
// goroutines may call it. An error is one of the temporary file.
func (s *Set) Body(c Copy) ([]byte, error) {
	if c.Body < 0 {
		return nil, nil
	}
	return s.bodies.Append([]byte{}, c.Body)
}

// Close removes the temporary file, if there is one. Nothing may be called after it but Len
// and Replaced.
func (s *Set) Close() error {
	if s.bodies == nil {
		return nil
	}
	return s.bodies.Close()
}

// maxRedirects is how many redirects in succession are followed, as many as browsers
// follow.
const maxRedirects = 20

// follow returns the capture at the end of the redirects of a URL, or its own if that
// cannot be reached.
func (s *Set) follow(url string, own held) held {
	h := own
	for n := 0; answer.Of(int(h.status), answer.Archive) == answer.Redirect; n++ {
		to, can := s.redirects[url]
		next, has := s.held[to]
		if !can || !has || n == maxRedirects {
			return own
		}
		url, h = to, next
	}
	return h
}
