package loginfo

import (
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/format"
)

// agentRemedy returns advice for logs of a format without User-Agent. HAProxy's captured headers have no
// names in the log.
func agentRemedy(f *format.Format) string {
	const advice = "have the server log it"
	switch f.Name()[strings.LastIndexByte(f.Name(), ':')+1:] {
	case "haproxy", "haproxy_clf":
		return advice + ", or, if it is one of the captured headers, name them in order, as in haproxy:host,user-agent"
	}
	return advice
}

// Missing says what an audit of logs of a format will lack, and how to fix that.
func Missing(f *format.Format) (list []string) {
	remedies := map[string]string{
		"User-Agent": "without it no line can name a crawler; " + agentRemedy(f),
		"time":       "without it no request can be judged; have the server log it",
		"client":     "without its address no crawler can be verified, and no impostor found",
		"host":       "all lines count as requests to one site, which option Hosts names",
		"status":     "without it the answers to /robots.txt are not known",
		"size":       "without it an answer to /robots.txt may have had no body",
	}
	for _, what := range f.Lacks() {
		list = append(list, what+": "+remedies[what])
	}
	if f.Sampled() {
		list = append(list, "some requests: such logs may leave them out by design, so counts are lower bounds; say how "+
			"they were sampled with option Sampled")
	}
	return list
}

// Lacks warns of what an audit needs and the format of a log lacks. knowsSite means that the requests name
// hosts, or that the log's site is named.
func Lacks(f *format.Format, knowsSite bool) (warnings []string) {
	if !f.HasAgent() {
		warnings = append(warnings, "the format "+f.Name()+" has no User-Agent, so no line of it can name a crawler: "+
			agentRemedy(f))
	}
	if !f.HasTime() {
		warnings = append(warnings, "the format "+f.Name()+" has no time, so no request of it can be judged: it is "+
			"not known which robots.txt was in force")
	}
	if !knowsSite {
		warnings = append(warnings, "the format "+f.Name()+" names no host, so it is not known which robots.txt its "+
			"requests are bound by: name the site with option Hosts")
	}
	if f.Sampled() {
		warnings = append(warnings, "logs of the format "+f.Name()+" may lack requests by design, such as those that "+
			"were not sampled: counts cover what was logged, and answers to /robots.txt that are missing may have told a "+
			"crawler something else")
	}
	return append(warnings, f.Doubts()...)
}

// Notes say which zone is assumed for the times of a log of a format, if they name none, and how its paths differ from
// those that clients sent. given means that an option named the zone.
func (s *Facts) Notes(f *format.Format, zone *time.Location, given bool) (notes []string) {
	if s.Zoneless {
		notes = append(notes, zoneless(f, zone, given))
	}
	switch s.Loss {
	case format.Decoded:
		notes = append(notes, "Logs of the format "+f.Name()+" have paths without their percent-encoding. A request is "+
			"undecided (lossy_path) if robots.txt judges differently the ways in which its path may have been encoded. An "+
			"encoded slash is taken as a slash.")
	case format.Rewritten:
		notes = append(notes, "Logs of the format "+f.Name()+" have paths that the server may have made of those sent: a "+
			"request is undecided (lossy_path) if robots.txt does not judge all paths alike.")
	}
	return notes
}

func zoneless(f *format.Format, zone *time.Location, given bool) string {
	text, name := "The times in logs of the format "+f.Name()+" name no zone: they are taken to be in ", zone.String()
	switch {
	case !given:
		return text + "UTC, and may be wrong by 14 h (option TimeZone)."
	case zone == time.Local:
		name = "the zone of the machine that read them"
	case name == "":
		name = time.Time{}.In(zone).Format("-07:00")
	}
	return text + name + ", as requested."
}
