package cli

import (
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

// reportFilter prints the result of a filter, and returns the error that ends the command.
func reportFilter(s streams, result *job.Filtered, err error, invalid, output string) error {
	if err != nil {
		s.warn("%v", err)
	}
	if n := result.Misencoded; n > 0 {
		s.warn("not percent-encoded in upper case: %s; Google's parser takes URLs as they are, "+
			"so a rule for /%%C3%%A9 does not match /%%c3%%a9", english.Plural(n, "URL"))
	}
	if n := result.Spaced; n > 0 {
		s.warn("blanks inside: %s; what follows a blank was judged as part of the URL", english.Plural(n, "URL"))
	}
	if n := result.Slashed; n > 0 {
		s.warn("two slashes at the beginning: %s; judged as a path, although a URL without its scheme begins so, too",
			english.Plural(n, "line"))
	}
	refused := warnOfInvalid(s, result, invalid)
	write := writeFilterText
	if output == "json" {
		// The summary goes on the last line.
		write = func(s streams, r *job.Filtered) error { return render.WriteJSON(s.err, summaryOf(r), "") }
	}
	if err := writing("the summary", write(s, result)); err != nil {
		return err
	}
	switch {
	case err != nil:
		return exitWith(codeOf(err))
	case result.Partial || refused:
		return exitWith(exitInput)
	}
	return nil
}

// warnOfInvalid warns about invalid lines that --invalid didn't handle, and reports whether they are an error.
func warnOfInvalid(s streams, r *job.Filtered, invalid string) (refused bool) {
	if n := r.Count[filter.TooLong]; n > 0 && invalid == "keep" {
		s.warn("%s too long to be printed", english.Plural(n, r.Noun()))
		return true
	}
	if r.Invalid == 0 || invalid != "error" && !r.NoURL() {
		return false
	}
	for _, q := range r.Quotes {
		s.warn("%s:%d: %s: %q", r.Inputs[q.Input].Name, q.Line, classText(q.Class, r), q.Text)
	}
	if more := r.Invalid - int64(len(r.Quotes)); more > 0 {
		s.warn("and %s", english.Plural(more, "more invalid "+r.Noun()))
	}
	return true
}

// classTexts name the classes in the summary; see classText.
var classTexts = [filter.Classes]string{
	filter.Allowed:     "allowed",
	filter.Disallowed:  "disallowed",
	filter.Unreachable: "disallowed because robots.txt is unreachable",
	filter.ByPage:      "barred by the page",
	filter.NoPolicy:    "of origins whose robots.txt is not known",
	filter.Blank:       "blank",
	filter.NotAbsolute: "not an absolute URL",
	filter.BadScheme:   "not http, https or ftp",
	filter.BadHost:     "not a valid host or port",
	filter.NoURL:       "without a URL",
	filter.BadRow:      "not of the format",
	filter.BadTime:     "without a time",
	filter.CutOff:      "cut off by the end of a damaged input",
	filter.Header:      "headers",
}

func classText(c filter.Class, r *job.Filtered) string {
	switch {
	case c != filter.TooLong:
		return classTexts[c]
	case r.Records:
		return "too long to be held in memory"
	}
	return fmt.Sprintf("longer than %d MiB", r.MaxRow>>20)
}

// writeFilterText prints the totals, the classes that occur, and how many URLs each of several agents may not fetch.
func writeFilterText(s streams, r *job.Filtered) error {
	var valid, invalid, barred []string
	for class, n := range r.Count {
		text := english.Grouped(n) + " " + classText(filter.Class(class), r)
		switch {
		case n == 0:
		case filter.Class(class).Valid():
			valid = append(valid, text)
		case filter.Class(class).Invalid():
			invalid = append(invalid, text)
		}
	}
	for i, n := range r.Barred {
		if len(r.Barred) > 1 {
			barred = append(barred, r.Agents[i]+" "+english.Grouped(n))
		}
	}
	var b strings.Builder
	if r.Partial {
		b.WriteString("PARTIAL: ")
	}
	fmt.Fprintf(&b, "%s read: %s kept, %s dropped", english.Plural(r.Read, r.Noun()), english.Grouped(r.Kept),
		english.Grouped(r.Dropped))
	if r.Invalid > 0 {
		fmt.Fprintf(&b, ", %s invalid", english.Grouped(r.Invalid))
	}
	if n := r.Count[filter.Header]; n > 0 {
		fmt.Fprintf(&b, ", and %s", english.Plural(n, "header"))
	}
	b.WriteString("\n")
	for _, line := range []struct {
		name  string
		texts []string
	}{{"URLs   ", valid}, {"invalid", invalid}, {"barred ", barred}} {
		if len(line.texts) > 0 {
			fmt.Fprintf(&b, "  %s  %s\n", line.name, strings.Join(line.texts, ", "))
		}
	}
	_, err := s.err.Write([]byte(b.String()))
	return err
}

// filterSummary is a filter's summary with --output json, in the schema robotsieve.filter/1.
type filterSummary struct {
	Schema      string           `json:"schema"`
	Partial     bool             `json:"partial"`
	Read        int64            `json:"read"`
	Kept        int64            `json:"kept"`
	Dropped     int64            `json:"dropped"`
	Invalid     int64            `json:"invalid"`
	Printed     int64            `json:"printed"`
	Allowed     int64            `json:"allowed"`
	Disallowed  int64            `json:"disallowed"`
	Unreachable int64            `json:"unreachable"`
	ByPage      int64            `json:"barred_by_page"`
	NoPolicy    int64            `json:"no_policy"`
	Headers     int64            `json:"headers"`    // not included in Read
	Barred      map[string]int64 `json:"barred"`     // URLs that each agent may not fetch
	Misencoded  int64            `json:"misencoded"` // counted for the dialect google only
	Reasons     map[string]int64 `json:"reasons"`    // why lines are invalid
}

func summaryOf(r *job.Filtered) filterSummary {
	reasons, barred := map[string]int64{}, map[string]int64{}
	for i, name := range r.Agents {
		barred[report.ToUTF8(name)] = r.Barred[i]
	}
	for class := range filter.Classes {
		if class.Invalid() {
			reasons[class.String()] = r.Count[class]
		}
	}
	return filterSummary{
		"robotsieve.filter/1", r.Partial, r.Read, r.Kept, r.Dropped, r.Invalid, r.Printed,
		r.Count[filter.Allowed], r.Count[filter.Disallowed], r.Count[filter.Unreachable], r.Count[filter.ByPage],
		r.Count[filter.NoPolicy], r.Count[filter.Header], barred, r.Misencoded, reasons,
	}
}

// proved counts the requests allowed at the time, and is an error unless all are, with the reasons.
func proved(s streams, r *job.Filtered) error {
	requests, allowed := r.Read-r.Count[filter.Blank], r.Count[filter.Allowed]
	text := fmt.Sprintf("proved: %s of %s allowed by the newest robots.txt captured until then", english.Grouped(allowed),
		english.Plural(requests, "request"))
	var reasons []string
	for class, n := range r.Count {
		if c := filter.Class(class); n > 0 && c != filter.Allowed && c != filter.Blank && c != filter.Header {
			reasons = append(reasons, english.Grouped(n)+" "+classText(c, r))
		}
	}
	if len(reasons) > 0 {
		text += "; not proved: " + strings.Join(reasons, ", ")
	}
	if _, err := fmt.Fprintln(s.err, text); err != nil || len(reasons) == 0 {
		return writing("the summary", err)
	}
	return exitWith(exitFound)
}
