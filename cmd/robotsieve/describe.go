package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// describe adds to a report what it rests on, what there is to say of the inputs,
// and what its reader should know before believing a figure.
func (j *judge) describe(r *audit.Report, a about) {
	j.describePolicy(r)
	r.Inputs, r.Partial, r.Sampling = a.inputs, a.partial, printable(j.Sampled)
	r.Ranges = append(r.Ranges, j.Ranges...)
	r.Warnings = append(r.Warnings, a.warnings...)
	r.Warnings = append(r.Warnings, j.oddities()...)
	r.Warnings = append(r.Warnings, j.robotsWarnings(r)...)
	r.Assumptions = append(j.assumptions(r), a.notes...)
}

func (j *judge) describePolicy(r *audit.Report) {
	p := &r.Policy
	p.File, p.AssumeConstant, p.Dialect = printable(j.File), j.AssumeConstant, j.Dialect
	switch {
	case j.Constant:
		p.History = "constant"
		p.Bytes = int(j.config.Policy.Versions(0)[0].Size)
		p.Notes = len(j.config.Policy.Robots(0, 0, policy.ReadRFC9309).Notes)
	case j.Observed:
		p.History = "observed"
	default:
		p.History = "deployed"
	}
}

// assumptions are what the verdicts rest on.
func (j *judge) assumptions(r *audit.Report) []string {
	list := []string{j.historyText(r)}
	if j.AssumeConstant {
		list = append(list, "The first version of each origin is taken as in force before all time, as asked for.")
	}
	list = append(list, fmt.Sprintf(
		"A crawler may use a copy of robots.txt for %s after it was replaced (RFC 9309 2.4), and clocks may differ by 60 seconds: only what every copy forbids that it could lawfully hold is a violation.",
		hours(j.Window)))
	list = append(list, robotsText(r)...)
	list = append(list, j.identityText()...)
	if j.dialect != nil {
		list = append(list, fmt.Sprintf("All crawlers are judged by the dialect %s, as asked for.", j.dialect))
	} else {
		list = append(list,
			"Crawlers of Google, and those known to read robots.txt as Google does, are judged by Google's published parser. For all others, whose parsers nobody outside knows, a rule counts only where Google's parser and RFC 9309 agree; where they differ the request is indeterminate (contested) or in grace.")
	}
	list = append(list, j.hostText())
	if len(r.NotAuditable) > 0 {
		list = append(list, strings.Join(r.NotAuditable, ", ")+": robots.txt has rules for it, but it sends no header of its own, so no log shows whether they are obeyed.")
	}
	if j.Sampled != "" {
		list = append(list, fmt.Sprintf("The logs were sampled, as the user says: %s. Counts are of the sample, and what is not in it may have told a crawler otherwise.", printable(j.Sampled)))
	}
	return list
}

func (j *judge) historyText(r *audit.Report) string {
	file := printable(j.File)
	switch {
	case j.Constant:
		return fmt.Sprintf("%s is taken as in force throughout, before the first request and after the last. If it has changed since, requests are judged by rules that their crawler could not know.", file)
	case j.Observed:
		return fmt.Sprintf("The versions in %s have the times at which they were seen: between two that differ both are taken as in force, and the last one stays in force.", file)
	default:
		return fmt.Sprintf("Each version in %s is in force from its time until the next one's.", file)
	}
}

// robotsText says what is concluded from the log's own answers to /robots.txt.
func robotsText(r *audit.Report) []string {
	if !r.RobotsTxt.Logged {
		return []string{"Robots.txt requests are not logged: no client at all is seen to fetch it. Servers leave them out, CDNs answer them, samples miss them; so nothing is said of who fetched it, and what crawlers were told is not known."}
	}
	return []string{"A crawler may have acted on that there is no robots.txt where the log shows that one of its operator's was told so within the window: by 4xx, 204 or an empty body. Informed are requests of a crawler that had itself fetched rules which forbid them."}
}

// verifies tells whether there is anything to verify clients by.
func (j *judge) verifies() bool {
	return len(j.Ranges) > 0 || j.Names != "" || j.config.Addresses
}

func (j *judge) identityText() []string {
	list := []string{"Any client can send any User-Agent: all counts are of requests by clients identifying themselves as the crawler named."}
	if len(j.Ranges) == 0 && j.Names == "" {
		return append(list, "No addresses of crawlers were given, so nobody's identity is verified.")
	}
	if len(j.Ranges) > 0 {
		var names []string
		for _, info := range j.Ranges {
			names = append(names, fmt.Sprintf("%s (%s)", info.Crawler, cmp.Or(timeAs(info.Created, time.DateOnly), "undated")))
		}
		list = append(list, fmt.Sprintf(
			"Verified are clients whose address is in a list of the crawler's, of whatever date: %s. Who is in none is spoofed, but only where the lists are of within %s of the request, or undated and so taken as current.",
			listed(names), hours(j.RangesMaxAge)))
	}
	if j.Names != "" {
		list = append(list, fmt.Sprintf("Verified are also clients by the names in %s, where they were confirmed and are the operator's.", printable(j.Names)))
	}
	if j.ClientIP != "addr" {
		text := "The client's address is taken from X-Forwarded-For (" + j.ClientIP + ")"
		if len(j.TrustedProxies) > 0 {
			text += ", believing " + printable(strings.Join(j.TrustedProxies, ", "))
		}
		list = append(list, text+".")
	}
	return list
}

func (j *judge) hostText() string {
	switch {
	case len(j.Hosts) == 1:
		return "Only requests to " + j.Hosts[0] + " are judged; a log that names no hosts is taken as its."
	case len(j.Hosts) > 1:
		return "Only requests to " + listed(j.Hosts) + " are judged; a log that names no hosts is taken as of one of them."
	case j.Constant:
		return "The logs name no hosts and --host was not given: every line is taken as a request to the site of robots.txt."
	default:
		return "Only requests to origins that have a version are judged."
	}
}

// robotsWarnings are what the log itself says against the files given.
func (j *judge) robotsWarnings(r *audit.Report) (list []string) {
	list = append(list, refusals(r)...)
	list = append(list, j.undatedWarning(r)...)
	list = append(list, strangersWarning(r)...)
	list = append(list, j.lastSeenWarning(r)...)
	switch t := r.RobotsTxt; {
	case j.Constant && t.SizesChange:
		list = append(list, fmt.Sprintf("the sizes of answers to /robots.txt change over the log, so %s was not the same throughout, or not what was sent (some servers send it compressed). Requests may be judged by rules that were not there.", printable(j.File)))
	case t.Differing > 0:
		list = append(list, fmt.Sprintf("%s of %s of /robots.txt with status 200 %s another size than the file: a version is missing, a file is wrong, the log is of several hosts, or it was rewritten or compressed on its way.",
			grouped(t.Differing), plural(t.Sizes, "logged answer"), verb(t.Differing, "has", "have")))
	}
	return list
}

// times is a number of times.
func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return grouped(n) + " times"
}

// strangersWarning says so where it looks as if the log did not have the addresses of
// clients at all: those of a proxy, or with their ends cut off.
func strangersWarning(r *audit.Report) (list []string) {
	const many = 10
	var names []string
	for _, c := range r.Crawlers {
		if c.Verdicts.Spoofed >= many && c.Verdicts.Spoofed == c.Requests {
			names = append(names, c.Crawler)
		}
	}
	if len(names) > 0 {
		list = append(list, fmt.Sprintf(
			"not one request by the name of %s came from the crawler's addresses. If the log has the address of a proxy or CDN in place of the client's, say with --client-ip where that is.",
			listed(names)))
	}
	if len(r.Ranges) > 0 && r.Totals.Requests >= many && r.EndInZero > r.Totals.Requests/2 {
		list = append(list, fmt.Sprintf(
			"the addresses of %s end in .0, as those do of which the end was cut off: they prove nothing, and who is called spoofed by them may be the crawler.",
			plural(r.EndInZero, "request")))
	}
	return list
}

// undatedWarning says how many requests are called spoofed by lists that do not say
// of when they are.
func (j *judge) undatedWarning(r *audit.Report) []string {
	undated := map[string]bool{}
	for _, list := range j.Ranges {
		undated[list.Crawler] = undated[list.Crawler] || list.Created == ""
	}
	n := int64(0)
	for _, c := range r.Crawlers {
		if undated[c.Crawler] {
			n += c.Verdicts.Spoofed
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf(
		"%s %s called spoofed by lists of addresses without a date, which are taken as current. Where the lists are not of the time of the log, the crawlers themselves may be among them.",
		plural(n, "request"), were(n))}
}

// lastSeenWarning says so where requests are judged by what was seen long before.
func (j *judge) lastSeenWarning(r *audit.Report) []string {
	last, err := time.Parse(time.RFC3339, r.To)
	if !j.Observed || err != nil {
		return nil
	}
	seen := map[string]int64{}
	for _, row := range j.Rows {
		for _, o := range row.Origins {
			seen[o] = max(seen[o], row.From)
		}
	}
	stale := int64(0)
	for _, from := range seen {
		if last.Sub(time.Unix(0, from)) > j.Window {
			stale++
		}
	}
	if stale == 0 {
		return nil
	}
	return []string{fmt.Sprintf(
		"the robots.txt of %s of %s %s last seen more than %s before the end of the log. What was seen last is taken as in force until then.",
		grouped(stale), plural(int64(len(seen)), "origin"), were(stale), hours(j.Window))}
}

// refusals say which crawlers were told that there is no robots.txt where the files
// given say that there was one.
func refusals(r *audit.Report) (list []string) {
	const most = 10
	all, crawlers := int64(0), 0
	for _, c := range r.Crawlers {
		refused := int64(0)
		var statuses []string
		for _, s := range c.RobotsTxt.Refused {
			refused += s.N
			if s.Status/100 == 2 {
				statuses = append(statuses, fmt.Sprintf("an empty %d", s.Status))
			} else {
				statuses = append(statuses, fmt.Sprint(s.Status))
			}
		}
		if refused == 0 {
			continue
		}
		all += refused
		if crawlers++; crawlers <= most {
			list = append(list, fmt.Sprintf(
				"%s was answered %s to %s of its %s of /robots.txt while there was one: it was told that nothing is forbidden. Look for a firewall or bot protection in front of the site.",
				c.Crawler, strings.Join(statuses, ", "), grouped(refused), plural(c.RobotsTxt.Fetches, "GET")))
		}
	}
	switch {
	case crawlers > 0 && r.RobotsTxt.Served == 0:
		return []string{fmt.Sprintf(
			"no GET of /robots.txt in the log, of %s by any client, was answered with a file. Either the site had none, whatever the files given say, or a firewall or bot protection stands in front of it: crawlers were told %s that nothing is forbidden.",
			grouped(r.RobotsTxt.Requests), times(all))}
	case crawlers > most:
		list = append(list, fmt.Sprintf("so %s %s more.", were(int64(crawlers-most)), plural(int64(crawlers-most), "crawler")))
	}
	return list
}

// hours is a time in hours, or in days where it is whole days and many.
func hours(d time.Duration) string {
	if d%(24*time.Hour) == 0 && d > 48*time.Hour {
		return plural(int64(d/(24*time.Hour)), "day")
	}
	text := d.String()
	if d%time.Minute == 0 {
		text = strings.TrimSuffix(text, "0s")
	}
	if d%time.Hour == 0 {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
