package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/job"
)

func newFilter(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "filter --robots FILE|--rules ARCHIVE --agent NAME URLS...",
		Short: "Keep the URLs that robots.txt allows, offline",
		Long: `Filter reads lists of URLs, one a line, and prints those that the agent may
fetch, or with --keep disallowed those that it may not: unchanged and in their
order. A summary on stderr counts each line as kept, dropped or invalid.

With --robots one robots.txt judges all URLs, whatever their host. With --rules
each URL is judged by the robots.txt of its own origin, from an archive made by
"robotsieve compile". --no-policy decides about an origin that the archive does not
have, or whose robots.txt was redirected to a URL that it does not have. The status
of the answer decides as in an audit: after 4xx or 204 everything is allowed; after
5xx, 444, 499 and codes that HTTP does not define everything is disallowed, for
crawlers of Google after 429 too. While an archive is in use it may be replaced
(compile -o does), but not changed in place (cp over it does): if it becomes
shorter, the filtering ends with exit status 3.

A valid line is a URL that begins with http://, https:// or ftp:// and has a
valid host; any bytes may follow. With --robots a line may also be a request
target, which begins with a slash. The line end, which may be CRLF, and a byte
order mark at the beginning of an input are not part of the URL; blanks are. All
other lines, also blank ones, are invalid: --invalid drops them, keeps them in
their places, or makes them an error, which quotes the first ones and ends with
exit status 3. A list without a URL, unless it is empty or blank, ends with exit
status 3 too. A line of more than 1 MiB is invalid and is never printed.

If NAME is a known crawler, such as Googlebot-Image, its product tokens are tried
in their order, and robots.txt is read in its own way; otherwise NAME is the
product token. A name with a version or a whole User-Agent header is read as
"robotsieve crawlers HEADER" reads it. Google's parser compares URLs octet by octet
with patterns that are percent-encoded in upper case, so give it URLs in that form:
the number of others is told. URLS is a file, plain or compressed (gzip, zstd, bzip2, xz), a
folder, a pattern, or - for stdin.`,
		Example: `  robotsieve filter --robots robots.txt --agent GPTBot urls.txt.gz > allowed.txt
  robotsieve filter --rules rules.rsv --agent MyBot 'urls/*.zst' | zstd > allowed.zst
  robotsieve filter --rules rules.rsv --agent MyBot --no-policy keep --invalid error urls.txt
  zcat urls.gz | robotsieve filter --robots robots.txt --agent Googlebot --keep disallowed -`,
	}
	o := job.FilterOptions{Robots: job.RobotsFile{Stdin: s.in}, URLs: job.Inputs{Stdin: s.in}, Messages: s.messages()}
	robotsFlags(cmd, &o.Robots, &o.Agent.Dialect)
	agentFlags(cmd, &o.Agent)
	var keep, noPolicy, invalid, format, output string
	cmd.Flags().StringVar(&o.Archive, "rules", "", "archive of many sites' robots.txt, made by compile")
	choice(cmd, "keep", "allowed", "which URLs to print", to(&keep), "allowed", "disallowed")
	choice(cmd, "no-policy", "drop", "with --rules: URLs of origins whose robots.txt is not known", to(&noPolicy), "keep", "drop")
	choice(cmd, "invalid", "drop", "lines that are not URLs", to(&invalid), "keep", "drop", "error")
	choice(cmd, "format", "auto", "format of the lists; auto is urls, one a line", to(&format), "auto", "urls")
	choice(cmd, "output", "text", "form of the summary on stderr", to(&output), "text", "json")
	memoryFlag(cmd, &o.Memory)
	workersFlag(cmd, &o.Workers, "goroutines that judge lines")
	startProfile := profileFlags(cmd, s)
	cmd.RunE = func(cmd *cobra.Command, lists []string) (err error) {
		o.URLs.Names, o.Disallowed, o.NoPolicy, o.Invalid = lists, keep == "disallowed", noPolicy == "keep", invalid == "keep"
		stop, err := startProfile(func(name string) error { return o.RefuseOutput("--profile", name, s.out) })
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
		if cmd.Flags().Changed("no-policy") && o.Archive == "" && o.Robots.Name != "" {
			return usageError("--no-policy is about origins that are not in an archive: it needs --rules")
		}
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		return runFilter(ctx, s, o, invalid, output)
	}
	return cmd
}

// maxQuotes is how many invalid lines --invalid error quotes.
const maxQuotes = 10

// runFilter filters lists and reports how many lines were kept, dropped and invalid.
func runFilter(ctx context.Context, s streams, o job.FilterOptions, invalid, output string) error {
	result, err := job.Filter(ctx, o, s.out)
	if result == nil {
		return err
	}
	if err != nil {
		s.warn("%v", err)
	}
	if n := result.Misencoded; n > 0 {
		s.warn("not percent-encoded in upper case: %s; Google's parser takes URLs as they are, so a rule for /%%C3%%A9 does not match /%%c3%%a9", english.Plural(n, "URL"))
	}
	refused := warnOfInvalid(s, result, invalid)
	write := writeFilterText
	if output == "json" {
		write = writeFilterJSON
	}
	if err := write(s, result); err != nil {
		return inputError(fmt.Errorf("writing the summary: %w", err))
	}
	switch {
	case err != nil:
		return exitWith(codeOf(err))
	case result.Partial || refused:
		return exitWith(exitInput)
	}
	return nil
}

// warnOfInvalid tells whether invalid lines were not treated as --invalid asks, or
// were to be an error, and warns of them.
func warnOfInvalid(s streams, r *job.Filtered, invalid string) (refused bool) {
	if n := r.Count[filter.TooLong]; n > 0 && invalid == "keep" {
		s.warn("%s too long to be printed", english.Plural(n, "line"))
		return true
	}
	if r.Invalid == 0 || invalid != "error" && r.Invalid < r.Read {
		return false
	}
	for _, q := range r.Quotes {
		s.warn("%s:%d: %s: %q", r.Inputs[q.Input].Name, q.Line, classTexts[q.Class], q.Text)
	}
	if more := r.Invalid - int64(len(r.Quotes)); more > 0 {
		s.warn("and %s", english.Plural(more, "more invalid line"))
	}
	return true
}

// classTexts name the classes in the summary.
var classTexts = [filter.Classes]string{
	filter.Allowed:     "allowed",
	filter.Disallowed:  "disallowed",
	filter.Unreachable: "disallowed because robots.txt is unreachable",
	filter.NoPolicy:    "of origins whose robots.txt is not known",
	filter.Blank:       "blank",
	filter.NotAbsolute: "not an absolute URL",
	filter.BadScheme:   "not http, https or ftp",
	filter.BadHost:     "not a valid host or port",
	filter.TooLong:     "longer than 1 MiB",
	filter.CutOff:      "cut off by the end of a damaged input",
}

// writeFilterText prints the totals, and below them the classes that occur.
func writeFilterText(s streams, r *job.Filtered) error {
	var valid, invalid []string
	for class, n := range r.Count {
		text := english.Grouped(n) + " " + classTexts[class]
		switch {
		case n == 0:
		case filter.Class(class).Valid():
			valid = append(valid, text)
		default:
			invalid = append(invalid, text)
		}
	}
	var b strings.Builder
	if r.Partial {
		b.WriteString("PARTIAL: ")
	}
	fmt.Fprintf(&b, "%s read: %s kept, %s dropped, %s invalid\n", english.Plural(r.Read, "line"), english.Grouped(r.Kept), english.Grouped(r.Dropped), english.Grouped(r.Invalid))
	if len(valid) > 0 {
		fmt.Fprintf(&b, "  URLs     %s\n", strings.Join(valid, ", "))
	}
	if len(invalid) > 0 {
		fmt.Fprintf(&b, "  invalid  %s\n", strings.Join(invalid, ", "))
	}
	_, err := s.err.Write([]byte(b.String()))
	return err
}

// writeFilterJSON prints the summary as an object on one line, the last of stderr.
func writeFilterJSON(s streams, r *job.Filtered) error {
	reasons := map[string]int64{}
	for class := range filter.Classes {
		if !class.Valid() {
			reasons[class.String()] = r.Count[class]
		}
	}
	return report.WriteJSON(s.err, struct {
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
		NoPolicy    int64            `json:"no_policy"`
		Misencoded  int64            `json:"misencoded"` // of those judged by the dialect google
		Reasons     map[string]int64 `json:"reasons"`    // of the invalid lines
	}{
		"robotsieve.filter/1", r.Partial, r.Read, r.Kept, r.Dropped, r.Invalid, r.Printed,
		r.Count[filter.Allowed], r.Count[filter.Disallowed], r.Count[filter.Unreachable], r.Count[filter.NoPolicy], r.Misencoded, reasons,
	}, "")
}
