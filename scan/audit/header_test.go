package audit

import (
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
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
	orders := [][]int{{0, 1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1, 0}, {1, 1, 0}, {0, 1, 0, 1}}
	for _, order := range orders {
		run := begin(t, newAuditor(t, robots, "https://example.com"))
		var log strings.Builder
		violations, contested := int64(0), int64(0)
		for _, i := range order {
			log.WriteString(entry{agent: headers[i].header, target: "/x"}.String() + "\n")
			violations, contested = violations+headers[i].violations, contested+headers[i].contested
		}
		run.Worker().Chunk(byName(t, "combined"), nil, []byte(log.String()))
		row := report(t, run).row("AcmeSpider")
		if row.Verdicts[Violation] != violations || row.Reasons[ContestedRule] != contested {
			t.Errorf("%v: %d violations and %d contested, want %d and %d", order, row.Verdicts[Violation],
				row.Reasons[ContestedRule], violations, contested)
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
	set, err := crawler.New(profiles)
	if err != nil {
		t.Fatal(err)
	}
	a := newAuditor(t, robots, "https://example.com")
	a.config.Crawlers = set
	run := begin(t, New(a.config))
	w := run.Worker()
	for _, header := range []string{"SureBot", "SureOldWord (foo)", "SureBot (foo)", "SureOldWord"} {
		w.Chunk(byName(t, "combined"), nil, []byte(entry{agent: header, target: "/x"}.String()+"\n"))
	}
	if row := report(t, run).row("SureBot"); row.Verdicts[Violation] != 3 || row.Reasons[ContestedRule] != 1 {
		t.Errorf("by a word of its profile: verdicts %v, reasons %v", row.Verdicts, row.Reasons)
	}
	for _, c := range []struct {
		name, header          string
		violations, contested int64
	}{
		{"LooseBot", "foo LooseBot", 0, 1},
		{"LooseBot", "bar LooseBot", 1, 0},
		{"SureBot", "foo SureBot", 1, 0},
		{"LooseBot", "SureBot LooseBot foo", 0, 1},
	} {
		a := newAuditor(t, robots, "https://example.com")
		a.config.Crawlers = set
		a.config.Identities = known(t, set, map[string]string{c.name: "192.0.2.1"})
		run := begin(t, New(a.config))
		line := entry{agent: c.header, target: "/x"}.String() + "\n"
		run.Worker().Chunk(byName(t, "combined"), nil, []byte(line+line))
		row := report(t, run).row(c.name)
		if row.Verdicts[Violation] != 2*c.violations || row.Reasons[ContestedRule] != 2*c.contested {
			t.Errorf("%q: verdicts %v, reasons %v", c.header, row.Verdicts, row.Reasons)
		}
	}
}
