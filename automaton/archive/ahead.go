package archive

import "github.com/robotsieve/robotsieve/automaton"

// Found is the result of a lookup.
type Found struct {
	Entry Entry
	Known bool // the archive has the origin at the instant
	Err   error
}

// atOnce is how many lookups LookupAll interleaves: more than a processor can keep in flight, and
// few enough that their state stays in the first-level cache.
const atOnce = 64

// LookupAll sets found[i] to the result of LookupAt for keys[i]; both slices must have the same length. If the
// index is not cached, a lookup waits for its bucket, then for the record, then for the ruleset. LookupAll takes
// each step for 64 keys before the next step, so that these waits overlap: looking up random origins among a
// million takes half the time.
func (a *Archive) LookupAll(keys [][]byte, d automaton.Dialect, at int64, found []Found) {
	var spots [atOnce]spot
	err := a.has(d)
	for ; len(keys) > 0 && err == nil; keys, found = keys[min(len(keys), atOnce):], found[min(len(keys), atOnce):] {
		some := spots[:min(len(keys), atOnce)]
		for i := range some {
			some[i].hash = hash(a.seed, keys[i])
		}
		for i := range some {
			a.bounds(&some[i])
		}
		for i := range some {
			a.touch(&some[i])
		}
		for i := range some {
			some[i].record, found[i].Err = a.find(&some[i], keys[i])
		}
		for i := range some {
			some[i].ruleset = a.decodedOf(some[i].record, int(a.columns[d])-1)
		}
		for i := range some {
			f := &found[i]
			if f.Entry, f.Known = (Entry{}), false; f.Err == nil {
				f.Known, f.Err = a.answer(&f.Entry, some[i].record, d, at, false)
			}
		}
	}
	for i := range keys {
		found[i] = Found{Err: err}
	}
}

// spot is the state of a lookup: where the record of a key is, and what was found.
type spot struct {
	hash     uint64
	from, to uint32 // the lower halves of the offsets of its bucket and the next
	record   []byte

	touched byte               // meaningless: set, like ruleset, to warm the cache
	ruleset *automaton.Ruleset // nil unless it is decoded
}

func (a *Archive) bounds(s *spot) {
	bounds := le.Uint64(a.buckets[bucketLen*(s.hash>>a.shift):])
	s.from, s.to = uint32(bounds), uint32(bounds>>32)
}

// touch loads the first and last record of the bucket.
func (a *Archive) touch(s *spot) {
	if s.from < s.to && uint64(s.to) <= uint64(len(a.records)) {
		s.touched = a.records[s.from] | a.records[s.to-1]
	}
}

// decodedOf returns the ruleset of a column in a record with one version, or nil if it is not decoded.
func (a *Archive) decodedOf(record []byte, column int) *automaton.Ruleset {
	if record == nil || le.Uint16(record[4:]) >= dated {
		return nil
	}
	id := le.Uint32(record[recordHead+4*column:])
	if uint64(id) >= uint64(a.blobCount) {
		return nil
	}
	if s := a.decoded[id/slabLen].Load(); s != nil {
		return s.rulesets[id%slabLen].Load()
	}
	return nil
}
