package audit_test

import (
	"fmt"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// The packages under scan know nothing of how robots.txt is compiled: who uses
// them joins the two, as here.
func Example() {
	read := func(r policy.Reading, body []byte) *automaton.Ruleset {
		return compile.Compile(body, compile.Options{Dialect: r.Dialect(), WideTokens: r == policy.ReadGoogleWide}).Ruleset
	}
	profiles, err := crawler.Builtin()
	if err != nil {
		fmt.Println(err)
		return
	}
	words, err := compile.Words(crawler.Words(profiles))
	if err != nil {
		fmt.Println(err)
		return
	}
	body := []byte("User-agent: *\nDisallow: /private/\n")
	auditor := audit.New(audit.Config{
		Crawlers: crawler.New(profiles, words),
		Policy:   policy.Constant(policy.Row{Body: body, File: "robots.txt"}, policy.Options{Read: read}),
	})

	combined, _ := format.ByName("combined")
	run := auditor.Begin()
	defer run.Close()
	worker := run.Worker() // one for each goroutine
	worker.Chunk(combined, []byte(
		`192.0.2.1 - - [10/Nov/2026:12:00:00 +0000] "GET /private/1 HTTP/1.1" 200 5 "-" "ExampleBot/1.0 (+https://bot.example/)"`+"\n"))

	robots := compile.Compile(body, compile.Options{})
	report, err := run.Report(func(_, _ int32, line int) string {
		rule, _ := robots.Rule(line)
		return rule.String()
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range report.Crawlers {
		fmt.Println(c.Crawler, c.Verdicts.Violation, c.Rules[0].Rule)
	}
	// Output: ExampleBot 1 Disallow: /private/
}
