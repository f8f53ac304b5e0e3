package audit

import (
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

// TestGroupsOfHeaders: a group whose token stands in one header of a crawler binds it perhaps
// there, and not where it sends another, in whatever order they come.
func TestGroupsOfHeaders(t *testing.T) {
	const robots = "User-agent: *\nDisallow: /\nUser-agent: foo\nAllow: /\nUser-agent: reader\nAllow: /\n"
	headers := []struct {
		header                string
		violations, contested int64
	}{
		{"AcmeSpider/1", 1, 0},
		{"AcmeSpider/1 foo", 0, 1},
		{"AcmeSpider/2", 1, 0},
		{"AcmeSpider/2 foo reader", 0, 1},
		{"AcmeSpider/1 (http://foo.example/reader)", 1, 0},
		{"AcmeSpider/1 (foo@reader.example)", 1, 0},
		{"AcmeSpider/1 (xFOOx)", 0, 1},
	}
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1, 0}, {1, 1, 0}, {0, 1, 0, 1}} {
		var log []entry
		violations, contested := int64(0), int64(0)
		for _, i := range order {
			log = append(log, entry{agent: headers[i].header, target: "/x"})
			violations, contested = violations+headers[i].violations, contested+headers[i].contested
		}
		row := rowOf(auditEntries(t, newAuditor(t, robots, "https://example.com"), log...), "AcmeSpider")
		if row.Verdicts[report.Violation] != violations || row.Reasons[report.ContestedRule] != contested {
			t.Errorf("%v: %d violations and %d contested, want %d and %d", order, row.Verdicts[report.Violation],
				row.Reasons[report.ContestedRule], violations, contested)
		}
	}
}

// TestGroupsOfKnownCrawlers: no page names the token of a profile without a source, or for a word
// that is none of its tokens; also where an address makes an ambiguous header that of one.
func TestGroupsOfKnownCrawlers(t *testing.T) {
	const robots = "User-agent: *\nDisallow: /\nUser-agent: foo\nAllow: /\n"
	profiles, err := crawler.Read([]byte(`[
		{"name":"LooseBot","operator":"A","words":["LooseBot"],"tokens":["LooseBot"],"verify":"ranges","obeys":"unknown"},
		{"name":"SureBot","operator":"B","words":["SureBot","SureOldWord"],"tokens":["SureBot"],
		"source":"https://b.example/","verify":"ranges","obeys":"unknown"}]`))
	if err != nil {
		t.Fatal(err)
	}
	a := newAuditor(t, robots, "https://example.com")
	a.config.Crawlers = setOf(t, profiles)
	for _, c := range []struct {
		known                 string // whose addresses are known
		headers, name         string
		violations, contested int64
	}{
		{"", "SureBot; SureOldWord (foo); SureBot (foo); SureOldWord", "SureBot", 3, 1},
		{"LooseBot", "foo LooseBot; foo LooseBot", "LooseBot", 0, 2},
		{"LooseBot", "bar LooseBot; bar LooseBot", "LooseBot", 2, 0},
		{"SureBot", "foo SureBot; foo SureBot", "SureBot", 2, 0},
		{"LooseBot", "SureBot LooseBot foo; SureBot LooseBot foo", "LooseBot", 0, 2},
	} {
		if c.known != "" {
			a.config.Identities = known(t, a.config.Crawlers, map[string]string{c.known: "192.0.2.1"})
		}
		var log []entry
		for header := range strings.SplitSeq(c.headers, "; ") {
			log = append(log, entry{agent: header, target: "/x"})
		}
		row := rowOf(auditEntries(t, New(a.config), log...), c.name)
		if row.Verdicts[report.Violation] != c.violations || row.Reasons[report.ContestedRule] != c.contested {
			t.Errorf("%s: verdicts %v, reasons %v", c.headers, row.Verdicts, row.Reasons)
		}
	}
}
