package format

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// A file that is no log, or one that cannot be audited, is named as what it is, together
// with what to do. magics tell files that are no text by their first bytes, lineSigns tell
// text by its lines, textSigns by its beginning, and named by other things.

// magics are the beginnings of files that are no text. The files whose content is read,
// compressed or in an archive, are here because of those inside others.
var magics = []struct {
	at    int
	bytes string
	is    string
}{
	{0, "PK\x03\x04", "a zip archive; unpack it"},
	{0, "PK\x05\x06", "an empty zip archive"},
	{257, "ustar", "a tar archive; unpack it"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it: 7z x FILE"},
	{0, "Rar!\x1a\x07", "a RAR archive; unpack it: unrar x FILE"},
	{0, "\x1f\x8b", "compressed by gzip inside another compression; undo the outer one"},
	{0, "\x28\xb5\x2f\xfd", "compressed by zstd inside another compression; undo the outer one"},
	{0, "\xfd7zXZ\x00", "compressed by xz inside another compression; undo the outer one"},
	{0, "BZh", "compressed by bzip2 inside another compression; undo the outer one"},
	{0, "\x1f\x9d", "compressed by compress; unpack it: uncompress -c FILE"},
	{0, "\x04\x22\x4d\x18", "compressed by lz4; unpack it: lz4 -dc FILE"},
	{0, "LZIP", "compressed by lzip; unpack it: lzip -dc FILE"},
	{0, "\x89LZO", "compressed by lzop; unpack it: lzop -dc FILE"},
	{0, "\xff\x06\x00\x00sNaPpY", "compressed by snappy; unpack it"},
	{0, "\xff\xfe\x00\x00", "text in UTF-32: iconv -f utf-32 -t utf-8 FILE"},
	{0, "\xff\xfe", utf16Text},
	{0, "\xfe\xff", utf16Text},
	{0, "PAR1", "a Parquet file; export it as JSON lines, for example with DuckDB: COPY (FROM 'FILE') TO 'FILE.json'"},
	{0, "Obj\x01", "an Avro file; export it as JSON lines: avro-tools tojson FILE"},
	{0, "ORC", "an ORC file; export it as JSON lines"},
	{0, "SQLite format 3\x00", "an SQLite database, not a log"},
	{0, "PGDMP", "a dump of a PostgreSQL database, not a log"},
	{0, "LPKSHHRH", "a journal of systemd; export it: journalctl --file FILE -o json"},
	{0, "ElfFile\x00", "an event log of Windows, not an access log"},
	{0, "\xd4\xc3\xb2\xa1", networkCapture},
	{0, "\xa1\xb2\xc3\xd4", networkCapture},
	{0, "\x4d\x3c\xb2\xa1", networkCapture},
	{0, "\x0a\x0d\x0d\x0a", networkCapture},
	{0, "%PDF-", "a PDF document, not a log"},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office document; export it as CSV or text"},
	{0, "WARC/", "a web archive (WARC), not an access log; robotsieve compile reads the robots.txt in it"},
	{0, "filedesc://", "an ARC file, the format before WARC; convert it to WARC"},
	{0, "rsvrun1\n", "a state of robotsieve audit; robotsieve merge reads it"},
	{0, "\x89rsv\r\n", "an archive of robotsieve compile; robotsieve filter --rules reads it"},
	{0, "\x7fELF", "a program, not a log"},
	{0, "\x89PNG", "an image, not a log"},
}

const (
	utf16Text      = "text in UTF-16: iconv -f utf-16 -t utf-8 FILE"
	networkCapture = "a capture of network packets, not an access log"
)

// NotText returns an error that names what is no text in UTF-8; whole is as for Detect.
func NotText(head []byte, whole bool) error {
	for _, m := range magics {
		if len(head) >= m.at && bytes.HasPrefix(head[m.at:], []byte(m.bytes)) {
			return errors.New("this is " + m.is)
		}
	}
	const look = 1024
	begin := head[:min(len(head), look)]
	zeros, controls := bytes.Count(begin, []byte{0}), 0
	for _, c := range begin {
		if c < ' ' && bytes.IndexByte([]byte("\t\r\n\x1b"), c) < 0 {
			controls++
		}
	}
	switch {
	case len(begin) >= 4 && zeros*5 >= len(begin)*2 && zeros*5 <= len(begin)*3 && (begin[0] == 0) != (begin[1] == 0):
		return errors.New("this seems to be " + strings.Replace(utf16Text, "utf-16 ", map[bool]string{true: "utf-16be ", false: "utf-16le "}[begin[0] == 0], 1))
	case len(begin) > 0 && zeros == len(begin):
		return errors.New("this begins with zero bytes, as files do after a crash of the machine; remove them: tr -d '\\0' < FILE")
	case controls*10 > len(begin):
		return errors.New("this is binary data, not a text log")
	case bytes.IndexByte(head, '\n') < 0 && !whole && len(head) > 0:
		if t := bytes.TrimLeft(head, " \t\r"); bytes.HasPrefix(t, []byte("[")) || bytes.HasPrefix(t, []byte("{")) {
			return errors.New("this is " + jsonInOneLine)
		}
		return fmt.Errorf("no line ends within its first %d bytes: this is no log", len(head))
	}
	return nil
}

const jsonInOneLine = "JSON without line ends; one object a line is read: jq -c '.[]?' FILE"

// lineSigns tell what text is by its lines, without their envelopes (mostMatch).
var lineSigns = []struct {
	line func() *regexp.Regexp
	is   string
}{
	{lazy.Regexp(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[\w+\] \d+#\d+: `), "an error log of nginx; its access log is another file (access_log)"},
	{lazy.Regexp(`^\[\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d(\.\d+)? \d{4}\] \[`), "an error log of Apache; its access log is another file (CustomLog)"},
	{lazy.Regexp(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \[(NOTICE|INFO|WARN|ERROR|DEBUG)\] \[`), "an error log of LiteSpeed; its access log is another file"},
	{lazy.Regexp(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}\t[A-Z]+\t`), "in Caddy's form for people; have Caddy write JSON: log { format json }"},
	{lazy.Regexp(`^\[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d [-+]\d{4}\] \S+ (TLS|SSL)v[\d.]+ \S+ "`), "Apache's log of TLS requests (ssl_request_log), which has no User-Agent; give the access log"},
	{lazy.Regexp(`^\S+:\d+ \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d\.\d{3}\] \S+ \S+ -?\d+/-?\d+/\+?-?\d+ \+?\d+ \S\S \d+/`), "a TCP log of HAProxy, which has no requests; set 'option httplog' and capture the User-Agent"},
	{lazy.Regexp(`^(Connect from \S+ to|Proxy \S+ (started|stopped)|(Server|Backend|Stopping) )`), "a log of HAProxy without requests; set 'option httplog' and capture the User-Agent"},
	{lazy.Regexp(`^\d{9,10}\.\d{3} +\d+ \S+ [A-Z_]+/\d{3} \d+ [A-Z]+ `), "Squid's native log, which has no User-Agent; set 'access_log … combined'"},
	{lazy.Regexp(`^\s*<[?!/]?[A-Za-z]`), "XML, not a log"},
	{lazy.Regexp(`^\S+\)/\S* \d{14} \{`), "a CDXJ index of a web archive, not an access log; robotsieve filter reads lists of URLs"},
	{lazy.Regexp(`(?i)^(https?|ftp)://\S+$`), "a list of URLs, not an access log; robotsieve filter reads it"},
	{lazy.Regexp(`(?i)^\s*(user-agent|disallow|allow|sitemap|crawl-delay)\s*:`), "a robots.txt, not an access log; give it with --robots"},
	{lazy.Regexp(`^(CEF:\d|.*\bCEF:\d\|)`), "in the Common Event Format (CEF), which is not read; have the log written as W3C or JSON"},
	{lazy.Regexp(`^(\S+=("[^"]*"|\S*)\s+){4}`), "of lines of KEY=VALUE (logfmt), which are not read; have the log written as JSON"},
}

// textSigns tell what text is by how it begins.
var textSigns = []struct{ begin, is string }{
	{"<!doctype html", "an HTML page, not a log"},
	{"<html", "an HTML page, not a log"},
	{"-- MySQL dump", "a dump of a database, not a log"},
	{"-- MariaDB dump", "a dump of a database, not a log"},
	{"--\n-- PostgreSQL", "a dump of a database, not a log"},
	{"INSERT INTO", "a dump of a database, not a log"},
	{"#Software: Microsoft HTTP API", "an error log of Windows (HTTPERR); the access logs of IIS are in the folders W3SVC1, W3SVC2, …"},
	{"__CURSOR=", "a journal in the form of journalctl -o export; use -o json"},
	{"{\n", prettyJSON},
	{"{\r\n", prettyJSON},
	{"[\n", prettyJSON},
	{"[\r\n", prettyJSON},
	{"[{", jsonInOneLine},
}

const prettyJSON = "JSON whose objects go over several lines; one object a line is read: jq -c 'if type == \"array\" then .[] else . end' FILE"

// headless is a line of W3C's extended format, with the method in any column.
var headless = lazy.Regexp(`^\d{4}-\d\d-\d\d[ \t]\d\d:\d\d:\d\d[ \t](\S*[ \t])*(GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|PROPFIND|CONNECT|TRACE)[ \t](\S*[ \t])*/`)

// headlessCloudFront is such a line with one of CloudFront's edge locations in it.
var headlessCloudFront = lazy.Regexp(`^\S+\t\S+\t[A-Z]{3}\d+(-[A-Z]\d+)?\t`)

// named returns an error that says what the log is, nil if nothing tells.
func (d *detection) named() error {
	for _, s := range textSigns {
		if begin := bytes.TrimLeft(d.head, " \t\r\n"); len(begin) >= len(s.begin) && strings.EqualFold(string(begin[:len(s.begin)]), s.begin) {
			return errors.New("this is " + s.is)
		}
	}
	few := pick(d.lines, spread(len(d.lines), fewLines))
	for _, around := range envelopesAround(few) {
		inner := unwrapAll(around, few)
		if is := Sign(inner); is != "" {
			return fmt.Errorf("this is %s%s", is, inEnvelopes(around))
		}
		if mostMatch(inner, headless().Match) && len(around) == 0 {
			writer := "a W3C log, such as IIS writes"
			if mostMatch(inner, headlessCloudFront().Match) {
				writer = "a log of Amazon CloudFront"
			}
			return fmt.Errorf("this is %s, but %w, so it is not known which column is which: copy that line from an older log, and give it as --format '#Fields: date time …'", writer, ErrNoHeader)
		}
		if month := foreignMonth(inner); month != "" {
			return fmt.Errorf("the month %q in its times is not English, as the format of access logs has it; the first line is %s. Replace it, as in: sed 's,/%s/,/%s/,' FILE", month, quote(d.lines[0]), month, "Nov")
		}
		if mostMatch(inner, hasInvalidRequest) && len(d.readings) == 0 {
			return fmt.Errorf("this is like an access log, but its requests have no method and target; the first line is %s", quote(d.lines[0]))
		}
		if err := jsonSign(inner); err != nil {
			return fmt.Errorf("%w%s", err, inEnvelopes(around))
		}
	}
	if len(d.readings) > 0 {
		return nil
	}
	if fields := d.lineWith(w3cFormat.dialect.header); fields != nil {
		return fmt.Errorf("this is a W3C log, but none of its lines is a request with the columns that it names: %s", quote(fields))
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
func inEnvelopes(around []*envelope) string {
	text := ""
	for _, e := range around {
		text = " (in " + e.name + ")"
	}
	return text
}

// mostMatch tells whether at least a third of the lines match, more than nothing but a log of
// such lines would have.
func mostMatch(lines [][]byte, match func([]byte) bool) bool {
	n := 0
	for _, line := range lines {
		if match(line) {
			n++
		}
	}
	return n > 0 && 3*n >= len(lines)
}

// Sign returns what lines are of that are of no format, such as "an error log of nginx", with
// advice behind it; "" if nothing tells.
func Sign(lines [][]byte) string {
	for _, s := range lineSigns {
		if mostMatch(lines, s.line().Match) {
			return s.is
		}
	}
	return ""
}

// dated finds the month in times as the common log format has them.
var dated = lazy.Regexp(`\[\d\d?/([^/ \]]{1,20})/\d{4}:\d\d:\d\d:\d\d`)

// foreignMonth returns the name of the first month that is not English, if most lines have
// such a time.
func foreignMonth(lines [][]byte) (month string) {
	most := mostMatch(lines, func(line []byte) bool {
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
	most := mostMatch(lines, func(line []byte) bool {
		if n := valueLength(line); n < 2 || line[0] != '{' {
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
	{"time", "the time", key(`time|@?timestamp|date|date_?time|ts|start_?time|time_?(local|iso8601|utc)|start_?utc`), lazy.Regexp(`(?i)time|date|(^|[._])ts$|msec|epoch`)},
	{"ip", "", key(`(remote|client|source|src|peer|real)_?(ip|addr|address|host)|ip`), nil},
	{"host", "", key(`(http_?)?host|vhost|host_?name|domain|server_?name|authority`), nil},
	{"method", "", key(`method|(http|request|req)_?method|verb`), nil},
	{"url", "the URL", key(`(request_?|req_?|original_?)?(ur[il]|target|path)`), lazy.Regexp(`(?i)ur[il]|path|request|target`)},
	{"status", "", key(`(http_?|response_?|resp_?)?status(_?code)?`), nil},
	{"ua", "the User-Agent", key(`(http_?|request_?|req_?)?user[-_]?agent(\.0)?|agent|ua`), lazy.Regexp(`(?i)agent|(^|[._-])ua$`)},
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
	for key, value := range members(object) {
		path := prefix + string(key[1:len(key)-1])
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
		source, inner, ok := unwrap(chains[1], line, &bufs)
		if ok && first == nil {
			first = inner
		}
		if name := string(source); ok && source != nil && !slices.Contains(programs, name) && len(programs) < most {
			programs = append(programs, name)
		}
	}
	if len(programs) == 0 {
		return nil
	}
	return fmt.Errorf("this is a log of messages in %s, none of which is of a known format; they are of %s. The first is %s",
		chains[1][0].name, strings.Join(programs, ", "), quote(first))
}
