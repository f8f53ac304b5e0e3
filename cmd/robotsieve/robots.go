package main

import (
	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
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
		maxBytes: cmd.Flags().Int("max-bytes", compile.DefaultMaxBytes, "read no more than this of a robots.txt, decompressed; 0 is no limit"),
		dialect: choice(cmd, "dialect", "auto",
			"how robots.txt is read; auto is the crawler's own way, as far as it is known", "auto", "google", "rfc9309", "original"),
	}
}

// limit is the flag --max-bytes as compile.Options has it.
func (f robotsFlags) limit() (int, error) {
	switch {
	case *f.maxBytes < 0:
		return 0, usageError("--max-bytes %d is negative", *f.maxBytes)
	case *f.maxBytes == 0:
		return -1, nil
	}
	return *f.maxBytes, nil
}

// override returns the dialect that is to hold for all crawlers, nil for auto.
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

// crawlerSet makes profiles ready to be found in headers.
func crawlerSet(profiles []crawler.Profile) (*crawler.Set, error) {
	set, err := crawler.New(profiles)
	if err != nil {
		return nil, inputError(err)
	}
	return set, nil
}

func plural(n int64, noun string) string { return english.Plural(n, noun) }

func grouped(n int64) string { return english.Grouped(n) }
