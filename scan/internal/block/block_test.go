package block

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/test/cases"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

var end = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// world has crawlers, of which Googlebot and GPTBot have lists, also of other servers.
func world(t *testing.T) Options {
	t.Helper()
	set, err := crawler.New(slices.Clone(crawler.Builtin()))
	if err != nil {
		t.Fatal(err)
	}
	var series []crawler.Series
	for name, ranges := range map[string]string{
		"Googlebot": "127.0.0.0/30\n2001:db8:9::/48\n203.0.113.64/26\n", "GPTBot": "198.51.100.0/25\n",
	} {
		r, err := crawler.ReadRanges(strings.NewReader(strings.ReplaceAll(ranges, "127.0.0.0/30\n", "")), name, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		series = append(series, crawler.Series{Profile: set.ByName(name), Lists: []*crawler.Ranges{r}})
	}
	return Options{Crawlers: set, End: end, Report: &report.Report{},
		Identities: crawler.NewIdentities(set, crawler.IdentityOptions{Series: series})}
}

// request is one of a log that was judged by hand.
func (o *Options) request(name, addr string, v report.Verdict, i report.Identity) *audit.Event {
	e := &audit.Event{Crawler: o.Crawlers.ByName(name), Client: audit.Client{Name: name, Identity: i}, N: 1,
		Request: audit.Request{Address: []byte(addr), HasTime: true, Time: end.Add(-time.Hour).UnixNano()}}
	e.Verdict, e.Rule = v, report.RuleInfo{Rule: "Disallow: /p/", Line: 2}
	return e
}

// short is a rule in a few words.
func short(r Rule) string {
	text := fmt.Sprint(r.Sort, " ", strings.Join(r.Crawlers, "+"))
	if r.Sort == ByAddress {
		text += " " + r.Prefix.String()
	}
	if r.Range.IsValid() {
		text += " in " + r.Range.String()
	}
	return text
}

func rules(list []Rule) (texts []string) {
	for _, r := range list {
		texts = append(texts, short(r))
	}
	return texts
}

func TestDecide(t *testing.T) {
	o := world(t)
	const un, no = report.Unverified, report.Unverifiable
	log := func() *Collector {
		c := NewCollector(100)
		for _, j := range []*audit.Event{
			o.request("GPTBot", "198.51.100.1", report.Violation, report.Verified),
			o.request("GPTBot", "192.0.2.200", report.Spoofed, report.SpoofedIdentity),
			o.request("Googlebot", "203.0.113.65", report.Violation, report.Verified),
			o.request("Googlebot", "192.0.2.201", report.Spoofed, report.SpoofedIdentity),
			o.request("FooBot", "192.0.2.7", report.Violation, no),        // alone in its range
			o.request("FooBot", "203.0.112.1", report.Violation, no),      // two of a range
			o.request("FooBot", "203.0.112.2", report.Violation, no),      //
			o.request("FooBot", "2001:db8:1::1", report.Violation, no),    // likewise
			o.request("FooBot", "2001:db8:1::ffff", report.Violation, no), //
			o.request("FooBot", "2001:db8:2:0::1", report.Violation, no),  // two of different ranges
			o.request("FooBot", "2001:db8:2:1::1", report.Violation, no),  //
			o.request("FooBot", "203.0.113.1", report.Violation, no),      // whose range has addresses of Googlebot
			o.request("FooBot", "203.0.113.2", report.Violation, no),      //
			o.request("FooBot", "203.0.113.66", report.Violation, no),     // an address of Googlebot
			o.request("GPTBot", "198.51.100.9", report.Violation, un),     // its own, but of another time
			o.request("bingbot", "192.0.2.130", report.Violation, un),     // a search engine
			o.request("FooBot", "10.0.0.1", report.Violation, no),         // not a client's
			o.request("FooBot", "192.0.3.0", report.Violation, no),        // perhaps cut
			o.request("FooBot", "client.example", report.Violation, no),   // no address
			o.request("FooBot", "192.0.8.1", report.Violation, no),        // beside a search engine
			o.request("FooBot", "192.0.8.2", report.Violation, no),
			o.request("bingbot", "192.0.8.3", report.Violation, un),
			o.request("BarBot", "192.0.4.1", report.Allowed, no),           // which keeps to robots.txt
			o.request("CCBot", "192.0.4.2", report.Grace, report.Verified), // likewise
			o.request("Baz\"Bot", "192.0.5.1", report.Violation, no),       // a hostile name
		} {
			c.Add(j)
		}
		old := o.request("FooBot", "192.0.6.1", report.Violation, no)
		old.Time = end.AddDate(0, 0, -31).UnixNano()
		c.Add(old)
		return c
	}
	p := Decide(log(), o)
	want := []string{"0 GPTBot", "1 GPTBot", "1 Googlebot", "2 FooBot 192.0.2.7/32", "2 Baz\"Bot 192.0.5.1/32",
		"2 FooBot 192.0.8.1/32", "2 FooBot 192.0.8.2/32",
		"2 GPTBot 198.51.100.9/32",
		"2 FooBot 203.0.112.0/24", "2 FooBot 203.0.112.1/32 in 203.0.112.0/24", "2 FooBot 203.0.112.2/32 in 203.0.112.0/24",
		"2 FooBot 2001:db8:1::/64", "2 FooBot 2001:db8:1::1/128 in 2001:db8:1::/64",
		"2 FooBot 2001:db8:1::ffff/128 in 2001:db8:1::/64",
		"2 FooBot 2001:db8:2::1/128", "2 FooBot 2001:db8:2:1::1/128"}
	if got := rules(p.Rules); !slices.Equal(got, want) {
		t.Errorf("rules\n%q, want\n%q", got, want)
	}
	if got := rules(p.Held); !slices.Equal(got, []string{"0 Googlebot", "2 bingbot 192.0.2.130/32",
		"2 bingbot 192.0.8.3/32", "2 FooBot 203.0.113.1/32", "2 FooBot 203.0.113.2/32"}) {
		t.Errorf("held: %q", got)
	}
	wantNotes := []string{
		"No rule covers 3 violations at private, cut or missing addresses.",
		"No rule covers 1 violation at addresses in a list of Google.",
		"No rule covers 1 violation at addresses that have not been seen to break it for 30 days before the end of the log.",
	}
	if slices.Sort(wantNotes); !slices.Equal(p.Notes, wantNotes) {
		t.Errorf("notes %q", p.Notes)
	}
	o.Search = true
	if p := Decide(log(), o); len(p.Held) != 0 || len(p.Rules) != 23 {
		t.Errorf("confirmed: %q, held %q", rules(p.Rules), rules(p.Held))
	}
	o.Report = &report.Report{Proxied: true}
	if p := Decide(log(), o); len(p.Rules)+len(p.Held) != 0 {
		t.Errorf("behind a proxy: %q", rules(p.Rules))
	}
}

// TestOwnAddresses checks that IPv6 addresses don't prove an impostor if a crawler's lists only
// have IPv4, and that a client verified by name isn't refused.
func TestOwnAddresses(t *testing.T) {
	o := world(t)
	o.LookedUp = []crawler.Pair{{Profile: o.Crawlers.ByName("GPTBot"), Addr: "192.0.2.44"}}
	c := NewCollector(100)
	c.Add(o.request("GPTBot", "192.0.2.200", report.Spoofed, report.SpoofedIdentity))
	p := Decide(c, o)
	if got := fmt.Sprint(p.Rules[0].Own); got != "[192.0.2.44/32 198.51.100.0/25 2000::/3]" {
		t.Errorf("own: %s", got)
	}
}

// TestManyClients checks that memory is bounded, and that clients beyond the limit are counted.
func TestManyClients(t *testing.T) {
	o := world(t)
	c := NewCollector(0)
	for i := range 1000 {
		c.Add(o.request("FooBot", fmt.Sprintf("192.%d.%d.7", 1+i/256, i%256), report.Violation, report.Unverifiable))
	}
	p := Decide(c, o)
	if len(p.Rules) != 100 || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "900 violations") {
		t.Errorf("%d rules, %q", len(p.Rules), p.Notes)
	}
}

// sample is a plan with a rule of each sort, and hostile texts.
func sample(t *testing.T) (*Plan, Options) {
	o := world(t)
	o.LookedUp = []crawler.Pair{{Profile: o.Crawlers.ByName("GPTBot"), Addr: "192.0.2.99"}}
	c := NewCollector(100)
	hostile := "x\"'`;}\n{$HOME}${HOME} %(a)s \\\r\u2028\u202e\u0085\x1b[2J\x00*/ -->\xff\\"
	for i, j := range []*audit.Event{
		o.request("CCBot", "192.0.2.5", report.Violation, report.Verified),
		o.request("GPTBot", "192.0.2.200", report.Spoofed, report.SpoofedIdentity),
		o.request("FooBot"+hostile, "192.0.2.7", report.Violation, report.Unverifiable),
		o.request("FooBot", "198.51.101.1", report.Violation, report.Unverifiable),
		o.request("FooBot", "198.51.101.2", report.Violation, report.Unverifiable),
		o.request("FooBot", "2001:db8:1::1", report.Violation, report.Unverifiable),
	} {
		j.Rule.Rule = "Disallow: /" + strings.Repeat(hostile, i)
		c.Add(j)
	}
	return Decide(c, o), o
}

// written returns the rules as a kind writes them.
func written(t *testing.T, kind string, p *Plan) string {
	t.Helper()
	k := ByKind(kind)
	var b bytes.Buffer
	c := NewCounter(p, []*Kind{k}, 1)
	c.Settle()
	if err := k.Write(&b, p, c.Results()[0], "1.0\nx"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHostileTexts checks that no text of a log or a robots.txt escapes its comment.
func TestHostileTexts(t *testing.T) {
	p, _ := sample(t)
	isComment := regexp.MustCompile(`^\s*#[ -~]*$`)
	for _, kind := range KindNames() {
		text := written(t, kind, p)
		if !Is([]byte(text)) {
			t.Errorf("%s: not known as a file of rules", kind)
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if strings.Contains(line, "FooBot") || strings.Contains(line, "Disallow") || strings.Contains(line, "HOME") {
				if !isComment.MatchString(line) || strings.ContainsAny(line, "\\{}`") {
					t.Errorf("%s: %q", kind, line)
				}
			}
		}
	}
	for _, word := range []string{`a"b`, "a\nb", "a$b", "a{b", `a\b`, "a#b", "a;b", "a'b", "a`b", "a%b", "ä", "a~b"} {
		if _, ok := anyOf([]string{word}); ok {
			t.Errorf("%q is written", word)
		}
	}
}

// TestDryRun checks that the dry run counts each request once under the right client, and spares
// /robots.txt where servers can.
func TestDryRun(t *testing.T) {
	p, o := sample(t)
	kinds := []*Kind{ByKind("nginx"), ByKind("nft"), ByKind("cloudflare")}
	c := NewCounter(p, kinds, 2)
	requests := []struct {
		agent, name, addr string
		identity          report.Identity
		fetch             bool
	}{
		{"CCBot/2.0", "CCBot", "192.0.2.5", report.Verified, false},              // refused
		{"CCBot/2.0", "CCBot", "192.0.2.5", report.Verified, true},               // robots.txt
		{"xccbot", "", "192.0.2.5", 0, false},                                    // another word
		{"Mozilla/5.0 (like ccbot)", "", "192.0.2.66", 0, false},                 // like it only
		{"Mozilla/5.0 (x;ccbot)", "", "192.0.2.66", 0, false},                    // refused by regular expressions
		{"Mozilla/5.0 (my ccbot)", "", "192.0.2.66", 0, false},                   // refused, a visitor
		{"GPTBot/1.0", "GPTBot", "192.0.2.200", report.SpoofedIdentity, false},   // refused
		{"GPTBot/1.0", "GPTBot", "198.51.100.7", report.Verified, false},         // its own
		{"GPTBot/1.0", "GPTBot", "192.0.2.99", report.Verified, false},           // verified by its name
		{"GPTBot/1.0", "GPTBot", "192.0.2.201", report.Unverified, false},        // refused, not proven to be another
		{"GPTBot/1.0", "GPTBot", "2001:db8::1", report.Unverified, false},        // of a family without lists
		{"FooBot/1.0", "FooBot", "198.51.101.3", report.Unverifiable, false},     // refused, in the range of two
		{"Mozilla/5.0", "", "198.51.101.9", 0, false},                            // refused, a visitor
		{"Googlebot/2.1", "Googlebot", "198.51.101.2", report.Unverified, false}, // refused, a search engine
		{"FooBot/1.0", "FooBot", "198.51.101.1", report.Unverifiable, true},      // robots.txt
	}
	for i, r := range requests {
		s := &audit.Event{Place: audit.Place{Worker: i % 2}, Client: audit.Client{Name: r.name, Identity: r.identity},
			Request: audit.Request{Agent: []byte(r.agent), Address: []byte(r.addr)}}
		s.Verdict = report.Indeterminate
		if r.name == "CCBot" {
			s.Verdict = report.Allowed
		}
		if r.fetch {
			s.Verdict = report.RobotsFetch
		}
		if r.name != "" {
			s.Crawler = o.Crawlers.ByName(r.name)
		}
		c.Add(s)
	}
	for i, want := range []Refused{
		{8, 5, 1, 3, 0, 1}, // nginx
		{4, 2, 0, 1, 0, 1}, // nft
		{7, 4, 1, 2, 0, 1}, // cloudflare
	} {
		if got := c.Results()[i]; got.Refused != want || got.Lines != 15 {
			t.Errorf("%s: %+v of %d, want %+v", kinds[i].Name, got.Refused, got.Lines, want)
		}
	}
	c = NewCounter(p, kinds[2:3], 1)
	s := &audit.Event{Request: audit.Request{Agent: []byte("GPTBot/1.0"), Address: []byte("192.0.2.200")},
		Client: audit.Client{Name: "GPTBot"}}
	if n := testing.AllocsPerRun(100, func() { c.Add(s) }); n > 0 { // the rules are not written for each request
		t.Errorf("%v allocations for a request", n)
	}
}

// program returns the path of a program, and skips the test where it is not installed.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	for _, dir := range []string{"/usr/sbin", "/sbin"} {
		if err != nil {
			path, err = exec.LookPath(filepath.Join(dir, name))
		}
	}
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// setUp writes the rules and a configuration that uses them, in which DIR is the folder of both and PORT a free port.
func setUp(t *testing.T, kind, config string) (dir, file, port string) {
	t.Helper()
	p, _ := sample(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(l.Addr().String())
	l.Close()
	dir = t.TempDir()
	rules := written(t, kind, p)
	config = strings.NewReplacer("DIR", dir, "PORT", port, "RULES", rules).Replace(config)
	file = filepath.Join(dir, "config")
	for name, text := range map[string]string{"rules": rules, "config": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, file, port
}

func run(t *testing.T, command string, args ...string) {
	t.Helper()
	if out, err := exec.Command(command, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", command, args, err, out)
	}
}

// answers starts a server and holds it to the answers that the rules of sample mean, where header names
// the client's address if the server takes it from there.
func answers(t *testing.T, port, header string, args ...string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	server := exec.CommandContext(ctx, args[0], args[1:]...)
	server.Cancel, server.WaitDelay = func() error { return server.Process.Signal(syscall.SIGTERM) }, 5*time.Second
	var log bytes.Buffer
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		stop()
		_ = server.Wait()
	}()
	get := func(path, agent, addr, forged string) int {
		r, err := http.NewRequest(http.MethodGet, "http://127.0.0.1:"+port+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("User-Agent", agent)
		r.Header.Set(header, addr)
		for _, name := range []string{"block", "name_1", "claim_1", "impostor_1", "own_1", "not_1", "address"} {
			r.Header["robotsieve_"+name] = []string{forged} // as Apache's SetEnvIf would take for a variable
		}
		for range 100 {
			answer, err := http.DefaultClient.Do(r)
			if err == nil {
				answer.Body.Close()
				return answer.StatusCode
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Fatalf("no answer: %s", log.String())
		return 0
	}
	for _, row := range cases.Rows(t, "answers.txt") {
		path, agent, addr, refused := row[0], row[1], row[2], row[3] == "true"
		for _, forged := range []string{"0", "1"} {
			if got := get(path, agent, addr, forged) == http.StatusForbidden; got != refused {
				t.Errorf("%s of %s at %s, forged %s: refused %t\n%s", path, agent, addr, forged, got, log.String())
			}
		}
	}
}

// TestServers checks that the servers take their rules, and refuse whom these mean.
func TestServers(t *testing.T) {
	for name, s := range map[string]struct{ program, header, check, serve string }{
		"nginx":   {"nginx", "X-Real-IP", "-t -c", "-c"},
		"apache":  {"apache2", "X-Real-IP", "-t -f", "-X -f"},
		"haproxy": {"haproxy", "X-Real-IP", "-c -f", "-f"},
		"caddy": {"caddy", "X-Forwarded-For", "validate --adapter caddyfile --config",
			"run --adapter caddyfile --config"},
	} {
		t.Run(name, func(t *testing.T) {
			server := program(t, s.program)
			if _, err := os.Stat("/usr/lib/apache2/modules"); err != nil && name == "apache" {
				t.Skip("the modules of Apache are elsewhere")
			}
			config, err := os.ReadFile(filepath.Join("testdata", name+".conf"))
			if err != nil {
				t.Fatal(err)
			}
			dir, file, port := setUp(t, name, string(config))
			t.Setenv("HOME", dir)
			run(t, server, append(strings.Fields(s.check), file)...)
			if name == "caddy" { // the test's address is its own
				rules, err := os.ReadFile(filepath.Join(dir, "rules"))
				rules = bytes.ReplaceAll(rules, []byte("remote_ip "), []byte("remote_ip forwarded "))
				if err := errors.Join(err, os.WriteFile(filepath.Join(dir, "rules"), rules, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			answers(t, port, s.header, append(append([]string{server}, strings.Fields(s.serve)...), file)...)
		})
	}
}

func TestNft(t *testing.T) {
	nft := program(t, "nft")
	dir, _, _ := setUp(t, "nft", "")
	out, err := exec.Command(nft, "-c", "-f", filepath.Join(dir, "rules")).CombinedOutput()
	if strings.Contains(string(out), "Operation not permitted") || strings.Contains(string(out), "cache initialization") {
		t.Skip("nft may not be used here")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestCloudflare checks that an expression respects Cloudflare's length limit, and that each rule is in one.
func TestCloudflare(t *testing.T) {
	p, o := sample(t)
	if text := written(t, "cloudflare", p); !strings.Contains(text, `
(((lower(http.user_agent) eq "ccbot" or ends_with(lower(http.user_agent), " ccbot") or `+
		`starts_with(lower(http.user_agent), "ccbot/") or lower(http.user_agent) contains " ccbot/" or `) ||
		!strings.Contains(text, ` or lower(http.user_agent) contains "; ccbot) applewebkit"))) `+
			`and http.request.uri.path ne "/robots.txt"
`) || !strings.Contains(text, `) and not ip.src in {192.0.2.99/32 198.51.100.0/25 2000::/3})) `+
		`and http.request.uri.path ne "/robots.txt"
`) || !strings.Contains(text, `
ip.src in {192.0.2.7/32 198.51.101.0/24 2001:db8:1::1/128} and http.request.timestamp.sec lt `+
		fmt.Sprint(end.Add(term).Unix())+` and http.request.uri.path ne "/robots.txt"
`) {
		t.Error(text)
	}
	for i := range 500 {
		addr := fmt.Sprintf("192.0.%d.%d", 2+i/250, i%250)
		o.LookedUp = append(o.LookedUp, crawler.Pair{Profile: o.Crawlers.ByName("GPTBot"), Addr: addr})
	}
	c := NewCollector(1 << 20)
	c.Add(o.request("GPTBot", "192.0.9.200", report.Spoofed, report.SpoofedIdentity))
	for i := range 10_000 {
		c.Add(o.request("FooBot", fmt.Sprintf("192.%d.%d.7", 1+i/256, i%256), report.Violation, report.Unverifiable))
	}
	for _, profile := range o.Crawlers.Profiles() {
		c.Add(o.request(profile.Name, "", report.Violation, report.Verified))
	}
	p = Decide(c, o)
	found := 0
	text := written(t, "cloudflare", p)
	for line := range strings.Lines(text) {
		if len(line) > maxExpression+1 && line[0] != '#' {
			t.Errorf("%d bytes: %.60s", len(line), line)
		}
		found += strings.Count(line, ".7/32")
	}
	isFew := regexp.MustCompile(`\n# [12]?[0-9] rules are left out: cloudflare takes no longer expressions\.\n`)
	if found != 10_000 || !isFew.MatchString(text) { // most crawlers have few words
		t.Errorf("%d addresses, or too many rules left out", found)
	}
}
