package audit_test

import (
	"fmt"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// A program audits lines that it has in memory.
func Example() {
	profiles := crawler.Builtin()
	set, err := crawler.New(profiles)
	if err != nil {
		fmt.Println(err)
		return
	}
	body := []byte("User-agent: *\nDisallow: /private/\n")
	auditor := audit.New(audit.Config{
		Crawlers: set,
		Policy:   policy.Constant(policy.Row{Body: body, File: "robots.txt"}, policy.Options{}),
	})

	combined, _ := format.ByName("combined")
	run := auditor.Begin()
	defer run.Close()
	worker := run.Worker() // one for each goroutine
	worker.Chunk(combined, nil, []byte(
		`192.0.2.1 - - [10/Nov/2026:12:00:00 +0000] "GET /private/1 HTTP/1.1" 200 5 "-" `+
			`"ExampleBot/1.0 (+https://bot.example/)"`+"\n"))

	result, err := run.Report(audit.Inputs{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range result.Crawlers {
		fmt.Println(c.Crawler, c.Verdicts[report.Violation], c.Rules[0].Rule)
	}
	// Output: ExampleBot 1 Disallow: /private/
}
