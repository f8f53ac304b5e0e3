package render

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Limits of lists in the document. Other outputs list everything.
const (
	maxCrawlersShown = 60
	maxRulesShown    = 40 // also for the table of violations
	maxVersionsShown = 12 // also for sizes of answers
	maxFetchersShown = 25 // also for the table of delays
	maxInputsShown   = 8
	maxUnreadShown   = 20 // inputs that could not be read
	maxNamesShown    = 8  // in a sentence
	maxPrefixesShown = 10 // per crawler
	maxExamplesShown = 3  // per crawler
)

// full is the whole report: the result and its basis, then the crawlers, then everything else.
func full(r *report.Report) document {
	d := doc{r, maxCrawlersShown, maxRuleShown}
	if r.WhatIf != nil {
		d.widest = maxWidth
		return withText(slices.Concat(d.comparison(maxPrefixesShown, maxExamplesShown), []block{d.facts()}, d.warnings(),
			[]block{d.assumptions(), d.unparsed(), d.otherHosts()})...)
	}
	return d.blocks()
}

func (d doc) blocks() document {
	result := []block{{Text: d.partial()}, {Text: append(d.headline(), d.portion()...)}}
	who := []block{d.versions(), d.assumptions(), d.crawlers()}
	if d.Policy.None() {
		who = []block{d.assumptions(), d.comers(), d.sentSizes()}
	}
	return withText(slices.Concat(result, []block{d.facts()}, d.warnings(), who, d.details())...)
}

func (d doc) warnings() (list []block) {
	for _, w := range d.Warnings {
		list = append(list, block{Heading: "Warning", Facts: []fact{{"Warning", caution(w)}}})
	}
	return list
}

func (d doc) assumptions() block {
	return block{Heading: "Assumptions", Title: "Assumptions:", List: d.Assumptions}
}

// details has the blocks after the table of crawlers.
func (d doc) details() []block {
	blocks := append(d.beforeAfter(), d.claims(), d.violations(), d.rules(),
		d.paths("Paths requested against robots.txt", "requested against robots.txt by",
			func(c *crawler) report.PathList { return c.ViolationPaths }, 5),
		d.paths("Paths requested most", "requested most by", func(c *crawler) report.PathList { return c.Paths }, 3),
		d.sites(), d.traffic(), d.referrals(),
		d.fetches(), d.delays(), d.sizes())
	for _, c := range d.pointers() {
		b := block{Heading: "Sampled lines", Title: "First " +
			english.Verb(int64(len(c.Samples)), "violation", "violations") + " by " + shortName(c) + ", as logged:"}
		for _, s := range c.Samples {
			b.Quote = append(b.Quote, s.Line)
		}
		blocks = append(blocks, b)
	}
	return append(blocks, d.operators(), d.overlooked(), d.unparsed(), d.otherHosts(),
		block{Heading: "Limits", Text: []string{d.limits()}})
}

func (d doc) partial() []string {
	if !d.Partial {
		return nil
	}
	return []string{caution("PARTIAL: not all of the input was read or could be parsed.")}
}

func (d doc) limits() string {
	served := "a robots.txt served differently by place, header or edge"
	if d.RobotsTxt.SizesMixed { // the log shows that it is
		served = "what a robots.txt of another size said"
	}
	return "What no log can show: " + served + "; paths rewritten before they were logged; " +
		"a 304 for a file that had changed."
}

// doc is a report with limits on crawlers and on characters per path. Its methods make parts of a document.
type doc struct {
	*report.Report
	most, widest int
}

// isFetcher reports whether a crawler is listed with the fetchers, outside the headline.
func isFetcher(c *crawler) bool { return c.Role == report.RoleFetcher && c.Exempt == "" }

func isAI(c *crawler) bool { return report.InCategory(c.Category, report.AI) }

// fetchersLast orders crawlers so that the fetchers come last.
func fetchersLast(x, y *crawler) int {
	last := map[bool]int{true: 1}
	return cmp.Compare(last[isFetcher(x)], last[isFetcher(y)])
}

func (d doc) without(excluded func(*crawler) bool) []*crawler {
	return slices.DeleteFunc(d.pointers(), excluded)
}

// pointers returns pointers to all crawlers, because the values are large.
func (d doc) pointers() []*crawler {
	list := make([]*crawler, len(d.Crawlers))
	for i := range list {
		list[i] = &d.Crawlers[i]
	}
	return list
}

// headline states the result, first for verified clients, then for all, without impostors, and for fetchers.
func (d doc) headline() []string {
	if d.Totals.Requests == 0 && d.Choice.Requests > 0 {
		return []string{"No request was made by " + Cut(d.Choice.String(), maxRuleShown) + "."}
	}
	if d.Policy.None() && d.Totals.Requests+d.OtherHost > 0 {
		return []string{d.cameText()}
	}
	if why := d.Policy.NoRule; why != "" && d.Totals.Requests > 0 {
		return []string{caution(fmt.Sprintf("Nothing is forbidden, because %s has no rule: %s.",
			path.Base(d.Policy.File), why)) +
			fmt.Sprintf(" So this audit says nothing about %s.", english.Plural(d.Totals.Requests, "crawler request"))}
	}
	crawlers := d.without(isFetcher)
	v := map[report.Verdict]int64{}
	requests, content := int64(0), int64(0)
	for _, c := range crawlers {
		requests += own(c)
		content += c.Outcomes[report.Content]
		for verdict, n := range c.Verdicts {
			v[report.Verdict(verdict)] += n
		}
	}
	fetched := -requests
	for _, c := range d.pointers() {
		fetched += own(c)
	}
	broken := d.Totals.Fetchers.Violations
	all := english.Plural(requests, "crawler request")
	if why := d.nothingJudged(requests + fetched); why != "" {
		return []string{why}
	}
	var text []string
	switch {
	case requests == 0:
		some := "None"
		if broken > 0 {
			some = english.Grouped(broken)
		}
		text = []string{fmt.Sprintf("%s%s of %s by fetchers broke robots.txt; a person, "+
			"a subscription or the site's own operator sent them. There are no other crawler requests.",
			d.condition(), some, english.Plural(fetched, "request"))}
	case v[report.Violation] > 0:
		broke, under := alarm(english.Grouped(v[report.Violation]))+" of "+all+" broke", underNames(crawlers)
		text = []string{d.condition()}
		switch first := verifiedContent(crawlers); {
		case first != "":
			text[0] += fmt.Sprintf("%s In all, %s it, %s; %s got content.", first, broke, under,
				alarm(english.Grouped(content)))
		case content > 0:
			text[0] += fmt.Sprintf("%s robots.txt, %s; %s %s answered with content. %s", broke, under,
				alarm(english.Grouped(content)), english.Verb(content, "was", "were"), d.identified(content))
		default:
			text[0] += fmt.Sprintf("%s robots.txt, %s; none was answered with content. %s", broke, under,
				d.identified(0))
		}
	default:
		text = []string{d.condition() + all + ": " + noViolation(v, requests) + "."}
	}
	if fetched > 0 && requests > 0 {
		text = append(text, fmt.Sprintf("Counted apart: %s of %s by fetchers broke %srobots.txt.",
			someOrNone(broken), english.Plural(fetched, "request"),
			map[bool]string{true: "that "}[d.condition() != ""]))
	}
	return text
}

// nothingJudged says why there is no result, if there is none. own are requests without impostors.
func (d doc) nothingJudged(own int64) string {
	switch {
	case d.Totals.Requests == 0 && d.OtherHost+d.NotJudged > d.NoRequest:
		var why []string
		if d.OtherHost > 0 {
			why = append(why, english.Grouped(d.OtherHost)+" went to other hosts ("+d.elsewhere()+")")
		}
		if n := d.NotJudged - d.NoRequest; n > 0 {
			why = append(why, english.Grouped(n)+" had no path to judge")
		}
		return "No crawler request could be judged: " + english.List(why) + "."
	case d.Lines == d.Unparsed && d.OutOfPeriod > 0:
		return fmt.Sprintf("No line is in the period: the lines are from %s to %s.",
			clock(d.OutsideFrom), clock(d.OutsideTo))
	case d.Lines > 0 && d.Unparsed == d.Lines:
		return "No line could be parsed."
	case d.Totals.Requests == 0 && d.Lines == 0:
		return "The logs have no lines."
	case d.Totals.Requests == 0 && d.NoAgent > 0 && d.NoAgent == d.NotCrawlers:
		return "No line names a crawler, because no line has a User-Agent: it is \"-\" throughout."
	case d.Totals.Requests == 0 && d.NoAgents():
		return `No line names a crawler: all User-Agents in its first lines are "-" or empty.`
	case d.Totals.Requests == 0:
		return "No line names a crawler."
	case own == 0:
		return fmt.Sprintf("No crawler request could be judged: %s came from impostors.",
			english.Grouped(d.Totals.Requests))
	}
	return ""
}

func underNames(crawlers []*crawler) string {
	names, nameless := int64(0), int64(0)
	for _, c := range crawlers {
		if c.Crawler == report.Nameless {
			nameless = violatorsIn(c)
		} else {
			names += violatorsIn(c)
		}
	}
	switch {
	case names == 0:
		return "without a name"
	case nameless > 0:
		return "under " + english.Plural(names, "name") + " and without one"
	}
	return "under " + english.Plural(names, "name")
}

// own returns a crawler's requests without impostors.
func own(c *crawler) int64 { return c.Requests - c.Verdicts[report.Spoofed] }

// verifiedContent counts violations by verified clients that got content, and names their crawlers, if any.
func verifiedContent(crawlers []*crawler) string {
	var names []string
	sum := int64(0)
	for _, c := range crawlers {
		sum += c.VerifiedContent()
	}
	for _, c := range crawlers {
		switch n := c.VerifiedContent(); {
		case n > 0 && n == sum:
			names = append(names, shortName(c))
		case n > 0:
			names = append(names, shortName(c)+" "+english.Grouped(n))
		}
	}
	if sum == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s by verified clients (%s) broke robots.txt and got content.",
		alarm(english.Grouped(sum)), english.Verb(sum, "request", "requests"), english.List(names))
}

func someOrNone(n int64) string {
	if n == 0 {
		return "none"
	}
	return english.Grouped(n)
}

func noViolation(v map[report.Verdict]int64, requests int64) string {
	text, undecided := "none broke robots.txt", int64(0)
	for _, part := range verdictTerms {
		if part.undecided != "" {
			undecided += v[part.verdict]
		}
	}
	switch undecided {
	case 0:
	case requests:
		text = "none could be judged"
	default:
		text = "none is known to have broken robots.txt"
	}
	for _, part := range verdictTerms {
		if n := v[part.verdict]; n > 0 && part.undecided != "" {
			text += "; " + english.Grouped(n) + " " + part.undecided
		}
	}
	return text
}

// condition qualifies the headline if the log contradicts the files.
func (d doc) condition() string {
	if d.RobotsTxt.Contradicted {
		return caution("If the robots.txt given is what was served, which the logged answers contradict:") + " "
	}
	return ""
}

// identified says why no violation answered with content came from a verified client.
func (d doc) identified(content int64) string {
	switch verified := d.Totals.Identity[report.Verified] > 0; {
	case verified && content > 0:
		return "None of these was by a verified client."
	case verified:
		return "Some clients were verified."
	}
	why := ""
	switch {
	case d.Proxied:
		why = ", because the log has the addresses of a proxy"
	case !d.CanVerify:
		why = ", because no address lists were given (--ip-ranges)"
	}
	return "No client was verified" + why + "."
}

// facts lists the lines and inputs behind the figures, and the policy.
func (d doc) facts() (b block) {
	add := func(name, format string, args ...any) {
		b.Facts = append(b.Facts, fact{name, fmt.Sprintf(format, args...)})
	}
	if !d.Since.IsZero() || !d.Until.IsZero() {
		add("Period", "%s", d.periodText())
	}
	if !d.From.IsZero() {
		add("Span", "%s to %s", clock(d.From), clock(d.To))
	}
	libraries := ""
	if d.HTTPLibraries > 0 {
		libraries = fmt.Sprintf(" (%s HTTP libraries)", english.Grouped(d.HTTPLibraries))
	}
	requests, without := d.Totals.Requests, english.Grouped(d.NotJudged-d.NoRequest)+" without a path + "
	if d.WhatIf != nil {
		requests, without = d.NotJudged-d.NoRequest, ""
	}
	if d.NoRequest > 0 {
		without += english.Grouped(d.NoRequest) + " without an HTTP request + "
	}
	others := ""
	if !d.Choice.IsAll() {
		others = english.Grouped(d.Choice.Requests) + " of other crawlers + "
	}
	add("Lines", "%s = %s naming no crawler%s + %s + %s%s to other hosts + %s%s unparsed",
		english.Grouped(d.Lines), english.Grouped(d.NotCrawlers), libraries,
		english.Plural(requests, "crawler request"), others,
		english.Grouped(d.OtherHost), without, english.Grouped(d.Unparsed))
	if beside := d.beside(); beside != "" {
		add("", "%s", beside)
	}
	if i := d.Totals.Identity; d.Totals.Requests > 0 {
		add("Identity", "%s = %s verified (%s) + %s impostors + %s unverified + %s unverifiable",
			english.Plural(d.Totals.Requests, "request"),
			english.Grouped(i[report.Verified]), share(d.Totals.VerifiedShare),
			english.Grouped(i[report.SpoofedIdentity]), english.Grouped(i[report.Unverified]),
			english.Grouped(i[report.Unverifiable]))
	}
	if d.Sampling != "" {
		add("Sampled", "%s", d.Sampling)
	}
	switch {
	case d.Policy.None():
	case d.WhatIf == nil:
		add("Judged by", "%s", d.judgedBy())
	default:
		add("Compared", "%s with %s", d.Policy.File, d.WhatIf.File)
	}
	if d.Command != "" {
		add("Command", "%s", d.Command)
	}
	if d.Program != "" {
		add("Version", "%s", d.Program)
	}
	b.Facts = append(b.Facts, d.inputs()...)
	return b
}

// inputs lists the inputs that were read, then those that could not be.
func (d doc) inputs() (list []fact) {
	add := func(name, format string, args ...any) {
		list = append(list, fact{name, fmt.Sprintf(format, args...)})
	}
	name, rest, bytes := "Read", int64(0), int64(0)
	unread := int64(0)
	for i, in := range d.Inputs {
		if isUnread(in) {
			unread++
			if unread > maxUnreadShown {
				continue
			}
		}
		if in.Error == "" && in.Complete && i >= maxInputsShown {
			rest++
			bytes += in.Bytes
			continue
		}
		add(name, "%s", input(in))
		name = ""
		switch {
		case in.SHA256 != "":
			add("", "sha256 %s", in.SHA256)
		case in.Complete && in.Bytes > 0:
			add("", "sha256 not computed, which takes long for large uncompressed logs (robotsieve audit --sha256)")
		}
	}
	if rest > 0 {
		add(name, "and %s, %s", english.Plural(rest, "more input"), english.Plural(bytes, "byte"))
	}
	if unread > maxUnreadShown {
		add(name, "and %s that could not be read (--output json lists all)",
			english.Plural(unread-maxUnreadShown, "more input"))
	}
	return list
}

// isUnread reports whether nothing could be read of an input.
func isUnread(in report.InputInfo) bool { return in.Error != "" && in.Format == "" }

// beside counts the lines outside the figures, except empty ones.
func (d doc) beside() string {
	var parts []string
	if d.OutOfPeriod > 0 {
		parts = append(parts, english.Grouped(d.OutOfPeriod)+" outside of the period")
	}
	if d.Other > 0 {
		parts = append(parts, english.Grouped(d.Other)+" that are no requests by design")
	}
	if parts == nil {
		return ""
	}
	return "not among them: " + english.List(parts)
}

func (d doc) periodText() string {
	switch {
	case d.Until.IsZero():
		return "from " + clock(d.Since)
	case d.Since.IsZero():
		return "until " + clock(d.Until) + " (not included)"
	}
	return clock(d.Since) + " to " + clock(d.Until) + " (not included)"
}

func (d doc) judgedBy() string {
	p := d.Policy
	size := english.Plural(int64(len(p.Versions)), "version")
	if p.History == report.Constant {
		size = "of unknown size"
		if p.Bytes >= 0 {
			size = english.Plural(int64(p.Bytes), "byte")
		}
	}
	text := p.File + ", " + size
	if len(p.Origins) > 0 {
		text += ", for " + english.List(p.Origins)
	}
	hours := func(seconds int64) string { return english.Hours(time.Duration(seconds) * time.Second) }
	return fmt.Sprintf("%s, with a window of %s, a delay of %s and a skew of %s", text, hours(p.WindowSeconds),
		hours(p.DelaySeconds), hours(p.SkewSeconds))
}

func input(in report.InputInfo) string {
	if isUnread(in) {
		return caution("not read: " + in.Error)
	}
	text := in.Name
	if in.Host != "" {
		text += ", of " + in.Host
	}
	if in.DuplicateOf != "" && in.Lines == 0 {
		return text + ": " + caution("not counted, as it has the same content as "+in.DuplicateOf)
	}
	text += ": " + in.Format + ", "
	switch {
	case in.Codec == "" || in.Codec == "plain":
		text += english.Plural(in.Bytes, "byte")
	case in.Disk <= 0, in.Disk == in.Bytes: // unknown, as for an archive member
		text += fmt.Sprintf("%s, %s decompressed", in.Codec, english.Plural(in.Bytes, "byte"))
	default:
		text += fmt.Sprintf("%s of %s, %s decompressed", english.Plural(in.Disk, "byte"), in.Codec,
			english.Grouped(in.Bytes))
	}
	switch {
	case in.DuplicateOf != "":
		text += "; " + caution("counted, although it has the same content as "+in.DuplicateOf)
	case in.Lines > 0 && in.Unparsed > 0:
		text += fmt.Sprintf("; %s of %s unparsed", english.Grouped(in.Unparsed), english.Plural(in.Lines, "line"))
	case in.Lines > 0:
		text += ", " + english.Plural(in.Lines, "line")
	}
	switch {
	case in.Error != "" && in.Complete:
		text += "; " + caution(in.Error)
	case in.Error != "":
		text += "; " + caution("stopped early: "+in.Error)
	case !in.Complete:
		text += "; " + caution("not read to the end")
	}
	return text
}

// undecided explains the requests that could not be decided or aren't judged.
func (d doc) undecided() (text []string) {
	add := func(what string, list columns[crawler]) {
		for _, c := range withSums(list, d.pointers()) {
			n := english.Plural(c.sum(d.pointers()), "request")
			text = append(text, fmt.Sprintf("%s, %s: %s (%s).", what, n, c.means, c.title()))
		}
	}
	add("Undecided", reasons)
	add("Beside the verdicts", besideVerdicts)
	shown, rest := 0, int64(0)
	for _, c := range d.pointers() {
		switch {
		case c.Exempt == "":
		case shown == maxNamesShown:
			rest += crawlersIn(c)
		default:
			shown++
			text = append(text, fmt.Sprintf("Says that it is not bound: %s, %s.", shortName(c),
				strings.TrimSuffix(c.Exempt, ".")))
		}
	}
	if rest > 0 {
		text = append(text, fmt.Sprintf("Says that it is not bound: %s, see --output json.",
			english.Plural(rest, "more crawler")))
	}
	return text
}

func (d doc) unparsed() (b block) {
	b.Heading = "Lines that could not be parsed"
	if d.Unparsed > 0 {
		b.Title = english.Plural(d.Unparsed, "line") + " could not be parsed."
		if len(d.UnparsedSamples) > 0 { // --anonymize withholds them
			b.Title += " Examples, in byte order:"
		}
		for _, s := range d.UnparsedSamples {
			b.Quote = append(b.Quote, Cut(s, maxWidth-2))
		}
	}
	return b
}

// overlooked lists headers that contain a crawler's word but name no crawler.
func (d doc) overlooked() (b block) {
	b.Heading = "Headers with a crawler's word that were not counted"
	if n := d.AllOverlooked(); n > 0 {
		b.Title = english.Plural(n, "request") + " had a header with a word such as bot or crawl that names no " +
			"crawler for certain (robotsieve crawlers HEADER says why):"
	}
	t := newTable(unbounded, columns[report.HeaderInfo]{
		valueFrom("requests", func(h *report.HeaderInfo) value { return integer(h.Requests) }),
		textFrom("header", func(h *report.HeaderInfo) string { return h.Header }),
	})
	for _, h := range d.Overlooked {
		h.Header = Cut(h.Header, max(d.widest, maxWidth-10))
		t.add(nil, 1, &h)
	}
	if d.OverlookedNotListed > 0 {
		t.add(nil, 1, &report.HeaderInfo{Header: "(others)", Requests: d.OverlookedNotListed})
	}
	b.Table = t.table
	return b
}

func (d doc) otherHosts() (b block) {
	b.Heading = "Hosts without a policy"
	if d.OtherHost == 0 {
		return b
	}
	b.Title = english.Plural(d.OtherHost, "crawler request") + " went to hosts without a policy:"
	for _, h := range d.OtherHosts {
		b.Quote = append(b.Quote, fmt.Sprintf("%8s  %s", english.Grouped(h.Requests), h.Host))
	}
	if d.OtherHostsNotListed > 0 {
		b.Quote = append(b.Quote, fmt.Sprintf("%8s  others", english.Grouped(d.OtherHostsNotListed)))
	}
	return b
}

// beforeAfter has a table for each change of robots.txt.
func (d doc) beforeAfter() (list []block) {
	type row = report.ChangedCrawler
	for _, c := range d.Changes {
		perDay := func(heading string, days float64, n func(*row) int64) column[row] {
			return valueFrom(heading, func(of *row) value {
				return words(map[bool]string{true: "?", false: fmt.Sprintf("%.1f", float64(n(of))/days)}[days < 1])
			})
		}
		t := newTable(15, columns[row]{
			textFrom("crawler", func(of *row) string { return Cut(of.Crawler, maxNameShown) }),
			perDay("requests \u200ba day before", c.DaysBefore, func(of *row) int64 { return of.Before }),
			perDay("after", c.DaysAfter, func(of *row) int64 { return of.After }),
			perDay("changed \u200bpaths \u200ba day before", c.DaysBefore, func(of *row) int64 { return of.ChangedBefore }),
			perDay("after", c.DaysAfter, func(of *row) int64 { return of.ChangedAfter }),
			valueFrom("first fetch \u200bof the new", func(of *row) value {
				if of.FetchSeconds == nil {
					return words("none logged")
				}
				return words("after " + seconds(float64(*of.FetchSeconds)))
			}),
		})
		for i := range c.Crawlers {
			t.add(nil, 1, &c.Crawlers[i])
		}
		files := cmp.Or(c.NewFile, "no file") + " in place of " + cmp.Or(c.OldFile, "no file")
		days := fmt.Sprintf("%.1f days before %s; %.1f days after %s.", c.DaysBefore, c.Since, c.DaysAfter, c.Time)
		list = append(list, block{Heading: "Before and after", Table: t.leaves("crawler"), Text: []string{days},
			Title: strings.TrimSpace(fmt.Sprintf("%s %s, %s:", c.Origin, c.Time, files))}.withFigures())
	}
	if n := len(list); n > 0 {
		more := " " + english.Plural(d.ChangesNotListed, "more change") + " with fewer requests."
		list[n-1].Text = append(list[n-1].Text, "Changed paths are those on which the old and the new file differ for the "+
			"crawler. The first fetch is the first GET that was sent the new file, by its size, or 304. A difference is "+
			"not proof that the change caused it."+map[bool]string{true: more}[d.ChangesNotListed > 0])
	}
	return list
}
