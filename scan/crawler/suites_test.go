package crawler

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// suiteHeader is a header of a suite of others, and what they say of it.
type suiteHeader struct{ suite, kind, category, name, operator, header string }

// suiteRows are the rows of the table in docs/reference/crawlers.md.
var suiteRows = []struct {
	title string
	has   func(suiteHeader) bool
}{
	{"device-detector: search, crawlers, AI", isSearchOrAI},
	{"device-detector: other bots", func(h suiteHeader) bool { return h.suite == "device-detector" && !isSearchOrAI(h) }},
	{"Crawler-Detect: bots", func(h suiteHeader) bool { return h.suite == "crawler-detect" }},
	{"isbot: bots", func(h suiteHeader) bool { return h.suite == "isbot" && h.kind == "bot" }},
	{"uap-core: spiders", func(h suiteHeader) bool { return h.suite == "uap-core" && h.kind == "bot" }},
	{"ai.robots.txt: names", func(h suiteHeader) bool { return h.suite == "ai.robots.txt" }},
	{"isbot: browsers", func(h suiteHeader) bool { return h.kind == "browser" }},
	{"uap-core: devices", func(h suiteHeader) bool { return h.kind == "device" }},
}

func isSearchOrAI(h suiteHeader) bool {
	return h.suite == "device-detector" &&
		slices.Contains([]string{"Search bot", "Crawler", "AI Data Scraper", "AI Search Crawler"}, h.category)
}

// noBrowsers are headers that suites list among browsers and devices, but that belong to a crawler.
var noBrowsers = map[string]string{
	"Mozilla/5.0 (compatible; Yahoo! Slurp)": "Yahoo's page says that its crawler sends it; isbot files it under insignificant bots",
	"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amzn-User/0.1) Chrome/119.0.6045.214 Safari/537.36": "Amazon's page has it; device-detector and ai.robots.txt have it as a bot",
	"Huaweisymantecspider (compatible; MSIE 8.0; DSE-support@huaweisymantec.com)":                                       "a spider, by its name, and one of Crawler-Detect's bots",
}

// oneCompany has the operators that suites call otherwise, by our names.
var oneCompany = map[string]string{
	"Ask.com": "Ask Jeeves Inc.", "Coc Coc": "Cốc Cốc", "SEOprofiler": "Axandra GmbH",
	// AlltheWeb and Lycos searched by the crawler of FAST.
	"FAST": "",
}

// TestSuites reads the headers of other projects' test suites. None of a browser or a device may be a crawler's, and
// none may be attributed to another company than the suite says; at least 85 of 100 headers of search engines, crawlers
// and AI must be recognized. The results are the table in docs/reference/crawlers.md.
func TestSuites(t *testing.T) {
	reader := builtinSet(t).Reader()
	counts := make([][4]int, len(suiteRows)) // headers, of known crawlers, of others, ambiguous
	for _, row := range lines(t, "suites.tsv.xz")[1:] {
		columns := append([]string{row[0]}, strings.SplitN(row[1], "\t", 5)...)
		if len(columns) != 6 {
			t.Fatalf("%q has %d columns", row, len(columns))
		}
		h := suiteHeader{columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]}
		claim := reader.Read([]byte(h.header))
		if h.kind != "bot" && h.kind != "name" && claim.Name != "" && noBrowsers[h.header] == "" {
			t.Errorf("%q of a %s is %v", h.header, h.kind, claim)
		}
		if h.suite == "device-detector" && claim.Profile != nil && !claim.Ambiguous && !isOperators(claim.Profile, h) {
			t.Errorf("%q of %s, %s, is %v", h.header, h.name, h.operator, claim)
		}
		for i, r := range suiteRows {
			if !r.has(h) {
				continue
			}
			counts[i][0]++
			switch {
			case claim.Ambiguous:
				counts[i][3]++
			case claim.Profile != nil:
				counts[i][1]++
			case claim.Name != "":
				counts[i][2]++
			}
		}
	}
	table := "| headers of | all | of a known crawler | of one by its own word | ambiguous | seen |\n|---|--:|--:|--:|--:|--:|\n"
	for i, r := range suiteRows {
		n := counts[i]
		seen := 100 * float64(n[1]+n[2]+n[3]) / float64(n[0])
		table += fmt.Sprintf("| %s | %d | %d | %d | %d | %.1f %% |\n", r.title, n[0], n[1], n[2], n[3], seen)
		if i == 0 && seen < 85 {
			t.Errorf("of %s %.1f %% are seen", r.title, seen)
		}
	}
	t.Log("\n" + table)
	if page, err := os.ReadFile("../../docs/reference/crawlers.md"); err != nil || !strings.Contains(string(page), table) {
		t.Errorf("docs/reference/crawlers.md has another table (%v) than\n%s", err, table)
	}
}

var notLetter = regexp.MustCompile(`[^a-z0-9]+`)

// isOperators reports whether a crawler is the one to which a suite attributes a header, by its
// operator or its name. Software that anybody runs belongs to nobody.
func isOperators(p *Profile, h suiteHeader) bool {
	plain := func(s string) string { return notLetter.ReplaceAllString(strings.ToLower(s), "") }
	operator, name := plain(p.Operator), plain(p.Name)
	theirs, called := plain(h.operator), plain(h.name)
	if other, known := oneCompany[p.Operator]; known && other == h.operator {
		return true
	}
	return p.Anybodys() || strings.Contains(theirs, operator) || theirs != "" && strings.Contains(operator, theirs) ||
		strings.Contains(called, operator) || strings.Contains(called, name) || called != "" && strings.Contains(name, called)
}
