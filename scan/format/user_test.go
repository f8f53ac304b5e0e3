package format

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/logwriter"
)

// foundFormat is a format of testdata/user_formats.txt or open_formats.txt.
type foundFormat struct{ source, text string }

func foundFormats(t testing.TB) []foundFormat { return readFormats(t, "user_formats.txt") }

func readFormats(t testing.TB, name string) (all []foundFormat) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(data), "\n\n")[1:] {
		source, text, _ := strings.Cut(block, "\n")
		all = append(all, foundFormat{strings.TrimPrefix(source, "# "), strings.TrimSpace(text)})
	}
	return all
}

// scribe writes lines as a format that was found says, by what the variables of servers stand for in
// their documentation. It shares nothing with the reader.
type scribe struct {
	*logwriter.Writer
	text string // of the format, without what is around it in a configuration, for logwriter
	used map[string]bool
}

var (
	nginxComment = regexp.MustCompile(`(?m)^ *#.*\n`)
	nginxPieces  = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	placeholder  = regexp.MustCompile(`<[^>]+>`)
)

// Variables, and what stands for their values in package logwriter.
var (
	nginxNames = map[string]string{
		"$remote_addr": "<client>", "$proxy_add_x_forwarded_for": "<client>", "$remote_user": "<user|>",
		"$time_local": "<time:02/Jan/2006:15:04:05 -0700>", "$time_iso8601": "<time:2006-01-02T15:04:05-07:00>",
		"$msec": "<unix:3>", "$request": "<line>", "$request_method": "<method>", "$request_uri": "<target>",
		"$uri": "<path>", "$server_protocol": "<protocol>", "$status": "<status|000>",
		"$body_bytes_sent": "<size>", "$bytes_sent": "<size>", "$http_referer": "<referer>", "$http_user_agent": "<agent>",
		"$http_x_forwarded_for": "<forwarded>", "$host": "<host>", "$http_host": "<senthost>", "$http_cookie": "<cookie>",
		"$http_x_forwarded_proto": "<cookie>", "$scheme": "<scheme>", "$server_port": "<port>",
	}
	envoyNames = map[string]string{ // by nginx's
		"%START_TIME%": "$time_iso8601", "%REQ(:METHOD)%": "$request_method", "%REQ(:PATH)%": "$uri",
		"%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%": "$request_uri", "%PROTOCOL%": "$server_protocol",
		"%RESPONSE_CODE%": "$status", "%BYTES_SENT%": "$body_bytes_sent", "%REQ(COOKIE)%": "$http_cookie",
		"%REQ(X-FORWARDED-FOR)%": "$http_x_forwarded_for", "%REQ(USER-AGENT)%": "$http_user_agent",
		"%REQ(:AUTHORITY)%": "$host", "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%": "$remote_addr",
	}
	apacheNames = map[string]string{
		"%h": "<client>", "%a": "<client>", "%t": "[<time:02/Jan/2006:15:04:05 -0700>]", "%r": "<line>", "%U": "<path>",
		"%{%Y-%m-%d}t": "<utc:2006-01-02>", "%{%T}t": "<utc:15:04:05>", "%{%Y-%m-%d %T}t": "<utc:2006-01-02 15:04:05>",
		".%{msec_frac}t": "<time:.000>", "%q": "<marked>", "%m": "<method>", "%>s": "<status|000>", "%s": "<status|000>",
		"%b": "<size>", "%B": "<size>", "%{Referer}i": "<referer>", "%{User-Agent}i": "<agent>",
		"%{User-agent}i": "<agent>", "%{X-Forwarded-For}i": "<forwarded>", "%v": "<host>", "%V": "<host>",
		"%{Host}i": "<senthost>", "%{Cookie}i": "<cookie>", "%u": "<user|->", "%D": "1234",
	}
	goAccessNames = map[string]string{
		"%d": "<utc:02/Jan/2006>", "%t": "<utc:15:04:05>", "%^": "+0000", "%U": "<target> <protocol>", "%h": "<client>",
		"%v": "<host>", "%r": "<line>", "%m": "<method>", "%s": "<status|000>", "%b": "<size>", "%R": "<referer>",
		"%u": "<agent>", "%T": "1234",
	}
)

// scribeOf returns the scribe of a format that was found.
func scribeOf(text string) *scribe {
	s := &scribe{used: map[string]bool{}}
	escape, missing, names, other := logwriter.Apache, "", apacheNames, "-"
	values := regexp.MustCompile(`\.?%>?(\{[^}]*\})?[a-zA-Z]`)
	none := func(s string) string { return s }
	switch {
	case strings.Contains(text, "%REQ("):
		values, names, escape, other = regexp.MustCompile(`%[A-Z_]+(\([^)]*\))?%`), nginxNames, none, "0.001"
	case strings.HasPrefix(text, "log_format"):
		values, names, escape, other = regexp.MustCompile(`\$\w+`), nginxNames, logwriter.Nginx, "0.001"
		if strings.Contains(text, "escape=json") {
			escape, missing = logwriter.NginxJSON, "none"
		}
		if strings.Contains(text, "escape=none") {
			escape, missing = none, "none"
		}
		pieces := nginxPieces.FindAllString(nginxComment.ReplaceAllString(text, ""), -1)
		for i, piece := range pieces {
			pieces[i] = strings.ReplaceAll(piece[1:len(piece)-1], `\t`, "\t")
		}
		text = strings.Join(pieces, "")
	case strings.Contains(text, "log-format"):
		values, names = regexp.MustCompile(`%.`), goAccessNames
		_, text, _ = strings.Cut(text, "log-format ")
		text, _, _ = strings.Cut(text, "\n")
	default:
		text = strings.ReplaceAll(text, "\\\n", "")
		if first, last := strings.Index(text, `"`), strings.LastIndex(text, `"`); first >= 0 {
			text = text[first+1 : last]
		}
		text = strings.ReplaceAll(text, `\"`, `"`)
	}
	s.text = values.ReplaceAllStringFunc(text, func(name string) string {
		if nginx := envoyNames[name]; nginx != "" {
			name = nginx
		}
		before := ""
		if name[0] == '.' && names[name] == "" {
			before, name = ".", name[1:]
		}
		s.used[name] = true
		switch line := names[name]; {
		case name == "$args" && missing == "none":
			return "<query|>"
		case name == "$args":
			return "<query|->"
		case line != "":
			return before + line
		}
		return before + other
	})
	s.Writer = logwriter.Of(s.text, s.says(missing), escape, missing)
	return s
}

// has reports whether the format has one of some variables.
func (s *scribe) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return s.used[name] })
}

// says is what lines of the format tell, where that is not what the request is.
func (s *scribe) says(missing string) (says string) {
	if missing == "none" {
		says = "agent=<agent> "
	}
	for _, c := range []struct {
		is   bool
		says string
	}{
		{s.has(".%{msec_frac}t") || s.has("$msec") && !s.has("$time_local", "$time_iso8601"), "time=1ms"},
		{!s.has("$remote_addr", "%h", "%a"), "addr="}, {s.has("$proxy_add_x_forwarded_for"), "forwarded=<client>"},
		{s.has("$http_x_forwarded_for", "%{X-Forwarded-For}i"), "forwarded=<forwarded>"},
		{s.has("$host", "%v", "%V"), "host=<host>"}, {s.has("$http_host", "%{Host}i"), "host=<senthost>"},
		{!s.has("$request", "$request_uri", "%r") && s.has("$uri", "%U") && !strings.Contains(s.text, "<target> "),
			"lossy=rewritten target=<joined>"},
		{s.has("$uri") && !s.has("$request", "$request_uri", "$args"), "target=<path>"},
		{!s.has("$status", "%>s", "%s"), "status=0"},
	} {
		if c.is {
			says += c.says + " "
		}
	}
	return says
}

// log writes requests, each on a line, and returns what their lines say.
func (s *scribe) log(requests ...*logwriter.Request) (log []byte, wants []fields) {
	for _, r := range requests {
		line, says, _ := s.Write(log, r)
		if !s.has("$body_bytes_sent", "%b", "%B") && (says.Size > 0 || !s.has("$bytes_sent")) {
			says.Size = logwriter.NoSizes
		}
		if s.has("$scheme") && says.Host != "" && strings.HasPrefix(says.Target, "/") {
			says.Target = r.Scheme + "://" + says.Host + says.Target
		} else if rest, ok := strings.CutPrefix(says.Target, "http://"); ok && s.has("$scheme") {
			says.Target = r.Scheme + "://" + rest
		}
		if !s.has("$request", "$request_method", "%r", "%m") {
			says.Method = "GET"
		}
		log, wants = append(line, '\n'), append(wants, wantOf(says))
	}
	return log, wants
}

// TestUserFormats reads the lines of forty requests in formats found in public configurations.
func TestUserFormats(t *testing.T) {
	formats := foundFormats(t)
	if len(formats) < 20 {
		t.Errorf("%d formats", len(formats))
	}
	for _, found := range formats {
		t.Run(found.source, func(t *testing.T) {
			f, err := Parse(found.text)
			if err != nil {
				t.Fatal(err)
			}
			s := scribeOf(found.text)
			requests := slices.DeleteFunc(logwriter.Requests(), func(r *logwriter.Request) bool {
				// Fields that are not between quotes end at the first bar or blank, or, if it
				// is the target, with the protocol.
				unclear := strings.Contains(s.text, "|") && strings.Contains(r.Target+strings.Join(r.Agent, ""), "|") ||
					strings.Contains(s.text, "]<host>") && strings.Contains(r.Host, ":") // which begins with a bracket
				return unclear || r.Protocol == "" || !strings.HasPrefix(r.Target, "/") && !s.used["$request"] && !s.used["%r"]
			})
			log, wants := s.log(requests...)
			lines, all := bytes.Split(log, []byte("\n")), readLog(f, log)
			if len(all) != len(wants) {
				t.Fatalf("%d lines, want %d", len(all), len(wants))
			}
			for i, got := range all {
				if got != wants[i] {
					t.Errorf("line %.300s\n got %s\nwant %s", lines[i], short(got), short(wants[i]))
				}
			}
		})
	}
}
