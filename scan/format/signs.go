package format

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// headless matches a line of W3C's extended format, with the method in any column. Its columns are
// separated by blanks or by tabs, never both. A log with a request in one piece, "GET / HTTP/1.1"
// between tabs, has a custom format.
var headless = lazy.Regexp(`^\d{4}-\d\d-\d\d(` +
	` \d\d:\d\d:\d\d (\S* )*(` + methods + `) (\S* )*/|` +
	`\t\d\d:\d\d:\d\d\t([^\t]*\t)*(` + methods + `)\t([^\t]*\t)*/)`)

const methods = `GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|PROPFIND|CONNECT|TRACE`

// headlessCloudFront matches such a line if it contains one of CloudFront's edge locations.
var headlessCloudFront = lazy.Regexp(`^\S+\t\S+\t[A-Z]{3}\d+(-[A-Z]\d+)?\t`)

// named returns an error that says what the log is, or nil if that is unknown.
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
		if sniff.Most(inner, headless().Match) && len(around) == 0 && !d.beginsWithHeader() {
			writer := "a W3C log, such as IIS writes"
			if sniff.Most(inner, headlessCloudFront().Match) {
				writer = "a log of Amazon CloudFront"
			}
			return fmt.Errorf("this is %s, but %w, so it is not known which column is which: "+
				"copy that line from an older log, and give it as option Format '#Fields: date time …'", writer, ErrNoHeader)
		}
		if month := foreignMonth(inner); month != "" {
			return fmt.Errorf("the month %q in its times is not English, as the format of access logs has it; "+
				"the first line is %s. Replace it, as in: sed 's,/%s/,/%s/,' FILE", month, quote(d.lines[0]), month, "Nov")
		}
		if sniff.Most(inner, hasInvalidRequest) && len(d.readings) == 0 {
			return fmt.Errorf("this is like an access log, but what stands behind the times is no request with a "+
				"method and target; the first line is %s",
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
	isHeader := func(line []byte) bool { return bytes.HasPrefix(line, []byte(w3cFormat.dialect.header)) }
	if i := slices.IndexFunc(d.lines, isHeader); i >= 0 {
		return fmt.Errorf("this is a W3C log, but none of its lines is a request with the columns that it names: %s",
			quote(d.lines[i]))
	}
	return otherPrograms(few)
}

// hasMember reports whether lines in some envelopes are objects with a member that has lines.
func hasMember(chains [][]*Envelope, around []*Envelope) bool {
	return slices.ContainsFunc(chains, func(c []*Envelope) bool {
		return len(c) == len(around)+1 && c[len(around)].isMember && slices.Equal(c[:len(around)], around)
	})
}

// beginsWithHeader reports whether a W3C log names its columns before its first request.
func (d *detection) beginsWithHeader() bool {
	for _, line := range d.lines {
		if line[0] != '#' {
			return false
		}
		if bytes.HasPrefix(line, []byte(w3cFormat.dialect.header)) {
			return true
		}
	}
	return false
}

// inEnvelopes names the envelopes that lines are in.
func inEnvelopes(around []*Envelope) string {
	text := ""
	for _, e := range around {
		text = " (in " + e.Name + ")"
	}
	return text
}

// dated matches the month in times of the common log format.
var dated = lazy.Regexp(`\[\d\d?/([^/ \]]{1,20})/\d{4}:\d\d:\d\d:\d\d`)

// foreignMonth returns the first month name that isn't English, if most lines have a time with one.
func foreignMonth(lines [][]byte) (month string) {
	most := sniff.Most(lines, func(line []byte) bool {
		m := dated().FindSubmatch(line)
		if m == nil || isDigits(m[1]) || len(m[1]) == 3 && monthOf(m[1]) > 0 {
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

// otherPrograms names the programs whose messages are in the envelopes around lines. It returns nil
// if there are no envelopes.
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
		return fmt.Errorf("this is a log of messages in %s, none of which has a known format; the first is %s. %s",
			chains[1][0].Name, quote(first), describeIt)
	case len(programs) == 0:
		return nil
	}
	return fmt.Errorf("this is a log of messages in %s, none of which has a known format; they come from %s. "+
		"The first is %s",
		chains[1][0].Name, strings.Join(programs, ", "), quote(first))
}

const describeIt = "Describe its format with option Format; robotsieve formats lists the known ones"

// err returns the error for a log without a format.
func (d *detection) err() error {
	if err := d.named(); err != nil {
		return err
	}
	best := d.candidates()
	switch {
	case len(best) == 0 && len(d.lines) == 1:
		return fmt.Errorf("no known format fits its only line, %s. %s", quote(d.lines[0]), describeIt)
	case len(best) == 0:
		return fmt.Errorf("no known format fits any of its first %d lines; the first is %s. %s",
			len(d.lines), quote(d.lines[0]), describeIt)
	}
	best = best[:min(len(best), 2)]
	reads := make([]string, len(best))
	for i, c := range best {
		reads[i] = fmt.Sprintf("%s reads %d", c.name(), c.lines)
	}
	unread := ""
	if line := d.firstUnread(best); line != nil { // the others may be no requests
		unread = "The first line that is not read is " + quote(line) + ". "
	}
	return fmt.Errorf("no format reads enough of its first %d lines: %s. %s"+
		"Use option Format to name or describe its format; job.Explain shows how the lines are read",
		len(d.lines), strings.Join(reads, " and "), unread)
}

// candidates returns the formats that explain some lines, best first.
func (d *detection) candidates() []*attempt {
	var all []*attempt
	for _, r := range d.readings {
		all = append(all, bestOf(r.tries)...)
	}
	return bestOf(all)
}

// firstUnread returns the first line that no candidate reads.
func (d *detection) firstUnread(list []*attempt) []byte {
	var r Record
	for at, line := range d.lines {
		read := slices.ContainsFunc(list, func(a *attempt) bool {
			inner := unwrapAll(a.around, d.lines[at:at+1])[0]
			return a.behind != nil && a.behind[at] || len(inner) > 0 && a.reads(inner, &r) != Unparsed
		})
		if !read {
			return line
		}
	}
	return nil
}

// quote quotes the beginning of a line, unchanged if it is printable.
func quote(line []byte) string {
	const most = 100
	begin, more := string(line), ""
	if len(line) > most {
		begin, more = string(line[:most]), fmt.Sprintf("… (%d bytes)", len(line))
	}
	isOdd := func(c rune) bool { return c == '`' || !strconv.IsPrint(c) }
	if utf8.ValidString(begin) && !strings.ContainsFunc(begin, isOdd) {
		return "`" + begin + "`" + more
	}
	return strconv.Quote(begin) + more
}
