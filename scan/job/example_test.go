package job_test

import (
	"context"
	"fmt"

	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

func ExampleAudit() {
	const sample = "../../testdata/sample/"
	a, err := job.Audit(context.Background(), job.AuditOptions{
		Logs:   job.Inputs{Names: []string{sample + "access.log.gz"}},
		Policy: sample + "policy.csv", Hosts: []string{"https://lantern.example"},
		Crawlers: sample + "crawlers.json", Ranges: []string{sample + "ranges"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range a.Report.Crawlers[:3] {
		fmt.Println(c.Crawler, c.Verdicts[report.Violation], "of", c.Requests)
	}
	// Output:
	// GrabbitBot 190 of 282
	// PageHoover-spider 10 of 50
	// AdsBot-Google 0 of 16
}
