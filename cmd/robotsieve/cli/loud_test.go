package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inputsOf returns the inputs of a report by the last element of their names.
func inputsOf(t *testing.T, r result) map[string]map[string]any {
	t.Helper()
	inputs := map[string]map[string]any{}
	for _, in := range auditJSON(t, r)["inputs"].([]any) {
		info := in.(map[string]any)
		inputs[filepath.Base(info["name"].(string))] = info
	}
	return inputs
}

// An input of which too many lines cannot be parsed makes the report partial, whatever
// the other inputs are like, and then no --fail-on is checked.
func TestTooManyUnparsedLines(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	good := logLine("/p", "GPTBot/1")
	long := file(t, "long.log", strings.Repeat(good, 1000))
	short := file(t, "short.log", good+"junk\n"+good)
	limit := file(t, "limit.log", strings.Repeat(good, 19)+"junk\n")
	beyond := file(t, "beyond.log", strings.Repeat(good, 37)+"junk\n"+strings.Repeat("y", 2<<20)+"\n") // one is too long to keep
	for name, c := range map[string]struct {
		args    []string
		partial bool
		says    string
	}{
		"one of three":        {[]string{short, long}, true, "short.log: 1 of its 3 lines (33.3 %) could not be parsed, which is more than 5 % (--max-unparsed)"},
		"exactly the limit":   {[]string{limit}, false, ""},
		"past the limit":      {[]string{beyond}, true, "beyond.log: 2 of its 39 lines (5.13 %) could not be parsed"},
		"two logs":            {[]string{short, beyond, long}, true, "more than 5 % of the lines could not be parsed (--max-unparsed) of " + short + " (1 of 3 lines), " + beyond + " (2 of 39 lines): the report is partial"},
		"another limit":       {[]string{"--max-unparsed", "33.4", short}, false, ""},
		"a limit of none":     {[]string{"--max-unparsed", "0", limit}, true, "limit.log: 1 of its 20 lines (5 %) could not be parsed, which is more than 0 %"},
		"no limit":            {[]string{"--max-unparsed", "100", short}, false, ""},
		"several workers":     {[]string{"--workers", "5", long, short, limit}, true, "short.log: 1 of its 3 lines"},
		"a limit in per cent": {[]string{"--max-unparsed", "40%", short}, false, ""},
		"all of them":         {[]string{"--max-unparsed", "100", "--format", "combined", file(t, "junk.log", "junk\n")}, false, "junk.log: its only line could not be parsed as combined"},
	} {
		r := command(t, "", append([]string{"audit", "--robots", robots, "--output", "json"}, c.args...)...)
		report := auditJSON(t, r)
		if code := map[bool]int{true: exitInput, false: exitDone}[c.partial]; r.code != code || report["partial"] != c.partial || !strings.Contains(r.err, c.says) {
			t.Errorf("%s: code %d, partial %v, stderr %q", name, r.code, report["partial"], r.err)
		}
		if warnings := fmt.Sprint(report["warnings"]); !strings.Contains(warnings, c.says) {
			t.Errorf("%s: warnings %s", name, warnings)
		}
	}
	r := command(t, "", "audit", "--robots", robots, "--output", "json", "--fail-on", "violation>0", long, short)
	if inputs := inputsOf(t, r); r.code != exitInput || !strings.Contains(r.err, "--fail-on is not checked") || strings.Contains(r.err, "there are") ||
		inputs["short.log"]["lines"] != 3.0 || inputs["short.log"]["unparsed"] != 1.0 || inputs["long.log"]["lines"] != 1000.0 || inputs["long.log"]["unparsed"] != 0.0 {
		t.Errorf("%+v", r)
	}
	if percent := auditJSON(t, r)["max_unparsed_percent"]; percent != 5.0 {
		t.Errorf("%v per cent", percent)
	}
	// A state keeps all this, and an input of many lines does not outweigh another.
	partial, whole := filepath.Join(t.TempDir(), "a.state"), makeState(t, "--robots", robots, long)
	if r := command(t, "", "audit", "--robots", robots, "--state", partial, short); r.code != exitInput {
		t.Fatal(r.err)
	}
	r = command(t, "", "merge", "--output", "json", "--fail-on", "violation>0", whole, partial)
	if inputs := inputsOf(t, r); r.code != exitInput || auditJSON(t, r)["partial"] != true || inputs["short.log"]["unparsed"] != 1.0 ||
		!strings.Contains(fmt.Sprint(auditJSON(t, r)["warnings"]), "short.log: 1 of its 3 lines") || !strings.Contains(r.err, "--fail-on is not checked") {
		t.Errorf("%+v", r)
	}
	for _, bad := range []string{"-1", "101", "NaN", "x", ""} {
		if r := command(t, "", "audit", "--robots", robots, "--max-unparsed", bad, long); r.code != exitUsage {
			t.Errorf("%q: %+v", bad, r)
		}
	}
	if r := command(t, "", "audit", "--robots", robots, "--output", "json", filepath.Join(t.TempDir(), "missing.log"), long); strings.Contains(r.err, "--fail-on") {
		t.Errorf("without a condition: %s", r.err)
	}
}

// TestNothingParsed: a log of which no line can be parsed is an input that could not be used, whatever the format was said to be, and
// although another log is fine. The error quotes its first line.
func TestNothingParsed(t *testing.T) {
	robots, good := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), file(t, "good.log", logLine("/p", "GPTBot/1"))
	junk := file(t, "junk.log", "\n  \nfirst of the junk\r\nmore\n")
	for _, args := range [][]string{{"--format", "combined"}, {"--format", "common"}, {"--max-unparsed", "99.9", "--format", "combined"}, {}} {
		args = append(args, junk)
		if len(args) == 1 || args[1] == "combined" {
			args = append(args, good)
		}
		r := command(t, "", append([]string{"audit", "--robots", robots, "--output", "json"}, args...)...)
		report := auditJSON(t, r)
		said, _ := inputsOf(t, r)["junk.log"]["error"].(string)
		if r.code != exitInput || report["partial"] != true || !strings.Contains(r.err, "junk.log: ") || !strings.HasPrefix(said, junk+": ") {
			t.Errorf("%q: code %d, error %q, %s", args, r.code, said, r.err)
		}
		if len(args) > 2 && !strings.HasSuffix(said, `; the first is "first of the junk"`) {
			t.Errorf("%q: %s", args, said)
		}
	}
}

// Two logs of one content are told, and counted once unless both are asked for.
func TestDuplicateLogs(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	content := logLine("/p", "GPTBot/1") + logLine("/q", "GPTBot/1")
	dir := t.TempDir()
	put := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	a, b := put("a.log", content), put("b.log", content)
	other := put("other.log", strings.Replace(content, "/q", "/r", 1)) // of the same size
	packed, copied := put("c.gz", compressed(t, content+content)), put("d.gz", compressed(t, content+content))
	packedA := put("a.log.gz", compressed(t, content))
	link := filepath.Join(dir, "link.log")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat(content, 4000) // the first 256 KiB are the same
	e, f := put("e.log", large+logLine("/p", "GPTBot/1")), put("f.log", large+logLine("/p", "GPTBot/2"))
	for name, c := range map[string]struct {
		args  []string
		stdin string
		lines float64
		says  string
	}{
		"two files":               {[]string{a, b}, "", 2, b + " has the same content as " + a + ": not counted (--allow-duplicates counts it)"},
		"the other order":         {[]string{b, a}, "", 2, a + " has the same content as " + b + ": not counted"},
		"both asked for":          {[]string{"--allow-duplicates", a, b}, "", 4, b + " has the same content as " + a + ": counted all the same"},
		"of the same size":        {[]string{a, other}, "", 4, ""},
		"a link":                  {[]string{a, link}, "", 2, link + " is the same file as " + a + ": read once"},
		"compressed":              {[]string{packed, a, copied}, "", 6, copied + " has the same content as " + packed},
		"compressed or not":       {[]string{packedA, a, b}, "", 2, a + " has the same content as " + packedA + ": not counted"},
		"large":                   {[]string{e, f}, "", 16002, ""},
		"a pipe":                  {[]string{a, "-"}, content, 4, "- has the same content as " + a + ": both were counted, since they could be compared only after they had been read"},
		"a pipe of other content": {[]string{a, "-"}, content + "\n", 4, ""},
	} {
		r := command(t, c.stdin, append([]string{"audit", "--robots", robots, "--output", "json"}, c.args...)...)
		report := auditJSON(t, r)
		if r.code != exitDone || report["lines"] != c.lines || !strings.Contains(r.err, c.says) || c.says == "" && r.err != "" || !strings.Contains(fmt.Sprint(report["warnings"]), c.says) {
			t.Errorf("%s: code %d, %v lines, stderr %q, warnings %v", name, r.code, report["lines"], r.err, report["warnings"])
		}
	}
	inputs := inputsOf(t, command(t, "", "audit", "--robots", robots, "--output", "json", a, b))
	if in := inputs["b.log"]; in["duplicate_of"] != a || in["lines"] != 0.0 || in["sha256"] != inputs["a.log"]["sha256"] || inputs["a.log"]["duplicate_of"] != "" {
		t.Errorf("%v", inputs)
	}
}

// Every report states what it was made of, and by what.
func TestReportStatesItsInputsAndItsProgram(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	plain := logLine("/p", "GPTBot/1")
	packed := compressed(t, logLine("/q", "GPTBot/1"))
	a, b := file(t, "it's a.log", plain), file(t, "b.log", packed)
	r := command(t, plain+plain, "audit", "--robots", robots, "--output", "json", a, b, "-")
	inputs := inputsOf(t, r)
	for name, content := range map[string]string{"it's a.log": plain, "b.log": packed, "-": plain + plain} {
		sum := sha256.Sum256([]byte(content))
		if in := inputs[name]; in["sha256"] != hex.EncodeToString(sum[:]) || in["bytes"] != float64(len(content)) {
			t.Errorf("%s: %v", name, in)
		}
	}
	report := auditJSON(t, r)
	want := "robotsieve audit --robots " + robots + " --output json '" + strings.Replace(a, "'", `'\''`, 1) + "' " + b + " -"
	if report["command"] != want || report["program"] != version() || version() == "" {
		t.Errorf("program %v, command %v, want %s", report["program"], report["command"], want)
	}
	state := makeState(t, "--robots", robots, a)
	if report := auditJSON(t, command(t, "", "merge", "--output", "json", state)); report["command"] != "robotsieve merge --output json "+state || report["program"] != version() {
		t.Errorf("program %v, command %v", report["program"], report["command"])
	}
	// What was not read to its end has no hash.
	torn := file(t, "torn.gz", compressed(t, strings.Repeat(plain, 20000))[:300])
	if in := inputsOf(t, command(t, "", "audit", "--robots", robots, "--output", "json", torn))["torn.gz"]; in["sha256"] != "" || in["complete"] != false {
		t.Errorf("%v", in)
	}
}

// Large plain files are hashed where that is asked for, or where a state must tell them
// from others.
func TestHashOfLargeLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads 135 MB")
	}
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	line := logLine("/"+strings.Repeat("x", 5000), "Firefox/1")
	content := strings.Repeat(line, 129<<20/len(line)+1)
	large, small := file(t, "large.log", content), file(t, "small.log.gz", compressed(t, line))
	sum := sha256.Sum256([]byte(content))
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"not asked for": {nil, ""}, "asked for": {[]string{"--sha256"}, hex.EncodeToString(sum[:])},
		"for a state": {[]string{"--state", filepath.Join(t.TempDir(), "a.state")}, hex.EncodeToString(sum[:])},
	} {
		inputs := inputsOf(t, command(t, "", append([]string{"audit", "--robots", robots, "--output", "json", large, small}, c.args...)...))
		if inputs["large.log"]["sha256"] != c.want || inputs["small.log.gz"]["sha256"] == "" || inputs["large.log"]["complete"] != true {
			t.Errorf("%s: %v", name, inputs)
		}
	}
}

// Files of the same content add up under any names, and files of other content do not
// under the same.
func TestMergeComparesContentsNotNames(t *testing.T) {
	const body = "user-agent: *\ndisallow: /p\n"
	rows := []string{"2026-11-01T00:00:00Z,https://example.com,200,a.txt", "2026-11-10T00:00:00Z,https://example.com,200,b.txt"}
	renamed := []string{strings.Replace(rows[1], "b.txt", "y.txt", 1), strings.Replace(rows[0], "a.txt", "x.txt", 1)}
	one := manifest(t, map[string]string{"a.txt": body, "b.txt": "# new\n" + body}, rows...)
	two := manifest(t, map[string]string{"x.txt": body, "y.txt": "# new\n" + body}, renamed...)
	three := manifest(t, map[string]string{"a.txt": body, "b.txt": "# newer\n" + body}, rows...)
	google, bing := "66.249.64.0/27\n", "157.55.39.0/24\n"
	names := "192.0.2.9\tcrawl-9.googlebot.com\ttrue\n"
	mine := `[{"name":"MyBot","operator":"Me","category":"other","words":["MyBot"],"tokens":["MyBot"],"obeys":"yes"}]`
	again := func(name, content string) (string, string) {
		return file(t, name, content), file(t, "other-"+name, content)
	}
	robots, robots2 := again("robots.txt", body)
	g, g2 := again("google.txt", google)
	b, b2 := again("bing.txt", bing)
	n, n2 := again("names.tsv", names)
	m, m2 := again("mine.json", mine)
	for name, c := range map[string]struct {
		one, other []string
		differ     string
	}{
		"robots.txt":        {[]string{"--robots", robots}, []string{"--robots", robots2}, ""},
		"compressed":        {[]string{"--robots", robots}, []string{"--robots", file(t, "robots.txt.gz", compressed(t, body))}, ""},
		"manifests":         {[]string{"--policy", one, "--host", "example.com"}, []string{"--policy", two, "--host", "example.com"}, ""},
		"another version":   {[]string{"--policy", one, "--host", "example.com"}, []string{"--policy", three, "--host", "example.com"}, "the versions of robots.txt"},
		"lists":             {[]string{"--robots", robots, "--ip-ranges", "Googlebot=" + g, "--ip-ranges", "bingbot=" + b}, []string{"--robots", robots, "--ip-ranges", "bingbot=" + b2, "--ip-ranges", "Googlebot=" + g2}, ""},
		"lists of others":   {[]string{"--robots", robots, "--ip-ranges", "Googlebot=" + g}, []string{"--robots", robots, "--ip-ranges", "bingbot=" + g}, "the lists of --ip-ranges"},
		"names and mine":    {[]string{"--robots", robots, "--resolved-names", n, "--crawlers", m}, []string{"--robots", robots, "--resolved-names", n2, "--crawlers", m2}, ""},
		"order of hosts":    {[]string{"--robots", robots, "--host", "https://a.example", "--host", "https://b.example"}, []string{"--robots", robots, "--host", "https://b.example", "--host", "https://a.example"}, ""},
		"unparsed per cent": {[]string{"--robots", robots}, []string{"--robots", robots, "--max-unparsed", "7"}, "--max-unparsed 5 and 7"},
	} {
		log, log2 := file(t, "a.log", logLine("/p", "GPTBot/1")), file(t, "b.log", logLine("/q", googleAgent))
		r := command(t, "", "merge", "--output", "json", makeState(t, append(c.one, log)...), makeState(t, append(c.other, log2)...))
		if c.differ != "" {
			if r.code != exitInput || !strings.HasSuffix(r.err, "they differ in "+c.differ+"\n") {
				t.Errorf("%s: %+v", name, r)
			}
		} else if r.code != exitDone || r.err != "" || auditJSON(t, r)["lines"] != 2.0 {
			t.Errorf("%s: code %d, stderr %q", name, r.code, r.err)
		}
	}
}

// A folder is read with all that is in it, in the order of names.
func TestAuditOfAFolderOfFolders(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	dir := t.TempDir()
	for i, name := range []string{"2026-11-02/access.log", "2026-11-01/access.log", "access.log", "2026-11-01/.hidden.log", ".git/x.log"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.Repeat(logLine("/p", "GPTBot/1"), i+1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(dir, filepath.Join(dir, "2026-11-01", "loop")); err != nil {
		t.Fatal(err)
	}
	r := command(t, "", "audit", "--robots", robots, "--output", "json", dir)
	if report := auditJSON(t, r); r.code != exitDone || report["lines"] != 6.0 || r.err != "" { // what the link leads to is read
		t.Errorf("%+v", r)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "2026-11-02", "elsewhere")); err != nil {
		t.Fatal(err)
	}
	r = command(t, "", "audit", "--robots", robots, "--output", "json", dir)
	if report := auditJSON(t, r); r.code != exitInput || report["partial"] != true || report["lines"] != 6.0 || !strings.Contains(r.err, "elsewhere: a link to a directory, which is not followed") {
		t.Errorf("%+v", r)
	}
}

// --host HOST=PATTERN says whose single logs are.
func TestHostOfSingleLogs(t *testing.T) {
	policy := manifest(t, map[string]string{"a.txt": "user-agent: *\ndisallow: /p\n", "b.txt": "user-agent: *\ndisallow: /q\n"},
		"2026-01-01T00:00:00Z,https://a.example,200,a.txt", "2026-01-01T00:00:00Z,https://b.example,200,b.txt", "2026-01-01T00:00:00Z,https://c.example,200,a.txt")
	lines := logLine("/p", "GPTBot/1") + logLine("/q", "GPTBot/1") + logLine("/q", "GPTBot/1")
	dir := t.TempDir()
	for i, name := range []string{"a1.log", "a2.log", "b.log"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("\n", i)+lines), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	a, b := filepath.Join(dir, "a*.log"), filepath.Join(dir, "b.log")
	vhost := file(t, "vhost.log", "a.example:443 "+logLine("/p", "GPTBot/1")+"b.example:443 "+logLine("/q", "GPTBot/1"))
	for name, c := range map[string]struct {
		args       []string
		violations float64
		undecided  float64
		otherHost  float64
		says       string
	}{
		"all of them":           {[]string{"--host", "https://a.example=" + a, "--host", "https://b.example=" + b, dir}, 1 + 1 + 2, 0, 0, ""},
		"the others plain":      {[]string{"--host", "https://a.example=" + a, "--host", "https://b.example", dir}, 1 + 1 + 2, 0, 0, ""},
		"the others not said":   {[]string{"--host", "https://a.example=" + a, dir}, 1 + 1, 3, 0, "name the site with --host"},
		"a folder":              {[]string{"--host", "b.example=" + dir, dir}, 6, 0, 0, ""},
		"a log that names them": {[]string{"--host", "https://a.example=" + vhost, "--host", "https://b.example", vhost}, 1, 0, 1, ""},
		"stdin":                 {[]string{"--host", "https://a.example=-", "--host", "https://b.example", "-", b}, 1 + 2, 0, 0, ""},
	} {
		r := command(t, lines, append([]string{"audit", "--policy", policy, "--output", "json"}, c.args...)...)
		report := auditJSON(t, r)
		verdicts := report["totals"].(map[string]any)["verdicts"].(map[string]any)
		if r.code != exitDone || verdicts["violation"] != c.violations || verdicts["indeterminate"] != c.undecided || report["other_host"] != c.otherHost || !strings.Contains(r.err, c.says) {
			t.Errorf("%s: code %d, %v, %v to other hosts, stderr %q", name, r.code, verdicts, report["other_host"], r.err)
		}
	}
	inputs := inputsOf(t, command(t, "", "audit", "--policy", policy, "--output", "json", "--host", "https://a.example="+a, "--host", "https://b.example", dir))
	r := command(t, "", "audit", "--full", "--policy", policy, "--host", "https://a.example="+a, "--host", "https://b.example", dir)
	if text := strings.Join(strings.Fields(r.out), " "); !strings.Contains(text, "A log that names no hosts is taken as the log of the site that --host gives it.") || strings.Contains(text, "of one of them") {
		t.Error(r.out)
	}
	if inputs["a1.log"]["host"] != "https://a.example" || inputs["b.log"]["host"] != "" {
		t.Errorf("%v", inputs)
	}
	for says, args := range map[string][]string{
		"is none of the logs to be read":                       {"--host", "https://a.example=" + b, filepath.Join(dir, "a1.log")},
		"no file matches":                                      {"--host", "https://a.example=" + filepath.Join(dir, "x*"), dir},
		"no robots.txt of https://d.example in":                {"--host", "https://d.example=" + b, b},
		"--host \"\": not a host":                              {"--host", "=" + b, b},
		"missing: open " + filepath.Join(dir, "missing") + ":": {"--host", "https://a.example=" + filepath.Join(dir, "missing"), dir},
	} {
		if r := command(t, "", append([]string{"audit", "--policy", policy}, args...)...); r.code != exitUsage && r.code != exitInput || !strings.Contains(r.err, says) || r.out != "" {
			t.Errorf("%s: %+v", says, r)
		}
	}
}
