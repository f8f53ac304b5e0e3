package render

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

func (d doc) scope() string {
	text := "Audited: "
	if d.Policy.None() {
		text = "Read: "
	}
	if origins := d.Policy.Origins; len(origins) > 0 {
		text += sitesText(origins) + ", "
	}
	if !d.From.IsZero() {
		text += days(d.From, d.To)
		if d.TimeZone != "" {
			text += " (" + d.TimeZone + ")"
		}
		text += ", "
	}
	text += english.Plural(d.Lines, "line")
	switch {
	case d.WhatIf != nil:
		return text + "."
	case d.Policy.None():
	case d.Policy.History == report.Constant:
		text += ", by " + path.Base(d.Policy.File)
	default:
		text += ", by " + english.Plural(int64(len(d.Policy.Versions)), "version") + " of robots.txt"
	}
	return strings.Join(append([]string{text + "."}, d.portion()...), " ")
}

// sitesText names the only site, or the only host if it has both schemes. It counts others.
func sitesText(origins []string) string {
	host, isPlain := strings.CutPrefix(origins[0], "http://")
	switch {
	case len(origins) == 1:
		return origins[0]
	case len(origins) == 2 && isPlain && origins[1] == "https://"+host:
		return host + " (http and https)"
	}
	return english.Plural(int64(len(origins)), "site")
}

// portion compares the traffic of AI crawlers, or of the chosen ones, with all traffic.
func (d doc) portion() []string {
	if d.AllRequests() == 0 {
		return nil
	}
	who, ai := "AI crawlers", d.Totals.AI
	if !d.Choice.IsAll() {
		who = "Only " + Cut(d.Choice.String(), maxRuleShown)
		ai.Requests, ai.Bytes = d.Totals.Requests-d.Totals.Verdicts[report.Spoofed], d.Totals.Bytes
	}
	all := d.Lines - d.Unparsed - d.NoRequest
	text := fmt.Sprintf("%s: %s of %s", who, someOrNone(ai.Requests), english.Plural(all, "request"))
	if ai.Requests > 0 {
		text += " (" + share(float64(ai.Requests)/float64(all)) + ")"
		if d.AllBytes > 0 {
			text += fmt.Sprintf(", %s of %s", size(ai.Bytes), size(d.AllBytes))
		}
	}
	if n := d.Choice.Others; n > 0 {
		text += fmt.Sprintf("; %s made %s", english.Plural(n, "other crawler"), english.Grouped(d.Choice.Requests))
	}
	if n := violationBytes.sum(d.without(isFetcher)); n > 0 { // as in the headline
		text += ". Forbidden requests got " + size(n)
	}
	return []string{text + "."}
}

// totals are the figures at the top of the page, which match the headline.
func (d doc) totals() (list []fact) {
	crawlers, names, made := d.without(isFetcher), int64(0), int64(0)
	if d.Policy.None() {
		crawlers = d.pointers()
	}
	for _, c := range crawlers {
		names, made = names+crawlersIn(c), made+own(c)
	}
	for _, f := range []struct {
		name  string
		n     int64
		write func(int64) string
	}{
		{"forbidden", verdicts[report.Violation].sum(crawlers), english.Grouped},
		{"of them answered with content", outcomes[report.Content].sum(crawlers), english.Grouped},
		{"sent in answer to them", violationBytes.sum(crawlers), size},
		{"requests by crawlers", made, english.Grouped},
		{"of them by verified clients", verified.sum(crawlers), english.Grouped},
		{"sent to crawlers", bytesSent.sum(crawlers), size},
		{english.Verb(names, "crawler", "crawlers"), names, english.Grouped},
		{"requests by impostors", d.Totals.Verdicts[report.Spoofed], english.Grouped},
		{"requests by fetchers", d.Totals.Requests - d.Totals.Verdicts[report.Spoofed] - made, english.Grouped},
	} {
		text := f.write(f.n)
		if f.name == "forbidden" && f.n > 0 {
			text = alarm(text)
		}
		if f.n > 0 || f.name == "forbidden" && !d.Policy.None() {
			list = append(list, fact{f.name, text})
		}
	}
	return list
}

func (d doc) clean(lines int) []string {
	text, _ := d.cleanNamed(lines)
	return text
}

// cleanNamed names the judged crawlers without a violation in a number of lines, the most frequent or else
// AI crawlers first, unless the log contradicts the files or they have no rules. named are those named.
func (d doc) cleanNamed(lines int) (text []string, named []*crawler) {
	list := d.without(func(c *crawler) bool {
		return c.Verdicts[report.Violation] > 0 ||
			c.Verdicts[report.Allowed] == 0
	})
	if len(list) == 0 || lines == 0 || d.condition() != "" || d.Policy.NoRule != "" {
		return nil, nil
	}
	slices.SortStableFunc(list, func(x, y *crawler) int {
		return cmp.Or(fetchersLast(x, y), cmp.Compare(y.Requests, x.Requests))
	})
	sentence, n := nameList("No violation: ", list, lines)
	if n < len(list) {
		later := map[bool]int{false: 1}
		slices.SortStableFunc(list, func(x, y *crawler) int { return cmp.Compare(later[isAI(x)], later[isAI(y)]) })
		sentence, n = nameList("No violation: ", list, lines)
	}
	return []string{sentence}, list[:n]
}

// nameList appends names to a text within a number of lines, and returns how many: at least one.
func nameList(text string, list []*crawler, lines int) (string, int) {
	names := ""
	for i := range list {
		tail := ""
		if left := list[i+1:]; len(left) > 0 {
			tail = " and " + leftOut{}.addAll(left).text("crawler")
		}
		next := names + shortName(list[i])
		if names != "" && len([]rune(text+next+tail)) >= lines*screenWidth-(lines-1)*maxNameShown {
			return text + strings.TrimSuffix(names, ", ") + " and " + leftOut{}.addAll(list[i:]).text("crawler") + ".", i
		}
		names = next + ", "
	}
	return text + strings.TrimSuffix(names, ", ") + ".", len(list)
}

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

// certainty describes the basis of the result, if there is a result.
func (d doc) certainty() []string {
	if d.Totals.Requests == 0 {
		return nil
	}
	forbidden, verified := d.Totals.Verdicts[report.Violation], int64(0)
	for _, c := range d.pointers() {
		verified += violationsOf(c, report.Verified).all
	}
	text := fmt.Sprintf("How certain: verified clients made %s of the %s; ", english.Grouped(verified),
		english.Plural(forbidden, "forbidden request"))
	switch {
	case d.Totals.Identity[report.Verified] == 0:
		text = "How certain: no client was verified; "
	case forbidden == 0:
		own := d.Totals.Requests - d.Totals.Verdicts[report.Spoofed]
		text = fmt.Sprintf("How certain: verified clients made %s of the crawler requests; ",
			share(float64(d.Totals.Identity[report.Verified])/float64(own)))
	}
	switch {
	case d.Policy.History == report.Constant:
		text += "the robots.txt given is taken as in force throughout"
	default:
		text += "a request counts only if every copy of robots.txt its crawler may have used forbids it"
	}
	return []string{text + "."}
}

// advice lists what the owner of the site or the log should fix, the most important first.
func (d doc) advice() block {
	var list []string
	add := func(holds bool, format string, args ...any) {
		if holds {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	undecided := func(why report.Reason) int64 { return reasons[why].sum(d.pointers()) }
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
	clients := d.Clients()
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
	challenged, n := d.Challenged()
	add(n > 0, "GETs of robots.txt as %s got 202 (%s), a challenge page: let crawlers fetch it.",
		english.List(challenged), english.Grouped(n))
	add(t.ClearedByStrangers > 0, "%s", strangersText(&t))
	sizes := d.OtherSizes()
	add(sizes != "", "%s", sizes)
	add(t.SizesMixed, "Answers to /robots.txt have different sizes in turn: the file may depend on who asks.")
	remedy := ": name the site with --host"
	if n := &d.Totals.Verdicts; d.OtherHost+n[report.Allowed]+n[report.Violation]+n[report.Grace] > 0 {
		remedy = ", though it does for others: put the lines without one into a log of their own (--host SITE=FILE)"
	}
	add(undecided(report.NoHost) > 0, "The log names no host for %s%s.",
		english.Plural(undecided(report.NoHost), "request"), remedy)
	others := english.Plural(d.OtherHost, "request")
	only := d.schemeOnly()
	add(only, "%s went to %s: the robots.txt is for the other scheme. If a proxy takes TLS off, name the site without "+
		"a scheme (--host, or in the manifest).", others, d.elsewhere())
	add(d.OtherHost > 0 && d.WhatIf == nil && !only && !d.Policy.None(), "%s went to hosts without a robots.txt here "+
		"(%s): give theirs too (--policy).", others, d.elsewhere())
	add(undecided(report.UnknownScheme) > 0 && d.WhatIf == nil, "The log does not show whether %s used http or https: if "+
		"both have the same robots.txt, name the site without a scheme (--host, or in the manifest).",
		english.Plural(undecided(report.UnknownScheme), "request"))
	nameless := d.WithoutAgent()
	add(nameless != "", "%s", nameless)
	add(d.Proxied, "The log has the addresses of a proxy: log the clients' addresses, and see --client-ip.")
	add(d.AddressesCut && !d.Proxied,
		"The log's addresses are cut (they end in .0): log whole addresses to verify clients.")
	add(!d.Proxied && clients != report.ByAddress, "%s", clientsTexts[clients])
	add(!d.CanVerify && !d.Proxied && clients == report.ByAddress && d.Totals.Identity[report.Unverified] > 0,
		"No client can be verified: give address lists (robotsieve crawlers --lists).")
	listed := d.Totals.Identity[report.Verified] + d.Totals.Verdicts[report.Spoofed]
	add(d.IdentityNoList > listed, "The address lists are too old or too new for %s: give nearer ones, or see "+
		"--ranges-max-age.", english.Plural(d.IdentityNoList, "request"))
	add(undecided(report.NoVersion) > 0, "For %s a robots.txt that is not known may count: add it to the policy.",
		english.Plural(undecided(report.NoVersion), "request"))
	unparsed(!d.Partial)
	add(d.Policy.Notes > 0, "robots.txt has %s (robotsieve check --robots).",
		english.Plural(int64(d.Policy.Notes), "line")+" to look at")
	add(!t.Logged && d.Totals.Requests > 0, "The log has no request for robots.txt, "+
		"so it does not show who was sent it.")
	return block{Title: "What to fix:", List: list}
}

// clientsTexts describe what a log has instead of the addresses of clients, and how to fix it.
var clientsTexts = map[report.ClientsBy]string{
	report.ByName: "The log has host names in place of addresses, and these verify nobody: log addresses (Apache: " +
		"HostnameLookups Off).",
	report.ByProxy: "All clients have one address, or a few private ones, as behind a proxy or in a container: log the " +
		"client's address (nginx: real_ip_header, Apache: mod_remoteip).",
	report.ByForwarded: "The clients' addresses are in X-Forwarded-For, and the log's own are a proxy's: give " +
		"--client-ip xff and --trusted-proxies.",
}

// strangersText describes answers to clients that name no crawler, and how many requests they clear.
func strangersText(t *report.RobotsInfo) string {
	var statuses []string
	n := int64(0)
	for _, s := range t.Strangers {
		statuses, n = append(statuses, fmt.Sprint(s.Status)), n+s.N
	}
	return fmt.Sprintf("%s of robots.txt by clients that name no crawler got %s: %s %s. "+
		"If %s asked for another host, leave %s out of the log.", english.Plural(n, "GET"), strings.Join(statuses, " or "),
		english.Verb(n, "it clears", "they clear"), english.Plural(t.ClearedByStrangers, "request"),
		english.Verb(n, "it", "these"), english.Verb(n, "it", "them"))
}

// elsewhere names the hosts without a policy that got most requests.
func (d doc) elsewhere() string {
	const shown = 3
	var names []string
	for _, h := range d.OtherHosts[:min(len(d.OtherHosts), shown)] {
		names = append(names, Cut(h.Host, 2*maxNameShown))
	}
	text := strings.Join(names, ", ")
	if len(d.OtherHosts) > shown || d.OtherHostsNotListed > 0 {
		text += " and others"
	}
	return text
}

// schemeOnly reports whether all hosts have a policy under the other scheme, as behind a proxy with TLS.
func (d doc) schemeOnly() bool {
	hasNone := func(h report.HostInfo) bool {
		scheme, host, _ := strings.Cut(h.Host, "://")
		other := map[string]string{"http": "https://", "https": "http://"}[scheme]
		return other == "" || !slices.Contains(d.Policy.Origins, other+host)
	}
	return len(d.OtherHosts) > 0 && d.OtherHostsNotListed == 0 && !slices.ContainsFunc(d.OtherHosts, hasNone)
}
