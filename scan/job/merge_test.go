package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/internal/test/jobtest"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/report"
)

// TestInterruptedAuditKeepsTheOldState checks that an interrupted audit keeps an existing state, with a message,
// but replaces it with Force, and writes one if there is none.
func TestInterruptedAuditKeepsTheOldState(t *testing.T) {
	dir := t.TempDir()
	log, state := filepath.Join(dir, "log"), filepath.Join(dir, "state")
	line := `192.0.2.1 - - [18/Nov/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "ExampleBot/1.0"` + "\n"
	if err := os.WriteFile(log, []byte(strings.Repeat(line, 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	o := sampleAudit()
	o.Logs.Names, o.State = []string{log}, state
	if _, err := Audit(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ force, remove, replaced bool }{
		{false, false, false}, {true, false, true}, {false, true, true},
	} {
		if c.remove {
			if err := os.Remove(state); err != nil {
				t.Fatal(err)
			}
		}
		var said []string
		ctx, end := context.WithCancel(t.Context())
		o.Force, o.Messages.Warn = c.force, func(message string) { said = append(said, message) }
		o.Messages.Progress = func(Progress) func() { // the logs begin to be read
			end()
			return func() {}
		}
		_, err := Audit(ctx, o)
		end()
		if kindOf(err) != Interrupted {
			t.Fatalf("%+v: %v", c, err)
		}
		now, err := os.ReadFile(state)
		if err != nil || (string(now) == string(whole)) == c.replaced ||
			strings.Contains(strings.Join(said, ""), "the old state is kept") == c.replaced {
			t.Errorf("%+v: %v, %q", c, err, said)
		}
	}
}

// TestStateFilesThatChange checks that a state that is changed or removed while it is added up is not used.
func TestStateFilesThatChange(t *testing.T) {
	f, err := newStateFile(file(t, "a.state", "headnumber"))
	if err != nil {
		t.Fatal(err)
	}
	var b [6]byte
	if _, err := f.ReadAt(b[:], 4); err != nil || string(b[:]) != "number" {
		t.Errorf("%s, %v", b, err)
	}
	if err := os.WriteFile(f.name, []byte("of another length"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(b[:], 0); err == nil || !strings.Contains(err.Error(), "has changed while it was read") {
		t.Errorf("changed: %v", err)
	}
	if err := os.Remove(f.name); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(b[:], 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed: %v", err)
	}
}

// TestLargeLogInTwoStates checks that merge recognizes a log that is in two states, although no audit has hashed it or
// only one of them, and tells it from another of the same length.
func TestLargeLogInTwoStates(t *testing.T) {
	const n = 10_000
	o, dir := sampleAudit(), t.TempDir()
	state := func(name, line string, hash bool) string {
		log := file(t, name, strings.Repeat(line, n-1))
		if err := os.Truncate(log, maxHashed+1); err != nil {
			t.Fatal(err)
		}
		o.Logs.Names, o.Hash, o.State = []string{log}, hash, filepath.Join(dir, name)
		done, err := Audit(t.Context(), o)
		if err != nil || (done.Report.Inputs[0].SHA256 != "") != hash {
			t.Fatalf("%+v, %v", done.Report.Inputs, err)
		}
		return o.State
	}
	const line = `192.0.2.1 - - [18/Nov/2026:12:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "ExampleBot/1.0"` + "\n"
	once := state("once", line, false)
	for name, want := range map[string]struct {
		line  string
		hash  bool
		lines int64
	}{"again": {line, false, n}, "hashed": {line, true, n}, "other": {strings.Replace(line, "/a", "/b", 1), false, 2 * n}} {
		o := MergeOptions{States: []string{once, state(name, want.line, want.hash)}}
		o.Messages = sampleAudit().Messages
		if sum, err := Merge(t.Context(), o); err != nil || sum.Report.Lines != want.lines {
			t.Errorf("%s: %+v, %v", name, sum, err)
		}
	}
}

// TestStatePartIsBounded checks that a part of a state that exceeds the memory is not read, and that the error says
// how much would suffice.
func TestStatePartIsBounded(t *testing.T) {
	f, err := newStateFile(file(t, "a.state", strings.Repeat("x", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	f.most = 1 << 19
	if n, err := f.ReadAt(make([]byte, 1<<19), 0); n != 1<<19 || err != nil {
		t.Error(n, err)
	}
	if _, err := f.ReadAt(make([]byte, 1<<20), 0); err == nil || !strings.Contains(err.Error(), "option Memory 5MB would do") {
		t.Error(err)
	}
}

// canonicalReport is a report as JSON, whose inputs are in the order of their names.
func canonicalReport(t *testing.T, a *Audited) string {
	t.Helper()
	r := *a.Report
	r.Inputs = slices.Clone(r.Inputs)
	slices.SortFunc(r.Inputs, func(x, y report.InputInfo) int { return cmp.Compare(x.Name, y.Name) })
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintln(a.Partial, string(text))
}

// TestStatesAddUpInAnyTree makes states of several logs each, of all kinds, adds them up in random trees, and
// compares the report with a single audit's.
func TestStatesAddUpInAnyTree(t *testing.T) {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	logs := jobtest.Write(t, t.TempDir(), 12, func(data []byte) []byte { return z.EncodeAll(data, nil) })
	many := AuditOptions{LogOptions: LogOptions{Logs: Inputs{Names: logs.Names}, Hosts: logs.Hosts},
		Judging: Judging{Policy: logs.Policy, Since: logs.Since}, Identity: Identity{Ranges: []string{logs.Ranges}},
		Extracts: Extracts{Samples: 2}, Limits: Limits{Workers: 1}}
	dir := folder(t, map[string]string{"robots.txt": "User-agent: *\nDisallow: /private/\n",
		"many.log": strings.Repeat("rubbish of many bytes\n", 4000), "one.log": "rubbish\n",
		"good.log": `192.0.2.1 - - [09/Nov/2026:10:00:00 +0000] "GET /private/x HTTP/1.1" 200 5 "-" "GPTBot"` + "\n",
		"json.log": `{"time":"2026-11-09T10:00:00","method":"GET","uri":"/private/x",` +
			`"status":200,"user_agent":"GPTBot/1.2","remote_addr":"192.0.2.1"}` + "\n"})
	in := func(format string, unparsed float64, names ...string) AuditOptions {
		o := AuditOptions{LogOptions: LogOptions{Format: format, MaxUnparsed: &unparsed},
			Judging: Judging{Robots: RobotsFile{Name: filepath.Join(dir, "robots.txt")}}}
		for _, name := range names {
			o.Logs.Names = append(o.Logs.Names, filepath.Join(dir, name))
		}
		return o
	}
	for _, c := range []struct {
		name  string
		o     AuditOptions
		trees uint64
		shows []string // in the report
	}{
		{"logs of all kinds", many, 2, []string{"more-unclear.log (", "damaged", `"verified": `, `"violation": 2`}},
		{"no lines that can be parsed", in("combined", 5, "good.log", "many.log", "one.log"), 1,
			[]string{"many.log: none of its 4,000 lines could be parsed as combined", "the first is \\\"rubbish of",
				"its only line could not be parsed"}},
		{"and that is accepted", in("combined", 100, "good.log", "many.log"), 1,
			[]string{"many.log: none of its 4,000 lines could be parsed as combined"}},
		{"notes", in("", 5, "good.log", "json.log"), 1, []string{"name no zone", "may have made of those sent"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole, err := Audit(t.Context(), c.o)
			if err != nil {
				t.Fatal(err)
			}
			want := canonicalReport(t, whole)
			for _, text := range c.shows {
				if !strings.Contains(want, text) {
					t.Errorf("the report of one audit lacks %q:\n%s", text, want)
				}
			}
			for seed := range c.trees {
				if got := canonicalReport(t, addedUp(t, c.o, seed)); got != want {
					t.Errorf("seed %d: another report than of one audit: %s", seed, reporttest.FirstDifference(got, want))
				}
			}
		})
	}
}

// addedUp makes states of a few logs each, and adds them up in a random tree.
func addedUp(t *testing.T, o AuditOptions, seed uint64) *Audited {
	t.Helper()
	dir, rng, made := t.TempDir(), rand.New(rand.NewPCG(seed, 0)), 0
	next := func() string { made++; return filepath.Join(dir, fmt.Sprint(made)) }
	var states []string
	for names := o.Logs.Names; len(names) > 0; {
		n := min(1+rng.IntN(4), len(names))
		o.Logs.Names, o.State, o.NoReport, names = names[:n], next(), true, names[n:]
		if _, err := Audit(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		states = append(states, o.State)
	}
	for {
		rng.Shuffle(len(states), func(i, j int) { states[i], states[j] = states[j], states[i] })
		n := min(2+rng.IntN(5), len(states))
		m := MergeOptions{Results: Results{State: next(), NoReport: n < len(states)}, States: states[:n]}
		a, err := Merge(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if a.Report != nil {
			return a
		}
		states = append(states[n:], m.State)
	}
}
