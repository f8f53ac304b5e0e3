package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// profiles are few enough to be read beside the tests.
const profiles = `[
{"name":"Googlebot","operator":"Google","category":"search","words":["Googlebot"],"tokens":["Googlebot"],
"dialect":"google","obeys":"yes","verify":"ranges"},
{"name":"Googlebot-Image","operator":"Google","category":"search","words":["Googlebot-Image"],
"tokens":["Googlebot-Image","Googlebot"],"dialect":"google","obeys":"yes","verify":"ranges"},
{"name":"AdsBot-Google","operator":"Google","category":"ads","words":["AdsBot-Google"],"tokens":["AdsBot-Google"],
"ignores_wildcard":true,"dialect":"google","obeys":"yes","verify":"ranges"},
{"name":"Google-Extended","operator":"Google","category":"ai-training","words":[],"tokens":["Google-Extended"],
"control":true,"obeys":"yes","verify":"ranges"},
{"name":"GPTBot","operator":"OpenAI","category":"ai-training","words":["GPTBot"],"tokens":["GPTBot"],"obeys":"yes",
"verify":"ranges"},
{"name":"ChatGPT-User","operator":"OpenAI","category":"user-triggered","words":["ChatGPT-User"],
"tokens":["ChatGPT-User"],"exempt":"asked for by users","obeys":"no","verify":"ranges"},
{"name":"bingbot","operator":"Microsoft","category":"search","words":["bingbot"],"tokens":["bingbot"],"obeys":"yes",
"verify":"ranges"},
{"name":"MJ12bot","operator":"Majestic","category":"seo","words":["MJ12bot"],"tokens":["MJ12bot"],"obeys":"yes",
"verify":"ranges"},
{"name":"FeedBot","operator":"Feeds","category":"feed","words":["Feeds of News"],"tokens":["FeedBot"],"obeys":"yes",
"verify":"ranges"}
]`

// User-Agent headers.
const (
	googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
	gptbot    = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)"
	chatgpt   = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot"
	adsbot    = "AdsBot-Google (+http://www.google.com/adsbot.html)"
	mj12bot   = "Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)"
	twoBots   = "Mozilla/5.0 (compatible; bingbot/2.0; GPTBot/1.2)"
	browser   = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
	acmebot   = "AcmeBot/1.0 (+https://acme.example/bot)"
)

// robotsTxtBody is the robots.txt of most tests: lines 2 and 3 bind all, line 4 is
// contested, lines 7 and 8 bind MJ12bot.
const robotsTxtBody = `User-agent: *
Disallow: /private/
Disallow: /*?s=
Disallow: /a%7Eb

User-agent: MJ12bot
Disallow: /mj/
Allow: /

User-agent: Google-Extended
Disallow: /
`

func crawlers(t testing.TB) *crawler.Set {
	t.Helper()
	list, err := crawler.Read([]byte(profiles))
	if err != nil {
		t.Fatal(err)
	}
	return setOf(t, list)
}

func setOf(t testing.TB, list []crawler.Profile) *crawler.Set {
	t.Helper()
	set, err := crawler.New(list)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// newAuditor returns an auditor of a robots.txt that is for the given origins, or
// for all. It keeps three samples of each crawler.
func newAuditor(t testing.TB, robots string, hosts ...string) *Auditor {
	t.Helper()
	return New(Config{Crawlers: crawlers(t), Policy: constant(robots, originsOf(t, strings.Join(hosts, " "))), Samples: 3})
}

// originsOf parses origins with blanks between them.
func originsOf(t testing.TB, text string) (list []origin.Origin) {
	t.Helper()
	for host := range strings.FieldsSeq(text) {
		o, err := origin.Parse(host)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o...)
	}
	return list
}

// constant returns the policy of one robots.txt, whose size is not known: any answer may be it.
func constant(robots string, origins []origin.Origin) *policy.Policy {
	return policy.Constant(policy.Row{Body: []byte(robots), Size: -1, File: "robots.txt"}, policy.Options{Hosts: origins})
}

// version is a row of a source: what an origin answered from so many seconds after someTime on.
type version struct {
	from   int
	at     string // https://example.com if empty
	status int    // 200 if 0
	body   string
	to     string // Location
}

// history returns the policy of versions.
func history(t testing.TB, o policy.Options, list ...version) *policy.Policy {
	t.Helper()
	var rows []policy.Row
	for i, v := range list {
		rows = append(rows, policy.Row{
			Origins: originsOf(t, cmp.Or(v.at, "https://example.com")), From: moment(v.from), Location: v.to,
			Status: cmp.Or(v.status, 200), Body: []byte(v.body),
			File: fmt.Sprintf("%d.txt", i), Where: fmt.Sprintf("row %d", i),
		})
	}
	p, err := policy.New(rows, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// moment is at as nanoseconds since 1970.
func moment(n int) int64 {
	return time.Date(2026, 3, 2, 10, 0, n, 0, time.UTC).UnixNano()
}

// known returns identities by which some crawlers have only these addresses, at about moment(0).
func known(t testing.TB, set *crawler.Set, ranges map[string]string) *crawler.Identities {
	t.Helper()
	var o crawler.IdentityOptions
	for name, list := range ranges {
		r, err := crawler.ReadRanges(strings.NewReader(list), name, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		r.Created = moment(0)
		o.Series = append(o.Series, crawler.Series{Profile: set.ByName(name), Lists: []*crawler.Ranges{r}})
	}
	return crawler.NewIdentities(set, o)
}

// listen returns a sink that calls a function.
func listen(f func(*Event)) Sink {
	return SinkFunc(func(e *Event) error {
		f(e)
		return nil
	})
}

func byName(t testing.TB, name string) *format.Format {
	t.Helper()
	f, ok := format.ByName(name)
	if !ok {
		t.Fatalf("no format %s", name)
	}
	return f
}

// entry is one line of a log. What is empty is filled in; noProtocol is none.
type entry struct {
	vhost, addr, time, method, target, protocol, status, size, agent string
}

const noProtocol = "none"

const someTime = "02/Mar/2026:10:00:00 +0000"

func (e entry) String() string {
	fill := func(s *string, with string) {
		if *s == "" {
			*s = with
		}
	}
	fill(&e.addr, "192.0.2.17")
	fill(&e.time, someTime)
	fill(&e.method, "GET")
	fill(&e.target, "/")
	fill(&e.protocol, " HTTP/1.1")
	e.protocol = strings.TrimPrefix(e.protocol, noProtocol)
	fill(&e.status, "200")
	fill(&e.size, "512")
	fill(&e.agent, gptbot)
	if e.vhost != "" {
		e.vhost += " "
	}
	return fmt.Sprintf(`%s%s - - [%s] "%s %s%s" %s %s "-" "%s"`, e.vhost, e.addr, e.time, e.method, e.target, e.protocol,
		e.status, e.size, e.agent)
}

// at returns a time of a log n seconds after someTime.
func at(n int) string {
	start := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	return start.Add(time.Duration(n) * time.Second).Format("02/Jan/2006:15:04:05 -0700")
}

// begin returns a run that is closed when the test ends.
func begin(t testing.TB, a *Auditor) *Run {
	t.Helper()
	r := a.Begin()
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// resultOf returns the report of a run.
func resultOf(t testing.TB, r *Run) *report.Report {
	t.Helper()
	report, err := r.Report(Inputs{})
	if err != nil {
		t.Fatal(err)
	}
	if wrong := anyWrongSum(report); wrong != "" {
		t.Error(wrong)
	}
	return report
}

// auditText audits a log in one chunk.
func auditText(t testing.TB, a *Auditor, formatName, log string) *report.Report {
	t.Helper()
	run := begin(t, a)
	run.Worker().Chunk(byName(t, formatName), nil, []byte(log))
	return resultOf(t, run)
}

// auditEntries audits a log of entries: vhost_combined if the first has a host.
func auditEntries(t testing.TB, a *Auditor, entries ...entry) *report.Report {
	t.Helper()
	var log strings.Builder
	for _, e := range entries {
		log.WriteString(e.String() + "\n")
	}
	name := "combined"
	if entries[0].vhost != "" {
		name = "vhost_combined"
	}
	return auditText(t, a, name, log.String())
}

// rowOf returns what a report says of a crawler, nil if nothing.
func rowOf(r *report.Report, name string) *report.CrawlerInfo {
	for i := range r.Crawlers {
		if r.Crawlers[i].Crawler == name {
			return &r.Crawlers[i]
		}
	}
	return nil
}

// marshal returns a report as its user gets it.
func marshal(t testing.TB, r *report.Report) string {
	t.Helper()
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// nonZero returns the keys of a JSON object of numbers whose value is not 0, with
// their values: how a test reads counts.
func nonZero(t testing.TB, counts any) map[string]int64 {
	t.Helper()
	b, err := json.Marshal(counts)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int64{}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	for k, n := range all {
		if n == 0 {
			delete(all, k)
		}
	}
	return all
}
