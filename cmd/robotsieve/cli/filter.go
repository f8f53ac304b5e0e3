package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/list"
	"github.com/robotsieve/robotsieve/scan/page"
)

func newFilter(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "filter --robots FILE|--rules ARCHIVE --agent NAME... LISTS...",
		Short: "Keep the URLs that robots.txt allows, offline",
		Long: `Filter reads lists of URLs and prints the rows whose URL the agent may fetch,
or with --keep disallowed those whose URL it may not: unchanged and in their
order. A summary on stderr counts each row as kept, dropped or invalid.

LISTS are files, plain or compressed (gzip, zstd, bzip2, xz), folders,
patterns, or - for stdin. The format of each is found, or is --format: URLs,
one a line; CSV and TSV; JSON lines; CDX and CDXJ; sitemaps and Parquet, whose
URLs are printed one a line; WARC, WAT and WET, whose records are kept whole.
--column names the column or member with the URL, such as url, 3 or
request.url; without it one with a usual name, or with URLs, is taken. A list
of another kind is refused, and ends with exit status 3.

With --robots one robots.txt judges all URLs, whatever their host. With --rules
each URL is judged by the robots.txt of its own origin, from an archive made by
"robotsieve compile". --no-policy decides about an origin that the archive does
not have, or whose robots.txt was redirected to a URL that it does not have.
The status of the answer decides as in an audit: after 4xx or 204, and after a
redirect through a URL that its own origin forbids, everything is allowed. 5xx,
444, 499 and codes that HTTP does not define, for crawlers of Google 429 too,
are failures: the last answer that did not fail counts; without one everything
is disallowed. While an archive is in use it may be replaced (compile -o does),
but not changed in place (cp over it does): if it changes, the filtering ends
with exit status 3.

If the archive has several versions of a robots.txt, the newest judges; with
--as-of the one in force at that time; with --date-column, and in CDX, CDXJ and
WARC, the one in force when the URL was captured. Before the first version
robots.txt is not known.

With several agents a URL is kept if all of them may fetch it, or with --any if
one of them may. --annotate writes one line for each line, in order, whatever
it is: an object of JSON, tab-separated fields, or the row itself with these
appended; or a table of Parquet that has a row for each row of a list. --page
drops records of WARC whose page states a directive, such as noindex, in a meta
tag or an X-Robots-Tag.

A valid URL begins with http://, https:// or ftp:// and has a valid host; any
bytes may follow. With --robots it may also be a request target, which begins
with a slash. White space around a URL is no part of it, nor is what is behind
a tab, nor a status, fields in brackets or a comment (URL 200, URL [200],
URL # comment); other blanks are, and stderr counts such URLs. All other rows,
also blank ones, are invalid: --invalid drops them, keeps them in their places,
or makes them an error, which quotes the first ones and ends with exit status
3. A list without a URL, unless it is empty or blank, ends with exit status 3
too. A line of more than 1 MiB, in formats that have more than URLs 16 MiB, is
invalid and is never printed.

If NAME is a known crawler, such as Googlebot-Image, its product tokens are
tried in their order, and robots.txt is read in its own way; otherwise NAME is
the product token. A name with a version or a whole User-Agent header is read
as "robotsieve crawlers HEADER" reads it. Google's parser compares URLs octet
by octet with patterns that are percent-encoded in upper case, so give it URLs
in that form: the number of others is told.`,
		Example: `  robotsieve filter --robots robots.txt --agent GPTBot urls.txt.gz > allowed.txt
  robotsieve filter --rules rules.rsv --agent MyBot 'urls/*.zst' | zstd > allowed.zst
  robotsieve filter --rules rules.rsv --agent GPTBot --agent CCBot pages.jsonl.zst > pages.txt
  robotsieve filter --rules rules.rsv --agent GPTBot --annotate json --column metadata.url docs.jsonl
  robotsieve filter --rules rules.rsv --agent MyBot --page noai,noindex crawl.warc.gz > kept.warc.gz
  robotsieve filter --rules rules.rsv --agent GPTBot --annotate parquet --key id docs.parquet > robots.parquet
  robotsieve filter --rules rules.rsv --agent MyBot --no-policy keep --invalid error urls.txt
  zcat urls.gz | robotsieve filter --robots robots.txt --agent Googlebot --keep disallowed -`,
	}
	o := job.FilterOptions{Robots: job.RobotsFile{Stdin: s.in}, URLs: job.Inputs{Stdin: s.in}, Messages: s.messages()}
	var agent job.Agent // each agent, but for its name
	var names []string
	robotsFlags(cmd, &o.Robots, &agent.Dialect)
	agentsFlag(cmd, &names, "a crawler that would fetch the URLs; can be repeated")
	crawlersFlag(cmd, &agent.Crawlers)
	var keep, noPolicy, invalid, output string
	var all bool
	flags := cmd.Flags()
	flags.BoolVar(&all, "all", false, "keep what all agents may fetch (the default)")
	flags.BoolVar(&o.Any, "any", false, "keep what one of the agents may fetch")
	cmd.MarkFlagsMutuallyExclusive("all", "any")
	flags.StringVar(&o.Archive, "rules", "", "archive of many sites' robots.txt, made by compile")
	flags.StringVar(&o.AsOf, "as-of", "", "with --rules: judge by the robots.txt in force at this time: "+
		"2026-11-22T05:00:00Z, or a date, which is its midnight in UTC")
	choice(cmd, "keep", "allowed", "which URLs to print", to(&keep), "allowed", "disallowed")
	choice(cmd, "no-policy", "drop", "with --rules: URLs of origins whose robots.txt is not known", to(&noPolicy),
		"keep", "drop")
	choice(cmd, "invalid", "drop", "rows that have no URL", to(&invalid), "keep", "drop", "error")
	choice(cmd, "format", "auto", "format of the lists", func(name string) { o.Format = list.ParseKind(name) },
		listKinds()...)
	flags.StringVar(&o.List.Column, "column", "", "column or member that has the URL, such as url, 3 or request.url")
	flags.StringVar(&o.List.Date, "date-column", "",
		"with --rules: column or member with the time at which the URL was captured")
	choice(cmd, "annotate", "", "print a line for each line instead of the kept ones",
		func(form string) { o.Annotate = job.Annotation(form) },
		string(job.JSON), string(job.TSV), string(job.Append), string(job.Parquet))
	flags.StringVar(&o.Key, "key", "", "with --annotate parquet: column of the Parquet file that tells which row is "+
		"meant, instead of the row's number")
	addFlag(cmd, "list", "page", "", "of WARC: drop records whose page states one of these directives, "+
		"such as noindex,noarchive,noai, in a meta tag or an X-Robots-Tag", func(text string) (err error) {
		if o.Page, err = page.ParseDirectives(text); err != nil {
			return usageError("--page: %w", err)
		}
		return nil
	})
	flags.BoolVar(&o.Prompt, "line-buffered", false,
		"print the answer on each line of a pipe as soon as the line has been read")
	choice(cmd, "output", "text", "form of the summary on stderr", to(&output), "text", "json")
	memoryFlag(cmd, &o.Memory)
	workersFlag(cmd, &o.Workers, "goroutines that judge rows")
	startProfile := profileFlags(cmd, s)
	cmd.RunE = func(cmd *cobra.Command, lists []string) (err error) {
		o.URLs.Names, o.Disallowed, o.NoPolicy, o.Invalid = lists, keep == "disallowed", noPolicy == "keep",
			invalid == "keep"
		for _, name := range names {
			agent := agent
			agent.Name = name
			o.Agents = append(o.Agents, agent)
		}
		if err := refuseFilterFlags(cmd, &o); err != nil {
			return err
		}
		stop, err := startProfile()
		if err != nil {
			return err
		}
		defer stop(&err)
		if o.Quotes = 1; invalid == "error" {
			o.Quotes = maxQuotes
		}
		if isTerminal(s.out) {
			o.Messages.Progress = nil // the URLs would run into the bar
		}
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		return runFilter(ctx, s, o, invalid, output)
	}
	return cmd
}

// listKinds are the values of --format.
func listKinds() []string {
	names := []string{"auto"}
	for k := list.URLs; k <= list.Parquet; k++ {
		names = append(names, k.String())
	}
	return names
}

// refuseFilterFlags returns an error for flags that have no effect beside the others.
func refuseFilterFlags(cmd *cobra.Command, o *job.FilterOptions) error {
	given := cmd.Flags().Changed
	switch {
	case given("no-policy") && o.Archive == "" && o.Robots.Name != "":
		return usageError("--no-policy is about origins that are not in an archive: it needs --rules")
	case o.Key != "" && o.Annotate != job.Parquet:
		return usageError("--key is the key of the rows of --annotate parquet")
	case o.Annotate != job.NoAnnotation && (given("keep") || given("invalid") || given("no-policy")):
		return usageError("--annotate prints a line for each line: --keep, " +
			"--invalid and --no-policy say which lines are printed without it")
	}
	return nil
}

// maxQuotes is how many invalid lines --invalid error quotes.
const maxQuotes = 10

// runFilter filters lists and reports how many lines were kept, dropped and invalid.
func runFilter(ctx context.Context, s streams, o job.FilterOptions, invalid, output string) error {
	var result *job.Filtered
	var err error
	if s.elsewhere != nil {
		result, err = s.elsewhere.Filter(ctx, o)
	} else {
		result, err = job.Filter(ctx, o, s.out)
	}
	if result == nil {
		return err
	}
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
	refused := warnOfInvalid(s, result, invalid)
	write := writeFilterText
	if output == "json" {
		// on the last line
		write = func(s streams, r *job.Filtered) error { return render.WriteJSON(s.err, SummaryOf(r), "") }
	}
	switch failed := writing("the summary", write(s, result)); {
	case failed != nil:
		return failed
	case err != nil:
		return exitWith(codeOf(err))
	case result.Partial || refused:
		return exitWith(exitInput)
	}
	return nil
}

// warnOfInvalid reports whether invalid lines were not treated as --invalid asks, or
// were to be an error, and warns of them.
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

// classText names a class in the summary.
func classText(c filter.Class, r *job.Filtered) string {
	switch {
	case c != filter.TooLong:
		return classTexts[c]
	case r.Records:
		return "too long to be held in memory"
	}
	return fmt.Sprintf("longer than %d MiB", r.MaxRow>>20)
}

// writeFilterText prints the totals, and below them the classes that occur and how many URLs each
// of several agents may not fetch.
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

// FilterSummary is what --output json writes of a filter: the schema robotsieve.filter/1.
type FilterSummary struct {
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
	Headers     int64            `json:"headers"`    // which are not among those read
	Barred      map[string]int64 `json:"barred"`     // URLs that each agent may not fetch
	Misencoded  int64            `json:"misencoded"` // of those judged by the dialect google
	Reasons     map[string]int64 `json:"reasons"`    // of the invalid lines
}

// SummaryOf returns the summary of a filter.
func SummaryOf(r *job.Filtered) FilterSummary {
	reasons, barred := map[string]int64{}, map[string]int64{}
	for i, name := range r.Agents {
		barred[name] = r.Barred[i]
	}
	for class := range filter.Classes {
		if class.Invalid() {
			reasons[class.String()] = r.Count[class]
		}
	}
	return FilterSummary{
		"robotsieve.filter/1", r.Partial, r.Read, r.Kept, r.Dropped, r.Invalid, r.Printed,
		r.Count[filter.Allowed], r.Count[filter.Disallowed], r.Count[filter.Unreachable], r.Count[filter.ByPage],
		r.Count[filter.NoPolicy], r.Count[filter.Header], barred, r.Misencoded, reasons,
	}
}
