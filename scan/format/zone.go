package format

import "time"

// NamesZones tells whether the times at the beginning of a log, head, name their zone. If
// not, they are in the zone of Format.In. A log without a time names all.
func NamesZones(f *Format, head []byte) bool {
	inUTC, inAnother := f.In(time.UTC).NewReader(), f.In(time.FixedZone("", 3600)).NewReader()
	inUTC.Reset(head)
	inAnother.Reset(head)
	var r, s Record
	for range sampleLines {
		kind := inUTC.Next(&r)
		if inAnother.Next(&s); kind == End {
			break
		}
		if kind != Request {
			continue
		}
		inUTC.Complete(&r)
		inAnother.Complete(&s)
		if r.Time != s.Time {
			return false
		}
	}
	return true
}
