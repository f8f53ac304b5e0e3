package policy

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/origin"
)

// The twin finds the lawful copies as audit-rules 2 words it: it cuts time into
// intervals in which nothing changes and looks at each of them, for every question.

// twinAnswer is what a crawler got that asked for robots.txt at some time.
type twinAnswer struct {
	status int // 300 for a redirect that cannot be followed
	body   string
	hop    string // where a redirect leads that may be forbidden by body
	maxAge time.Duration
}

func (a twinAnswer) failed(google bool) bool {
	switch {
	case a.status == 408 || a.status == 444 || a.status == 499:
		return true
	case a.status == 429:
		return google
	}
	return a.status/100 != 2 && a.status/100 != 3 && a.status/100 != 4
}

// twinLawful is Lawful with copies as texts.
type twinLawful struct {
	bodies, hops                               map[string]bool
	noPolicy, unreachable, unknown, redirected bool
	outages                                    map[Moment]bool
}

func newTwinLawful() *twinLawful {
	return &twinLawful{bodies: map[string]bool{}, hops: map[string]bool{}, outages: map[Moment]bool{}}
}

func (l *twinLawful) String() string {
	return fmt.Sprintf("bodies %v hops %v noPolicy %v unreachable %v unknown %v redirected %v outages %v",
		slices.Sorted(maps.Keys(l.bodies)), slices.Sorted(maps.Keys(l.hops)), l.noPolicy, l.unreachable, l.unknown, l.redirected, l.outages)
}

// within tells whether all that is lawful by l is so by o, but for outages.
func (l *twinLawful) within(o *twinLawful) bool {
	subset := func(a, b map[string]bool) bool {
		for k := range a {
			if !b[k] {
				return false
			}
		}
		return true
	}
	return subset(l.bodies, o.bodies) && subset(l.hops, o.hops) && (!l.noPolicy || o.noPolicy) &&
		(!l.unreachable || o.unreachable) && (!l.unknown || o.unknown) && (!l.redirected || o.redirected)
}

// twinVersion is a row with the time in which it is in force.
type twinVersion struct {
	Row
	start, end int64
}

type twin struct {
	versions map[origin.Origin][]twinVersion
	observed bool
	window   int64
	cuts     []int64 // the intervals are [cuts[i], cuts[i+1])
	known    map[twinPlace][]twinAnswer
}

type twinPlace struct {
	at       origin.Origin
	interval int
}

func newTwin(rows []Row, o Options) *twin {
	w := &twin{versions: map[origin.Origin][]twinVersion{}, known: map[twinPlace][]twinAnswer{}, observed: o.Observed, window: int64(max(o.Window, 24*time.Hour))}
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b Row) int { return int((a.From - b.From) / max(1, abs(a.From-b.From))) })
	last := map[origin.Origin]int64{}
	for _, r := range rows {
		for _, at := range r.Origins {
			list := w.versions[at]
			n := len(list)
			seen := last[at]
			last[at] = r.From
			if n > 0 && o.Observed && list[n-1].Status == r.Status && list[n-1].MaxAge == r.MaxAge &&
				list[n-1].Location == r.Location && string(list[n-1].Body) == string(r.Body) {
				continue
			}
			v := twinVersion{r, r.From, math.MaxInt64}
			if n > 0 {
				list[n-1].end = r.From
				if o.Observed {
					v.start = seen
				}
			} else if o.AssumeConstant {
				v.start = math.MinInt64
			}
			w.versions[at] = append(list, v)
		}
	}
	for _, list := range w.versions {
		for _, v := range list {
			w.cuts = append(w.cuts, v.start, v.end)
		}
	}
	slices.Sort(w.cuts)
	w.cuts = slices.Compact(w.cuts)
	return w
}

func abs(n int64) int64 { return max(n, -n, -(n + 1)) }

// where the locations of random histories lead, seen from an origin.
func twinTarget(at origin.Origin, location string) (origin.Origin, string) {
	switch location {
	case "/robots.txt":
		return at, "/robots.txt"
	case "private/r.txt?x":
		return at, "/private/r.txt?x"
	case "//b.example/robots.txt#f":
		return origin.Origin{Scheme: at.Scheme, Host: "b.example", Port: at.Port}, "/robots.txt"
	case "http://C.example:80/robots.txt":
		return origin.Origin{Scheme: "http", Host: "c.example", Port: 80}, "/robots.txt"
	case "http://b.example":
		return origin.Origin{Scheme: "http", Host: "b.example", Port: 80}, "/"
	case "https://elsewhere.example/robots.txt", "", "::":
		return origin.Origin{}, ""
	}
	panic(location)
}

var twinLocations = []string{"/robots.txt", "private/r.txt?x", "//b.example/robots.txt#f", "//b.example/robots.txt#f",
	"http://C.example:80/robots.txt", "http://C.example:80/robots.txt", "http://b.example", "https://elsewhere.example/robots.txt", "", "::"}

// at returns what may have been answered in an interval.
func (w *twin) at(at origin.Origin, interval int) []twinAnswer {
	list, ok := w.known[twinPlace{at, interval}]
	if !ok {
		list = w.answers(at, interval, nil)
		w.known[twinPlace{at, interval}] = list
	}
	return list
}

// answers is at, behind redirects of other origins.
func (w *twin) answers(at origin.Origin, interval int, before []origin.Origin) (list []twinAnswer) {
	path := append(slices.Clone(before), at)
	for _, v := range w.versions[at] {
		if v.start > w.cuts[interval] || v.end < w.cuts[interval+1] {
			continue
		}
		if v.Status/100 != 3 {
			list = append(list, twinAnswer{v.Status, string(v.Body), "", v.MaxAge})
			continue
		}
		target, wanted := twinTarget(at, v.Location)
		if len(w.versions[target]) == 0 {
			list = append(list, twinAnswer{300, "", "", v.MaxAge})
			continue
		}
		if slices.Contains(path, target) { // where it would be redirected again and again
			list = append(list, twinAnswer{map[bool]int{true: 404, false: 300}[wanted == "/robots.txt"], "", "", v.MaxAge})
			continue
		}
		if len(before) == 5 {
			list = append(list, twinAnswer{404, "", "", v.MaxAge})
			continue
		}
		there := w.answers(target, interval, path)
		if len(there) == 0 {
			there = []twinAnswer{{404, "", "", 0}}
		}
		for _, a := range there {
			a.maxAge = max(a.maxAge, v.MaxAge)
			if wanted != "/robots.txt" {
				if a.status/100 == 2 {
					a.hop = wanted
				} else {
					a.body, a.hop = "", ""
				}
				a.status = 300
			}
			list = append(list, a)
		}
	}
	return list
}

// outageAt returns when the outage of failures began that goes on in an interval, and
// whether anything is known before it. It is for what was deployed.
func (w *twin) outageAt(at origin.Origin, interval int, google bool) (began Moment, first bool) {
	i := interval
	for ; i > 0; i-- {
		earlier := w.at(at, i-1)
		if len(earlier) == 0 {
			return Moment{w.cuts[i], w.cuts[i]}, true
		}
		if !earlier[0].failed(google) {
			return Moment{w.cuts[i], w.cuts[i]}, false
		}
	}
	return Moment{w.cuts[0], w.cuts[0]}, true
}

// outageOf is outageAt for a version that was observed.
func (w *twin) outageOf(at origin.Origin, k int, google bool) (began Moment, first bool) {
	list := w.versions[at]
	for ; k > 0 && (twinAnswer{status: list[k-1].Status}).failed(google); k-- {
	}
	if k == 0 {
		return Moment{list[0].start, list[0].start}, true
	}
	return Moment{list[k].start, list[k].From}, false
}

func (w *twin) lawful(at origin.Origin, from, to int64, google bool, until Moment) *twinLawful {
	const s, days30 = int64(60 * time.Second), int64(30 * 24 * time.Hour)
	l := newTwinLawful()
	first := w.versions[at][0].start
	l.unknown = first != math.MinInt64 && from-w.window-s < first
	consult := func(began Moment, first bool) {
		if began.From >= until.From {
			return
		}
		if google || first || began.From < math.MinInt64+days30 || began.From+days30 <= to {
			l.unreachable = true
		}
		if l.outages[began] {
			return
		}
		l.outages[began] = true
		then := w.lawful(at, began.From, began.To, google, began)
		maps.Copy(l.bodies, then.bodies)
		maps.Copy(l.hops, then.hops)
		maps.Copy(l.outages, then.outages)
		l.noPolicy = l.noPolicy || then.noPolicy
		l.unreachable = l.unreachable || then.unreachable
		l.unknown = l.unknown || then.unknown
		l.redirected = l.redirected || then.redirected
	}
	inWindow := func(start, end int64, maxAge time.Duration) bool {
		oldest := from - s - w.window
		if int64(maxAge) > w.window {
			if oldest = from - s - int64(maxAge); oldest > from {
				oldest = math.MinInt64
			}
		}
		return start <= to+s && (end == math.MaxInt64 || end-1 >= oldest)
	}
	for i := range len(w.cuts) - 1 {
		for _, a := range w.at(at, i) {
			if !inWindow(w.cuts[i], w.cuts[i+1], a.maxAge) {
				continue
			}
			switch {
			case a.status/100 == 2:
				l.bodies[a.body] = true
			case a.hop != "":
				l.hops[a.hop+" by "+a.body] = true
			case a.status/100 == 3:
				l.redirected = true
			case !a.failed(google):
				l.noPolicy = true
			case !w.observed:
				consult(w.outageAt(at, i, google))
			}
		}
	}
	if w.observed {
		for k, v := range w.versions[at] {
			if (twinAnswer{status: v.Status}).failed(google) && inWindow(v.start, v.end, v.MaxAge) {
				consult(w.outageOf(at, k, google))
			}
		}
	}
	return l
}

// asTwin turns what the table says into what the twin says.
func asTwin(p *Policy, index int32, l *Lawful) *twinLawful {
	t := newTwinLawful()
	copies := p.histories[index].copies
	for _, c := range l.Bodies {
		t.bodies[string(copies[c].body.text)] = true
		if copies[c].hop != "" {
			panic("a hop among the bodies")
		}
	}
	for _, c := range l.Hops {
		t.hops[copies[c].hop+" by "+string(copies[c].body.text)] = true
	}
	for _, s := range l.Outages {
		t.outages[s] = true
	}
	t.noPolicy, t.unreachable, t.unknown, t.redirected = l.NoPolicy, l.Unreachable, l.Unknown, l.Redirected
	return t
}

var twinOrigins = []origin.Origin{
	{Scheme: "http", Host: "a.example", Port: 80}, {Scheme: "http", Host: "b.example", Port: 80}, {Scheme: "http", Host: "c.example", Port: 80},
}

// randomRows makes a history of three origins, of which the first is asked. odd
// allows all statuses, redirects allows 3xx.
func randomRows(rng *rand.Rand, redirects, failures bool) []Row {
	statuses := []int{200, 200, 200, 204, 403, 404}
	if failures {
		statuses = append(statuses, 429, 503, 503, 503, 999, Unreachable, 408, 444, 499, 100)
	}
	if redirects {
		statuses = append(statuses, 301, 302, 302, 307)
	}
	steps := []int64{1, int64(time.Second), int64(30 * time.Second), int64(Skew), int64(time.Hour), int64(23*time.Hour + 59*time.Minute), int64(24 * time.Hour),
		int64(24*time.Hour + Skew), int64(5 * 24 * time.Hour), int64(31 * 24 * time.Hour)}
	var rows []Row
	for _, at := range twinOrigins {
		from := int64(1_700_000_000_000_000_000)
		if rng.IntN(2) == 0 {
			from += steps[rng.IntN(len(steps))]
		}
		n := 1 + rng.IntN(7)
		if at != twinOrigins[0] {
			n = rng.IntN(4)
		}
		for range n {
			r := Row{Origins: []origin.Origin{at}, From: from, Status: statuses[rng.IntN(len(statuses))], Where: fmt.Sprint("row ", len(rows))}
			switch {
			case r.Status == 200:
				r.Body = []byte{'A' + byte(rng.IntN(4))}
			case r.Status/100 == 3:
				r.Location = twinLocations[rng.IntN(len(twinLocations))]
			}
			switch rng.IntN(12) {
			case 0:
				r.MaxAge = 48 * time.Hour
			case 1:
				r.MaxAge = time.Hour
			case 2:
				r.MaxAge = []time.Duration{math.MaxInt64, 40 * 24 * time.Hour}[rng.IntN(2)]
			}
			rows = append(rows, r)
			from += steps[rng.IntN(len(steps))] * (1 + int64(rng.IntN(2)))
		}
	}
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
}

// moments are those at which something may change, and those right beside them.
func moments(rows []Row, window time.Duration, t *table) []int64 {
	const day = 24 * time.Hour
	var list []int64
	add := func(m int64) {
		if abs(m) > 1<<62 {
			return // in the year 2116
		}
		for _, d := range []int64{0, 1, -1, int64(time.Second), -int64(time.Second)} {
			list = append(list, m+d)
		}
	}
	for _, r := range rows {
		for _, d := range []time.Duration{0, Skew, -Skew, window + Skew, 30 * day, 48*time.Hour + Skew, 12 * time.Hour} {
			add(r.From + int64(d))
		}
	}
	for _, from := range t.from {
		add(from)
	}
	return list
}

func TestLawfulIsTheTwins(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 400
	}
	rng := rand.New(rand.NewPCG(3, 4))
	asked, withOutages := 0, 0
	for round := range rounds {
		o := Options{Observed: round%2 == 1, AssumeConstant: rng.IntN(4) == 0}
		if rng.IntN(4) == 0 {
			o.Window = 36 * time.Hour
		}
		// What failed behind redirects that were only observed is for the next test.
		redirects := rng.IntN(2) == 0
		rows := randomRows(rng, redirects, !redirects || !o.Observed)
		p, err := New(rows, o)
		if err != nil {
			t.Fatal(err)
		}
		site, ok := p.Site(twinOrigins[0])
		if !ok || site.N != 1 {
			t.Fatalf("site %v, %v", site, ok)
		}
		twin := newTwin(rows, o)
		for _, google := range []bool{false, true} {
			for _, m := range moments(rows, p.Window(), p.histories[site.First].tables[1]) {
				l := p.Lawful(site.First, m, google)
				got := asTwin(p, site.First, l)
				want := twin.lawful(twinOrigins[0], m, m, google, Moment{math.MaxInt64, math.MaxInt64})
				if !got.within(want) || !want.within(got) || !maps.Equal(got.outages, want.outages) {
					t.Fatalf("round %d, %+v, google %v at %d\nrows %+v\ngot  %s\nwant %s", round, o, google, m, rows, got, want)
				}
				if cited := citedByTwin(p.Versions(site.First), l.Bodies, m); l.Cited != cited {
					t.Fatalf("round %d, at %d: cited %d, want %d\nrows %+v", round, m, l.Cited, cited, rows)
				}
				asked++
				if len(want.outages) > 1 {
					withOutages++
				}
			}
		}
	}
	if withOutages < asked/100 {
		t.Errorf("of %d moments only %d have several outages", asked, withOutages)
	}
}

// citedByTwin finds the version to be quoted by its description.
func citedByTwin(versions []Version, bodies []int32, t int64) int32 {
	newest, oldest := int32(-1), int32(-1)
	for i, v := range versions {
		if v.Copy < 0 || !slices.Contains(bodies, v.Copy) {
			continue
		}
		if oldest < 0 {
			oldest = int32(i)
		}
		if v.From <= t+int64(Skew) {
			newest = int32(i)
		}
	}
	if newest < 0 {
		return oldest
	}
	return newest
}

// TestObservedHasAllThatMayHaveBeen: whenever between two observations the change
// was, what is lawful by it is lawful by the table.
func TestObservedHasAllThatMayHaveBeen(t *testing.T) {
	rounds := 1500
	if testing.Short() {
		rounds = 150
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range rounds {
		o := Options{Observed: true, AssumeConstant: rng.IntN(4) == 0}
		rows := randomRows(rng, round%3 > 0, true)
		p, err := New(rows, o)
		if err != nil {
			t.Fatal(err)
		}
		site, _ := p.Site(twinOrigins[0])
		world := rowsOfWorld(rng, newTwin(rows, o))
		deployed := newTwin(world, Options{AssumeConstant: o.AssumeConstant})
		for _, google := range []bool{false, true} {
			for _, m := range moments(append(world, rows...), p.Window(), p.histories[site.First].tables[1]) {
				got := asTwin(p, site.First, p.Lawful(site.First, m, google))
				want := deployed.lawful(twinOrigins[0], m, m, google, Moment{math.MaxInt64, math.MaxInt64})
				if !want.within(got) {
					t.Fatalf("round %d, %+v, google %v at %d\nrows %+v\nworld %+v\ngot  %s\nwant all of %s", round, o, google, m, rows, world, got, want)
				}
			}
		}
	}
}

// rowsOfWorld returns rows that say when each observed version was deployed, by
// chance.
func rowsOfWorld(rng *rand.Rand, observed *twin) []Row {
	var rows []Row
	for _, at := range twinOrigins {
		for k, v := range observed.versions[at] {
			r := v.Row
			if k > 0 {
				switch d := r.From - v.start; rng.IntN(4) {
				case 0:
					r.From = v.start + 1
				case 1:
					r.From -= rng.Int64N(d)
				case 2:
					r.From -= min(d-1, int64(time.Hour))
				}
			}
			r.Origins = []origin.Origin{at}
			rows = append(rows, r)
		}
	}
	return rows
}
