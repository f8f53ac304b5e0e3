package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

func newCrawlers(s streams) *cobra.Command {
	return subcommand{
		name: "crawlers", run: runCrawlers,
		args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError("%d arguments: a HEADER is one, so put it in quotes", len(args))
			}
			return nil
		},
		complete: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completeAgents(cmd, args, "")
		},
	}.build(s)
}

func runCrawlers(_ context.Context, s streams, a *args) error {
	file, output := a.text("crawlers"), a.text("output")
	if err := job.RefuseStreams(s.out, s.err, s.in, append(stdinIn(a.rest), file)...); err != nil {
		return err
	}
	set, err := job.Crawlers(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(s.out)
	switch {
	case a.is("lists"):
		writeLists(w, set.PublishedLists(), output)
	case len(a.rest) == 0:
		listCrawlers(w, set.Profiles(), output)
	case a.rest[0] == "-":
		first := true
		err = eachLine(s.in, "headers", func(header string) error {
			if !first && output == "text" {
				fmt.Fprintln(w)
			}
			first = false
			explainHeader(w, set, header, output)
			return nil
		})
	case set.Explain([]byte(a.rest[0])).Name == "" && isFile(a.rest[0]):
		return usageError("%s is a file, and names no crawler as a header: crawlers - < FILE reads headers, one a line; "+
			"--crawlers FILE changes the known crawlers; robotsieve audit counts the crawlers of a log", a.rest[0])
	default:
		explainHeader(w, set, a.rest[0], output)
	}
	return errors.Join(err, writing("the answers", w.Flush()))
}

func isFile(name string) bool {
	info, err := disk.Stat(name)
	return err == nil && !info.IsDir()
}

func explainHeader(w *bufio.Writer, set *crawler.Set, header, output string) {
	r := readHeader(set, header)
	if output == "json" {
		_ = render.WriteJSON(w, r.rewrite(report.ToUTF8), "") // Flush returns the error
	} else {
		r.rewrite(report.Printable).text(w)
	}
}

func listCrawlers(w *bufio.Writer, profiles []crawler.Profile, output string) {
	if output == "json" {
		writeJSONList(w, profiles)
		return
	}
	const mostWords = 60 // characters
	var rows [][]string
	fetchers, exempt, sourced := int64(0), int64(0), int64(0)
	for _, p := range profiles {
		words, isExempt := render.Cut(report.Printable(strings.Join(p.Words, ", ")), mostWords), ""
		if p.Control {
			words = "(control token)"
		}
		bound := map[bool]string{true: "no", false: "yes"}[p.IgnoresWildcard]
		if p.IsFetcher() {
			fetchers++
		}
		if p.Exempt != "" {
			isExempt = "yes"
			exempt++
		}
		if p.Source != "" {
			sourced++
		}
		row := []string{p.Name, p.Operator, cmp.Or(p.Role, "crawler"), p.Category, words, strings.Join(p.Tokens, ", "),
			bound,
			isExempt, p.Dialect, p.Obeys, p.Verify, p.Date, p.Source}
		for i := range row {
			row[i] = cmp.Or(report.Printable(row[i]), "-")
		}
		rows = append(rows, row)
	}
	columns := render.Left("crawler", "operator", "role", "category", "words", "tokens", "bound by *", "exempt",
		"dialect", "obeys", "verify", "as of", "source")
	fmt.Fprintf(w, "%s\n\n%s, %s of them %s; %s %s exempt, and %s %s a source page.\n", render.Table(columns, rows),
		english.Plural(int64(len(profiles)), "crawler"), english.Grouped(fetchers),
		english.Verb(fetchers, "a fetcher", "fetchers"),
		english.Grouped(exempt), english.Verb(exempt, "is", "are"), english.Grouped(sourced),
		english.Verb(sourced, "has", "have"))
}

// writeLists prints operators' published lists as shell commands that fetch them.
func writeLists(w *bufio.Writer, lists []crawler.PublishedList, output string) {
	if output == "json" {
		writeJSONList(w, lists)
		return
	}
	printable := report.Rewriter(report.Printable[string])
	report.Each(&lists, func(l *crawler.PublishedList) {
		printable.Texts(&l.Operator, &l.Name, &l.URL, &l.Seen)
		printable.Lists(&l.Crawlers)
	})
	fmt.Fprint(w, `# The addresses that operators publish for their crawlers. Run these commands in an
# empty folder, and give that folder to robotsieve audit --ip-ranges.
`)
	operators := map[string]string{} // by the name of a list
	for _, l := range lists {
		name := strings.ToLower(l.Name)
		if operators[name] == "" {
			operators[name] = l.Operator
		} else if operators[name] != l.Operator {
			operators[name] = "several"
		}
	}
	operator := ""
	for _, l := range lists {
		if l.Operator != operator {
			operator = l.Operator
			fmt.Fprintf(w, "\n# %s\n", operator)
		}
		file := l.Name
		if operators[strings.ToLower(l.Name)] == "several" { // audit couldn't choose between them
			file = l.Crawlers[0] + filepath.Ext(l.Name)
		}
		fmt.Fprintf(w, "# for %s; seen %s\n%s\n", strings.Join(l.Crawlers, ", "), l.Seen,
			english.ShellLine("curl", "-fsSLo", file, l.URL))
	}
}

func (r headerReading) text(w *bufio.Writer) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintln(w, r.Header)
	switch {
	case r.Known:
		line("crawler", "%s of %s, %s", r.Crawler, r.Operator, cmp.Or(r.Category, "of no category"))
	case r.Nameless:
		line("crawler", "%s", r.Crawler)
	case r.Crawler != "":
		line("crawler", "%s, which is not known", r.Crawler)
	default:
		line("crawler", "none")
	}
	line("because", "%s", r.Why)
	for _, word := range r.Words {
		verb, owner := map[bool]string{true: "counts", false: "does not count"}[word.Counts], ""
		if word.Crawler != "" && word.Crawler != word.Word {
			owner = ", a word of " + word.Crawler + ","
		}
		line("word", "%s at byte %s%s %s: %s", word.Word, english.Grouped(int64(word.Byte)), owner, verb, word.Why)
	}
	if len(r.Tokens) == 0 {
		return
	}
	if r.Role == "fetcher" {
		line("role", "fetcher: it fetches single addresses that a person, "+
			"a subscription or the site's own operator named; "+
			"it is counted apart from the crawlers, outside the headline")
	}
	last := map[bool]string{true: "groups for *", false: "by nothing: groups for * do not bind it"}[r.Wildcard]
	groups := func(tokens []string) string {
		return fmt.Sprintf("groups for %s, else %s", strings.Join(tokens, ", else for "), last)
	}
	line("bound by", "%s", groups(r.Tokens))
	for _, tokens := range r.Also {
		line("and by", "%s, because its header serves this product too: only what both forbid is forbidden",
			groups(tokens))
	}
	if !r.Known {
		line("or by", "perhaps groups for a part of that word, of three letters or more: "+
			"a request is contested if they make a difference")
	}
	dialect := cmp.Or(r.Dialect, "not known: a rule that google and rfc9309 read differently is contested")
	if dialect == automaton.Google.String() {
		dialect += ": as Google's published parser reads it"
	}
	line("dialect", "%s", dialect)
	if r.Exempt != "" {
		line("exempt", "its requests are not judged; %s", r.Exempt)
	}
	line("operator", "%s", r.statement())
	var ways []string
	for _, way := range r.Verify {
		text := map[string]string{"ranges": "its operator publishes address ranges",
			"dns": "the names of its addresses can be looked up"}[way]
		ways = append(ways, cmp.Or(text, way))
	}
	line("verify", "%s", cmp.Or(strings.Join(ways, "; "),
		"its operator is not known to publish anything that verifies its addresses"))
}

// statement quotes the operator about robots.txt.
func (r headerReading) statement() string {
	claim := map[string]string{"yes": "says that it obeys robots.txt",
		"no": "says that it may ignore robots.txt"}[r.Obeys]
	claim = cmp.Or(claim, "does not say whether it obeys robots.txt")
	switch {
	case !r.Known:
		return "not known"
	case r.Source == "":
		return claim + ", as far as is known"
	}
	return fmt.Sprintf("%s: %s, as of %s", claim, r.Source, r.Date)
}
