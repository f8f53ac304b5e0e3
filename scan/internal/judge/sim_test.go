package judge_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

// The command's tests use these, too.
type (
	figures       = reporttest.Figures
	simRange      = reporttest.Range
	simDifference = reporttest.Difference
)

// gravity orders differences: what follows from others comes after them.
func gravity(d simDifference) int {
	for i, figure := range []string{": verdicts", ": reasons", ": identity", ": violations", ": rules"} {
		if strings.Contains(d.Figure, figure) {
			return i
		}
	}
	return 10
}

// quantile compares with a quantile of sorted values. There are several ways to compute one, so
// anything between the two neighbours of the place will do, and a report without a list of all gaps
// may be off by a hundredth. The longest is exact.
func quantile(values []int64, q float64) simRange {
	place, slack, off := q*float64(len(values)-1), 0.0, 0.01
	if q < 0.5 {
		slack = 1
	}
	if q == 1 {
		off = 0
	}
	low := values[max(0, int(math.Floor(place-slack)))]
	high := values[min(len(values)-1, int(math.Ceil(place+slack)))]
	return simRange{Low: float64(low) * (1 - off), High: float64(high) * (1 + off)}
}

// audited audits a world as one log and returns what differs from
// the truth, and the verdicts. It is an error if the audit fails.
func audited(t testing.TB, w *simWorld) ([]simDifference, []simVerdict, error) {
	t.Helper()
	got, err := auditedReport(t, w)
	if err != nil {
		return nil, nil, err
	}
	o := newOracle(w)
	return reporttest.CompareFigures(got, o.report()), o.verdicts, nil
}

// auditedReport is the report on a world.
func auditedReport(t testing.TB, w *simWorld) (figures, error) {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "access.log")
	write(t, log, simLog(w.requests))
	o := w.write(t, dir)
	o.Logs.Names = []string{log}
	r, err := reportOf(t, o)
	if r == nil {
		return nil, err
	}
	return reporttest.FiguresOf(marshal(t, r))
}

// reportOf audits. There may be a report although not all could be parsed.
func reportOf(t testing.TB, o job.AuditOptions) (*report.Report, error) {
	t.Helper()
	o.AllowDuplicates = true
	a, err := job.Audit(t.Context(), o)
	if a == nil {
		return nil, err
	}
	return a.Report, err
}

func marshal(t testing.TB, r *report.Report) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t testing.TB, name, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(content), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// checkWorld fails the test if the audit does not tell the truth of a world, of which it returns the verdicts. It
// shrinks the world to few lines first, and shows why they should be judged so.
func checkWorld(t *testing.T, w *simWorld) []simVerdict {
	t.Helper()
	found, verdicts, err := audited(t, w)
	if err != nil {
		t.Fatalf("seed %d: %v", w.seed, err)
	}
	if len(found) == 0 {
		return verdicts
	}
	var all strings.Builder
	for _, d := range found[:min(len(found), 12)] {
		fmt.Fprintf(&all, "\n  %v", d)
	}
	small := shrink(t, w, found)
	t.Errorf("seed %d: %d figures differ:%s\n\nThe smallest part of it that differs:\n%s", w.seed, len(found),
		all.String(), explainWorld(t, small))
	return verdicts
}

// shrink drops requests and rows as long as the gravest difference stays.
func shrink(t *testing.T, w *simWorld, found []simDifference) *simWorld {
	t.Helper()
	gravest := slices.MinFunc(found, func(x, y simDifference) int { return gravity(x) - gravity(y) })
	tries := 0
	differs := func(w *simWorld) bool {
		if tries--; tries < 0 {
			return false
		}
		found, _, err := audited(t, w)
		return err == nil && slices.ContainsFunc(found, func(d simDifference) bool {
			return d.Figure == gravest.Figure
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

// explainWorld shows a small world: what differs, the arguments, the source, and each line with the oracle's reasoning.
func explainWorld(t *testing.T, w *simWorld) string {
	var b strings.Builder
	found, _, _ := audited(t, w)
	for _, d := range found {
		fmt.Fprintf(&b, "%v\n", d)
	}
	dir := t.TempDir()
	fmt.Fprintf(&b, "options: %s\n", strings.ReplaceAll(fmt.Sprintf("%+v", w.write(t, dir)), dir+"/", ""))
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
func seeds(n uint64) uint64 {
	if *simSeeds > 0 {
		return *simSeeds
	}
	return n
}

// TestAuditEqualsTheTruth checks that no figure of a report differs from the truth, without false
// or missed accusations.
func TestAuditEqualsTheTruth(t *testing.T) {
	failed, counts := 0, map[string]int{}
	for seed := range seeds(60) {
		if !t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			for _, v := range checkWorld(t, makeWorld(seed)) {
				counts[v.String()]++
			}
		}) {
			if failed++; failed == 5 {
				t.Fatal("and so on: five are enough")
			}
		}
	}
	// Worlds that never come to some verdict would test nothing of it.
	for _, v := range []string{
		"blank", "unparsed", "not_crawlers", "not_judged", "other_host", "allowed", "allowed evasive", "robots_fetch",
		"violation", "violation informed", "grace", "grace informed", "no_policy", "unreachable", "exempt", "spoofed",
		"indeterminate:no_version", "indeterminate:no_host", "indeterminate:no_time", "indeterminate:unknown_scheme",
		"indeterminate:truncated", "indeterminate:ambiguous_agent", "indeterminate:redirected_policy",
		"indeterminate:contested", "indeterminate:contested evasive",
	} {
		if counts[v] < 3 {
			t.Errorf("%d requests are %s", counts[v], v)
		}
	}
}

// TestAuditIsTheSameHoweverItIsCut checks that the result only depends on the set of lines: not on
// their order, on the files, shards and workers over which they are spread, or on the memory.
func TestAuditIsTheSameHoweverItIsCut(t *testing.T) {
	for seed := range seeds(6) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			w := makeWorld(seed)
			r := rand.New(rand.NewPCG(seed, 7))
			dir := t.TempDir()
			o := w.write(t, dir)
			names := func(r simRequest) bool { return strings.Contains(r.target, "://") }
			if o.Robots.Name != "" && len(o.Hosts) == 0 && slices.ContainsFunc(w.requests, names) {
				t.Skip("one robots.txt without a host: a part that begins with hosts is refused, the whole is not")
			}
			o.MaxUnparsed = new(100.0) // of a small part many lines may be
			audited := func(workers int, memory int64, logs ...string) string {
				o := o
				o.Workers, o.Memory, o.Logs.Names = workers, memory, logs
				return theReport(t, o)
			}
			want := audited(1, 0, writeLog(t, dir, "whole.log", w.requests))
			same := func(how, got string) {
				t.Helper()
				if got != want {
					t.Errorf("%s: the report differs at %s", how, reporttest.FirstDifference(got, want))
				}
			}
			shuffled := slices.Clone(w.requests)
			r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			for _, workers := range []int{1, 2, 16} {
				same(fmt.Sprint("shuffled, workers ", workers), audited(workers, 0, writeLog(t, dir, "shuffled.log", shuffled)))
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
			same("split", audited(2, 0, parts...))
			slices.Reverse(parts)
			same("split, with little memory", audited(0, 1<<20, parts...))
			for i, part := range parts {
				o := o
				o.State, o.Logs.Names = states[i], []string{part}
				theReport(t, o)
			}
			r.Shuffle(len(states), func(i, j int) { states[i], states[j] = states[j], states[i] })
			sum, err := job.Merge(t.Context(), job.MergeOptions{States: states})
			if err != nil {
				t.Fatal(err)
			}
			same("merged", withoutInputs(t, sum.Report))
		})
	}
}

// TestMoreLines checks that each line twice gives each number twice, and that pages that nobody's browser fetched
// matter to no crawler.
func TestMoreLines(t *testing.T) {
	for seed := range seeds(10) {
		w, dir := makeWorld(seed), t.TempDir()
		o := w.write(t, dir)
		o.MaxUnparsed = new(100.0)
		audited := func(requests []simRequest) *report.Report {
			o.Logs.Names = []string{writeLog(t, dir, "access.log", requests)}
			r, err := reportOf(t, o)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return r
		}
		once, twice := audited(w.requests), audited(slices.Concat(w.requests, w.requests))
		numbers := func(r *report.Report, times int64) (list []string) {
			for _, c := range r.Crawlers {
				for k := range c.Verdicts {
					c.Verdicts[k] *= times
				}
				for k := range c.Reasons {
					c.Reasons[k] *= times
				}
				list = append(list, fmt.Sprint(c.Crawler, c.Verdicts, c.Reasons, times*c.Evasive, times*c.GraceInformed))
			}
			return append(list, fmt.Sprint(times*r.Lines, times*r.Blank))
		}
		isPage := func(r simRequest) bool { return r.bot == nil && r.path != "" && !isRobotsFetch(r.path) }
		without := audited(slices.DeleteFunc(slices.Clone(w.requests), isPage))
		crawlers := func(r *report.Report) string { return marshal(t, &report.Report{Crawlers: r.Crawlers}) }
		if got, want := crawlers(without), crawlers(once); got != want {
			t.Errorf("seed %d: without pages of browsers, at %s", seed, reporttest.FirstDifference(got, want))
		}
		if got, want := numbers(twice, 1), numbers(once, 2); !slices.Equal(got, want) {
			t.Errorf("seed %d: each line twice: got %s, want %s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestMoreAllowed checks that no crawler has more violations where every origin has, from a moment on, a robots.txt
// that allows everything and that caches keep for years; and none at all, if that moment is before all requests.
func TestMoreAllowed(t *testing.T) {
	violations := func(w *simWorld) (n map[string]int64) {
		dir := t.TempDir()
		o := w.write(t, dir)
		o.MaxUnparsed, o.Logs.Names = new(100.0), []string{writeLog(t, dir, "access.log", w.requests)}
		r, err := reportOf(t, o)
		if err != nil {
			t.Fatalf("seed %d: %v", w.seed, err)
		}
		n = map[string]int64{}
		for _, c := range r.Crawlers {
			n[c.Crawler] = c.Verdicts[report.Violation]
		}
		return n
	}
	for seed := range seeds(20) {
		w := makeWorld(seed)
		if w.constant {
			continue
		}
		before, all := violations(w), simEpoch-300*day+int64(seed%3)*200*day
		for _, r := range slices.Clone(w.rows) {
			if !slices.ContainsFunc(w.rows, func(x simRow) bool { return x.from == all && x.as == r.as }) {
				w.rows = append(w.rows, simRow{as: r.as, origins: r.origins, from: all, status: 200, hasBody: true,
					body: "#" + strings.Repeat(" allowed", 1000), maxAge: 99999999}) // no other file has this size
			}
		}
		for name, n := range violations(w) {
			if n > before[name] || n > 0 && seed%3 == 0 {
				t.Errorf("seed %d: %s has %d violations, but %d with more allowed", seed, name, before[name], n)
			}
		}
	}
}

// theReport audits and returns the report without the inputs.
func theReport(t *testing.T, o job.AuditOptions) string {
	t.Helper()
	r, err := reportOf(t, o)
	if err != nil {
		t.Fatal(err)
	}
	return withoutInputs(t, r)
}

func withoutInputs(t *testing.T, r *report.Report) string {
	r.Inputs = nil
	return marshal(t, r)
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
	write(t, name, string(content))
	return name
}
