package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
)

// crawlersFlags are what a user says of the crawlers command.
type crawlersFlags struct {
	crawlers *string
	output   func() (string, error)
}

func newCrawlers(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "crawlers [HEADER]",
		Short: "Which crawlers are known, and how a User-Agent header is read",
		Long: `Crawlers lists the crawlers that are known: by which words of a User-Agent header
they are recognised, by which product tokens robots.txt may name them, whether a
group for * binds them, whether they are exempt, and what their operators say, on
which page and when.

With a HEADER it tells how that is read: which words were found in it, which of
them count and why the others do not, who the client says that it is, and what
follows from that. With - as the HEADER, headers are read from stdin, one a line.

--crawlers FILE changes and extends what is known, by a JSON array of crawlers in
the form that --output json prints: one with the name of a known crawler replaces it
wholly, others are added. A word belongs to one crawler only: one that a crawler of
FILE has is taken from the known crawler that had it, and who has no word left is
not known any more.`,
		Example: `  robotsieve crawlers
  robotsieve crawlers "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"
  robotsieve crawlers --crawlers mine.json --output json - < headers.txt`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completeAgents(cmd, args, "")
		},
	}
	f := crawlersFlags{
		crawlers: crawlersFlag(cmd),
		output:   choice(cmd, "output", "text", "form of the answers", "text", "json"),
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error { return runCrawlers(s, f, args) }
	return cmd
}

// crawlersFlag adds the flag --crawlers, the value of which is for job.Crawlers.
func crawlersFlag(cmd *cobra.Command) *string {
	file := cmd.Flags().String("crawlers", "", "a file of crawlers to change and extend those that are known")
	_ = cmd.MarkFlagFilename("crawlers", "json")
	return file
}

func runCrawlers(s streams, f crawlersFlags, args []string) error {
	output, err := f.output()
	if err != nil {
		return err
	}
	set, err := job.Crawlers(*f.crawlers)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(s.out)
	switch {
	case len(args) == 0:
		err = listCrawlers(w, set.Profiles(), output)
	case args[0] == "-":
		err = explainLines(s, w, set, output)
	default:
		err = explain(w, set, args[0], output)
	}
	return errors.Join(err, writeError(w.Flush()))
}

// writeError is the error of a command whose answers could not be written.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	return inputError(fmt.Errorf("writing the answers: %w", err))
}

// explainLines explains the headers that are read from stdin, one a line.
func explainLines(s streams, w *bufio.Writer, set *crawler.Set, output string) error {
	lines := bufio.NewScanner(s.in)
	lines.Buffer(nil, maxURL)
	n := int64(0)
	for ; lines.Scan(); n++ {
		if n > 0 && output == "text" {
			fmt.Fprintln(w)
		}
		if err := explain(w, set, lines.Text(), output); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("line %s is longer than %s", grouped(n+1), plural(maxURL, "byte"))
		}
		return inputError(fmt.Errorf("reading headers from stdin: %w", err))
	}
	return nil
}

// explain prints how a header is read.
func explain(w *bufio.Writer, set *crawler.Set, header, output string) error {
	r := readHeader(set, header)
	if output == "json" {
		return writeError(report.Encoder(w).Encode(r))
	}
	r.text(w)
	return nil
}

// listCrawlers prints all that is known.
func listCrawlers(w *bufio.Writer, profiles []crawler.Profile, output string) error {
	if output == "json" {
		for i, p := range profiles {
			w.WriteString(map[bool]string{true: "[\n", false: ",\n"}[i == 0])
			if err := report.Encoder(trimNewline{w}).Encode(printableProfile(p)); err != nil {
				return writeError(err)
			}
		}
		w.WriteString("\n]\n")
		return nil
	}
	header := []string{
		"crawler", "operator", "category", "words", "tokens", "bound by *", "exempt", "dialect", "obeys", "verify", "as of", "source",
	}
	var rows [][]string
	exempt, sourced := 0, 0
	for _, p := range profiles {
		p = printableProfile(p)
		bound := "yes"
		if p.IgnoresWildcard {
			bound = "no"
		}
		isExempt := ""
		if p.Exempt != "" {
			isExempt = "yes"
			exempt++
		}
		if p.Source != "" {
			sourced++
		}
		words := strings.Join(p.Words, ", ")
		if p.Control {
			words = "(control token)"
		}
		row := []string{
			p.Name, p.Operator, p.Category, report.Cut(words, maxWordsShown), strings.Join(p.Tokens, ", "), bound, isExempt, p.Dialect,
			p.Obeys, p.Verify, p.Date, p.Source,
		}
		for i := range row {
			row[i] = cmp.Or(row[i], "-")
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(w, "%s\n\n%s, of which %s exempt; of %s a page is named that what is said here is taken from.\n",
		report.Table(header, rows), plural(int64(len(profiles)), "crawler"), are(int64(exempt)), grouped(int64(sourced)))
	return nil
}

// maxWordsShown bounds the list of a crawler's words in the table.
const maxWordsShown = 60

func are(n int64) string {
	if n == 1 {
		return "1 is"
	}
	return grouped(n) + " are"
}

// printableProfile returns a profile with texts that may be shown, for they may
// come from anybody's file.
func printableProfile(p crawler.Profile) crawler.Profile {
	for _, text := range []*string{&p.Name, &p.Operator, &p.Category, &p.Exempt, &p.Dialect, &p.Source, &p.Date, &p.Verify} {
		*text = printable(*text)
	}
	p.Words, p.Tokens = printableList(p.Words), printableList(p.Tokens)
	return p
}

func printableList(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = printable(text)
	}
	return list
}
