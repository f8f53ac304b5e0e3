package job

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/job/jobtest"
	"github.com/robotsieve/robotsieve/scan/source"
)

// manyLogs writes logs of all kinds, and returns options that audit them by versions of robots.txt and lists of addresses.
func manyLogs(t *testing.T) AuditOptions {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	logs := jobtest.Write(t, t.TempDir(), 12, func(data []byte) []byte { return z.EncodeAll(data, nil) })
	return AuditOptions{
		Logs: Inputs{Names: logs.Names}, Policy: logs.Policy, Ranges: []string{logs.Ranges}, Hosts: logs.Hosts, Since: logs.Since, Samples: 2,
	}
}

// partsOf are inputs, one for each part of the logs: a log, or a range of one.
func partsOf(t *testing.T, o AuditOptions) (parts []func() *source.Input) {
	t.Helper()
	for _, name := range o.Logs.Names {
		file := func() *source.Input {
			in, err := source.NewFile(name)
			if err != nil {
				t.Fatal(err)
			}
			return in
		}
		size := int64(1 << 30)
		if strings.Contains(name, "large") {
			size = 40_000
		}
		ranges, err := Divide(t.Context(), file(), "", size)
		if err != nil {
			t.Fatal(err)
		}
		if len(ranges) == 0 {
			parts = append(parts, file)
		}
		for _, r := range ranges {
			parts = append(parts, func() *source.Input {
				in, err := source.NewRange(name, r)
				if err != nil {
					t.Fatal(err)
				}
				return in
			})
		}
	}
	return parts
}

// canonicalReport is a report as JSON, whose inputs are in the order of their names.
func canonicalReport(t *testing.T, a *Audited) string {
	t.Helper()
	r := *a.Report
	r.Inputs = slices.Clone(r.Inputs)
	for i := range r.Inputs {
		r.Inputs[i].SHA256 = "" // a range has none
	}
	slices.SortFunc(r.Inputs, func(x, y audit.InputInfo) int { return cmp.Compare(x.Name, y.Name) })
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintln(a.Partial, string(text))
}

// TestPartsAddUpInAnyTree audits logs in parts, adds their states up in random trees, and compares the report with that of one audit.
func TestPartsAddUpInAnyTree(t *testing.T) {
	o := manyLogs(t)
	whole, err := Audit(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := canonicalReport(t, whole)
	if !strings.Contains(want, "more-unclear.log (") || !strings.Contains(want, "damaged") || !strings.Contains(want, "ContestedRule") && !strings.Contains(want, `"verified": `) {
		t.Errorf("the logs show too little:\n%s", want)
	}
	side, err := ReadSideFiles(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	parts := partsOf(t, o)
	if len(parts) < len(o.Logs.Names)+3 {
		t.Fatalf("%d parts of %d logs", len(parts), len(o.Logs.Names))
	}
	for seed := range uint64(6) {
		dir, rng, made := t.TempDir(), rand.New(rand.NewPCG(seed, 0)), 0
		next := func() string { made++; return filepath.Join(dir, fmt.Sprint(made)) }
		var states []string
		for at := 0; at < len(parts); {
			n := min(1+rng.IntN(4), len(parts)-at)
			var logs Inputs
			for _, part := range parts[at : at+n] {
				logs.Opened = append(logs.Opened, part())
			}
			at += n
			state := next()
			if _, err := Audit(t.Context(), AuditOptions{Logs: logs, Side: side, Part: &Part{}, State: state, NoReport: true, Workers: 1}); err != nil {
				t.Fatal(err)
			}
			states = append(states, state)
		}
		for {
			rng.Shuffle(len(states), func(i, j int) { states[i], states[j] = states[j], states[i] })
			n := min(2+rng.IntN(5), len(states))
			m := MergeOptions{States: states[:n], Parts: true, State: next(), NoReport: n < len(states)}
			a, err := Merge(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			if a.Report != nil {
				if got := canonicalReport(t, a); got != want {
					t.Fatalf("seed %d: another report than of one audit:\n%s", seed, firstDifference(got, want))
				}
				break
			}
			states = append(states[n:], m.State)
		}
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is %s, and not %s", i, g[max(i-2, 0):i+1], w[max(i-2, 0):i+1])
		}
	}
	return fmt.Sprintf("%d lines, and not %d", len(g), len(w))
}
