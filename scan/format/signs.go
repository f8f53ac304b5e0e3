package format

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/field"
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
	for _, around := range envelopesAround(few) {
		inner := unwrapAll(around, few)
		if what := sniff.Lines(inner); what != "" {
			return is(what + inEnvelopes(around))
		}
		if sniff.Most(inner, headless().Match) && len(around) == 0 {
			writer := "a W3C log, such as IIS writes"
			if sniff.Most(inner, headlessCloudFront().Match) {
				writer = "a log of Amazon CloudFront"
			}
			return fmt.Errorf("this is %s, but %w, so it is not known which column is which: copy that line from an older log, and give it as --format '#Fields: date time …'", writer, ErrNoHeader)
		}
		if month := foreignMonth(inner); month != "" {
			return fmt.Errorf("the month %q in its times is not English, as the format of access logs has it; the first line is %s. Replace it, as in: sed 's,/%s/,/%s/,' FILE", month, quote(d.lines[0]), month, "Nov")
		}
		if sniff.Most(inner, hasInvalidRequest) && len(d.readings) == 0 {
			return fmt.Errorf("this is like an access log, but its requests have no method and target; the first line is %s",
				quote(d.lines[0]))
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

// jsonSign says which fields lines of JSON have and which they lack, nil if most lines are no JSON.
func jsonSign(lines [][]byte) error {
	var paths []string
	most := sniff.Most(lines, func(line []byte) bool {
		if !bytes.HasPrefix(line, []byte("{")) || !bytes.HasSuffix(line, []byte("}")) {
			return false
		}
		if len(paths) == 0 {
			paths = jsonPaths(paths, "", line, 0)
		}
		return true
	})
	if !most || len(paths) == 0 {
		return nil
	}
	var missing, words []string
	for _, k := range jsonKeys {
		at := slices.IndexFunc(paths, k.is().MatchString)
		switch {
		case at >= 0:
			words = append(words, k.name+"="+paths[at])
		case k.like == nil:
		case slices.ContainsFunc(paths, k.like().MatchString):
			words = append(words, k.name+"="+strings.ToUpper(k.name))
		default:
			missing = append(missing, k.what)
		}
	}
	const most20 = 20
	more := ""
	if len(paths) > most20 {
		paths, more = paths[:most20], " …"
	}
	if len(missing) > 0 {
		return fmt.Errorf("this is JSON without %s, which an audit needs: have the server log it. The keys of its first line are %s%s", strings.Join(missing, " and "), strings.Join(paths, " "), more)
	}
	return fmt.Errorf("this is JSON whose keys are not known: say what they mean, perhaps by --format '%s'. The keys of its first line are %s%s", strings.Join(words, " "), strings.Join(paths, " "), more)
}

// jsonKeys tell by the keys of JSON lines what to name them in a user's format (fieldNames):
// is finds keys that are most likely for the field, and like those that may be. An audit needs
// those that have like.
var jsonKeys = []struct {
	name, what string
	is, like   func() *regexp.Regexp
}{
	{"time", "the time", key(`time|@?timestamp|date|date_?time|ts|start_?time|time_?(local|iso8601|utc)|start_?utc`),
		lazy.Regexp(`(?i)time|date|(^|[._])ts$|msec|epoch`)},
	{"ip", "", key(`(remote|client|source|src|peer|real)_?(ip|addr|address|host)|ip`), nil},
	{"host", "", key(`(http_?)?host|vhost|host_?name|domain|server_?name|authority`), nil},
	{"method", "", key(`method|(http|request|req)_?method|verb`), nil},
	{"url", "the URL", key(`(request_?|req_?|original_?)?(ur[il]|target|path)`),
		lazy.Regexp(`(?i)ur[il]|path|request|target`)},
	{"status", "", key(`(http_?|response_?|resp_?)?status(_?code)?`), nil},
	{"ua", "the User-Agent", key(`(http_?|request_?|req_?)?user[-_]?agent(\.0)?|agent|ua`),
		lazy.Regexp(`(?i)agent|(^|[._-])ua$`)},
}

// key returns an expression for a path that ends with a key, and can be written in a user's
// format.
func key(names string) func() *regexp.Regexp {
	return lazy.Regexp(`(?i)^([^\s='"\x60]*\.)?(` + names + `)$`)
}

// jsonPaths appends the paths of the members of an object, those of objects in it with a dot,
// and the first items of lists.
func jsonPaths(paths []string, prefix string, object []byte, depth int) []string {
	const deepest, longest = 3, 60
	for name, value := range field.Members(object) {
		path := prefix + string(name)
		if len(path) > longest || !utf8.ValidString(path) {
			continue
		}
		switch {
		case value[0] == '{' && depth < deepest:
			paths = jsonPaths(paths, path+".", value, depth+1)
		case value[0] == '[':
			paths = append(paths, path+".0")
		default:
			paths = append(paths, path)
		}
	}
	return paths
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
	if len(programs) == 0 {
		return nil
	}
	return fmt.Errorf("this is a log of messages in %s, none of which is of a known format; they are of %s. The first is %s",
		chains[1][0].Name, strings.Join(programs, ", "), quote(first))
}
