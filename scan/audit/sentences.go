package audit

import (
	"fmt"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
)

// describe adds the assumptions and warnings to a report.
func (a *Auditor) describe(r *Report, in Inputs) {
	b := a.config.Basis
	r.Assumptions = append(a.assumptions(r), in.Notes...)
	for _, list := range [][]string{
		in.Warnings, b.Oddities, refusalWarnings(r), impostorWarnings(r), a.lastSeenWarning(r), b.sizeWarning(r),
	} {
		r.Warnings = append(r.Warnings, list...)
	}
	if r.Warnings == nil {
		r.Warnings = []string{}
	}
}

// assumptions returns the basis of the verdicts, in sentences.
func (a *Auditor) assumptions(r *Report) []string {
	b := a.config.Basis
	list := []string{b.historyText()}
	if b.AssumeConstant {
		list = append(list, "The first version of each origin is taken as in force before all time, as requested.")
	}
	list = append(list,
		fmt.Sprintf("A crawler may use a copy of robots.txt for %s after it was replaced (RFC 9309 2.4), and clocks may differ by 60 seconds. A request is a violation only if every copy that its crawler could lawfully hold forbids it.",
			english.Hours(a.config.Policy.Window())),
		fetchesText(r))
	list = append(list, b.identityText(r)...)
	if d := a.config.Dialect; d != nil {
		list = append(list, fmt.Sprintf("All crawlers are judged by the dialect %s, as requested.", d))
	} else {
		list = append(list,
			"Crawlers of Google, and those known to read robots.txt as Google does, are judged by Google's published parser. For all others it is not known which parser they use: a rule counts only where Google's parser and RFC 9309 agree; where they differ the request is indeterminate (contested) or in grace.")
	}
	list = append(list, b.hostText())
	if len(r.NotAuditable) > 0 {
		list = append(list, strings.Join(r.NotAuditable, ", ")+": robots.txt has rules for it, but it sends no header of its own, so no log shows whether they are obeyed.")
	}
	if b.Sampled != "" {
		list = append(list, fmt.Sprintf("The logs were sampled, according to the user: %s. Counts are of the sample. Answers that are not in the sample may have told a crawler something else.", Printable(b.Sampled)))
	}
	return list
}

func (b *Basis) historyText() string {
	file := Printable(b.File)
	switch {
	case b.Constant:
		return fmt.Sprintf("%s is taken as in force throughout, before the first request and after the last. If it has changed since, requests are judged by rules that their crawler could not know.", file)
	case b.Observed:
		return fmt.Sprintf("The versions in %s have the times at which they were seen: between two that differ both are taken as in force, and the last one stays in force.", file)
	default:
		return fmt.Sprintf("Each version in %s is in force from its time until the time of the next one.", file)
	}
}

// fetchesText says what follows from the log's own answers to /robots.txt.
func fetchesText(r *Report) string {
	if !r.RobotsTxt.Logged {
		return "Robots.txt requests are not logged: no client at all is seen to fetch it. Servers leave them out, CDNs answer them, samples miss them. So this report does not say which crawlers fetched it, and the answers that they got are not known."
	}
	return "A crawler may have assumed that there was no robots.txt if the log shows, within the window, that a crawler of its operator was told so: by 4xx, 204 or an empty body. A request is informed if its crawler had itself fetched rules that forbid it."
}

func (b *Basis) identityText(r *Report) []string {
	list := []string{"Any client can send any User-Agent: all counts are of requests by clients that identify themselves as the crawler named."}
	if !r.CanVerify {
		return append(list, "No client was verified, because no addresses of crawlers were given.")
	}
	if len(b.Ranges) > 0 {
		var names []string
		for _, info := range b.Ranges {
			date := "undated"
			if at, err := time.Parse(time.RFC3339, info.Created); err == nil {
				date = at.Format(time.DateOnly)
			}
			names = append(names, fmt.Sprintf("%s (%s)", info.Crawler, date))
		}
		list = append(list, fmt.Sprintf(
			"A client is verified if its address is in a list of its crawler that was made within %s of the request or has no date: %s. A client in none of them counts as an impostor (spoofed) only if the crawler's lists have addresses of the same family (IPv4 or IPv6) and were made at most one day before the request or at most 30 days after it.",
			english.Hours(b.RangesMaxAge), english.List(names)))
	}
	if b.Names != "" {
		list = append(list, fmt.Sprintf("A client is also verified if the name of its address in %s is confirmed and the operator's.", Printable(b.Names)))
	}
	if b.ClientIP != "addr" && b.ClientIP != "" {
		text := "The client's address is taken from X-Forwarded-For (" + b.ClientIP + ")"
		if len(b.TrustedProxies) > 0 {
			text += ", trusting " + Printable(strings.Join(b.TrustedProxies, ", "))
		}
		list = append(list, text+".")
	}
	return list
}

func (b *Basis) hostText() string {
	switch {
	case len(b.Hosts) == 1:
		return "Only requests to " + b.Hosts[0] + " are judged; a log that names no hosts is taken as the log of this site."
	case len(b.Hosts) > 1:
		return "Only requests to " + english.List(b.Hosts) + " are judged; a log that names no hosts is taken as the log of one of them."
	case b.Constant:
		return "The logs name no hosts and --host was not given: every line is taken as a request to the site of robots.txt."
	default:
		return "Only requests to origins that have a version are judged."
	}
}

// sizeWarning says that the sizes of logged answers contradict the files.
func (b *Basis) sizeWarning(r *Report) []string {
	switch t := r.RobotsTxt; {
	case b.Constant && t.SizesChange:
		return []string{fmt.Sprintf("the sizes of answers to /robots.txt change over the log, so %s was not the same throughout, or was not sent as it is (some servers compress it). Requests may be judged by rules that were not in force.", Printable(b.File))}
	case t.Differing > 0:
		return []string{fmt.Sprintf("%s of %s of /robots.txt with status 200 %s another size than the file: a version is missing, a file is wrong, the log is of several hosts, or the answer was rewritten or compressed on its way.",
			english.Grouped(t.Differing), english.Plural(t.Sizes, "logged answer"), english.Verb(t.Differing, "has", "have"))}
	}
	return nil
}

// impostorWarnings say that the log may have the addresses of a proxy instead of the
// clients', or addresses whose ends were cut off.
func impostorWarnings(r *Report) (list []string) {
	const many = 10
	var names []string
	for _, c := range r.Crawlers {
		if c.Verdicts[Spoofed] >= many && c.Verdicts[Spoofed] == c.Requests {
			names = append(names, c.Crawler)
		}
	}
	if len(names) > 0 {
		list = append(list, fmt.Sprintf(
			"no request under the name %s came from an address in the crawler's lists. If the log has the address of a proxy or CDN instead of the client's, use --client-ip to say where it is logged.",
			english.List(names)))
	}
	if len(r.Ranges) > 0 && r.Totals.Requests >= many && r.EndInZero > r.Totals.Requests/2 {
		list = append(list, fmt.Sprintf(
			"%s came from addresses that end in .0, as they do where a log cuts addresses. Such addresses prove nothing, and a client counted as spoofed because of them may be the crawler.",
			english.Plural(r.EndInZero, "request")))
	}
	return list
}

// lastSeenWarning says that requests are judged by versions last seen long before.
func (a *Auditor) lastSeenWarning(r *Report) []string {
	b, window := a.config.Basis, a.config.Policy.Window()
	last, err := time.Parse(time.RFC3339, r.To)
	if err != nil {
		return nil
	}
	stale := int64(0)
	for _, from := range b.LastSeen {
		if last.Sub(time.Unix(0, from)) > window {
			stale++
		}
	}
	if stale == 0 {
		return nil
	}
	return []string{fmt.Sprintf(
		"the robots.txt of %s of %s %s last seen more than %s before the end of the log. The version seen last is taken as in force until then.",
		english.Grouped(stale), english.Plural(int64(len(b.LastSeen)), "origin"), english.Verb(stale, "was", "were"), english.Hours(window))}
}

// refusalWarnings say which crawlers were told that there is no robots.txt while there
// was one, according to the files.
func refusalWarnings(r *Report) (list []string) {
	const most = 10
	all, crawlers := int64(0), int64(0)
	for _, c := range r.Crawlers {
		refused := int64(0)
		var statuses []string
		for _, s := range c.RobotsTxt.Refused {
			refused += s.N
			text := fmt.Sprint(s.Status)
			if s.Status/100 == 2 {
				text = "an empty " + text
			}
			statuses = append(statuses, text)
		}
		if refused == 0 {
			continue
		}
		all += refused
		if crawlers++; crawlers <= most {
			list = append(list, fmt.Sprintf(
				"%s was answered %s to %s of its %s of /robots.txt while there was one: it was told that nothing is forbidden. Look for a firewall or bot protection in front of the site.",
				c.Crawler, strings.Join(statuses, ", "), english.Grouped(refused), english.Plural(c.RobotsTxt.Fetches, "GET")))
		}
	}
	switch {
	case crawlers > 0 && r.RobotsTxt.Served == 0:
		times := "once"
		if all != 1 {
			times = english.Grouped(all) + " times"
		}
		return []string{fmt.Sprintf(
			"no GET of /robots.txt in the log, of %s by any client, was answered with a file. Either the site had none, in contradiction to the files given, or a firewall or bot protection stands in front of it: crawlers were told %s that nothing is forbidden.",
			english.Grouped(r.RobotsTxt.Requests), times)}
	case crawlers > most:
		list = append(list, fmt.Sprintf("so %s %s.", english.Verb(crawlers-most, "was", "were"), english.Plural(crawlers-most, "more crawler")))
	}
	return list
}
