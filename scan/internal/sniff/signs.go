package sniff

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// A file that isn't a log, or can't be audited, is identified together with advice. magics are the
// beginnings of files that aren't text. Compressed files and archives, whose content is read, are
// included because they may be inside others.
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
	{0, "\x1f\x9d", "compressed by compress; unpack it: uncompress -c FILE"},
	{0, "\x04\x22\x4d\x18", "compressed by lz4; unpack it: lz4 -dc FILE"},
	{0, "LZIP", "compressed by lzip; unpack it: lzip -dc FILE"},
	{0, "\x89LZO", "compressed by lzop; unpack it: lzop -dc FILE"},
	{0, "\xff\x06\x00\x00sNaPpY", "compressed by snappy; unpack it"},
	{0, "\xff\xfe\x00\x00", "text in UTF-32: iconv -f utf-32 -t utf-8 FILE"},
	{0, "\xff\xfe", utf16Text},
	{0, "\xfe\xff", utf16Text},
	{0,
		"PAR1", "a Parquet file; export it as JSON lines, for example with DuckDB: COPY (FROM 'FILE') TO 'FILE.json'"},
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
	{0, "robotsieve state ", "a state of robotsieve audit; robotsieve merge reads it"},
	{0, "\x89rsv\r\n", "an archive of robotsieve compile; robotsieve filter option Archive reads it"},
	{0, "\x7fELF", "a program, not a log"},
	{0, "\x89PNG", "an image, not a log"},
}

const (
	utf16Text      = "text in UTF-16: iconv -f utf-16 -t utf-8 FILE"
	networkCapture = "a capture of network packets, not an access log"
)

// NotText returns an error that identifies head if it is not text in UTF-8; whole is set if head is the whole file.
func NotText(head []byte, whole bool) error {
	for _, m := range magics {
		if len(head) >= m.at && bytes.HasPrefix(head[m.at:], []byte(m.bytes)) {
			return errors.New("this is " + m.is)
		}
	}
	if c := CodecOf(head); c != Plain {
		return fmt.Errorf("this is compressed by %s inside another compression; undo the outer one", c)
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
		order := map[bool]string{true: "utf-16be ", false: "utf-16le "}[begin[0] == 0]
		return errors.New("this seems to be " + strings.Replace(utf16Text, "utf-16 ", order, 1))
	case len(begin) > 0 && zeros == len(begin):
		return errors.New("this begins with zero bytes, as files do after a crash of the machine; " +
			"remove them: tr -d '\\0' < FILE")
	case controls*10 > len(begin):
		return errors.New("this is binary data, not a text log")
	case bytes.IndexByte(head, '\n') >= 0 || whole || len(head) == 0:
		return nil
	}
	if t := bytes.TrimLeft(head, " \t\r"); bytes.HasPrefix(t, []byte("[")) || bytes.HasPrefix(t, []byte("{")) {
		return errors.New("this is " + jsonInOneLine)
	}
	return fmt.Errorf("no line ends within its first %d bytes: this is no log", len(head))
}

// beginnings identify texts by how they begin.
var beginnings = []struct{ begin, is string }{
	{"<!doctype html", "an HTML page, not a log"},
	{"<html", "an HTML page, not a log"},
	{"-- MySQL dump", "a dump of a database, not a log"},
	{"-- MariaDB dump", "a dump of a database, not a log"},
	{"--\n-- PostgreSQL", "a dump of a database, not a log"},
	{"INSERT INTO", "a dump of a database, not a log"},
	{"#Software: Microsoft HTTP API",
		"an error log of Windows (HTTPERR); the access logs of IIS are in the folders W3SVC1, W3SVC2, …"},
	{"__CURSOR=", "a journal in the form of journalctl -o export; use -o json"},
	{"{\n", prettyJSON},
	{"{\r\n", prettyJSON},
	{"[\n", prettyJSON},
	{"[\r\n", prettyJSON},
	{"[{", jsonInOneLine},
}

const (
	jsonInOneLine = "JSON without line ends; one object a line is read: jq -c '.[]?' FILE"
	prettyJSON    = "JSON whose objects go over several lines; one object a line is read: " +
		"jq -c 'if type == \"array\" then .[] else . end' FILE"
)

// Beginning describes text that its beginning gives away, such as "an HTML page, not a log", and returns
// "" for anything else.
func Beginning(head []byte) string {
	head = bytes.TrimLeft(head, " \t\r\n")
	for _, s := range beginnings {
		if len(head) >= len(s.begin) && strings.EqualFold(string(head[:len(s.begin)]), s.begin) {
			return s.is
		}
	}
	return ""
}

// lineSigns identify texts by their lines, without envelopes.
var lineSigns = []struct {
	line func() *regexp.Regexp
	is   string
}{
	{lazy.Regexp(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[\w+\] \d+#\d+: `),
		"an error log of nginx; its access log is another file (access_log)"},
	{lazy.Regexp(`^\[\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d(\.\d+)? \d{4}\] \[`),
		"an error log of Apache; its access log is another file (CustomLog)"},
	{lazy.Regexp(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \[(NOTICE|INFO|WARN|ERROR|DEBUG)\] \[`),
		"an error log of LiteSpeed; its access log is another file"},
	{lazy.Regexp(`^\[\d\d-\w{3}-\d{4} \d\d:\d\d:\d\d [\w/+:-]+\] (PHP|WordPress) [A-Z]`),
		"an error log of PHP; the access log is the web server's"},
	{lazy.Regexp(`^\[\d\d-\w{3}-\d{4} \d\d:\d\d:\d\d(\.\d+)?\] (NOTICE|WARNING|ERROR|ALERT|DEBUG): `),
		"an error log of PHP-FPM; the access log is the web server's"},
	{lazy.Regexp(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}\t[A-Z]+\t`),
		"in Caddy's form for people; have Caddy write JSON: log { format json }"},
	{lazy.Regexp(`^\[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d [-+]\d{4}\] \S+ (TLS|SSL)v[\d.]+ \S+ "`),
		"Apache's log of TLS requests (ssl_request_log), which has no User-Agent; give the access log"},
	{lazy.Regexp(`^\S+:\d+ \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d\.\d{3}\] \S+ \S+ -?\d+/-?\d+/\+?-?\d+ \+?\d+ \S\S \d+/`),
		"a TCP log of HAProxy, which has no requests; set 'option httplog' and capture the User-Agent"},
	{lazy.Regexp(`^(Connect from \S+ to|Proxy \S+ (started|stopped)|(Server|Backend|Stopping) )`),
		"a log of HAProxy without requests; set 'option httplog' and capture the User-Agent"},
	{lazy.Regexp(`^\d{9,10}\.\d{3} +\d+ \S+ [A-Z_]+/\d{3} \d+ [A-Z]+ `),
		"Squid's native log, which has no User-Agent; set 'access_log … combined'"},
	{lazy.Regexp(`^\s*<[?!/]?[A-Za-z][\w.-]*(:[A-Za-z][\w.-]*)?([\s/>]|$)`), "XML, not a log"}, // not <https://a/>
	{lazy.Regexp(`^\S+\)/\S* \d{14} \{`),
		"a CDXJ index of a web archive, not an access log; robotsieve filter reads lists of URLs"},
	{lazy.Regexp(`(?i)^(https?|ftp)://\S+$`), "a list of URLs, not an access log; robotsieve filter reads it"},
	{robotsLine, "a robots.txt, not an access log; give it with option Robots"},
	{lazy.Regexp(`^(CEF:\d|.*\bCEF:\d\|)`),
		"in the Common Event Format (CEF), which is not read; have the log written as W3C or JSON"},
	{lazy.Regexp(`^(\S+=("[^"]*"|\S*)\s+){4}`),
		"of lines of KEY=VALUE (logfmt), which are not read; have the log written as JSON"},
}

// Lines describes lines that match no format, such as "an error log of nginx", followed by advice.
// It returns "" if it doesn't recognize them.
func Lines(lines [][]byte) string {
	for _, s := range lineSigns {
		if Most(lines, s.line().Match) {
			return s.is
		}
	}
	return ""
}

// Most reports whether at least a third of the lines match. Only a log of such lines has that many.
func Most(lines [][]byte, match func([]byte) bool) bool {
	n := 0
	for _, line := range lines {
		if match(line) {
			n++
		}
	}
	return n > 0 && 3*n >= len(lines)
}
