package policy

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// The twin finds the lawful copies as audit-rules 2 words it: it cuts time into
// intervals in which nothing changes and looks at each of them, for every question.

// twinAnswer is what a crawler got that asked for robots.txt at some time.
type twinAnswer struct {
	status int // 300 for a redirect that cannot be followed
	body   string
	hop    string // where a redirect leads that may be forbidden by body
	far    bool   // behind more than five redirects
	maxAge time.Duration
	seen   int64 // when the answer was observed for the last time, at the latest
}

func (a twinAnswer) none() bool {
	switch {
	case a.status == 204:
		return true
	case a.status == 444 || a.status == 499:
		return false
	}
	return a.status/100 == 4
}

func (a twinAnswer) failed(google bool) bool {
	return google && a.status == 429 || !a.none() && a.status/100 != 2 && a.status/100 != 3
}

// twinLawful is Lawful with copies as texts.
type twinLawful struct {
	bodies, hops                               map[string]bool
	noPolicy, unreachable, unknown, redirected bool
}

func newTwinLawful() *twinLawful {
	return &twinLawful{bodies: map[string]bool{}, hops: map[string]bool{}}
}

func (l *twinLawful) String() string {
	return fmt.Sprintf("bodies %v hops %v noPolicy %v unreachable %v unknown %v redirected %v",
		slices.Sorted(maps.Keys(l.bodies)), slices.Sorted(maps.Keys(l.hops)), l.noPolicy, l.unreachable, l.unknown,
		l.redirected)
}

// twinVersion is a row with the time in which it is in force.
type twinVersion struct {
	Row
	start, end int64
}

type twin struct {
	versions map[origin.Origin][]twinVersion
	seen     map[origin.Origin]int64 // the last observation of each origin
	observed bool
	window   int64
	delay    int64
	skew     int64
	cuts     []int64 // the intervals are [cuts[i], cuts[i+1])
	known    map[twinPlace][]twinAnswer
}

type twinPlace struct {
	at       origin.Origin
	interval int
}

func newTwin(rows []Row, o Options) *twin {
	w := &twin{versions: map[origin.Origin][]twinVersion{}, seen: map[origin.Origin]int64{},
		known: map[twinPlace][]twinAnswer{}, observed: o.Observed,
		window: int64(max(o.Window, 24*time.Hour)), delay: int64(max(o.Delay, 3*time.Hour)),
		skew: int64(max(o.Skew, 10*time.Minute))}
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b Row) int { return int((a.From - b.From) / max(1, abs(a.From-b.From))) })
	last := map[origin.Origin]int64{}
	for _, r := range rows {
		for _, at := range r.Origins {
			list := w.versions[at]
			n := len(list)
			seen := last[at]
			last[at] = r.From
			w.seen[at] = math.MaxInt64
			if o.Observed && !o.AssumeConstant {
				w.seen[at] = r.From
			}
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
	http := func(host string) origin.Origin { return origin.Origin{Scheme: "http", Host: host, Port: 80} }
	switch location {
	case "/robots.txt":
		return at, "/robots.txt"
	case "private/r.txt?x":
		return at, "/private/r.txt?x"
	case "//b.example/robots.txt#f":
		return http("b.example"), "/robots.txt"
	case "http://C.example:80/robots.txt":
		return http("c.example"), "/robots.txt"
	case "http://b.example":
		return http("b.example"), "/"
	case "https://elsewhere.example/robots.txt", "", "::":
		return origin.Origin{}, ""
	}
	if host, path, ok := strings.Cut(strings.TrimPrefix(location, "http://"), "/"); ok {
		return http(host), "/" + path
	}
	panic(location)
}

var twinLocations = []string{"/robots.txt", "private/r.txt?x", "//b.example/robots.txt#f", "//b.example/robots.txt#f",
	"http://C.example:80/robots.txt", "http://C.example:80/robots.txt", "http://b.example",
	"https://elsewhere.example/robots.txt", "", "::"}

// at returns what may have been answered in an interval.
func (w *twin) at(at origin.Origin, interval int) []twinAnswer {
	list, ok := w.known[twinPlace{at, interval}]
	if !ok {
		list = w.answers(at, interval, nil)
		w.known[twinPlace{at, interval}] = list
	}
	return list
}

// answers is at, after redirects of other origins.
func (w *twin) answers(at origin.Origin, interval int, before []origin.Origin) (list []twinAnswer) {
	path := append(slices.Clone(before), at)
	for _, v := range w.versions[at] {
		if v.start > w.cuts[interval] || v.end < w.cuts[interval+1] {
			continue
		}
		for _, a := range w.reached(at, v, interval, path) {
			a.maxAge, a.seen = max(a.maxAge, v.MaxAge), min(a.seen, w.seen[at])
			list = append(list, a)
		}
	}
	return list
}

// reached returns what a version of an origin, the last of the path, leads to.
func (w *twin) reached(at origin.Origin, v twinVersion, interval int, path []origin.Origin) (list []twinAnswer) {
	if v.Status/100 != 3 {
		return []twinAnswer{{status: v.Status, body: string(v.Body), seen: math.MaxInt64}}
	}
	none := []twinAnswer{{status: 404, seen: math.MaxInt64}}
	lost := []twinAnswer{{status: 300, seen: math.MaxInt64}}
	target, wanted := twinTarget(at, v.Location)
	inSource, again, far := len(w.versions[target]) > 0, slices.Contains(path, target), len(path) > 5
	switch {
	case inSource && again && wanted == "/robots.txt": // a circle
		return none
	case far && (!inSource || again || wanted != "/robots.txt"):
		return none
	case !inSource || again:
		return lost
	}
	there := w.answers(target, interval, path)
	if len(there) == 0 {
		there = none
	}
	for _, a := range there {
		switch isFile := a.status/100 == 2 && a.status != 204; {
		case wanted != "/robots.txt":
			if isFile && !a.far {
				a.hop = wanted
			} else {
				a.body, a.hop, a.far = "", "", false
			}
			a.status = 300
		case far && isFile:
			a.far = true
		case far:
			a.status, a.body, a.hop = 404, "", ""
		}
		list = append(list, a)
	}
	return list
}

// plus adds times, and stays where there are no more times.
func plus(times ...int64) int64 {
	sum := big.NewInt(0)
	for _, t := range times {
		sum.Add(sum, big.NewInt(t))
	}
	switch {
	case sum.Cmp(big.NewInt(math.MaxInt64)) > 0:
		return math.MaxInt64
	case sum.Cmp(big.NewInt(math.MinInt64)) < 0:
		return math.MinInt64
	}
	return sum.Int64()
}

// lawful finds the lawful copies at t. failed says that the log shows a failure, by an
// operator's fetch of the span or by anybody's after it.
func (w *twin) lawful(at origin.Origin, t int64, google, failed bool) *twinLawful {
	const aDay = int64(24 * time.Hour)
	l := newTwinLawful()
	from, to := plus(t, -w.window, -w.delay, -w.skew), plus(t, w.skew)
	// each calls do for all that may have been answered from one moment to another,
	// which for a version with a max_age begins that much earlier.
	each := func(from, to int64, do func(a twinAnswer, end int64)) {
		for i := range len(w.cuts) - 1 {
			start, end := w.cuts[i], w.cuts[i+1]
			for _, a := range w.at(at, i) {
				if start <= to && (end == math.MaxInt64 || end-1 >= plus(from, -int64(a.maxAge))) {
					do(a, end)
				}
			}
		}
	}
	each(from, to, func(a twinAnswer, _ int64) { failed = failed || a.failed(google) })
	if failed {
		from = plus(from, -60*aDay)
		each(from, plus(t, -29*aDay), func(a twinAnswer, _ int64) { l.unreachable = l.unreachable || a.failed(google) })
		each(from, to, func(a twinAnswer, _ int64) {
			l.unreachable = l.unreachable || google && a.status/100 == 5 && a.status != 503
		})
	}
	first := w.versions[at][0].start
	l.unknown = first != math.MinInt64 && from < first
	each(from, to, func(a twinAnswer, end int64) {
		switch {
		case a.failed(google):
		case a.none():
			l.noPolicy = true
		case a.status/100 == 2:
			l.bodies[a.body] = true
			l.noPolicy = l.noPolicy || a.far
		case a.hop != "":
			l.hops[a.hop+" by "+a.body] = true
		case a.status/100 == 3:
			l.redirected = true
		}
		if known := plus(a.seen, w.window); t > known && end-1 > known {
			l.unknown = true
		}
	})
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
	t.noPolicy, t.unreachable, t.unknown, t.redirected = l.NoPolicy, l.Unreachable, l.Unknown, l.Redirected
	return t
}

var twinOrigins = func() (list []origin.Origin) {
	for c := 'a'; c <= 'i'; c++ {
		list = append(list, origin.Origin{Scheme: "http", Host: string(c) + ".example", Port: 80})
	}
	return list
}()

// randomRows makes a history of three origins, of which the first is asked, and
// sometimes of a chain of redirects after the second of them.
func randomRows(rng *rand.Rand, redirects, failures bool) []Row {
	statuses := []int{200, 200, 200, 204, 403, 404, 408}
	if failures {
		statuses = append(statuses, 429, 429, 500, 503, 503, 503, 599, 600, 999, Unreachable, 444, 499, 100)
	}
	if redirects {
		statuses = append(statuses, 301, 302, 302, 307)
	}
	const window, delay, skew = int64(24 * time.Hour), int64(3 * time.Hour), int64(10 * time.Minute)
	steps := []int64{1, int64(time.Second), int64(30 * time.Second), skew, int64(time.Hour), window - 1, window, window +
		delay,
		window + delay + skew, int64(5 * 24 * time.Hour), int64(31 * 24 * time.Hour)}
	var rows []Row
	add := func(at origin.Origin, from int64, n int, statuses []int, locations []string) {
		for range n {
			r := Row{Origins: []origin.Origin{at}, From: from, Status: statuses[rng.IntN(len(statuses))],
				Where: fmt.Sprint("row ", len(rows))}
			switch {
			case r.Status == 200:
				r.Body = []byte{'A' + byte(rng.IntN(6))}
				r.Size = 1
			case r.Status/100 == 3:
				r.Location = locations[rng.IntN(len(locations))]
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
	locations := twinLocations
	chain := redirects && rng.IntN(4) == 0
	if chain {
		locations = append(slices.Repeat([]string{"http://d.example/robots.txt"}, 20), locations...)
	}
	for i, at := range twinOrigins[:3] {
		from, n := int64(1_700_000_000_000_000_000), rng.IntN(4)
		if i == 0 {
			n = 1 + rng.IntN(7)
		}
		if rng.IntN(2) == 0 {
			from += steps[rng.IntN(len(steps))]
		}
		add(at, from, n, statuses, locations)
	}
	if chain {
		for i, at := range twinOrigins[3:] {
			next := "http://" + twinOrigins[min(i+4, len(twinOrigins)-1)].Host + "/robots.txt"
			odd := append(slices.Repeat([]int{301}, 20), statuses[rng.IntN(len(statuses))])
			if i+4 == len(twinOrigins) {
				odd = []int{200, 200, 200, 404, 301, statuses[rng.IntN(len(statuses))]}
			}
			add(at, 1_700_000_000_000_000_000-int64(rng.IntN(2)), 1+rng.IntN(2), odd,
				append(slices.Repeat([]string{next}, 20), "http://h.example/x"))
		}
	}
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
}

// moments are those at which something may change, and those right beside them.
func moments(rows []Row, p *Policy, h *history) []int64 {
	var list []int64
	add := func(m int64) {
		if m > 1<<62 || m < 0 {
			return // in the year 2116
		}
		for _, d := range []int64{0, 1, -1, int64(time.Second), -int64(time.Second)} {
			list = append(list, m+d)
		}
	}
	w, d, s := p.Window(), p.Delay(), p.Skew()
	for _, r := range rows {
		for _, after := range []time.Duration{0, s, -s, w, w + d + s, 29 * 24 * time.Hour, 60*24*time.Hour + w + d + s, w +
			d + s + r.MaxAge,
			60*24*time.Hour + w + d + s + r.MaxAge, 12 * time.Hour} {
			add(plus(r.From, int64(after)))
		}
	}
	for _, t := range []*table{h.tables[1].span, h.tables[1].long} {
		for _, from := range t.from {
			add(from)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func TestLawfulIsTheTwins(t *testing.T) {
	const rounds = 200
	rng := rand.New(rand.NewPCG(3, 4))
	asked, outages, far := 0, 0, 0
	for round := range rounds {
		o := Options{Observed: round%2 == 1, AssumeConstant: rng.IntN(4) == 0}
		if rng.IntN(4) == 0 {
			o.Window, o.Delay, o.Skew = 36*time.Hour, 5*time.Hour, 20*time.Minute
		}
		rows := randomRows(rng, rng.IntN(2) == 0, true)
		p, err := New(rows, o)
		if err != nil {
			t.Fatal(err)
		}
		site, ok := p.Site(twinOrigins[0])
		if !ok || site.N != 1 {
			t.Fatalf("site %v, %v", site, ok)
		}
		if slices.ContainsFunc(p.histories[site.First].replies, func(r reply) bool { return r.far }) {
			far++
		}
		twin := newTwin(rows, o)
		for _, class := range []answer.Class{answer.Others, answer.Google} {
			for _, m := range moments(rows, p, p.histories[site.First]) {
				for _, failed := range []bool{false, rng.IntN(3) == 0} {
					l := p.Lawful(site.First, m, class)
					if failed {
						l = p.LawfulLong(site.First, m, class)
					}
					got := asTwin(p, site.First, l)
					want := twin.lawful(twinOrigins[0], m, class == answer.Google, failed)
					if got.String() != want.String() {
						t.Fatalf("round %d, %+v, class %v at %d, failed %v\nrows %+v\ngot  %s\nwant %s", round, o, class, m, failed,
							rows, got, want)
					}
					if cited := citedByTwin(p, site.First, l.Bodies, m); l.Quoted != cited {
						t.Fatalf("round %d, at %d: cited %d, want %d\nrows %+v", round, m, l.Quoted, cited, rows)
					}
					asked++
					if want.unreachable {
						outages++
					}
				}
			}
		}
	}
	if outages < asked/10 || far < rounds/50 {
		t.Errorf("of %d moments %d permit all after an outage, of %d histories %d a file behind six redirects", asked,
			outages, rounds, far)
	}
}

// citedByTwin finds the version to be quoted by its description.
func citedByTwin(p *Policy, origin int32, bodies []int32, t int64) int32 {
	newest, oldest := int32(-1), int32(-1)
	for i, v := range p.Versions(origin) {
		if v.Copy < 0 || !slices.Contains(bodies, v.Copy) {
			continue
		}
		if oldest < 0 {
			oldest = int32(i)
		}
		if v.From <= t+int64(p.Skew()) {
			newest = int32(i)
		}
	}
	if newest < 0 {
		return oldest
	}
	return newest
}
