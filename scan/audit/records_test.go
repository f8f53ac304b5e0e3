package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/cases"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// TestClaims checks that the statements of a CDN about clients are counted as claims and prove nothing, that their list
// is bounded and depends only on the set of lines, and that states have it.
func TestClaims(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	claimed := func(agent, claim string) format.Record {
		r := request("/private/")
		r.Agent, r.Claim = []byte(agent), append([]byte{}, claim...)
		return r
	}
	none := request("/private/")
	r := auditRecords(t, a, claimed(gptbot, "AI Crawler"), claimed(gptbot, ""), claimed(gptbot, "AI Crawler"), none,
		claimed(browser, "AI Crawler"), claimed(acmebot, strings.Repeat("x", 2*maxClaim)))
	gpt, acme := rowOf(r, "GPTBot"), rowOf(r, "AcmeBot")
	if want := []report.ClaimInfo{{Claim: "AI Crawler", N: 2}, {Claim: "", N: 1}}; !slices.Equal(gpt.Claims, want) ||
		gpt.ClaimsNotListed != 0 || gpt.Identity[report.Verified] != 0 {
		t.Errorf("claims %v, identities %v", gpt.Claims, gpt.Identity)
	}
	if len(acme.Claims) != 1 || !strings.HasSuffix(acme.Claims[0].Claim, "(longer than 200 bytes)") {
		t.Errorf("claims %v", acme.Claims)
	}
	var records []format.Record
	for i := range 500 {
		records = append(records, claimed(gptbot, fmt.Sprint("claim ", i)), claimed(acmebot, fmt.Sprint("claim ", i)))
	}
	want := marshal(t, auditRecords(t, a, records...))
	slices.Reverse(records)
	run := begin(t, a)
	for part := range slices.Chunk(records, 300) {
		w := run.Worker()
		w.readers[format.Default()] = &handmade{records: part}
		w.Chunk(format.Default(), nil, []byte("x"))
	}
	var state bytes.Buffer
	err := run.WriteState(&state, nil)
	if err == nil {
		r, err = reportOf(a, state.Bytes())
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := marshal(t, r); got != want {
		t.Error(firstDifference(got, want))
	}
	for _, c := range r.Crawlers {
		if len(c.Claims) != maxClaims || c.ClaimsNotListed != 500-maxClaims {
			t.Errorf("%s: %d claims and %d more", c.Crawler, len(c.Claims), c.ClaimsNotListed)
		}
	}
}

// TestSchemes checks that a scheme field decides which origin was requested, but an absolute target alone does not.
func TestSchemes(t *testing.T) {
	a := newAuditor(t, "User-agent: *\nDisallow: /private/\n", "https://example.com", "http://shop.example:8080")
	for _, row := range cases.Rows(t, "schemes.txt") {
		target, host, logged, want := row[0], row[1], row[2] == "true", row[3]
		r := request(target)
		r.Host, r.SchemeLogged = []byte(host), logged
		if got := verdictOf(t, a, r); got != want {
			t.Errorf("%q: %s", row, got)
		}
	}
	for target, want := range map[string]string{ // in fields of their own
		"http://example.com/private/": "unknown_scheme", "http://example.com/": "unknown_scheme",
		"http://example.com/robots.txt": "robots_fetch", "https://example.com/private/": "violation",
		"http://example.com:80/private/": "other_host", "https://shop.example:8080/private/": "unknown_scheme",
		"http://shop.example:8080/private/": "violation",
	} {
		r := request(target)
		r.Host = nil
		if r.OwnURL = true; verdictOf(t, a, r) != want {
			t.Errorf("%s: %s, not %s", target, verdictOf(t, a, r), want)
		}
	}
	both := New(Config{Crawlers: crawlers(t), Policy: stateAuditor(t).config.Policy}) // http forbids everything
	r := request("http://example.com/b")
	r.Time, r.Host = moment(-5*day0), []byte("example.com")
	for logged, want := range map[bool]string{true: "violation", false: "unknown_scheme"} {
		if r.SchemeLogged = logged; verdictOf(t, both, r) != want {
			t.Errorf("scheme logged %v: %s", logged, verdictOf(t, both, r))
		}
	}
}

// TestLostUserAgents checks the warnings for a log with hardly any User-Agent, or in which a CDN has replaced it.
func TestLostUserAgents(t *testing.T) {
	const cdn = "Amazon CloudFront"
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	for _, c := range []struct {
		agents      string // headers and how many lines have each
		none, byCDN int64
		want        string // "" for no warning
	}{
		{"- 10", 10, 0, `10 of 10 lines have no User-Agent ("-")`},
		{"- 1", 1, 0, `1 of 1 line has no User-Agent ("-")`},
		{"- 9; Firefox/1 1", 9, 0, `9 of 10 lines have no User-Agent ("-")`},
		{"- 9; GPTBot/1.0 1", 9, 0, `9 of 10 lines have no User-Agent ("-")`},
		{"- 9; Firefox/1 2", 9, 0, ""},
		{"Firefox/1 2", 0, 0, ""},
		{"Amazon%20CloudFront 2; curl/8 1; Firefox/1 1; WebP%20Cloud%20Services/1.0 1", 0, 3, cdn},
		{"Firefox/1 20; Amazon%20CloudFront 1", 0, 1, ""},
	} {
		var log []entry
		for item := range strings.SplitSeq(c.agents, "; ") {
			agent, n := "", 0
			fmt.Sscan(item, &agent, &n)
			log = append(log, slices.Repeat([]entry{{agent: strings.ReplaceAll(agent, "%20", " ")}}, n)...)
		}
		r := auditEntries(t, a, log...)
		warnings := strings.Join(r.Warnings, "\n")
		said := strings.Contains(warnings, "User-Agent") && strings.Contains(warnings, c.want)
		if r.NoAgent != c.none || r.CDNAgents != c.byCDN || said != (c.want != "") {
			t.Errorf("%s: %d without, %d of CDNs, warnings %q", c.agents, r.NoAgent, r.CDNAgents, r.Warnings)
		}
	}
}

// handmade is a reader of records as no format of today makes them, one for each byte of a chunk.
type handmade struct {
	records []format.Record
	next    int
}

func (h *handmade) Reset([]byte) { h.next = 0 }

func (h *handmade) Next(r *format.Record) format.Kind {
	if h.next == len(h.records) {
		return format.End
	}
	*r = format.Record{Line: h.records[h.next].Line, Agent: h.records[h.next].Agent, Robots: h.records[h.next].Robots}
	h.next++
	return format.Request
}

func (h *handmade) Complete(r *format.Record) { *r = h.records[h.next-1] }

func (*handmade) Plausible(*format.Record) bool { return true }

// request returns the record of a request by GPTBot at someTime.
func request(target string) format.Record {
	return format.Record{
		Line: []byte(target), Agent: []byte(gptbot), Host: []byte("example.com:443"), Addr: []byte("192.0.2.1"),
		Method: []byte("GET"), Target: []byte(target),
		Robots: target == robotsTxt, Time: moment(0), HasTime: true, Status: 200, Size: 512,
	}
}

// auditRecords audits records.
func auditRecords(t testing.TB, a *Auditor, records ...format.Record) *report.Report {
	t.Helper()
	run := begin(t, a)
	w := run.Worker()
	w.readers[format.Default()] = &handmade{records: slices.Clip(records)}
	w.Chunk(format.Default(), nil, []byte("x"))
	return resultOf(t, run)
}

// verdictOf is the verdict on one record, with its reason if it is indeterminate.
func verdictOf(t testing.TB, a *Auditor, r format.Record) string {
	t.Helper()
	result := auditRecords(t, a, r)
	switch v := result.Totals.Verdicts; {
	case result.OtherHost == 1:
		return "other_host"
	case v[report.Indeterminate] == 1:
		for reason := range nonZero(t, result.Crawlers[0].Reasons) {
			return reason
		}
	default:
		for verdict := range nonZero(t, v) {
			return verdict
		}
	}
	return "nothing"
}

// lossy is the verdict on a target that is lossy in a way.
func lossy(t *testing.T, a *Auditor, target string, how format.Lossy) string {
	t.Helper()
	r := request(target)
	r.Lossy = how
	return verdictOf(t, a, r)
}

// TestDecodedPaths checks that a path that the log has decoded is judged both as logged and encoded
// again, and that nobody is accused if the results differ.
func TestDecodedPaths(t *testing.T) {
	const rules = "User-agent: *\nDisallow: /private/\nDisallow: /a%20b\nDisallow: /100%25\nDisallow: /*;id=\nDisallow: " +
		"/x%3Fy\nAllow: /private/free;all\nDisallow: /caf%C3%A9\n"
	a := newAuditor(t, rules, "https://example.com")
	for _, row := range cases.Rows(t, "decoded.txt") {
		target, want := row[0], row[1]
		if got := lossy(t, a, target, format.Decoded); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
		if want == "lossy_path" && lossy(t, a, target, format.Exact) == want {
			t.Errorf("%s: an exact path is lossy", target)
		}
	}
}

// TestOctetsThatEncodingsChange checks that a path has other spellings if and only if an encoding
// changes some byte before its query.
func TestOctetsThatEncodingsChange(t *testing.T) {
	var r spellings
	for c := range 256 {
		path := []byte{'/', 'a', byte(c), 'b'}
		if r.find(path); r.n > 0 != (bytes.IndexFunc(path, isEncoded) >= 0) && c != '?' {
			t.Errorf("%q has %d other spellings", path, r.n)
		}
	}
	a := newAuditor(t, "User-agent: *\nDisallow: /a%20b\n", "https://example.com")
	for target, want := range map[string]string{"/a b": "lossy_path", "/c?x y": "allowed", "/a b?c": "lossy_path"} {
		for _, prefix := range []string{"", "https://example.com"} {
			if got := lossy(t, a, prefix+target, format.Decoded); got != want {
				t.Errorf("%s%s: %s, want %s", prefix, target, got, want)
			}
		}
	}
}

// TestRewrittenPaths checks that a path rewritten by the server might be any path that is forbidden.
func TestRewrittenPaths(t *testing.T) {
	for robots, want := range map[string]string{
		"User-agent: *\nDisallow: /private/\n":                          "lossy_path",
		"User-agent: *\nDisallow: /\n":                                  "lossy_path", // it may have been /robots.txt
		"User-agent: *\nDisallow:\n":                                    "allowed",
		"User-agent: *\nAllow: /\n":                                     "allowed",
		"User-agent: Googlebot\nDisallow: /\n":                          "allowed",
		"# nothing\n":                                                   "allowed",
		"User-agent: GPTBot\nDisallow:\n\nUser-agent: *\nDisallow: /\n": "allowed",
	} {
		a := newAuditor(t, robots, "https://example.com")
		if got := lossy(t, a, "/index.php", format.Rewritten); got != want {
			t.Errorf("%q: %s, want %s", robots, got, want)
		}
		if got := lossy(t, a, robotsTxt, format.Rewritten); got != "robots_fetch" {
			t.Errorf("%q: /robots.txt is %s", robots, got)
		}
		r := request("/index.php")
		r.Lossy, r.Agent = format.Rewritten, []byte(chatgpt)
		if got := verdictOf(t, a, r); got != "exempt" {
			t.Errorf("%q: an exempt agent's request is %s", robots, got)
		}
	}
	none := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{}, version{from: -9 * day0, status: 404})})
	if got := lossy(t, none, "/index.php", format.Rewritten); got != "no_policy" {
		t.Errorf("without a robots.txt: %s", got)
	}
}

// TestLossyPathsUnderAHistory checks that, of several copies, those in force decide whether a lossy path matters.
func TestLossyPathsUnderAHistory(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -9 * day0, body: "User-agent: *\nDisallow: /a%20b\n"},
		version{from: -5 * day0, body: "User-agent: *\nDisallow: /c\n"})})
	r := request("/a b")
	if r.Lossy = format.Decoded; verdictOf(t, a, r) != "allowed" {
		t.Errorf("a rule of an old copy matters: %s", verdictOf(t, a, r))
	}
	if r.Time = moment(-6 * day0); verdictOf(t, a, r) != "lossy_path" {
		t.Errorf("while the rule was in force: %s", verdictOf(t, a, r))
	}
	// An answer in the log that there is no robots.txt permits both spellings, but another way.
	told := request(robotsTxt)
	told.Time, told.Status, told.Size = moment(-6*day0-60), 404, 0
	result := auditRecords(t, a, told, r)
	if v := result.Totals.Verdicts; v[report.Violation] != 0 || v[report.Indeterminate]+v[report.NoPolicy] != 1 {
		t.Errorf("after a 404: %v", nonZero(t, v))
	}
}

func TestGuardAllocsOfLossyPaths(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	w := begin(t, a).Worker()
	var records []format.Record
	for _, target := range []string{"/public", "/p q", "/caf\xc3\xa9"} {
		for _, loss := range []format.Lossy{format.Decoded, format.Rewritten} {
			r := request(target)
			r.Lossy, r.Claim = loss, []byte("Search Engine Crawler")
			records = append(records, r)
		}
	}
	w.readers[format.Default()] = &handmade{records: records}
	chunk := []byte("x")
	count := func() { w.Chunk(format.Default(), nil, chunk) }
	for range 3 {
		count()
	}
	if n := testing.AllocsPerRun(20, count); n > 0.1 {
		t.Errorf("%v allocations", n)
	}
}

// preimages are the paths that a decoding server logs as one: each byte of it is sent as it is
// where a URL may have it so (RFC 3986 3.3), and percent-encoded. The octets that need no encoding
// are never encoded, and slashes are slashes (audit-rules 5).
func preimages(logged string, spell map[byte][]string) (all []string) {
	all = []string{""}
	for i := range len(logged) {
		ways, ok := spell[logged[i]]
		if !ok {
			ways = []string{logged[i : i+1]}
		}
		var longer []string
		for _, p := range all {
			for _, w := range ways {
				longer = append(longer, p+w)
			}
		}
		all = longer
	}
	return all
}

// sentAs says how clients may send bytes that a server has logged decoded.
var sentAs = map[byte][]string{
	// IIS
	'%': {"%25"}, ' ': {"%20"}, 0xff: {"%FF", "\xff"}, ',': {",", "%2C"}, '?': {"%3F"}, '#': {"%23"},
	'+': {"+", "%2B", "%20"},
}

// TestPreimagesOfDecodedPaths judges every short path as a server would log it decoded, under a robots.txt that
// permits only one path that a client may have sent instead, and checks that there is no violation.
func TestPreimagesOfDecodedPaths(t *testing.T) {
	octets := []byte("/%2Fa?#+ ,\xff")
	var paths []string
	for _, a := range octets {
		for _, b := range octets {
			paths = append(paths, "/"+string([]byte{a}), "/"+string([]byte{a, b}))
		}
	}
	for _, logged := range paths {
		if strings.HasPrefix(logged, "//") {
			continue
		}
		for _, sent := range preimages(logged, sentAs) {
			if (strings.Contains(sent, "%2B") || strings.Contains(sent, "%2C")) && strings.ContainsAny(sent, "+,") ||
				strings.Contains(logged, "+") && strings.Contains(sent, "%20") &&
					(strings.Contains(sent, "+") || strings.Contains(sent, "%2B")) {
				continue // no client encodes some of these only
			}
			a := newAuditor(t, fmt.Sprintf("User-agent: *\nDisallow: /\nAllow: %s$\n", sent), "https://example.com")
			exact := request(sent)
			if got := verdictOf(t, a, exact); got == "violation" {
				continue // a parser reads the rule in another way
			}
			r := request(ends.Replace(logged))
			if r.Lossy = format.Decoded; verdictOf(t, a, r) == "violation" {
				t.Errorf("logged %q, sent %q: a violation", logged, sent)
			}
		}
	}
}

// ends encodes what would end a path, as package format does.
var ends = strings.NewReplacer("?", "%3F", "#", "%23")

// anyEntry returns an entry of any kind: of crawlers, browsers and others, with all verdicts.
func anyEntry(rng *rand.Rand) entry {
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	return entry{
		vhost: pick("example.com", "example.com:443", "example.com:443", "www.example.com", "other.example",
			"example.com:8080", "b\xfccher.example", "h\xff\x00", "-"),
		addr: pick("192.0.2.1", "192.0.2.2", "198.51.100.7", "10.0.0.1"), time: at(rng.IntN(20*day0) - 10*day0),
		method: pick("GET", "GET", "GET", "HEAD", "POST"),
		target: pick("/", "/about", "/private/", "/private/x", "/?s=1", "/a~b", "/a%7Eb", "/typo", "/robots.txt",
			"/robots.txt", "/robots.txt", "/robots.txt?x", "*", "//private/x", "https://www.example.com/private/",
			"http://example.com/private/", "/a b", `/\x22`, "/\x00\xff"),
		status: pick("200", "200", "200", "304", "301", "403", "404", "414", "429", "503", "-"),
		size:   pick("512", "70", "0", "-"),
		agent: pick(gptbot, gptbot, googlebot, chatgpt, adsbot, mj12bot, twoBots, acmebot, browser, browser, "curl/8",
			"bot", "-", "acmebot", "WireReader/1 (compatible; GPTBot/1)", "AcmeBot/2 (+https://x.example)",
			"ÄcmeBot\xff/1 (+https://x.example)", fmt.Sprintf("X%d-Bot/1 (+http://x.example)", rng.IntN(40))),
	}
}

// messyLog returns lines of a log in which everything occurs, garbage and mutated lines too.
func messyLog(rng *rand.Rand, n int, vhost bool) []string {
	lines := make([]string, n)
	for i := range lines {
		e := anyEntry(rng)
		if e.target == "/robots.txt" && rng.IntN(20) > 0 {
			e.status, e.size = []string{"200", "304"}[rng.IntN(2)], "" // others clear the requests of days
		}
		if rng.IntN(20) == 0 {
			e.time = "-"
		}
		if rng.IntN(20) == 0 {
			e.protocol = noProtocol
		}
		if !vhost {
			e.vhost = ""
		}
		line := e.String()
		switch rng.IntN(20) {
		case 0:
			line = ""
		case 1:
			line = randomBytes(rng, rng.IntN(200))
		case 2, 3:
			line = mutate(rng, line)
		case 4:
			line += "\r"
		}
		lines[i] = strings.ReplaceAll(line, "\n", "")
	}
	return lines
}

func randomBytes(rng *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return string(b)
}

// mutate changes a line where it hurts.
func mutate(rng *rand.Rand, line string) string {
	b := []byte(line)
	for range 1 + rng.IntN(3) {
		i := rng.IntN(len(b) + 1)
		j := min(len(b), i+rng.IntN(20))
		switch rng.IntN(4) {
		case 0:
			b = append(b[:i:i], b[j:]...)
		case 1:
			b = append(b[:j:j], b[i:]...)
		case 2:
			b = append(append(b[:i:i], "\"\\ []\r\x00*"[rng.IntN(8)]), b[i:]...)
		default:
			b = append(append(b[:i:i], randomBytes(rng, 3)...), b[j:]...)
		}
	}
	return string(b)
}

// TestEveryLineIsCountedOnce checks that the numbers of the report add up, whatever the lines are.
func TestEveryLineIsCountedOnce(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	plain := newAuditor(t, robotsTxtBody)
	hosts := newAuditor(t, robotsTxtBody, "https://example.com", "http://example.com:8080")
	for round := range rounds {
		rng := rand.New(rand.NewPCG(5, uint64(round)))
		for _, test := range []struct {
			a      *Auditor
			format string
			vhost  bool
		}{
			{plain, "combined", false}, {hosts, "combined", false}, {hosts, "vhost_combined", true},
			{plain, "common", false}, {hosts, "vhost_common", true}, {hosts, "vhost_combined", false},
		} {
			lines := messyLog(rng, 200, test.vhost)
			want := int64(0)
			for _, line := range lines {
				if line != "" && line != "\r" {
					want++
				}
			}
			r := auditText(t, test.a, test.format, strings.Join(lines, "\n")+"\n")
			if r.Lines != want || r.Blank != int64(len(lines))-want {
				t.Fatalf("round %d, %s: %d lines and %d blank, want %d and %d", round, test.format, r.Lines, r.Blank, want,
					int64(len(lines))-want)
			}
			if t.Failed() {
				t.Fatalf("round %d, %s", round, test.format)
			}
		}
	}
}

func TestLines(t *testing.T) {
	one := entry{target: "/private/"}.String()
	tests := []struct {
		name                   string
		log                    string
		lines, blank, unparsed int64
	}{
		{"nothing", "", 0, 0, 0},
		{"one line", one + "\n", 1, 0, 0},
		{"no final newline", one + "\n" + one, 2, 0, 0},
		{"CRLF", one + "\r\n" + one + "\r\n", 2, 0, 0},
		{"CRLF without the last LF", one + "\r\n" + one + "\r", 2, 0, 0},
		{"blank lines", "\n\r\n" + one + "\n\n\n", 1, 4, 0},
		{"a newline only", "\n", 0, 1, 0},
		{"a blank is not a blank line", " \n", 1, 0, 1},
		{"a bare CR is not a line end", one + "\r" + one + "\n", 1, 0, 1},
		{"two CRs: one belongs to the line", one + "\r\r\n", 1, 0, 1},
		{"NULs", "\x00\x00\x00\n" + one + "\n\x00", 3, 0, 2},
		{"garbage", "not a log\n" + one + "\n", 2, 0, 1},
		{"a line cut in its middle", one[:len(one)/2], 1, 0, 1},
		{"other ends of lines are none", one + "\v" + one + "\n" + one + "\u2028" + one + "\n", 2, 0, 2},
	}
	for _, test := range tests {
		r := auditText(t, newAuditor(t, robotsTxtBody), "combined", test.log)
		if r.Lines != test.lines || r.Blank != test.blank || r.Unparsed != test.unparsed ||
			r.Totals.Verdicts[report.Violation] != test.lines-test.unparsed {
			t.Errorf("%s: %d lines, %d blank, %d unparsed, %d violations; want %d, %d, %d", test.name, r.Lines, r.Blank,
				r.Unparsed, r.Totals.Verdicts[report.Violation], test.lines, test.blank, test.unparsed)
		}
	}
}

func TestOverlong(t *testing.T) {
	a := newAuditor(t, robotsTxtBody)
	run := begin(t, a)
	w := run.Worker()
	// Not even the beginning that is a whole record is judged.
	w.Overlong([]byte(entry{target: "/private/"}.String()))
	beginning := bytes.Repeat([]byte("x"), 64<<10)
	w.Overlong(beginning)
	for i := range beginning {
		beginning[i] = 0xff
	}
	w.Overlong(nil)
	r := resultOf(t, run)
	if r.Lines != 3 || r.Unparsed != 3 || len(r.Crawlers) != 0 {
		t.Error(marshal(t, r))
	}
	if got := r.UnparsedSamples[2]; got != strings.Repeat("x", maxSample) {
		t.Errorf("a sample of %d bytes: %.20q", len(got), got)
	}
}

// TestNoHostInALogOfOneSite checks that a line without a host name stays without one, even if other
// hosts are not judged.
func TestNoHostInALogOfOneSite(t *testing.T) {
	a := auditorBy(t, version{from: farAgo, body: forbid})
	run := begin(t, a)
	w := run.Worker()
	w.SetSite(policy.Site{First: 0, N: 1}, true)
	w.Chunk(byName(t, "vhost_combined"), nil, []byte(entry{vhost: "-",
		target: "/private/x"}.String()+"\n"+entry{vhost: "other.example:443", target: "/private/x"}.String()+"\n"))
	r := resultOf(t, run)
	if row := rowOf(r, "GPTBot"); row.Reasons[report.NoHost] != 1 || row.Requests != 1 || r.OtherHost != 1 {
		t.Errorf("%+v, %d of other hosts", row.Reasons, r.OtherHost)
	}
}

// TestZoneless checks that all times of an audit may be wrong by 14 hours if one of its logs names no zone.
func TestZoneless(t *testing.T) {
	a := auditorBy(t, version{from: farAgo, body: permit}, version{from: 0, body: forbid})
	const span = day0 + 3*hours + 600
	for _, c := range []struct {
		when     int
		zoneless []bool // of each log
		want     map[string]int64
	}{
		{span + 1, []bool{false}, map[string]int64{"violation": 1}},
		{span + 1, []bool{true}, map[string]int64{"grace": 1}},
		{span + 1, []bool{false, true}, map[string]int64{"grace": 2}},
		{span + 14*hours - 1, []bool{true}, map[string]int64{"grace": 1}},
		{span + 14*hours, []bool{true}, map[string]int64{"violation": 1}},
	} {
		run := begin(t, a)
		for i, is := range c.zoneless {
			w := run.Worker()
			w.SetZoneless(is)
			w.Chunk(byName(t, "vhost_combined"), nil, []byte(visits(c.when+i, "/private/x").String()))
		}
		r := resultOf(t, run)
		wantCounts(t, fmt.Sprint(c), r.Totals.Verdicts, c.want)
		if is := c.zoneless[len(c.zoneless)-1]; is != (r.Policy.SkewSeconds == 14*hours+600) {
			t.Errorf("%v: a skew of %d seconds", c, r.Policy.SkewSeconds)
		}
	}
}

// TestOverlooked checks that headers with a crawler's word that name no crawler are counted, by any number of workers,
// and that a bounded number of them is kept, chosen by their hashes.
func TestOverlooked(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	few := []string{browser + " StashBot", "Reader/4.0(reader.example/robot.html)", "page crawler v0", "curl/8.0 mybot",
		strings.Repeat("a ", 200) + "bot", strings.Repeat("a ", 2000) + "bot"}
	var want []report.HeaderInfo
	var lines, flood []string
	for _, other := range []string{gptbot, acmebot, browser, "curl/8.0",
		"Mozilla/5.0 (Linux; Android 9; CUBOT_X18) AppleWebKit/537.36 Mobile Safari/537.36"} {
		lines = append(lines, slices.Repeat([]string{entry{agent: other}.String()}, 50)...)
	}
	for i := range 36 {
		header := fmt.Sprintf("Mozilla/5.0 (compatible; Reader%d; http://r.example/robot.html)", i)
		if i < len(few) {
			header = few[i]
		}
		n := 10 + 36 - i
		lines = append(lines, slices.Repeat([]string{entry{agent: header}.String()}, n)...)
		if len(header) > 255 {
			header = header[:255] + " (longer than 255 bytes)"
		}
		if last := len(want) - 1; last >= 0 && want[last].Header == header { // the beginning of both long ones
			want[last].Requests += int64(n)
		} else {
			want = append(want, report.HeaderInfo{Header: header, Requests: int64(n)})
		}
	}
	slices.SortStableFunc(want, func(x, y report.HeaderInfo) int { return cmp.Compare(y.Requests, x.Requests) })
	for i := range 4 * maxHeaders {
		flood = append(flood, entry{agent: fmt.Sprintf("a bot%d", i)}.String())
	}
	f, a := byName(t, "combined"), newAuditor(t, robotsTxtBody)
	first := auditSplit(t, a, f, rng, flood, 1)
	for workers := 1; workers < 4; workers++ {
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		if r := auditSplit(t, a, f, rng, lines, workers); !slices.Equal(r.Overlooked, want[:10]) ||
			r.AllOverlooked() != int64(len(lines)-250) {
			t.Errorf("%d workers: %d, %v, want %v", workers, r.AllOverlooked(), r.Overlooked, want[:10])
		}
		r := auditSplit(t, a, f, rng, flood, workers)
		if !slices.Equal(r.Overlooked, first.Overlooked) || r.AllOverlooked() != 4*maxHeaders ||
			!strings.Contains(fmt.Sprint(r.Warnings), "crawler's word") {
			t.Errorf("%d workers: %d of %v and %v, warnings %q", workers, r.AllOverlooked(), r.Overlooked, first.Overlooked,
				r.Warnings)
		}
	}
}

// undeclaredAuditor returns an auditor that lists what it gives to Config.Undeclared.
func undeclaredAuditor(t testing.TB, p *policy.Policy, list *[]string) *Auditor {
	var mu sync.Mutex
	return New(Config{Crawlers: crawlers(t), Policy: p, Listeners: Listeners{Undeclared: listen(func(j *Event) {
		mu.Lock()
		defer mu.Unlock()
		*list = append(*list, fmt.Sprintf("%s %d %s %s %s:%d %s", j.Address, j.Time, j.Target, j.Agent, j.Rule.Rule,
			j.Rule.Line, j.Name))
	})}})
}

// TestUndeclared checks that Undeclared receives the requests forbidden to * by clients that name
// no crawler, by any number of workers.
func TestUndeclared(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	headers := []string{browser, "curl/8.0", "-", "page crawler v0", strings.Repeat("x ", 300), gptbot, acmebot, googlebot}
	rules := map[string]string{"/private/x": "Disallow: /private/:2", "/private/y?s=": "Disallow: /private/:2",
		"/b?s=1": "Disallow: /*?s=:3"}
	targets := []string{"/", "/a%7Eb", "/robots.txt", "/private/x", "/private/y?s=", "/b?s=1", "/c?t=1&s=", "*", "/private/../d"}
	var lines, want []string
	for i := range 6000 {
		address := []string{"192.0.2.1", "2001:DB8:0:1::7", "::ffff:192.0.2.3", "host4.example"}[rng.IntN(4)]
		header, target := headers[rng.IntN(len(headers))], targets[rng.IntN(len(targets))]
		lines = append(lines, entry{addr: address, time: at(i), target: target, agent: header}.String())
		if rule := rules[target]; rule != "" && !slices.Contains([]string{gptbot, acmebot, googlebot}, header) {
			want = append(want, fmt.Sprintf("%s %d %s %s %s ", address, moment(i), target, header, rule))
		}
	}
	slices.Sort(want)
	for workers := 1; workers < 4; workers++ {
		var got []string
		auditSplit(t, undeclaredAuditor(t, constant(robotsTxtBody, nil), &got), byName(t, "combined"), rng, lines, workers)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%d workers: %d requests, want %d, such as\n%s\n%s", workers, len(got), len(want), got[0], want[0])
		}
	}
}

// TestUndeclaredWithVersions checks that requests permitted by a copy in force shortly before, or
// sent to another host, are not passed on, and that answers in the log do not matter.
func TestUndeclaredWithVersions(t *testing.T) {
	p := history(t, policy.Options{}, version{from: -100 * hours, body: "User-agent: *\nAllow: /\n"},
		version{from: 0, body: forbid}, version{from: 100 * hours, status: 404})
	for name, c := range map[string]struct {
		host   string
		after  int
		target string
		want   int
	}{
		"before the rule":     {onSite, -hours, "/private/x", 0},
		"the rule is new":     {onSite, 10 * hours, "/private/x", 0},
		"forbidden":           {onSite, 50 * hours, "/private/x", 1},
		"another path":        {onSite, 50 * hours, "/x", 0},
		"robots.txt":          {onSite, 50 * hours, "/robots.txt", 0},
		"another host":        {"other.example:443", 50 * hours, "/private/x", 0},
		"robots.txt has gone": {onSite, 130 * hours, "/private/x", 0},
		"before all versions": {onSite, -200 * hours, "/private/x", 0},
	} {
		var got []string
		auditEntries(t, undeclaredAuditor(t, p, &got),
			entry{vhost: onSite, target: "/robots.txt", status: "404", time: at(c.after - 60), agent: browser},
			entry{vhost: c.host, target: c.target, time: at(c.after), agent: browser})
		if len(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
