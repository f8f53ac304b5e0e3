package evidence

import (
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Letter is what a letter to the operator of a crawler says.
type Letter struct {
	// Crawler has what the report of the folder's lines says about it.
	Crawler report.CrawlerInfo
	// Requests counts all its requests in the logs; 0: it is not known.
	Requests int64
	// As is what the clients identify themselves as, if it is no single name; else empty.
	As string
	// Robots has, by report.RuleInfo.File, the file of the folder with that robots.txt.
	Robots map[string]string
	// First and Last are the times of its first and last violation.
	First, Last string
	// Fetches counts the requests for robots.txt that the folder has, by the crawler and its operator's
	// others, from FirstFetch to LastFetch. MadeBy is who made the folder, "" if that is not said.
	Fetches               int64
	FirstFetch, LastFetch string
	MadeBy                string
	// Lists are the lists of addresses given for it, and Names reports whether names of addresses were
	// known too.
	Lists []report.RangeInfo
	Names bool
	// Constant: one robots.txt is taken as in force throughout. Observed: versions have the times at
	// which they were seen. Window is how long a copy of another one may be in use.
	Constant, Observed bool
	Window             string
	// Partial: not all of the logs was read. Differing: most logged answers to robots.txt do not show
	// the file that the requests are judged by. Mixed is report.RobotsInfo.SizesMixed. Sampled is as in
	// report.Report.
	Partial, Differing, Mixed bool
	Sampled                   string
}

// maxRules bounds the rules in a letter.
const maxRules = 10

// Text returns the letter. It says no more than the logs, and nothing in it acts on a shell that
// somebody pastes it into: text from logs and files is in single quotes, unless it is plain, and
// its own sentences have none.
func (l *Letter) Text() string {
	c := &l.Crawler
	t := &letterText{}
	name := l.As
	if name == "" {
		name = quoted(c.Crawler)
	}
	n, all := c.Verdicts[report.Violation], ""
	if l.Requests > 0 {
		all = ", of " + english.Grouped(l.Requests) + " in all"
	}
	t.line("Requests that robots.txt forbids, by clients that identify themselves as " + name)
	if c.Operator != "unknown" {
		t.line("Operator: " + quoted(c.Operator))
	}
	if l.MadeBy != "" {
		t.line("Made by: " + quoted(l.MadeBy))
	}
	t.paragraph(fmt.Sprintf("From %s to %s, clients that identify themselves as %s made %s that robots.txt "+
		"forbade%s. The lines of the access log are in %s, one for each of these requests, in the same order as the "+
		"rows in %s.",
		l.First, l.Last, name, english.Plural(n, "request"), all, Violations+linesEnd, Violations+rowsEnd))
	if l.Partial {
		t.paragraph("Not all of the logs could be read. What was not read may clear some of these requests.")
	}
	if l.Differing {
		t.paragraph("Most logged answers to robots.txt do not show the file that the requests are judged by. This " +
			"letter holds only if that file is what was served.")
	}
	if l.Sampled != "" {
		t.paragraph("The logs were sampled: " + quoted(l.Sampled) + ". Counts are of the sample.")
	}
	t.heading("Who made the requests")
	l.identity(t)
	if c.Source != "" {
		t.heading("What the operator says")
		t.paragraph(fmt.Sprintf("The operator %s robots.txt. The page is %s, as of %s.", statements[c.Obeys],
			quoted(c.Source), quoted(c.Date)))
	}
	t.heading("Which rules forbade them")
	l.rules(t)
	l.fetches(t)
	t.heading("What was answered")
	l.answers(t)
	t.heading("What is not claimed")
	l.limits(t)
	t.heading("How to check this")
	t.paragraph("In the folder that has " + manifestName +
		", this command checks that all files are unchanged, and judges each listed request again by the files of the " +
		"folder alone:")
	t.b.WriteString("\n    robotsieve verify .\n")
	t.paragraph("With the names of the logs behind the dot, it also compares every line with the logs, and audits " +
		"them again as a whole. The file docs/evidence.md of robotsieve says what the folder shows and what it cannot show.")
	return t.b.String()
}

// share is a number of the crawler's violations as the beginning of a sentence.
func (l *Letter) share(n int64) string {
	switch all := l.Crawler.Verdicts[report.Violation]; {
	case all == 1:
		return "The request"
	case n == all:
		return "All " + english.Plural(all, "request")
	default:
		return fmt.Sprintf("%s of the %s", english.Grouped(n), english.Plural(all, "request"))
	}
}

func (l *Letter) identity(t *letterText) {
	c := &l.Crawler
	by := map[string]int64{}
	for _, v := range c.Violations {
		by[v.Identity] += v.N
	}
	t.paragraph("Any client can send any User-Agent. This letter is about clients that identify themselves by it. " +
		"Requests of clients that are known to be impostors are left out.")
	if n := by["verified"]; n > 0 {
		var how []string
		for _, list := range l.Lists {
			date := "undated"
			if list.Created != "" {
				date = "of " + list.Created[:min(len(list.Created), len("2026-11-22"))]
			}
			how = append(how, quoted(list.File)+", "+date)
		}
		text := l.share(n) + " came from clients that were verified."
		if len(how) > 0 {
			text = l.share(n) + " came from addresses in the lists given for the crawler: " + english.List(how) + "."
		}
		if l.Names {
			text += " Names of addresses that were confirmed count too."
		}
		t.paragraph(text)
	}
	if n := by["unverified"] + by["unverifiable"]; n > 0 {
		t.paragraph(l.share(n) + " came from addresses that show neither that the client is the crawler nor that it is not.")
	}
}

func (l *Letter) rules(t *letterText) {
	shown := l.Crawler.Rules[:min(len(l.Crawler.Rules), maxRules)]
	rest := l.Crawler.Verdicts[report.Violation]
	for _, r := range shown {
		rest -= r.Violations
		since := "in force since " + r.Version
		switch {
		case l.Constant:
			since = "taken as in force throughout"
		case r.Version == "":
			since = "taken as in force before the first request"
		case l.Observed:
			since = "seen at " + r.Version
		}
		at := ""
		if r.Origin != "" {
			at = " of " + quoted(r.Origin)
		}
		file := ""
		if name := l.Robots[r.File]; name != "" {
			file = ", a copy of which is " + name
		}
		t.item(fmt.Sprintf("%s: %s, line %d of the robots.txt%s that was %s%s", english.Plural(r.Violations, "request"),
			quoted(r.Rule), r.Line, at, since, file))
	}
	if rest > 0 {
		t.item(english.Plural(rest, "request") + ": other rules, which the rows name")
	}
	if !l.Constant {
		t.paragraph("A request counts only if every copy of robots.txt forbade it that the crawler may still have been " +
			"using. A copy may be used for " + l.Window + " after it was replaced, by RFC 9309, and longer if the file was " +
			"sent with a longer time.")
	}
	switch n := l.Crawler.Informed(); {
	case !l.Crawler.InformedKnown:
		t.paragraph("The log does not say which robots.txt clients of this name were sent before.")
	case n > 0:
		t.paragraph(l.share(n) + " came after a client of this name was sent a robots.txt that forbids the request, or " +
			"told by 304 that its copy stands.")
	}
}

// statements are what an operator says about robots.txt, by CrawlerInfo.Obeys.
var statements = map[string]string{"yes": "says that this crawler obeys", "no": "says that this crawler may ignore",
	"unknown": "does not say whether this crawler obeys"}

// fetches says who asked for robots.txt, which shows that they knew of it whatever they were sent.
func (l *Letter) fetches(t *letterText) {
	if l.Fetches == 0 {
		return
	}
	when := "at " + l.FirstFetch
	if l.FirstFetch != l.LastFetch {
		when = "from " + l.FirstFetch + " to " + l.LastFetch
	}
	t.paragraph(fmt.Sprintf("Clients of this name, or of another crawler of its operator, made %s for robots.txt %s. "+
		"The lines are in %s.", english.Plural(l.Fetches, "request"), when, Fetches+linesEnd))
}

// outcomes say what was answered, in the order of the letter.
var outcomes = []struct{ outcome, text string }{
	{"content", "answered with content"}, {"not_modified", "answered that nothing had changed"},
	{"empty", "answered without a body"},
	{"redirected", "redirected"}, {"refused", "refused"}, {"other", "with another answer, or none that is logged"},
}

func (l *Letter) answers(t *letterText) {
	by := map[string]int64{}
	for _, v := range l.Crawler.Violations {
		by[v.Outcome] += v.N
	}
	for _, o := range outcomes {
		if n := by[o.outcome]; n > 0 {
			t.item(english.Grouped(n) + " " + o.text)
		}
	}
}

func (l *Letter) limits(t *letterText) {
	t.paragraph("That the requests were intended, or that anybody was harmed. That requests by clients whose " +
		"addresses are not known to be those of the crawler were made by its operator.")
	served := "a robots.txt that was served differently by place, header or server"
	if l.Mixed {
		t.paragraph("Answers to robots.txt had different sizes in turn: it may have been served differently by name, " +
			"place, header or server.")
		served = "what a robots.txt of another size said"
	}
	t.paragraph("No log shows " + served + ", a path that was rewritten before it was logged, or why a crawler made " +
		"a request.")
	if l.Constant {
		t.paragraph("No versions of robots.txt were given. If it has changed, requests are judged by rules that the " +
			"crawler could not know.")
	}
}

// letterText makes the text of a letter in lines of at most 78 characters, but for quotations.
type letterText struct{ b strings.Builder }

func (t *letterText) line(text string) {
	t.b.WriteString(strings.NewReplacer(glue, " ", quotation, "").Replace(text) + "\n")
}

func (t *letterText) heading(text string) { t.b.WriteString("\n" + text + "\n") }

func (t *letterText) paragraph(text string) {
	t.b.WriteString("\n")
	t.wrap("", "", text)
}

func (t *letterText) item(text string) { t.wrap("  - ", "    ", text) }

// wrap writes words in lines, the first after one text, the others after another.
func (t *letterText) wrap(first, others, text string) {
	const width = 78
	line := first
	text = strings.ReplaceAll(text, " "+quotation, glue) // so that no line begins with a quotation
	for _, word := range strings.Fields(text) {
		if len(strings.TrimSpace(line)) > 0 && len(line)+1+len(word) > width && line != first {
			t.line(line)
			line = others
		}
		if line != first && line != others {
			line += " "
		}
		line += word
	}
	t.line(line)
}

// plain is text that no shell reads as anything but words.
var plain = lazy.Regexp(`^[A-Za-z0-9_./:,@%+=-][A-Za-z0-9_./:,@%+= -]*$`)

// glue stands for a blank at which a line is not to end, and quotation is what a quotation begins
// with.
const (
	glue      = "\x00"
	quotation = "\x01"
)

// maxQuoted bounds a quotation, in bytes.
const maxQuoted = 300

// quoted returns text of a log or a file as it stands in a letter: without control characters, and
// in single quotes unless it is plain.
func quoted(text string) string {
	cut := strings.ToValidUTF8(text[:min(len(text), maxQuoted)], "")
	if len(text) > maxQuoted && cut != text {
		cut += "..."
	} else {
		cut = text
	}
	cut = report.Printable(cut)
	if !plain().MatchString(cut) {
		cut = "'" + strings.ReplaceAll(cut, "'", `'\''`) + "'"
	}
	return quotation + strings.ReplaceAll(cut, " ", glue)
}
