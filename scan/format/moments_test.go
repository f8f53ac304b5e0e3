package format

import (
	"strings"
	"testing"
	"time"
)

// TestMoments: a reader that remembers times reads each as one that has read none before.
func TestMoments(t *testing.T) {
	// halves is a layout by hours from 1 to 12, in which no time can be told from the one before.
	halves := func(b []byte, _ *time.Location) (int64, bool) {
		at, err := time.Parse("2006-01-02 03:04:05 PM", string(b))
		return at.UnixNano(), err == nil
	}
	offset := time.FixedZone("", 3600)
	texts := []string{
		"2026-03-04 05:06:07", "2026-03-04 23:59:60", "2026-03-04 24:00:00", "2026-03-05 00:00:00", "2026-03-05 05:06:07.5",
		"2026-03-05T05:06:08Z",
		"2026-03-05T05:06:09+01:00", "2026-03-05T05:06:10+01:00", "2026-03-05T05:06:10+02:00", "2026-02-30T05:06:10+02:00",
		"23:05:06:07", "",
		"04/Mar/2023:05:06:07 +0000", "04/Mar/2023:05:06:08 +0000", "04/Mar/2023:05:06:08 +0100",
		"32/Mar/2023:05:06:08 +0100", "1772600767.5", "1772600767",
		"2026-03-04 12:06:07 PM", "2026-03-04 01:06:07 PM", "2026-03-04 11:06:07 PM", "2026-03-04 12:00:00 AM", ":::::::::::",
		"::", "2026-03-04 05:06:07 05:06:07",
		"2026-03-05 05:06:07.25", "2026-03-05 05:06:08.75", "2026-03-05 05:06:08,75", "2026-03-05 05:06:08.7x",
		"2026-03-05 05:06:08.", "2026-03-05T05:06:08.250Z",
		"2026-03-05T05:06:08.123456789012Z", "2026-03-05T05:06:08.923456789099Z", "2026-03-05 05:06:07.25 1.5",
		"04/Mar/2023:05:06:07.125", "04/Mar/2023:05:06:59.875",
	}
	for name, layout := range map[string]layout{"isoTime": isoTime, "clfTime": clfTime, "epochTime": epochTime,
		"halves": halves, "webTime": webTime} {
		for _, zone := range []*time.Location{nil, offset} {
			var m moments
			for _, first := range texts {
				for _, second := range texts {
					for _, text := range []string{first, second, strings.ReplaceAll(second, "06", "07")} {
						nanos, ok := m.read([]byte(text), layout, zone)
						if want, wantOK := layout([]byte(text), zone); ok != wantOK || ok && nanos != want {
							t.Fatalf("%s in %v: %q is %d, %v, want %d, %v", name, zone, text, nanos, ok, want, wantOK)
						}
					}
				}
			}
		}
	}
	for text, layout := range map[string]layout{"04/Mar/2026:05:06:07 +0000": clfTime,
		"2026-03-04T05:06:07.123456Z": isoTime, "04/Mar/2026:05:06:07.123": webTime} {
		var m moments
		text := []byte(text)
		if n := testing.AllocsPerRun(100, func() { m.read(text, layout, nil) }); n != 0 || len(m.last) == 0 {
			t.Errorf("%q: %v allocations, %q remembered", text, n, m.last)
		}
	}
}
