package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
)

func newCrawlers(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "crawlers [HEADER]",
		Short: "List the known crawlers, or explain how a User-Agent header is read",
		Long: `Crawlers lists the known crawlers: the words that identify each of them in a
User-Agent header, the product tokens that name it in robots.txt, whether groups
for * bind it, whether it is exempt, and what its operator says, on which page and
when.

With a HEADER it explains how that header is read: which words were found in it,
which of them count and why the others do not, which crawler the client claims to
be, and what follows from that. With - as the HEADER, headers are read from stdin,
one a line.

--crawlers FILE changes and extends the known crawlers. FILE is a JSON array in
the form that --output json prints. An entry with the name of a known crawler
replaces it wholly; all others are added. A word belongs to one crawler only: an
entry takes its words from the known crawlers that have them, and a known crawler
that has no word left is removed.`,
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
	file, form := crawlersFlag(cmd), choice(cmd, "output", "text", "output format", "text", "json")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		output, err := form()
		if err != nil {
			return err
		}
		set, err := job.Crawlers(*file)
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
	return cmd
}

// crawlersFlag adds the flag --crawlers, whose value is for job.Crawlers.
func crawlersFlag(cmd *cobra.Command) *string {
	file := cmd.Flags().String("crawlers", "", "a file of crawlers that changes and extends the known ones")
	_ = cmd.MarkFlagFilename("crawlers", "json")
	return file
}

// writeError returns the error of a command whose answers could not be written.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	return inputError(fmt.Errorf("writing the answers: %w", err))
}

// explainLines explains the headers on stdin, one a line.
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
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("line %s is longer than %s", english.Grouped(n+1), english.Plural(maxURL, "byte"))
	}
	if err != nil {
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

// maxWordsShown bounds the list of a crawler's words in the table, in characters.
const maxWordsShown = 60

// listCrawlers prints all known crawlers.
func listCrawlers(w *bufio.Writer, profiles []crawler.Profile, output string) error {
	var rows [][]string
	exempt, sourced := int64(0), int64(0)
	for i, p := range profiles {
		p = printableProfile(p)
		if output == "json" {
			w.WriteString(map[bool]string{true: "[\n", false: ",\n"}[i == 0])
			if err := report.Encoder(trimNewline{w}).Encode(p); err != nil {
				return writeError(err)
			}
			continue
		}
		words, bound, isExempt := report.Cut(strings.Join(p.Words, ", "), maxWordsShown), "yes", ""
		if p.Control {
			words = "(control token)"
		}
		if p.IgnoresWildcard {
			bound = "no"
		}
		if p.Exempt != "" {
			isExempt = "yes"
			exempt++
		}
		if p.Source != "" {
			sourced++
		}
		row := []string{p.Name, p.Operator, p.Category, words, strings.Join(p.Tokens, ", "), bound, isExempt, p.Dialect, p.Obeys, p.Verify, p.Date, p.Source}
		for i := range row {
			row[i] = cmp.Or(row[i], "-")
		}
		rows = append(rows, row)
	}
	if output == "json" {
		w.WriteString("\n]\n")
		return nil
	}
	header := []string{"crawler", "operator", "category", "words", "tokens", "bound by *", "exempt", "dialect", "obeys", "verify", "as of", "source"}
	fmt.Fprintf(w, "%s\n\n%s: %s %s exempt, and %s %s a source page.\n", report.Table(header, rows),
		english.Plural(int64(len(profiles)), "crawler"), english.Grouped(exempt), english.Verb(exempt, "is", "are"),
		english.Grouped(sourced), english.Verb(sourced, "has", "have"))
	return nil
}

// printableProfile escapes the texts of a profile, which may come from any file.
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
