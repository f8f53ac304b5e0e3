package audit

import (
	"bytes"
	"testing"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// lossy is the verdict on a target that is lossy in a way.
func lossy(t *testing.T, a *Auditor, target string, how format.Lossy) string {
	t.Helper()
	r := request(target)
	r.Lossy = how
	return verdictOf(t, a, r)
}

// A path that the log has decoded is judged as it is logged and as it is when it is encoded
// again: where the two differ, nobody is accused.
func TestDecodedPaths(t *testing.T) {
	const rules = "User-agent: *\nDisallow: /private/\nDisallow: /a%20b\nDisallow: /100%25\nDisallow: /*;id=\nDisallow: " +
		"/x%3Fy\nAllow: /private/free;all\nDisallow: /caf%C3%A9\n"
	a := newAuditor(t, rules, "https://example.com")
	for target, want := range map[string]string{
		"/public":              "allowed",
		"/private/x":           "violation",
		"/private/x y":         "violation", // under both spellings
		"/private/caf\xc3\xa9": "violation",
		"/private/50%":         "violation",
		"/private/free":        "violation",
		"/private/free;all":    "lossy_path", // the client may have sent %3B, for which there is no Allow
		"/a b":                 "lossy_path", // a client that sent a blank was not forbidden
		"/b c":                 "allowed",
		"/100%":                "lossy_path",
		"/p;id=1":              "lossy_path",
		"/p?q=;id=1":           "violation", // the query is as it was sent
		"/x%3Fy":               "violation", // the format has encoded it
		"/robots.txt":          "robots_fetch",
		"/robots.txt%3Fx":      "allowed", // no robots.txt
	} {
		if got := lossy(t, a, target, format.Decoded); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
		if want == "lossy_path" && lossy(t, a, target, format.Exact) == want {
			t.Errorf("%s: an exact path is lossy", target)
		}
	}
}

// A path has other spellings if and only if it has a byte that an encoding changes before its
// query.
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

// A path that the server has rewritten says nothing: where any path is forbidden, it may have
// been that one.
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

// Of several copies those that were in force decide whether a lossy path matters.
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

// Lossy paths are no ground for an accusation of evasion.
func TestLossyPathsAreNotEvasive(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	r := request("//private/ x")
	if r.Lossy = format.Decoded; auditRecords(t, a, r).Totals.Evasive != 0 {
		t.Error("a decoded path is evasive")
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
