package page

import (
	"strings"
	"testing"
	"time"
)

// TestDatesAsTheirLayoutsSay checks that each form of a date is parsed like package time does with a layout.
func TestDatesAsTheirLayoutsSay(t *testing.T) {
	instants := []time.Time{
		time.Date(2010, 6, 25, 15, 0, 0, 0, time.UTC), time.Date(1999, 12, 31, 23, 59, 59, 0, time.UTC),
		time.Date(2026, 1, 2, 0, 7, 3, 0, time.UTC), time.Date(2024, 2, 29, 12, 30, 0, 0, time.UTC),
		time.Date(2031, 9, 10, 11, 12, 13, 0, time.UTC),
	}
	zones := []*time.Location{time.UTC, time.FixedZone("GMT", 0), time.FixedZone("PST", -8*3600),
		time.FixedZone("EDT", -4*3600), time.FixedZone("", 5*3600+1800)}
	for _, layout := range []string{
		"02 Jan 06 15:04 MST", "02 Jan 06 15:04 -0700", "Mon, 02 Jan 06 15:04:05 MST", // RFC 822
		"Monday, 02-Jan-06 15:04:05 MST",                                  // RFC 850
		"Mon, 02 Jan 2006 15:04:05 MST", "Mon, 2 Jan 2006 15:04:05 -0700", // RFC 1123, RFC 5322
		// asctime
		"Mon Jan _2 15:04:05 2006",
		// ISO 8601
		"2006-01-02", "20060102", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04-07:00",
		"2006-01-02T15:04:05-07",
		"2006-01-02T15:04:05.000Z07:00", "2006-01-02T15:04:05.000000000Z07:00", "20060102T1504", "20060102T150405Z0700",
		"2006-01-02 15:04:05",
		"2 Jan 2006 15:04:05 MST", "2 Jan 2006", "02-Jan-2006 15:04:05 MST", "02-Jan-2006", // as Google writes them
	} {
		for _, instant := range instants {
			for _, zone := range zones {
				if zone.String() == "" && strings.Contains(layout, "MST") {
					continue
				}
				text := instant.In(zone).Format(layout)
				want, err := time.ParseInLocation(layout, text, zone)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(layout, "MST") && !strings.Contains(layout, "07") {
					want, _ = time.Parse(layout, text)
				}
				for _, cased := range []string{text, strings.ToLower(text), strings.ToUpper(text)} {
					for _, tail := range []string{"", ", noindex", " noindex", ";x"} {
						got, n := cutDate([]byte(cased + tail))
						if !got.Equal(want.Truncate(time.Second)) || n != len(text) {
							t.Errorf("%q by %q: %v, %d octets, want %v, %d", cased+tail, layout, got, n, want, len(text))
						}
					}
				}
			}
		}
	}
}

func TestWhatIsNoDate(t *testing.T) {
	for _, text := range []string{
		"", "soon", "noindex", "2010", "June 2010", "25 Jun", "15:00", "06/25/2010", "2010/06/25", "2010-6-25",
		"June 25, 2010", "25 June 2010", "25 Jun 2010 3:00 PM",
		"25 Jun 2010 24:00", "2010-06-25T25:00Z", "2010-06-25T12:60Z", "2010-06-25T12:00:00+99:99", "25.06.2010",
		"30 Feb 2010", "2010-13-01", "2010-00-01", "2010-02-30", "32 Jan 2010",
		"0000000000000", "2010-06-", "2010-06-25T", "25-Jun-", "25-06-2010", "-1", "+1", ",", "20101301", "20100230",
		"99999999",
	} {
		if got, n := cutDate([]byte(text)); n != 0 && n == len(text) {
			t.Errorf("%q: %v", text, got)
		}
		p := read("", "unavailable_after: "+text+", noarchive")
		if got := p.Rules(nil, now); got.Set != NoArchive || got.Unknown == 0 {
			t.Errorf("%q: %v, %d unknown", text, got.Names(), got.Unknown)
		}
	}
}
