package job

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/internal/test/jobtest"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// manyLogs writes logs of all kinds, and returns options that audit them by versions of robots.txt
// and lists of addresses.
func manyLogs(t *testing.T) AuditOptions {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	logs := jobtest.Write(t, t.TempDir(), 12, func(data []byte) []byte { return z.EncodeAll(data, nil) })
	return AuditOptions{LogOptions: LogOptions{Logs: Inputs{Names: logs.Names}, Hosts: logs.Hosts},
		Judging: Judging{Policy: logs.Policy, Since: logs.Since}, Identity: Identity{Ranges: []string{logs.Ranges}}, Extracts: Extracts{Samples: 2}}
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
		if strings.Contains(name, "divided") {
			size = 40_000
		}
		ranges, err := Divide(t.Context(), file(), o.Format, size)
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
	slices.SortFunc(r.Inputs, func(x, y report.InputInfo) int { return cmp.Compare(x.Name, y.Name) })
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintln(a.Partial, string(text))
}

// addedUp audits logs in parts, adds their states up in a random tree, and returns the report, and
// the rows of the parts by the facts of the sum.
func addedUp(t *testing.T, o AuditOptions, seed uint64) (_ *Audited, rows []string, _ error) {
	t.Helper()
	side, err := ReadSideFiles(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	parts := partsOf(t, o)
	if len(parts) < len(o.Logs.Names)+1 {
		t.Fatalf("%d parts of %d logs", len(parts), len(o.Logs.Names))
	}
	dir, rng, made := t.TempDir(), rand.New(rand.NewPCG(seed, 0)), 0
	next := func() string { made++; return filepath.Join(dir, fmt.Sprint(made)) }
	var states []string
	var again []func() Inputs   // the logs of the parts
	lines := map[string]int64{} // of the ranges so far, by the names of the logs
	type place struct {
		name string
		from int64
	}
	before := map[place]int64{} // lines before a range
	audit := func(part *Part, logs Inputs) {
		states = append(states, next())
		a, err := Audit(t.Context(), AuditOptions{Results: Results{State: states[len(states)-1], NoReport: true}, LogOptions: LogOptions{Logs: logs},
			Shard: Shard{Side: side, Part: part}, Limits: Limits{Workers: 1}})
		if err != nil {
			t.Fatal(err)
		}
		for i, in := range a.Inputs {
			before[place{in.Name, in.From}] = lines[in.Name]
			lines[in.Name] += a.AllLines[i]
		}
	}
	for at := 0; at < len(parts); {
		n := min(1+rng.IntN(4), len(parts)-at)
		mine := parts[at : at+n]
		logs := func() (logs Inputs) {
			for _, part := range mine {
				in := part()
				if r := in.Range(); r.To > 0 {
					r.Line = before[place{in.Name, r.From}]
					if in, err = source.NewRange(in.Name, r); err != nil {
						t.Fatal(err)
					}
				}
				logs.Opened = append(logs.Opened, in)
			}
			return logs
		}
		audit(&Part{}, logs())
		again = append(again, logs)
		at += n
	}
	audit(&Part{}, Inputs{}) // of no lines
	for {
		rng.Shuffle(len(states), func(i, j int) { states[i], states[j] = states[j], states[i] })
		n := min(2+rng.IntN(5), len(states))
		m := MergeOptions{Results: Results{State: next(), NoReport: n < len(states)}, States: states[:n], Parts: true}
		a, err := Merge(t.Context(), m)
		if err != nil {
			return nil, nil, err
		}
		if a.Report != nil {
			facts := next()
			if err := WriteFacts(t.Context(), m.State, facts, 0); err != nil {
				t.Fatal(err)
			}
			for _, logs := range again {
				rows = append(rows, rowsOf(t, AuditOptions{LogOptions: LogOptions{Logs: logs()},
					Shard: Shard{Side: side, Part: &Part{}, Facts: facts}})...)
			}
			return a, rows, nil
		}
		states = append(states[n:], m.State)
	}
}

// rowsOf audits logs and returns the rows of all requests.
func rowsOf(t *testing.T, o AuditOptions) []string {
	t.Helper()
	var b bytes.Buffer
	o.Rows = &Rows{To: &b, Appender: func() func([]byte, *audit.Event, string) []byte {
		return func(rows []byte, j *audit.Event, input string) []byte {
			shown := j.Request
			shown.Address, shown.Method, shown.Target = nil, nil, nil
			return fmt.Appendf(rows, "%s:%06d %q %q %q %q %+v %+v %+v %d\n", input, j.Number, j.Line, j.Address, j.Method, j.Target,
				shown, j.Client, j.Decision, j.N)
		}
	}}
	a, err := Audit(t.Context(), o)
	if err != nil || o.Facts != "" && a.Report != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(b.String(), "\n"), func(row string) bool { return row == "" })
}

// TestPartsAddUpInAnyTree audits logs in parts, adds their states up in random trees, and compares
// the report, and the rows of all parts, with those of one audit.
func TestPartsAddUpInAnyTree(t *testing.T) {
	logLines := func(n int, agent string) string {
		const line = `192.0.2.1 - - [09/Nov/2026:10:00:00 +0000] "GET /private/x HTTP/1.1" 200 5 "-" %q` + "\n"
		return strings.Repeat(fmt.Sprintf(line, agent), n)
	}
	// few are options for some logs, by their names.
	few := func(t *testing.T, logs map[string]string) AuditOptions {
		logs["robots.txt"] = "User-agent: *\nDisallow: /private/\n"
		dir := folder(t, logs)
		o := AuditOptions{Judging: Judging{Robots: RobotsFile{Name: filepath.Join(dir, "robots.txt")}}}
		for _, name := range slices.Sorted(maps.Keys(logs)) {
			if name != "robots.txt" {
				o.Logs.Names = append(o.Logs.Names, filepath.Join(dir, name))
			}
		}
		return o
	}
	all := 100.0
	noLines := func(t *testing.T) AuditOptions {
		o := few(t, map[string]string{"divided.log": strings.Repeat("rubbish of many bytes\n", 4000),
			"one.log": "rubbish\n", "good.log": logLines(9, "GPTBot")})
		o.Format = "combined"
		return o
	}
	for _, c := range []struct {
		name    string
		options func(t *testing.T) AuditOptions
		trees   uint64
		shows   []string // in the report
	}{
		{"many logs", manyLogs, 2, []string{"more-unclear.log (", "damaged", `"verified": `, `"violation": 2`}},
		{"no lines that can be parsed", noLines, 1, []string{"divided.log: none of its 4,000 lines could be parsed as " +
			"combined", "the first is \\\"rubbish of", "its only line could not be parsed"}},
		{"and that is accepted", func(t *testing.T) AuditOptions {
			o := noLines(t)
			o.MaxUnparsed = &all
			return o
		}, 1, []string{"divided.log: none of its 4,000 lines could be parsed as combined"}},
		{"sites of logs", func(t *testing.T) AuditOptions {
			o := few(t, map[string]string{"access.log": logLines(9, "GPTBot"), "old/access.log": logLines(8, "CCBot"),
				"divided.log": logLines(800, "GPTBot"), "other.log": logLines(7, "GPTBot")})
			t.Chdir(filepath.Dir(o.Robots.Name))
			o.Hosts = []string{"http://a.example=access.log", "http://b.example=old/*.log"}
			return o
		}, 2, []string{"divided.log, ", "other.log, whose lines name no host either"}},
		{"notes", func(t *testing.T) AuditOptions {
			return few(t, map[string]string{"divided.log": logLines(800, "GPTBot"),
				"iis.log": "#Fields: date time cs-method cs-uri-stem sc-status cs(User-Agent) c-ip\n2026-11-09 10:00:00 " +
					"GET /private/ 200 GPTBot/1.2 192.0.2.1\n",
				"json.log": `{"time":"2026-11-09T10:00:00","method":"GET","uri":"/private/x",` +
					`"status":200,"user_agent":"GPTBot/1.2","remote_addr":"192.0.2.1"}` + "\n"})
		}, 1, []string{"name no zone", "may have made of those sent"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := c.options(t)
			whole, err := Audit(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			want := canonicalReport(t, whole)
			for _, text := range c.shows {
				if !strings.Contains(want, text) {
					t.Errorf("the report of one audit lacks %q:\n%s", text, want)
				}
			}
			wantRows := rowsOf(t, o)
			slices.Sort(wantRows)
			if testing.Short() {
				c.trees = 1
			}
			for seed := range c.trees {
				a, rows, err := addedUp(t, o, seed)
				if err != nil {
					t.Fatal(err)
				}
				if got := canonicalReport(t, a); got != want {
					t.Fatalf("seed %d: another report than of one audit:\n%s", seed, firstDifference(got, want))
				}
				if slices.Sort(rows); !slices.Equal(rows, wantRows) {
					t.Fatalf("seed %d: other rows than of one audit:\n%s", seed,
						firstDifference(strings.Join(rows, "\n"), strings.Join(wantRows, "\n")))
				}
			}
		})
	}
}

// TestPartsSayWhatTheirCallerKnows gives a part what its caller has found by comparing all logs.
func TestPartsSayWhatTheirCallerKnows(t *testing.T) {
	packed := string(source.AppendMember(nil, []byte(
		`192.0.2.1 - - [09/Nov/2026:10:00:00 +0000] "GET /private/x HTTP/1.1" 200 5 "-" "GPTBot"`+"\n")))
	dir := folder(t, map[string]string{"1.gz": packed, "2.gz": packed,
		"robots.txt": "User-agent: *\nDisallow: /private/\n"})
	one, other, missing := filepath.Join(dir, "1.gz"), filepath.Join(dir, "2.gz"), filepath.Join(dir, "3.gz")
	o := AuditOptions{LogOptions: LogOptions{Logs: Inputs{Names: []string{one, other, missing}}},
		Judging: Judging{Robots: RobotsFile{Name: filepath.Join(dir, "robots.txt")}}}
	side, err := ReadSideFiles(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	// sum is the report of a part with these logs and one without any.
	sum := func(side *SideFiles, known *Part, logs ...string) (*Audited, error) {
		var states []string
		for i, o := range []AuditOptions{
			{Shard: Shard{Part: &Part{}}, LogOptions: logsOf(logs...)}, {Shard: Shard{Part: known}},
		} {
			if i == 0 {
				o.Part.Copies = known.Copies
			}
			o.Side, o.State, o.NoReport, o.Force = side, filepath.Join(dir, fmt.Sprint("state", i)), true, true
			a, err := Audit(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Inputs) == 0 {
				t.Errorf("no inputs of part %d", i)
			}
			states = append(states, o.State)
		}
		told = nil
		return Merge(t.Context(),
			MergeOptions{Results: Results{Messages: Messages{Warn: func(w string) { told = append(told, w) }}}, States: states,
				Parts: true})
	}
	for _, counted := range []bool{false, true} {
		o.AllowDuplicates = counted
		whole, err := Audit(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		known, logs := &Part{Warnings: []string{CopyWarning(other, one, counted)}}, []string{one}
		for _, in := range whole.Inputs {
			if in.Error != "" || in.DuplicateOf != "" && !counted {
				known.Unread = append(known.Unread, in)
			}
		}
		if counted {
			known.Copies, logs = map[string]string{other: one}, append(logs, other)
		}
		a, err := sum(side, known, logs...)
		if err != nil {
			t.Fatal(err)
		}
		if len(told) != 2 || !strings.Contains(told[0], "same content") || !strings.Contains(told[1], missing) {
			t.Errorf("counted %v: the warnings are %q", counted, told)
		}
		if want, got := canonicalReport(t, whole), canonicalReport(t, a); got != want ||
			!strings.Contains(want, "has the same content as") || !a.Partial {
			t.Errorf("counted %v: another report than of one audit:\n%s", counted, firstDifference(got, want))
		}
	}
	o.Hosts = []string{"http://a.example=2.gz", "http://a.example=4.gz"}
	if side, err = ReadSideFiles(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if _, err := sum(side, &Part{Unread: []report.InputInfo{{Name: missing, Error: "is missing"}}}, one,
		other); !errors.As(err, &e) || e.Kind != Usage || !strings.Contains(err.Error(), "4.gz") {
		t.Errorf("a pattern that names no log: %v", err)
	}
}

// TestMissingRangeIsTold adds up only some ranges of a log.
func TestMissingRangeIsTold(t *testing.T) {
	o, state := manyLogs(t), filepath.Join(t.TempDir(), "state")
	o.Logs.Names = slices.DeleteFunc(o.Logs.Names, func(name string) bool { return !strings.Contains(name, "divided") })
	side, err := ReadSideFiles(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var logs Inputs
	for i, part := range partsOf(t, o) {
		if i != 1 {
			logs.Opened = append(logs.Opened, part())
		}
	}
	if _, err := Audit(t.Context(), AuditOptions{Results: Results{State: state, NoReport: true}, LogOptions: LogOptions{Logs: logs},
		Shard: Shard{Side: side, Part: &Part{}}}); err != nil {
		t.Fatal(err)
	}
	a, err := Merge(t.Context(), MergeOptions{States: []string{state}, Parts: true})
	if err != nil {
		t.Fatal(err)
	}
	if in := a.Inputs; !a.Partial || !a.Report.Partial || len(in) != 2 || in[1].To != in[1].Of ||
		!strings.Contains(in[0].Error, "divided.log: only its bytes 0 to ") {
		t.Errorf("partial %v: %+v", a.Partial, in)
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
