package format

import (
	"math/rand/v2"
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

// TestTimeIsThatOfTheStandardLibrary compares with time.Parse, on instants of
// five centuries in all zones, with fractions of every length.
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

// TestEveryDay compares every date there may be, those of no month among them.
func TestEveryDay(t *testing.T) {
	years := []string{"1700", "1800", "1900", "1970", "2000", "2023", "2024", "2100", "2200"}
	months := []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Foo"}
	for _, year := range years {
		for _, month := range months {
			for day := range 33 {
				text := string([]byte{'0' + byte(day/10), '0' + byte(day%10)}) + "/" + month + "/" + year + ":12:00:00 +0000"
				want, err := time.Parse("02/Jan/2006:15:04:05 -0700", text)
				got, ok := clfTime([]byte(text), nil)
				if ok != (err == nil) || ok && got != want.UnixNano() {
					t.Errorf("%s: got %v (%v), want %v (%v)", text, got, ok, want.UnixNano(), err)
				}
			}
		}
	}
}

// TestDamagedTime replaces each byte of a time by every other. What is still
// accepted is what time.Parse accepts, to the same instant; it accepts more,
// such as months in lower case.
func TestDamagedTime(t *testing.T) {
	for _, whole := range []string{"28/Feb/2011:19:52:08 +0130", "28/Feb/2011:19:52:08.123456 -0130"} {
		for i := range len(whole) {
			for c := range 256 {
				b := []byte(whole)
				b[i] = byte(c)
				got, ok := clfTime(b, nil)
				want, err := time.Parse("02/Jan/2006:15:04:05 -0700", string(b))
				if ok && (err != nil || got != want.UnixNano()) {
					// A leap second is of one's own: time.Parse knows none.
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

// TestClock: what remembers the last day and zone reads as what remembers nothing, of
// times that differ in all ways from those before.
func TestClock(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var m moments
	at := randomTime(r)
	for range 300_000 {
		switch r.IntN(20) {
		case 0:
			at = randomTime(r)
		case 1:
			at = at.In(time.FixedZone("", (r.IntN(48)-24)*1800))
		default:
			at = at.Add(time.Duration(r.IntN(3*3600)) * time.Second)
		}
		text := []byte(at.Format("02/Jan/2006:15:04:05 -0700"))
		if r.IntN(3) == 0 {
			text[r.IntN(len(text))] = "0123456789:/ +-.,Jan\x00\x80\xff"[r.IntN(23)]
		}
		got, gotOK := m.read(text, clfTime, nil)
		want, wantOK := clfTime(text, nil)
		if got != want || gotOK != wantOK {
			t.Fatalf("%q: %d %v, want %d %v", text, got, gotOK, want, wantOK)
		}
	}
}

// TestSecondsOfDay goes over all octets at all places of a time of day.
func TestSecondsOfDay(t *testing.T) {
	for i := range 8 {
		for c := range 256 {
			text := []byte("02/Jan/2006:15:04:05 -0700")
			text[12+i] = byte(c)
			want, wantOK := clfTime(text, nil)
			got, gotOK := new(moments).read(text, clfTime, nil)
			if got != want || gotOK != wantOK {
				t.Errorf("%q: %d %v, want %d %v", text, got, gotOK, want, wantOK)
			}
			var warm moments
			warm.read([]byte("02/Jan/2006:00:00:00 -0700"), clfTime, nil)
			if got, gotOK = warm.read(text, clfTime, nil); got != want || gotOK != wantOK {
				t.Errorf("%q, its day known: %d %v, want %d %v", text, got, gotOK, want, wantOK)
			}
		}
	}
}

// TestLayouts reads times in all layouts, in a zone for those that name none.
func TestLayouts(t *testing.T) {
	zone := time.FixedZone("", 3600)
	const at, hour = 1_772_600_767_000_000_000, 3_600_000_000_000 // 2026-03-04T05:06:07Z
	for _, c := range []struct {
		layout layout
		text   string
		want   int64 // 0 if it is no time
	}{
		{webTime, "04/Mar/2026:05:06:07.25", at + 250_000_000 - hour},
		{webTime, "04/Mar/2026:05:06:07", at - hour},
		{webTime, "04/Mar/2026:05:06:07 +0000", at},
		{webTime, "04/Mar/2026:05:06:07.", 0},
		{webTime, "04/Mar/2026:05:06", 0},
		{webTime, "31/Feb/2026:05:06:07", 0},
		{webTime, "04/Mär/2026:05:06:07", 0},
		{isoTime, "2026-03-04T05:06:07Z", at},
		{isoTime, "2026-03-04 05:06:07.5Z", at + 500_000_000},
		{isoTime, "2026-03-04t05:06:07,123456789z", at + 123_456_789},
		{isoTime, "2026-03-04T05:06:07", at - hour},
		{isoTime, "2026-03-04T05:06:07+01:00", at - hour},
		{isoTime, "2026-03-04T05:06:07-0100", at + hour},
		{isoTime, "2026-03-04T05:06:07+01", at - hour},
		{isoTime, "2026-03-04 05:06:07.000 +0100", at - hour},
		{isoTime, "2026-03-04T05:06:07+0a", 0},
		{isoTime, "2026-03-04T05:06:07 ", 0},
		{isoTime, "2026-03-04T05:06:07x", 0},
		{isoTime, "2026-03-04X05:06:07Z", 0},
		{isoTime, "2026-13-04T05:06:07Z", 0},
		{isoTime, "2026-03-04T05.06.07Z", 0},
		{isoTime, "2026-03-04", 0},
		{epochTime, "1772600767", at},
		{epochTime, "1772600767.281", at + 281_000_000},
		{epochTime, "1772600767281", at + 281_000_000},
		{epochTime, "1772600767281.5", at + 281_500_000},
		{epochTime, "1772600767281000", at + 281_000_000},
		{epochTime, "1772600767281000001", at + 281_000_001},
		{epochTime, "9999999999", 0},
		{epochTime, "9999999999999999999", 0},
		{epochTime, "17726007672810000010", 0},
		{epochTime, "1772600767.", 0},
		{epochTime, "-1772600767", 0},
		{epochTime, "", 0},
		{mustLayout("%c%!"), "Wed Mar  4 05:06:07 2026", at - hour},
		{mustLayout("%c%!"), "Wed Mar 04 05:06:07 2026", at - hour},
		{mustLayout("%c%!"), "Wed Mar 4 05:06:07 2026", at - hour},
		{mustLayout("%c%!"), "", 0},
	} {
		got, ok := c.layout([]byte(c.text), zone)
		if ok != (c.want != 0) || ok && got != c.want {
			t.Errorf("%q: %d, %v; want %d", c.text, got, ok, c.want)
		}
	}
	zones, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	if got, _ := isoTime([]byte("2026-07-04 05:06:07"), zones); got != time.Date(2026, 7, 4, 3, 6, 7, 0, time.UTC).UnixNano() {
		t.Errorf("in summer: %d", got)
	}
}

func TestDaysAreThoseOfTheCalendar(t *testing.T) {
	want := int(time.Date(1700, 1, 1, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	for year := 1700; year <= 2200; year++ {
		for month := 1; month <= 12; month++ {
			if last := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day(); daysIn(year, month) != last {
				t.Fatalf("%d-%d has %d days, want %d", year, month, daysIn(year, month), last)
			}
			for day := 1; day <= daysIn(year, month); day++ {
				if got := days(year, month, day); got != want {
					t.Fatalf("%d-%d-%d is day %d, want %d", year, month, day, got, want)
				}
				want++
			}
		}
	}
}
