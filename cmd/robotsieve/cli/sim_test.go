package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// simReport is the part of a report that the oracle tells, in the form of the
// command's JSON.
type simReport struct {
	Schema      string        `json:"schema"`
	Lines       int64         `json:"lines"`
	Blank       int64         `json:"blank"`
	Unparsed    int64         `json:"unparsed"`
	NotCrawlers int64         `json:"not_crawlers"`
	OtherHost   int64         `json:"other_host"`
	NotJudged   int64         `json:"not_judged"`
	Partial     bool          `json:"partial"`
	Crawlers    []*simCrawler `json:"crawlers"`

	HTTPLibraries int64     `json:"http_libraries"`
	NoList        int64     `json:"identity_no_list"`
	Totals        simTotals `json:"totals"`
	RobotsTxt     struct {
		Requests int64 `json:"requests"`
		Served   int64 `json:"served"`
		None     int64 `json:"none"`
		Failed   int64 `json:"failed"`
	} `json:"robots_txt"`

	crawlers map[string]*simCrawler
}

type simTotals struct {
	Requests        int64 `json:"requests"`
	Evasive         int64 `json:"evasive"`
	VerifiedContent int64 `json:"verified_content"`
	Fetchers        struct {
		Requests        int64 `json:"requests"`
		Violation       int64 `json:"violation"`
		VerifiedContent int64 `json:"verified_content"`
	} `json:"fetchers"`
}

type simCrawler struct {
	Crawler    string           `json:"crawler"`
	Operator   string           `json:"operator"`
	Role       string           `json:"role"`
	Requests   int64            `json:"requests"`
	Verdicts   map[string]int64 `json:"verdicts"`
	Reasons    map[string]int64 `json:"reasons"`
	Outcomes   map[string]int64 `json:"outcomes"`
	Identity   map[string]int64 `json:"identity"`
	Violations []struct {
		Identity string `json:"identity"`
		Outcome  string `json:"outcome"`
		Method   string `json:"method"`
		Informed bool   `json:"informed"`
		N        int64  `json:"n"`
	} `json:"violations"`
	Rules []struct {
		Origin     string `json:"origin"`
		Line       int    `json:"line"`
		Rule       string `json:"rule"`
		Version    string `json:"version"`
		Violations int64  `json:"violations"`
	} `json:"rules"`
	Evasive       int64 `json:"evasive"`
	GraceInformed int64 `json:"grace_informed"`
	InformedKnown bool  `json:"informed_known"`

	RobotsTxt  simFetches `json:"robots_txt"`
	CrawlDelay []simDelay `json:"crawl_delay"`

	crossed map[simCrossed]int64
	rules   map[simRule]int64
	bot     *simBot
}

type simCrossed struct {
	identity, outcome, method string
	informed                  bool
}

type simFetches struct {
	Fetches int64            `json:"fetches"`
	First   string           `json:"first"`
	Last    string           `json:"last"`
	Gaps    int64            `json:"gaps"`
	Median  float64          `json:"median_gap_seconds"`
	Longest float64          `json:"longest_gap_seconds"`
	Within  float64          `json:"within_24h"`
	Answers map[string]int64 `json:"answers"`

	gaps    []int64
	longest int64
	within  float64
}

type simDelay struct {
	Origin  string  `json:"origin"`
	Delay   float64 `json:"delay_seconds"`
	Gaps    int64   `json:"gaps"`
	Shorter int64   `json:"shorter"`
	Median  float64 `json:"median_seconds"`
	P10     float64 `json:"p10_seconds"`

	all []int64
}

// parseReport reads a report of the command.
func parseReport(out string) (*simReport, error) {
	var r simReport
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		return nil, fmt.Errorf("%w in %.200q", err, out)
	}
	r.crawlers = map[string]*simCrawler{}
	for _, c := range r.Crawlers {
		r.crawlers[c.Crawler] = c
		c.crossed, c.rules = map[simCrossed]int64{}, map[simRule]int64{}
		for _, v := range c.Violations {
			c.crossed[simCrossed{v.Identity, v.Outcome, v.Method, v.Informed}] += v.N
		}
		for _, x := range c.Rules {
			c.rules[simRule{x.Origin, x.Line, x.Rule, x.Version}] += x.Violations
		}
	}
	return &r, nil
}

// simDifference is a figure that is not as it should be.
type simDifference struct {
	crawler, figure string
	got, want       any
}

func (d simDifference) String() string {
	return fmt.Sprintf("%s %s: got %v, want %v", d.crawler, d.figure, d.got, d.want)
}

// gravity orders differences: what follows from others comes after them.
func (d simDifference) gravity() int {
	for i, figure := range []string{"verdicts", "reasons", "identity", "violations", "rules"} {
		if strings.HasPrefix(d.figure, figure) {
			return i
		}
	}
	return 10
}

// compareReports returns the figures in which a report differs from the truth.
func compareReports(got, want *simReport) []simDifference {
	var c comparison
	c.is("schema", got.Schema, "robotsieve.audit/3")
	c.is("lines", got.Lines, want.Lines)
	c.is("blank", got.Blank, want.Blank)
	c.is("unparsed", got.Unparsed, want.Unparsed)
	c.is("not_crawlers", got.NotCrawlers, want.NotCrawlers)
	c.is("other_host", got.OtherHost, want.OtherHost)
	c.is("not_judged", got.NotJudged, want.NotJudged)
	c.is("partial", got.Partial, want.Partial)
	c.is("http_libraries", got.HTTPLibraries, want.HTTPLibraries)
	c.is("identity_no_list", got.NoList, want.NoList)
	c.is("totals", got.Totals, want.Totals)
	c.is("robots_txt of anybody", got.RobotsTxt, want.RobotsTxt)
	for _, w := range want.Crawlers {
		c.crawler = w.Crawler
		if g := got.crawlers[w.Crawler]; g == nil {
			c.is("requests", 0, w.Requests)
		} else {
			c.compare(g, w)
		}
	}
	c.crawler = ""
	c.is("order of crawlers", namesOf(got), namesOf(want))
	return c.found
}

func namesOf(r *simReport) string {
	var names []string
	for _, c := range r.Crawlers {
		names = append(names, c.Crawler)
	}
	return strings.Join(names, " ")
}

type comparison struct {
	crawler string
	found   []simDifference
}

func (c *comparison) is(figure string, got, want any) {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		c.found = append(c.found, simDifference{c.crawler, figure, got, want})
	}
}

func (c *comparison) compare(g, w *simCrawler) {
	c.is("operator", g.Operator, w.Operator)
	c.is("role", g.Role, w.Role)
	c.is("requests", g.Requests, w.Requests)
	compareCounts(c, "verdicts", g.Verdicts, w.Verdicts)
	compareCounts(c, "reasons", g.Reasons, w.Reasons)
	compareCounts(c, "identity", g.Identity, w.Identity)
	compareCounts(c, "outcomes", g.Outcomes, w.Outcomes)
	compareCounts(c, "violations", g.crossed, w.crossed)
	compareCounts(c, "rules", g.rules, w.rules)
	c.is("evasive", g.Evasive, w.Evasive)
	c.is("grace_informed", g.GraceInformed, w.GraceInformed)
	c.is("informed_known", g.InformedKnown, w.InformedKnown)

	gf, wf := &g.RobotsTxt, &w.RobotsTxt
	c.is("robots_txt.fetches", gf.Fetches, wf.Fetches)
	c.is("robots_txt.first", gf.First, wf.First)
	c.is("robots_txt.last", gf.Last, wf.Last)
	compareCounts(c, "robots_txt.answers", gf.Answers, wf.Answers)
	c.is("robots_txt.gaps", gf.Gaps, wf.Gaps)
	c.near("robots_txt.median_gap_seconds", gf.Median, wf.gaps, 0.5)
	c.near("robots_txt.longest_gap_seconds", gf.Longest, wf.gaps, 1)
	if math.Abs(gf.Within-wf.within) > 0.001 {
		c.is("robots_txt.within_24h", gf.Within, wf.within)
	}
	for _, d := range w.CrawlDelay {
		if len(g.CrawlDelay) != 1 {
			c.is("crawl_delay", fmt.Sprintf("%+v", g.CrawlDelay), "one entry")
			break
		}
		gd := g.CrawlDelay[0]
		c.is("crawl_delay.delay_seconds", gd.Delay, d.Delay)
		c.is("crawl_delay.gaps", gd.Gaps, d.Gaps)
		c.is("crawl_delay.shorter", gd.Shorter, d.Shorter)
		c.near("crawl_delay.median_seconds", gd.Median, d.all, 0.5)
		c.near("crawl_delay.p10_seconds", gd.P10, d.all, 0.1)
	}
}

// near compares a quantile of sorted values; there are several ways to compute
// one, so anything between the two neighbours of the place will do, and a report
// that keeps no list of all gaps may be off by a hundredth. The longest is exact.
func (c *comparison) near(figure string, got float64, values []int64, q float64) {
	if len(values) == 0 {
		c.is(figure, got, 0.0)
		return
	}
	place, slack := q*float64(len(values)-1), 0.0
	if q < 0.5 {
		slack = 1
	}
	low := values[max(0, int(math.Floor(place-slack)))]
	high := values[min(len(values)-1, int(math.Ceil(place+slack)))]
	off := 0.01
	if q == 1 {
		off = 0
	}
	if got < float64(low)*(1-off) || got > float64(high)*(1+off) {
		c.is(figure, got, fmt.Sprintf("between %d and %d", low, high))
	}
}

// compareCounts compares counts by key; one that is missing stands for 0.
func compareCounts[K comparable](c *comparison, figure string, got, want map[K]int64) {
	for k, n := range got {
		if n != want[k] {
			c.is(fmt.Sprintf("%s %+v", figure, k), n, want[k])
		}
	}
	for k, n := range want {
		if _, listed := got[k]; !listed && n != 0 {
			c.is(fmt.Sprintf("%s %+v", figure, k), 0, n)
		}
	}
}

// audited runs the command over a world as one log and returns what differs from
// the truth. It is an error if the command fails.
func audited(t testing.TB, w *simWorld) ([]simDifference, error) {
	t.Helper()
	got, err := auditedReport(t, w)
	if err != nil {
		return nil, err
	}
	return compareReports(got, newOracle(w).report()), nil
}

// auditedReport is the command's report on a world.
func auditedReport(t testing.TB, w *simWorld) (*simReport, error) {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "access.log")
	if err := os.WriteFile(log, []byte(simLog(w.requests)), 0o666); err != nil {
		t.Fatal(err)
	}
	r := runCommand(t, append(w.write(t, dir), log))
	if r.code != exitDone && r.code != exitInput {
		return nil, fmt.Errorf("exit code %d, stderr %q", r.code, r.err)
	}
	return parseReport(r.out)
}

func runCommand(t testing.TB, args []string) result {
	var out, err bytes.Buffer
	code := run(t.Context(), args, streams{in: strings.NewReader(""), out: &out, err: &err})
	return result{out.String(), err.String(), code}
}

// checkWorld fails the test if the command does not tell the truth of a world. It
// shrinks the world to few lines first, and shows why they should be judged so.
func checkWorld(t *testing.T, w *simWorld) {
	t.Helper()
	found, err := audited(t, w)
	if err != nil {
		t.Fatalf("seed %d: %v", w.seed, err)
	}
	if len(found) == 0 {
		return
	}
	var all strings.Builder
	for _, d := range found[:min(len(found), 12)] {
		fmt.Fprintf(&all, "\n  %v", d)
	}
	small := shrink(t, w, found)
	t.Errorf("seed %d: %d figures differ:%s\n\nThe smallest part of it that differs:\n%s", w.seed, len(found),
		all.String(), explainWorld(t, small))
}

// shrink drops requests and rows as long as the gravest difference stays.
func shrink(t *testing.T, w *simWorld, found []simDifference) *simWorld {
	t.Helper()
	gravest := slices.MinFunc(found, func(x, y simDifference) int { return x.gravity() - y.gravity() })
	tries := 0
	differs := func(w *simWorld) bool {
		if tries--; tries < 0 {
			return false
		}
		found, err := audited(t, w)
		return err == nil && slices.ContainsFunc(found, func(d simDifference) bool {
			return d.crawler == gravest.crawler && d.figure == gravest.figure
		})
	}
	small := *w
	tries = 400
	dropSome(&small.requests, func(r []simRequest) bool {
		v := small
		v.requests = r
		return differs(&v)
	})
	tries = 200
	if !small.constant {
		dropSome(&small.rows, func(r []simRow) bool {
			v := small
			v.rows = r
			// What is judged is to stay the same.
			return slices.Equal(v.origins(), small.origins()) && differs(&v)
		})
	}
	return &small
}

// dropSome replaces a list by a shorter one that will still do.
func dropSome[T any](list *[]T, will func([]T) bool) {
	for size := len(*list) / 2; size > 0; {
		dropped := false
		for at := 0; at+size <= len(*list); {
			if shorter := slices.Delete(slices.Clone(*list), at, at+size); len(shorter) > 0 && will(shorter) {
				*list, dropped = shorter, true
			} else {
				at += size
			}
		}
		if !dropped || size > len(*list) {
			size /= 2
		}
	}
}

// explainWorld shows a small world: what differs, the arguments, the source, and
// each line with the oracle's reasoning.
func explainWorld(t *testing.T, w *simWorld) string {
	var b strings.Builder
	found, _ := audited(t, w)
	for _, d := range found {
		fmt.Fprintf(&b, "%v\n", d)
	}
	dir := t.TempDir()
	fmt.Fprintf(&b, "arguments: %s\n", strings.ReplaceAll(strings.Join(w.write(t, dir), " "), dir+"/", ""))
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		data, _ := os.ReadFile(filepath.Join(dir, f.Name()))
		fmt.Fprintf(&b, "--- %s\n%s\n", f.Name(), strings.TrimSuffix(string(data), "\n"))
	}
	o := newOracle(w)
	o.trace = &b
	for i := range w.requests[:min(len(w.requests), 20)] {
		fmt.Fprintf(&b, "%s\n", w.requests[i].line)
		v := o.decide(i)
		fmt.Fprintf(&b, "  => %v %s %s %+v\n", v, v.identity, rfc3339(w.requests[i].time), v.rule)
	}
	return b.String()
}

var simSeeds = flag.Uint64("sim-seeds", 0, "how many worlds and histories the simulator makes; 0: few enough for "+
	"each day")

// seeds is how many worlds are tried.
func seeds(t *testing.T, n uint64) uint64 {
	switch {
	case *simSeeds > 0:
		return *simSeeds
	case testing.Short():
		t.Logf("-short: %d of %d seeds", n/5, n)
		return n / 5
	}
	return n
}

// No figure of a report may differ from the truth: no false accusation, and none
// missed.
func TestAuditEqualsTheTruth(t *testing.T) {
	failed := 0
	for seed := range seeds(t, 60) {
		if !t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { checkWorld(t, makeWorld(seed)) }) {
			if failed++; failed == 5 {
				t.Fatal("and so on: five are enough")
			}
		}
	}
}

// The result depends only on the set of lines: not on their order, nor on the
// files, the parts and the workers that they are spread over, nor on the memory.
func TestAuditIsTheSameHoweverItIsCut(t *testing.T) {
	for seed := range seeds(t, 20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			w := makeWorld(seed)
			r := rand.New(rand.NewPCG(seed, 7))
			dir := t.TempDir()
			// Of a small part many lines may be unparsed.
			args := append(w.write(t, dir), "--max-unparsed", "100")
			want := theReport(t, append(args, "--workers", "1", writeLog(t, dir, "whole.log", w.requests)))
			same := func(how string, args ...string) {
				t.Helper()
				if got := theReport(t, args); got != want {
					t.Errorf("%s: the report differs at %s", how, firstDifference(got, want))
				}
			}
			shuffled := slices.Clone(w.requests)
			r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			for _, workers := range []string{"1", "2", "16"} {
				same("shuffled, workers "+workers, append(args, "--workers", workers,
					writeLog(t, dir, "shuffled.log", shuffled))...)
			}
			var parts, states []string
			for i, part := range cutAnywhere(r, shuffled, 4) {
				name := fmt.Sprintf("part%d.log", i)
				if i%2 == 1 {
					name += ".gz"
				}
				parts = append(parts, writeLog(t, dir, name, part))
				states = append(states, filepath.Join(dir, fmt.Sprintf("part%d.state", i)))
			}
			same("split", append(slices.Concat(args, []string{"--workers", "2"}), parts...)...)
			slices.Reverse(parts)
			same("split, with little memory", append(slices.Concat(args, []string{"--memory", "1MB"}), parts...)...)
			for i, part := range parts {
				theReport(t, append(args, "--state", states[i], part))
			}
			r.Shuffle(len(states), func(i, j int) { states[i], states[j] = states[j], states[i] })
			same("merged", append([]string{"merge", "--output", "json"}, states...)...)
		})
	}
}

// theReport runs the command and returns its report without the inputs.
func theReport(t *testing.T, args []string) string {
	t.Helper()
	r := runCommand(t, args)
	if r.code != exitDone {
		t.Fatalf("%v: code %d, stderr %q", args, r.code, r.err)
	}
	return withoutInputs(r.out, "json")
}

// firstDifference shows where two texts first differ.
func firstDifference(got, want string) string {
	n := 0
	for n < len(got) && n < len(want) && got[n] == want[n] {
		n++
	}
	around := func(s string) string { return s[max(0, n-100):min(len(s), n+60)] }
	return fmt.Sprintf("byte %d: got\n…%s…\nwant\n…%s…", n, around(got), around(want))
}

// cutAnywhere cuts a list into n parts of any size, none empty.
func cutAnywhere[T any](r *rand.Rand, list []T, n int) [][]T {
	at := []int{0, len(list)}
	for len(at) < n+1 {
		if i := 1 + r.IntN(len(list)-1); !slices.Contains(at, i) {
			at = append(at, i)
		}
	}
	slices.Sort(at)
	var parts [][]T
	for i := range n {
		parts = append(parts, list[at[i]:at[i+1]])
	}
	return parts
}

// writeLog writes requests to a log, compressed if its name ends in .gz.
func writeLog(t *testing.T, dir, name string, requests []simRequest) string {
	t.Helper()
	content := []byte(simLog(requests))
	if strings.HasSuffix(name, ".gz") {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(content)
		z.Close()
		content = b.Bytes()
	}
	name = filepath.Join(dir, name)
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}
