package main

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
)

// reportFlags are the flags about the result of an audit.
type reportFlags struct {
	output string
	failOn []condition
}

func addReportFlags(cmd *cobra.Command) *reportFlags {
	f := &reportFlags{}
	choice(cmd, "output", "text", "form of the report", to(&f.output), report.Outputs()...)
	addFlag(cmd, "stringArray", "fail-on", "",
		"exit with 1 if this holds, such as 'violation>0', 'violation.verified.obtained>10' or 'GPTBot:violation.obtained>0' (repeatable)",
		func(text string) error {
			c, err := parseCondition(text)
			if err != nil {
				return usageError("--fail-on %q: %w", text, err)
			}
			f.failOn = append(f.failOn, c)
			return nil
		})
	return f
}

// finish prints the report of an audit or a merge, and returns the error that ends the
// command with its exit code.
func (f *reportFlags) finish(s streams, a *job.Audited, err error) error {
	if a == nil {
		return err
	}
	code := exitDone
	if a.Partial {
		code = exitInput
	}
	if err != nil {
		s.warn("%v", err)
		code = codeOf(err)
	}
	// If no input could be read, the text would only repeat the warnings.
	wasRead := func(in audit.InputInfo) bool { return in.Format != "" }
	if in := a.Report.Inputs; f.output != "text" || len(in) == 0 || slices.ContainsFunc(in, wasRead) {
		if err := report.Write(s.out, f.output, a.Report, colours(s.out)); err != nil {
			s.warn("writing the report: %v", err)
			return exitWith(max(code, exitInput))
		}
	}
	if code == exitDone {
		return f.verdict(s, a)
	}
	if a.Partial && len(f.failOn) > 0 {
		s.warn("--fail-on is not checked on a part of the input: the rest could clear a violation")
	}
	return exitWith(code)
}

// verdict ends the command with 1 if a condition holds, and says which one.
func (f *reportFlags) verdict(s streams, a *job.Audited) error {
	code, r := exitDone, a.Report
	for _, c := range f.failOn {
		if !c.names(r, a.Crawlers) {
			s.warn("--fail-on %s: no crawler called %s is known or was seen", c.text, c.crawler)
		}
		if c.verified && !r.CanVerify {
			s.warn("--fail-on %s: no client can be verified without --ip-ranges, --resolved-names or --resolve", c.text)
		}
		if n := c.count(r); c.holds(n) {
			s.warn("--fail-on %s: there %s %s", c.text, english.Verb(n, "is", "are"), english.Grouped(n))
			code = exitFound
		}
	}
	return exitWith(code)
}

// condition is one of --fail-on: a number of violations compared with another.
type condition struct {
	text               string
	crawler            string // empty: all together
	verified, obtained bool   // count only those
	operator           string
	n                  int64
}

var errCondition = errors.New("not of the form [CRAWLER:]violation[.verified][.obtained] and >, >=, <, <= or = and a number")

var conditions = regexp.MustCompile(`^(?:([^:]+):)?violation((?:\.(?:verified|obtained))*)\s*(>=|<=|==|=|>|<)\s*([0-9]+)$`)

func parseCondition(text string) (condition, error) {
	m := conditions.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return condition{}, errCondition
	}
	n, err := strconv.ParseInt(m[4], 10, 64)
	if err != nil {
		return condition{}, fmt.Errorf("%w: %w", errCondition, err)
	}
	return condition{
		text: text, crawler: strings.TrimSpace(m[1]), operator: m[3], n: n,
		verified: strings.Contains(m[2], "verified"), obtained: strings.Contains(m[2], "obtained"),
	}, nil
}

// names tells whether the condition's crawler, if it has one, is known or in the
// report. If not, its name may be mistyped.
func (c condition) names(r *audit.Report, known *crawler.Set) bool {
	is := func(name string) bool { return strings.EqualFold(name, c.crawler) }
	return c.crawler == "" ||
		slices.ContainsFunc(r.Crawlers, func(row audit.CrawlerInfo) bool { return is(row.Crawler) }) ||
		slices.ContainsFunc(known.Profiles(), func(p crawler.Profile) bool { return is(p.Name) && !p.Control })
}

// count counts the violations that the condition compares.
func (c condition) count(r *audit.Report) (n int64) {
	for _, row := range r.Crawlers {
		if c.crawler != "" && !strings.EqualFold(c.crawler, row.Crawler) {
			continue
		}
		for _, v := range row.Violations {
			if (!c.verified || v.Identity == "verified") && (!c.obtained || v.Outcome == "content") {
				n += v.N
			}
		}
	}
	return n
}

func (c condition) holds(n int64) bool {
	is := map[int]string{-1: "<", 0: "=", 1: ">"}[cmp.Compare(n, c.n)]
	return strings.Contains(c.operator, is)
}
