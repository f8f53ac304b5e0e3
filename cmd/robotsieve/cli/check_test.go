package cli

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/job"
)

const checkRobots = `user-agent: Googlebot
user-agent: FooBot
disallow: /a
allow: /a/b
disallow: /*.pdf$

user-agent: *
disallow: /everyone
disallow: /tilde%7E
allow: /same
disallow: /same
`

// An Allow for an index page also allows its directory, by a pattern of its own length.
func TestCheckSaysByWhichLengthAnIndexPageCounts(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\nallow: /d/index.html\ndisallow: /*d*/\n")
	r := command(t, "", "check", "--robots", robots, "--dialect", "google", "--agent", "x", "/d/")
	if want := "the longest of 2 patterns that match, 5 octets; next is line 2: Allow: /d/index.html, 4\n"; !strings.Contains(r.out, want) {
		t.Errorf("no %q in\n%s", want, r.out)
	}
}

func TestCheck(t *testing.T) {
	robots := file(t, "robots.txt", checkRobots)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"the longest pattern decides": {[]string{"--agent", "FooBot", "https://h.example/a/b/c"}, `allowed     https://h.example/a/b/c
  rule      line 4: Allow: /a/b
  because   the longest of 2 patterns that match, 4 octets; next is line 3: Disallow: /a, 2
  group     line 1: User-agent: Googlebot, FooBot
  because   a group names FooBot
  reading   rfc9309
`},
		"a crawler that goes by another's group": {[]string{"--agent", "googlebot-image", "/x.pdf"}, `disallowed  /x.pdf
  rule      line 5: Disallow: /*.pdf$
  because   the only rule that matches
  group     line 1: User-agent: Googlebot, FooBot
  because   no group names Googlebot-Image, so the group for Googlebot binds it
  reading   google
`},
		"a crawler that no * binds": {[]string{"--agent", "AdsBot-Google", "/everyone"}, `allowed     /everyone
  because   no rule matches
  because   no group names AdsBot-Google, and groups for * do not bind it
  reading   google
`},
		"equally long": {[]string{"--agent", "x", "/same"}, `allowed     /same
  rule      line 10: Allow: /same
  because   as long as line 11: Disallow: /same; of equally long patterns, the one that allows wins
  group     line 7: User-agent: *
  because   no group names x, so * binds it
  reading   rfc9309
`},
		"the first match of 1994": {[]string{"--agent", "x", "--dialect", "original", "/same"}, `allowed     /same
  rule      line 10: Allow: /same
  because   the first rule in the file that matches; next is line 11: Disallow: /same
  group     line 7: User-agent: *
  because   no group names x, so * binds it
  reading   original
`},
		"readings that differ": {[]string{"--agent", "x", "/tilde~"}, `disallowed  /tilde~
  rule      line 9: Disallow: /tilde%7E
  because   the only rule that matches
  group     line 7: User-agent: *
  because   no group names x, so * binds it
  reading   rfc9309
  contested Google's parser would say allowed
`},
		"robots.txt itself": {[]string{"--agent", "x", "/robots.txt"}, `allowed     /robots.txt
  because   robots.txt itself is always allowed
  group     line 7: User-agent: *
  because   no group names x, so * binds it
  reading   rfc9309
`},
	} {
		t.Run(name, func(t *testing.T) {
			r := command(t, "", append([]string{"check", "--robots", robots}, c.args...)...)
			if r.out != c.want || r.code != exitDone || r.err != "" {
				t.Errorf("code %d, stderr %q, stdout\n%s\nwant\n%s", r.code, r.err, r.out, c.want)
			}
		})
	}
}

// A target names no host, however many slashes it begins with. Filter and bench say
// what check says.
func TestTargetOfTwoSlashesIsAPath(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: //x\n")
	for _, dialect := range []string{"google", "rfc9309", "original", "auto"} {
		r := command(t, "", "check", "--robots", robots, "--agent", "x", "--dialect", dialect, "//x", "/x", "///x")
		if !strings.Contains(r.out, "disallowed  //x\n") || strings.Count(r.out, "disallowed") != 1 || strings.Contains(r.out, "contested") {
			t.Errorf("check by %s: %+v", dialect, r)
		}
		r = command(t, "//x\n/x\n///x\n", "filter", "--robots", robots, "--agent", "x", "--dialect", dialect, "--keep", "disallowed", "-")
		if r.out != "//x\n" {
			t.Errorf("filter by %s: %+v", dialect, r)
		}
	}
	r := command(t, "//x\n/x\n", "bench", "--robots", robots, "--agent", "x", "--dialect", "google", externalFlag(t, "yes"), "-")
	if r.code != exitFound || !strings.Contains(r.out, "on 1 URL:\n  http://localhost//x: allowed, robotsieve disallowed") {
		t.Errorf("bench: %+v", r)
	}
	// The contract of --jsonl is the dialect's own reading.
	r = command(t, `{"robots":"user-agent: *\ndisallow: //x","agent":"x","url":"//x"}`, "check", "--jsonl", "--dialect", "google")
	if r.out != `{"allowed":true,"line":0}`+"\n" {
		t.Errorf("check --jsonl: %+v", r)
	}
}

func TestCheckNamesALineThatIsTooLong(t *testing.T) {
	r := command(t, "/a\n/b\n"+strings.Repeat("x", maxLine+1)+"\n/c\n", "check", "--robots", file(t, "robots.txt", checkRobots), "--agent", "x", "--output", "csv", "-")
	if want := "robotsieve: reading URLs from stdin: line 3 is longer than 16,777,216 bytes\n"; r.code != exitInput || r.err != want {
		t.Errorf("code %d, stderr %q, want %q", r.code, r.err, want)
	}
	if !strings.HasSuffix(r.out, "\n/b,x,rfc9309,true,0,,false\n") {
		t.Errorf("what comes before it is not answered: %q", r.out)
	}
}

// Without a URL check says what the file says, and notes what its author may not have meant.
func TestCheckDescribes(t *testing.T) {
	robots := file(t, "robots.txt", "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /a/*.pdf$\nAllow: /b$\nDisallow: /#x\nDisalow: /c\nDisallow: d\nSitemap: http://h/s.xml\n")
	r := command(t, "", "check", "--robots", robots, "--agent", "GPTBot", "--agent", "ChatGPT-User")
	want := robots + `: 10 lines, 2 groups, 5 rules, read by rfc9309

line 1: GPTBot
  may not fetch  everything                                line 2: Disallow: /

line 4: every crawler that no other group names (*)
  may not fetch  paths that match /a/*.pdf$                line 5: Disallow: /a/*.pdf$
  may fetch      exactly /b                                line 6: Allow: /b$
  may not fetch  everything                                line 7: Disallow: /
  has no effect  -                                         line 9: Disallow: d

A crawler may fetch every path that no rule of its groups matches.

GPTBot: a group names GPTBot
  group     line 1: User-agent: GPTBot

ChatGPT-User: no group names ChatGPT-User, so * binds it
  group     line 4: User-agent: *
  but       ChatGPT-User does not apply robots.txt: `
	if !strings.HasPrefix(r.out, want) || r.code != exitDone {
		t.Errorf("code %d, got\n%s%s\nwant\n%s", r.code, r.out, r.err, want)
	}
	wants(t, r.out, `
Lines that are no rules:
  line 8: Disalow: /c
  line 10: Sitemap: http://h/s.xml

4 notes:
  error    line 7: # begins a comment; only the path before it counts: "/#"
  warning  line 8: unknown key: "Disalow"
  warning  line 8: key misspelled; accepted by Google's parser only: "Disalow"
  error    line 9: path begins neither with / nor with a wildcard; it never matches: "d"
`)

	var d job.Description
	r = command(t, "", "check", "--robots", robots, "--dialect", "google", "--output", "json")
	if err := json.Unmarshal([]byte(r.out), &d); err != nil || d.Rules != 6 || d.Dialect != "google" || len(d.Notes) != 3 || len(d.Groups) != 2 {
		t.Errorf("%v, %+v", err, d)
	}
	r = command(t, "", "check", "--robots", file(t, "empty.txt", ""))
	wants(t, r.out, "empty.txt: 0 lines, 0 groups,", "\nNo line names a user agent: every crawler may fetch everything.\n\nNo notes.\n")
}

// The agents' own dialect is that of the description, if they have one in common. The notes
// are those of all readings.
func TestCheckDescribesInTheAgentsDialect(t *testing.T) {
	robots := file(t, "robots.txt", "User-agent: Googlebot\nDisalow: /a\n\nUser-agent: *\nDisallow:\nDisallow: b\n")
	for _, c := range []struct {
		agents []string
		wants  []string
	}{
		{nil, []string{"read by rfc9309", "\nline 1: Googlebot, *\n"}},
		{[]string{"Googlebot", "GPTBot"}, []string{"read by rfc9309"}},
		{[]string{"Googlebot", "Googlebot-Image"}, []string{"read by google", "\nline 1: Googlebot\n  may not fetch  paths that begin with /a ",
			"\nline 4: every crawler that no other group names (*)\n  forbids        nothing, because no rule of the group has an effect\n", " line 5: Disallow:\n"}},
	} {
		args := []string{"check", "--robots", robots}
		for _, agent := range c.agents {
			args = append(args, "--agent", agent)
		}
		wants(t, command(t, "", args...).out, append(c.wants, "line 2: unknown key", "line 2: key misspelled")...)
	}
}

func TestCheckForSeveralAgents(t *testing.T) {
	r := command(t, "", "check", "--robots", file(t, "robots.txt", checkRobots), "--agent", "FooBot", "--agent", "x", "--output", "csv", "/a", "/b")
	want := "url,agent,dialect,allowed,line,rule,unknown\n/a,FooBot,rfc9309,false,3,Disallow: /a,false\n/a,x,rfc9309,true,0,,false\n" +
		"/b,FooBot,rfc9309,true,0,,false\n/b,x,rfc9309,true,0,,false\n"
	if r.out != want || r.code != exitDone {
		t.Errorf("code %d, got\n%s", r.code, r.out)
	}
	r = command(t, "", "check", "--robots", file(t, "robots.txt", checkRobots), "--agent", "FooBot", "--agent", "x", "/a")
	wants(t, r.out, "disallowed  /a\n  agent     FooBot\n", "allowed     /a\n  agent     x\n")
}

func TestCheckQuietTellsByItsStatus(t *testing.T) {
	robots := file(t, "robots.txt", checkRobots)
	for url, want := range map[string]int{"/a": exitFound, "/b": exitDone} {
		if r := command(t, "", "check", "--quiet", "--robots", robots, "--agent", "x", "--agent", "FooBot", url); r.code != want || r.out+r.err != "" {
			t.Errorf("%s: %+v, want code %d", url, r, want)
		}
	}
	if r := command(t, "", "check", "--robots", robots, "--agent", "FooBot", "/a"); r.code != exitDone {
		t.Errorf("without --quiet: %+v", r)
	}
}

// Text that is neither a URL nor a path would be taken for the path "/".
func TestCheckRefusesWhatIsNoURL(t *testing.T) {
	robots := file(t, "robots.txt", checkRobots)
	for _, url := range []string{"foo", "example.com/a", ""} {
		r := command(t, "", "check", "--robots", robots, "--agent", "x", url)
		if r.code != exitUsage || r.out != "" || !strings.Contains(r.err, "is neither a URL") {
			t.Errorf("%q: %+v", url, r)
		}
	}
	for _, url := range []string{"http:///a", "http://a%20b/", "http://h:99999/"} {
		r := command(t, "", "check", "--robots", robots, "--agent", "x", url)
		if r.code != exitUsage || r.out != "" || !strings.Contains(r.err, url) {
			t.Errorf("%q: %+v", url, r)
		}
	}
	if r := command(t, "", "check", "--robots", robots, "--agent", "*", "/a"); !strings.Contains(r.out, "because   the groups for * were asked for\n") {
		t.Errorf("%+v", r)
	}
	r := command(t, "/a\nfoo\n/b\n", "check", "--robots", robots, "--agent", "x", "-")
	if r.code != exitUsage || !strings.Contains(r.err, `line 2 of stdin: "foo" is neither a URL`) {
		t.Errorf("%+v", r)
	}
	for _, args := range [][]string{{"/a"}, {"--quiet", "--agent", "x"}, {"--output", "csv"}, {"--rules", "x.rsv", "--agent", "x", "/a"}} {
		if r := command(t, "", append([]string{"check", "--robots", robots}, args...)...); r.code != exitUsage {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

func TestCheckByAnArchive(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules.rsv")
	lines := `{"host":"a.example","body":"user-agent: *\ndisallow: /x\nallow: /x/y$\n"}
{"host":"b.example","status":503}
{"host":"c.example","status":404}
`
	if r := command(t, "", "compile", "-o", rules, file(t, "hosts.jsonl", lines)); r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	check := func(args ...string) result {
		return command(t, "", append([]string{"check", "--rules", rules, "--agent", "x"}, args...)...)
	}
	r := check("http://a.example/x/y", "https://b.example/", "http://c.example/x")
	if r.code != exitDone || r.err != "" {
		t.Errorf("%+v", r)
	}
	wants(t, r.out,
		"allowed     http://a.example/x/y\n  rule      line 3: Allow: /x/y$\n  because   the longest of 2 patterns that match, 5 octets; next is line 2: Disallow: /x, 2\n",
		"disallowed  https://b.example/\n  because   robots.txt could not be fetched, so everything is forbidden (RFC 9309 2.3.1.4)\n",
		"allowed     http://c.example/x\n  because   no rule matches\n")
	r = check("http://d.example/")
	if !strings.Contains(r.err, ": 1 answer without a verdict, because the archive does not tell the robots.txt of the origin\n") || r.code != exitInput || !strings.Contains(r.out, "unknown     http://d.example/\n  because   the archive does not have the robots.txt of http://d.example, or only a redirect to a URL that it does not have\n") {
		t.Errorf("%+v", r)
	}
	for _, args := range [][]string{{"/x"}, {"http://[/"}} {
		if r := check(args...); r.code != exitUsage {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if r := check(); r.code != exitDone || !strings.Contains(r.out, "6 origins, read by rfc9309, google\n  versions  6, 0 of them dated\n  answers   2 with a robots.txt, 2 without, 2 unreachable,\n") {
		t.Errorf("%+v", r)
	}
	if r := check("--output", "json"); r.code != exitDone || !strings.Contains(r.out, `"origins": 6,`) && !strings.Contains(r.out, `"origins":6,`) {
		t.Errorf("%+v", r)
	}
	list := command(t, "", "compile", "--list", rules)
	if list.code != exitDone || strings.Count(list.out, "\n") != 6 || !strings.Contains(list.out, "http://a.example:80 ") || !strings.Contains(list.err, "6 origins") {
		t.Errorf("%+v", list)
	}
	list = command(t, "", "compile", "--list", rules, "--output", "ndjson")
	if list.code != exitDone || !strings.Contains(list.out, `{"origin":"http://a.example:80","from":"","status":200,"groups":1,"rules":2}`) {
		t.Errorf("%+v", list)
	}
}

func TestCheckSaysWhoIsExempt(t *testing.T) {
	r := command(t, "", "check", "--robots", file(t, "robots.txt", checkRobots), "--agent", "ChatGPT-User", "/everyone")
	if !strings.Contains(r.out, "  but       ChatGPT-User does not apply robots.txt: ") {
		t.Error(r.out)
	}
}

func TestCheckOutputs(t *testing.T) {
	robots := file(t, "robots.txt", checkRobots)
	urls := "/a\nhttps://h.example/everyone?x=1,2\n"
	check := func(output, stdin string) string {
		r := command(t, stdin, "check", "--robots", robots, "--agent", "x", "--output", output, "-")
		if r.code != exitDone {
			t.Fatalf("%+v", r)
		}
		return r.out
	}
	if got, want := check("csv", urls), `url,agent,dialect,allowed,line,rule,unknown
/a,x,rfc9309,true,0,,false
"https://h.example/everyone?x=1,2",x,rfc9309,false,8,Disallow: /everyone,false
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var list []job.Answer
	if err := json.Unmarshal([]byte(check("json", urls)), &list); err != nil || len(list) != 2 || list[1].Line != 8 || list[1].Allowed {
		t.Errorf("%v, %+v", err, list)
	}
	if got := check("json", ""); got != "[]\n" {
		t.Errorf("no URLs: %q", got)
	}
	for i, line := range strings.Split(strings.TrimSpace(check("ndjson", urls)), "\n") {
		var a job.Answer
		if err := json.Unmarshal([]byte(line), &a); err != nil || !reflect.DeepEqual(a, list[i]) {
			t.Errorf("%v: %s, want %+v", err, line, list[i])
		}
	}
}

func TestBatch(t *testing.T) {
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for name, c := range map[string]struct {
		args     []string
		in, want string
		code     int
	}{
		"strings": {in: `{"robots":"user-agent: *\ndisallow: /a","agent":"x","url":"http://h/a"}`, want: `{"allowed":false,"line":2}`},
		"base64": {
			in:   fmt.Sprintf(`{"robots_b64":%q,"agent_b64":%q,"url_b64":%q}`, b64("user-agent: *\ndisallow: /\xff"), b64("x"), b64("/\xff")),
			want: `{"allowed":true,"line":0}`, // not UTF-8, so no rule of RFC 9309
		},
		"google": {
			args: []string{"--dialect", "google"},
			in:   fmt.Sprintf(`{"robots_b64":%q,"agent":"x","url":"/%%FF"}`, b64("user-agent: *\ndisallow: /\xff")), want: `{"allowed":false,"line":2}`,
		},
		"the agent is never a profile": {
			in: `{"robots":"user-agent: googlebot\ndisallow: /","agent":"googlebot-image","url":"/"}`, want: `{"allowed":true,"line":0}`,
		},
		"names of fields are exact": {in: `{"Robots":"a","robots":"","agent":"","AGENT":1,"url":"","x":[{}]}`, want: `{"allowed":true,"line":0}`},
		"limit": {
			args: []string{"--max-bytes", "20"},
			in:   `{"robots":"user-agent: *\ndisallow: /","agent":"x","url":"/"}`, want: `{"allowed":true,"line":0}`,
		},
		"no limit": {
			args: []string{"--max-bytes", "0"},
			in:   fmt.Sprintf(`{"robots":"user-agent: *\n%sdisallow: /","agent":"x","url":"/"}`, strings.Repeat(`#\n`, 300_000)), want: `{"allowed":false,"line":300002}`,
		},
		"CRLF":     {in: `{"robots":"","agent":"","url":""}` + "\r", want: `{"allowed":true,"line":0}`},
		"not JSON": {in: `hello`, want: `{"error":"not a JSON object: invalid character 'h' looking for beginning of value"}`, code: exitInput},
		"a list":   {in: `[1]`, want: `{"error":"not a JSON object: array"}`, code: exitInput},
		"null":     {in: `null`, want: `{"error":"not a JSON object: null"}`, code: exitInput},
		"missing":  {in: `{"robots":"","url":""}`, want: `{"error":"neither agent nor agent_b64"}`, code: exitInput},
		"number":   {in: `{"robots":"","agent":"","url":7}`, want: `{"error":"url is not a string"}`, code: exitInput},
		"base64 with a hole": {
			in: `{"robots":"","agent":"","url_b64":"%%"}`, want: `{"error":"url_b64 is not base64"}`, code: exitInput,
		},
		"base64 as a list": {in: `{"robots":"","agent":"","url_b64":[1]}`, want: `{"error":"url_b64 is not base64"}`, code: exitInput},
		"both":             {in: `{"robots":"","robots_b64":"","agent":"","url":""}`, want: `{"error":"both robots and robots_b64"}`, code: exitInput},
		"empty line":       {in: "\n" + `{"robots":"","agent":"","url":""}`, want: `{"error":"not a JSON object: unexpected end of JSON input"}` + "\n" + `{"allowed":true,"line":0}`, code: exitInput},
		"a line too long":  {in: strings.Repeat("x", maxCase+1) + "\n" + `{"robots":"","agent":"","url":""}`, want: `{"error":"line longer than 67108864 bytes"}` + "\n" + `{"allowed":true,"line":0}`, code: exitInput},
	} {
		t.Run(name, func(t *testing.T) {
			for _, end := range []string{"", "\n"} {
				r := command(t, c.in+end, append([]string{"check", "--jsonl"}, c.args...)...)
				if r.out != c.want+"\n" || r.code != c.code || r.err != "" {
					t.Errorf("code %d, stderr %q, stdout %q; want %d, %q", r.code, r.err, r.out, c.code, c.want)
				}
			}
		})
	}
	if r := command(t, "", "check", "--jsonl"); r.out != "" || r.code != exitDone {
		t.Errorf("no cases: %+v", r)
	}
}

func TestCheckKnowsTheUsersOwnCrawlers(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: parent\ndisallow: /p\n\nuser-agent: *\ndisallow: /\n")
	crawlers := file(t, "crawlers.json", `[{"name":"Child","operator":"Us","category":"other","words":["Child"],"tokens":["Child","Parent"],"obeys":"yes"}]`)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, `"allowed":false`}, // by *
		{[]string{"--crawlers", crawlers}, `"allowed":true`},
	} {
		r := command(t, "", append([]string{"check", "--robots", robots, "--agent", "child", "--output", "json", "/q"}, c.args...)...)
		if r.code != exitDone || !strings.Contains(r.out, c.want) {
			t.Errorf("%v: code %d, %s%s, want %s", c.args, r.code, r.out, r.err, c.want)
		}
	}
	r := command(t, "", "check", "--robots", robots, "--agent", "child", "--crawlers", "missing.json", "/q")
	if r.code != exitInput || !strings.Contains(r.err, "missing.json") {
		t.Errorf("code %d, %q", r.code, r.err)
	}
}

// A header is read as "crawlers HEADER" reads it, and whoever pastes one is told.
func TestCheckReadsAHeader(t *testing.T) {
	const robots = "user-agent: gptbot\ndisallow: /\n"
	for agent, tells := range map[string]bool{"Mozilla/5.0 (compatible; GPTBot/1.2)": true, "GPTBot/1.2": true, "GPTBot": false} {
		r := command(t, robots, "check", "--robots", "-", "--agent", agent, "http://h/")
		if strings.Contains(r.err, "is read as GPTBot") != tells || !strings.HasPrefix(r.out, "disallowed") {
			t.Errorf("%s: %+v", agent, r)
		}
	}
}
