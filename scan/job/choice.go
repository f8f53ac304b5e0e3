package job

import (
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

// choose sets which crawlers a report is of, and checks the condition on it. A name that is not known
// may be one in the logs.
func (o *Results) choose(config *audit.Config) error {
	if !o.Only.IsAll() {
		config.Only = report.Choice{Crawlers: []string{}, Categories: append([]string{}, o.Only.Categories...)}
	}
	for _, text := range o.Only.Crawlers {
		names := config.Crawlers.NamesOf(text)
		if near := like(config.Crawlers, text); names == nil {
			names = []string{text}
			if near != "" {
				o.Messages.warn("--crawler %s: no known crawler is called so%s; the logs are searched for it", text, near)
			}
		}
		config.Only.Crawlers = append(config.Only.Crawlers, names...)
	}
	if o.CheckCondition == nil {
		return nil
	}
	return o.CheckCondition(config)
}

// like asks whether one of the known crawlers is meant whose names are like a text.
func like(known *crawler.Set, text string) string {
	if near := known.Nearest(text); near != nil {
		return " (did you mean " + strings.Join(near, " or ") + "?)"
	}
	return ""
}

// checkChoice refuses a name that is not known and of which the logs have no crawler.
func checkChoice(known *crawler.Set, r *report.Report) error {
	for _, name := range r.Choice.Crawlers {
		isIts := func(c report.CrawlerInfo) bool { return strings.EqualFold(c.Crawler, name) }
		if known.NamesOf(name) == nil && !slices.ContainsFunc(r.Crawlers, isIts) {
			return usageError("--crawler %s: no crawler is called so, neither a known one nor one in the logs%s", name,
				like(known, name))
		}
	}
	return nil
}

// only gives the requests of the chosen crawlers to a function, which may be nil.
func only(c *report.Choice, give func(*audit.Judged)) func(*audit.Judged) {
	if give == nil || c.IsAll() {
		return give
	}
	return func(j *audit.Judged) {
		if j.IsOf(c) {
			give(j)
		}
	}
}
