package format

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// randomTime returns an instant from 1700 to 2200 in a zone of whole minutes.
func randomTime(r *rand.Rand) time.Time {
	from := time.Date(1700, time.January, 2, 0, 0, 0, 0, time.UTC).Unix()
	to := time.Date(2200, time.December, 31, 0, 0, 0, 0, time.UTC).Unix()
	zone := time.FixedZone("", (r.IntN(2*24*60-1)-(24*60-1))*60)
	return time.Unix(from+r.Int64N(to-from), r.Int64N(1e9)).In(zone)
}

// TestTimeIsThatOfTheStandardLibrary compares with time.Parse, on times of five centuries in all
// zones, with fractions of every length.
func TestTimeIsThatOfTheStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	layouts := []string{
		"02/Jan/2006:15:04:05 -0700",
		"02/Jan/2006:15:04:05.0 -0700",
		"02/Jan/2006:15:04:05.000 -0700",
		"02/Jan/2006:15:04:05,000000 -0700",
		"02/Jan/2006:15:04:05.000000000 -0700",
	}
	rounds := 200_000
	if testing.Short() {
		rounds = 20_000
	}
	for range rounds {
		layout := layouts[r.IntN(len(layouts))]
		text := randomTime(r).Format(layout)
		want, err := time.Parse(layout, text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := clfTime([]byte(text), nil); !ok || got != want.UnixNano() {
			t.Fatalf("%s: got %v (%v), want %v", text, time.Unix(0, got).UTC(), ok, want.UTC())
		}
	}
}

// TestDamagedTime replaces each byte of a time by every other. What is still accepted must equal
// the result of time.Parse, except for additions such as months in lower case.
func TestDamagedTime(t *testing.T) {
	for _, whole := range []string{"28/Feb/2011:19:52:08 +0130", "28/Feb/2011:19:52:08.123456 -0130"} {
		for i := range len(whole) {
			for c := range 256 {
				b := []byte(whole)
				b[i] = byte(c)
				got, ok := clfTime(b, nil)
				want, err := time.Parse("02/Jan/2006:15:04:05 -0700", string(b))
				if ok && (err != nil || got != want.UnixNano()) {
					// Leap seconds are an exception, because time.Parse rejects them.
					if second := string(b[18:20]); second != "60" {
						t.Errorf("%q: got %v, want %v (%v)", b, time.Unix(0, got).UTC(), want.UTC(), err)
					}
				}
			}
			if _, ok := clfTime([]byte(whole[:i]), nil); ok {
				t.Errorf("%q is accepted", whole[:i])
			}
		}
	}
}

// TestMoments checks that a reader that remembers times reads each like a new one.
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

// TestInstant reads times as archives and manifests write them. A Stamp is digits only.
func TestInstant(t *testing.T) {
	const at = 1704164645 // 2024-01-02T03:04:05Z
	instant := func(text string) (int64, bool) { return Instant([]byte(text)) }
	stamp := func(text string) (int64, bool) { return Stamp([]byte(text)) }
	for _, c := range []struct {
		read func(string) (int64, bool)
		good map[string]int64
		bad  []string
	}{
		{instant, map[string]int64{
			"2024-01-02T03:04:05Z": at, "2024-01-02t03:04:05.999z": at, "2024-01-02T05:04:05+02:00": at,
			" 2024-01-02 03:04:05 ": at, "2024-01-02 03:04:05+0000": at, "2024-01-02": at - 3*3600 - 4*60 - 5,
			"20240102030405": at, "20240102030405123": at, "202401020304": at - 5, "202401": 1704067200, "2024": 1704067200,
			"1704164645.9": at, "1704164645123": at, "1704164645123456": at, "1704164645123456789": at,
			"Tue, 02 Jan 2024 03:04:05 GMT": at, "Tue, 2 Jan 2024 03:04:05 UTC": at, "Tue, 02 Jan 2024 04:04:05 +0100": at,
			"02/Jan/2024:03:04:05 +0000": at, "1969-12-31T23:59:59.5Z": -1, "2024-02-29": 1709164800,
		}, []string{"", "-", "x", "2024-02-30", "20240230", "20241301", "202", "20240102030461", "Tue, 02 Jan 2024",
			"Tue, 02 Foo 2024 03:04:05 GMT", "2024-01-02T03:04", "2024-1-2", "99999999999999", "-5", "17041646451234567890",
			"12345678.5", "٢٠٢٤"}},
		{stamp, map[string]int64{"20240102030405": at, "2024010203": 1704164400, "20240102030405000": at, "1996": 820454400},
			[]string{"", "-", "199", "19961", "1996010203040", "19960102030405x", "199613", strings.Repeat("1", 24)}},
	} {
		for text, want := range c.good {
			if got, ok := c.read(text); got != want || !ok {
				t.Errorf("%q is %d, %v, want %d", text, got, ok, want)
			}
		}
		for _, text := range c.bad {
			if got, ok := c.read(text); ok {
				t.Errorf("%q is %d", text, got)
			}
		}
	}
}

// TestPattern reads times in strftime layouts.
func TestPattern(t *testing.T) {
	zone := time.FixedZone("", 3600)
	const at, hour = 1_772_600_767_000_000_000, 3_600_000_000_000 // 2026-03-04T05:06:07Z
	for _, c := range []struct {
		pattern, text string
		want          int64 // 0 if it is no time
	}{
		{"%d/%b/%Y:%H:%M:%S", "04/Mar/2026:05:06:07", at - hour},
		{"%d/%b/%Y:%H:%M:%S", "04/Mar/2026:05:06:07.5 -0100", at + hour + 500_000_000},
		{"%d/%b/%Y:%H:%M:%S", "04/Mär/2026:05:06:07", 0},
		{"%d/%b/%Y:%H:%M:%S %Z", "04/Mar/2026:05:06:07 UTC", at},
		{"%d/%b/%Y:%H:%M:%S %Z", "04/Mar/2026:05:06:07 CET", 0},
		{"%FT%T.%{msec_frac}%z", "2026-03-04T05:06:07.281+01:00", at - hour + 281_000_000},
		{"%Y-%m-%d %H:%M:%S.%{usec_frac}", "2026-03-04 05:06:07.000281", at - hour + 281_000},
		{"%Y-%m-%dT%H:%M:%S.%3fZ", "2026-03-04T05:06:07.281Z", at - hour + 281_000_000},
		{"%A, %e %B %Y %I:%M:%S %p", "Wednesday,  4 March 2026 05:06:07 AM", at - hour},
		{"%m/%d/%y %l:%M:%S%P", "03/04/26  5:06:07am", 0},
		{"%m/%d/%y %I:%M:%S %p", "03/04/26 12:06:07 AM", at - 6*hour},
		{"%m/%d/%y %I:%M:%S %p", "03/04/26 13:06:07 AM", 0},
		{"%c", "Wed Mar  4 05:06:07 2026", at - hour},
		{"%{msec}", "1772600767281", at + 281_000_000},
		{"%*", "1772600767281", at + 281_000_000},
		{"%f", "1772600767281000", at + 281_000_000},
		{"%s.%{msec_frac}", "1772600767.281", at + 281_000_000},
		{"%d/%b/%Y:%H:%M:%S", "04/Mar/2026:05:06:07.", 0},
		{isoPattern, "2026-03-04T05:06:07Z", at},
		{isoPattern, "2026-03-04t05:06:07,123456789z", at + 123_456_789},
		{isoPattern, "2026-03-04T05:06:07+01:00", at - hour},
		{isoPattern, "2026-03-04T05:06:07+01", at - hour},
		{isoPattern, "2026-03-04T05:06:07+0a", 0},
		{isoPattern, "2026-03-04T05:06:07 ", 0},
		{isoPattern, "2026-03-04X05:06:07Z", 0},
		{isoPattern, "2026-13-04T05:06:07Z", 0},
		{"%s", "1772600767.281", at + 281_000_000},
		{"%s", "1772600767281", at + 281_000_000},
		{"%s", "1772600767281000001", at + 281_000_001},
		{"%s", "9999999999", 0},
		{"%s", "17726007672810000010", 0},
		{"%s", "1772600767.", 0},
		{"%c%!", "Wed Mar  4 05:06:07 2026", at - hour},
		{"%c%!", "Wed Mar 4 05:06:07 2026", at - hour},
		{"%d/%b/%Y:%H:%M:%S %z", "04/Mar/2026:05:06:07", 0},
	} {
		p, err := newPattern(c.pattern)
		if err != nil {
			if c.want != 0 {
				t.Error(err)
			}
			continue
		}
		got, ok := p.read([]byte(c.text), zone)
		if ok != (c.want != 0) || ok && got != c.want {
			t.Errorf("%s: %q: %d, %v; want %d", c.pattern, c.text, got, ok, c.want)
		}
		if n := testing.AllocsPerRun(10, func() { p.read([]byte(c.text), zone) }); n != 0 {
			t.Errorf("%s: %v allocations", c.pattern, n)
		}
		for i := range c.text {
			p.read([]byte(c.text[:i]), zone) // does not panic
		}
	}
}

// TestTimeThatComesTwice checks that a time of day that is repeated or skipped when clocks change
// is not a time.
func TestTimeThatComesTwice(t *testing.T) {
	for _, c := range []struct{ zone, text, want string }{
		{"Europe/Berlin", "2026-10-25 02:30:00", ""},
		{"Europe/Berlin", "2026-10-25 02:00:00", ""},
		{"Europe/Berlin", "2026-10-25 02:59:59", ""},
		{"Europe/Berlin", "2026-03-29 01:59:59", "2026-03-29T00:59:59Z"},
		{"Europe/Berlin", "2026-03-29 02:30:00", ""},
		{"Europe/Berlin", "2026-03-29 03:00:00", "2026-03-29T01:00:00Z"},
		{"Europe/Berlin", "2026-10-25 03:00:00", "2026-10-25T02:00:00Z"},
		{"Europe/Berlin", "2026-10-25 01:59:59", "2026-10-24T23:59:59Z"},
		{"America/New_York", "2026-11-01 01:30:00", ""},
		{"America/New_York", "2026-11-01 02:00:00", "2026-11-01T07:00:00Z"},
		{"Australia/Lord_Howe", "2026-04-05 01:45:00", ""},
		{"Asia/Tokyo", "2026-04-05 01:45:00", "2026-04-04T16:45:00Z"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Skip(err)
		}
		got, ok := isoTime([]byte(c.text), zone)
		if text := time.Unix(0, got).UTC().Format(time.RFC3339); ok != (c.want != "") || ok && text != c.want {
			t.Errorf("%s in %s: %s, want %s", c.text, c.zone, text, c.want)
		}
	}
}

// TestAnyTime reads the times in JSON logs, and rejects numbers in 1970.
func TestAnyTime(t *testing.T) {
	const want = "2026-03-04T05:06:07"
	for _, c := range []struct{ text, fraction string }{
		{"2026/03/04 05:06:07", ""}, {"2026/03/04 05:06:07.123", ".123"}, {"2026/03/04 05:06:07.123456789", ".123456789"},
		{"Wed, 04 Mar 2026 05:06:07 GMT", ""}, {"Wed, 04 Mar 2026 06:06:07 +0100", ""},
		{"Wednesday, 04-Mar-26 05:06:07 GMT", ""}, {"Wed Mar  4 05:06:07 2026", ""},
		{"2026-03-04 05:06:07 +0000 UTC", ""}, {"2026-03-04 06:06:07.5 +0100 CET", ".5"},
		{"2026-03-04 05:06:07.123456789 +0000 UTC m=+0.01", ".123456789"},
		{"20260304050607", ""}, {"20260304050607123", ".123"}, {"20260304T050607Z", ""}, {"20260304T050607.123Z", ".123"},
		{"2026-03-04 05:06:07,123", ".123"}, {"[04/Mar/2026:05:06:07 +0000]", ""},
		{"1772600767", ""}, {"1772600767.123", ".123"}, {"1772600767123", ".123"}, {"1772600767123456", ".123456"},
		{"1772600767123456789", ".123456789"}, {"1.772600767123E12", ".123"}, {"1.772600767e+09", ""},
	} {
		for _, zone := range []*time.Location{nil, time.FixedZone("", 3600)} {
			nanos, ok := anyTime([]byte(c.text), zone)
			if got := time.Unix(0, nanos).UTC().Format(time.RFC3339Nano); zone == nil && (!ok || got != want+c.fraction+"Z") {
				t.Errorf("%s is %s, %v", c.text, got, ok)
			}
		}
	}
	for _, text := range []string{
		"", "0", "1", "0.004", "5123", "20260304", "99999999", "202603040506", "20261304050607", "2026-03-04", "05:06:07",
		"1e400", "1.7e3", "1.7e30", "1.7e", "Wed", "yesterday", "2026/13/04 05:06:07", "2026-03-04 05:06:07 +0000 UTC x",
		"04/03/2026 05:06:07",
	} {
		if nanos, ok := anyTime([]byte(text), nil); ok {
			t.Errorf("%q is %s", text, time.Unix(0, nanos).UTC())
		}
	}
}
