package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

// condition is a --fail-on: a number of violations, requests or lines, or a share, against a limit.
type condition struct {
	text              string
	what              string // violation, requests, lines, or unparsed (lines that could not be parsed)
	crawler           string // a crawler or else a category; empty for all crawlers together
	verified, content bool   // count only verified clients, or only content
	operator          string
	n                 int64   // the limit, unless isShare
	isShare           bool    // the limit is percent
	percent           float64 // the limit in per cent
}

var errCondition = errors.New("not of the form [CRAWLER|CATEGORY:]violation[.verified][.content], " +
	"[CRAWLER|CATEGORY:]requests, lines or unparsed, then >, >=, <, " +
	"<= or =, and a number or a share such as 0.5%")

var conditions = lazy.Regexp(
	`^(?:(?:([^:]+):)?(?:(violation)((?:\.(?:verified|content))*)|(requests))|(unparsed|lines))\s*` +
		`(>=|<=|==|=|>|<)\s*(?:([0-9]+)|([0-9]+(?:\.[0-9]+)?)\s*%)$`)

func parseCondition(text string) (condition, error) {
	m := conditions().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return condition{}, errCondition
	}
	c := condition{
		text: text, crawler: strings.TrimSpace(m[1]), what: m[2] + m[4] + m[5], operator: m[6], isShare: m[8] != "",
		verified: strings.Contains(m[3], "verified"), content: strings.Contains(m[3], "content"),
	}
	var err error
	if c.isShare {
		c.percent, err = strconv.ParseFloat(m[8], 64)
	} else {
		c.n, err = strconv.ParseInt(m[7], 10, 64)
	}
	switch {
	case err != nil:
		return condition{}, fmt.Errorf("%w: %w", errCondition, err)
	case c.isShare && c.what == "lines":
		return condition{}, fmt.Errorf("%w: lines are a share of nothing", errCondition)
	case c.n == 0 && c.percent == 0 && c.operator == "<":
		return condition{}, fmt.Errorf("%w, which is not below 0", errCondition)
	case c.percent > 100 || c.percent == 100 && c.operator == ">":
		return condition{}, fmt.Errorf("%w: no share is above 100 %%", errCondition)
	}
	return c, nil
}

func (c condition) is(name, category string) bool {
	return strings.EqualFold(name, c.crawler) || report.InCategory(category, c.crawler)
}

// onLines reports whether the condition counts lines of any client.
func (c condition) onLines() bool { return c.what == "unparsed" || c.what == "lines" }

func (c condition) profiles(known *crawler.Set) []crawler.Profile {
	return slices.DeleteFunc(slices.Clone(known.Profiles()),
		func(p crawler.Profile) bool { return !c.is(p.Name, p.Category) })
}

// impossible says why the condition can't hold for any logs, or returns "" if it can.
func (c condition) impossible(config *job.Countable) string {
	if c.onLines() || c.holds(0, 0) {
		return ""
	}
	named := c.profiles(config.Crawlers)
	all := func(is func(crawler.Profile) bool) bool {
		return len(named) > 0 && !slices.ContainsFunc(named, func(p crawler.Profile) bool { return !is(p) })
	}
	switch {
	case config.WhatIf:
		return "--what-if judges no request"
	case config.Unjudged && c.what == "violation":
		return "without a robots.txt no request is judged (--robots, --policy)"
	case all(func(p crawler.Profile) bool { return p.Control }):
		return named[0].Name + " is " + controlToken
	case all(func(p crawler.Profile) bool { return !config.Only.Has(p.Name, p.Category) }):
		return "--crawler and --category leave " + c.crawler + " out"
	case c.what == "violation" && all(func(p crawler.Profile) bool { return p.Control || p.Exempt != "" }):
		if len(named) == 1 {
			return "robots.txt does not bind " + named[0].Name + ", so that its requests are no violations"
		}
		return "robots.txt binds no crawler of the category " + c.crawler
	case c.verified && !c.verifies(config, nil):
		client := "client"
		if c.crawler != "" {
			client += " called " + c.crawler
		}
		return "no " + client + " can be verified without --ip-ranges, --resolved-names or --resolve"
	}
	return ""
}

// verifies reports whether clients that the condition counts can be verified, at the report's time if any.
func (c condition) verifies(config *job.Countable, r *report.Report) bool {
	b := config.Basis
	return slices.ContainsFunc(config.Crawlers.Profiles(), func(p crawler.Profile) bool {
		if p.Control || p.Exempt != "" || c.crawler == "" && p.IsFetcher() || c.crawler != "" && !c.is(p.Name, p.Category) {
			return false
		}
		return len(p.Domains) > 0 && (b.Names != "" || config.LooksUp) ||
			slices.ContainsFunc(b.Ranges, func(list report.RangeInfo) bool {
				return strings.EqualFold(list.Crawler, p.Name) && (r == nil || inTime(list, r, b.RangesMaxAge))
			})
	})
}

// inTime reports whether a list of addresses is recent enough to verify clients of a report.
func inTime(list report.RangeInfo, r *report.Report, maxAge time.Duration) bool {
	made := list.Created
	return made.IsZero() || r.From.IsZero() || !made.Add(maxAge).Before(r.From.Time) && !made.Add(-maxAge).After(r.To.Time)
}

// unchecked says why the report leaves open whether the condition holds, or returns "".
func (c condition) unchecked(r *report.Report, config *job.Countable) string {
	if c.onLines() || c.holds(0, 0) {
		return ""
	}
	if r.Lines == r.Unparsed && r.OutOfPeriod > 0 {
		return fmt.Sprintf("no line is in the period: the lines are from %s to %s", r.OutsideFrom, r.OutsideTo)
	}
	withoutHost := int64(0)
	for _, row := range r.Crawlers {
		withoutHost += row.Reasons[report.NoHost]
	}
	namesCrawlers := func(in report.InputInfo) bool {
		f, ok := format.ByName(in.Format)
		return !ok || f.HasAgent()
	}
	switch {
	case c.crawler != "" && len(c.profiles(config.Crawlers)) == 0 && !slices.ContainsFunc(r.Crawlers,
		func(row report.CrawlerInfo) bool { return c.is(row.Crawler, row.Category) }):
		if !r.Choice.IsAll() {
			return "no crawler called " + c.crawler + " is known or is one of " + r.Choice.String() + " (--crawler, --category)"
		}
		return "no crawler called " + c.crawler + " is known or was seen"
	case r.Lines > 0 && !slices.ContainsFunc(r.Inputs, namesCrawlers):
		return "the logs have no User-Agent, so no line can name a crawler"
	case r.AllRequests() == 0 && r.NoAgent > 0 && r.NoAgent == r.NotCrawlers:
		return "no line has a User-Agent, so none can name a crawler"
	case r.AllRequests() == 0 && r.OtherHost > 0:
		return "all requests of crawlers were to hosts that are not judged"
	case withoutHost > 0 && withoutHost == r.Totals.Requests:
		return "it is not known to which host the requests of crawlers were: name the site with --host"
	case c.verified && r.Proxied:
		return "the log has the addresses of a proxy, by which no client is verified"
	case c.verified && r.Totals.Requests > 0 && !c.verifies(config, r):
		return "no list of --ip-ranges was made near enough to the time of the logs to verify a client " +
			"(--ranges-max-age)"
	}
	return ""
}

// count returns the number that is compared, and the total for its share: of unparsed lines all lines,
// those outside the period too; of violations the same crawlers' requests without impostors, or verified.
func (c condition) count(r *report.Report) (n, of int64) {
	switch {
	case c.what == "unparsed":
		return r.Unparsed, r.Lines + r.OutOfPeriod
	case c.what == "lines":
		return r.Lines, r.Lines
	}
	for _, row := range r.Crawlers {
		switch {
		case c.crawler != "" && !c.is(row.Crawler, row.Category):
			continue
		case c.what == "requests":
			n, of = n+row.Requests-row.Verdicts[report.Spoofed], r.Lines
			continue
		case c.crawler == "" && row.Role == report.RoleFetcher:
			continue
		}
		if c.verified {
			of += row.Identity[report.Verified]
		} else {
			of += row.Requests - row.Verdicts[report.Spoofed]
		}
		for _, v := range row.Violations {
			if (!c.verified || v.Identity == report.Verified) && (!c.content || v.Outcome == report.Content) {
				n += v.N
			}
		}
	}
	return n, of
}

func (c condition) holds(n, of int64) bool {
	order := cmp.Compare(n, c.n)
	if c.isShare {
		order = cmp.Compare(100*float64(n)/float64(max(of, 1)), c.percent)
	}
	return strings.Contains(c.operator, map[int]string{-1: "<", 0: "=", 1: ">"}[order])
}

func (c condition) found(n, of int64) string {
	text := fmt.Sprintf("there %s %s", english.Verb(n, "is", "are"), english.Grouped(n))
	if c.isShare {
		text += " of " + english.Grouped(of)
	}
	return text
}
