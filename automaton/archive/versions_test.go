package archive_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
)

const never, forever = math.MinInt64, math.MaxInt64

// none are the rulesets of an origin without rules, of one dialect.
var none = []*automaton.Ruleset{nil}

// TestLookupAt checks that the version in force is the newest one captured at or before the instant, and that the
// answer states its bounds.
func TestLookupAt(t *testing.T) {
	rules := func(pattern string) []*automaton.Ruleset {
		return []*automaton.Ruleset{ruleset(t, google, machine(t, google, pattern))}
	}
	a := opened(t, written(t, []automaton.Dialect{google},
		origin{key: "dated", status: 200, rulesets: rules("/c"), from: 300,
			older: []version{{100, 200, rules("/a")}, {-200, 503, none}, {200, 404, none}}},
		origin{key: "once", status: 200, rulesets: rules("/a"), from: 100},
		origin{key: "both", status: 404, rulesets: none, older: []version{{100, 200, rules("/a")}}},
		origin{key: "undated", status: 200, rulesets: rules("/a")},
		origin{key: "same", status: 404, rulesets: none, from: 400,
			older: []version{{100, 404, none}, {200, 404, none}, {300, 410, none}}},
	))
	if _, found, err := opened(t, written(t, []automaton.Dialect{google})).Lookup([]byte("k"), google); found || err != nil {
		t.Errorf("in an empty archive: found %v, error %v", found, err)
	}
	for _, c := range []struct {
		key         string
		at          int64
		found       bool
		status      uint16
		pattern     string
		from, until int64
	}{
		{"dated", never, false, 0, "", never, -200},
		{"dated", -201, false, 0, "", never, -200},
		{"dated", -200, true, 503, "", -200, 100},
		{"dated", 99, true, 503, "", -200, 100},
		{"dated", 100, true, 200, "/a", 100, 200},
		{"dated", 200, true, 404, "", 200, 300},
		{"dated", 300, true, 200, "/c", 300, forever},
		{"dated", forever, true, 200, "/c", 300, forever},
		{"once", 99, false, 0, "", never, 100},
		{"once", 100, true, 200, "/a", 100, forever},
		{"both", never, true, 404, "", never, 100},
		{"both", 100, true, 200, "/a", 100, forever},
		{"undated", never, true, 200, "/a", never, forever},
		{"undated", forever, true, 200, "/a", never, forever},
		{"same", 299, true, 404, "", 100, 300},
		{"same", 399, true, 410, "", 300, 400},
		{"missing", 100, false, 0, "", never, forever},
	} {
		for name, lookup := range map[string]func([]byte, automaton.Dialect, int64) (archive.Entry, bool, error){
			"LookupAt": a.LookupAt, "LookupBusyAt": a.LookupBusyAt, "LookupAll": func(key []byte, d automaton.Dialect,
				at int64) (archive.Entry, bool, error) {
				found := make([]archive.Found, 130)
				a.LookupAll(slices.Repeat([][]byte{key}, len(found)), d, at, found)
				f := found[129]
				return f.Entry, f.Known, f.Err
			},
		} {
			e, found, err := lookup([]byte(c.key), google, c.at)
			want := "nil"
			if c.pattern != "" {
				want = text(rules(c.pattern)[0])
			}
			if err != nil || found != c.found || e.Status != c.status || e.From != c.from || e.Until != c.until ||
				text(e.Ruleset) != want {
				t.Errorf("%s(%q, %d): found %v, %+v, error %v", name, c.key, c.at, found, e, err)
			}
			if c.at == forever {
				if newest := lookedUp(t, a, c.key, google); newest != e {
					t.Errorf("Lookup(%q): %+v, want %+v", c.key, newest, e)
				}
			}
		}
	}
}

// TestManyVersions checks that the newest 16,384 versions of an origin are kept, and that nothing is known about
// the time before.
func TestManyVersions(t *testing.T) {
	const most, more = 1 << 14, 20_000
	w, err := archive.NewWriter(google)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(most + more) {
		if err := w.AddVersion("k", i, 404+uint16(i%2), "", nil); err != nil {
			t.Fatal(err)
		}
	}
	a := opened(t, bytesOf(t, w))
	if written, dropped := w.Versions(); written != most || dropped != more {
		t.Errorf("%d versions, %d dropped", written, dropped)
	}
	for _, at := range []int64{more, more + 1, most + more - 1} {
		if e, found, err := a.LookupAt([]byte("k"), google, at); err != nil || !found || e.From != at ||
			e.Status != 404+uint16(at%2) {
			t.Errorf("at %d: found %v, %+v, error %v", at, found, e, err)
		}
	}
	if e, found, err := a.LookupAt([]byte("k"), google, more-1); err != nil || found || e.Until != more {
		t.Errorf("before the first: found %v, %+v, error %v", found, e, err)
	}
}

// TestOrigins checks that Origins lists all origins and continues after a damaged group.
func TestOrigins(t *testing.T) {
	dialects, origins := small(t)
	for i := range 1_000 {
		origins = append(origins, origin{key: fmt.Sprint(i), status: 404, rulesets: make([]*automaton.Ruleset, 2)})
	}
	data := written(t, dialects, origins...)
	listed := func(data []byte) (keys []string, failed int) {
		for o, err := range opened(t, data).Origins() {
			if err != nil {
				failed++
				continue
			}
			keys = append(keys, string(o.Key))
			i := slices.IndexFunc(origins, func(c origin) bool { return c.key == string(o.Key) })
			want := []archive.Version{{From: never, Status: origins[i].status, HasRules: origins[i].rulesets[0] != nil}}
			if origins[i].older != nil {
				want = []archive.Version{{From: 1_000, Status: 200, HasRules: true}, {From: 2_000, Status: 404},
					{From: 3_000, Status: 200, HasRules: true}}
			}
			if !slices.Equal(o.Versions, want) {
				t.Errorf("%q: %+v, want %+v", o.Key, o.Versions, want)
			}
		}
		slices.Sort(keys)
		return slices.Compact(keys), failed
	}
	if keys, failed := listed(data); len(keys) != len(origins) || failed != 0 {
		t.Errorf("%d of %d origins, %d errors", len(keys), len(origins), failed)
	}
	data[partsOf(data).rulesets-1] ^= 1 // the end of the last group
	if keys, failed := listed(data); len(keys) < len(origins)*8/10 || len(keys) == len(origins) || failed != 1 {
		t.Errorf("of a damaged index: %d of %d origins, %d errors", len(keys), len(origins), failed)
	}
}

// TestGuardOpenTakesLittle checks that the memory and reads of Open hardly grow with the number of origins.
func TestGuardOpenTakesLittle(t *testing.T) {
	var origins []origin
	for i := range 50_000 {
		origins = append(origins, origin{key: fmt.Sprintf("https://host-%d.example:443", i), status: 404, rulesets: none})
	}
	data := written(t, []automaton.Dialect{google}, origins...)
	if p := partsOf(data); p.offsets-p.directory > uint64(len(origins))/2 {
		t.Errorf("a directory of %d bytes", p.offsets-p.directory)
	}
	if n := allocated(func() { opened(t, data) }); n > 10_000 {
		t.Errorf("opening allocates %d bytes", n)
	}
}

// TestVia checks that an answer has the text of its version, even without rules, and that an archive without texts
// has no column for them.
func TestVia(t *testing.T) {
	rules := []*automaton.Ruleset{ruleset(t, google, machine(t, google, "/a"))}
	at := func(via string) []byte {
		return written(t, []automaton.Dialect{google},
			origin{key: "dated", status: 301, rulesets: none, from: 300, via: via, older: []version{{100, 200, rules}}},
			origin{key: "undated", status: 200, rulesets: rules, via: via},
			origin{key: "other", status: 200, rulesets: rules},
		)
	}
	data := at("http://b:80/x")
	a := opened(t, data)
	for _, c := range []struct {
		key  string
		at   int64
		want string
	}{
		{"dated", 300, "http://b:80/x"}, {"dated", 299, ""}, {"undated", 0, "http://b:80/x"}, {"other", 0, ""},
	} {
		e, found, err := a.LookupAt([]byte(c.key), google, c.at)
		if err != nil || !found || e.Via != c.want {
			t.Errorf("%s at %d: %q, want %q; found %v, error %v", c.key, c.at, e.Via, c.want, found, err)
		}
	}
	if got := a.Dialects(); len(got) != 1 {
		t.Errorf("dialects %v", got)
	}
	for o, err := range a.Origins() {
		if err != nil || string(o.Key) == "dated" && o.Versions[1].HasRules {
			t.Errorf("%s: %+v, error %v", o.Key, o.Versions, err)
		}
	}
	if without := at(""); len(without) >= len(data)-4*4 {
		t.Errorf("%d bytes without the texts, %d with them", len(without), len(data))
	}
	damaged := slices.Clone(data)
	damaged[bytes.Index(damaged, []byte("http://b"))] ^= 1
	if _, _, err := opened(t, damaged).Lookup([]byte("undated"), google); err == nil {
		t.Error("a damaged text is believed")
	}
}
