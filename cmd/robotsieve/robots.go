package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
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

// read reads the file, decompressed if it is compressed, and one byte more than the
// limit, which tells the compiler that there is more. When ctx ends, it does not wait
// for stdin any longer.
func (f robotsFlags) read(ctx context.Context, s streams, limit int) ([]byte, error) {
	body, _, err := f.measure(ctx, s, limit, 0)
	return body, err
}

// maxCounted is how much of a robots.txt is counted behind what is read of it.
const maxCounted = 64 << 20

// measure reads as read does, and then counts up to most bytes more, for the size of
// the whole, decompressed: -1 if there is more still, or it cannot be read.
func (f robotsFlags) measure(ctx context.Context, s streams, limit int, most int64) (body []byte, size int64, err error) {
	in := source.NewInput(*f.file, until(ctx, s.in), -1)
	if *f.file != "-" {
		if in, err = source.NewFile(*f.file); err != nil {
			return nil, 0, inputError(err)
		}
	}
	opened, err := in.Open()
	if ctx.Err() != nil {
		return nil, 0, beforeAnything(s)
	}
	if err != nil {
		return nil, 0, inputError(err)
	}
	defer opened.Close()
	r := io.Reader(opened)
	if limit > 0 {
		r = io.LimitReader(r, int64(limit)+1)
	}
	body, err = io.ReadAll(r)
	if ctx.Err() != nil {
		return nil, 0, beforeAnything(s)
	}
	if err != nil {
		return nil, 0, inputError(err)
	}
	size = int64(len(body))
	if limit > 0 && len(body) > limit && most > 0 {
		// What cannot be read of the rest leaves only the size unknown.
		n, err := io.Copy(io.Discard, io.LimitReader(opened, most+1))
		if size += n; err != nil || n > most {
			size = -1
		}
	}
	if ctx.Err() != nil {
		return nil, 0, beforeAnything(s)
	}
	return body, size, nil
}

// reader returns the function by which package policy reads a body.
func reader(limit int) policy.Read {
	return func(r policy.Reading, body []byte) *automaton.Ruleset {
		return compile.Compile(body, compile.Options{
			Dialect: r.Dialect(), MaxBytes: limit, WideTokens: r == policy.ReadGoogleWide,
		}).Ruleset
	}
}

// oddities are what a user should know of a robots.txt before believing what is
// said by it.
func oddities(r *compile.Robots, file string) []string {
	var list []string
	for _, n := range r.Notes {
		if n.Kind == compile.NoteMarkup || n.Kind == compile.NoteTruncated {
			list = append(list, fmt.Sprintf("%s: %s", file, n))
		}
	}
	rules := 0
	for _, g := range r.Groups {
		rules += len(g.Rules)
	}
	switch {
	case len(r.Groups) == 0:
		list = append(list, fmt.Sprintf("%s: no line names a user agent, so it forbids nothing", file))
	case rules == 0:
		list = append(list, fmt.Sprintf("%s: no group has a rule, so it forbids nothing", file))
	}
	return list
}

// knownCrawlers returns the crawlers of knownProfiles, ready to be found in headers.
func knownCrawlers(file string) (*crawler.Set, error) {
	profiles, err := knownProfiles(file)
	if err != nil {
		return nil, err
	}
	return crawlerSet(profiles)
}

// knownProfiles returns the crawlers that come with the program, as a file of the
// user's changes and extends them if there is one.
func knownProfiles(file string) ([]crawler.Profile, error) {
	profiles, err := crawler.Builtin()
	if err != nil {
		return nil, err
	}
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, inputError(fmt.Errorf("--crawlers: %w", err))
		}
		more, err := crawler.Read(data)
		if err == nil {
			profiles, err = crawler.Extend(profiles, more)
		}
		if err != nil {
			return nil, inputError(fmt.Errorf("--crawlers %s: %w", file, err))
		}
	}
	return profiles, nil
}

// crawlerSet makes profiles ready to be found in headers.
func crawlerSet(profiles []crawler.Profile) (*crawler.Set, error) {
	words, err := compile.Words(crawler.Words(profiles))
	if err != nil {
		return nil, inputError(err)
	}
	return crawler.New(profiles, words), nil
}

// plural returns n and a noun, with thousands set apart.
func plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// grouped writes a number that is not negative with its thousands set apart.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}
