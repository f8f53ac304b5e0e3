package page

import (
	"regexp"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// dateForms are the accepted forms of dates, ignoring case. Google's documentation asks for "a
// widely adopted format including, but not limited to" RFC 822, RFC 850 and ISO 8601, with the
// example 25 Jun 2010 15:00:00 PST. RFC 9110 adds asctime.
var dateForms = [...]func() *regexp.Regexp{
	lazy.Regexp(`(?i)^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[\s,]*)?` +
		`(?P<day>\d\d?)[\s-]+(?P<month>[a-z]{3})[\s-]+(?P<year>\d\d(?:\d\d)?)\b` +
		`(?:\s+(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d))?` +
		`(?:\s*(?P<zone>ut|utc|gmt|z|[ecmp][sd]t|[+-]\d{4}|[ap]m)\b)?)?`),
	lazy.Regexp(`(?i)^[a-z]{3}\s+(?P<month>[a-z]{3})\s+(?P<day>\d\d?)\s+` +
		`(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)\s+(?P<year>\d{4})\b`),
	lazy.Regexp(`(?i)^(?P<year>\d{4})-?(?P<month>\d\d)-?(?P<day>\d\d)` +
		`(?:(?:t|\s+)(?P<hour>\d\d):?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:\.\d+)?)?` +
		`(?:\s*(?P<zone>utc|gmt|z|[+-]\d\d(?::?\d\d)?))?)?\b`),
}

// zones are the named zones (RFC 822, section 5.1). AM and PM aren't supported.
var zones = map[string]string{
	"ut": "+0000", "utc": "+0000", "gmt": "+0000", "z": "+0000",
	"est": "-0500", "edt": "-0400", "cst": "-0600", "cdt": "-0500",
	"mst": "-0700", "mdt": "-0600", "pst": "-0800", "pdt": "-0700",
}

// cutDate parses the date at the beginning of text and returns its length, or 0 if there is none. A
// date without a time means midnight, and one without a zone is in UTC.
func cutDate(text []byte) (t time.Time, n int) {
	for _, form := range dateForms {
		field := form().FindSubmatch(text)
		if field == nil {
			continue
		}
		named := func(name, absent string) string {
			if i := form().SubexpIndex(name); i >= 0 && len(field[i]) > 0 {
				return strings.ToLower(string(field[i]))
			}
			return absent
		}
		zone := named("zone", "z")
		if isLetter(zone[0]) {
			zone = zones[zone]
		}
		zone = (strings.ReplaceAll(zone, ":", "") + "00000")[:5]
		date := named("year", "") + " " + named("month", "") + " " + named("day", "")
		clock := " " + named("hour", "0") + ":" + named("minute", "0") + ":" + named("second", "0") + " "
		for _, layout := range []string{"2006 Jan 2", "06 Jan 2", "2006 1 2"} {
			if t, err := time.Parse(layout+" 15:4:5 -0700", date+clock+zone); err == nil {
				return t.UTC(), len(field[0])
			}
		}
	}
	return time.Time{}, 0
}
