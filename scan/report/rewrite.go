package report

import "slices"

// Rewrite returns a copy of the report in which write was called once for each text: Printable for
// people, ToUTF8 for JSON, FromUTF8 for what JSON had. The report itself is not changed: nothing is
// shared but bodies of robots.txt, numbers in timelines and FetchSeconds.
func (r *Report) Rewrite(write func(string) string) *Report {
	w, c := rewriter(write), *r
	w.texts(&c.Schema, &c.Program, &c.Command, &c.TimeZone, &c.Sampling)
	w.lists(&c.Choice.Crawlers, &c.Choice.Categories, &c.Assumptions, &c.Warnings, &c.UnparsedSamples, &c.NotAuditable)
	w.policy(&c.Policy)
	each(&c.Ranges, func(l *RangeInfo) { w.texts(&l.Crawler, &l.File, &l.DatedBy) })
	each(&c.Inputs, func(in *InputInfo) {
		w.texts(&in.Name, &in.Host, &in.Format, &in.Codec, &in.SHA256, &in.DuplicateOf, &in.Error)
		in.Clients = ClientsBy(write(string(in.Clients)))
	})
	each(&c.Operators, func(o *OperatorInfo) { w.texts(&o.Operator); w.lists(&o.Referrers) })
	w.robots(&c.RobotsTxt)
	each(&c.Crawlers, w.crawler)
	each(&c.Changes, func(change *RobotsChange) {
		w.texts(&change.Origin, &change.OldFile, &change.NewFile)
		each(&change.Crawlers, func(of *ChangedCrawler) { w.texts(&of.Crawler) })
	})
	each(&c.Sites, func(s *SiteInfo) { w.texts(&s.Origin) })
	each(&c.OtherHosts, func(h *HostInfo) { w.texts(&h.Host) })
	each(&c.Overlooked, func(h *HeaderInfo) { w.texts(&h.Header) })
	if c.WhatIf != nil {
		c.WhatIf = w.whatIf(*c.WhatIf)
	}
	return &c
}

// Rewrite is as Report.Rewrite.
func (s *LoggedSite) Rewrite(write func(string) string) *LoggedSite {
	w, c := rewriter(write), *s
	w.texts(&c.Site)
	each(&c.Intervals, func(in *LoggedInterval) {
		each(&in.Answers, func(a *LoggedAnswer) { w.lists(&a.Fits) })
	})
	return &c
}

// rewriter writes texts anew.
type rewriter func(string) string

func (w rewriter) texts(list ...*string) {
	for _, text := range list {
		*text = w(*text)
	}
}

func (w rewriter) lists(lists ...*[]string) {
	for _, list := range lists {
		each(list, func(text *string) { *text = w(*text) })
	}
}

// each replaces a list by a copy of it, whose elements a function changes.
func each[T any](list *[]T, change func(*T)) {
	*list = slices.Clone(*list)
	for i := range *list {
		change(&(*list)[i])
	}
}

func (w rewriter) policy(p *PolicyInfo) {
	w.texts(&p.File, &p.Dialect, &p.NoRule)
	p.History = History(w(string(p.History)))
	w.lists(&p.Origins)
	each(&p.Versions, func(v *VersionInfo) { w.texts(&v.Origin, &v.File, &v.Location, &v.SHA256) })
}

func (w rewriter) robots(r *RobotsInfo) {
	r.ClearedBy, r.Strangers = slices.Clone(r.ClearedBy), slices.Clone(r.Strangers)
	each(&r.Listed, func(s *SizeInfo) {
		w.texts(&s.Origin)
		s.Expected = slices.Clone(s.Expected)
	})
}

func (w rewriter) crawler(c *CrawlerInfo) {
	w.texts(&c.Crawler, &c.Operator, &c.Category, &c.Exempt, &c.Source, &c.Date)
	c.Role, c.Obeys = Role(w(string(c.Role))), YesNo(w(string(c.Obeys)))
	c.CrawlDelaySupported = YesNo(w(string(c.CrawlDelaySupported)))
	c.Violations, c.Statuses = slices.Clone(c.Violations), slices.Clone(c.Statuses)
	c.Timeline.From, c.RobotsTxt.Cleared = slices.Clone(c.Timeline.From), slices.Clone(c.RobotsTxt.Cleared)
	each(&c.Claims, func(of *ClaimInfo) { w.texts(&of.Claim) })
	w.paths(&c.Paths)
	w.paths(&c.ViolationPaths)
	each(&c.Rules, func(r *RuleInfo) {
		w.texts(&r.Origin, &r.File, &r.Rule)
		w.paths(&r.Paths)
	})
	each(&c.CrawlDelay, func(d *DelayInfo) { w.texts(&d.Origin) })
	each(&c.Samples, func(s *SampleInfo) { w.texts(&s.Line) })
}

func (w rewriter) paths(p *PathList) { each(&p.List, func(of *PathInfo) { w.texts(&of.Path) }) }

func (w rewriter) whatIf(i WhatIfInfo) *WhatIfInfo {
	w.texts(&i.File)
	compared := func(c *ComparedInfo) {
		w.texts(&c.Crawler)
		for e := range Effects {
			of := c.Of(e)
			w.lists(&of.Examples)
			each(&of.Prefixes, func(p *PrefixInfo) { w.texts(&p.Prefix) })
		}
	}
	compared(&i.All)
	each(&i.Crawlers, compared)
	return &i
}
