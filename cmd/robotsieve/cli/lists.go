package cli

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
)

// writeLists prints where operators publish the addresses of their crawlers, as commands
// for a shell that fetch them.
func writeLists(w *bufio.Writer, lists []crawler.PublishedList, output string) {
	if output == "json" {
		writeJSONList(w, lists)
		return
	}
	lists = audit.Texts(lists, audit.Printable)
	fmt.Fprint(w, `# The addresses that operators publish for their crawlers. Run these commands in an
# empty folder, and give that folder to robotsieve audit --ip-ranges.
`)
	operators := map[string]string{} // the first that has a list of a name
	for _, l := range lists {
		if name := strings.ToLower(l.Name); operators[name] == "" {
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
			shellLine([]string{"curl", "-fsSLo", file, l.URL}))
	}
}
