package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
)

// robotsFlags are the flags of commands that read a robots.txt.
type robotsFlags struct {
	file     *string
	maxBytes *int
	dialect  func() (string, error)
}

func addRobotsFlags(cmd *cobra.Command) robotsFlags {
	return robotsFlags{
		file:     cmd.Flags().String("robots", "", "the robots.txt to judge by, plain or compressed (- is stdin)"),
		maxBytes: cmd.Flags().Int("max-bytes", compile.DefaultMaxBytes, "read at most this many bytes of a robots.txt, decompressed; 0 is no limit"),
		dialect: choice(cmd, "dialect", "auto",
			"how robots.txt is read; auto is the crawler's own way, where it is known", append([]string{"auto"}, automaton.DialectNames()...)...),
	}
}

// limit returns --max-bytes as compile.Options has it.
func (f robotsFlags) limit() (int, error) { return limit(*f.maxBytes) }

func limit(maxBytes int) (int, error) {
	switch {
	case maxBytes < 0:
		return 0, usageError("--max-bytes %d is negative", maxBytes)
	case maxBytes == 0:
		return -1, nil
	}
	return maxBytes, nil
}

// override returns the dialect for all crawlers, nil for auto.
func (f robotsFlags) override() (*automaton.Dialect, error) {
	name, err := f.dialect()
	if err != nil || name == "auto" {
		return nil, err
	}
	d, err := automaton.ParseDialect(name)
	return &d, err
}

// open returns the robots.txt that the flags name.
func (f robotsFlags) open(s streams, limit int) job.RobotsFile {
	return job.RobotsFile{Name: *f.file, Stdin: s.in, MaxBytes: limit}
}

// agentFlags are the flags that name the crawler whose URLs are judged.
type agentFlags struct{ name, crawlers *string }

func addAgentFlags(cmd *cobra.Command, usage string) agentFlags {
	f := agentFlags{cmd.Flags().String("agent", "", usage), crawlersFlag(cmd)}
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("agent", completeAgents)
	return f
}

// completeAgents offers the names of the known crawlers.
func completeAgents(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	profiles, err := crawler.Builtin()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, p := range profiles {
		names = append(names, p.Name+"\t"+p.Operator)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// robotsAndAgent returns the robots.txt and the agent that the flags name.
func robotsAndAgent(s streams, r robotsFlags, a agentFlags) (job.RobotsFile, job.Agent, error) {
	limit, errLimit := r.limit()
	dialect, errDialect := r.override()
	var errAgent error
	if *a.name == "" {
		errAgent = usageError("no agent: name the crawler with --agent NAME")
	}
	return r.open(s, limit), job.Agent{Name: *a.name, Crawlers: *a.crawlers, Dialect: dialect}, cmp.Or(errAgent, errLimit, errDialect)
}
