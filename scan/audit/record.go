package audit

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// recordReader takes a deferred record, or another part of a state, apart. It returns views.
type recordReader struct {
	policy *policy.Policy
	rest   []byte
	wrong  string // what is wrong with it, the first thing; empty: nothing
}

// bad reports whether something is wrong.
func (r *recordReader) bad() bool { return r.wrong != "" }

// require makes the record bad, for the reason given, unless ok.
func (r *recordReader) require(ok bool, wrong string) {
	if !ok && r.wrong == "" {
		r.wrong = wrong
	}
}

func (r *recordReader) take(n int) []byte {
	if n > len(r.rest) {
		r.require(false, "it is cut short")
		r.rest = nil
		return make([]byte, n)
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *recordReader) byte() byte     { return r.take(1)[0] }
func (r *recordReader) uint32() uint32 { return binary.BigEndian.Uint32(r.take(4)) }
func (r *recordReader) uint64() uint64 { return binary.BigEndian.Uint64(r.take(8)) }

// uvarint reads a number that is at most most.
func (r *recordReader) uvarint(most uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > most {
		r.require(false, "a number is too large, or not one")
		r.rest = nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// delay reads the milliseconds of a delay, at most as many as a time.Duration can
// have.
func (r *recordReader) delay() int64 { return int64(r.uvarint(math.MaxInt64 / millisecond)) }

func (r *recordReader) bytes() []byte { return r.take(int(r.uvarint(uint64(len(r.rest))))) }

func (r *recordReader) time() int64 {
	t := int64(r.uint64() ^ 1<<63)
	r.require(earliest <= t && t <= latest, "a time is one that no log has")
	return t
}

// identity reads how far a client is proven.
func (r *recordReader) identity() Identity {
	i := Identity(r.byte())
	r.require(i < identities, "an identity is of no kind")
	return i
}

// end requires that nothing is left.
func (r *recordReader) end() { r.require(len(r.rest) == 0, "it is too long") }

// operator returns the bytes of the operator's key, or of what stands in its place, and
// the name if it is an unknown crawler.
func (r *recordReader) operator() (key []byte, name string) {
	all := r.rest
	switch r.byte() {
	case aboutAll:
	case aboutKnown:
		r.uvarint(math.MaxUint32)
	case aboutUnknown:
		end := bytes.IndexByte(r.rest, 0)
		if end < 0 {
			r.require(false, "a name does not end")
			return nil, ""
		}
		name = string(r.take(end))
		r.byte()
	default:
		r.require(false, "it is about nothing known")
	}
	return all[:len(all)-len(r.rest)], name
}

// crawler reads agent.index.
func (r *recordReader) crawler() uint32 { return uint32(r.uvarint(math.MaxUint32)) }

// sender reads a crawler and the site that it requested, which appendCrawler has written.
func (r *recordReader) sender() judge.Sender {
	return judge.Sender{Crawler: r.crawler(), Site: r.site(), Word: string(r.bytes())}
}

func (r *recordReader) site() policy.Site {
	at := policy.Site{First: int32(r.uint32()), N: int32(r.uint32())}
	if !hasSite(r.policy, at) {
		r.require(false, "an origin is not in the policy")
		return policy.Site{}
	}
	return at
}

// hasSite reports whether a policy has the origins of a site.
func hasSite(p *policy.Policy, at policy.Site) bool {
	return at.First >= 0 && at.N >= 0 && int64(at.First)+int64(at.N) <= int64(len(p.Origins()))
}

// kind reads the kind of an answer.
func (r *recordReader) kind() judge.Kind {
	kind := judge.Kind(r.byte())
	r.require(kind < judge.Kinds, "an answer is of no kind")
	return kind
}

// answers reads the answers of the copies of each origin of a site, into dst.
func (r *recordReader) answers(dst [][]policy.Answer, at policy.Site) [][]policy.Answer {
	for i := range int(at.N) {
		if i == len(dst) {
			dst = append(dst, nil)
		}
		dst[i] = r.runs(dst[i][:0], r.policy.Copies(at.First+int32(i)))
	}
	return dst
}

// runs appends the answer of each copy of an origin.
func (r *recordReader) runs(dst []policy.Answer, copies int) []policy.Answer {
	for end := len(dst) + copies; len(dst) < end; {
		run := r.uvarint(uint64(end-len(dst))<<2 | 3)
		if run>>2 == 0 {
			r.require(false, "the answers of copies are not as many as the copies")
			r.rest = nil
			return append(dst, make([]policy.Answer, end-len(dst))...)
		}
		for range run >> 2 {
			dst = append(dst, policy.Answer(run&3))
		}
	}
	return dst
}
