package report

import "slices"

// Rewrite returns a copy of the report in which write was called once for each text: Printable for
// people, ToUTF8 for JSON, FromUTF8 for what JSON had. The report itself is not changed: nothing is
// shared but bodies of robots.txt, numbers in timelines and FetchSeconds.
func (r *Report) Rewrite(write func(string) string) *Report {
	w, c := Rewriter(write), *r
	w.Texts(&c.Schema, &c.Program, &c.Command, &c.TimeZone, &c.Sampling)
	w.Lists(&c.Choice.Crawlers, &c.Choice.Categories, &c.Assumptions, &c.Warnings, &c.UnparsedSamples, &c.NotAuditable)
	w.policy(&c.Policy)
	Each(&c.Ranges, func(l *RangeInfo) { w.Texts(&l.Crawler, &l.File, &l.DatedBy) })
	Each(&c.Inputs, func(in *InputInfo) { in.Rewrite(write) })
	Each(&c.Operators, func(o *OperatorInfo) { w.Texts(&o.Operator); w.Lists(&o.Referrers) })
	w.robots(&c.RobotsTxt)
	Each(&c.Crawlers, w.crawler)
	Each(&c.Changes, func(change *RobotsChange) {
		w.Texts(&change.Origin, &change.OldFile, &change.NewFile)
		Each(&change.Crawlers, func(of *ChangedCrawler) { w.Texts(&of.Crawler) })
	})
	Each(&c.Sites, func(s *SiteInfo) { w.Texts(&s.Origin) })
	Each(&c.OtherHosts, func(h *HostInfo) { w.Texts(&h.Host) })
	Each(&c.Overlooked, func(h *HeaderInfo) { w.Texts(&h.Header) })
	if c.WhatIf != nil {
		c.WhatIf = w.whatIf(*c.WhatIf)
	}
	return &c
}

// Rewrite writes the texts of an input anew.
func (in *InputInfo) Rewrite(write Rewriter) {
	write.Texts(&in.Name, &in.Host, &in.Format, &in.Codec, &in.SHA256, &in.DuplicateOf, &in.Error)
	in.Clients = ClientsBy(write(string(in.Clients)))
}

// Rewrite is as Report.Rewrite.
func (s *LoggedSite) Rewrite(write func(string) string) *LoggedSite {
	w, c := Rewriter(write), *s
	w.Texts(&c.Site)
	Each(&c.Intervals, func(in *LoggedInterval) {
		Each(&in.Answers, func(a *LoggedAnswer) { w.Lists(&a.Fits) })
	})
	return &c
}

// Rewriter writes the texts of a value anew, as Report.Rewrite does: Printable, ToUTF8 and FromUTF8 are some.
type Rewriter func(string) string

// Texts writes texts anew.
func (w Rewriter) Texts(list ...*string) {
	for _, text := range list {
		*text = w(*text)
	}
}

// Lists writes the texts of lists anew, which become copies.
func (w Rewriter) Lists(lists ...*[]string) {
	for _, list := range lists {
		Each(list, func(text *string) { *text = w(*text) })
	}
}

// Each replaces a list by a copy of it, whose elements a function changes.
func Each[T any](list *[]T, change func(*T)) {
	*list = slices.Clone(*list)
	for i := range *list {
		change(&(*list)[i])
	}
}

func (w Rewriter) policy(p *PolicyInfo) {
	w.Texts(&p.File, &p.Dialect, &p.NoRule)
	p.History = History(w(string(p.History)))
	w.Lists(&p.Origins)
	Each(&p.Versions, func(v *VersionInfo) { w.Texts(&v.Origin, &v.File, &v.Location, &v.SHA256) })
}

func (w Rewriter) robots(r *RobotsInfo) {
	r.ClearedBy, r.Strangers = slices.Clone(r.ClearedBy), slices.Clone(r.Strangers)
	Each(&r.Listed, func(s *SizeInfo) {
		w.Texts(&s.Origin)
		s.Expected = slices.Clone(s.Expected)
	})
}

func (w Rewriter) crawler(c *CrawlerInfo) {
	w.Texts(&c.Crawler, &c.Operator, &c.Category, &c.Exempt, &c.Source, &c.Date)
	c.Role, c.Obeys = Role(w(string(c.Role))), YesNo(w(string(c.Obeys)))
	c.CrawlDelaySupported = YesNo(w(string(c.CrawlDelaySupported)))
	c.Violations, c.Statuses = slices.Clone(c.Violations), slices.Clone(c.Statuses)
	c.Timeline.From, c.RobotsTxt.Cleared = slices.Clone(c.Timeline.From), slices.Clone(c.RobotsTxt.Cleared)
	Each(&c.Claims, func(of *ClaimInfo) { w.Texts(&of.Claim) })
	w.paths(&c.Paths)
	w.paths(&c.ViolationPaths)
	Each(&c.Rules, func(r *RuleInfo) {
		w.Texts(&r.Origin, &r.File, &r.Rule)
		w.paths(&r.Paths)
	})
	Each(&c.CrawlDelay, func(d *DelayInfo) { w.Texts(&d.Origin) })
	Each(&c.Samples, func(s *SampleInfo) { w.Texts(&s.Line) })
}

func (w Rewriter) paths(p *PathList) { Each(&p.List, func(of *PathInfo) { w.Texts(&of.Path) }) }

func (w Rewriter) whatIf(i WhatIfInfo) *WhatIfInfo {
	w.Texts(&i.File)
	compared := func(c *ComparedInfo) {
		w.Texts(&c.Crawler)
		for e := range Effects {
			of := c.Of(e)
			w.Lists(&of.Examples)
			Each(&of.Prefixes, func(p *PrefixInfo) { w.Texts(&p.Prefix) })
		}
	}
	compared(&i.All)
	Each(&i.Crawlers, compared)
	return &i
}
