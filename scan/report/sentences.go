package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
)

// Describe sets the assumptions and warnings of a report. All other fields must be set. The
// caller's assumptions come last, and the caller's warnings come first.
func (b *BasisInfo) Describe(r *Report, assumptions, warnings []string) {
	if r.WhatIf != nil {
		r.Assumptions = append(b.comparison(r), assumptions...)
		r.Warnings = slices.Concat([]string{}, warnings, cdnWarning(r), agentWarning(r), b.Oddities)
		return
	}
	if b.None {
		r.Assumptions = append(b.unjudged(r), assumptions...)
		r.Warnings = slices.Concat([]string{}, warnings, cdnWarning(r), agentWarning(r), impostorWarnings(r))
		return
	}
	r.Assumptions = append(b.assumptions(r), assumptions...)
	r.Warnings = slices.Concat(r.Warnings, warnings, cdnWarning(r), agentWarning(r), b.Oddities, refusalWarning(r),
		impostorWarnings(r), b.lastSeenWarning(r), b.sizeWarnings(r))
	if r.Warnings == nil {
		r.Warnings = []string{}
	}
}

// assumptions returns the basis of the verdicts, in sentences.
func (b *BasisInfo) assumptions(r *Report) []string {
	list := []string{b.historyText()}
	if b.AssumeConstant {
		text := "The first version of each origin is taken as in force before all time"
		if b.Observed {
			text += ", and the one seen last as in force ever since"
		}
		list = append(list, text+", as requested.")
	}
	list = append(list,
		fmt.Sprintf("A crawler may use a copy of robots.txt for %s after it was replaced (RFC 9309 2.4), "+
			"and longer by the version's max_age. A request may be served or logged up to %s later (option Delay), "+
			"and clocks may differ by %s (option Skew). A request counts as forbidden only if every copy that its crawler "+
			"may still have been using forbids it.",
			hoursText(r.Policy.WindowSeconds), hoursText(r.Policy.DelaySeconds), hoursText(r.Policy.SkewSeconds)),
		fetchesText(r))
	list = append(list, b.identityText(r)...)
	if d := r.Policy.Dialect; d != AutoDialect {
		list = append(list, fmt.Sprintf("All crawlers are judged by the dialect %s, as requested.", d))
	} else {
		list = append(list,
			"Crawlers of Google, and those known to read robots.txt as Google does, "+
				"are judged by Google's published parser. For all others it is not known which parser they use: "+
				"a rule counts only where Google's parser and RFC 9309 agree, "+
				"and where it does not matter whether another line between user-agent lines ends their list. "+
				"Where they differ the request is undecided, or the rule counts as new.")
	}
	list = append(list, b.boundsText(r)...)
	if len(r.NotAuditable) > 0 {
		list = append(list, strings.Join(r.NotAuditable,
			", ")+": robots.txt has rules for it, but it sends no header of its own, "+
			"so no log shows whether they are obeyed.")
	}
	if b.Sampled != "" {
		list = append(list, fmt.Sprintf("The logs were sampled, according to the user: %s. Counts cover only the sample. "+
			"Answers that are not in the sample may have told a crawler something else.", b.Sampled))
	}
	return list
}

// unjudged returns the basis of a report without a robots.txt, in sentences.
func (b *BasisInfo) unjudged(r *Report) []string {
	list := append([]string{"No robots.txt was given (option Robots, option Policy), " +
		"so this report does not judge whether requests were permitted."}, b.identityText(r)...)
	list = append(list, b.boundsText(r)...)
	if b.Sampled != "" {
		list = append(list, fmt.Sprintf("The logs were sampled, according to the user: %s. Counts cover only the sample.",
			b.Sampled))
	}
	return list
}

// boundsText describes the sites and the period of the counted requests.
func (b *BasisInfo) boundsText(r *Report) []string {
	list := []string{b.hostText(r)}
	if text := periodOf(r); text != "" {
		list = append(list, text)
	}
	return list
}

// hoursText writes a number of seconds in words.
func hoursText(seconds int64) string { return english.Hours(time.Duration(seconds) * time.Second) }

func (b *BasisInfo) historyText() string {
	file := b.File
	switch {
	case b.Constant:
		return fmt.Sprintf("%s is taken as in force throughout, before the first request and after the last. "+
			"If it has changed since, requests are judged by rules that their crawler could not know.", file)
	case b.Observed:
		text := fmt.Sprintf("The versions in %s have the times at which they were seen: "+
			"between two that differ both are taken as in force.", file)
		if !b.AssumeConstant {
			text += " Later than the window after the last one nothing is known."
		}
		return text
	default:
		return fmt.Sprintf("Each version in %s is in force from its time, midnight in UTC if only a day is given, "+
			"until the time of the next one.", file)
	}
}

// fetchesText explains what the log's own answers to /robots.txt imply.
func fetchesText(r *Report) string {
	if !r.RobotsTxt.Logged {
		return "No request for robots.txt is in these logs, by any client. Servers leave them out, CDNs answer them, " +
			"samples miss them. So this report does not say which crawlers fetched it, " +
			"and the answers that they got are not known."
	}
	return "Logged answers to /robots.txt count too. A crawler may have assumed that there is no robots.txt if a " +
		"crawler of its operator was answered so (4xx, 204, no body), if any client was answered 404 or 410 within " +
		"the window and not alone among clients that got the file, or if no client ever got a file. If a fetch by the " +
		"operator failed (5xx, no status), " +
		"or any client got a 5xx since the operator's last fetch, its crawlers may have used copies of up to 60 days " +
		"before. If a fetch got a file of another size than the version in force, " +
		"they may have used each version of that size, or, if no version has it, a file that is not known, " +
		"unless most files that others were sent have the size of no version either. " +
		"A request is informed if a GET under the same name, and of the same state of identity, " +
		"had been answered with rules that forbid it, or with 304 while they were in force."
}

func (b *BasisInfo) identityText(r *Report) []string {
	list := []string{"Any client can send any User-Agent: all counts are of requests by clients that identify " +
		"themselves as the crawler named."}
	if !r.CanVerify {
		return append(list, "No client was verified, because no addresses of crawlers were given.")
	}
	if len(b.Ranges) > 0 {
		var names []string
		for _, info := range b.Ranges {
			date := "undated"
			if !info.Created.IsZero() {
				date = info.Created.Format(time.DateOnly)
			}
			// One list may be for several crawlers.
			if name := fmt.Sprintf("%s (%s)", path.Base(info.File), date); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		list = append(list, fmt.Sprintf(
			"A client is verified if its address is in a list given for its crawler that was made within %s of the "+
				"request or has no date: %s. A client in none of them counts as an impostor only if each file given "+
				"for the crawler has a list with addresses of the same family (IPv4 or IPv6) that was made at most "+
				"one day before the request or at most 30 days after it.",
			english.Hours(b.RangesMaxAge), english.List(names)))
	}
	if r.IdentityNoList > 0 {
		list = append(list, fmt.Sprintf("No list was made near enough to %s of crawlers that have lists: "+
			"their clients are unverified.", english.Plural(r.IdentityNoList, "request")))
	}
	if b.Names != "" {
		list = append(list, fmt.Sprintf("A client is also verified if the name of its address in %s is confirmed and "+
			"the operator's.", b.Names))
	}
	if b.ClientIP != "addr" && b.ClientIP != "" {
		text := "The client's address is taken from X-Forwarded-For (" + b.ClientIP + ")"
		if len(b.TrustedProxies) > 0 {
			text += ", trusting " + strings.Join(b.TrustedProxies, ", ")
		}
		list = append(list, text+".")
	}
	return list
}

func (b *BasisInfo) hostText(r *Report) string {
	switch {
	case b.None && len(b.Hosts) > 0:
		return "Only requests to " + english.List(b.Hosts) + " are counted (option Hosts)."
	case b.None:
		return "Requests to all hosts of the logs are counted together (option Hosts names one)."
	case slices.ContainsFunc(r.Inputs, func(in InputInfo) bool { return in.Host != "" }):
		return "Only requests to " + english.List(b.Hosts) +
			" are judged. A log that names no hosts is taken as the log of the site that option Hosts gives it."
	case len(b.Hosts) == 1:
		return "Only requests to " + b.Hosts[0] + " are judged; a log that names no hosts is taken as the log of " +
			"this site."
	case len(b.Hosts) > 1:
		return "Only requests to " + english.List(b.Hosts) +
			" are judged; a log that names no hosts is taken as the log of one of them."
	case b.Constant:
		return "The logs name no hosts and option Hosts was not given: each line is taken as a request to the site of " +
			"robots.txt, unless its target names a host."
	default:
		return "Only requests to origins that have a version are judged."
	}
}

// periodOf describes the judged period, and the lines outside it.
func periodOf(r *Report) string {
	var bounds []string
	if !r.Since.IsZero() {
		bounds = append(bounds, "from "+r.Since.String()+" on")
	}
	if !r.Until.IsZero() {
		bounds = append(bounds, "before "+r.Until.String())
	}
	if bounds == nil {
		return ""
	}
	return fmt.Sprintf("Only requests %s are counted (option Since, option Until): "+
		"%s outside of this period %s left out. "+
		"Their answers to /robots.txt still count for what was sent under each name. "+
		"Requests whose time cannot be read are counted.",
		strings.Join(bounds, " and "), english.Plural(r.OutOfPeriod, "line"), english.Verb(r.OutOfPeriod, "is", "are"))
}

// cdnWarning warns that a CDN has replaced the User-Agent of many requests.
func cdnWarning(r *Report) []string {
	const manyPercent = 10
	if r.CDNAgents*100 < r.Lines*manyPercent || r.CDNAgents == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of %s %s the User-Agent of a CDN (such as Amazon CloudFront) instead of the "+
		"client's: no crawler can be seen in them. Have the CDN forward the header User-Agent to the server (in "+
		"CloudFront an origin request policy such as AllViewer or UserAgentRefererHeaders does that), "+
		"or audit the logs of the CDN itself.",
		english.Grouped(r.CDNAgents), english.Plural(r.Lines, "line"), english.Verb(r.CDNAgents, "has", "have"))}
}

// WithoutAgent returns a warning if nearly all lines lack a User-Agent; otherwise it returns "".
func (r *Report) WithoutAgent() string {
	const nearlyAllPercent = 90
	if r.NoAgent == 0 || r.NoAgent*100 < (r.Lines-r.Unparsed)*nearlyAllPercent {
		return ""
	}
	return fmt.Sprintf("%s of %s %s no User-Agent (\"-\"), so no crawler can be seen in them: have the server log the "+
		"header User-Agent.", english.Grouped(r.NoAgent), english.Plural(r.Lines, "line"),
		english.Verb(r.NoAgent, "has", "have"))
}

func agentWarning(r *Report) []string {
	if text := r.WithoutAgent(); text != "" {
		return []string{text}
	}
	return nil
}

// OtherSizes returns a warning if most logged answers to /robots.txt do not have the size of a file in force: it
// names their sizes and explains how to find out when each was sent. Otherwise it returns "".
func (r *Report) OtherSizes() string {
	const shown = 3
	t := &r.RobotsTxt
	if 2*t.Differing <= t.Sizes || r.Policy.None() {
		return ""
	}
	var files, sent []string
	for _, s := range t.Listed {
		for _, n := range s.Expected {
			if text := english.Grouped(n); len(files) < shown && !slices.Contains(files, text) {
				files = append(files, text)
			}
		}
	}
	list := t.OfAllSites()
	for _, s := range list[:min(len(list), shown)] {
		sent = append(sent, fmt.Sprintf("%s (%s)", english.Plural(s.Bytes, "byte"), english.Grouped(s.N)))
	}
	if len(list) > shown {
		sent = append(sent, english.Plural(int64(len(list)-shown), "other size"))
	}
	file := "of the file given"
	if r.Policy.History != Constant {
		file = "of the version in force"
	}
	if len(files) > 0 {
		file += " (" + strings.Join(files, ", ") + " bytes)"
	}
	cause := ""
	if r.Policy.Committed {
		cause = "The files come from a git repository; a build, a server or a CDN may have added lines to them. "
	}
	return fmt.Sprintf("Most logged answers to /robots.txt do not have the size %s: %s of %s %s %s. "+cause+
		"See what was sent when: robotsieve history log.", file, english.Grouped(t.Differing), english.Grouped(t.Sizes),
		english.Verb(t.Differing, "has", "have"), english.List(sent))
}

// OfAllSites adds up the entries of Listed over all sites, and returns them with the most frequent sizes first.
func (t *RobotsInfo) OfAllSites() (list []SizeInfo) {
	for _, s := range t.Listed {
		i := slices.IndexFunc(list, func(of SizeInfo) bool { return of.Bytes == s.Bytes })
		if i < 0 {
			list = append(list, s)
		} else {
			list[i].N += s.N
			if s.Last.After(list[i].Last.Time) {
				list[i].Last = s.Last
			}
		}
	}
	slices.SortStableFunc(list, func(x, y SizeInfo) int { return cmp.Compare(y.N, x.N) })
	return list
}

// sizeWarnings warn if the sizes of logged answers contradict the files or each other.
func (b *BasisInfo) sizeWarnings(r *Report) (list []string) {
	switch t := r.RobotsTxt; {
	case b.Constant && t.SizesChange:
		list = append(list, fmt.Sprintf("answers to /robots.txt have several sizes, "+
			"so %s was not what was sent throughout, or was not sent as it is (some servers compress it). "+
			"Requests may be judged by rules that were not in force.", b.File))
	case t.Differing > 0:
		list = append(list, fmt.Sprintf("%s of %s to /robots.txt with a file %s another size than the one given. "+
			"Perhaps a version is missing, a file is wrong, the log covers several hosts, "+
			"or the answer was rewritten or compressed on its way.",
			english.Grouped(t.Differing), english.Plural(t.Sizes, "logged answer"),
			english.Verb(t.Differing, "has", "have")))
	}
	if r.RobotsTxt.SizesMixed {
		list = append(list, "answers to /robots.txt had different sizes in turn, "+
			"so the file may depend on who asks (by name, header, place or server). "+
			"Then requests are judged by rules that their crawler may not have been sent.")
	}
	return list
}

// impostorWarnings warn that the log may have the addresses of a proxy instead of the
// clients', or truncated addresses.
func impostorWarnings(r *Report) (list []string) {
	const many = 10
	if r.Proxied {
		return []string{"nearly all requests came from a few addresses, or from a CDN's, " +
			"so these are the addresses of a proxy or CDN. No client is verified by them, " +
			"and none counts as an impostor. Have the server log the address of the client, " +
			"which the proxy sends in a header such as X-Forwarded-For, " +
			"and use option ClientIP to say where it is logged: option ClientIP xff with option TrustedProxies " +
			"and the addresses of the proxy, or option ClientIP xff:-1 if this proxy is the only one."}
	}
	var names []string
	for _, c := range r.Crawlers {
		if c.Verdicts[Spoofed] >= many && c.Verdicts[Spoofed] == c.Requests {
			names = append(names, c.Crawler)
		}
	}
	if len(names) > 0 {
		list = append(list, fmt.Sprintf(
			"no request under the name %s came from an address in the lists given for it. "+
				"If the log has the address of a proxy or CDN instead of the client's, "+
				"use option ClientIP to say where it is logged.",
			english.List(names)))
	}
	if !r.AddressesCut && len(r.Ranges) > 0 && r.AllRequests() >= many && r.EndInZero > r.AllRequests()/2 {
		list = append(list, fmt.Sprintf(
			"%s came from addresses that end in .0, as they do where a log cuts addresses. "+
				"Such addresses prove nothing, and a client counted as an impostor because of them may be the crawler.",
			english.Plural(r.EndInZero, "request")))
	}
	return list
}

// lastSeenWarning warns about requests that are judged by versions last seen long before.
func (b *BasisInfo) lastSeenWarning(r *Report) []string {
	if r.To.IsZero() {
		return nil
	}
	stale := int64(0)
	for _, from := range b.LastSeen {
		if r.To.Sub(time.Unix(0, from)) > time.Duration(r.Policy.WindowSeconds)*time.Second {
			stale++
		}
	}
	if stale == 0 {
		return nil
	}
	then := "Later requests are undecided, unless a known copy permits them."
	if b.AssumeConstant {
		then = "The version seen last is taken as in force until then, as requested."
	}
	return []string{fmt.Sprintf(
		"the robots.txt of %s of %s was last seen more than %s before the end of the log. %s",
		english.Grouped(stale), english.Plural(int64(len(b.LastSeen)), "origin"), hoursText(r.Policy.WindowSeconds), then)}
}

// refusalWarning lists the answers that told crawlers that there is no robots.txt although the
// files have one. It names no cause, because the log shows none.
func refusalWarning(r *Report) []string {
	names, statuses := r.Refused()
	if statuses == "" {
		return nil
	}
	text := fmt.Sprintf("GETs of /robots.txt under the %s %s were answered as if there were none, "+
		"although the files given have one: status %s. So these crawlers may have assumed that nothing is forbidden.",
		english.Verb(int64(len(names)), "name", "names"), english.List(names), statuses)
	if r.RobotsTxt.Served == 0 {
		text += fmt.Sprintf(" None of %s by any client was answered with a file.",
			english.Plural(r.RobotsTxt.Requests, "GET"))
	}
	return []string{text + " A firewall may answer 401 or 403; an empty file, or a connection that ended early, " +
		"is logged without a body; 404 to nearly all means that there was no file."}
}

// Refused returns the names of crawlers whose GETs of /robots.txt were answered as if there were none although the
// files have one, and a description of the answers. Both are empty if there were none.
func (r *Report) Refused() (names []string, statuses string) {
	var list []string
	for _, c := range r.Crawlers {
		if len(c.RobotsTxt.Cleared) > 0 {
			names = append(names, c.Crawler)
		}
	}
	for _, s := range r.RobotsTxt.ClearedBy {
		text := fmt.Sprint(s.Status)
		if s.Status/100 == 2 {
			text += " with no body logged"
		}
		list = append(list, fmt.Sprintf("%s (%s)", text, english.Grouped(s.N)))
	}
	return names, english.List(list)
}

// Challenged returns the names of crawlers whose GETs of /robots.txt got a challenge page, and the
// number of these answers.
func (r *Report) Challenged() (names []string, n int64) {
	for _, c := range r.Crawlers {
		if c.RobotsTxt.Challenges > 0 {
			names, n = append(names, c.Crawler), n+c.RobotsTxt.Challenges
		}
	}
	return names, n
}
