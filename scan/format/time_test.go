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
