package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
)

// screen is the report on one screen of 24 lines by 80 characters, where the facts fit: what
// happened, who did it, what is held against nobody, what to mend, and how certain it is.
// All else is in document. Where there is not room for all violators, the least are left out.
func screen(r *audit.Report) (blocks []block) {
	for _, most := range []int{maxViolatorsShown, 8, 6, minViolatorsShown} {
		blocks = doc{r, most, screenWidth}.screen()
		var text strings.Builder
		if writeBlocks(&text, blocks, screenWidth, false) == nil && strings.Count(text.String(), "\n") <= screenHeight {
			break
		}
	}
	return blocks
}

func (d doc) screen() []block {
	first := block{Text: slices.Concat(d.partial(), d.headline(), []string{d.scope()})}
	if d.Totals.Requests == 0 {
		return withText(first, d.advice(), block{Text: []string{more}})
	}
	return withText(first, d.violators(min(maxPathedShown, d.most/2)),
		block{Text: slices.Concat(d.clean(), d.notHeld())}, d.advice(), block{Text: []string{d.certainty(), more}})
}

// more says where the rest is.
const more = "More: --full, all figures; --html FILE, a page; --list violations, each request."

// scope says what was audited.
func (d doc) scope() string {
	text := "Audited: "
	if origins := d.Policy.Origins; len(origins) == 1 {
		text += origins[0] + ", "
	} else if len(origins) > 1 {
		text += english.Plural(int64(len(origins)), "site") + ", "
	}
	if d.From != "" {
		from, to := timeAs(d.From, time.DateOnly), timeAs(d.To, time.DateOnly)
		if text += from; to != from {
			text += " to " + to
		}
		text += ", "
	}
	text += english.Plural(d.Lines, "line")
	if d.Policy.History == "constant" {
		return text + ", by " + path.Base(d.Policy.File) + "."
	}
	return text + ", by " + english.Plural(int64(len(d.Policy.Versions)), "version") + " of robots.txt."
}

// Bounds of the screen.
const (
	maxViolatorsShown = 10
	minViolatorsShown = 4 // also where the screen gets higher
	maxPathedShown    = 4 // violators with their worst paths
	screenWidth       = 80
	screenHeight      = 24
)

// violators is the table of crawlers that broke robots.txt, for the first ones with the paths
// that they requested most against it. Fetchers stand after the others, under a title.
func (d doc) violators(pathed int) block {
	t := newTable(d.most, Left("broke \u200brobots.txt", "identity"),
		Right("requests", "forbidden", "content", "not \u200bmod.", "in\u00adformed"))
	for _, part := range d.parts() {
		t.begin(part.title)
		for _, c := range part.list {
			n := c.Verdicts[audit.Violation]
			if n > 0 && t.add(c, violatorsIn(c), c.Crawler, identityOf(c), english.Grouped(own(c)),
				alarm(english.Grouped(n))+" ("+wholeShare(n, own(c))+")",
				grouped(c.Outcomes[audit.Content]), grouped(c.Outcomes[audit.NotModified]),
				informedOf(c, c.Informed())) && t.rows <= pathed {
				rows := t.Groups[len(t.Groups)-1].Rows
				rows[len(rows)-1].Below = worst(c)
			}
		}
	}
	t.fit(screenWidth)
	if text := t.left.text("crawler"); text != "" {
		t.More = "and " + text + "."
	}
	return block{Table: t}
}

// fit cuts the cells of the first column so that the rows have no more characters than width.
// A title and a line below a row may be as long as the columns without the blanks between them:
// past that the columns would be widened.
func (t *table) fit(width int) {
	across, first := width-blanksBetween*(len(t.Columns)-1), width
	for i, c := range t.Columns[1:] {
		most := 0
		for line := range strings.SplitSeq(breaks.Replace(c.Heading), "\n") {
			most = max(most, len([]rune(line)))
		}
		for _, g := range t.Groups {
			for _, row := range g.Rows {
				most = max(most, len([]rune(unmarked.Replace(row.Cells[i+1]))))
			}
		}
		first -= most + blanksBetween
	}
	for i := range t.Groups {
		t.Groups[i].Title = Cut(t.Groups[i].Title, across)
		for j := range t.Groups[i].Rows {
			row := &t.Groups[i].Rows[j]
			row.Cells[0], row.Below = Cut(row.Cells[0], max(first, 8)), Cut(row.Below, across)
		}
	}
}

// wholeShare writes a share in whole per cent; only none is 0 %, and only all is 100 %.
func wholeShare(n, of int64) string {
	switch percent := 100 * float64(n) / float64(max(of, 1)); {
	case n > 0 && percent < 1:
		return "< 1 %"
	case n < of && percent > 99:
		return "> 99 %"
	default:
		return fmt.Sprintf("%.0f %%", percent)
	}
}

// identityOf says whether the clients that violated are verified.
func identityOf(c *crawler) string {
	all, verified := c.Verdicts[audit.Violation], violationsOf(c, audit.Verified).all
	switch {
	case verified == all:
		return "verified"
	case verified > 0:
		return "partly verified"
	case violationsOf(c, audit.Unverifiable).all == all:
		return "unverifiable"
	}
	return "unverified"
}

// maxWorstShown is the length of the paths of a violator: one row of the table has room for it.
const maxWorstShown = 54

// worst names the paths that a crawler requested most against robots.txt, on one line.
func worst(c *crawler) string {
	text := ""
	for _, p := range c.ViolationPaths.List {
		next := fmt.Sprintf("%s (%s)", Cut(p.Path, 34), english.Grouped(p.N))
		if text != "" {
			next = text + ", " + next
		}
		if len([]rune(next)) > maxWorstShown {
			break
		}
		text = next
	}
	if text == "" {
		return ""
	}
	return "  most often: " + text
}

// clean names the crawlers without a violation of whom something was judged, the most frequent first:
// nobody where the log contradicts the files, or they have no rule.
func (d doc) clean() []string {
	list := d.without(func(c *crawler) bool {
		return c.Verdicts[audit.Violation] > 0 ||
			c.Verdicts[audit.Allowed] == 0
	})
	if len(list) == 0 || d.condition() != "" || d.Policy.NoRule != "" {
		return nil
	}
	slices.SortStableFunc(list, func(x, y *crawler) int {
		return cmp.Or(fetchersLast(x, y), cmp.Compare(y.Requests, x.Requests))
	})
	text, names := "No violation: ", ""
	for i := range list {
		tail := ""
		if left := list[i+1:]; len(left) > 0 {
			tail = " and " + leftOut{}.addAll(left).text("crawler")
		}
		next := names + shortName(list[i])
		if names != "" && len([]rune(text+next+tail)) >= screenWidth {
			return []string{text + strings.TrimSuffix(names, ", ") + " and " +
				leftOut{}.addAll(list[i:]).text("crawler") + "."}
		}
		names = next + ", "
	}
	return []string{text + strings.TrimSuffix(names, ", ") + "."}
}

// notHeld says which requests are held against nobody, and why.
func (d doc) notHeld() []string {
	var parts []string
	for _, v := range verdictTerms {
		if n := d.Totals.Verdicts[v.verdict]; n > 0 && v.excuse != "" {
			number := english.Grouped(n)
			if parts == nil {
				number = english.Plural(n, "request")
			}
			parts = append(parts, number+" ("+v.excuse+")")
		}
	}
	if parts == nil {
		return nil
	}
	return []string{"Not held against anyone: " + english.List(parts) + "."}
}

// certainty says what the result rests on.
func (d doc) certainty() string {
	forbidden, verified := d.Totals.Verdicts[audit.Violation], int64(0)
	for _, c := range d.pointers() {
		verified += violationsOf(c, audit.Verified).all
	}
	text := fmt.Sprintf("How certain: verified clients made %s of the %s; ", english.Grouped(verified),
		english.Plural(forbidden, "forbidden request"))
	switch {
	case d.Totals.Identity[audit.Verified] == 0:
		text = "How certain: no client was verified; "
	case forbidden == 0:
		own := d.Totals.Requests - d.Totals.Verdicts[audit.Spoofed]
		text = fmt.Sprintf("How certain: verified clients made %s of the crawler requests; ",
			share(float64(d.Totals.Identity[audit.Verified])/float64(own)))
	}
	switch {
	case d.Policy.History == "constant":
		text += "the robots.txt given is taken as in force throughout"
	default:
		text += "a request counts only if every copy of robots.txt that its crawler may have used forbids it"
	}
	return text + "."
}

// advice says what the owner of the site or the log should mend, the most important first.
func (d doc) advice() block {
	var list []string
	add := func(holds bool, format string, args ...any) {
		if holds {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	undecided := func(why audit.Reason) int64 { return reasons[why].sum(d.pointers()) }
	t, unread := d.RobotsTxt, []string(nil)
	for _, in := range d.Inputs {
		if in.Error != "" && !in.Complete {
			text := in.Error
			if !strings.Contains(text, in.Name) {
				text = in.Name + ": " + text
			}
			unread = append(unread, text)
		}
	}
	names, answers := d.Refused()
	if len(unread) > 0 {
		add(true, "%s could not be read, or not to the end. The first: %s", english.Plural(int64(len(unread)), "log"),
			Cut(unread[0], 2*screenWidth))
	}
	unparsed := func(holds bool) {
		add(holds && d.Unparsed > 0, "%s could not be parsed (robotsieve formats --explain).",
			english.Plural(d.Unparsed, "line"))
	}
	unparsed(d.Partial)
	add(answers != "", "GETs of robots.txt as %s got %s: let crawlers fetch it.", english.List(names), answers)
	add(2*t.Differing > t.Sizes, "Most logged answers to /robots.txt do not have the size of the file given.")
	add(t.SizesMixed, "Answers to /robots.txt have different sizes in turn: the file may depend on who asks.")
	add(undecided(audit.NoHost) > 0, "The log names no host for %s: name the site with --host.",
		english.Plural(undecided(audit.NoHost), "request"))
	add(d.OtherHost > 0, "%s went to hosts without a robots.txt here: give theirs too (--policy).",
		english.Plural(d.OtherHost, "request"))
	add(d.Proxied, "The log has the addresses of a proxy: log those of clients, and see --client-ip.")
	add(!d.CanVerify && !d.Proxied && d.Totals.Identity[audit.Unverified] > 0,
		"No client can be verified: give address lists (robotsieve crawlers --lists).")
	add(d.IdentityNoList > 0 && 2*d.IdentityNoList > d.Totals.Requests,
		"The address lists are too old or too new for most requests.")
	add(undecided(audit.NoVersion) > 0, "For %s a robots.txt that is not known may count: add it to the policy.",
		english.Plural(undecided(audit.NoVersion), "request"))
	unparsed(!d.Partial)
	add(d.Policy.Notes > 0, "robots.txt has %s (robotsieve check --robots).",
		english.Plural(int64(d.Policy.Notes), "line")+" to look at")
	add(!t.Logged && d.Totals.Requests > 0, "The log has no request for robots.txt, "+
		"so it does not show who was sent it.")
	return block{Title: "What to fix:", List: list}
}
