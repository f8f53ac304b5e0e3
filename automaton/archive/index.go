package archive

import (
	"iter"
	"math"
)

// find returns the record of an origin, or nil if there is none.
func (a *Archive) find(s *spot, key []byte) ([]byte, error) {
	group := s.hash >> a.shift >> a.groupBits
	if a.checked[group/32].Load()>>(group%32)&1 == 0 {
		if err := a.check(group); err != nil {
			return nil, err
		}
	}
	from, to := uint64(s.from), uint64(s.to)
	if uint64(len(a.records)) > math.MaxUint32 {
		from, to = a.whole(group, from, to)
	}
	if from > to || to > uint64(len(a.records)) {
		return nil, errIndex
	}
	records := a.records[from:to]
	for n := 0; len(records) > 0; n++ {
		keyAt, length := a.measure(records)
		if n == maxBucket || length > len(records) {
			return nil, errIndex
		}
		if le.Uint32(records) == uint32(s.hash) && string(records[keyAt:][:le.Uint16(records[6:])]) == string(key) {
			return records[:length], nil
		}
		records = records[length:]
	}
	return nil, nil
}

// check verifies a group on first use. It may run concurrently for the same group.
func (a *Archive) check(group uint64) error {
	buckets := a.buckets[group<<a.groupBits*bucketLen:][:(1<<a.groupBits+1)*bucketLen]
	if groupChecksum(buckets, a.recordsOf(group)) != le.Uint32(a.directory[entryLen*group+8:]) {
		return errGroup
	}
	a.checked[group/32].Or(1 << (group % 32))
	return nil
}

// recordsOf returns the records of a group. Open has validated the offsets.
func (a *Archive) recordsOf(group uint64) []byte {
	entry := a.directory[entryLen*group:]
	return a.records[le.Uint64(entry):le.Uint64(entry[entryLen:])]
}

// whole returns the bounds of a bucket. The table holds only their lower halves; the directory has
// the offset of the group, which they follow.
func (a *Archive) whole(group, from, to uint64) (wholeFrom, wholeTo uint64) {
	begin := le.Uint64(a.directory[entryLen*group:])
	wholeFrom = begin + uint64(uint32(from)-uint32(begin))
	return wholeFrom, wholeFrom + uint64(uint32(to)-uint32(from))
}

// measure returns the offset of the first record's key, and the record's length. Both may exceed
// the available bytes.
func (a *Archive) measure(records []byte) (keyAt, length int) {
	if len(records) < recordHead {
		return 0, recordHead
	}
	status, key := le.Uint16(records[4:]), int(le.Uint16(records[6:]))
	if status < dated {
		return recordHead + a.answerLen, recordHead + a.answerLen + key
	}
	return recordHead, recordHead + key + int(status-dated)*a.versionLen
}

// version sets the status and bounds of an empty Entry to the version in force at an instant, and returns the
// numbers of its blobs, or nil if no version is in force.
func (a *Archive) version(e *Entry, record []byte, at int64) (answer []byte) {
	if status := le.Uint16(record[4:]); status < dated {
		e.Status = status
		return record[recordHead:]
	}
	versions := record[recordHead+int(le.Uint16(record[6:])):]
	low, high := 0, len(versions)/a.versionLen // the number of versions that have begun lies between them
	for low < high {
		middle := int(uint(low+high) / 2)
		if from := int64(le.Uint64(versions[middle*a.versionLen:])); from <= at {
			low, e.From = middle+1, from
		} else {
			high, e.Until = middle, from
		}
	}
	if low == 0 {
		return nil
	}
	v := versions[(low-1)*a.versionLen+dateLen:]
	e.Status = le.Uint16(v)
	return v[statusLen:]
}

// Origin is an origin of an archive, as listed by Origins.
type Origin struct {
	Key      []byte
	Versions []Version // the oldest first, at least one
}

// Version is an archive's record of an origin from an instant on.
type Version struct {
	From     int64 // in Unix seconds; math.MinInt64 for a version without a date
	Status   uint16
	HasRules bool // the version has a ruleset in at least one dialect
}

// Origins iterates over all origins in unspecified order. For each damaged part of the index it yields a
// *DamageError in place of the origins there, and goes on. An Origin is valid until the next iteration.
func (a *Archive) Origins() iter.Seq2[Origin, error] {
	return func(yield func(Origin, error) bool) {
		var o Origin
		for n := range uint64(len(a.directory)/entryLen - 1) {
			records, err := a.recordsOf(n), a.check(n)
			for err == nil && len(records) > 0 {
				keyAt, length := a.measure(records)
				if length > len(records) {
					err = errIndex
					break
				}
				o.Key = records[keyAt:][:le.Uint16(records[6:])]
				o.Versions = a.versions(o.Versions[:0], records[:length])
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

// versions appends the versions of a record to dst.
func (a *Archive) versions(dst []Version, record []byte) []Version {
	if status := le.Uint16(record[4:]); status < dated {
		return append(dst, Version{math.MinInt64, status, hasRules(record[recordHead:][:4*len(a.dialects)])})
	}
	for b := record[recordHead+int(le.Uint16(record[6:])):]; len(b) > 0; b = b[a.versionLen:] {
		numbers := b[dateLen+statusLen:][:4*len(a.dialects)]
		dst = append(dst, Version{int64(le.Uint64(b)), le.Uint16(b[dateLen:]), hasRules(numbers)})
	}
	return dst
}

// hasRules reports whether an answer refers to any ruleset.
func hasRules(answer []byte) bool {
	for ; len(answer) > 0; answer = answer[4:] {
		if le.Uint32(answer) != noBlob {
			return true
		}
	}
	return false
}
