package filter_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/source"
)

// One robots.txt for all URLs. For the rules of many origins see Policy.
func Example() {
	robots := compile.Compile([]byte("User-agent: *\nDisallow: /private/\n"), compile.Options{})
	config := filter.Config{
		Dialects: []automaton.Dialect{automaton.RFC9309}, // of one agent
		Site:     []filter.Rules{{Machine: robots.Ruleset.Machine([]byte("ExampleBot"))}},
	}

	list := "https://a.example/\nhttps://a.example/private/1\nnot a URL\nhttps://b.example/x"
	inputs := []*source.Input{source.NewInput("list", strings.NewReader(list), -1)}
	const workers = 2
	reader := source.NewReader(inputs, source.Options{Workers: workers, InOrder: true})
	summary, err := filter.Run(context.Background(), reader, workers, config, os.Stdout)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(summary.Kept, "kept,", summary.Dropped, "dropped,", summary.Invalid, "invalid")
	// Output:
	// https://a.example/
	// https://b.example/x
	// 2 kept, 1 dropped, 1 invalid
}
