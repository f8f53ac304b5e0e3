package audit

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// coder writes the fields of a deferred record, or of another part of a state, or reads them: each
// kind of record has one list of its fields for both. What it reads are views.
//
// The order of its bytes is that of its numbers where they have a fixed length: these are big-endian,
// and times have their sign bit flipped. All others are uvarints.
type coder struct {
	policy *policy.Policy
	reads  bool
	b      []byte // what is written, or is still to be read
	wrong  string // what is wrong with what was read, the first thing; empty: nothing
}

func newReader(p *policy.Policy, b []byte) *coder { return &coder{policy: p, reads: true, b: b} }

// bad reports whether something is wrong.
func (c *coder) bad() bool { return c.wrong != "" }

// require makes the record bad, for the reason given, unless ok.
func (c *coder) require(ok bool, wrong string) {
	if !ok && c.wrong == "" {
		c.wrong = wrong
	}
}

// fail makes a record bad of which no more can be read.
func (c *coder) fail(wrong string) {
	c.require(false, wrong)
	c.b = nil
}

// take reads bytes, of which there may be too few.
func (c *coder) take(n int) []byte {
	if n > len(c.b) {
		c.fail("it is cut short")
		return make([]byte, n)
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

// octet is a number below another.
func octet[E ~uint8](c *coder, v *E, below E, wrong string) {
	if !c.reads {
		c.b = append(c.b, byte(*v))
		return
	}
	*v = E(c.take(1)[0])
	c.require(*v < below, wrong)
}

// uvarint is a number that is at most most, and not negative.
func uvarint[N int | int32 | int64 | uint32](c *coder, v *N, most N) {
	if !c.reads {
		c.b = binary.AppendUvarint(c.b, uint64(*v))
		return
	}
	u, n := binary.Uvarint(c.b)
	if n <= 0 || u > uint64(most) {
		c.fail("a number is too large, or not one")
		return
	}
	*v, c.b = N(u), c.b[n:]
}

// fixed is a number of four bytes.
func fixed[N int32 | uint32](c *coder, v *N) {
	if c.reads {
		*v = N(binary.BigEndian.Uint32(c.take(4)))
	} else {
		c.b = binary.BigEndian.AppendUint32(c.b, uint32(*v))
	}
}

// text is a text after its length.
func text[T string | []byte](c *coder, v *T) {
	n := len(*v)
	uvarint(c, &n, len(c.b))
	if c.reads {
		*v = T(c.take(n))
	} else {
		c.b = append(c.b, *v...)
	}
}

func (c *coder) time(t *int64) {
	if !c.reads {
		c.b = binary.BigEndian.AppendUint64(c.b, uint64(*t)^1<<63)
		return
	}
	*t = int64(binary.BigEndian.Uint64(c.take(8)) ^ 1<<63)
	c.require(earliest <= *t && *t <= latest, "a time is one that no log has")
}

func (c *coder) hash(h *uint64) {
	if c.reads {
		*h = binary.BigEndian.Uint64(c.take(8))
	} else {
		c.b = binary.BigEndian.AppendUint64(c.b, *h)
	}
}

func (c *coder) flag(is *bool) {
	v := uint8(0)
	if *is {
		v = 1
	}
	octet(c, &v, 2, "a flag is neither 0 nor 1")
	if c.reads {
		*is = v == 1
	}
}

// end requires that nothing is left.
func (c *coder) end() { c.require(len(c.b) == 0, "it is too long") }

// operator reads the bytes of the operator's key, or of what stands in its place, and
// the name if it is an unknown crawler.
func (c *coder) operator() (key []byte, name string) {
	all := c.b
	switch c.take(1)[0] {
	case aboutAll:
	case aboutKnown:
		number := uint32(0)
		uvarint(c, &number, math.MaxUint32)
	case aboutUnknown:
		end := bytes.IndexByte(c.b, 0)
		if end < 0 {
			c.require(false, "a name does not end")
			return nil, ""
		}
		name = string(c.take(end))
		c.take(1)
	default:
		c.require(false, "it is about nothing known")
	}
	return all[:len(all)-len(c.b)], name
}

// kind reads the kind of a record, which follows the operator's key.
func (c *coder) kind() byte { return c.take(1)[0] }

// sender is a crawler, the site that it requested, and its word where its name is only a part of that.
func (c *coder) sender(s *judge.Sender) {
	uvarint(c, &s.Crawler, math.MaxUint32)
	c.site(&s.Site)
	text(c, &s.Word)
}

func (c *coder) site(at *policy.Site) {
	fixed(c, &at.First)
	fixed(c, &at.N)
	if c.reads && !hasSite(c.policy, *at) {
		c.require(false, "an origin is not in the policy")
		*at = policy.Site{}
	}
}

// hasSite reports whether a policy has the origins of a site.
func hasSite(p *policy.Policy, at policy.Site) bool {
	return at.First >= 0 && at.N >= 0 && int64(at.First)+int64(at.N) <= int64(len(p.Origins()))
}

// stances are the stances of all copies of each origin of a site, in runs of equal ones: the length of each and
// the stance in one number. They are those of copies, and are read into list.
func (c *coder) stances(at policy.Site, copies judge.Copies, normal bool, list [][]policy.Stance) [][]policy.Stance {
	for i := range int(at.N) {
		if !c.reads {
			c.b = appendRuns(c.b, copies.Stances(at.First+int32(i), normal))
			continue
		}
		if i == len(list) {
			list = append(list, nil)
		}
		list[i] = c.runs(list[i][:0], c.policy.Copies(at.First+int32(i)))
	}
	return list
}

func appendRuns(b []byte, stances []policy.Stance) []byte {
	for len(stances) > 0 {
		n := 1
		for n < len(stances) && stances[n] == stances[0] {
			n++
		}
		b = binary.AppendUvarint(b, uint64(n)<<2|uint64(stances[0]))
		stances = stances[n:]
	}
	return b
}

// runs appends the stance of each copy of an origin.
func (c *coder) runs(dst []policy.Stance, copies int) []policy.Stance {
	for left := copies; left > 0; {
		run := 0
		uvarint(c, &run, left<<2|3)
		if run>>2 == 0 {
			c.fail("the stances of copies are not as many as the copies")
			return append(dst, make([]policy.Stance, left)...)
		}
		for range run >> 2 {
			dst = append(dst, policy.Stance(run&3))
		}
		left -= run >> 2
	}
	return dst
}
