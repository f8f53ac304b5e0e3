package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/report"
)

// top returns the paths with the highest numbers.
func top(paths map[string]int64, most int) []report.PathInfo {
	list := []report.PathInfo{}
	for path, n := range paths {
		list = append(list, report.PathInfo{Path: path, N: n})
	}
	slices.SortFunc(list, func(x, y report.PathInfo) int {
		return cmp.Or(cmp.Compare(y.N, x.N),
			cmp.Compare(x.Path, y.Path))
	})
	return list[:min(len(list), most)]
}

// The figures of a report are those of its requests one by one.
func TestFiguresAreThoseOfTheRequests(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 16))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	for range 20 {
		var log []string
		for range rng.IntN(200) {
			when := at(rng.IntN(48 * 3600))
			if rng.IntN(20) == 0 {
				when = "-"
			}
			log = append(log, entry{
				addr: pick("192.0.2.1", "192.0.2.2", "2001:db8:0:1::1", "2001:db8:0:2::1", "-", "client.example"), time: when,
				agent: pick(gptbot, googlebot, acmebot, browser),
				target: pick("/", "/private/"+pick("a", "b", strings.Repeat("x", 300)), "/?s="+fmt.Sprint(rng.IntN(9)),
					"/robots.txt", "/public/1"),
				status: pick("200", "404", "304", "500"), size: pick("-", "0", "7", "9000000000"),
			}.String())
		}
		a := newAuditor(t, robotsTxtBody, "https://example.com")
		// What is counted of each crawler, and its paths: all, those of violations, and those of the rule
		// of a line.
		want, paths := map[string]int64{}, map[string]map[string]int64{}
		count := func(path string, keys ...string) {
			for _, key := range keys {
				if paths[key] == nil {
					paths[key] = map[string]int64{}
				}
				paths[key][path]++
			}
		}
		a.config.Judged = listen(func(j *Event) {
			path, of := string(j.Target[:min(len(j.Target), maxPath)]), j.Name+" "
			want[of+"bytes"] += max(j.Size, 0)
			want[of+"status "+fmt.Sprint(j.Status)]++
			if address := of + "address " + string(j.Address); j.Address != nil && want[address] == 0 {
				want[address]++
				want[of+"addresses"]++
			}
			if j.HasTime {
				want[of+j.Verdict.String()+timeText(j.Time-j.Time%hour)]++
			}
			count(path, of)
			if j.Verdict == report.Violation {
				want[of+"bytes of violations"] += max(j.Size, 0)
				count(path, of+"violations", of+"line "+fmt.Sprint(j.Rule.Line))
			}
		})
		run := begin(t, a)
		for part := range slices.Chunk(log, 50) {
			run.Worker().Chunk(byName(t, "combined"), nil, []byte(strings.Join(part, "\n")+"\n"))
		}
		r, err := run.Report(Inputs{By: "hour"})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Crawlers {
			of := c.Crawler + " "
			same := func(key string, n int64) {
				t.Helper()
				if want[of+key] != n {
					t.Errorf("%s%s: %d, want %d", of, key, n, want[of+key])
				}
				delete(want, of+key)
			}
			same("bytes", c.Bytes)
			same("bytes of violations", c.ViolationBytes)
			same("addresses", c.Addresses.N)
			for _, status := range c.Statuses {
				same("status "+fmt.Sprint(status.Status), status.N)
			}
			for verdict, list := range c.Timeline.Verdicts {
				for i, n := range list {
					same(verdict+c.Timeline.From[i], n)
				}
			}
			lists := map[string]report.PathList{"": c.Paths, "violations": c.ViolationPaths}
			for _, rule := range c.Rules {
				lists["line "+fmt.Sprint(rule.Line)] = rule.Paths
			}
			for key, list := range lists {
				most := maxPathsListed
				if strings.HasPrefix(key, "line") {
					most = maxRulePaths
				}
				if !slices.Equal(list.List, top(paths[of+key], most)) || !list.Exact {
					t.Fatalf("%s%s: paths %v, want %v", of, key, list, paths[of+key])
				}
			}
		}
		for key, n := range want {
			if !strings.Contains(key, " address ") {
				t.Errorf("%s: %d are missing", key, n)
			}
		}
	}
}

// Timelines count by the clocks of a zone: an hour that comes twice is one, and a unit begins at a time
// that the clocks pass over if they are set forward then.
func TestTimelinesOfZones(t *testing.T) {
	for _, c := range []struct {
		zone string
		by   unit
		at   string // two times
		want string // when their units begin
	}{
		{"", byDay, "2026-10-24T23:30:00Z 2026-10-25T00:30:00Z", "2026-10-24T00:00:00Z 2026-10-25T00:00:00Z"},
		{"Europe/Berlin", byDay, "2026-10-24T21:59:59Z 2026-10-24T22:00:00Z",
			"2026-10-24T00:00:00+02:00 2026-10-25T00:00:00+02:00"},
		{"Europe/Berlin", byDay, "2026-10-25T22:59:59Z 2026-10-25T23:00:00Z",
			"2026-10-25T00:00:00+02:00 2026-10-26T00:00:00+01:00"},
		{"Europe/Berlin", byHour, "2026-10-25T00:10:00Z 2026-10-25T01:10:00Z", "2026-10-25T02:00:00+02:00"},
		{"Europe/Berlin", byHour, "2026-03-29T00:59:59Z 2026-03-29T01:00:00Z",
			"2026-03-29T01:00:00+01:00 2026-03-29T03:00:00+02:00"},
		{"Europe/Berlin", byWeek, "2026-11-22T22:59:59Z 2026-11-22T23:00:00Z",
			"2026-11-16T00:00:00+01:00 2026-11-23T00:00:00+01:00"},
		{"America/Sao_Paulo", byDay, "2018-11-04T02:59:59Z 2018-11-04T03:00:00Z",
			"2018-11-03T00:00:00-03:00 2018-11-04T01:00:00-02:00"},
		{"+05:30", byDay, "2026-11-16T18:29:59Z 2026-11-16T18:30:00Z",
			"2026-11-16T00:00:00+05:30 2026-11-17T00:00:00+05:30"},
	} {
		zone, err := report.Zone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		l := timeline{most: 9}
		for text := range strings.FieldsSeq(c.at) {
			at, _ := time.Parse(time.RFC3339, text)
			l.add(clock(at.UnixNano(), zone), report.Allowed, 1)
		}
		if got := strings.Join(l.info(c.by, zone).From, " "); got != c.want {
			t.Errorf("%s, %s: units from %s, want %s", c.zone, c.at, got, c.want)
		}
	}
}

// Figures are bounded, and the same however the requests are ordered and cut.
func TestFiguresAreBoundedInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 8))
	type request struct {
		t      int64
		hash   uint64
		path   string
		status int
		size   int64
	}
	for name, hash := range map[string]func(i int) uint64{"one hash": func(int) uint64 { return 7 },
		"many": func(i int) uint64 { return hashField(fmt.Appendf(nil, "192.0.2.%d", i)) }} {
		var all []request
		for i := range 20_000 {
			all = append(all, request{earliest/2 + latest/2 + rng.Int64N(latest) - rng.Int64N(latest), hash(i),
				fmt.Sprintf("/%d", i%5000), rng.IntN(maxStatus + 1), math.MaxInt64 / 100})
		}
		add := func(r *row, list []request) {
			for _, of := range list {
				r.Timeline.add(of.t, report.Allowed, 1)
				r.Figures.Bytes = report.Plus(r.Figures.Bytes, byteSum(of.size))
				r.Figures.Statuses.add(of.status, 1)
				r.Figures.Addresses.add(of.hash)
				r.Figures.Paths.add(of.hash, []byte(of.path), 1)
			}
		}
		for _, b := range []bounds{knownBounds, unknownBounds} {
			var first []byte
			for range 3 {
				rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				sum := newRow(b)
				for part := range slices.Chunk(all, 1+rng.IntN(len(all))) {
					r := newRow(b)
					add(r, part)
					sum.merge(r, 1)
				}
				if len(sum.Timeline.Starts) > b.units || len(sum.Figures.Paths.Kept) > 2*b.paths ||
					len(sum.Figures.Addresses.Kept) > maxAddresses+1 {
					t.Fatalf("%s: %d units, %d paths, %d addresses", name, len(sum.Timeline.Starts), len(sum.Figures.Paths.Kept),
						len(sum.Figures.Addresses.Kept))
				}
				if sum.Figures.Bytes != math.MaxInt64 || sumOf(sum.Timeline.Counts[report.Allowed]) != int64(len(all)) ||
					sum.Figures.Statuses.sum() != int64(len(all)) {
					t.Fatalf("%s: %d bytes, %d in time, %d by status", name, sum.Figures.Bytes,
						sumOf(sum.Timeline.Counts[report.Allowed]),
						sum.Figures.Statuses.sum())
				}
				bytesOf := appendRow(nil, sum)
				if first == nil {
					first = bytesOf
				}
				if !bytes.Equal(bytesOf, first) {
					t.Fatalf("%s: another order gives other figures", name)
				}
			}
		}
	}
}

// The number of a million addresses is less than a tenth off, and that of few is exact. A tenth is
// more than four standard errors.
func TestAddressesAreCounted(t *testing.T) {
	if 4.5/math.Sqrt(maxAddresses-1) > 0.1 {
		t.Errorf("a number worked out from %d addresses may be a tenth off", maxAddresses)
	}
	for _, family := range []string{"10.%d.%d.%d", "2001:db8:%x:%x::%x"} {
		s := newRow(knownBounds).Figures.Addresses
		for i := range 1_000_000 {
			if i == maxAddresses {
				if got := s.count(1 << 40); got != (report.AddressCount{N: maxAddresses, Exact: true}) {
					t.Errorf("%+v", got)
				}
			}
			if hash := hashField(fmt.Appendf(nil, family, i>>16, i>>8&255, i&255)); hash <= s.highest {
				s.add(hash)
			}
		}
		if got := s.count(1 << 40); got.Exact || math.Abs(float64(got.N)-1e6) > 1e5 {
			t.Errorf("%s: %+v", family, got)
		}
		if got := s.count(1000); got.N != 1000 {
			t.Errorf("%d addresses made 1,000 requests", got.N)
		}
	}
}

// Of more targets than are counted one by one only those are listed whose number is at most a tenth
// too high, however the lines are cut and ordered; and no other has more than the report says.
func TestManyPathsAreCountedTruly(t *testing.T) {
	for name, c := range map[string]struct {
		requests int
		target   func(i int) string
		want     []string // with their numbers
	}{
		"one in four": {20_000, func(i int) string { return [...]string{"/often", "", "", ""}[i%4] },
			[]string{"/often"}},
		"none": {20_000, func(int) string { return "" }, nil},
		"robots.txt": {20_000, func(i int) string { return [...]string{"/robots.txt", ""}[min(i%45, 1)] },
			[]string{"/robots.txt"}},
		"eleven, thrice, twelve": {3000,
			func(i int) string { return map[int]string{0: "/a", 300: "/a", 600: "/a", 1: "/b"}[i%1000] }, nil},
		"each twice": {20_000, func(i int) string { return fmt.Sprintf("/%d", i/2) }, nil},
		"sixty hot ones": {30_000,
			func(i int) string { return [...]string{fmt.Sprintf("/hot/%d", i/2%60), ""}[i%2] }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var log []string
			want := map[string]int64{}
			for i := range c.requests {
				target := cmp.Or(c.target(i), fmt.Sprintf("/%d", i))
				want[target]++
				log = append(log, entry{target: target, time: at(i), addr: fmt.Sprintf("192.0.2.%d", i%7)}.String())
			}
			a := newAuditor(t, "User-agent: *\nAllow: /\n")
			r := auditText(t, a, "combined", strings.Join(log, "\n")+"\n")
			rng := rand.New(rand.NewPCG(3, 4))
			rng.Shuffle(len(log), func(i, j int) { log[i], log[j] = log[j], log[i] })
			if got := marshal(t, auditSplit(t, a, byName(t, "combined"), rng, log, 3)); got != marshal(t, r) {
				t.Error(firstDifference(got, marshal(t, r)))
			}
			checkPaths(t, rowOf(r, "GPTBot").Paths, want)
			for _, path := range c.want {
				if !slices.ContainsFunc(rowOf(r, "GPTBot").Paths.List, func(p report.PathInfo) bool { return p.Path == path }) {
					t.Errorf("%s is not listed: %+v", path, rowOf(r, "GPTBot").Paths)
				}
			}
			if name == "sixty hot ones" && len(rowOf(r, "GPTBot").Paths.List) != maxPathsListed {
				t.Errorf("%+v", rowOf(r, "GPTBot").Paths)
			}
		})
	}
}

// checkPaths compares a list of paths with the truth.
func checkPaths(t *testing.T, list report.PathList, want map[string]int64) {
	t.Helper()
	rest := maps.Clone(want)
	for _, p := range list.List {
		n := want[p.Path]
		if p.N < n || p.N-n > p.TooHigh || 10*(p.N-n) > n || p.Path == robotsTxt && p.N != n {
			t.Errorf("%+v, want %d", p, n)
		}
		delete(rest, p.Path)
	}
	for path, n := range rest {
		if n > list.OthersAtMost {
			t.Errorf("%s is not listed with %d, but others have at most %d", path, n, list.OthersAtMost)
		}
	}
	if list.Exact != (len(want) <= knownBounds.paths) {
		t.Errorf("%d paths, exact: %v", len(want), list.Exact)
	}
}
