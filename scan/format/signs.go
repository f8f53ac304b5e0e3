package format

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/sniff"
)

// headless is a line of W3C's extended format, with the method in any column.
var headless = lazy.Regexp(`^\d{4}-\d\d-\d\d[ \t]\d\d:\d\d:\d\d[ \t](\S*[ \t])*(GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|PROPFIND|CONNECT|TRACE)[ \t](\S*[ \t])*/`)

// headlessCloudFront is such a line with one of CloudFront's edge locations in it.
var headlessCloudFront = lazy.Regexp(`^\S+\t\S+\t[A-Z]{3}\d+(-[A-Z]\d+)?\t`)

// named returns an error that says what the log is, nil if nothing tells.
func (d *detection) named() error {
	if what := sniff.Beginning(d.head); what != "" {
		return is(what)
	}
	few := pick(d.lines, spread(len(d.lines), fewLines))
	chains := envelopesAround(few)
	for _, around := range chains {
		inner := unwrapAll(around, few)
		if what := sniff.Lines(inner); what != "" {
			return is(what + inEnvelopes(around))
		}
		if sniff.Most(inner, headless().Match) && len(around) == 0 {
			writer := "a W3C log, such as IIS writes"
			if sniff.Most(inner, headlessCloudFront().Match) {
				writer = "a log of Amazon CloudFront"
			}
			return fmt.Errorf("this is %s, but %w, so it is not known which column is which: copy that line from an older log, and give it as option Format '#Fields: date time …'", writer, ErrNoHeader)
		}
		if month := foreignMonth(inner); month != "" {
			return fmt.Errorf("the month %q in its times is not English, as the format of access logs has it; the first line is %s. Replace it, as in: sed 's,/%s/,/%s/,' FILE", month, quote(d.lines[0]), month, "Nov")
		}
		if sniff.Most(inner, hasInvalidRequest) && len(d.readings) == 0 {
			return fmt.Errorf("this is like an access log, but its requests have no method and target; the first line is %s",
				quote(d.lines[0]))
		}
		if hasMember(chains, around) {
			continue // the lines are in the objects
		}
		if err := jsonSign(inner); err != nil {
			return fmt.Errorf("%w%s", err, inEnvelopes(around))
		}
	}
	if len(d.readings) > 0 {
		return nil
	}
	if fields := d.lineWith(w3cFormat.dialect.header); fields != nil {
		return fmt.Errorf("this is a W3C log, but none of its lines is a request with the columns that it names: %s",
			quote(fields))
	}
	return otherPrograms(few)
}

// hasMember reports whether lines in some envelopes are objects with a member that has lines.
func hasMember(chains [][]*Envelope, around []*Envelope) bool {
	return slices.ContainsFunc(chains, func(c []*Envelope) bool {
		return len(c) == len(around)+1 && c[len(around)].isMember && slices.Equal(c[:len(around)], around)
	})
}

// lineWith returns the first line that begins with a text, nil if none does.
func (d *detection) lineWith(begin string) []byte {
	i := slices.IndexFunc(d.lines, func(line []byte) bool { return bytes.HasPrefix(line, []byte(begin)) })
	if i < 0 {
		return nil
	}
	return d.lines[i]
}

// inEnvelopes names the envelopes that lines are in.
func inEnvelopes(around []*Envelope) string {
	text := ""
	for _, e := range around {
		text = " (in " + e.Name + ")"
	}
	return text
}

// dated finds the month in times as the common log format has them.
var dated = lazy.Regexp(`\[\d\d?/([^/ \]]{1,20})/\d{4}:\d\d:\d\d:\d\d`)

// foreignMonth returns the name of the first month that is not English, if most lines have
// such a time.
func foreignMonth(lines [][]byte) (month string) {
	most := sniff.Most(lines, func(line []byte) bool {
		m := dated().FindSubmatch(line)
		if m == nil || isDigits(m[1]) || len(m[1]) == 3 && isMonth(m[1]) {
			return false
		}
		if month == "" {
			month = string(m[1])
		}
		return true
	})
	if !most {
		return ""
	}
	return month
}

// otherPrograms names the programs whose messages are in the envelopes around lines, nil if
// there are no envelopes.
func otherPrograms(lines [][]byte) error {
	chains := envelopesAround(lines)
	if len(chains) < 2 {
		return nil
	}
	const most = 5
	var programs []string
	var first []byte
	for _, line := range lines {
		var bufs [maxEnvelopes][]byte
		source, inner, has := unwrap(chains[1], line, &bufs)
		if has == whole && first == nil {
			first = inner
		}
		if name := string(source); has == whole && source != nil && !slices.Contains(programs, name) && len(programs) < most {
			programs = append(programs, name)
		}
	}
	switch {
	case len(programs) == 0 && members(chains[1]) > 0:
		return fmt.Errorf("this is a log of messages in %s, none of which is of a known format; the first is %s. %s",
			chains[1][0].Name, quote(first), describeIt)
	case len(programs) == 0:
		return nil
	}
	return fmt.Errorf("this is a log of messages in %s, none of which is of a known format; they are of %s. The first is %s",
		chains[1][0].Name, strings.Join(programs, ", "), quote(first))
}
