package job_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

func ExampleAudit() {
	const sample = "../../testdata/sample/"
	a, err := job.Audit(context.Background(), job.AuditOptions{LogOptions: job.LogOptions{Logs: job.Inputs{Names: []string{sample + "access.log.gz"}}, Hosts: []string{"https://lantern.example"}},
		Judging: job.Judging{Policy: sample + "policy.csv", Crawlers: sample + "crawlers.json"}, Identity: job.Identity{Ranges: []string{sample + "ranges"}}})
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

// An archive holds the rules of many sites.
func ExampleCompile() {
	archive := filepath.Join(os.TempDir(), "example.rsv")
	defer os.Remove(archive)
	made, err := job.Compile(context.Background(), job.CompileOptions{
		Sources: []string{"-"}, Output: archive,
		Stdin: strings.NewReader(`{"host":"a.example","body":"User-agent: *\nDisallow: /private/"}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(made.Origins, "origins,", made.Bodies, "body") // http and https
	_, err = job.Filter(context.Background(), job.FilterOptions{
		Agents: []job.Agent{{Name: "ExampleBot"}}, Archive: archive,
		URLs: job.Inputs{Names: []string{"-"}, Stdin: strings.NewReader("https://a.example/\nhttps://a.example/private/1\n")},
	}, os.Stdout)
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2 origins, 1 body
	// https://a.example/
}

// A Judge judges single URLs, each by the rules of its own origin, as Filter does.
func ExampleOpenArchive() {
	name := filepath.Join(os.TempDir(), "example-judge.rsv")
	defer os.Remove(name)
	_, err := job.Compile(context.Background(), job.CompileOptions{
		Sources: []string{"-"}, Output: name,
		Stdin: strings.NewReader(`{"host":"a.example","body":"User-agent: *\nDisallow: /private/"}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	archive, err := job.OpenArchive(name)
	if err != nil {
		log.Fatal(err)
	}
	defer archive.Close()
	config, err := archive.Config(job.Agent{Name: "ExampleBot"})
	if err != nil {
		log.Fatal(err)
	}
	judge := filter.NewJudge(&config) // one for each goroutine
	err = config.Guard(func() error {
		for _, url := range []string{"https://a.example/private/1", "https://a.example/", "https://b.example/"} {
			v := judge.Judge([]byte(url), math.MaxInt64) // by the newest rules
			fmt.Println(url, v.Class, v.Line)
		}
		return judge.Err()
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// https://a.example/private/1 disallowed 2
	// https://a.example/ allowed 0
	// https://b.example/ no_policy 0
}

// A Checker says which rule decided, and why.
func ExampleChecker() {
	checker, err := job.NewChecker(context.Background(), job.CheckOptions{
		Agents: []job.Agent{{Name: "ExampleBot"}}, Robots: job.RobotsFile{Name: "testdata/robots.txt"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer checker.Close()
	answers, err := checker.Check("https://a.example/private/1")
	if err != nil {
		log.Fatal(err)
	}
	answer := answers[0]
	fmt.Printf("%s by line %d, %s: %s\n", answer.Verdict(), answer.Line, answer.Rule, answer.WhyRule)
	fmt.Println(answer.WhyGroup)
	// Output:
	// disallowed by line 2, Disallow: /private/: the only rule that matches
	// no group names ExampleBot, so * binds it
}
