package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
)

func newCrawlers(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "crawlers [HEADER]",
		Short: "List the known crawlers, or explain how a User-Agent header is read",
		Long: `Crawlers lists the known crawlers: the role and the category of each of them, the
words that identify it in a User-Agent header, the product tokens that name it in
robots.txt, whether groups for * bind it, whether it is exempt, and what its
operator says, on which page and when. A fetcher fetches single addresses that a
person, a subscription or the site's own operator named, as feed readers and link
previews do; it is counted apart from the crawlers.

With a HEADER it explains how that header is read: which words were found in it,
which of them count and why the others do not, which crawler the client claims to
be, and what follows from that. With - as the HEADER, headers are read from stdin,
one a line.

With --lists it prints where operators publish the addresses of their crawlers, as
curl commands, with the crawlers that each list serves and the day when it was seen
there. Robotsieve itself fetches nothing.

--crawlers FILE changes and extends the known crawlers. FILE is a JSON array in
the form that --output json prints. An entry with the name of a known crawler
replaces it wholly; all others are added. A word belongs to one crawler only: an
entry takes its words from the known crawlers that have them, and a known crawler
that has no word left is removed.`,
		Example: `  robotsieve crawlers
  robotsieve crawlers "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"
  robotsieve crawlers --crawlers mine.json --output json - < headers.txt
  robotsieve crawlers --lists > fetch.sh`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError("%d arguments: a HEADER is one, so put it in quotes", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completeAgents(cmd, args, "")
		},
	}
	var file, output string
	crawlersFlag(cmd, &file)
	choice(cmd, "output", "text", "output format", to(&output), "text", "json")
	lists := cmd.Flags().Bool("lists", false, "print where operators publish the addresses of their crawlers")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if *lists && len(args) > 0 {
			return usageError("--lists and a HEADER exclude each other")
		}
		if err := job.RefuseStreams(s.out, s.err, s.in, append(stdinIn(args), file)...); err != nil {
			return err
		}
		set, err := job.Crawlers(file)
		if err != nil {
			return err
		}
		w := bufio.NewWriter(s.out)
		switch {
		case *lists:
			writeLists(w, set.PublishedLists(), output)
		case len(args) == 0:
			listCrawlers(w, set.Profiles(), output)
		case args[0] == "-":
			first := true
			err = eachLine(s.in, "headers", func(header string) error {
				if !first && output == "text" {
					fmt.Fprintln(w)
				}
				first = false
				explain(w, set, header, output)
				return nil
			})
		default:
			explain(w, set, args[0], output)
		}
		return errors.Join(err, writing("the answers", w.Flush()))
	}
	return cmd
}

// explain prints how a header is read.
func explain(w *bufio.Writer, set *crawler.Set, header, output string) {
	if r := readHeader(set, header); output == "json" {
		_ = report.WriteJSON(w, r, "") // Flush returns the error
	} else {
		audit.Texts(r, audit.Printable).text(w)
	}
}

// maxWordsShown bounds the list of a crawler's words in the table, in characters.
const maxWordsShown = 60

// listCrawlers prints all known crawlers.
func listCrawlers(w *bufio.Writer, profiles []crawler.Profile, output string) {
	if output == "json" {
		writeJSONList(w, profiles)
		return
	}
	var rows [][]string
	fetchers, exempt, sourced := int64(0), int64(0), int64(0)
	for _, p := range audit.Texts(profiles, audit.Printable) {
		words, isExempt := report.Cut(strings.Join(p.Words, ", "), maxWordsShown), ""
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
			row[i] = cmp.Or(row[i], "-")
		}
		rows = append(rows, row)
	}
	columns := report.Left("crawler", "operator", "role", "category", "words", "tokens", "bound by *", "exempt",
		"dialect", "obeys", "verify", "as of", "source")
	fmt.Fprintf(w, "%s\n\n%s, %s of them %s; %s %s exempt, and %s %s a source page.\n", report.Table(columns, rows),
		english.Plural(int64(len(profiles)), "crawler"), english.Grouped(fetchers),
		english.Verb(fetchers, "a fetcher", "fetchers"),
		english.Grouped(exempt), english.Verb(exempt, "is", "are"), english.Grouped(sourced),
		english.Verb(sourced, "has", "have"))
}
