package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// auditFiles are what most audits of a test need.
type auditFiles struct{ robots, policy, log, dir string }

func newAuditFiles(t *testing.T) auditFiles {
	return auditFiles{
		robots: file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"),
		policy: manifest(t, map[string]string{"a.txt": "user-agent: *\ndisallow: /p\n"}, "2026-11-01T00:00:00Z,https://example.com,200,a.txt"),
		log:    file(t, "a.log", logLine("/p", "GPTBot/1")),
		dir:    t.TempDir(),
	}
}

// What flags do not make sense is said before anything is read, with exit 2.
func TestAuditUsageErrors(t *testing.T) {
	f := newAuditFiles(t)
	byRobots, byPolicy := []string{"--robots", f.robots}, []string{"--policy", f.policy}
	with := func(list []string, more ...string) []string { return append(append([]string{}, list...), more...) }
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"robots and policy":             {with(byRobots, "--policy", f.policy), "--robots and --policy cannot be given together"},
		"neither":                       {nil, "no policy: name the robots.txt to judge by with --robots FILE, or its versions with --policy"},
		"history of one robots.txt":     {with(byRobots, "--history", "deployed"), "--history and --assume-constant are for --policy"},
		"constant robots.txt":           {with(byRobots, "--assume-constant"), "--history and --assume-constant are for --policy"},
		"no such history":               {with(byPolicy, "--history", "guessed"), `--history "guessed" is none of auto|deployed|observed`},
		"window too short":              {with(byPolicy, "--window", "23h"), "--window 23h is not between 24h and 3,660 days"},
		"window of no time":             {with(byPolicy, "--window", "0d"), "--window 0d is not above 0"},
		"negative window":               {with(byPolicy, "--window", "-24h"), "--window -24h is not above 0"},
		"window too long":               {with(byPolicy, "--window", "3661d"), "--window 3,661 days is not between 24h"},
		"window beyond all":             {with(byPolicy, "--window", "99999999h"), `--window "99999999h" is not a time, such as 24h or 30d, of at most 65,535 days`},
		"window that is none":           {with(byPolicy, "--window", "soon"), `--window "soon" is not a time`},
		"delay too short":               {with(byPolicy, "--delay", "179m"), "--delay 2h59m is not between 3h and 3,660 days"},
		"delay too long":                {with(byPolicy, "--delay", "3661d"), "--delay 3,661 days is not between 3h"},
		"skew too short":                {with(byPolicy, "--skew", "599s"), "--skew 9m59s is not between 10m and 3,660 days"},
		"skew that is none":             {with(byPolicy, "--skew", "soon"), `--skew "soon" is not a time`},
		"window without a unit":         {with(byPolicy, "--window", "24"), `--window "24" is not a time`},
		"memory that is none":           {with(byRobots, "--memory", "junk"), `--memory "junk" is not a number of bytes, such as 256MB or 1GiB`},
		"no memory":                     {with(byRobots, "--memory", "0"), `--memory "0" is not a number of bytes`},
		"negative samples":              {with(byRobots, "--samples", "-1"), "--samples -1 is negative"},
		"unknown crawler":               {with(byRobots, "--ip-ranges", "Gogglebot="+f.log), `--ip-ranges "Gogglebot": neither a crawler nor a list of that name is known`},
		"family of crawlers":            {with(byRobots, "--ip-ranges", "Google="+f.log), `--ip-ranges "Google": neither a crawler nor a list of that name is known`},
		"control token":                 {with(byRobots, "--ip-ranges", "Google-Extended="+f.log), "neither a crawler nor a list of that name is known"},
		"unknown list":                  {with(byRobots, "--ip-ranges", "gogglebot.json="+f.log), `--ip-ranges "gogglebot.json": neither a crawler nor a list of that name is known`},
		"day that is none":              {with(byRobots, "--ip-ranges", "GPTBot="+f.log+"@yesterday"), `--ip-ranges "yesterday" behind `},
		"ranges of nobody":              {with(byRobots, "--ip-ranges", f.log), "neither NAME=FILE nor a directory"},
		"age that is none":              {with(byRobots, "--ranges-max-age", "old"), `--ranges-max-age "old" is not a time, such as 24h or 30d, of at most 65,535 days`},
		"no days":                       {with(byRobots, "--ranges-max-age", "0"), `--ranges-max-age 0d is not above 0`},
		"no age":                        {with(byRobots, "--ranges-max-age", "0d"), `--ranges-max-age 0d is not above 0`},
		"xff without proxies":           {with(byRobots, "--client-ip", "xff"), "xff needs to know which proxies to trust"},
		"proxies without xff":           {with(byRobots, "--trusted-proxies", "10.0.0.0/8"), "trusted proxies are for xff only"},
		"proxies with a place":          {with(byRobots, "--client-ip", "xff:-1", "--trusted-proxies", "10.0.0.0/8"), "trusted proxies are for xff only"},
		"proxy that is no address":      {with(byRobots, "--client-ip", "xff", "--trusted-proxies", "proxy.example"), `"proxy.example"`},
		"place from the left":           {with(byRobots, "--client-ip", "xff:1"), `"xff:1": neither addr, xff nor xff:-N`},
		"place none":                    {with(byRobots, "--client-ip", "xff:-0"), "neither addr, xff nor xff:-N"},
		"client that is none":           {with(byRobots, "--client-ip", "cookie"), `"cookie": neither addr, xff nor xff:-N`},
		"state and looking up":          {with(byRobots, "--state", filepath.Join(f.dir, "a.state"), "--resolve"), "--resolve has no effect on a state"},
		"stdin twice":                   {[]string{"--robots", "-", "-"}, "both be stdin"},
		"log of hosts without --host":   {with(byRobots, file(t, "v.log", "a.example:443 "+logLine("/p", "GPTBot/1"))), "use --host to say which of them"},
		"whole URLs without --host":     {with(byRobots, file(t, "u.log", logLine("http://a.example/p", "GPTBot/1"))), "use --host to say which of them"},
		"fail on what cannot be judged": {with(byRobots, "--fail-on", "grace>0"), "not of the form"},
	} {
		t.Run(name, func(t *testing.T) {
			r := command(t, "", append(append([]string{"audit"}, c.args...), f.log)...)
			if r.code != exitUsage || !strings.Contains(r.err, c.says) || !strings.Contains(r.err, "Try 'robotsieve audit --help'") || r.out != "" {
				t.Errorf("code %d, stdout %q, stderr %q; want 2 and %q", r.code, r.out, r.err, c.says)
			}
		})
	}
}

func TestAuditTakesWindows(t *testing.T) {
	f := newAuditFiles(t)
	for text, want := range map[string]float64{"24h": 86400, "1d": 86400, "3d": 3 * 86400, "25h30m": 91800, "3660d": 3660 * 86400} {
		r := command(t, "", "audit", "--policy", f.policy, "--host", "https://example.com", "--window", text, "--output", "json", f.log)
		if policy, ok := auditJSON(t, r)["policy"].(map[string]any); r.code != exitDone || !ok || policy["window_seconds"] != want {
			t.Errorf("%s: code %d, %v", text, r.code, policy["window_seconds"])
		}
	}
	r := command(t, "", "audit", "--policy", f.policy, "--host", "https://example.com", "--delay", "5h", "--skew", "1d", "--output", "json", f.log)
	if policy, ok := auditJSON(t, r)["policy"].(map[string]any); !ok || policy["delay_seconds"] != 5*3600.0 || policy["skew_seconds"] != 86400.0 {
		t.Errorf("delay and skew: code %d, %v and %v", r.code, policy["delay_seconds"], policy["skew_seconds"])
	}
}

// A file that cannot be used is exit 3, and told with its name and line.
func TestAuditOfBadFiles(t *testing.T) {
	f := newAuditFiles(t)
	ranges := func(name, content string) []string {
		return []string{"--robots", f.robots, "--ip-ranges", "Googlebot=" + file(t, name, content)}
	}
	source := func(rows ...string) []string {
		return []string{"--policy", manifest(t, map[string]string{"a.txt": "user-agent: *\n"}, rows...)}
	}
	crawlers := func(content string) []string {
		return []string{"--robots", f.robots, "--crawlers", file(t, "mine.json", content)}
	}
	folder := func(name string) []string {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		return []string{"--policy", dir}
	}
	const row = "2026-11-01T00:00:00Z,https://example.com,200,a.txt"
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no ranges":             {[]string{"--robots", f.robots, "--ip-ranges", "Googlebot=" + filepath.Join(f.dir, "none.json")}, "none.json"},
		"private range":         {ranges("r.txt", "66.249.64.0/27\n10.1.0.0/16\n"), "r.txt:2: \"10.1.0.0/16\""},
		"loopback":              {ranges("r.txt", "127.0.0.1\n"), "r.txt:1: \"127.0.0.1\""},
		"link-local":            {ranges("r.txt", "fe80::/64\n"), "r.txt:1: \"fe80::/64\""},
		"too wide":              {ranges("r.txt", "# all\n\n0.0.0.0/0\n"), "r.txt:3: \"0.0.0.0/0\""},
		"too wide, 6":           {ranges("r.txt", "2000::/3\n"), "r.txt:1: \"2000::/3\""},
		"no address":            {ranges("r.txt", "example.com\n"), "r.txt:1: \"example.com\""},
		"private range in JSON": {ranges("r.json", `{"prefixes":[{"ipv4Prefix":"66.249.64.0/27"},{"ipv4Prefix":"192.168.0.0/24"}]}`), "r.json: prefixes[1]: \"192.168.0.0/24\""},
		"broken JSON":           {ranges("r.json", "{\n\"prefixes\":[\n{]}"), "r.json:3: "},
		"bad time in JSON":      {ranges("r.json", `{"creationTime":"yesterday","prefixes":[]}`), "r.json: \"yesterday\""},

		"no names":        {[]string{"--robots", f.robots, "--resolved-names", filepath.Join(f.dir, "none.tsv")}, "none.tsv"},
		"names of no tab": {[]string{"--robots", f.robots, "--resolved-names", file(t, "names.tsv", "192.0.2.1\ta.googlebot.com\ttrue\n192.0.2.2 a b\n")}, "names.tsv:2: "},

		"no crawlers":         {[]string{"--robots", f.robots, "--crawlers", filepath.Join(f.dir, "none.json")}, "none.json"},
		"crawlers no JSON":    {crawlers("GPTBot"), "mine.json: crawler profiles"},
		"crawlers no array":   {crawlers("{}"), "not a JSON array of profiles"},
		"crawler of no name":  {crawlers("[\n{}]"), "in line 2: no name"},
		"crawler of new keys": {crawlers(`[{"nam":"x"}]`), "unknown field"},

		"no source":              {[]string{"--policy", filepath.Join(f.dir, "none.csv")}, "none.csv"},
		"empty folder":           {[]string{"--policy", f.dir}, "the folder is empty"},
		"no rows":                {source(), "manifest.csv: no rows"},
		"bad time":               {source(row, "yesterday,https://example.com,200,a.txt"), `manifest.csv:3: bad time "yesterday"`},
		"bad origin":             {source("2026-11-01T00:00:00Z,https://exa mple.com,200,a.txt"), "manifest.csv:2: bad origin"},
		"bad status":             {source("2026-11-01T00:00:00Z,https://example.com,20,"), `manifest.csv:2: unknown status "20"`},
		"no file":                {source("2026-11-01T00:00:00Z,https://example.com,200,"), "manifest.csv:2: status 200 without a file"},
		"a file too many":        {source("2026-11-01T00:00:00Z,https://example.com,404,a.txt"), "manifest.csv:2: a file for status 404"},
		"a file that is missing": {source("2026-11-01T00:00:00Z,https://example.com,200,b.txt"), "manifest.csv:2: "},
		"a field too many":       {source(row + ",more"), "manifest.csv:2: wrong number of fields"},
		"a quote too many":       {source("2026-11-01T00:00:00Z,\"https://example.com,200,a.txt"), "manifest.csv:2: "},
		"a row twice":            {source(row, "2026-11-02T00:00:00Z,https://example.com,404,", row), "manifest.csv:4: second row for https://example.com at 2026-11-01T00:00:00Z, the first is "},
		"other columns":          {[]string{"--policy", file(t, "m.csv", "from,origin,status,body\n")}, `m.csv:1: unknown column "body"`},
		"too few columns":        {[]string{"--policy", file(t, "m.csv", "from,origin,status\n")}, `m.csv:1: no column "file"`},
		"a host not in it":       {append(source(row), "--host", "https://www.example.com"), "no robots.txt of https://www.example.com in the source"},
		"folder of no host":      {folder("not a host/2026-11-01T00:00:00Z.txt"), "the folder is not named by a host"},
		"file of no time":        {folder("example.com/yesterday.txt"), `bad time "yesterday`},
	} {
		t.Run(name, func(t *testing.T) {
			r := command(t, "", append(append([]string{"audit"}, c.args...), f.log)...)
			if r.code != exitInput || !strings.Contains(r.err, c.says) || strings.Contains(r.err, "--help") || r.out != "" {
				t.Errorf("code %d, stdout %q, stderr %q; want 3 and %q", r.code, r.out, r.err, c.says)
			}
		})
	}
}

// Of several things that end an audit the gravest is its exit code.
func TestGravestExitCodeWins(t *testing.T) {
	f := newAuditFiles(t)
	interrupted := func(args ...string) result {
		in := &blocking{strings.NewReader(strings.Repeat(logLine("/p", "GPTBot/1"), 30000)), make(chan struct{}), make(chan struct{})}
		defer close(in.until)
		ctx, interrupt := context.WithCancel(t.Context())
		go func() {
			<-in.read
			interrupt()
		}()
		var out, diag strings.Builder
		code := run(ctx, append([]string{"audit", "--robots", f.robots, "-"}, args...), streams{in: in, out: &out, err: &diag})
		return result{out.String(), diag.String(), code}
	}
	failing := []string{"--fail-on", "violation>0"}
	for name, c := range map[string]struct {
		got  result
		want int
	}{
		"violations":                      {command(t, "", append([]string{"audit", "--robots", f.robots, f.log}, failing...)...), exitFound},
		"violations and a missing log":    {command(t, "", append([]string{"audit", "--robots", f.robots, f.log, "missing.log"}, failing...)...), exitInput},
		"wrong usage and a missing log":   {command(t, "", "audit", "--robots", f.robots, "missing.log", "--samples", "-1"), exitUsage},
		"interrupted":                     {interrupted(), exitInterrupted},
		"interrupted with violations":     {interrupted(failing...), exitInterrupted},
		"interrupted and a missing log":   {interrupted(append(failing, "missing.log")...), exitInterrupted},
		"interrupted, state not writable": {interrupted("--state", filepath.Join(f.dir, "none", "a.state")), exitInput}, // before it reads
	} {
		if c.got.code != c.want {
			t.Errorf("%s: code %d, stderr %q; want %d", name, c.got.code, c.got.err, c.want)
		}
	}
	// An interrupt that finds neither a place for the state nor one for the report is one all the same.
	dir := filepath.Join(f.dir, "state")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	in := &vanishing{strings.NewReader(logLine("/p", "GPTBot/1")), dir}
	var diag strings.Builder
	time.AfterFunc(100*time.Millisecond, interrupt)
	code := run(ctx, []string{"audit", "--robots", f.robots, "--state", filepath.Join(dir, "a.state"), "-"},
		streams{in: io.MultiReader(in, &blocking{strings.NewReader(""), make(chan struct{}), make(chan struct{})}), out: brokenPipe{}, err: &diag})
	if code != exitInterrupted {
		t.Errorf("code %d, stderr %q", code, diag.String())
	}
}

// A report says that nothing could verify a client only if that is so.
func TestWhyNoClientWasVerified(t *testing.T) {
	f := newAuditFiles(t)
	names := file(t, "names.tsv", "192.0.2.200\ta.googlebot.com\ttrue\n")
	for _, c := range []struct {
		args  []string
		lists bool // asks for lists
	}{
		{nil, true},
		{[]string{"--resolved-names", names}, false},
	} {
		r := command(t, "", append(append([]string{"audit", "--full", "--robots", f.robots}, c.args...), f.log)...)
		for _, text := range []string{"because no address lists were given (--ip-ranges)", "because no addresses of crawlers were given"} {
			if strings.Contains(strings.Join(strings.Fields(r.out), " "), text) != c.lists || !strings.Contains(r.out, "No client was verified") {
				t.Errorf("%v: code %d, stdout %q: %q", c.args, r.code, r.out, text)
			}
		}
	}
}
