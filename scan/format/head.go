package format

import (
	"iter"
	"slices"
	"time"
)

// records reads the beginning of a log, and completes its requests.
func (f *Format) records(head []byte) iter.Seq2[Kind, *Record] { return recordsOf(f.NewReader(), head) }

func recordsOf(reader Reader, head []byte) iter.Seq2[Kind, *Record] {
	return func(yield func(Kind, *Record) bool) {
		var r Record
		reader.Reset(head)
		for kind := reader.Next(&r); kind != End; kind = reader.Next(&r) {
			if kind == Request {
				reader.Complete(&r)
			}
			if !yield(kind, &r) {
				return
			}
		}
	}
}

// Loss returns the worst that a log does to targets, by its beginning, head.
func Loss(f *Format, head []byte) (worst Lossy) {
	for kind, r := range f.records(head) {
		if kind == Request {
			worst = max(worst, r.Lossy)
		}
	}
	return worst
}

// NamesZones reports whether the times at the beginning of a log, head, name their zone. If
// not, they are in the zone of Format.In. A log without a time names all.
func NamesZones(f *Format, head []byte) bool {
	times := func(zone *time.Location) (list []int64) {
		for kind, r := range f.In(zone).records(head) {
			if kind == Request {
				list = append(list, r.Time)
			}
		}
		return list
	}
	return slices.Equal(times(time.UTC), times(time.FixedZone("", 3600)))
}
