package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/report"
)

// auditSplit audits lines as an audit of many cores does: cut into chunks at
// random, each given to one of n workers, their tallies merged in any order.
// Each chunk is overwritten once it has been counted.
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

// checkBounds fails the test where a worker holds more than it may of what
// strangers chose.
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

// checkOrder audits lines in their order and in others, by one worker and by
// several, and fails the test unless all reports are equal to the byte. It
// returns the report.
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

func TestOrderOfAMessyLog(t *testing.T) {
	rounds, lines := 12, 3000
	if testing.Short() {
		rounds = 3
	}
	for round := range rounds {
		rng := rand.New(rand.NewPCG(4, uint64(round)))
		hosts, name := []string(nil), "combined"
		if round%2 == 1 {
			hosts, name = []string{"https://example.com", "http://example.com:8080"}, "vhost_combined"
		}
		log := messyLog(rng, lines, name == "vhost_combined")
		r := checkOrder(t, newAuditor(t, robotsTxtBody+"Dissallow: /typo\n", hosts...), name, log)
		// The log is worth the test.
		v := r.Totals.Verdicts
		for what, n := range map[string]int64{
			"allowed": v[report.Allowed], "robots_fetch": v[report.RobotsFetch], "violation": v[report.Violation],
			"indeterminate": v[report.Indeterminate],
			"exempt":        v[report.Exempt], "unparsed": r.Unparsed, "not_crawlers": r.NotCrawlers, "not_judged": r.NotJudged,
			"blank": r.Blank,
		} {
			if n == 0 {
				t.Errorf("round %d has no %s", round, what)
			}
		}
	}
}

// manyRules is a robots.txt with n rules; rule i, from 0, is on line i+2 and
// forbids /r/i/.
func manyRules(n int) string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range n {
		fmt.Fprintf(&b, "Disallow: /r/%d/\n", i)
	}
	return b.String()
}

// TestOrderOfFloods: also where strangers choose more names, rules and hosts than
// are kept, the report depends on the set of lines alone.
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
				others := rowOf(r, report.OtherCrawlers)
				if others == nil || others.Requests < manyNames || others.Operator != "unknown" {
					t.Errorf("the row of all others: %+v", others)
				}
				for i := 0; i < 2*manyNames+2000; i += 100 {
					if c := rowOf(r, fmt.Sprintf("Flood%d-Bot", i)); c == nil || c.Requests != 3 {
						t.Errorf("%d, who asked most, is not listed with all of that: %+v", i, c)
					}
				}
			},
		},
		{
			name: "more names than are listed", rules: 1,
			log: func(add func(entry)) {
				for i := range maxUnknownListed + 10 {
					for range 1 + i%3 {
						add(entry{agent: fmt.Sprintf("Some%dBot/1.0", i), target: target(i % 2)})
					}
				}
			},
			check: func(t *testing.T, r *report.Report) {
				names, violators := int64(0), int64(0)
				for _, c := range r.Crawlers {
					names, violators = names+c.Names, violators+c.Violators
				}
				if others := rowOf(r, report.OtherCrawlers); names != maxUnknownListed+10 || violators != maxUnknownListed/2+5 ||
					others == nil || others.Names != 10 || others.Violators == 0 {
					t.Errorf("%d crawlers, %d broke a rule; of those not listed %+v", names, violators, others)
				}
				if others := rowOf(r, report.OtherCrawlers); len(r.Crawlers) != maxUnknownListed+1 || others.Requests != 10 {
					t.Errorf("%d rows, the last for %d requests; want those who ask least", len(r.Crawlers), others.Requests)
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

// TestEqualNames: a crawler that nobody knows may call itself as a known one is called whose words
// are others. The order of the two rows is not left to chance: of so many rows no sorting keeps
// equal ones in order.
func TestEqualNames(t *testing.T) {
	a := newAuditor(t, robotsTxtBody)
	log := []entry{{agent: "Feeds of News"}, {agent: "FeedBot/1.0"}}
	for i := range 500 {
		log = append(log, entry{agent: fmt.Sprintf("%c%d-Bot", 'A'+i%26, i*7%100)})
	}
	for range 20 {
		var operators []string
		for _, c := range auditEntries(t, a, log...).Crawlers {
			if c.Crawler == "FeedBot" {
				operators = append(operators, c.Operator)
			}
		}
		if !slices.Equal(operators, []string{"Feeds", "unknown"}) {
			t.Fatalf("FeedBot of %q", operators)
		}
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

// TestHashesAreFixed: what they decide must be the same on every machine and in
// every version.
func TestHashesAreFixed(t *testing.T) {
	for s, want := range map[string]uint64{"": 0xf52a15e9a9b5e89b, "acmebot": 0x1f5d1bf1ea97a68e} {
		if got := hashString(s); got != want {
			t.Errorf("hash of %q: %#x, want %#x", s, got, want)
		}
	}
	if mix(0) == 0 {
		t.Error("a hash is 0, which stands for no bar")
	}
}
