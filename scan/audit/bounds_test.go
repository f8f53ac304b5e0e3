package audit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// auditSplit audits lines as an audit of many cores does: cut into chunks at random, each given to one of n
// workers, their tallies merged in any order. Each chunk is overwritten once it has been counted.
func auditSplit(t testing.TB, a *Auditor, f *format.Format, rng *rand.Rand, lines []string, n int) *report.Report {
	t.Helper()
	run := begin(t, a)
	workers := make([]*Worker, n)
	for i := range workers {
		workers[i] = run.Worker()
		if i%2 == 1 {
			workers[i].quota.limit = 20 << 10 // it remembers little
		}
	}
	for len(lines) > 0 {
		cut := 1 + rng.IntN(min(len(lines), 1+len(lines)/10))
		chunk := []byte(strings.Join(lines[:cut], "\n"))
		if cut < len(lines) || lines[cut-1] == "" || rng.IntN(2) == 0 {
			chunk = append(chunk, '\n')
		}
		lines = lines[cut:]
		workers[rng.IntN(n)].Chunk(f, nil, chunk)
		for i := range chunk {
			chunk[i] = 0xff
		}
	}
	for _, w := range workers {
		checkBounds(t, w)
	}
	rng.Shuffle(n, func(i, j int) { run.workers[i], run.workers[j] = run.workers[j], run.workers[i] })
	return resultOf(t, run)
}

// manyNames are more names than are listed, and than fit into a little memory.
const manyNames = 1500

// checkBounds fails the test where a worker holds more than it may of what strangers chose.
func checkBounds(t testing.TB, w *Worker) {
	t.Helper()
	check := func(what string, n, most int) {
		if n > most {
			t.Errorf("a worker holds %d %s, more than %d", n, what, most)
		}
	}
	check("bytes", w.quota.held, w.quota.limit+100<<10) // of one line
	check("hosts", len(w.tally.Hosts.Kept), 2*maxHosts)
	check("lines not parsed", len(w.tally.Quoted.Kept), maxUnparsed)
}

// checkOrder audits lines in their order and in others, by one worker and by several, and fails the test unless all
// reports are equal to the byte. It returns the report.
func checkOrder(t *testing.T, a *Auditor, formatName string, lines []string) *report.Report {
	t.Helper()
	f := byName(t, formatName)
	rng := rand.New(rand.NewPCG(3, uint64(len(lines))))
	first := auditText(t, a, formatName, strings.Join(lines, "\n")+"\n")
	want := marshal(t, first)
	compare := func(how string, lines []string, workers int) {
		t.Helper()
		if got := marshal(t, auditSplit(t, a, f, rng, lines, workers)); got != want {
			t.Fatalf("%s, %d workers: another report than in the order of the log\n%s", how, workers, firstDifference(got, want))
		}
	}
	backwards := slices.Clone(lines)
	slices.Reverse(backwards)
	compare("backwards", backwards, 1)
	shuffled := slices.Clone(lines)
	workerCounts := []int{1, 8}
	if testing.Short() {
		workerCounts = []int{8}
	}
	for _, workers := range workerCounts {
		compare("in order", lines, workers)
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		compare("shuffled", shuffled, workers)
	}
	return first
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			from := max(0, i-8)
			return fmt.Sprintf("line %d of the report:\n%s\n got %s\nwant %s", i+1, strings.Join(w[from:i], "\n"), g[i], w[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(g), len(w))
}

// manyRules is a robots.txt with n rules; rule i, from 0, is on line i+2 and forbids /r/i/.
func manyRules(n int) string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range n {
		fmt.Fprintf(&b, "Disallow: /r/%d/\n", i)
	}
	return b.String()
}

// TestOrderOfFloods checks that the report depends only on the set of lines, even if strangers
// choose more names, rules and hosts than are kept.
func TestOrderOfFloods(t *testing.T) {
	target := func(rule int) string { return fmt.Sprintf("/r/%d/", rule) }
	hostRequests := func(i int) int64 { return 1 + int64(i)%5/4 }
	tests := []struct {
		name  string
		hosts []string
		rules int
		log   func(add func(entry))
		check func(t *testing.T, r *report.Report)
	}{
		{
			name: "more names than are kept", rules: 3,
			log: func(add func(entry)) {
				for i := range 2*manyNames + 2000 {
					e := entry{agent: fmt.Sprintf("Flood%d-Bot/1.0", i), target: target(i % 5), time: at(i % 7)}
					add(e)
					if i%100 == 0 { // some ask more often, and in another spelling
						e.agent = strings.ToLower(e.agent)
						add(e)
					}
				}
				for i := range 2*manyNames + 2000 { // and come back
					if i%100 == 0 {
						add(entry{agent: fmt.Sprintf("Flood%d-Bot/1.0", i), target: target(i % 5)})
					}
				}
			},
			check: func(t *testing.T, r *report.Report) {
				if n := len(r.Crawlers); n != maxUnknownListed+1 {
					t.Errorf("%d rows, want %d and one of all others", n, maxUnknownListed)
				}
				names, violators := int64(0), int64(0)
				for _, c := range r.Crawlers {
					names, violators = names+c.Names, violators+c.Violators
				}
				const all = 2*manyNames + 2000
				others := rowOf(r, report.OtherCrawlers)
				if others == nil || others.Requests < manyNames || others.Operator != "unknown" || names != all ||
					violators != all*3/5 || others.Names != all-maxUnknownListed {
					t.Errorf("%d crawlers, %d broke a rule; the row of all others: %+v", names, violators, others)
				}
				for i := 0; i < 2*manyNames+2000; i += 100 {
					if c := rowOf(r, fmt.Sprintf("Flood%d-Bot", i)); c == nil || c.Requests != 3 {
						t.Errorf("%d, who asked most, is not listed with all of that: %+v", i, c)
					}
				}
			},
		},
		{
			name: "a flood of names hides nobody, who breaks more rules than are listed", rules: 3 * maxNameRules,
			log: func(add func(entry)) {
				for i := range 3 * maxNameRules {
					for range 1 + i%2 {
						add(entry{agent: "Hidden-Bot/1.0", target: target(i)})
					}
				}
				for i := range 2*manyNames + 100 {
					add(entry{agent: fmt.Sprintf("Flood%d-Bot/1.0", i)})
				}
			},
			check: func(t *testing.T, r *report.Report) {
				c := rowOf(r, "Hidden-Bot")
				if c == nil || c.Verdicts[report.Violation] != 9*maxNameRules/2 || len(c.Rules) != maxNameRules ||
					c.RulesNotListed != 5*maxNameRules/2 || c.Rules[maxNameRules-1].Violations != 2 {
					t.Errorf("%+v", c)
				}
			},
		},
		{
			name: "more hosts than are kept", hosts: []string{"https://example.com"}, rules: 1,
			log: func(add func(entry)) {
				for i := range 3 * maxHosts {
					for range hostRequests(i) {
						add(entry{vhost: fmt.Sprintf("host%d.example:443", i)})
					}
				}
				add(entry{vhost: "example.com:443", target: target(0)})
			},
			check: func(t *testing.T, r *report.Report) {
				counts := map[string]int64{}
				for i := range 3 * maxHosts {
					counts[fmt.Sprintf("https://host%d.example", i)] = hostRequests(i)
				}
				counts, _ = smallest(counts, maxHosts, hashString)
				var want []report.HostInfo
				for host, n := range counts {
					want = append(want, report.HostInfo{Host: host, Requests: n})
				}
				slices.SortFunc(want, func(x, y report.HostInfo) int {
					return cmp.Or(cmp.Compare(y.Requests, x.Requests), cmp.Compare(x.Host, y.Host))
				})
				if want = want[:maxListed]; !slices.Equal(r.OtherHosts, want) ||
					!strings.Contains(fmt.Sprint(r.Warnings), "hosts without a policy") {
					t.Errorf("hosts %v, want %v; %q", r.OtherHosts, want, r.Warnings)
				}
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var log []string
			test.log(func(e entry) { log = append(log, e.String()) })
			name := "combined"
			if test.hosts != nil {
				name = "vhost_combined"
			}
			test.check(t, checkOrder(t, newAuditor(t, manyRules(test.rules), test.hosts...), name, log))
		})
	}
}

// smallest returns the keys of counts that a bounded map of a limit is to keep,
// with their counts, and the sum of all other counts.
func smallest[K comparable](counts map[K]int64, limit int, hash func(K) uint64) (kept map[K]int64, rest int64) {
	keys := slices.SortedFunc(maps.Keys(counts), func(x, y K) int { return cmp.Compare(hash(x), hash(y)) })
	kept = map[K]int64{}
	for _, k := range keys {
		if len(keys) <= limit || hash(k) < hash(keys[limit]) {
			kept[k] = counts[k]
		} else {
			rest += counts[k]
		}
	}
	return kept, rest
}

// TestListsOfAllCrawlersAreBounded checks that the lists of a report stay within their common limits, however many
// crawlers violate however many rules on however many sites, while all counts stay right and short lists complete.
func TestListsOfAllCrawlersAreBounded(t *testing.T) {
	tally := (&Auditor{config: Config{Samples: 1 << 20}}).newTally()
	var rows []*row
	for i := range 60 {
		r := tally.newRow(fmt.Sprint("bot", i), unknownBounds)
		rows = append(rows, r)
		lines, sites := 3*maxRules, 3*maxDelays
		if i < 3 {
			lines, sites = 10, 10
		}
		for j := range lines {
			r.violate(ruleKey{line: uint32(j)}, 1)
			r.samples.add(int64(j), bytes.Repeat([]byte{'x'}, 500))
		}
		for j := range sites {
			r.addDelay(delayAt{policy.Site{First: int32(j), N: 1}, report.DelayInfo{Gaps: int64(j % 7)}})
		}
		if i%10 == 9 {
			cutLists(rows)
		}
	}
	rules, delays, sampled := 0, 0, 0
	for i, r := range rows {
		rules, delays, sampled = rules+r.rules.len(), delays+len(r.delays), sampled+r.samples.bytes
		n, sites := int64(3*maxRules), 3*maxDelays
		if i < 3 {
			n, sites = 10, 10
			if r.rules.len() != 10 || len(r.delays) != 10 || len(r.samples.Kept) != 10 {
				t.Errorf("%s: a short list was cut: %d, %d, %d", r.name, r.rules.len(), len(r.delays), len(r.samples.Kept))
			}
		}
		listed := r.rules.Rest
		for _, of := range r.rules.Kept {
			listed += of.N
		}
		if listed != n || int64(len(r.delays))+r.delaysNotListed != int64(sites) {
			t.Errorf("%s: %d violations and %d measurements, want %d and %d", r.name, listed,
				int64(len(r.delays))+r.delaysNotListed, n, sites)
		}
	}
	for _, of := range []struct{ n, most int }{{rules, allRules}, {delays, allDelays}, {sampled, allSampleBytes}} {
		if of.n > of.most || of.n < of.most*9/10 {
			t.Errorf("a list of %d, want at most %d and nearly as many", of.n, of.most)
		}
	}
}

// TestSamplesAreBoundedInBytes checks that the choice of quoted lines depends only on the lines, even if not all fit.
func TestSamplesAreBoundedInBytes(t *testing.T) {
	var want []sample
	for range 5 {
		s := samples{most: 1000}
		for _, i := range rand.Perm(300) {
			s.add(int64(i), bytes.Repeat([]byte{byte(i)}, 10+i*7%maxSample))
		}
		if s.bytes > maxSampleBytes || len(s.Kept) < 200 {
			t.Fatalf("%d lines of %d bytes", len(s.Kept), s.bytes)
		}
		if want == nil {
			want = s.Kept
		}
		if !slices.EqualFunc(want, s.Kept, func(x, y sample) bool { return compareSamples(x, y) == 0 }) {
			t.Fatal("another order of lines gave other samples")
		}
	}
}

// TestSamples checks that the first lines by time, then by bytes, are quoted, as many as requested even if a line
// occurs twice, unchanged up to a length, and of lines that were not parsed the smallest.
func TestSamples(t *testing.T) {
	long := "/private/\x1b[31m\xff" + strings.Repeat("x", 2*maxSample)
	want := []entry{
		{target: "/private/c", time: at(5)}, {target: "/private/h", time: "02/Mar/2026:12:00:06 +0200"}, // 10:00:06 in UTC
		{target: "/private/a", time: at(7)}, {target: "/private/b", time: at(7)}, {target: long, time: at(8)},
		{target: long, time: at(8)},
	}
	log := append(slices.Clone(want),
		entry{target: "/public/00", time: at(1)},                   // no violation
		entry{target: "/private/f", time: "-"},                     // nor this
		entry{target: "/private/g", time: at(2), agent: googlebot}) // of another crawler
	unparsed := []string{"b", "e", "d", "\x00", "g", "c", "f", strings.Repeat("a", 2*maxSample)}
	for _, n := range []int{0, 3, 5, 100} {
		a := newAuditor(t, robotsTxtBody)
		a.config.Samples = n
		lines := slices.Clone(unparsed)
		for _, e := range log {
			lines = append(lines, e.String())
		}
		rand.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		r := auditText(t, a, "combined", strings.Join(lines, "\n"))
		list := rowOf(r, "GPTBot").Samples
		if len(list) != min(n, len(want)) {
			t.Errorf("%d samples where %d were asked for", len(list), n)
		}
		for i, got := range list {
			line := want[i].String()
			if got.Line != line[:min(len(line), maxSample)] {
				t.Errorf("%d of %d: %.100s, want %.100s", i, n, got.Line, line)
			}
		}
		if got, want := fmt.Sprintf("%q", r.UnparsedSamples), fmt.Sprintf("%q", []string{"\x00",
			strings.Repeat("a", maxSample), "b", "c", "d"}); got != want {
			t.Errorf("%.100s\nwant %.100s", got, want)
		}
	}
}

// TestWorkersThatSpillMakeOneReport checks that concurrent workers with so little memory that they
// spill make the same report as one worker with plenty. It also serves the race detector.
func TestWorkersThatSpillMakeOneReport(t *testing.T) {
	roomy := stateAuditor(t)
	config := roomy.config
	config.Memory, config.TempDir = 1<<20, t.TempDir()
	tight := New(config)
	lines := stateLog(rand.New(rand.NewPCG(4, 4)), 45_000)
	f := byName(t, "vhost_combined")
	want := marshal(t, auditText(t, roomy, "vhost_combined", strings.Join(lines, "\n")))
	run := begin(t, tight)
	var wg sync.WaitGroup
	const workers = 4
	for i := range workers {
		w := run.Worker()
		wg.Go(func() {
			for at := i * 100; at < len(lines); at += workers * 100 {
				w.Chunk(f, nil, []byte(strings.Join(lines[at:min(at+100, len(lines))], "\n")))
			}
		})
	}
	wg.Wait()
	if err := run.endWorkers(); err != nil {
		t.Fatal(err)
	}
	size := 0
	for r := range run.deferred.All() {
		size += len(r.Data)
	}
	if size < 2*int(config.Memory) {
		t.Fatalf("only %d bytes had to wait", size)
	}
	got := resultOf(t, run)
	if got := marshal(t, got); got != want {
		t.Error(firstDifference(got, want))
	}
	if left, _ := os.ReadDir(config.TempDir); len(left) > 0 {
		t.Errorf("files with names: %v", left)
	}
}

// TestNoReportWhereRecordsCouldNotBeKept checks that errors of keeping records are returned instead of a report.
func TestNoReportWhereRecordsCouldNotBeKept(t *testing.T) {
	config := stateAuditor(t).config
	config.Memory, config.TempDir = 1<<20, "no/such/folder"
	run := begin(t, New(config))
	w := run.Worker()
	f := byName(t, "vhost_combined")
	for i := 0; w.Err() == nil; i++ {
		if i > 1e6 {
			t.Fatal("no error")
		}
		w.Chunk(f, nil, []byte(entry{vhost: "example.com:443", target: fmt.Sprintf("/private/%d", i),
			time: at(i % day0)}.String()))
	}
	if !strings.Contains(w.Err().Error(), "no/such/folder") {
		t.Error(w.Err())
	}
	if r, err := run.Report(Inputs{}); err == nil || r != nil {
		t.Errorf("%v, %v", r, err)
	}
}

// heap is how many bytes live on the heap.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestQuotaIsEnough checks that everything a worker remembers is charged: with a quota of 4 MB it
// takes no more than that and its tables, however varied the lines are.
func TestQuotaIsEnough(t *testing.T) {
	long := strings.Repeat("x", 7900)
	for name, line := range map[string]func(i int) entry{
		"names":    func(i int) entry { return entry{agent: fmt.Sprintf("Name%d-Bot/1.0", i), target: "/private/"} },
		"headers":  func(i int) entry { return entry{agent: fmt.Sprintf("GPTBot/1.%d", i), target: "/private/"} },
		"8 KB":     func(i int) entry { return entry{agent: fmt.Sprintf("Name%dbot%s", i, long), target: "/private/"} },
		"browsers": func(i int) entry { return entry{agent: fmt.Sprintf("Firefox/%d %s", i, long[:1000])} },
		"rivals":   func(i int) entry { return entry{agent: fmt.Sprintf("GPTBot Googlebot bingbot Bytespider/%d", i)} },
		"statuses": func(i int) entry {
			return entry{agent: fmt.Sprintf("Name%d-Bot", i/900), target: "/robots.txt", status: fmt.Sprint(100 + i%900)}
		},
		"paths": func(i int) entry {
			return entry{agent: fmt.Sprintf("Name%d-Bot", i/150), target: fmt.Sprintf("/%d/%s", i, long[:i%maxPath])}
		},
		"hosts":   func(i int) entry { return entry{vhost: fmt.Sprintf("h%d.example", i)} },
		"targets": func(i int) entry { return entry{target: fmt.Sprintf("http://h%d.example/", i)} },
	} {
		t.Run(name, func(t *testing.T) {
			format, hosts := "combined", []string{"http://example.com"}
			if name == "hosts" {
				format = "vhost_combined"
			}
			a := newAuditor(t, robotsTxtBody, hosts...)
			a.config.Memory = 1 << 20
			run, f := begin(t, a), byName(t, format)
			w := run.Worker()
			w.quota.limit = 4 << 20
			before, most := heap(), 0
			for i := range 30_000 {
				if name == "8 KB" && i == 4000 {
					break
				}
				w.Chunk(f, nil, []byte(line(i).String()+"\n"))
				if i%10_000 == 9999 || i == 3999 {
					most = max(most, heap()-before)
				}
			}
			if tables := 2 << 20; most > w.quota.limit+tables+int(run.budget.records) {
				t.Errorf("%d bytes", most)
			}
			resultOf(t, run)
		})
	}
}

// sums checks that numbers of a report add up, and keeps the name of the first that do not.
type sums struct{ wrong string }

func (s *sums) require(ok bool, what string) {
	if !ok {
		s.wrong = cmp.Or(s.wrong, what)
	}
}

// equal requires that the parts add up to the whole, and that none is negative; within, that they add up to no more.
func (s *sums) equal(what string, whole int64, parts ...int64) {
	s.require(rest(whole, parts...) == 0, what)
}

func (s *sums) within(what string, whole int64, parts ...int64) {
	s.require(rest(whole, parts...) >= 0, what)
}

// rest subtracts the parts of a number from it; -1 if they add up to more, or one is negative.
func rest(whole int64, parts ...int64) int64 {
	for _, n := range parts {
		if n < 0 || n > whole {
			return -1
		}
		whole -= n
	}
	return whole
}

// anyWrongSum names numbers of a report that do not add up; it is empty if all do. It is more than wrongSum, which
// every report is checked by, may a state be forged or not.
func anyWrongSum(r *report.Report) string {
	s, t, robots := &sums{}, &r.Totals, &r.RobotsTxt
	s.require(r.Blank >= 0 && r.Other >= 0 && r.OutOfPeriod >= 0, "lines that are not counted as lines")
	s.within("what is no crawler", r.NotCrawlers, r.HTTPLibraries, r.CDNAgents, r.NoAgent)
	s.equal("requests of all crawlers", t.Requests, countsOf(r.Crawlers,
		func(c report.CrawlerInfo) int64 { return c.Requests })...)
	s.equal("requests to other hosts", r.OtherHost, append(countsOf(r.OtherHosts,
		func(h report.HostInfo) int64 { return h.Requests }), r.OtherHostsNotListed)...)
	var ofSites report.SiteInfo
	for i := range r.Sites {
		ofSites.Plus(&r.Sites[i])
	}
	s.require(ofSites.Requests == t.Requests && ofSites.Verdicts == t.Verdicts && ofSites.Bytes == t.Bytes &&
		ofSites.ViolationBytes == t.ViolationBytes, "requests of all sites")
	cleared, fetches := map[int]int64{}, []int64{}
	for i := range r.Crawlers {
		c := &r.Crawlers[i]
		checkCrawler(c, s)
		fetches = append(fetches, c.RobotsTxt.Fetches)
		for _, refused := range c.RobotsTxt.Cleared {
			cleared[refused.Status] += refused.N
		}
	}
	s.require(s.wrong != "" || report.TotalsOf(r.Crawlers) == *t, "totals")
	s.within("GETs of robots.txt", r.Lines, robots.Requests)
	s.within("GETs of robots.txt by crawlers", robots.Requests, fetches...)
	s.within("answers to robots.txt", robots.Requests, robots.Served, robots.None, robots.Failed)
	s.require(slices.Equal(robots.ClearedBy, statusCounts(cleared)), "answers that there is no robots.txt")
	s.within("sizes of robots.txt", robots.Served+robots.None, robots.Sizes)
	s.within("differing sizes of robots.txt", robots.Sizes, robots.Differing)
	return s.wrong
}

// checkCrawler checks the numbers of a crawler: violations, crosswise, make the outcomes, and a timeline has all
// requests with a time.
func checkCrawler(c *report.CrawlerInfo, s *sums) {
	name := func(what string) string { return what + " of " + report.Printable(c.Crawler) }
	v, own := &c.Verdicts, rest(c.Requests, c.Verdicts[report.Spoofed])
	s.equal(name("identities"), c.Requests, c.Identity[:]...)
	s.equal(name("reasons"), v[report.Indeterminate], c.Reasons[:]...)
	s.require(v[report.Spoofed] == c.Identity[report.SpoofedIdentity], name("impostors"))
	s.equal(name("violations by rule"), v[report.Violation], append(countsOf(c.Rules,
		func(r report.RuleInfo) int64 { return r.Violations }), c.RulesNotListed)...)
	s.within(name("evasive requests"), v[report.Allowed]+c.Reasons[report.ContestedRule], c.Evasive)
	s.within(name("claims"), c.Requests, append(countsOf(c.Claims,
		func(l report.ClaimInfo) int64 { return l.N }), c.ClaimsNotListed)...)
	outcomes := report.OutcomeCounts{}
	for _, of := range c.Violations {
		outcomes[of.Outcome] += of.N
	}
	s.require(outcomes == c.Outcomes, name("violations by outcome"))
	s.equal(name("answers to fetches"), c.RobotsTxt.Fetches, c.RobotsTxt.Answers[:]...)
	s.within(name("bytes of violations"), c.Bytes, c.ViolationBytes)
	s.equal(name("statuses"), own, countsOf(c.Statuses, func(of report.StatusCount) int64 { return of.N })...)
	s.within(name("addresses"), own, c.Addresses.N)
	for verdict, all := range c.Verdicts {
		list := c.Timeline.Verdicts[report.Verdict(verdict)]
		switch report.Verdict(verdict) {
		case report.RobotsFetch, report.Exempt, report.Spoofed:
			s.within(name("requests over time"), all, list...)
		case report.Indeterminate:
			s.equal(name("requests over time"), all, append(slices.Clone(list), c.Reasons[report.NoTime])...)
		default:
			s.equal(name("requests over time"), all, list...)
		}
	}
	for of, p := range map[int64]*report.PathList{own: &c.Paths, v[report.Violation]: &c.ViolationPaths} {
		if counts := countsOf(p.List, func(of report.PathInfo) int64 { return of.N - of.TooHigh }); p.Exact {
			s.within(name("paths"), of, append(counts, p.OthersAtMost)...)
		} else {
			s.within(name("paths"), of, counts...)
		}
	}
	for _, d := range c.CrawlDelay {
		s.within(name("gaps between requests"), c.Requests-1, d.Gaps)
		s.within(name("gaps shorter than the delay"), d.Gaps, d.Shorter)
	}
}

// countsOf returns one number of each element of a list.
func countsOf[T any](list []T, n func(T) int64) (counts []int64) {
	for _, x := range list {
		counts = append(counts, n(x))
	}
	return counts
}

// TestReportThatDoesNotAddUpIsAnError checks that every way to make a report checks its sums.
func TestReportThatDoesNotAddUpIsAnError(t *testing.T) {
	a := stateAuditor(t)
	lines := stateLog(rand.New(rand.NewPCG(3, 4)), 100)
	for name, in := range map[string]Inputs{"whole": {}, "partial": {Partial: true}} {
		run := begin(t, a)
		w := run.Worker()
		w.Chunk(byName(t, "vhost_combined"), nil, []byte(strings.Join(lines, "\n")))
		w.tally.NotCrawlers++
		if _, err := run.Report(in); !errors.Is(err, errSum) || !strings.Contains(err.Error(), "lines") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStatesOfTooManyLinesAreRefused checks that states whose sums would overflow are refused.
func TestStatesOfTooManyLinesAreRefused(t *testing.T) {
	a := stateAuditor(t)
	many := a.newTally()
	many.Lines, many.NotCrawlers = mostLines-1, mostLines-1
	state := joined(t, string(a.appendTally(nil, many)))
	if _, err := reportOf(a, state); err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		states := make([][]byte, n+2)
		for i := range states {
			states[i] = state
		}
		if _, err := reportOf(a, states...); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "lines in all") {
			t.Errorf("%d states: %v", len(states), err)
		}
	}
}

// recordsOf returns the only deferred record that an entry leaves, apart from visits.
func recordsOf(t *testing.T, a *Auditor, e entry, kind byte) []byte {
	t.Helper()
	run := begin(t, a)
	w := run.Worker()
	w.Chunk(byName(t, "vhost_combined"), nil, []byte(e.String()))
	if err := run.endWorkers(); err != nil {
		t.Fatal(err)
	}
	var found []byte
	for r, err := range run.deferred.All() {
		if err != nil {
			t.Fatal(err)
		}
		rd := newReader(a.config.Policy, r.Data)
		if rd.operator(); rd.kind() == kind {
			if found != nil {
				t.Fatal("two deferred records")
			}
			found = bytes.Clone(r.Data)
		}
	}
	if found == nil {
		t.Fatal("no deferred record")
	}
	return found
}

// decideOne makes the final pass of a run over three lines and one deferred record of unknown origin.
func decideOne(t *testing.T, a *Auditor, record []byte) (err error) {
	t.Helper()
	run := a.Begin()
	defer run.Close() // not at the end of the test: thousands of runs would keep their memory
	w := run.Worker()
	w.Chunk(byName(t, "vhost_combined"), nil, []byte(entry{vhost: "example.com:443", target: "/robots.txt"}.String()+"\n"+
		entry{vhost: "example.com:443", target: "/robots.txt", agent: acmebot}.String()+"\n"+entry{agent: browser}.String()))
	if err := w.deferred.Add(record); err != nil {
		t.Fatal(err)
	}
	if _, err = run.Report(Inputs{}); errors.Is(err, errSum) {
		return nil // no line made the record
	}
	return err
}

// TestLateRecordsThatMakeNoSenseAreErrors checks that any bytes in a deferred record give a verdict or an error.
func TestLateRecordsThatMakeNoSenseAreErrors(t *testing.T) {
	a := stateAuditor(t)
	good := map[string][]byte{
		"fetch":   recordsOf(t, a, entry{vhost: "example.com:443", target: "/robots.txt", time: at(5)}, recordFetch),
		"delayed": recordsOf(t, a, entry{vhost: "www.example.com:443", time: at(5)}, recordDelayed),
		"request": recordsOf(t, a, entry{vhost: "www.example.com:443", target: "/private/"}, recordEvent),
		"unknown's fetch": recordsOf(t, a, entry{vhost: "example.com:443", target: "/robots.txt", agent: acmebot,
			time: at(5)}, recordFetch),
	}
	for name, record := range good {
		if err := decideOne(t, a, record); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i := range record {
			if err := decideOne(t, a, record[:i]); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s, %d of %d bytes: %v", name, i, len(record), err)
			}
		}
		if err := decideOne(t, a, append(slices.Clip(record), 0)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s, a byte more: %v", name, err)
		}
	}
	set := func(name string, at int, b ...byte) []byte {
		record := slices.Clone(good[name])
		if at < 0 {
			at += len(record)
		}
		copy(record[at:], b)
		return record
	}
	// operator 0..1, kind 2, then fetch: time 3, crawler 11, origins 12 and 16, word 20, answer 21,
	// size 22, identity 24; request: crawler 3, origins 4 and 8, word 12, address 13, time 14, counted
	// 22, has a time 23, case 27, identity 28, outcome 29, method 30, answers 31.
	for name, record := range map[string][]byte{
		"kind of operator":             set("fetch", 0, aboutUnknown+1),
		"no operator, but a request":   {0xc6, recordEvent, 11, 0xbc},
		"kind of record":               set("fetch", 2, recordDelayed+1),
		"time before all":              set("fetch", 3, 0, 0, 0, 0, 0, 0, 0, 0),
		"time after all":               set("fetch", 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"crawler that is not there":    set("fetch", 11, 0x7f),
		"crawler without a row":        set("fetch", 11, 5), // ChatGPT-User, of the same operator
		"origin that is not there":     set("fetch", 12, 0, 0, 0, 3),
		"negative origin":              set("fetch", 12, 0xff),
		"too many origins":             set("fetch", 16, 0x7f, 0xff, 0xff, 0xff),
		"answer of no kind":            set("fetch", 21, byte(judge.Kinds)),
		"a word longer than all":       set("fetch", 20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01),
		"neither counted nor open":     set("request", 22, 2),
		"counted, and for nobody":      set("request", 22, 1),
		"without a time":               set("request", 23, 0),
		"identity":                     set("request", 28, byte(report.Identities)),
		"outcome":                      set("request", 29, byte(report.Outcomes)),
		"method":                       set("request", 30, byte(report.Methods)),
		"counted in no case":           set("request", 27, byte(ifCuts)),
		"identity of no kind":          set("fetch", 24, byte(report.Identities)),
		"request to no origin":         set("request", 8, 0, 0, 0, 0),
		"copy that says nothing known": set("request", 31, 0xff),
	} {
		if err := decideOne(t, a, record); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v in %x", name, err, record)
		}
	}
	// These have many kinds, and may lack other records that they need; FuzzState changes their bytes.
	for name, e := range map[string]entry{
		"request of a site of several copies": {vhost: "example.com:443", target: "/?s=1", time: at(day0)},
		"evasive":                             {vhost: "www.example.com:443", target: "//private/"},
	} {
		if err := decideOne(t, a, recordsOf(t, a, e, recordEvent)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	answer := recordsOf(t, a, entry{vhost: "example.com:443", target: "/robots.txt", agent: browser}, recordAnswer)
	if err := decideOne(t, a, answer); err != nil {
		t.Errorf("answer: %v", err)
	}
}

// TestSampledLines checks that lines in no order, some of them often, give the sample of lines added one by one.
func TestSampledLines(t *testing.T) {
	for _, highest := range []uint64{1 << 8, 1 << 60, math.MaxUint64} { // few lines, high hashes, and usual ones
		for _, n := range []int{100, 2000, 5000, 20_000} {
			got, want := tally{ProxySample: newLineSample()}, newLineSample()
			random := rand.New(rand.NewPCG(uint64(n), highest))
			for range n {
				line := lineFrom{-random.Uint64N(highest), clientAddress(random.IntN(2))}
				got.sampled = append(got.sampled, line)
				want.add(line, 1)
			}
			got.sample()
			got.ProxySample.prune(1)
			want.prune(1)
			if got.ProxySample.Below != want.Below || !maps.Equal(got.ProxySample.Kept, want.Kept) {
				t.Errorf("%d lines below %d: %d are kept, want %d", n, highest, len(got.ProxySample.Kept), len(want.Kept))
			}
		}
	}
}
