package archive

import (
	"hash/crc32"
	"iter"
	"math"
)

// record is what the index has of one origin.
type record struct {
	key    []byte
	status uint16 // of the answer; with the bit dated, that there are versions
	answer []byte // the numbers of the rulesets; for versions, all of them, and of one when version has chosen it
}

// group returns the bytes of a group, which it checks when it is first asked for. Two goroutines
// may check a group at once.
func (a *Archive) group(n uint64) ([]byte, error) {
	entry := a.directory[entryLen*n:]
	g := a.groups[le.Uint64(entry):le.Uint64(entry[entryLen:])]
	if a.checked[n/32].Load()>>(n%32)&1 == 0 {
		if crc32.Checksum(g, castagnoli) != le.Uint32(entry[8:]) {
			return nil, errGroup
		}
		if len(g) < 4<<a.groupBits+4 {
			return nil, errIndex
		}
		a.checked[n/32].Or(1 << (n % 32))
	}
	return g, nil
}

// bucket returns the records of a bucket.
func (a *Archive) bucket(n uint64) ([]byte, error) {
	g, err := a.group(n >> a.groupBits)
	if err != nil {
		return nil, err
	}
	bounds := g[n&(1<<a.groupBits-1)*4:]
	from, to := le.Uint32(bounds), le.Uint32(bounds[4:])
	if from > to || uint64(to) > uint64(len(g)) {
		return nil, errIndex
	}
	return g[from:to], nil
}

// find returns the record of an origin, if there is one.
func (a *Archive) find(key []byte) (r record, found bool, err error) {
	h := hash(a.seed, key)
	records, err := a.bucket(h >> a.shift)
	if err != nil {
		return r, false, err
	}
	for n := 0; len(records) > 0; n++ {
		length := a.recordLen(records)
		if n == maxBucket || length > len(records) {
			return r, false, errIndex
		}
		if le.Uint32(records) == uint32(h) {
			if r = a.record(records[:length]); string(r.key) == string(key) {
				return r, true, nil
			}
		}
		records = records[length:]
	}
	return r, false, nil
}

// recordLen returns the length of the first record of some, which may be more than there are bytes.
func (a *Archive) recordLen(records []byte) int {
	if len(records) < recordHead {
		return recordHead
	}
	status, key := le.Uint16(records[4:]), int(le.Uint16(records[6:]))
	if status < dated {
		return recordHead + a.answerLen + key
	}
	return recordHead + key + int(status-dated)*a.versionLen
}

// record reads a record, which has its length.
func (a *Archive) record(b []byte) record {
	status, keyLen := le.Uint16(b[4:]), int(le.Uint16(b[6:]))
	if b = b[recordHead:]; status < dated {
		return record{status: status, answer: b[:a.answerLen], key: b[a.answerLen:]}
	}
	return record{status: status, key: b[:keyLen:keyLen], answer: b[keyLen:]}
}

// version makes the answer of a record the one that is in force at an instant, and returns its
// Entry without the ruleset.
func (a *Archive) version(r *record, at int64) (e Entry, found bool) {
	if r.status < dated {
		return Entry{Status: r.status, From: math.MinInt64, Until: math.MaxInt64}, true
	}
	e.From, e.Until = math.MinInt64, math.MaxInt64
	low, high := 0, len(r.answer)/a.versionLen // the number of versions that have begun is between them
	for low < high {
		middle := int(uint(low+high) / 2)
		if from := a.from(r, middle); from <= at {
			low, e.From = middle+1, from
		} else {
			high, e.Until = middle, from
		}
	}
	if low == 0 {
		return e, false
	}
	v := r.answer[(low-1)*a.versionLen+dateLen:][:statusLen+a.answerLen]
	e.Status, r.answer = le.Uint16(v), v[statusLen:]
	return e, true
}

// from returns the instant from which on a version is in force.
func (a *Archive) from(r *record, version int) int64 {
	return int64(le.Uint64(r.answer[version*a.versionLen:]))
}

// Origin is an origin of an archive, as Origins lists it.
type Origin struct {
	Key      []byte
	Versions []Version // the oldest first, at least one
}

// Version is what an archive has for an origin from an instant on.
type Version struct {
	From     int64 // the instant, in Unix seconds; math.MinInt64 for a version without a date
	Status   uint16
	HasRules bool // there is a ruleset, in one dialect at least
}

// Origins lists all origins, in an order without a meaning. The error is a *DamageError in the place of
// the origins that are in a damaged part of the index; the others follow. An Origin is valid
// until the next one.
func (a *Archive) Origins() iter.Seq2[Origin, error] {
	return func(yield func(Origin, error) bool) {
		var o Origin
		for n := range uint64(len(a.directory)/entryLen - 1) {
			records, err := a.recordsOf(n)
			for err == nil && len(records) > 0 {
				length := a.recordLen(records)
				if length > len(records) {
					err = errIndex
					break
				}
				r := a.record(records[:length])
				o.Key, o.Versions = r.key, a.versions(o.Versions[:0], r)
				if !yield(o, nil) {
					return
				}
				records = records[length:]
			}
			if err != nil && !yield(Origin{}, err) {
				return
			}
		}
	}
}

// recordsOf returns the records of all buckets of a group.
func (a *Archive) recordsOf(n uint64) ([]byte, error) {
	g, err := a.group(n)
	if err != nil {
		return nil, err
	}
	return g[4<<a.groupBits+4:], nil
}

// versions appends the versions of a record to dst.
func (a *Archive) versions(dst []Version, r record) []Version {
	if r.status < dated {
		return append(dst, Version{math.MinInt64, r.status, hasRules(r.answer)})
	}
	for b := r.answer; len(b) > 0; b = b[a.versionLen:] {
		dst = append(dst, Version{int64(le.Uint64(b)), le.Uint16(b[dateLen:]), hasRules(b[dateLen+statusLen : a.versionLen])})
	}
	return dst
}

// hasRules tells whether one of the numbers of an answer is that of a ruleset.
func hasRules(answer []byte) bool {
	for ; len(answer) > 0; answer = answer[4:] {
		if le.Uint32(answer) != noRuleset {
			return true
		}
	}
	return false
}
