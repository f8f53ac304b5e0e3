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
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
)

// condition is one of --fail-on: a number of violations or of lines that could not be parsed,
// or its share, compared with another.
type condition struct {
	text              string
	unparsed          bool   // it counts lines that could not be parsed; otherwise violations
	crawler           string // empty: all together
	verified, content bool   // count only those
	operator          string
	n                 int64   // what is compared with, unless
	isShare           bool    // it is
	percent           float64 // per cent
}

var errCondition = errors.New("not of the form [CRAWLER:]violation[.verified][.content] or unparsed, then >, >=, <, " +
	"<= or =, and a number or a share such as 0.5%")

var conditions = lazy.Regexp(`^(?:(?:([^:]+):)?violation((?:\.(?:verified|content))*)|(unparsed))\s*(>=|<=|==|=|>|<)\s*(?:([0-9]+)|([0-9]+(?:\.[0-9]+)?)\s*%)$`)

func parseCondition(text string) (condition, error) {
	m := conditions().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return condition{}, errCondition
	}
	c := condition{
		text: text, crawler: strings.TrimSpace(m[1]), unparsed: m[3] != "", operator: m[4], isShare: m[6] != "",
		verified: strings.Contains(m[2], "verified"), content: strings.Contains(m[2], "content"),
	}
	var err error
	if c.isShare {
		c.percent, err = strconv.ParseFloat(m[6], 64)
	} else {
		c.n, err = strconv.ParseInt(m[5], 10, 64)
	}
	switch {
	case err != nil:
		return condition{}, fmt.Errorf("%w: %w", errCondition, err)
	case c.n == 0 && c.percent == 0 && c.operator == "<":
		return condition{}, fmt.Errorf("%w, which is not below 0", errCondition)
	case c.percent > 100 || c.percent == 100 && c.operator == ">":
		return condition{}, fmt.Errorf("%w: no share is above 100 %%", errCondition)
	}
	return c, nil
}

// is tells whether the condition is about the crawler with a name.
func (c condition) is(name string) bool { return strings.EqualFold(name, c.crawler) }

// profile returns the known crawler of the condition, nil if there is none.
func (c condition) profile(known *crawler.Set) *crawler.Profile {
	profiles := known.Profiles()
	i := slices.IndexFunc(profiles, func(p crawler.Profile) bool { return c.is(p.Name) })
	if i < 0 {
		return nil
	}
	return &profiles[i]
}

// impossible says why the condition cannot hold for any logs; "" if it can.
func (c condition) impossible(config *audit.Config) string {
	if c.unparsed || c.holds(0, 0) {
		return ""
	}
	p := c.profile(config.Crawlers)
	switch {
	case p != nil && p.Control:
		return p.Name + " is " + controlToken
	case p != nil && p.Exempt != "":
		return "robots.txt does not bind " + p.Name + ", so that its requests are no violations"
	case c.verified && !c.verifies(config, nil):
		client := "client"
		if c.crawler != "" {
			client += " called " + c.crawler
		}
		return "no " + client + " can be verified without --ip-ranges, --resolved-names or --resolve"
	}
	return ""
}

// verifies tells whether there is anything to verify those clients by that the condition
// counts, at the time of the report if there is one.
func (c condition) verifies(config *audit.Config, r *audit.Report) bool {
	b := config.Basis
	return slices.ContainsFunc(config.Crawlers.Profiles(), func(p crawler.Profile) bool {
		if p.Control || p.Exempt != "" || c.crawler == "" && p.IsFetcher() || c.crawler != "" && !c.is(p.Name) {
			return false
		}
		return len(p.Domains) > 0 && (b.Names != "" || config.Addresses) ||
			slices.ContainsFunc(b.Ranges, func(list audit.RangeInfo) bool {
				return strings.EqualFold(list.Crawler, p.Name) && (r == nil || inTime(list, r, b.RangesMaxAge))
			})
	})
}

// inTime tells whether a list of addresses may verify a client of a report.
func inTime(list audit.RangeInfo, r *audit.Report, maxAge time.Duration) bool {
	made, undated := time.Parse(time.RFC3339, list.Created)
	from, unknown := time.Parse(time.RFC3339, r.From)
	to, _ := time.Parse(time.RFC3339, r.To)
	return undated != nil || unknown != nil || !made.Add(maxAge).Before(from) && !made.Add(-maxAge).After(to)
}

// unchecked says why the report does not tell whether the condition holds; "" if it
// does.
func (c condition) unchecked(r *audit.Report, config *audit.Config) string {
	if c.unparsed || c.holds(0, 0) {
		return ""
	}
	if r.Lines == r.Unparsed && r.OutOfPeriod > 0 {
		return fmt.Sprintf("no line is of the period: the lines are from %s to %s", r.OutsideFrom, r.OutsideTo)
	}
	withoutHost := int64(0)
	for _, row := range r.Crawlers {
		withoutHost += row.Reasons[audit.NoHost]
	}
	namesCrawlers := func(in audit.InputInfo) bool {
		f, ok := format.ByName(in.Format)
		return !ok || f.HasAgent()
	}
	switch {
	case c.crawler != "" && c.profile(config.Crawlers) == nil &&
		!slices.ContainsFunc(r.Crawlers, func(row audit.CrawlerInfo) bool { return c.is(row.Crawler) }):
		return "no crawler called " + c.crawler + " is known or was seen"
	case r.Lines > 0 && !slices.ContainsFunc(r.Inputs, namesCrawlers):
		return "the logs have no User-Agent, so no line can name a crawler"
	case r.Totals.Requests == 0 && r.OtherHost > 0:
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

// count counts what the condition compares, and what that is a share of: for lines that could
// not be parsed all lines, also those outside of the period, for violations the requests of the same
// crawlers, without those of impostors, and with .verified only those of verified clients.
func (c condition) count(r *audit.Report) (n, of int64) {
	if c.unparsed {
		return r.Unparsed, r.Lines + r.OutOfPeriod
	}
	for _, row := range r.Crawlers {
		if c.crawler != "" && !c.is(row.Crawler) || c.crawler == "" && row.Role == "fetcher" {
			continue
		}
		if c.verified {
			of += row.Identity[audit.Verified]
		} else {
			of += row.Requests - row.Verdicts[audit.Spoofed]
		}
		for _, v := range row.Violations {
			if (!c.verified || v.Identity == "verified") && (!c.content || v.Outcome == "content") {
				n += v.N
			}
		}
	}
	return n, of
}

// holds tells whether the condition holds for n out of so many.
func (c condition) holds(n, of int64) bool {
	order := cmp.Compare(n, c.n)
	if c.isShare {
		order = cmp.Compare(100*float64(n)/float64(max(of, 1)), c.percent)
	}
	return strings.Contains(c.operator, map[int]string{-1: "<", 0: "=", 1: ">"}[order])
}

// found says what was counted, where the condition holds.
func (c condition) found(n, of int64) string {
	text := fmt.Sprintf("there %s %s", english.Verb(n, "is", "are"), english.Grouped(n))
	if c.isShare {
		text += " of " + english.Grouped(of)
	}
	return text
}
