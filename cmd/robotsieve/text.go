package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
)

// colours tells whether a stream is to be written to in colours: on a terminal,
// unless the user forbids it (no-color.org).
func colours(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }

// Bounds of what the text report lists; the other forms list all.
const (
	maxCrawlersShown = 60
	maxRulesShown    = 40
	maxVersionsShown = 12
	maxFetchersShown = 25
	maxInputsShown   = 8
	maxNamesShown    = 8 // in a sentence
)

// Widths of the text report, in characters.
const (
	maxWidth         = 118 // of prose
	maxNameShown     = 30
	maxOperatorShown = 14
	maxRuleShown     = 50
	maxFileShown     = 40
)

// writeText prints the report for people: first what was found and what that rests
// on, then by whom, then what else there is to know.
func writeText(w *bufio.Writer, r *audit.Report, coloured bool) {
	t := textReport{w, r, coloured}
	t.finding()
	t.facts()
	t.warnings()
	t.versions()
	t.assumptions()
	t.crawlers()
	t.proof()
	t.rules()
	t.fetches()
	t.delays()
	t.sizes()
	t.samples()
	t.leftOut()
}

type textReport struct {
	*bufio.Writer
	*audit.Report
	coloured bool
}

func (t textReport) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

func (t textReport) paint(s string, c text.Color) string {
	if !t.coloured {
		return s
	}
	return c.Sprint(s)
}

// wrapped prints prose in lines of a bearable length: what stands before the first
// of them, and as many blanks before the others.
func (t textReport) wrapped(before, prose string) {
	indent := text.StringWidthWithoutEscSequences(before)
	for i, line := range strings.Split(text.WrapSoft(prose, maxWidth-indent), "\n") {
		if i > 0 {
			before = strings.Repeat(" ", indent)
		}
		t.line("%s%s", before, strings.TrimRight(line, " "))
	}
}

// finding prints the headline: violations that are proven, and what was claimed.
func (t textReport) finding() {
	if t.Partial {
		t.line("%s\n", t.paint("PARTIAL: not all of the input was read; see below.", text.FgYellow))
	}
	all := plural(t.Totals.Requests, "request") + " by clients identifying themselves as crawlers"
	switch v, obtained := t.Totals.Verdicts[audit.Violation], t.Totals.Outcomes[audit.Obtained]; {
	case t.Totals.Requests == 0 && t.OtherHost+t.NotJudged > 0:
		t.wrapped("", fmt.Sprintf("No request by a client that identifies itself as a crawler could be judged: %s went to other hosts, %s named no page.",
			grouped(t.OtherHost), grouped(t.NotJudged)))
	case t.Totals.Requests == 0:
		t.line("No request by a client that identifies itself as a crawler.")
	case t.decided() == 0:
		t.wrapped("", all+", none of which "+t.undecided())
	case v == 0 && t.decided() < t.Totals.Requests:
		t.wrapped("", fmt.Sprintf("%s, none known to be for what every lawful copy of robots.txt forbids them; %s",
			all, t.undecided()))
	case v == 0:
		t.wrapped("", all+", none for what every lawful copy of robots.txt forbids them.")
	default:
		t.proven()
		t.wrapped("", fmt.Sprintf("%s of %s %s for what every lawful copy of robots.txt forbids them, under the %s; %s %s answered with the content.",
			t.paint(grouped(v), text.FgRed), all, were(v), t.namesOfViolators(), t.paint(grouped(obtained), text.FgRed), were(obtained)))
	}
	t.line("")
}

// decided counts the requests of which robots.txt says something.
func (t textReport) decided() int64 {
	v := t.Totals.Verdicts
	return t.Totals.Requests - v[audit.Indeterminate] - v[audit.Exempt] - v[audit.Spoofed]
}

// undecided says of the others why it does not.
func (t textReport) undecided() string {
	v := t.Totals.Verdicts
	if v[audit.Exempt]+v[audit.Spoofed] == 0 && t.decided() == 0 {
		return "could be decided."
	}
	var list []string
	for _, of := range []struct {
		n    int64
		what string
	}{
		{v[audit.Indeterminate], "could not be decided"}, {v[audit.Exempt], were(v[audit.Exempt]) + " by agents that it does not bind"}, {v[audit.Spoofed], were(v[audit.Spoofed]) + " by impostors"},
	} {
		if of.n > 0 {
			list = append(list, grouped(of.n)+" "+of.what)
		}
	}
	text := strings.Join(list, ", ") + "."
	if t.decided() == 0 {
		return "was judged by it: " + text
	}
	return text
}

// proven prints the violations by verified clients that got what they asked for.
func (t textReport) proven() {
	if t.Totals.Proven == 0 {
		why := "none by a verified client was answered with the content"
		if t.Totals.Identity[audit.Verified] == 0 {
			why = "nobody's identity is verified"
		}
		t.line("Proven violations: 0, as %s.", why)
		return
	}
	var names []string
	for i := range t.Crawlers {
		if n := t.Crawlers[i].Proven(); n > 0 {
			names = append(names, grouped(n)+" by "+shortName(&t.Crawlers[i]))
		}
	}
	t.wrapped("", fmt.Sprintf("Proven violations, by verified clients and answered with the content: %s.",
		t.paint(listed(names), text.FgRed)))
}

func (t textReport) namesOfViolators() string {
	violators := int64(0)
	for _, c := range t.Crawlers {
		if c.Verdicts[audit.Violation] > 0 {
			violators++
		}
	}
	if violators == 1 {
		return "name of 1 crawler"
	}
	return "names of " + plural(violators, "crawler")
}

// facts prints what the figures are of.
func (t textReport) facts() {
	fact := func(name, format string, args ...any) {
		t.wrapped(fmt.Sprintf("%-9s ", name), fmt.Sprintf(format, args...))
	}
	if t.From != "" {
		fact("Span", "%s to %s", clock(t.From), clock(t.To))
	}
	fact("Lines", "%s = %s not of crawlers + %s of crawlers + %s for other hosts + %s not judged + %s unparsed",
		grouped(t.Lines), grouped(t.NotCrawlers), plural(t.Totals.Requests, "request"),
		grouped(t.OtherHost), grouped(t.NotJudged), grouped(t.Unparsed))
	if t.Totals.Requests > 0 {
		i := t.Totals.Identity
		fact("Identity", "%s = %s verified (%s) + %s spoofed + %s unverified + %s unverifiable", plural(t.Totals.Requests, "request"),
			grouped(i[audit.Verified]), share(t.Totals.VerifiedShare), grouped(i[audit.SpoofedIdentity]), grouped(i[audit.Unverified]), grouped(i[audit.Unverifiable]))
	}
	if t.Sampling != "" {
		fact("Sampled", "%s", printable(t.Sampling))
	}
	fact("Judged by", "%s", t.judgedBy())
	t.inputs()
}

// judgedBy says by what was judged.
func (t textReport) judgedBy() string {
	p := t.Policy
	what := printable(p.File)
	if p.History == "constant" {
		if p.Bytes >= 0 {
			what += ", " + plural(int64(p.Bytes), "byte")
		} else {
			what += ", of unknown size"
		}
	} else {
		what += ", " + plural(int64(len(p.Versions)), "version")
	}
	if len(p.Origins) > 0 {
		what += ", for " + listed(p.Origins)
	}
	return what + ", with a window of " + english.Hours(time.Duration(p.WindowSeconds)*time.Second)
}

// inputs prints what was read.
func (t textReport) inputs() {
	before := "Read      "
	rest, bytes := int64(0), int64(0)
	for i, in := range t.Inputs {
		if in.Error == "" && in.Complete && i >= maxInputsShown {
			rest++
			bytes += in.Bytes
			continue
		}
		t.wrapped(before, t.input(in))
		before = "          "
	}
	if rest > 0 {
		t.line("%sand %s more, %s", before, plural(rest, "input"), plural(bytes, "byte"))
	}
}

func (t textReport) input(in audit.InputInfo) string {
	switch {
	case in.Error != "" && in.Format == "":
		return t.paint("not read: "+in.Error, text.FgYellow)
	case in.Error != "":
		return sized(in) + "; " + t.paint("broken off: "+in.Error, text.FgYellow)
	case !in.Complete:
		return sized(in) + "; " + t.paint("not read to its end", text.FgYellow)
	}
	return sized(in)
}

// sized is an input with its format and size.
func sized(in audit.InputInfo) string {
	if in.Codec == "" || in.Codec == "plain" {
		return fmt.Sprintf("%s: %s, %s", in.Name, in.Format, plural(in.Bytes, "byte"))
	}
	if in.Disk <= 0 {
		return fmt.Sprintf("%s: %s, %s, %s decompressed", in.Name, in.Format, in.Codec, plural(in.Bytes, "byte"))
	}
	return fmt.Sprintf("%s: %s, %s of %s, %s decompressed", in.Name, in.Format, plural(in.Disk, "byte"), in.Codec, grouped(in.Bytes))
}

func (t textReport) warnings() {
	for _, w := range t.Warnings {
		t.line("")
		t.wrapped("Warning: ", t.paint(printable(w), text.FgYellow))
	}
}

// assumptions prints what the verdicts rest on.
func (t textReport) assumptions() {
	t.line("\nWhat the verdicts rest on:")
	for _, a := range t.Assumptions {
		t.wrapped("- ", printable(a))
	}
}

func (t textReport) samples() {
	for _, c := range t.Crawlers {
		for i, s := range c.Samples {
			if i == 0 {
				t.line("\nFirst violations of %s, as logged:", c.Crawler)
			}
			t.line("  %s", s.Line)
		}
	}
}

// leftOut prints what was not judged.
func (t textReport) leftOut() {
	if t.Unparsed > 0 {
		t.line("\n%s could not be read as records. The first, by bytes:", plural(t.Unparsed, "line"))
		for _, s := range t.UnparsedSamples {
			t.line("  %s", cut(s, maxWidth-2))
		}
	}
	if t.OtherHost > 0 {
		t.line("\n%s of crawlers went to hosts without a policy:", plural(t.OtherHost, "request"))
		for _, h := range t.OtherHosts {
			t.line("  %8s  %s", grouped(h.Requests), h.Host)
		}
		if t.OtherHostsNotListed > 0 {
			t.line("  %8s  others", grouped(t.OtherHostsNotListed))
		}
	}
}

func were(n int64) string { return verb(n, "was", "were") }

// verb returns the form of a verb for n.
func verb(n int64, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// listed joins names, as many as a sentence bears.
func listed(names []string) string {
	if more := len(names) - maxNamesShown; more > 0 {
		return fmt.Sprintf("%s and %s more", strings.Join(names[:maxNamesShown], ", "), grouped(int64(more)))
	}
	return strings.Join(names, ", ")
}

// share writes a share in per cent, never rounded to none or all.
func share(of float64) string {
	switch {
	case of > 0 && of < 0.001:
		return "less than 0.1 %"
	case of < 1 && of > 0.999:
		return "more than 99.9 %"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", of*100), ".0") + " %"
}

// clock is a time of the report in fewer characters.
func clock(s string) string { return timeAs(s, "2006-01-02 15:04:05 UTC") }

// shortClock is a time of the report to the minute.
func shortClock(s string) string { return timeAs(s, "2006-01-02 15:04") }

func timeAs(s, layout string) string {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return s
	}
	return at.Format(layout)
}

// seconds is a time in the unit that suits it.
func seconds(s float64) string {
	switch {
	case s < 120:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", s), ".0") + " s"
	case s < 2*3600:
		return fmt.Sprintf("%.0f min", s/60)
	case s < 48*3600:
		return fmt.Sprintf("%.0f h", s/3600)
	default:
		return fmt.Sprintf("%.0f d", s/86400)
	}
}

// cut shortens text to so many characters.
func cut(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}

// count is a number in a table.
func count(n int64) string {
	if n <= 0 {
		return "-"
	}
	return grouped(n)
}

func shortName(c *audit.CrawlerInfo) string { return cut(c.Crawler, maxNameShown) }
func shortOperator(c *audit.CrawlerInfo) string {
	return cut(cmp.Or(c.Operator, "-"), maxOperatorShown)
}
