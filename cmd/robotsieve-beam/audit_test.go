package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/internal/test/jobtest"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

// command runs the program, with shards of so many bytes, and returns its outputs and exit code.
func command(t *testing.T, shard int64, args ...string) (out, diagnosis string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = program(shard).Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	return stdout.String(), stderr.String(), code
}

// ended runs the program as command does. Its exit code must be as wanted, and its diagnosis must have a text.
func ended(t *testing.T, code int, says string, shard int64, args ...string) (out, diagnosis string) {
	t.Helper()
	out, diagnosis, got := command(t, shard, args...)
	if got != code || !strings.Contains(diagnosis, says) {
		t.Errorf("%q: code %d, want %d and %q: %s%s", args, got, code, says, diagnosis, out)
	}
	return out, diagnosis
}

// attempts has the work of elements tried in another way until the test ends.
func attempts(t *testing.T, try func(ctx context.Context, work func(context.Context) error) error) {
	was := attempt
	t.Cleanup(func() { attempt = was })
	attempt = try
}

// faults has the work of elements fail, be interrupted and be done twice, at random, until restore
// is called.
func faults(seed uint64) (restore func() (again int64)) {
	was := attempt
	var tries, again atomic.Int64
	attempt = func(ctx context.Context, work func(context.Context) error) error {
		for rng := rand.New(rand.NewPCG(seed, uint64(tries.Add(1)))); ; again.Add(1) {
			switch rng.IntN(4) {
			case 0: // the worker is lost before it says that it is done
				_ = work(ctx)
			case 1: // the bundle is taken from it
				interrupted, cancel := context.WithCancel(ctx)
				context.AfterFunc(ctx, cancel)
				go cancel()
				_ = work(interrupted)
			case 2: // two workers do it at a time
				other := make(chan error)
				go func() { other <- work(ctx) }()
				err := work(ctx)
				return errors.Join(err, <-other)
			default:
				return work(ctx)
			}
		}
	}
	return func() int64 {
		attempt = was
		return again.Load()
	}
}

// logs writes logs of all kinds, and returns the flags of an audit of them.
func logs(t *testing.T, days int) (args []string, set jobtest.Logs) {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	set = jobtest.Write(t, t.TempDir(), days, func(data []byte) []byte { return z.EncodeAll(data, nil) })
	args = []string{"audit", "--policy", set.Policy, "--ip-ranges", set.Ranges, "--since", set.Since, "--samples", "2",
		"--host", set.Hosts[0]}
	return append(args, set.Names...), set
}

// optionsOf are those of an audit of all logs in this process.
func optionsOf(set jobtest.Logs) job.AuditOptions {
	return job.AuditOptions{LogOptions: job.LogOptions{Logs: job.Inputs{Names: set.Names}, Hosts: set.Hosts},
		Judging: job.Judging{Policy: set.Policy, Since: set.Since}, Identity: job.Identity{Ranges: []string{set.Ranges}}, Extracts: job.Extracts{Samples: 2}}
}

// oneAudit is the report of one audit of all logs in this process.
func oneAudit(t *testing.T, set jobtest.Logs) *report.Report {
	t.Helper()
	o := optionsOf(set)
	o.Messages.Word = strings.NewReplacer( // as the program has it
		"option AllowDuplicates", "--allow-duplicates", "option MaxUnparsed", "--max-unparsed",
		"job.Explain", "robotsieve formats --explain").Replace
	a, err := job.Audit(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return a.Report
}

// same compares reports, but for what is of the program and the order of their inputs.
func same(t *testing.T, got, want *report.Report) {
	t.Helper()
	text := func(r report.Report) string {
		r.Program, r.Command = "", ""
		r.Inputs = slices.Clone(r.Inputs)
		for i := range r.Inputs {
			in := &r.Inputs[i]
			in.SHA256 = "" // a range has none
			if in.DuplicateOf != "" {
				in.Format = "" // nobody has asked
			}
		}
		slices.SortFunc(r.Inputs, func(x, y report.InputInfo) int { return cmp.Compare(x.Name, y.Name) })
		b, err := json.MarshalIndent(r, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	g, w := strings.Split(text(*got), "\n"), strings.Split(text(*want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("line %d is %s, and not %s", i, g[max(i-3, 0):i+1], w[max(i-3, 0):i+1])
		}
	}
	if len(g) != len(w) {
		t.Fatalf("%d lines, and not %d", len(g), len(w))
	}
}

// reportOf reads the report that the program has printed as JSON.
func reportOf(t *testing.T, out string) *report.Report {
	t.Helper()
	r := &report.Report{}
	if err := json.Unmarshal([]byte(out), r); err != nil {
		t.Fatalf("%v: %.200s", err, out)
	}
	return r
}

// TestReportIsThatOfOneAudit audits 200 logs on Prism, in shards of many sizes, and with work that
// fails and is done again.
func TestReportIsThatOfOneAudit(t *testing.T) {
	args, set := logs(t, 85)
	if len(set.Names) < 200 {
		t.Fatalf("%d logs", len(set.Names))
	}
	// A copy counts once, wherever it is read.
	copied := set.Names[3] + "-copied.log"
	data, err := os.ReadFile(set.Names[3])
	if err != nil {
		t.Fatal(err)
	}
	set.Names = append(set.Names, write(t, copied, string(data)))
	args = append(args, copied, "--output", "json")
	want := oneAudit(t, set)
	for _, shard := range []int64{8_000, 40_000, 1 << 30} {
		for _, seed := range []uint64{0, 1} {
			restore := func() int64 { return 1 }
			if seed > 0 && shard == 1<<30 {
				continue // there is little to fail
			}
			if seed > 0 {
				restore = faults(seed)
			}
			out, diagnosis := ended(t, 3, "damaged.log.gz", shard, args...)
			if again := restore(); again == 0 || !strings.Contains(diagnosis, "damaged.log.zst") {
				t.Errorf("shards of %d: work was done again %d times: %s", shard, again, diagnosis)
			}
			same(t, reportOf(t, out), want)
		}
	}
}

// TestUsageIsThatOfRobotsieve: options are checked before anything runs, and errors are told as
// robotsieve tells them.
func TestUsageIsThatOfRobotsieve(t *testing.T) {
	t.Cleanup(func() { *runners.Runner = "" }) // flags of Beam are of the process
	args, set := logs(t, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	rows := t.TempDir()
	write(t, filepath.Join(rows, "rows-00000.csv"), "")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"audit", "--robots", "missing.txt", set.Names[0]}, 3, "missing.txt"},
		{append(args, "--since", "yesterday"), 2, "--since"},
		{append(args, "--time-zone", "Local"), 2, "give its name"},
		{append(args, "-"), 2, "standard input"},
		{append(args, "--runner", "flink", "--endpoint", listener.Addr().String()), 2, "--scratch"},
		{append(args, "--runner", "flink"), 2, "--endpoint"},
		{append(args, "--runner", "flink", "--endpoint", "127.0.0.1:1"), 3, "no job service answers"},
		{append(args, "--runner", "Flink"), 2, "not one of prism, flink"},
		{append(args, "--endpoint", "localhost:8099"), 2, "--endpoint"},
		{append(args, "--async"), 2, "--async"},
		{[]string{"filter", "--agent", "GPTBot", "--robots", "x", "--out", "x"}, 2, "no list of URLs"},
		{append(args, "--evidence", "x"), 2, "unknown flag"},
		{append(args, "--list", "violations"), 2, "--out"},
		{append(args, "--out", "x"), 2, "--list"},
		{append(args, "--list", "all", "--out", "x", "--output", "json"), 2, "no --output json"},
		{append(args, "--list", "all", "--out", rows), 2, "--force"},
		{[]string{"audit", "--policy", set.Policy}, 2, "no logs"},
		{[]string{"filter", "--agent", "GPTBot", "--out", "x", "urls.txt"}, 2, "no rules"},
		{[]string{"filter", "--agent", "GPTBot", "--robots", "x", "urls.txt"}, 2, "--out"},
	} {
		_, diagnosis := ended(t, c.code, c.says, 1<<30, c.args...)
		*runners.Runner, *jobopts.Endpoint, *jobopts.Async = "", "", false
		if !strings.HasPrefix(diagnosis, "robotsieve-beam: ") {
			t.Errorf("%s: %s", c.args[len(c.args)-2:], diagnosis)
		}
	}
	out, _ := ended(t, 0, "", 1<<30, "audit", "--robots", "missing.txt", "--help")
	words := strings.Join(strings.Fields(out), "") // help breaks its lines
	if !strings.Contains(out, "--runner") || strings.Contains(out, "autoscaling") ||
		!strings.Contains(words, ":violations|all") || !strings.Contains(words, "oftherows:text|") {
		t.Error(out)
	}
}
