// Package logwriter writes one request as the servers, load balancers and CDNs of this
// world do. Each writer is made from a sample line, which is from the documentation of its format,
// and from what that says of escaping. It shares no code with the readers in scan/format, and
// knows nothing of the words by which they find fields, so that a misreading by either side is
// found. No shipped program contains it.
package logwriter

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Request is what a server knows about a request. Its strings hold what the client sent,
// octet by byte.
type Request struct {
	// Name says what is special about the request.
	Name string

	Time                     time.Time
	Client                   netip.AddrPort
	Scheme, Host             string // the host without its port, an IPv6 address without brackets
	Port                     int    // where the server listens
	Method, Target, Protocol string // Protocol is empty for HTTP/0.9
	Status                   int    // 0 if nothing was answered
	Size                     int64  // of the body sent
	User                     string // empty if the client named none

	// Headers are nil if the client did not send them. Forwarded is X-Forwarded-For.
	Agent, Referer, Forwarded []string

	// Cookie is a header of no interest, and HostHeader the header Host if it is not the host's.
	Cookie, HostHeader string

	// Claim is what a CDN says about the client; empty if nothing.
	Claim string
}

// Facts are what a reader can know from one line. The zero value is of a line that has
// nothing.
type Facts struct {
	Agent, Addr, Host, Forwarded, Method, Target, Claim string

	Time   time.Time // zero if the line has none that can be read
	Status int
	Size   int64
	// Lossy is "decoded" or "rewritten" if the log changed the target, and empty if not.
	Lossy string

	// Unparsed tells that the line is no request for a reader: it has no target.
	Unparsed bool
	// Unclear tells that the line does not say where its fields end, because the format
	// escapes nothing. It may be left unparsed, but it must not be read as something else.
	Unclear bool
}

// Sizes of Facts that are none.
const (
	NoSize  = -1 // this line has none
	NoSizes = -2 // the format has none
)

// Writer writes requests in one format.
type Writer struct {
	// Format is the name of the format that reads the lines, and Variant what else writes
	// it, if several do.
	Format, Variant string
	// Head is what stands before the first line of a file.
	Head string

	// line is the line of a request, as expand has it. It is made of the sample of the format, with
	// some texts replaced: pairs of old and new ones.
	line string
	with []string
	// only says which requests come into such a log: conditions with blanks between them.
	only   string
	escape func(string) string // of what a client writes; nil: nothing is
	// inLine is escape for the request line, if that is another.
	inLine func(string) string
	// missing stands for a header that was not sent: "" is a dash, and "none" nothing.
	missing string
	empty   string // stands for a header without a value
	json    bool   // a string has no bytes that are no UTF-8, and no header that was not sent
	// says is what the line tells where that is not what the request is: words of a name of Facts,
	// an equals sign and a text for expand.
	says string
	// keep changes what the line tells in ways that have no words. nil changes nothing.
	keep func(f *Facts, r *Request)
}

// Name is the name of the format and its variant.
func (w *Writer) Name() string {
	name := w.Format
	if w.Variant != "" {
		name += "/" + w.Variant
	}
	return name
}

// Write appends the line of a request, without its line end, and returns what it says. ok
// is false if such a request never comes into such a log.
func (w *Writer) Write(b []byte, r *Request) (line []byte, says Facts, ok bool) {
	says = w.facts(r)
	if wholeAnswers[w.Format] && says.Size > 0 {
		says.Size = NoSizes
	}
	for condition := range strings.FieldsSeq(w.only) {
		if !r.meets(condition) {
			return nil, says, false
		}
	}
	return append(b, w.expand(w.line, r, w.escape)...), says, true
}

// facts returns what the line of a request says.
func (w *Writer) facts(r *Request) Facts {
	f := Facts{
		Agent: first(r.Agent, "-"), Addr: r.Client.Addr().String(), Method: r.Method, Target: r.Target,
		Time: r.Time.Truncate(time.Second), Status: r.Status, Size: r.Size,
	}
	if w.json {
		f.Agent = first(r.Agent, "")
	}
	texts := map[string]*string{
		"agent": &f.Agent, "addr": &f.Addr, "host": &f.Host, "forwarded": &f.Forwarded, "target": &f.Target,
		"claim": &f.Claim, "lossy": &f.Lossy,
	}
	for word := range strings.FieldsSeq(w.says) {
		name, value, _ := strings.Cut(word, "=")
		value = w.expand(value, r, nil)
		switch name {
		case "time": // a unit, or what it is before that of the request
			unit, _ := time.ParseDuration(value)
			if f.Time = r.Time.Truncate(unit); unit < 0 {
				f.Time = r.Time.Add(unit)
			}
		case "status":
			f.Status, _ = strconv.Atoi(value)
		case "size": // "none", or what stands for a size of 0
			if value == "none" {
				f.Size = NoSizes
			} else if f.Size == 0 {
				f.Size = NoSize
			}
		case "unclear": // where a field ends that has a quote
			f.Unclear = strings.Contains(value, `"`)
		case "divided": // a field that has a blank
			f.Unclear = strings.Contains(value, " ")
		default:
			*texts[name] = value
		}
	}
	if w.json {
		f.Agent = valid(f.Agent)
	}
	if w.keep != nil {
		w.keep(&f, r)
	}
	if w.json {
		if f.Target = valid(f.Target); strings.ContainsRune(f.Target, '\ufffd') {
			f.Lossy = "rewritten" // a byte was replaced, or is a client's own U+FFFD
		}
	}
	return f
}

// wholeAnswers are the formats whose sizes count the header fields of answers, or do so as far as
// is documented: they tell of the body only if nothing was sent. (Sizes of logs written here are
// those of bodies all the same.)
var wholeAnswers = map[string]bool{
	"w3c": true, "cloudfront": true, "cloudfront_realtime": true, "incapsula": true, "gcs_csv": true,
	"alb": true, "alb_early": true, "squid": true, "haproxy": true, "haproxy_clf": true,
	"bunny": true, "akamai_lds": true,
	"cloudflare": true, "gcp": true, "azure_front_door": true, "azure_app_gateway": true, "vercel": true, "netlify": true,
	"cloudfront_json": true, "azure_app_service": true, "kong_json": true,
}

// Of returns a writer of lines, as Expand has them, which say what says has.
func Of(line, says string, escape func(string) string, missing string) *Writer {
	return &Writer{line: line, says: says, escape: escape, missing: missing}
}

// Expand is a part of a line of Of for a request.
func (w *Writer) Expand(line string, r *Request) string { return w.expand(line, r, w.escape) }

// Writers returns the writers of all formats. byName is format.ByName, which this package
// cannot import: the tests of scan/format import it.
func Writers[F interface {
	Head() string
	Sample() string
}](byName func(name string) (F, bool)) []*Writer {
	writers := slices.Concat(textWriters(), columnWriters(), jsonWriters())
	for _, w := range writers {
		f, _ := byName(w.Format)
		w.Head, w.line = f.Head(), w.lineOf(f.Sample())
	}
	return writers
}

// first returns the first value of a header, or what a log writes if there is none.
func first(header []string, missing string) string {
	if len(header) == 0 {
		return missing
	}
	return header[0]
}

// line is the first line of the request as it was sent.
func (r *Request) line() string {
	return strings.TrimSuffix(r.Method+" "+r.Target+" "+r.Protocol, " ")
}

// bracketed is the host as it stands in a URL: an IPv6 address in brackets.
func (r *Request) bracketed() string {
	if strings.Contains(r.Host, ":") {
		return "[" + r.Host + "]"
	}
	return r.Host
}

// hostPort is the host with the port of the server.
func (r *Request) hostPort() string { return fmt.Sprintf("%s:%d", r.bracketed(), r.Port) }

// hostHeader is the header Host as browsers send it: with the port if it is not the usual.
func (r *Request) hostHeader() string {
	if r.usualPort() {
		return r.bracketed()
	}
	return r.hostPort()
}

func (r *Request) usualPort() bool {
	return r.Scheme == "http" && r.Port == 80 || r.Scheme == "https" && r.Port == 443
}

// onPath reports whether the target is a path, as nearly all are.
func (r *Request) onPath() bool { return strings.HasPrefix(r.Target, "/") }

// absolute is the target as a whole URL with the scheme that a log knows better than the client.
func (r *Request) absolute(host string) string {
	if r.onPath() {
		return r.Scheme + "://" + host + r.Target
	}
	if rest, ok := strings.CutPrefix(r.Target, "http://"); ok {
		return r.Scheme + "://" + rest
	}
	return r.Target
}

// pathQuery splits the target at its question mark.
func (r *Request) pathQuery() (path, query string) {
	path, query, _ = strings.Cut(r.Target, "?")
	return path, query
}

// or returns s, or what a log writes if it is empty.
func or(s, empty string) string {
	if s == "" {
		return empty
	}
	return s
}
