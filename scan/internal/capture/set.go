package capture

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"hash/maphash"
	"iter"
	"strings"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
)

// Set keeps the newest capture of each origin's robots.txt, or all of them. A capture without a
// date counts as newer than all dated captures, because a user added it by hand. Among captures
// with equal dates or without a date, the last one added is kept. If only one is kept, failed
// answers count as older than all others, because the last copy counts while robots.txt is
// unreachable (RFC 9309 2.4). With AllVersions that applies to an undated capture, which would
// replace all others. The zero value is an empty set. A set isn't safe for concurrent use.
//
// The set sorts captures and bodies in temporary files, which Close removes, so only the disk
// limits the number of origins.
//
// To follow redirects, a set also keeps captures of other URLs in the same way, if Wants asks for
// them.
type Set struct {
	// Memory is the approximate memory budget in bytes; 0 means 256 MB. It must be set before the
	// first Add.
	Memory int64
	// AllVersions keeps all dated captures of each origin, the last of each second, unless there is an
	// undated one. Otherwise the set keeps only one, without its date.
	AllVersions bool

	captures *spill.Records // nil before the first Add
	bodies   *bodies
	wanted   map[uint64]struct{} // hashes of redirect targets other than robots.txt
	seed     maphash.Seed
	added    uint64 // number of captures
	spare    int    // bytes of captures that nothing had asked for when added
	url      []byte // of the last capture
	record   []byte // reused
	origins  int
	replaced int
}

// shares is the number of equal parts of a set's memory: for the captures, the bodies, the answers
// of origins, and two rounds of redirects.
const shares = 6

// Copy is a body with the origins that sent it as robots.txt, or a list of origins without a body.
type Copy struct {
	// Body is nil if there is none, and non-nil for an empty body. The caller owns it.
	Body []byte
	// Again means that the previous copy has the same body for other origins.
	Again bool
	Uses  []Use // 1 to 1024
}

// Use is an origin with the HTTP status of its robots.txt.
type Use struct {
	Key    string // of the origin, from origin.AppendKey
	Status uint16
	// From is the time of the capture in Unix seconds. It is math.MinInt64 if unknown, or if the set
	// keeps one capture per origin.
	From int64
	// Via lists the first five redirect targets other than a robots.txt, each as the key of an origin
	// and a path.
	Via []string
}

const maxUses = 1024

// share returns the memory of one sorter.
func (s *Set) share() int64 { return cmp.Or(s.Memory, 256<<20) / shares }

func (s *Set) sorter() *spill.Records { return spill.NewRecords(spill.Options{Memory: s.share()}) }

// Add adds a capture. It copies any new data in it. An error comes from the temporary file; nothing more can be added
// after that.
func (s *Set) Add(c Capture) error {
	s.open()
	var digest []byte // of the body, which all origins share
	if len(c.Origins) > 0 && answer.Of(int(c.Status), answer.Archive) == answer.File {
		sum, err := s.bodies.add(c.Body)
		if err != nil {
			return err
		}
		digest = sum[:]
	}
	for _, o := range c.Origins {
		if err := s.add(answer.Target{Origin: o, Path: cmp.Or(c.Path, answer.RobotsPath)}, &c, digest); err != nil {
			return err
		}
	}
	return nil
}

// open creates the sorters.
func (s *Set) open() {
	if s.captures == nil {
		s.captures, s.bodies = s.sorter(), &bodies{
			sorted: spill.NewRecords(spill.Options{Memory: s.share(), Compress: true}),
			recent: map[[sha256.Size]byte]struct{}{}, most: int(s.share() / recentBytes),
		}
		s.wanted, s.seed = map[uint64]struct{}{}, maphash.MakeSeed()
	}
}

func (s *Set) add(at answer.Target, c *Capture, digest []byte) error {
	s.url = appendURL(s.url[:0], at)
	if len(s.url) > maxURL {
		return nil // no redirect can lead there
	}
	meaning := answer.Of(int(c.Status), answer.Archive)
	a := held{date: dateOf(c.Time), number: s.added, robots: at.Path == answer.RobotsPath, status: c.Status}
	a.failed = meaning == answer.Failed && (!s.AllVersions || c.Time.IsZero())
	s.added++
	if _, wanted := s.wanted[s.hash()]; !a.robots && !wanted {
		s.spare += len(s.url) + len(c.Body) + recordBytes
	}
	switch meaning {
	case answer.File:
		a.content, a.rest = aBody, digest
	case answer.Redirect:
		if to, ok := target(at, c.Location); ok && len(c.Location) <= maxLocation {
			a.content, a.rest = aRedirect, appendURL(nil, to)
			if to.Path != answer.RobotsPath && int64(len(s.wanted)) < s.share()/wantedBytes {
				s.wanted[maphash.Bytes(s.seed, a.rest)] = struct{}{}
			}
		}
	}
	s.record = a.append(appendText(s.record[:0], s.url))
	return s.captures.Add(s.record)
}

// recordBytes is the approximate memory of a capture, besides its URL and its body.
const recordBytes = 96

// hash returns the hash of the last URL.
func (s *Set) hash() uint64 { return maphash.Bytes(s.seed, s.url) }

// wantedBytes is four times the memory of a URL in Set.wanted, which may use a quarter of a share.
const wantedBytes = 128

// appendURL appends the URL of a capture to dst: the key of its origin, and its path if that isn't
// /robots.txt.
func appendURL(dst []byte, at answer.Target) []byte {
	dst = at.Origin.AppendKey(dst)
	if at.Path != answer.RobotsPath {
		dst = append(dst, at.Path...)
	}
	return dst
}

const (
	// maxLocation limits the location of a redirect. It is longer than the URLs that browsers and
	// crawlers accept.
	maxLocation = 4 << 10
	// maxURL limits URLs. Longer redirect targets are never followed.
	maxURL = 1<<16 - 1
)

// target is answer.Resolve, but ignores an empty query.
func target(from answer.Target, location string) (to answer.Target, ok bool) {
	to, ok = answer.Resolve(from, location)
	to.Path = strings.TrimSuffix(to.Path, "?")
	return to, ok
}

// maxSpare limits the bytes of captures that nothing has asked for yet. The other limit is an
// eighth of Set.Memory.
const maxSpare = 64 << 20

// Wants reports whether a capture of a URL other than an origin's robots.txt should be added,
// because a redirect in the set leads there. Crawlers store the redirect first. In case the files
// of a crawl are read in another order, captures whose path ends in a name such as robots_v2.txt
// are wanted even before the redirect, until these take 64 MiB or an eighth of Memory.
//
// The set remembers one redirect target per 768 bytes of Memory. Captures of further targets aren't
// wanted, and the origins that redirect there have no body.
func (s *Set) Wants(to answer.Target) bool {
	s.open()
	s.url = appendURL(s.url[:0], to)
	if _, wanted := s.wanted[s.hash()]; wanted {
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

// Len returns the number of origins. It is valid after Copies has been consumed.
func (s *Set) Len() int { return s.origins }

// Replaced returns how many captures were replaced by another of the same origin. It is valid after
// Copies has been consumed.
func (s *Set) Replaced() int { return s.replaced }

// Copies yields the contents of the set, first the origins without a body, then one body after the
// other with its origins. If an origin's robots.txt redirects to a URL that the set has captured,
// the origin gets the body and status of that capture (RFC 9309 2.3.1.2): the newest one or, with
// AllVersions, the one closest in time to the redirect. If the target is any other URL or is
// followed by more than 20 redirects, or if its location is longer than 4 KiB, the origin has no
// body and keeps its own status.
//
// Crawlers must follow five redirects; after more they may assume that there is no robots.txt. A crawler that obeys the
// body anyway is correct either way.
//
// Nothing can be added after this call, and the result can only be iterated once. An error is the last element: from a
// temporary file, or ctx.Err() if ctx is done.
func (s *Set) Copies(ctx context.Context) iter.Seq2[Copy, error] {
	return func(yield func(Copy, error) bool) {
		s.open()
		s.captures.StopAt(ctx)
		s.bodies.sorted.StopAt(ctx)
		answers, err := s.resolve(ctx)
		defer answers.Close() //nolint:staticcheck // it exists even after an error
		if err = cmp.Or(err, s.captures.Close()); err != nil {
			yield(Copy{}, err)
			return
		}
		s.copies(answers, yield)
	}
}

// copies joins the answers of origins with the bodies.
func (s *Set) copies(answers *spill.Records, yield func(Copy, error) bool) {
	next, stop := iter.Pull2(s.bodies.all())
	defer stop()
	var c Copy
	var digest []byte // of c's body
	var body storedBody
	for r, err := range answers.All() {
		if err != nil {
			yield(Copy{}, err)
			return
		}
		n := 1 + int(r[0])*sha256.Size // what identifies the body
		other := digest == nil || !bytes.Equal(r[:n], digest)
		if len(c.Uses) > 0 && (other || len(c.Uses) == maxUses) {
			if !yield(c, nil) {
				return
			}
			c = Copy{Body: c.Body, Again: true}
		}
		if other {
			digest, c = append(digest[:0], r[:n]...), Copy{}
			for n > 1 && !bytes.Equal(body.digest[:], digest[1:]) {
				var more bool
				if body, err, more = next(); err != nil || !more {
					yield(Copy{}, cmp.Or(err, errLostBody))
					return
				}
			}
			if n > 1 {
				c.Body = body.bytes
			}
		}
		c.Uses = append(c.Uses, readUse(r[n:]))
	}
	if len(c.Uses) > 0 {
		yield(c, nil)
	}
}

// Close removes the temporary files. Only Len and Replaced may be called afterwards.
func (s *Set) Close() error {
	if s.captures == nil {
		return nil
	}
	return cmp.Or(s.captures.Close(), s.bodies.sorted.Close())
}
