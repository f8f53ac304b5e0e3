package render

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// The page is complete without its script, which only sorts and filters. Its policy permits only this
// style and this script, by their hashes (Content Security Policy Level 3, 2.4 and 6.7).
var (
	//go:embed html/page.html
	pageText string
	//go:embed html/page.css
	pageStyle string
	//go:embed html/page.js
	pageScript string
	//go:embed html/check.html
	checkText string
)

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"style":       func() template.CSS { return template.CSS(pageStyle) },
		"script":      func() template.JS { return template.JS(pageScript) },
		"policy":      func() string { return policyOf(pageStyle, pageScript, "") },
		"checkStyle":  func() template.CSS { return template.CSS(pageStyle + checkStyle) },
		"checkScript": func() template.JS { return template.JS(loader + checkScript) },
		"checkPolicy": func() string { return policyOf(pageStyle+checkStyle, loader+checkScript, " 'wasm-unsafe-eval'") },
		"layers":      func() any { return layers },
		"spans":       spans,
		"cell":        func(v value) []span { return spans(v.shown()) },
		"unbroken":    unbroken.Replace,
		"quote":       func(line string) string { return Cut(line, maxQuoteOnPage) },
	}).Parse(pageText + checkText))
})

// policyOf returns a policy that permits a style and a script. more lists what else scripts may do.
func policyOf(style, script, more string) string {
	return "default-src 'none'; style-src " + hashSource(style) + "; script-src " + hashSource(script) + more +
		"; base-uri 'none'; form-action 'none'"
}

// hashSource returns the source expression of a text in a Content Security Policy.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Limits of the page.
const (
	maxCrawlersOnPage = 400
	maxStripsOnPage   = 60
	maxPathOnPage     = 120 // characters
	maxQuoteOnPage    = 320 // characters of a log line
	maxQuotedOnPage   = 15  // crawlers with log lines
	cleanInAll        = 8   // lines of crawlers without a violation, also in Markdown
)

// pageData is the input of the template, which escapes the untrusted texts.
type pageData struct {
	Title     string
	Headline  []string // paragraphs
	Totals    []fact
	Beginning []string
	Advice    []string
	Crawlers  section
	Sites     section
	Strips    *strips
	Sources   []source
	Unlisted  string // versions without a source
	Sections  []section
}

type section struct {
	block
	ID, Intro string
}

// intros introduce the sections with these headings, unless a section has a title.
var intros = map[string]string{
	"How violations were answered": "How the server answered the forbidden requests, " +
		"and whether their clients were verified.",
	"Before and after": "What crawlers requested before and after each change of robots.txt.",
	"Rules that were broken": "The lines of robots.txt that forbid the requests, " +
		"those with the most violations first.",
	"Paths requested against robots.txt": "What each crawler requested most although robots.txt forbids it.",
	"Paths requested most":               "What each crawler requested most, whether robots.txt permits it or not.",
	"Traffic": "What was sent under each name, " +
		"and from how many addresses its requests came.",
	"What crawlers took for each " +
		"visitor": "How many pages each operator's crawlers requested for each visitor that its own pages sent.",
	"Fetches of robots.txt": "When GETs of robots.txt were made under each name, " +
		"and how they were answered.",
	"Crawl-delay": "How far apart the requests of one address were, " +
		"where robots.txt has a Crawl-delay.",
	"Answers of other sizes than the " +
		"file": "Answers to GETs of robots.txt that were not as long as the file that was given.",
	"Sampled lines":          "The first violations of each crawler as they stand in the log.",
	"The operators":          "Who runs the crawlers, and what they say about robots.txt.",
	"Versions of robots.txt": "The files by which requests were judged, and from when on.",
	"Warning":                "Reasons to doubt a figure of this page.",
	"Assumptions":            "What the figures take for granted.",
	"What was read": "The lines and files that all figures are from, " +
		"so that the audit can be repeated.",
}

// WriteHTML writes a report as a self-contained page: the parts of a document in a template.
func WriteHTML(w io.Writer, r *report.Report) error {
	bodies := bodiesOf(r)
	d := doc{forPeople(r), maxCrawlersOnPage, maxPathOnPage}
	data := pageData{
		Title: "Crawlers and robots.txt", Headline: append(d.partial(), d.headline()...),
		Totals:    d.totals(),
		Beginning: slices.Concat([]string{d.scope()}, d.clean(cleanInAll), d.notHeld(), d.certainty()),
		Advice:    d.advice().List,
	}
	// From here on crawlers are sorted by requests.
	slices.SortStableFunc(d.Crawlers, func(x, y crawler) int { return cmp.Compare(y.Requests, x.Requests) })
	data.Strips, data.Crawlers = d.strips(), section{block: d.crawlers().withFigures(), ID: "crawlers"}
	data.Sites = section{block: d.sites().withFigures(), ID: "sites"}
	data.Sources, data.Unlisted = d.sources(bodies)
	if len(d.Policy.Origins) == 1 {
		data.Title += " of " + d.Policy.Origins[0]
	}
	basis := d.facts()
	basis.Heading = "What was read"
	blocks := slices.Concat(d.details(), d.warnings(), []block{d.versions(), d.assumptions(), basis})
	if d.WhatIf != nil {
		data.Headline, data.Beginning, data.Sources = append(d.partial(), d.compared()), []string{d.scope()}, nil
		data.Totals, data.Sites.Table = nil, table{}
		blocks = slices.Concat(d.changes(maxPrefixesShown, maxExamplesShown), d.warnings(),
			[]block{d.assumptions(), basis, d.unparsed(), d.otherHosts()})
	}
	if d.Policy.None() {
		data.Beginning, data.Sources = []string{d.scope()}, nil
		data.Crawlers.block = d.comers().withFigures()
		blocks = slices.Concat([]block{d.sentSizes()}, d.details(), d.warnings(), []block{d.assumptions(), basis})
	}
	blocks = slices.DeleteFunc(blocks, func(b block) bool { return b.Heading == data.Sites.Heading })
	data.Sections = sectionsOf(blocks)
	return page().Execute(w, data)
}

// sectionsOf makes one section of blocks with the same heading, with only the first that quotes lines.
func sectionsOf(blocks document) (list []section) {
	heading, alike, quoted := "", 0, int64(0)
	for i, b := range withText(blocks...) {
		part := section{block: b.withFigures(), ID: fmt.Sprint("part", i+1)}
		if part.Title == b.Heading+":" {
			part.Title = ""
		}
		if b.Heading != heading {
			heading, alike = b.Heading, 0
			part.Intro = intros[heading]
			list = append(list, part)
			continue
		}
		alike++
		if alike >= maxQuotedOnPage && len(b.Quote) > 0 {
			quoted++
			text := "Those of " + english.Plural(quoted, "more name") + " are in --output json."
			list[len(list)-1].Text = []string{text}
			continue
		}
		part.Heading = ""
		list = append(list, part)
	}
	return list
}

// bodiesOf returns the robots.txt of each version as lines for display.
func bodiesOf(r *report.Report) (list [][]string) {
	for _, v := range r.Policy.Versions {
		var lines []string
		for line := range strings.Lines(string(v.Body)) {
			lines = append(lines, report.Printable(strings.TrimRight(line, "\r\n")))
		}
		list = append(list, lines)
	}
	return list
}

// withFigures drops table columns without figures from the block.
func (b block) withFigures() block {
	t := &b.Table
	isShown := make([]bool, len(t.Columns))
	for _, g := range t.Groups {
		for _, row := range g.Rows {
			for i, cell := range row.Cells {
				isShown[i] = isShown[i] || i == 0 || !cell.none
			}
		}
	}
	t.Columns = chosen(t.Columns, isShown)
	for _, g := range t.Groups {
		for i := range g.Rows {
			g.Rows[i].Cells = chosen(g.Rows[i].Cells, isShown)
		}
	}
	return b
}

func chosen[T any](list []T, is []bool) (some []T) {
	for i, of := range list {
		if is[i] {
			some = append(some, of)
		}
	}
	return some
}

// source is a version of robots.txt with the violations of each line.
type source struct {
	Title string
	Open  bool // shown unfolded
	Lines []sourceLine
	Note  string // why there are no lines
}

// sourceLine is a line, or a gap between lines.
type sourceLine struct {
	Number   int
	Violated string // the number of violations; empty for none
	By       string // the violators, most violations first
	Text     string
	Left     string // how many lines this gap omits; the other fields are empty
}

// Limits of the sources.
const (
	maxSourcesOnPage = 12
	allLinesUpTo     = 150 // longer files only show lines near violated ones
	linesAround      = 3
	maxLinesOnPage   = 400
	maxLineOnPage    = 200
)

// sources returns the versions of robots.txt, those broken most often if there are many, and counts the others.
func (d doc) sources(bodies [][]string) (list []source, unlisted string) {
	type lineAt struct {
		origin  string
		version report.Time
		line    int
	}
	broken, areAllListed := map[lineAt][]count{}, true
	for _, c := range d.pointers() {
		areAllListed = areAllListed && c.RulesNotListed == 0
		for _, r := range c.Rules {
			at := lineAt{r.Origin, r.Version, r.Line}
			broken[at] = append(broken[at], count{shortName(c), r.Violations})
		}
	}
	versions, order := d.Policy.Versions, d.mostCited()
	shown := order[:min(len(order), maxSourcesOnPage)]
	if len(order) > maxSourcesOnPage {
		shown = slices.DeleteFunc(slices.Clone(shown), func(i int) bool { return versions[i].Cited == 0 })
		left := order[len(shown):]
		unlisted = fmt.Sprintf("%s of the file %s not shown: of %s a line was broken.",
			english.Plural(int64(len(left)), "more version"), english.Verb(int64(len(left)), "is", "are"),
			someOrNone(d.brokenOf(left)))
	}
	for _, i := range slices.Sorted(slices.Values(shown)) {
		v := versions[i]
		_, host, _ := strings.Cut(v.Origin, "://")
		s := source{Title: versionTitle(v), Open: i == order[0]}
		s.Lines = sourceLines(bodies[i], areAllListed, func(line int) []count {
			if by := broken[lineAt{v.Origin, v.From, line}]; by != nil {
				return by
			}
			return broken[lineAt{host, v.From, line}] // from a log without schemes
		})
		if len(s.Lines) == 0 {
			s.Note = "There is no robots.txt to show."
		}
		list = append(list, s)
	}
	return list, unlisted
}

// sourceLines returns lines near violated ones, and gaps, which have no other if areAllListed.
func sourceLines(text []string, areAllListed bool, brokenBy func(line int) []count) (lines []sourceLine) {
	left, leftBroken := int64(0), int64(0)
	flush := func() {
		text := english.Plural(left, "line")
		switch {
		case left == 0:
			return
		case leftBroken > 0:
			text += ", of which " + english.Grouped(leftBroken) + " " + english.Verb(leftBroken, "was", "were") +
				" broken"
		case areAllListed:
			text += " that nobody broke"
		}
		lines = append(lines, sourceLine{Left: text})
		left, leftBroken = 0, 0
	}
	near := func(number int) bool {
		for n := number - linesAround; n <= number+linesAround; n++ {
			if brokenBy(n) != nil {
				return true
			}
		}
		return len(text) <= allLinesUpTo
	}
	for i, line := range text {
		l, by := sourceLine{Number: i + 1, Text: Cut(line, maxLineOnPage)}, brokenBy(i+1)
		if by != nil {
			l.Violated, l.By = countList(by)
		}
		if near(i+1) && len(lines) < maxLinesOnPage {
			flush()
			lines = append(lines, l)
			continue
		}
		left++
		if by != nil {
			leftBroken++
		}
	}
	flush()
	return lines
}

type count struct {
	name string
	n    int64
}

// countList adds up violations, and lists the most frequent violators with their counts.
func countList(counts []count) (sum, names string) {
	slices.SortStableFunc(counts, func(x, y count) int { return cmp.Compare(y.n, x.n) })
	all, list := int64(0), []string(nil)
	for _, c := range counts {
		all += c.n
		list = append(list, c.name+" "+english.Grouped(c.n))
	}
	return english.Grouped(all), english.List(list)
}

func versionTitle(v report.VersionInfo) string {
	from := "In force throughout"
	if !v.From.IsZero() {
		from = "From " + clock(v.From)
	}
	parts := []string{from}
	if v.Origin != "" {
		parts = append(parts, v.Origin)
	}
	switch {
	case v.Status == 0:
		parts = append(parts, "could not be fetched")
	default:
		parts = append(parts, fmt.Sprint("status ", v.Status))
	}
	if v.File != "" {
		parts = append(parts, v.File)
	}
	if v.Cited > 0 {
		parts = append(parts, english.Plural(v.Cited, "violation"))
	}
	return strings.Join(parts, ", ")
}
