package format

import (
	"testing"
	"time"
)

// TestPattern reads times in layouts of strftime.
func TestPattern(t *testing.T) {
	zone := time.FixedZone("", 3600)
	const at, hour = 1_772_600_767_000_000_000, 3_600_000_000_000 // 2026-03-04T05:06:07Z
	for _, c := range []struct {
		pattern, text string
		want          int64 // 0 if it is no time
	}{
		{"%d/%b/%Y:%H:%M:%S %z", "04/Mar/2026:05:06:07 +0000", at},
		{"%d/%b/%Y:%H:%M:%S", "04/Mar/2026:05:06:07", at - hour},
		{"%d/%b/%Y:%H:%M:%S", "04/Mar/2026:05:06:07.5 -0100", at + hour + 500_000_000},
		{"%d/%b/%Y:%H:%M:%S", "04/Mär/2026:05:06:07", 0},
		{"%d/%b/%Y:%H:%M:%S", "31/Feb/2026:05:06:07", 0},
		{"%d/%b/%Y:%H:%M:%S %Z", "04/Mar/2026:05:06:07 UTC", at},
		{"%d/%b/%Y:%H:%M:%S %Z", "04/Mar/2026:05:06:07 +0100", at - hour},
		{"%d/%b/%Y:%H:%M:%S %Z", "04/Mar/2026:05:06:07 CET", 0},
		{"%FT%T.%{msec_frac}%z", "2026-03-04T05:06:07.281+01:00", at - hour + 281_000_000},
		{"%Y-%m-%d %H:%M:%S.%{usec_frac}", "2026-03-04 05:06:07.000281", at - hour + 281_000},
		{"%Y-%m-%dT%H:%M:%S.%3fZ", "2026-03-04T05:06:07.281Z", at - hour + 281_000_000},
		{"%A, %e %B %Y %I:%M:%S %p", "Wednesday,  4 March 2026 05:06:07 AM", at - hour},
		{"%m/%d/%y %l:%M:%S%P", "03/04/26  5:06:07am", 0},
		{"%m/%d/%y %l:%M:%S%p", "03/04/26  5:06:07pm", at + 11*hour},
		{"%m/%d/%y %I:%M:%S %p", "03/04/26 12:06:07 AM", at - 6*hour},
		{"%m/%d/%y %I:%M:%S %p", "03/04/26 13:06:07 AM", 0},
		{"%c", "Wed Mar  4 05:06:07 2026", at - hour},
		{"%s", "1772600767", at},
		{"%{msec}", "1772600767281", at + 281_000_000},
		{"%*", "1772600767281", at + 281_000_000},
		{"%f", "1772600767281000", at + 281_000_000},
		{"%s.%{msec_frac}", "1772600767.281", at + 281_000_000},
		{"%d/%b/%Y:%H:%M:%S", "04/Mar/2026:05:06:07.25", at + 250_000_000 - hour},
		{"%d/%b/%Y:%H:%M:%S", "04/Mar/2026:05:06:07 +0000", at},
		{"%d/%b/%Y:%H:%M:%S", "04/Mar/2026:05:06:07.", 0},
		{"%d/%b/%Y:%H:%M:%S", "04/Mar/2026:05:06", 0},
		{isoPattern, "2026-03-04T05:06:07Z", at},
		{isoPattern, "2026-03-04 05:06:07.5Z", at + 500_000_000},
		{isoPattern, "2026-03-04t05:06:07,123456789z", at + 123_456_789},
		{isoPattern, "2026-03-04T05:06:07", at - hour},
		{isoPattern, "2026-03-04T05:06:07+01:00", at - hour},
		{isoPattern, "2026-03-04T05:06:07-0100", at + hour},
		{isoPattern, "2026-03-04T05:06:07+01", at - hour},
		{isoPattern, "2026-03-04 05:06:07.000 +0100", at - hour},
		{isoPattern, "2026-03-04T05:06:07+0a", 0},
		{isoPattern, "2026-03-04T05:06:07 ", 0},
		{isoPattern, "2026-03-04T05:06:07x", 0},
		{isoPattern, "2026-03-04X05:06:07Z", 0},
		{isoPattern, "2026-13-04T05:06:07Z", 0},
		{isoPattern, "2026-03-04T05.06.07Z", 0},
		{isoPattern, "2026-03-04", 0},
		{"%s", "1772600767.281", at + 281_000_000},
		{"%s", "1772600767281", at + 281_000_000},
		{"%s", "1772600767281.5", at + 281_500_000},
		{"%s", "1772600767281000", at + 281_000_000},
		{"%s", "1772600767281000001", at + 281_000_001},
		{"%s", "9999999999", 0},
		{"%s", "9999999999999999999", 0},
		{"%s", "17726007672810000010", 0},
		{"%s", "1772600767.", 0},
		{"%s", "-1772600767", 0},
		{"%c%!", "Wed Mar  4 05:06:07 2026", at - hour},
		{"%c%!", "Wed Mar 04 05:06:07 2026", at - hour},
		{"%c%!", "Wed Mar 4 05:06:07 2026", at - hour},
		{"%d/%b/%Y:%H:%M:%S %z", "04/Mar/2026:05:06:07", 0},
		{"%d/%b/%Y:%H:%M:%S", "", 0},
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

// TestTimeThatComesTwice: a time of day that comes twice because the clocks are set back tells no
// time, nor does one that does not come because they are set forward.
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
