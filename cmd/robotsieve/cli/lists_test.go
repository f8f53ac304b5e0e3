package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
)

// listedCrawlers are crawlers with lists, one of which has the name of another operator's.
func listedCrawlers(t *testing.T) string {
	profile := func(name, operator string, lists ...crawler.List) crawler.Profile {
		return crawler.Profile{Name: name, Operator: operator, Words: []string{name}, Tokens: []string{name}, Obeys: "unknown", Lists: lists}
	}
	foo := crawler.List{Name: "foo.json", URL: "https://foo.example/foo.json?a=1&b='2'", Seen: "2026-11-01"}
	later := foo
	later.Seen = "2026-11-02"
	ips := func(host string) crawler.List {
		return crawler.List{Name: "ips.txt", URL: "https://" + host + "/ips.txt", Seen: "2026-11-03"}
	}
	data, err := json.Marshal([]crawler.Profile{
		profile("FooBot", "Foo Inc.", foo, ips("foo.example")), profile("BarBot", "Bar Ltd.", ips("bar.example")), profile("FooBot-Image", "Foo Inc.", later),
	})
	if err != nil {
		t.Fatal(err)
	}
	return file(t, "mine.json", string(data))
}

// TestAuditSaysWhereListsAreFrom: the report has the date of each list, and where the date
// is from; a list by its official name is for all crawlers that it serves.
func TestAuditSaysWhereListsAreFrom(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	plain := file(t, "plain.txt", "192.0.2.0/28\n")
	dated := file(t, "dated.json", `{"creationTime":"2026-11-09T00:00:00","prefixes":[{"ipv4Prefix":"192.0.2.0/28"},{"ipv4Prefix":"198.51.100.0/28","services":["NoSuch"]}]}`)
	series := filepath.Dir(file(t, "2026-11-08.txt", "192.0.2.0/28\n"))
	log := logLine("/p", "FooBot") + logLineFrom("192.0.2.77", "/p", "FooBot-Image") + logLineFrom("192.0.2.77", "/p", "GPTBot/1")
	r := command(t, log, "audit", "--robots", robots, "--crawlers", listedCrawlers(t), "--output", "json", "--ip-ranges", "FOO.json="+dated,
		"--ip-ranges", "FooBot="+plain+"@2026-11-10", "--ip-ranges", "GPTBot="+plain, "--ip-ranges", "bingbot="+series, "-")
	var report struct {
		Ranges []struct {
			Crawler, Created string
			DatedBy          string `json:"dated_by"`
		}
		Crawlers []struct {
			Crawler  string
			Identity map[string]int64
		}
	}
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatal(err, r.err)
	}
	want := "[{FooBot 2026-11-09T00:00:00Z creationTime} {FooBot-Image 2026-11-09T00:00:00Z creationTime} " +
		"{FooBot 2026-11-10T00:00:00Z option} {GPTBot  } {bingbot 2026-11-08T00:00:00Z name}]"
	if got := fmt.Sprint(report.Ranges); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	states := map[string]string{}
	for _, c := range report.Crawlers {
		for state, n := range c.Identity {
			if n > 0 {
				states[c.Crawler] = state
			}
		}
	}
	if got := fmt.Sprint(states); got != "map[FooBot:verified FooBot-Image:unverified GPTBot:unverified]" {
		t.Error(got)
	}
	if !strings.Contains(r.err, "dated.json: services that name no known crawler: NoSuch. Their addresses prove nothing.") {
		t.Errorf("stderr %q", r.err)
	}
	if r := command(t, "", "audit", "--robots", robots, "--crawlers", listedCrawlers(t), "--ip-ranges", "ips.txt="+plain, "-"); r.code != exitUsage ||
		!strings.Contains(r.err, `--ip-ranges "ips.txt": both Foo Inc. and Bar Ltd. publish a list of that name`) {
		t.Errorf("code %d, stderr %q", r.code, r.err)
	}
}
