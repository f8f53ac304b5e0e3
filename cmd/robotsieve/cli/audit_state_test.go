package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A report of hours of reading is not lost because its state could not be
// written.
func TestReportIsPrintedWhereTheStateCannotBeWritten(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	dir := filepath.Join(t.TempDir(), "dir")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	// The folder is there when the flags are checked, and gone when the log has been read.
	in := &vanishing{strings.NewReader(logLine("/p", "GPTBot/1")), dir}
	var out, diag strings.Builder
	code := run(t.Context(), []string{"audit", "--robots", robots, "--output", "json", "--fail-on", "violation>0",
		"--state", filepath.Join(dir, "a.state"), "-"}, streams{in: in, out: &out, err: &diag})
	r := result{out.String(), diag.String(), code}
	if report := auditJSON(t, r); code != exitInput || report["lines"] != 1.0 || !strings.Contains(r.err, "a.state") || strings.Contains(r.err, "--fail-on") {
		t.Errorf("code %d, %v lines, stderr %q", code, report["lines"], r.err)
	}
}

// vanishing removes a folder when it is read.
type vanishing struct {
	*strings.Reader
	dir string
}

func (v *vanishing) Read(p []byte) (int, error) {
	os.RemoveAll(v.dir)
	return v.Reader.Read(p)
}

func TestStateIsRefusedBeforeAnythingIsRead(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	dir := t.TempDir()
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no such folder": {[]string{"--state", filepath.Join(dir, "none", "a.state")}, exitInput, "none"},
		"a folder":       {[]string{"--state", dir}, exitInput, dir},
		"with --resolve": {[]string{"--state", filepath.Join(dir, "a.state"), "--resolve"}, exitUsage, "--resolve has no effect on a state"},
	} {
		t.Run(name, func(t *testing.T) {
			in := &vanishing{strings.NewReader(logLine("/p", "GPTBot/1")), ""}
			var out, diag strings.Builder
			code := run(t.Context(), append([]string{"audit", "--robots", robots, "-"}, c.args...), streams{in: in, out: &out, err: &diag})
			if code != c.code || !strings.Contains(diag.String(), c.says) || out.Len() > 0 {
				t.Errorf("code %d, stdout %q, stderr %q; want %d and %q", code, out.String(), diag.String(), c.code, c.says)
			}
			if in.Len() == 0 {
				t.Error("the log was read")
			}
		})
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestStateReplacesNoInput: a state is not written over a file that is to be read.
func TestStateReplacesNoInput(t *testing.T) {
	rules, line := "user-agent: *\ndisallow: /p\n", logLine("/p", "GPTBot/1")
	robots, log, names := file(t, "robots.txt", rules), file(t, "a.log", line), file(t, "names", "192.0.2.1\ta.example\tyes\n")
	for _, state := range []string{robots, log, names} {
		r := command(t, "", "audit", "--robots", robots, "--resolved-names", names, "--state", state, filepath.Dir(log))
		if r.code != exitUsage || !strings.Contains(r.err, "--state "+state+" would replace "+state+", which is to be read") {
			t.Errorf("%s: %+v", state, r)
		}
	}
	for name, want := range map[string]string{robots: rules, log: line} {
		if got, err := os.ReadFile(name); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// makeState writes the state of an audit.
func makeState(t testing.TB, args ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.state")
	if r := runCommand(t, append([]string{"audit", "--state", name}, args...)); r.code != exitDone {
		t.Fatalf("%v: %+v", args, r)
	}
	return name
}

func TestMergeIsTheReportOfOneRunWithAllFlags(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ncrawl-delay: 2\ndisallow: /p\n")
	policy := manifest(t, map[string]string{"a.txt": "user-agent: *\ndisallow: /p\n", "b.txt": "user-agent: *\ndisallow: /p\ndisallow: /q\n"},
		"2026-11-01T00:00:00Z,https://example.com,200,a.txt", "2026-11-10T12:00:00Z,https://example.com,200,b.txt", "2026-11-11T00:00:00Z,https://example.com,503,")
	crawlers := file(t, "mine.json", `[{"name":"MyBot","operator":"Me","category":"other","words":["MyBot","My Crawler"],"tokens":["MyBot"],"obeys":"yes"}]`)
	ranges := file(t, "google.txt", "66.249.64.0/27\n")
	names := file(t, "names.tsv", "192.0.2.9\tcrawl-9.googlebot.com\ttrue\n")
	var log []string
	for i := range 300 {
		agent := []string{googleAgent, "GPTBot/1", "MyBot/2", "My Crawler", fmt.Sprintf("New%d-Bot/1 (+http://x.example)", i), "Firefox/1", "b\xe4d-bot\xff/1 (+http://x.example)"}[i%7]
		path := []string{"/p", "/q", "/robots.txt", "/", "http://b\xfccher.example/x"}[i%5]
		line := logLineFrom([]string{"192.0.2.9", "66.249.64.3", "10.0.0.1", "198.51.100.1"}[i%4], path, agent)
		line = strings.Replace(line, "12:00:00", fmt.Sprintf("%02d:%02d:00", i%24, i%60), 1)
		log = append(log, strings.TrimSuffix(line, "\n")+` "203.0.113.5, 66.249.64.7"`+"\n")
		if i%50 == 0 {
			log = append(log, fmt.Sprintf("\xff\xfe junk \x00 %d\n", i))
		}
	}
	whole := file(t, "whole.log", strings.Join(log, ""))
	one, two := file(t, "one.log", strings.Join(log[:100], "")), file(t, "two.log", strings.Join(log[100:], ""))
	for name, args := range map[string][]string{
		"robots":       {"--robots", robots},
		"samples":      {"--robots", robots, "--samples", "3"},
		"policy":       {"--policy", policy, "--host", "https://example.com", "--window", "36h", "--delay", "4h", "--skew", "11m"},
		"period":       {"--policy", policy, "--host", "https://example.com", "--since", "2026-11-10T06:00:00Z", "--until", "2026-11-10T20:00:00Z"},
		"past limit":   {"--robots", file(t, "long.txt", "user-agent: *\ndisallow: /p\n#\nallow: /p\n"), "--max-bytes", "30"},
		"crawlers":     {"--robots", robots, "--crawlers", crawlers},
		"ranges":       {"--robots", robots, "--ip-ranges", "Googlebot=" + ranges + "@2026-11-10", "--resolved-names", names},
		"behind proxy": {"--robots", robots, "--ip-ranges", "Googlebot=" + ranges, "--client-ip", "xff:-1"},
		"trusted":      {"--robots", robots, "--ip-ranges", "Googlebot=" + ranges, "--client-ip", "xff", "--trusted-proxies", "192.0.2.0/24"},
		"everything": {"--policy", policy, "--host", "https://example.com", "--crawlers", crawlers, "--ip-ranges", "Googlebot=" + ranges, "--samples", "2",
			"--assume-constant", "--history", "observed", "--sampled", "1/10", "--dialect", "google", "--max-bytes", "40", "--ranges-max-age", "7d"},
	} {
		for _, output := range []string{"json", "full"} {
			args := append(args, "--output", output)
			want := runCommand(t, append(slices.Concat([]string{"audit"}, args), whole))
			if want.code != exitDone {
				t.Fatalf("%s: %+v", name, want)
			}
			got := runCommand(t, []string{"merge", "--output", output, makeState(t, append(slices.Clone(args), two)...), makeState(t, append(slices.Clone(args), one)...)})
			if got.code != exitDone || withoutInputs(got.out, output) != withoutInputs(want.out, output) {
				t.Errorf("%s: code %d, stderr %q, the report differs at %s", name, got.code, got.err, firstDifference(withoutInputs(got.out, output), withoutInputs(want.out, output)))
			}
		}
	}
}

// States judged by other files or flags do not add up.
func TestMergeRefusesStatesJudgedOtherwise(t *testing.T) {
	robots, log := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), file(t, "a.log", logLine("/p", "GPTBot/1"))
	other := file(t, "robots.txt", "user-agent: *\ndisallow: /q\n")
	crawlers := file(t, "mine.json", `[{"name":"MyBot","operator":"Me","category":"other","words":["MyBot"],"tokens":["MyBot"],"obeys":"yes"}]`)
	ranges := file(t, "google.txt", "66.249.64.0/27\n")
	names := file(t, "names.tsv", "192.0.2.9\tcrawl-9.googlebot.com\ttrue\n")
	policy := manifest(t, map[string]string{"a.txt": "user-agent: *\ndisallow: /p\n"}, "2026-11-01T00:00:00Z,https://example.com,200,a.txt")
	base := slices.Clip([]string{"--robots", robots})
	first := makeState(t, append(base, log)...)
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"robots.txt":     {[]string{"--robots", other}, "the robots.txt itself"},
		"policy":         {[]string{"--policy", policy, "--host", "https://example.com"}, "the flag that names robots.txt: --robots and --policy"},
		"host":           {append(base, "--host", "https://example.com"), "--host none and https://example.com"},
		"window":         {append(base, "--window", "48h"), "--window 24h and 48h"},
		"delay":          {append(base, "--delay", "4h"), "--delay 3h and 4h"},
		"skew":           {append(base, "--skew", "20m"), "--skew 10m and 20m"},
		"samples":        {append(base, "--samples", "1"), "--samples 0 and 1"},
		"dialect":        {append(base, "--dialect", "google"), "--dialect auto and google"},
		"limit":          {append(base, "--max-bytes", "90"), "--max-bytes 512000 and 90"},
		"crawlers":       {append(base, "--crawlers", crawlers), "the crawlers known, by --crawlers or by the program's version"},
		"ranges":         {append(base, "--ip-ranges", "Googlebot="+ranges), "the lists of --ip-ranges"},
		"age of ranges":  {append(base, "--ranges-max-age", "7d"), "--ranges-max-age 365 days and 7 days"},
		"names":          {append(base, "--resolved-names", names), "--resolved-names none and given"},
		"client":         {append(base, "--client-ip", "xff:-1"), "--client-ip addr and xff:-1"},
		"how it sampled": {append(base, "--sampled", "1/2"), "--sampled none and 1/2"},
		"since":          {append(base, "--since", "2026-11-10"), "--since none and 2026-11-10T00:00:00Z"},
		"until":          {append(base, "--until", "2026-11-11T01:00:00+01:00"), "--until none and 2026-11-11T00:00:00Z"},
	} {
		second := makeState(t, append(slices.Clone(c.args), log)...)
		r := command(t, "", "merge", first, second)
		want := first + " and " + second + ": judged by other files or flags, so the two do not add up; they differ in " + c.says + "\n"
		if r.code != exitInput || !strings.HasSuffix(r.err, want) || r.out != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	// The same names, and yet others.
	if err := os.WriteFile(robots, []byte("user-agent: *\ndisallow: /z\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if r := command(t, "", "merge", first, makeState(t, append(base, log)...)); r.code != exitInput || !strings.HasSuffix(r.err, "they differ in the robots.txt itself\n") {
		t.Errorf("%+v", r)
	}
	// Of the versions' history, too.
	one := []string{"--policy", policy, "--host", "https://example.com"}
	for flag, says := range map[string]string{"--assume-constant": "--assume-constant false and true", "--history=observed": "--history deployed and observed"} {
		r := command(t, "", "merge", makeState(t, append(one, log)...), makeState(t, append(one, flag, log)...))
		if r.code != exitInput || !strings.HasSuffix(r.err, "they differ in "+says+"\n") {
			t.Errorf("%s: %+v", flag, r)
		}
	}
}

// Lists of another day under the name of yesterday's are other lists.
func TestMergeRefusesOtherListsOfTheSameName(t *testing.T) {
	robots, log := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), file(t, "a.log", logLine("/p", "GPTBot/1"))
	for flag, c := range map[string]struct{ prefix, monday, tuesday string }{
		"--ip-ranges":      {"Googlebot=", "66.249.64.0/27\n", "66.249.65.0/27\n"},
		"--resolved-names": {"", "192.0.2.1\ta.googlebot.com\ttrue\n", "192.0.2.2\ta.googlebot.com\ttrue\n"},
	} {
		list := file(t, "list.txt", c.monday)
		args := []string{"--robots", robots, flag, c.prefix + list, log}
		first, again := makeState(t, args...), makeState(t, args...)
		if err := os.WriteFile(list, []byte(c.tuesday), 0o666); err != nil {
			t.Fatal(err)
		}
		if r := command(t, "", "merge", first, again); r.code != exitDone {
			t.Errorf("%s: %+v", flag, r)
		}
		if r := command(t, "", "merge", first, makeState(t, args...)); r.code != exitInput || !strings.Contains(r.err, "judged by other files or flags") {
			t.Errorf("%s: %+v", flag, r)
		}
	}
}

// Nothing is counted twice without a word.
func TestMergeOfWhatIsGivenTwice(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	log, log2 := file(t, "a.log", logLine("/p", "GPTBot/1")), file(t, "b.log", logLine("/p", "GPTBot/2"))
	empty := file(t, "empty.log", "")
	a := makeState(t, "--robots", robots, log, empty)
	link := filepath.Join(t.TempDir(), "link.state")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	copied := file(t, "copied.log", logLine("/p", "GPTBot/1"))
	third := file(t, "c.log", logLine("/p", "GPTBot/3"))
	b, both := makeState(t, "--robots", robots, log2, empty), makeState(t, "--robots", robots, log2, log)
	again := makeState(t, "--robots", robots, copied)
	for name, c := range map[string]struct {
		states []string
		lines  float64
		says   string
	}{
		"another":              {[]string{a, b}, 2, ""},
		"the same":             {[]string{a, a}, 1, "are one file, which is counted once"},
		"a link":               {[]string{link, a}, 1, "are one file, which is counted once"},
		"a copy of the log":    {[]string{a, again}, 1, again + ": all its inputs are in " + a + " too: not counted (--allow-duplicates counts it)"},
		"the copy first":       {[]string{again, a}, 1, a + ": all its inputs are in " + again + " too: not counted"},
		"a copy, asked for":    {[]string{"--allow-duplicates", a, again}, 2, "copied.log, of 82 bytes, is in " + a + " and in " + again + ": its lines are counted twice"},
		"a part of the sum":    {[]string{a, both}, 2, a + ": all its inputs are in " + both + " too: not counted"},
		"two parts of the sum": {[]string{both, a, b}, 2, b + ": all its inputs are in " + both + " too: not counted"},
		"a log in common":      {[]string{both, makeState(t, "--robots", robots, third, log)}, 4, "a.log, of 82 bytes, is in " + both},
	} {
		r := command(t, "", append([]string{"merge", "--output", "json"}, c.states...)...)
		report := auditJSON(t, r)
		warnings := fmt.Sprint(report["warnings"])
		if r.code != exitDone || report["lines"] != c.lines || !strings.Contains(r.err, c.says) || c.says == "" && r.err != "" ||
			strings.Contains(c.says, "all its inputs") && !strings.Contains(warnings, c.says) {
			t.Errorf("%s: code %d, %v lines, stderr %q, warnings %s", name, r.code, report["lines"], r.err, warnings)
		}
	}
}

// rehead replaces the head of a state, with a checksum that is right.
func rehead(state []byte, head []byte) []byte {
	magic := bytes.IndexByte(state, '\n') + 1
	n := int(binary.BigEndian.Uint64(state[magic:]))
	b := binary.BigEndian.AppendUint64(slices.Clone(state[:magic]), uint64(len(head)))
	b = append(b, head...)
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(head, crc32.MakeTable(crc32.Castagnoli)))
	return append(b, state[magic+8+n+4:]...)
}

func headOf(state []byte) []byte {
	magic := bytes.IndexByte(state, '\n') + 1
	return state[magic+8:][:binary.BigEndian.Uint64(state[magic:])]
}

// TestMergeOfALogAndItsCompressedCopy: the hashes differ, but the figures tell.
func TestMergeOfALogAndItsCompressedCopy(t *testing.T) {
	robots, line := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), logLine("/p", "GPTBot/1")
	state := func(name, content string) string { return makeState(t, "--robots", robots, file(t, name, content)) }
	plain, packed, other := state("a.log", line), state("a.log.gz", compressed(t, line)), state("b.log.gz", compressed(t, line+line))
	const says = "have as many lines and bytes, decompressed: if they are one log, its lines are counted twice"
	for name, c := range map[string]struct {
		states []string
		want   bool
	}{"both": {[]string{plain, other, packed}, true}, "one": {[]string{plain, other}, false}} {
		r := command(t, "", append([]string{"merge", "--full"}, c.states...)...)
		if r.code != exitDone || strings.Contains(r.err, says) != c.want || strings.Contains(strings.Join(strings.Fields(r.out), " "), says) != c.want {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestMergeOfDamage(t *testing.T) {
	policy := manifest(t, map[string]string{"a.txt": "user-agent: *\ndisallow: /p\n"}, "2026-11-01T00:00:00Z,https://example.com,200,a.txt")
	log := file(t, "a.log", logLine("/p", "GPTBot/1")+logLine("/robots.txt", "GPTBot/1"))
	name := makeState(t, "--policy", policy, "--host", "https://example.com", log)
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad.state")
	refused := func(what string, state []byte) {
		t.Helper()
		if err := os.WriteFile(bad, state, 0o666); err != nil {
			t.Fatal(err)
		}
		if r := runCommand(t, []string{"merge", bad}); r.code != exitInput || r.out != "" || !strings.Contains(r.err, "bad.state") {
			t.Errorf("%s: %+v", what, r)
		}
	}
	places := []int{0, 5, 18, 19, 20, 26, 27, 28, 29}
	rest := bytes.IndexByte(good, '\n') + 1 + 8 + len(headOf(good))
	step := 7
	if testing.Short() {
		step = 50
	}
	for i := rest - 10; i < len(good); i += step {
		places = append(places, i)
	}
	for i := 30; i < rest; i += rest / 30 {
		places = append(places, i)
	}
	for _, i := range places {
		flipped := slices.Clone(good)
		flipped[i] ^= 1 << (i % 8)
		refused(fmt.Sprintf("byte %d of %d flipped", i, len(good)), flipped)
		refused(fmt.Sprintf("%d of %d bytes", i, len(good)), good[:i])
	}
	refused("a byte more", append(slices.Clip(good), 'x'))

	var head map[string]any
	if err := json.Unmarshal(headOf(good), &head); err != nil {
		t.Fatal(err)
	}
	basis := head["Basis"].(map[string]any)["Basis"].(map[string]any)
	for key, values := range map[string][]any{
		"Constant": {true}, "Rows": {nil, []any{}, []any{map[string]any{"Origins": []string{"https://example.com"}, "Status": 200, "Body": 7}}, []any{map[string]any{"Body": -5}}},
		"Window": {0, -1, int64(1 << 62)}, "Dialect": {"", "bing"}, "Profiles": {nil, []any{map[string]any{}}, []any{map[string]any{"name": "x", "control": true}}},
		"Hosts": {[]string{"not a host"}, []string{"https://other.example"}}, "Samples": {-1, "x"}, "Bodies": {nil},
	} {
		for _, value := range values {
			was := basis[key]
			basis[key] = value
			changed, err := json.Marshal(head)
			if err != nil {
				t.Fatal(err)
			}
			refused(fmt.Sprintf("%s is %v", key, value), rehead(good, changed))
			basis[key] = was
		}
	}
	for _, text := range []string{"", "{", "null", "{}", `{"Basis":null}`, `{"Basis":[]}`} {
		refused("head "+text, rehead(good, []byte(text)))
	}
}

// TestSumOfDamageReplacesNoState: damage that is found only when the report is made.
func TestSumOfDamageReplacesNoState(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	name := makeState(t, "--robots", robots, file(t, "a.log", logLine("/p", "GPTBot/1")))
	state, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	// The tally of a state without its records.
	empty, err := os.ReadFile(makeState(t, "--robots", robots, file(t, "b.log", "")))
	if err != nil {
		t.Fatal(err)
	}
	records := func(b []byte) int { // after the first line, the head and the tally
		at := bytes.IndexByte(b, '\n') + 1
		for range 2 {
			at += 8 + int(binary.BigEndian.Uint64(b[at:])) + 4
		}
		return at
	}
	bad := file(t, "bad.state", string(state[:records(state)])+string(empty[records(empty):]))
	sum := file(t, "sum.state", string(state))
	if r := command(t, "", "merge", "--state", sum, bad); r.code != exitInput || r.out != "" || !strings.Contains(r.err, "the state is damaged: its numbers do not add up") {
		t.Fatalf("%+v", r)
	}
	if got, err := os.ReadFile(sum); err != nil || !bytes.Equal(got, state) {
		t.Error("the sum of a damaged state has replaced another", err)
	}
	if r := command(t, "", "merge", "--state", sum, name); r.code != exitDone {
		t.Fatalf("%+v", r)
	}
}

func TestMergeOfWhatIsNoState(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		arg, says string
	}{
		"missing": {filepath.Join(dir, "none.state"), "none.state"},
		"folder":  {dir, dir + ": not the state of an audit"},
		"empty":   {file(t, "empty.state", ""), "not the state of an audit"},
		"a log":   {file(t, "a.log", strings.Repeat(logLine("/", "x"), 10)), "not the state of an audit"},
	} {
		if r := command(t, "", "merge", c.arg); r.code != exitInput || !strings.Contains(r.err, c.says) || r.out != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for name, args := range map[string][]string{"nothing": {}, "output": {"--output", "xml", "a"}, "memory": {"--memory", "junk", "a"}} {
		if r := command(t, "", append([]string{"merge"}, args...)...); r.code != exitUsage {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// FuzzMerge: whatever the head of a state says, there is a report or an error.
func FuzzMerge(f *testing.F) {
	robots := filepath.Join(f.TempDir(), "robots.txt")
	log := filepath.Join(f.TempDir(), "a.log")
	crawlers := filepath.Join(f.TempDir(), "mine.json")
	for name, content := range map[string]string{
		robots: "user-agent: *\ndisallow: /p\n", log: logLine("/p", "MyBot/1"),
		crawlers: `[{"name":"MyBot","operator":"Me","category":"other","words":["MyBot"],"tokens":["MyBot"],"obeys":"yes"}]`,
	} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			f.Fatal(err)
		}
	}
	state, err := os.ReadFile(makeState(f, "--robots", robots, "--crawlers", crawlers, log))
	if err != nil {
		f.Fatal(err)
	}
	// The profile of MyBot alone is enough, and quicker.
	head := headOf(state)
	at, end := bytes.Index(head, []byte(`"Profiles":[`))+len(`"Profiles":[`), bytes.Index(head, []byte(`],"Series"`))
	mine := bytes.LastIndex(head[:end], []byte(`{"name":"MyBot"`))
	f.Add(slices.Concat(head[:at], head[mine:]))
	name := filepath.Join(f.TempDir(), "fuzzed.state")
	f.Fuzz(func(t *testing.T, head []byte) {
		if err := os.WriteFile(name, rehead(state, head), 0o666); err != nil {
			t.Fatal(err)
		}
		if r := runCommand(t, []string{"merge", name}); r.code != exitDone && r.code != exitInput || (r.out == "") != (r.code == exitInput) {
			t.Errorf("%+v", r)
		}
	})
}

// More states than a process may have files open add up, at once or in a tree.
func TestMergeOfManyStates(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ncrawl-delay: 5\ndisallow: /p\n")
	var states, logs []string
	const n = 74 // ten more than are open at once
	for i := range n {
		agent := []string{"GPTBot/1", googleAgent, fmt.Sprintf("New%d-Bot/1 (+http://x.example)", i%7), "Firefox/1"}[i%4]
		path := []string{"/p", "/", "/robots.txt"}[i%3]
		log := file(t, fmt.Sprintf("%d.log", i), strings.Repeat(logLine(path, agent), 30)+fmt.Sprintf("junk %d\n", i))
		logs = append(logs, log)
		states = append(states, makeState(t, "--robots", robots, log))
	}
	want := command(t, "", append([]string{"audit", "--robots", robots, "--output", "json"}, logs...)...)
	all := command(t, "", append([]string{"merge", "--output", "json"}, states...)...)
	if all.code != exitDone || all.err != "" || withoutInputs(all.out, "json") != withoutInputs(want.out, "json") {
		t.Errorf("code %d, stderr %q, the report differs at %s", all.code, all.err, firstDifference(withoutInputs(all.out, "json"), withoutInputs(want.out, "json")))
	}
	dir := t.TempDir()
	var sums []string
	for part := range slices.Chunk(states, 20) {
		sum := filepath.Join(dir, fmt.Sprint(len(sums), ".state"))
		sums = append(sums, sum)
		if r := command(t, "", append([]string{"merge", "--state", sum}, part...)...); r.code != exitDone || r.err != "" || !strings.Contains(r.out, "crawler requests") {
			t.Fatalf("%+v", r)
		}
	}
	for _, list := range [][]string{sums, slices.Concat(sums[:1], states[20:])} {
		if got := command(t, "", append([]string{"merge", "--output", "json"}, list...)...); got.code != exitDone || got.err != "" || withoutCommand(got.out) != withoutCommand(all.out) {
			t.Errorf("code %d, stderr %q, the report of a tree differs at %s", got.code, got.err, firstDifference(got.out, all.out))
		}
	}
}

func TestMergeWritesNoStateWhereItCannot(t *testing.T) {
	robots, log := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), file(t, "a.log", logLine("/p", "GPTBot/1"))
	state := makeState(t, "--robots", robots, log)
	link := filepath.Join(t.TempDir(), "link.state")
	if err := os.Symlink(state, link); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		to   string
		code int
		says string
	}{
		"itself":         {state, exitUsage, "would replace"},
		"a link to it":   {link, exitUsage, "would replace"},
		"no such folder": {filepath.Join(t.TempDir(), "none", "a.state"), exitInput, "none"},
	} {
		if r := command(t, "", "merge", "--state", c.to, state); r.code != c.code || r.out != "" || !strings.Contains(r.err, c.says) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	// What was known only in part still is.
	part := gzipped(t, strings.Repeat(logLine("/p", "GPTBot/1"), 9))
	broken := filepath.Join(t.TempDir(), "broken.state")
	if r := command(t, "", "audit", "--robots", robots, "--state", broken, file(t, "b.log.gz", part[:len(part)-4])); r.code != exitInput {
		t.Fatalf("%+v", r)
	}
	sum := filepath.Join(t.TempDir(), "sum.state")
	for _, args := range [][]string{{"--state", sum, broken, state}, {sum}} {
		if r := command(t, "", append([]string{"merge", "--output", "json"}, args...)...); r.code != exitInput || auditJSON(t, r)["partial"] != true {
			t.Errorf("%v: %+v", args, r)
		}
	}
}
