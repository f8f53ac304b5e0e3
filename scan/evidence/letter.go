package evidence

import (
	"cmp"
	_ "embed" // the text
	"fmt"
	"path"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Letter is a letter to the operator of a crawler, which has violations. Its fields and methods are for
// letter.tmpl.
type Letter struct {
	// Report is that of the lines of the folder, and Crawler is of it.
	Report  *report.Report
	Crawler *report.CrawlerInfo
	// MadeBy is who made the folder, "" if that is not said. Lines are the files with the lines of the
	// crawler, and Robots, by report.RuleInfo.File, those with robots.txt.
	MadeBy string
	Lines  []string
	Robots map[string]string
	// Names: names of addresses were known too.
	Names bool
}

//go:embed letter.tmpl
var letterText string

var letter = sync.OnceValues(func() (*template.Template, error) {
	return template.New("letter").Funcs(template.FuncMap{
		"quote": quoted, "plural": english.Plural, "list": english.List, "grouped": english.Grouped,
		"hours": func(seconds int64) string { return english.Hours(time.Duration(seconds) * time.Second) },
	}).Parse(letterText)
})

// Text returns the letter. It says no more than the lines, and nothing in it acts on a shell that
// somebody pastes it into: text from logs and files is in single quotes, unless it is plain, and
// its own sentences have none.
func (l *Letter) Text() (string, error) {
	var b strings.Builder
	t, err := letter()
	if err == nil {
		err = t.Execute(&b, l)
	}
	return b.String(), err
}

// N counts the violations.
func (l *Letter) N() int64 { return l.Crawler.Verdicts[report.Violation] }

// Name is what the clients identify themselves as.
func (l *Letter) Name() string {
	switch l.Crawler.Crawler {
	case report.OtherCrawlers:
		return "one of many unknown crawlers"
	case report.Nameless:
		return "a crawler without a name"
	}
	return quoted(l.Crawler.Crawler)
}

// When says on which days there were violations.
func (l *Letter) When() string {
	first, last, line := "", "", &l.Crawler.Timeline
	for i, n := range line.Verdicts[report.Violation.String()] {
		if n > 0 {
			last = line.From[i][:len(time.DateOnly)]
			first = cmp.Or(first, last)
		}
	}
	switch {
	case line.By != "day":
		return fmt.Sprintf("From the %s of %s to that of %s", line.By, first, last)
	case first == last:
		return "On " + first
	}
	return "From " + first + " to " + last
}

// Share is a number of the violations as the beginning of a sentence.
func (l *Letter) Share(n int64) string {
	switch all := l.N(); {
	case all == 1:
		return "The request"
	case n == all:
		return "All " + english.Plural(all, "request")
	default:
		return fmt.Sprintf("%s of the %s", english.Grouped(n), english.Plural(all, "request"))
	}
}

// Verified counts the violations by verified clients, and Unverified the others.
func (l *Letter) Verified() (n int64) {
	for _, v := range l.Crawler.Violations {
		if v.Identity == report.Verified.String() {
			n += v.N
		}
	}
	return n
}

func (l *Letter) Unverified() int64 { return l.N() - l.Verified() }

// Ranges are the lists of addresses given for the crawler.
func (l *Letter) Ranges() (list []string) {
	for _, r := range l.Report.Ranges {
		date := "undated"
		if r.Created != "" {
			date = "of " + r.Created[:min(len(r.Created), len(time.DateOnly))]
		}
		if r.Crawler == l.Crawler.Crawler {
			list = append(list, quoted(path.Base(strings.ReplaceAll(r.File, `\`, "/")))+", "+date)
		}
	}
	return list
}

// Rules are those that were broken most, and OtherRules counts the violations of all others.
func (l *Letter) Rules() []report.RuleInfo { return l.Crawler.Rules[:min(len(l.Crawler.Rules), 10)] }

func (l *Letter) OtherRules() int64 {
	n := l.N()
	for _, r := range l.Rules() {
		n -= r.Violations
	}
	return n
}

// Fetches are the requests for robots.txt by all crawlers of the operator, which show that they knew of it
// whatever they were sent; nil if there are none.
func (l *Letter) Fetches() *report.FetchInfo {
	var sum report.FetchInfo
	for i := range l.Report.Crawlers {
		c := &l.Report.Crawlers[i]
		isOf := c == l.Crawler || c.Operator == l.Crawler.Operator && c.Operator != report.Unknown
		if f := c.RobotsTxt; isOf && f.Fetches > 0 {
			sum.Fetches, sum.First = sum.Fetches+f.Fetches, min(cmp.Or(sum.First, f.First), f.First)
			sum.Last = max(sum.Last, f.Last)
		}
	}
	if sum.Fetches == 0 {
		return nil
	}
	return &sum
}

// plain is text that no shell reads as anything but words.
var plain = lazy.Regexp(`^[A-Za-z0-9_./:,@%+=-][A-Za-z0-9_./:,@%+= -]*$`)

// quoted returns text of a log or a file as it stands in a letter: without control characters, and
// in single quotes unless it is plain.
func quoted(text string) string {
	const most = 300
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	if text = report.Printable(text); !plain().MatchString(text) {
		text = "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}
