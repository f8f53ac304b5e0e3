// Package logwriter writes a request as various servers, load balancers and CDNs log it. Each writer is made from a
// sample line in the documentation of its format, and from the documented escaping. It shares no code with the readers
// in scan/format, and doesn't know the notation by which they find fields, so that misreadings on either side are
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

// Request is what a server knows about a request. Its strings hold exactly the bytes that the client sent.
type Request struct {
	// Name says what is special about the request.
	Name string

	Time                     time.Time
	Client                   netip.AddrPort
	Scheme, Host             string // the host without port, an IPv6 address without brackets
	Port                     int    // where the server listens
	Method, Target, Protocol string // Protocol is empty for HTTP/0.9
	Status                   int    // 0 if there was no answer
	Size                     int64  // of the body
	User                     string // empty if the client named none

	// Headers are nil if the client did not send them. Forwarded is X-Forwarded-For.
	Agent, Referer, Forwarded []string

	// Cookie is a header of no interest. HostHeader is the Host header if it differs from the host.
	Cookie, HostHeader string

	// Claim is a CDN's claim about the client; empty if there is none.
	Claim string
}

// Facts are what a reader can know from one line. The zero value stands for a line without any.
type Facts struct {
	Agent, Addr, Host, Forwarded, Method, Target, Claim string

	Time   time.Time // zero if the line has no readable time
	Status int
	Size   int64
	// Lossy is "decoded" or "rewritten" if the log changed the target, otherwise empty.
	Lossy string

	// Unparsed means that the line isn't a request to a reader, because it has no target.
	Unparsed bool
	// Unclear means that the ends of the line's fields are ambiguous, because the format escapes
	// nothing. A reader may leave it unparsed, but must not misread it.
	Unclear bool
}

// Sizes of Facts that mean none.
const (
	NoSize  = -1 // this line has no size
	NoSizes = -2 // the format has no sizes
)

// Writer writes requests in one format.
type Writer struct {
	// Format is the name of the format that reads the lines, and Variant the program that writes it, if there are several.
	Format, Variant string
	// Head precedes the first line of a file.
	Head string

	// line is the line of a request in the notation of expand. It is made from the sample of the
	// format, with some texts replaced: pairs of old and new ones.
	line string
	with []string
	// only lists conditions, separated by blanks, for requests that occur in such a log.
	only   string
	escape func(string) string // escapes what a client writes; nil if nothing is escaped
	// inLine is escape for the request line, if that differs.
	inLine func(string) string
	// missing stands for a header that was not sent: "" is a dash, and "none" is nothing.
	missing string
	empty   string // stands for a header without a value
	json    bool   // strings contain only UTF-8, and headers not sent are omitted
	// says lists what the line shows if that differs from the request: words of a name of Facts, an
	// equals sign and a text for expand.
	says string
	// keep changes the facts of the line in ways that says can't express. nil changes nothing.
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

// Write appends the line of a request, without line end, and returns its facts. ok is false if such
// a request never occurs in such a log.
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

// facts returns the facts of a request's line.
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
		case "time": // a unit, or text before the request's time
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
		case "unclear": // the end of a field that contains a quote
			f.Unclear = strings.Contains(value, `"`)
		case "divided": // a field that contains a blank
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
			f.Lossy = "rewritten" // a byte was replaced, or the client itself sent U+FFFD
		}
	}
	return f
}

// wholeAnswers are the formats whose sizes include the header fields of answers, or may according to the documentation.
// They show the body's size only if nothing was sent. (The sizes written here are nevertheless the bodies'.)
var wholeAnswers = map[string]bool{
	"w3c": true, "cloudfront": true, "cloudfront_realtime": true, "incapsula": true, "gcs_csv": true,
	"alb": true, "alb_early": true, "squid": true, "haproxy": true, "haproxy_clf": true,
	"bunny": true, "akamai_lds": true,
	"cloudflare": true, "gcp": true, "azure_front_door": true, "azure_app_gateway": true, "vercel": true, "netlify": true,
	"cloudfront_json": true, "azure_app_service": true, "kong_json": true,
}

// Of returns a writer of lines in the notation of Expand, with the facts in says.
func Of(line, says string, escape func(string) string, missing string) *Writer {
	return &Writer{line: line, says: says, escape: escape, missing: missing}
}

// Expand expands a part of a line of Of for a request.
func (w *Writer) Expand(line string, r *Request) string { return w.expand(line, r, w.escape) }

// Writers returns the writers of all formats. byName is format.ByName, which this package can't
// import because the tests of scan/format import this package.
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

// line returns the first line of the request as sent.
func (r *Request) line() string {
	return strings.TrimSuffix(r.Method+" "+r.Target+" "+r.Protocol, " ")
}

// bracketed returns the host as in a URL: an IPv6 address in brackets.
func (r *Request) bracketed() string {
	if strings.Contains(r.Host, ":") {
		return "[" + r.Host + "]"
	}
	return r.Host
}

// hostPort returns the host with the port of the server.
func (r *Request) hostPort() string { return fmt.Sprintf("%s:%d", r.bracketed(), r.Port) }

// hostHeader returns the Host header as browsers send it, with the port if it isn't the usual one.
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

// absolute returns the target as a whole URL with the scheme from the log's view.
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
