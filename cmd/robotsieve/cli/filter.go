package cli

import (
	"cmp"
	"context"

	"github.com/robotsieve/robotsieve/scan/job"
)

func filterOptions(s streams, a *args) job.FilterOptions {
	limits := limitsOf(a)
	o := job.FilterOptions{
		Agents: agentsOf(a), Any: a.is("any"), Robots: robotsFile(s, a), Archive: a.text("rules"),
		URLs: job.Inputs{Names: a.rest, Stdin: s.in}, Format: a.text("format"),
		List:       job.ListColumns{Column: a.text("column"), Date: a.text("date-column"), Key: a.text("key")},
		AsOf:       a.text("as-of"),
		Disallowed: a.text("keep") == "disallowed", NoPolicy: a.text("no-policy") == "keep",
		Invalid: a.text("invalid") == "keep", Quotes: 1, Annotate: job.Annotation(a.text("annotate")),
		Prove: a.is("prove"), Page: a.text("page"), Prompt: a.is("line-buffered"), Memory: limits.Memory,
		Workers: limits.Workers, Messages: s.messages(),
	}
	if a.text("invalid") == "error" {
		o.Quotes = 10
	}
	if isTerminal(s.out) {
		o.Messages.Progress = nil // the URLs would run into the bar
	}
	return o
}

func agentsOf(a *args) (list []job.Agent) {
	for _, name := range a.texts("agent") {
		list = append(list, job.Agent{Name: name, Crawlers: a.text("crawlers"), Dialect: dialect(a)})
	}
	return list
}

func runFilter(ctx context.Context, s streams, a *args) (err error) {
	stop, err := startProfile(s, a)
	if err != nil {
		return err
	}
	defer stop(&err)
	result, err := job.Filter(ctx, filterOptions(s, a), s.out)
	if result == nil {
		return err
	}
	err = reportFilter(s, result, err, a.text("invalid"), a.text("output"))
	if a.is("prove") {
		err = cmp.Or(err, proved(s, result))
	}
	return err
}
