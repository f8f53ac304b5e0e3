package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
)

// undeclared lists the clients that name no crawler and requested most of what robots.txt forbids to *, if
// that was asked for. No word of it accuses.
func (d doc) undeclared(most int) block {
	b := block{Heading: "Clients that name no crawler"}
	if d.Undeclared == nil {
		return b
	}
	n, onScreen := d.Undeclared.Requests, d.widest == screenWidth
	if n == 0 {
		b.Text = []string{"No request without a crawler's name was for a path forbidden to *."}
		return b
	}
	b.Title = fmt.Sprintf("%s without a crawler's name %s for paths forbidden to *, by %s. They are attributed to "+
		"nobody: a person who clicks is no crawler, and robots.txt is no rule for people.", english.Plural(n, "request"),
		english.Verb(n, "was", "were"), english.Plural(d.Undeclared.Clients, "client"))
	columns, room := []string{"last", "usual header"}, 38
	if !onScreen {
		columns, room = []string{"first", "last", "usual header", "usual rule"}, 48+max(d.widest-screenWidth, 0)
	}
	t := newTable(most, Left("address"), Right("requests", "for\u00adbidden", "headers"), Left(columns...))
	longest := 0
	for _, c := range d.Undeclared.List {
		longest = max(longest, len([]rune(c.Address)))
	}
	for _, c := range d.Undeclared.List {
		headers := english.Grouped(c.Headers)
		if !c.HeadersExact {
			headers = "> " + headers
		}
		header := []rune(cmp.Or(c.Header, "-"))
		if most := max(room-longest, 8); len(header) > most { // the end of a browser's header says more than its beginning
			header = append([]rune("…"), header[len(header)-most+1:]...)
		}
		cells := []string{timeAs(c.First, time.DateOnly), timeAs(c.Last, time.DateOnly), string(header),
			Cut(strings.TrimPrefix(c.Rule, "Disallow: "), room/3)}
		if onScreen {
			cells = cells[1:3]
		}
		t.add(nil, 1, append([]string{Cut(c.Address, maxFileShown), english.Grouped(c.Requests),
			english.Grouped(c.Forbidden), headers}, cells...)...)
	}
	if more := d.Undeclared.Clients - int64(t.rows); t.rows > 0 && more > 0 {
		t.More = "and " + english.Plural(more, "more client") + "."
	} else if t.rows == 0 {
		b.Text = []string{"The log has the addresses of a proxy, which do not tell clients from each other."}
	}
	b.Table = t
	return b
}
