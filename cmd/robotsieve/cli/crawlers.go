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

// isFile reports whether there is a file of a name.
func isFile(name string) bool {
	info, err := disk.Stat(name)
	return err == nil && !info.IsDir()
}

// explainHeader prints how a header is read.
func explainHeader(w *bufio.Writer, set *crawler.Set, header, output string) {
	r := readHeader(set, header)
	if output == "json" {
		_ = render.WriteJSON(w, r, "") // Flush returns the error
	} else {
		report.Texts(r, report.Printable).text(w)
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
	for _, p := range report.Texts(profiles, report.Printable) {
		words, isExempt := render.Cut(strings.Join(p.Words, ", "), maxWordsShown), ""
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
	columns := render.Left("crawler", "operator", "role", "category", "words", "tokens", "bound by *", "exempt",
		"dialect", "obeys", "verify", "as of", "source")
	fmt.Fprintf(w, "%s\n\n%s, %s of them %s; %s %s exempt, and %s %s a source page.\n", render.Table(columns, rows),
		english.Plural(int64(len(profiles)), "crawler"), english.Grouped(fetchers),
		english.Verb(fetchers, "a fetcher", "fetchers"),
		english.Grouped(exempt), english.Verb(exempt, "is", "are"), english.Grouped(sourced),
		english.Verb(sourced, "has", "have"))
}

// writeLists prints the addresses of operators' published lists as shell commands
// that fetch them.
func writeLists(w *bufio.Writer, lists []crawler.PublishedList, output string) {
	if output == "json" {
		writeJSONList(w, lists)
		return
	}
	lists = report.Texts(lists, report.Printable)
	fmt.Fprint(w, `# The addresses that operators publish for their crawlers. Run these commands in an
# empty folder, and give that folder to robotsieve audit --ip-ranges.
`)
	operators := map[string]string{} // the first that has a list of a name
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
		if operators[strings.ToLower(l.Name)] == "several" { // audit could not tell whose it is
			file = l.Crawlers[0] + filepath.Ext(l.Name)
		}
		fmt.Fprintf(w, "# for %s; seen %s\n%s\n", strings.Join(l.Crawlers, ", "), l.Seen,
			english.ShellLine("curl", "-fsSLo", file, l.URL))
	}
}
