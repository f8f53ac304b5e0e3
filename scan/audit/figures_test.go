package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
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

// TestFiguresAreThoseOfTheRequests checks the figures of a report against single requests.
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
		// The counts of each crawler, and its paths: all, the violations', and the rule's of a line.
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
				want[of+j.Verdict.String()+report.At(j.Time-j.Time%hour).String()]++
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
					same(verdict.String()+c.Timeline.From[i].String(), n)
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

// TestTimelinesOfZones checks that timelines count by the clocks of a zone: an hour that occurs
// twice counts as one, and a unit may begin at a time that the clocks skip.
func TestTimelinesOfZones(t *testing.T) {
	for _, c := range []struct {
		zone string
		by   report.Unit
		at   string // two times
		want string // when their units begin
	}{
		{"", report.Day, "2026-10-24T23:30:00Z 2026-10-25T00:30:00Z", "2026-10-24T00:00:00Z 2026-10-25T00:00:00Z"},
		{"Europe/Berlin", report.Day, "2026-10-24T21:59:59Z 2026-10-24T22:00:00Z",
			"2026-10-24T00:00:00+02:00 2026-10-25T00:00:00+02:00"},
		{"Europe/Berlin", report.Day, "2026-10-25T22:59:59Z 2026-10-25T23:00:00Z",
			"2026-10-25T00:00:00+02:00 2026-10-26T00:00:00+01:00"},
		{"Europe/Berlin", report.Hour, "2026-10-25T00:10:00Z 2026-10-25T01:10:00Z", "2026-10-25T02:00:00+02:00"},
		{"Europe/Berlin", report.Hour, "2026-03-29T00:59:59Z 2026-03-29T01:00:00Z",
			"2026-03-29T01:00:00+01:00 2026-03-29T03:00:00+02:00"},
		{"Europe/Berlin", report.Week, "2026-11-22T22:59:59Z 2026-11-22T23:00:00Z",
			"2026-11-16T00:00:00+01:00 2026-11-23T00:00:00+01:00"},
		{"America/Sao_Paulo", report.Day, "2018-11-04T02:59:59Z 2018-11-04T03:00:00Z",
			"2018-11-03T00:00:00-03:00 2018-11-04T01:00:00-02:00"},
		{"+05:30", report.Day, "2026-11-16T18:29:59Z 2026-11-16T18:30:00Z",
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
		if got := strings.Trim(fmt.Sprint(l.info(c.by, zone).From), "[]"); got != c.want {
			t.Errorf("%s, %s: units from %s, want %s", c.zone, c.at, got, c.want)
		}
	}
}

// TestFiguresAreBoundedInAnyOrder checks that figures are bounded and do not depend on how requests are ordered and divided.
func TestFiguresAreBoundedInAnyOrder(t *testing.T) {
	const requests = 10_000
	rng := rand.New(rand.NewPCG(16, 8))
	times := make([]int64, requests)
	for i := range times {
		times[i] = earliest/2 + latest/2 + rng.Int64N(latest) - rng.Int64N(latest)
	}
	for name, hash := range map[string]func(i int) uint64{"one hash": func(int) uint64 { return 7 },
		"many": func(i int) uint64 { return hashField(fmt.Appendf(nil, "192.0.2.%d", i)) }} {
		for _, b := range []bounds{knownBounds, unknownBounds} {
			var first []byte
			for range 3 {
				sum := newRow(b)
				for part := range slices.Chunk(rng.Perm(requests), 1+rng.IntN(requests)) {
					r := newRow(b)
					for _, i := range part {
						r.Timeline.add(times[i], report.Allowed, 1)
						r.Figures.Bytes = report.Plus(r.Figures.Bytes, byteSum(math.MaxInt64/100))
						r.Figures.Statuses.add(i%(maxStatus+1), 1)
						r.Figures.Addresses.add(hash(i))
						r.Figures.Paths.add(hash(i), fmt.Appendf(nil, "/%d", i%5000), 1)
					}
					sum.merge(r, 1)
				}
				f, allowed := &sum.Figures, int64(0)
				for _, n := range sum.Timeline.Counts[report.Allowed] {
					allowed += n
				}
				if len(sum.Timeline.Starts) > b.units || len(f.Paths.Kept) > 2*b.paths || len(f.Addresses.Kept) > maxAddresses+1 ||
					f.Bytes != math.MaxInt64 || allowed != requests || f.Statuses.sum() != requests {
					t.Fatalf("%s: %d units, %d paths, %d addresses, %d bytes, %d by status", name, len(sum.Timeline.Starts),
						len(f.Paths.Kept), len(f.Addresses.Kept), f.Bytes, f.Statuses.sum())
				}
				if first == nil {
					first = appendRow(nil, sum)
				}
				if !bytes.Equal(appendRow(nil, sum), first) {
					t.Fatalf("%s: another order gives other figures", name)
				}
			}
		}
	}
}

// TestAddressesAreCounted checks that a few addresses are counted exactly and a million with an
// error below a tenth, which is more than four standard errors.
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

// TestManyPathsAreCountedTruly checks that, if there are too many targets, only those whose numbers
// are at most a tenth too high are listed, however the lines are divided and ordered, and that no
// other has more requests than the report says.
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

func TestQuantilesOfManyGapsAreExactToThreeDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{exactGaps - 1, exactGaps, exactGaps + 1, 20 * exactGaps} {
		var list []int64
		g := &gaps{}
		for range n {
			list = append(list, rng.Int64N(1<<rng.IntN(40)))
			g.add(list[len(list)-1], 0, 1)
		}
		if exact := n <= exactGaps; (g.histogram == nil) != exact || len(g.exact) > exactGaps {
			t.Errorf("%d gaps: kept as they are: %v", n, g.histogram == nil)
		}
		slices.Sort(list)
		for _, percent := range []int64{10, 50} {
			want := list[(int64(n)*percent+99)/100-1]
			if got := g.quantile(percent); max(got-want, want-got) > want/1000+1 {
				t.Errorf("%d gaps: %d %% at %d, want %d", n, percent, got, want)
			}
		}
		if g.max != list[n-1] || g.n != int64(n) {
			t.Errorf("longest %d of %d, want %d of %d", g.max, g.n, list[n-1], n)
		}
	}
}

const delayedBody = "User-agent: *\nCrawl-delay: 5\nDisallow: /private/\n"

// visitsOf reads visits such as "example.com 0; www.example.com 9 192.0.2.2 acmebot": of a host by https, so many
// seconds after someTime, perhaps from another address, perhaps by another than GPTBot.
func visitsOf(t *testing.T, text, target string) (list []entry) {
	t.Helper()
	for visit := range strings.SplitSeq(text, "; ") {
		e, n, who := entry{target: target}, 0, "gptbot"
		if found, _ := fmt.Sscan(visit, &e.vhost, &n, &e.addr, &who); found < 2 {
			t.Fatal(visit)
		}
		e.vhost, e.time, e.agent = e.vhost+":443", at(n), headersOf[who]
		list = append(list, e)
	}
	return list
}

func TestGapsAreOfOneAddressAndSite(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -9 * day0, body: delayedBody}, version{at: "https://www.example.com", from: -9 * day0,
			body: "User-agent: *\nCrawl-delay: 0.5\n"},
		version{at: "https://no.example.com", from: -9 * day0, body: robotsTxtBody})})
	for log, want := range map[string]string{ // the delay, the gaps, those shorter, the median and the tenth percentile
		"example.com 0":                                  "",
		"example.com 0; example.com 1 192.0.2.2":         "",
		"example.com 0; www.example.com 1":               "",
		"example.com 0; example.com 1 192.0.2.1 acmebot": "",
		"no.example.com 0; no.example.com 1":             "", // no delay is stated
		"example.com 0; example.com 4":                   "{https://example.com 5 1 1 4 4}",
		"example.com 0; example.com 5":                   "{https://example.com 5 1 0 5 5}",
		"example.com 0; example.com 0; example.com 0":    "{https://example.com 5 2 2 0 0}",
		"example.com 9; example.com 0; example.com 0":    "{https://example.com 5 2 1 0 0}",
		"example.com 0; www.example.com 1; example.com 7; www.example.com 2": "{https://example.com 5 1 0 7 7} " +
			"{https://www.example.com 0.5 1 0 1 1}",
		"example.com 0; example.com 1 192.0.2.2; example.com 2; example.com 11 192.0.2.2": "{https://example.com 5 2 1 2 2}",
		"example.com 0; example.com 1 192.0.2.1 chatgpt; example.com 2 192.0.2.1 chatgpt; example.com 10": "" +
			"{https://example.com 5 1 0 10 10}", // not exempt ones
	} {
		r := auditEntries(t, a, visitsOf(t, log, "/")...)
		if got := strings.Trim(fmt.Sprint(rowOf(r, "GPTBot").CrawlDelay), "[]"); got != want {
			t.Errorf("%s: %s, want %s", log, got, want)
		}
	}
}

// TestGapsAreOfOneWord checks that crawlers listed by the same name, because dots or its length cut
// it, have separate gaps, even at the same address.
func TestGapsAreOfOneWord(t *testing.T) {
	a := newAuditor(t, delayedBody, "https://example.com")
	for _, names := range [][2]string{{"alpha.acme_bot", "beta.acme_bot"},
		{strings.Repeat("x", 64) + "A-bot", strings.Repeat("x", 64) + "B-bot"}} {
		visit := func(name string, n int) entry {
			return entry{vhost: "example.com:443", time: at(n), agent: "Mozilla/5.0 (compatible; " + name +
				"; http://site.example/)"}
		}
		r := auditEntries(t, a, visit(names[0], 100), visit(names[1], 0), visit(names[1], 30), visit(names[0], 150))
		if len(r.Crawlers) != 1 || !slices.Equal(r.Crawlers[0].CrawlDelay,
			[]report.DelayInfo{{Origin: "https://example.com", Delay: 5, Gaps: 2, Shorter: 0, Median: 30, P10: 30}}) {
			t.Errorf("%v: %d crawlers, %+v", names, len(r.Crawlers), r.Crawlers[0].CrawlDelay)
		}
	}
}

// TestDelayThatChanges checks that each gap is compared with the delay stated at its end, and that
// the delay shown is the last one. The longest delay that package compile accepts is a year.
func TestDelayThatChanges(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -900 * day0, body: fmt.Sprintf("User-agent: *\nCrawl-delay: %d\n", 366*day0)},
		version{from: -9 * day0, body: delayedBody}, version{from: 0, body: "User-agent: *\nCrawl-delay: 20\n"})})
	for log, want := range map[string]string{
		"example.com -3600; example.com -3590; example.com 10800; example.com 10810": "[{https://example.com 20 3 1 10 10}]",
		"example.com -17280000; example.com -8640000": "" +
			"[{https://example.com 3.16224e+07 1 1 8.64e+06 8.64e+06}]",
	} {
		if got := fmt.Sprint(rowOf(auditEntries(t, a, visitsOf(t, log, "/")...), "GPTBot").CrawlDelay); got != want {
			t.Errorf("%s: %s, want %s", log, got, want)
		}
	}
}

func TestGapsOfCenturiesAreNotNegative(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -9 * day0, body: delayedBody})})
	r := auditEntries(t, a, entry{vhost: "example.com:443", target: "/robots.txt", time: "01/Jan/1701:00:00:00 +0000"},
		entry{vhost: "example.com:443", target: "/robots.txt", time: "01/Jan/2199:00:00:00 +0000"})
	if got := rowOf(r, "GPTBot").RobotsTxt; got.MedianGap < 490*365*day0 || got.LongestGap != got.MedianGap ||
		got.Within24h != 0 {
		t.Errorf("%+v", got)
	}
}

// TestOperators checks that visitors are counted for the operators that sent them, and requests of
// crawlers without impostors and fetches of robots.txt, in any order and with states.
func TestOperators(t *testing.T) {
	a := newAuditor(t, robotsTxtBody)
	profiles := a.config.Crawlers.Profiles()
	for i := range profiles {
		switch profiles[i].Name {
		case "Googlebot":
			profiles[i].Referrers = []string{"google.*"}
		case "GPTBot":
			profiles[i].Referrers = []string{"chatgpt.com"}
		}
	}
	c := a.config
	c.Crawlers = setOf(t, profiles)
	a = New(c)
	line := func(referer, agent, target string) string {
		return strings.Replace(entry{agent: agent, target: target}.String(), ` "-" "`, ` "`+referer+`" "`, 1)
	}
	lines := []string{
		line("-", gptbot, "/"), line("https://chatgpt.com/", gptbot, "/private/x"), line("-", gptbot, "/robots.txt"),
		line("-", chatgpt, "/"), line("-", chatgpt, "/robots.txt"),
		line("-", browser, "/"), line("", browser, "/"), line("https://example.com/a", browser, "/b"),
		line("https://www.google.de/", browser, "/"), line("http://google.com", browser, "/"),
		line("https://www.google.com:443/?q", browser, "/"),
		line("https://chatgpt.com?utm", browser, "/"), line("android-app://com.google.android", browser, "/"),
		line("https://", browser, "/"), line("httpx://google.com/", browser, "/"),
		line("https://google.com.evil.example/", browser, "/"), line(strings.Repeat("https://", 1000), browser, "/"),
	}
	r := checkOrder(t, a, "combined", lines)
	if got, want := fmt.Sprint(r.Operators), "[{OpenAI 3 1 [chatgpt.com]} {Google 0 3 [google.*]}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if r := auditText(t, a, "combined", strings.Join(lines[:7], "\n")); r.Operators == nil || len(r.Operators) != 0 {
		t.Errorf("no visitor has a Referer, and %+v", r.Operators)
	}
	if r := auditText(t, a, "combined", strings.Join(slices.Concat(lines[:5], lines[7:8]),
		"\n")); len(r.Operators) != 1 || r.Operators[0].Referred != 0 {
		t.Errorf("%+v", r.Operators)
	}
}

// TestNamesInOtherLetters checks that a name in similar letters is not shown as the crawler's that it imitates.
func TestNamesInOtherLetters(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: constant(robotsTxtBody, nil)})
	r := auditEntries(t, a, entry{agent: "G\u043e\u043eglebot/2.1 (+http://x.example)"})
	if len(r.Crawlers) != 1 || r.Crawlers[0].Crawler != `G\u{43e}\u{43e}glebot` {
		t.Errorf("%+v", r.Crawlers)
	}
}

func checkPrintable(t *testing.T, v any) {
	t.Helper()
	switch v := v.(type) {
	case string:
		for _, c := range v {
			// Where JSON cannot say a byte it says U+FFFD.
			if !strconv.IsPrint(c) || c == utf8.RuneError {
				t.Fatalf("%q", v)
			}
		}
	case []any:
		for _, e := range v {
			checkPrintable(t, e)
		}
	case map[string]any:
		for _, e := range v {
			checkPrintable(t, e)
		}
	}
}

// TestEnumsOfReports checks that package report has the same names as package crawler for
// identities and crawlers without a name.
func TestEnumsOfReports(t *testing.T) {
	for identity, state := range map[report.Identity]crawler.State{
		report.Verified: crawler.Verified, report.SpoofedIdentity: crawler.Spoofed,
		report.Unverified: crawler.Unverified, report.Unverifiable: crawler.Unverifiable,
	} {
		if identity != report.Identity(state) {
			t.Errorf("%s has the number %d, the state %d", identity, identity, state)
		}
	}
	if report.Nameless != crawler.Nameless {
		t.Errorf("a crawler without a name is %q in a report, and %q in package crawler", report.Nameless, crawler.Nameless)
	}
}
