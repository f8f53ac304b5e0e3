package audit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/report"
)

// What a CDN says of a client is counted as its word, and proves nothing.
func TestClaims(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	var records []format.Record
	add := func(n int, agent, claim string, has bool) {
		for range n {
			r := request("/private/")
			if r.Agent = []byte(agent); has {
				r.Claim = append([]byte{}, claim...)
			}
			records = append(records, r)
		}
	}
	add(3, gptbot, "AI Crawler", true)
	add(2, gptbot, "", true)
	add(1, gptbot, "", false)
	add(1, acmebot, strings.Repeat("x", 2*maxClaim), true)
	add(5, browser, "AI Crawler", true)
	r := auditRecords(t, a, records...)
	gpt := rowOf(r, "GPTBot")
	if want := []report.ClaimInfo{{Claim: "AI Crawler", N: 3}, {Claim: "", N: 2}}; !slices.Equal(gpt.Claims, want) ||
		gpt.ClaimsNotListed != 0 {
		t.Errorf("claims %v", gpt.Claims)
	}
	if gpt.Identity[report.Verified] != 0 {
		t.Errorf("identities %v", gpt.Identity)
	}
	if acme := rowOf(r, "AcmeBot"); len(acme.Claims) != 1 || len(acme.Claims[0].Claim) > 2*maxClaim ||
		!strings.HasSuffix(acme.Claims[0].Claim, "(longer than 200 bytes)") {
		t.Errorf("claims %v", acme.Claims)
	}
}

// The list of claims is bounded, the choice depends on the set of lines alone, and a state has it.
func TestManyClaims(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	var records []format.Record
	for i := range 500 {
		for _, agent := range []string{gptbot, acmebot} {
			r := request("/")
			r.Agent, r.Claim = []byte(agent), fmt.Append(nil, "claim ", i)
			records = append(records, r)
		}
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
	if err := run.WriteState(&state, nil); err != nil {
		t.Fatal(err)
	}
	r, err := reportOf(a, state.Bytes())
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

// A field for the scheme says which origin was asked. Without it, an absolute target does not.
func TestSchemes(t *testing.T) {
	a := newAuditor(t, "User-agent: *\nDisallow: /private/\n", "https://example.com", "http://shop.example:8080")
	for _, c := range []struct {
		target, host string
		logged       bool
		want         string
	}{
		{"https://example.com/private/", "example.com", true, "violation"},
		{"https://example.com:443/private/", "", false, "violation"}, // as an ALB logs it
		{"https://EXAMPLE.com.:443/private/", "example.com:443", true, "violation"},
		{"http://example.com/private/", "example.com", true, "other_host"},
		{"http://example.com/private/", "example.com", false, "violation"}, // a proxy may have spoken TLS
		{"http://example.com/private/", "example.com:443", false, "violation"},
		{"http://example.com/private/", "example.com:80", false, "other_host"},
		{"http://example.com:80/private/", "example.com", false, "other_host"},
		{"https://example.com:8443/private/", "example.com:8443", true, "other_host"},
		{"https://example.com:80/private/", "example.com:80", true, "violation"}, // they contradict each other
		{"http://example.com:443/private/", "example.com:443", true, "violation"},
		{"http://shop.example:8080/private/", "shop.example:8080", true, "violation"},
		{"https://shop.example:8080/private/", "shop.example:8080", true, "other_host"},
		{"https://shop.example:8080/private/", "shop.example:8080", false, "violation"},
	} {
		r := request(c.target)
		r.Host, r.SchemeLogged = []byte(c.host), c.logged
		if got := verdictOf(t, a, r); got != c.want {
			t.Errorf("%+v: %s", c, got)
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

// The header of a CDN in place of the clients' is told, with the remedy.
func TestCDNAgents(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	warned := func(r *report.Report) bool {
		return slices.ContainsFunc(r.Warnings, func(w string) bool {
			return strings.Contains(w, "Amazon CloudFront") && strings.Contains(w, "forward the header User-Agent")
		})
	}
	r := auditEntries(t, a, entry{agent: "Amazon CloudFront"}, entry{agent: "Amazon CloudFront", target: "/private/"},
		entry{agent: "curl/8"}, entry{agent: browser}, entry{agent: "WebP Cloud Services/1.0"})
	if r.CDNAgents != 3 || r.HTTPLibraries != 1 || r.NotCrawlers != 5 || !warned(r) {
		t.Errorf("%d of CDNs, %d libraries, %d in all, warnings %v", r.CDNAgents, r.HTTPLibraries, r.NotCrawlers, r.Warnings)
	}
	few := slices.Repeat([]entry{{agent: browser}}, 20)
	if r := auditEntries(t, a, append(few, entry{agent: "Amazon CloudFront"})...); r.CDNAgents != 1 || warned(r) {
		t.Errorf("%d of CDNs, warnings %v", r.CDNAgents, r.Warnings)
	}
}
