package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// figures are the figures of a report by their names, such as "lines" or "GPTBot: verdicts violation":
// numbers, texts and ranges. What is 0, empty or false is not among them.
type figures map[string]any

// simRange is a number that there are several ways to compute.
type simRange struct{ low, high float64 }

// figuresOf reads a report of the command.
func figuresOf(out string) (figures, error) {
	var report map[string]any
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		return nil, fmt.Errorf("%w in %.200q", err, out)
	}
	f := figures{}
	f.read("", report)
	return f, nil
}

// read adds the figures of a value of JSON.
func (f figures) read(name string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			f.read(strings.TrimSpace(name+" "+key), v)
		}
	case []any:
		for i, v := range value {
			if object, ok := v.(map[string]any); ok {
				f.readMember(name, i, object)
			}
		}
	case float64:
		f.add(name, value)
	case string, bool:
		if value != "" && value != false {
			f[name] = value
		}
	}
}

// readMember adds the figures of an object in a list: of violations and rules the number, under what tells it
// from others.
func (f figures) readMember(list string, i int, object map[string]any) {
	switch _, last, _ := strings.Cut(list, ": "); {
	case list == "crawlers":
		f[fmt.Sprint("crawler ", i)] = object["crawler"]
		f.read(fmt.Sprint(object["crawler"], ":"), object)
	case last == "violations":
		f.add(fmt.Sprintln(list, object["identity"], object["outcome"], object["method"], object["informed"]),
			object["n"].(float64))
	case last == "rules":
		f.add(fmt.Sprintln(list, object["origin"], object["line"], object["rule"], object["version"]),
			object["violations"].(float64))
	case last == "statuses":
		f.add(fmt.Sprint(list, " ", object["status"]), object["n"].(float64))
	default:
		f.read(fmt.Sprint(list, " ", i), object)
	}
}

// add adds to a number.
func (f figures) add(name string, n float64) {
	if n != 0 {
		f[name] = f.number(name) + n
	}
}

// number is a figure that is a number.
func (f figures) number(name string) float64 {
	n, _ := f[name].(float64)
	return n
}

// told are the figures that the oracle tells, but for those of Crawl-delay, which it tells of some worlds.
var told = lazy.Regexp(`^(schema|lines|blank|unparsed|not_crawlers|other_host|not_judged|partial` +
	`|http_libraries|identity_no_list|totals (requests|evasive|verified_content|fetchers .*)` +
	`|robots_txt (requests|served|none|failed)` +
	`|crawler \d+|.*: (operator|role|requests|(verdicts|reasons|identity|outcomes|violations|rules) .*|evasive` +
	`|grace_informed|informed_known|robots_txt (fetches|first|last|answers .*|gaps|.*_gap_seconds|within_24h)))\s*$`)

// simDifference is a figure that is not as it should be.
type simDifference struct {
	figure    string
	got, want any
}

func (d simDifference) String() string {
	return fmt.Sprintf("%s: got %v, want %v", strings.TrimSpace(d.figure), d.got, d.want)
}

// gravity orders differences: what follows from others comes after them.
func (d simDifference) gravity() int {
	for i, figure := range []string{": verdicts", ": reasons", ": identity", ": violations", ": rules"} {
		if strings.Contains(d.figure, figure) {
			return i
		}
	}
	return 10
}

// compareFigures returns the figures in which a report differs from the truth.
func compareFigures(got, want figures) (found []simDifference) {
	names := maps.Clone(want)
	for name := range got {
		if told().MatchString(name) {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		is := got[name] == want[name]
		if r, ok := want[name].(simRange); ok {
			is = got.number(name) >= r.low && got.number(name) <= r.high
		}
		if !is {
			found = append(found, simDifference{name, got[name], want[name]})
		}
	}
	return found
}

// quantile is that of sorted values; there are several ways to compute one, so anything between the two
// neighbours of the place will do, and a report that keeps no list of all gaps may be off by a hundredth. The
// longest is exact.
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
	return simRange{float64(low) * (1 - off), float64(high) * (1 + off)}
}

// audited runs the command over a world as one log and returns what differs from
// the truth, and the verdicts. It is an error if the command fails.
func audited(t testing.TB, w *simWorld) ([]simDifference, []simVerdict, error) {
	t.Helper()
	got, err := auditedReport(t, w)
	if err != nil {
		return nil, nil, err
	}
	o := newOracle(w)
	return compareFigures(got, o.report()), o.verdicts, nil
}

// auditedReport is the command's report on a world.
func auditedReport(t testing.TB, w *simWorld) (figures, error) {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "access.log")
	write(t, log, simLog(w.requests))
	r := command(t, "", append(w.write(t, dir), log)...)
	if r.code != exitDone && r.code != exitInput {
		return nil, fmt.Errorf("exit code %d, stderr %q", r.code, r.err)
	}
	return figuresOf(r.out)
}

// checkWorld fails the test if the command does not tell the truth of a world, of which it returns the verdicts. It
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
	gravest := slices.MinFunc(found, func(x, y simDifference) int { return x.gravity() - y.gravity() })
	tries := 0
	differs := func(w *simWorld) bool {
		if tries--; tries < 0 {
			return false
		}
		found, _, err := audited(t, w)
		return err == nil && slices.ContainsFunc(found, func(d simDifference) bool {
			return d.figure == gravest.figure
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
	found, _, _ := audited(t, w)
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

// No figure of a report may differ from the truth: no false accusation, and none missed.
func TestAuditEqualsTheTruth(t *testing.T) {
	failed, counts := 0, map[string]int{}
	for seed := range seeds(t, 60) {
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
		if counts[v] < 3 && !testing.Short() {
			t.Errorf("%d requests are %s", counts[v], v)
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
	return withoutInputs(done(t, "", args...).out)
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
	write(t, name, string(content))
	return name
}
