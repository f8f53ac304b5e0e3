package job_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/robotsieve/robotsieve/scan/job"
)

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
