package format

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/logwriter"
)

// foundFormat is a format of testdata/user_formats.txt.
type foundFormat struct{ source, text string }

func foundFormats(t testing.TB) (all []foundFormat) {
	t.Helper()
	data, err := os.ReadFile("testdata/user_formats.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(data), "\n\n")[1:] {
		source, text, _ := strings.Cut(block, "\n")
		all = append(all, foundFormat{strings.TrimPrefix(source, "# "), strings.TrimSpace(text)})
	}
	return all
}

// scribe writes what variables of servers stand for, as their documentation says. It shares
// nothing with the reader.
type scribe struct {
	text    string // of the format, without what is around it in a configuration
	values  *regexp.Regexp
	write   func(s *scribe, name string, r *logwriter.Request) string
	escape  func(string) string
	missing string
	used    map[string]bool
	cookie  string // the header Cookie, and what else is of no interest
	host    string // the header Host, if it is not that of the request
}

var (
	nginxComment = regexp.MustCompile(`(?m)^ *#.*\n`)
	nginxPieces  = regexp.MustCompile(`'[^']*'|"[^"]*"`)
)

// scribeOf returns the scribe of a format that was found.
func scribeOf(text string) *scribe {
	s := &scribe{escape: logwriter.Apache, missing: "-", used: map[string]bool{}}
	switch {
	case strings.Contains(text, "%REQ("):
		s.text, s.values, s.write = text, regexp.MustCompile(`%[A-Z_]+(\([^)]*\))?%`), writeEnvoy
		s.escape = func(s string) string { return s }
	case strings.HasPrefix(text, "log_format"):
		s.values, s.write = regexp.MustCompile(`\$\w+`), writeNginx
		s.escape = logwriter.Nginx
		if strings.Contains(text, "escape=json") {
			s.escape, s.missing = logwriter.NginxJSON, ""
		}
		if strings.Contains(text, "escape=none") {
			s.escape, s.missing = func(s string) string { return s }, ""
		}
		for _, piece := range nginxPieces.FindAllString(nginxComment.ReplaceAllString(text, ""), -1) {
			s.text += strings.ReplaceAll(piece[1:len(piece)-1], `\t`, "\t")
		}
	case strings.Contains(text, "log-format"):
		s.values, s.write = regexp.MustCompile(`%.`), writeGoAccess
		_, s.text, _ = strings.Cut(text, "log-format ")
		s.text, _, _ = strings.Cut(s.text, "\n")
	default:
		s.values, s.write = regexp.MustCompile(`%>?(\{[^}]*\})?[a-zA-Z]`), writeApache
		text = strings.ReplaceAll(text, "\\\n", "")
		if first, last := strings.Index(text, `"`), strings.LastIndex(text, `"`); first >= 0 {
			text = text[first+1 : last]
		}
		s.text = strings.ReplaceAll(text, `\"`, `"`)
	}
	for _, name := range s.values.FindAllString(s.text, -1) {
		s.used[name], s.used[envoyNames[name]] = true, true
	}
	return s
}

// line writes a request.
func (s *scribe) line(r *logwriter.Request) string {
	return s.values.ReplaceAllStringFunc(s.text, func(name string) string { return s.write(s, name, r) })
}

// header is a header as it is logged.
func (s *scribe) header(h []string) string {
	if len(h) == 0 {
		return s.missing
	}
	return s.escape(h[0])
}

func request(r *logwriter.Request) string { return r.Method + " " + r.Target + " " + r.Protocol }

func writeNginx(s *scribe, name string, r *logwriter.Request) string {
	path, query, asked := strings.Cut(r.Target, "?")
	switch name {
	case "$remote_addr", "$proxy_add_x_forwarded_for":
		return r.Client.Addr().String()
	case "$remote_user":
		return s.escape(r.User)
	case "$time_local":
		return r.Time.Format("02/Jan/2006:15:04:05 -0700")
	case "$time_iso8601":
		return r.Time.Format("2006-01-02T15:04:05-07:00")
	case "$msec":
		return fmt.Sprintf("%.3f", float64(r.Time.UnixMilli())/1000)
	case "$request":
		return s.escape(request(r))
	case "$request_method":
		return r.Method
	case "$request_uri":
		return s.escape(r.Target)
	case "$uri":
		return s.escape(path)
	case "$args":
		if !asked || query == "" {
			return s.missing
		}
		return s.escape(query)
	case "$server_protocol":
		return r.Protocol
	case "$status":
		return fmt.Sprintf("%03d", r.Status)
	case "$body_bytes_sent", "$bytes_sent":
		return fmt.Sprint(r.Size)
	case "$http_referer":
		return s.header(r.Referer)
	case "$http_user_agent":
		return s.header(r.Agent)
	case "$http_x_forwarded_for":
		return s.header(r.Forwarded)
	case "$host":
		return r.Host
	case "$http_host":
		return s.escape(s.hostHeader(r))
	case "$http_cookie", "$http_x_forwarded_proto":
		return s.escape(s.cookie)
	case "$scheme":
		return r.Scheme
	}
	return "0.001"
}

func writeApache(s *scribe, name string, r *logwriter.Request) string {
	path, query, asked := strings.Cut(r.Target, "?")
	switch name {
	case "%h", "%a":
		return r.Client.Addr().String()
	case "%t":
		return r.Time.Format("[02/Jan/2006:15:04:05 -0700]")
	case "%{%Y-%m-%d}t":
		return r.Time.UTC().Format("2006-01-02")
	case "%{%T}t":
		return r.Time.UTC().Format("15:04:05")
	case "%{%Y-%m-%d %T}t":
		return r.Time.UTC().Format("2006-01-02 15:04:05")
	case "%{msec_frac}t":
		return r.Time.Format(".000")[1:]
	case "%r":
		return s.escape(request(r))
	case "%U":
		return s.escape(path)
	case "%q":
		if !asked {
			return ""
		}
		return s.escape("?" + query)
	case "%m":
		return r.Method
	case "%>s", "%s":
		return fmt.Sprintf("%03d", r.Status)
	case "%b", "%B":
		return fmt.Sprint(r.Size)
	case "%{Referer}i":
		return s.header(r.Referer)
	case "%{User-Agent}i", "%{User-agent}i":
		return s.header(r.Agent)
	case "%{X-Forwarded-For}i":
		return s.header(r.Forwarded)
	case "%v", "%V":
		return r.Host
	case "%{Host}i":
		return s.escape(s.hostHeader(r))
	case "%{Cookie}i":
		return s.escape(s.cookie)
	case "%u":
		if r.User != "" {
			return s.escape(r.User)
		}
	case "%D":
		return "1234"
	}
	return "-"
}

// hostHeader is the header Host.
func (s *scribe) hostHeader(r *logwriter.Request) string {
	if s.host != "" {
		return s.host
	}
	return r.Host
}

// envoyNames are the operators of Envoy by the variables of nginx that write the same.
var envoyNames = map[string]string{
	"%START_TIME%": "$time_iso8601", "%REQ(:METHOD)%": "$request_method", "%REQ(:PATH)%": "$uri",
	"%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%": "$request_uri",
	"%PROTOCOL%":                         "$server_protocol", "%RESPONSE_CODE%": "$status", "%BYTES_SENT%": "$body_bytes_sent",
	"%REQ(X-FORWARDED-FOR)%": "$http_x_forwarded_for",
	"%REQ(USER-AGENT)%":      "$http_user_agent", "%REQ(:AUTHORITY)%": "$host",
	"%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%": "$remote_addr", "%REQ(COOKIE)%": "$http_cookie",
}

func writeEnvoy(s *scribe, name string, r *logwriter.Request) string {
	return writeNginx(s, envoyNames[name], r)
}

// writeGoAccess writes what GoAccess is to read with a specifier.
func writeGoAccess(s *scribe, name string, r *logwriter.Request) string {
	switch name {
	case "%d":
		return r.Time.UTC().Format("02/Jan/2006")
	case "%t":
		return r.Time.UTC().Format("15:04:05")
	case "%^":
		return "+0000"
	case "%U":
		return s.escape(r.Target + " " + r.Protocol)
	}
	return writeApache(s, map[string]string{
		"%h": "%h", "%v": "%v", "%r": "%r", "%m": "%m", "%s": "%>s", "%b": "%b", "%R": "%{Referer}i", "%u": "%{User-Agent}i",
		"%T": "%D",
	}[name], r)
}

// want returns what the line of a request says.
func (s *scribe) want(r *logwriter.Request) fields {
	has := func(names ...string) bool {
		for _, name := range names {
			if s.used[name] {
				return true
			}
		}
		return false
	}
	value := func(h []string) string {
		if len(h) == 0 {
			return s.missing
		}
		return h[0]
	}
	want := fields{
		Agent: value(r.Agent), Method: r.Method, Target: r.Target, Status: r.Status, Size: r.Size,
		Time: r.Time.Truncate(time.Second).UTC().Format(time.RFC3339Nano),
	}
	if !has("$body_bytes_sent", "%b", "%B") && (want.Size > 0 || !has("$bytes_sent")) {
		want.Size = NoSizes
	}
	if has("%{msec_frac}t") || has("$msec") && !has("$time_local", "$time_iso8601") {
		want.Time = r.Time.Truncate(time.Millisecond).UTC().Format(time.RFC3339Nano)
	}
	if has("$remote_addr", "%h", "%a") {
		want.Addr = r.Client.Addr().String()
	}
	if has("$proxy_add_x_forwarded_for") {
		want.Forwarded = r.Client.Addr().String()
	}
	if has("$http_x_forwarded_for", "%{X-Forwarded-For}i") {
		want.Forwarded = value(r.Forwarded)
	}
	if has("$host", "%v", "%V") {
		want.Host = r.Host
	}
	if has("$http_host", "%{Host}i") {
		want.Host = s.hostHeader(r)
	}
	if !has("$request", "$request_uri", "%r") && s.used["$uri"] {
		want.Lossy = Rewritten
		if !has("$args") {
			want.Target, _, _ = strings.Cut(want.Target, "?")
		}
		want.Target = strings.TrimSuffix(want.Target, "?")
	}
	if !has("%r") && has("%U") && s.values.String() != `%.` {
		want.Lossy = Rewritten
		want.Target = strings.TrimSuffix(want.Target, "?")
	}
	if has("$scheme") && want.Host != "" && strings.HasPrefix(want.Target, "/") {
		want.Target = r.Scheme + "://" + want.Host + want.Target
	}
	if !has("$request", "$request_method", "%r", "%m") {
		want.Method = "GET"
	}
	if !has("$status", "%>s", "%s") {
		want.Status = 0
	}
	want.Robots = strings.Contains(want.Target, "/robots.txt")
	return want
}

// TestUserFormats reads the lines of forty requests in formats that were found in public
// configurations.
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
			log := new(bytes.Buffer)
			var wants []fields
			for _, r := range logwriter.Requests() {
				// Fields that are not between quotes end at the first bar or blank, or, if it
				// is the target, with the protocol.
				unclear := strings.Contains(s.text, "|") && strings.Contains(r.Target+strings.Join(r.Agent, ""), "|")
				if unclear || r.Protocol == "" || !strings.HasPrefix(r.Target, "/") && !s.used["$request"] && !s.used["%r"] {
					continue
				}
				log.WriteString(s.line(r) + "\n")
				wants = append(wants, s.want(r))
			}
			lines := bytes.Split(log.Bytes(), []byte("\n"))
			for i, got := range readLog(f, log.Bytes()) {
				if got != wants[i] {
					t.Errorf("line %.300s\n got %s\nwant %s", lines[i], short(got), short(wants[i]))
				}
			}
			if got, want := len(readLog(f, log.Bytes())), len(wants); got != want {
				t.Errorf("%d lines, want %d", got, want)
			}
		})
	}
}
