package format

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/table"
)

// part is the meaning of a log field. The engines of this package only find the raw fields of a
// line. values converts them to a Record, so that a part means the same in all formats.
type part uint8

// The parts. If a line has several overlapping parts, the first counts: a request line, a target, a
// path.
const (
	ignored       part = iota
	clientAddr         // the client's address or name, optionally with a port or in brackets
	forwardedFor       // the header X-Forwarded-For
	hostName           // the host, optionally with a port
	serverPort         // the port of the host
	ownPort            // the port of a server that may be behind a proxy: 443 means https, others mean nothing
	schemeName         // http or https
	tlsInUse           // "on" or a version of TLS if the connection was encrypted; empty, "-" or "off" if not
	userAgent          // the header User-Agent
	requestLine        // method, target and protocol, separated by blanks
	methodName         // the method
	target             // path and query as they were sent, or a whole URL
	path               // the path as it was sent, without the query
	hostPath           // the host followed by the path, without a scheme: "www.example.com/a"
	hostTarget         // the same with the query, optionally after a slash
	decodedPath        // the percent-decoded path, Record.Lossy
	rewrittenPath      // the path after rewriting by the server, possibly with a query, Record.Lossy
	query              // the query, with or without its question mark; empty or "-" if there was none
	statusCode         // the status
	bodySize           // the bytes sent, counting only the body as far as known
	sentSize           // the bytes sent, including header fields, so not the size of a body
	moment             // date and time
	day                // the date alone
	timeOfDay          // the time of day alone
	botClaim           // what the log's writer says about the client, Record.Claim
	referrer           // the header Referer
	allParts
)

// meaning defines the fields of a format and how they are written. It is part of a Format and
// immutable.
type meaning struct {
	has    [allParts]bool     // the format has a field for the part
	spell  [allParts]spelling // how the field is written
	layout layout             // layout of its times; nil without times
	zone   *time.Location     // for times without one; nil is UTC
}

// values holds the raw fields of one line. The reader of a format finds them and sets text; next
// and complete convert them to a record. It is not safe for concurrent use.
type values struct {
	meaning
	text    [allParts][]byte // nil if the line has no such field
	asked   part             // the part with the target of this line, if next found one
	plain   bool             // the line contains no backslash
	buf     []byte           // record fields that aren't views of the line
	moments moments
}

// begin forgets the previous line.
func (v *values) begin() {
	clear(v.text[:])
	v.buf = v.buf[:0]
}

// sent returns a part as the client sent it.
func (v *values) sent(p part) []byte { return v.undone(v.text[p], v.spell[p]) }

// undone returns a raw field as the client sent it. It is a view of the line, or of a buffer if the
// log's own escaping must be undone.
func (v *values) undone(raw []byte, s spelling) []byte {
	if s.undo == nil || v.plain && s.escape == '\\' || s.escape != 0 && bytes.IndexByte(raw, s.escape) < 0 {
		return raw
	}
	from := len(v.buf)
	v.buf = s.undo(v.buf, raw)
	return v.buf[from:len(v.buf):len(v.buf)]
}

// next is Reader.Next after the fields have been found. It sets r.Agent, r.Referer, r.Robots and
// r.Size, and reports whether the line is a request.
func (v *values) next(r *Record) bool {
	r.Agent, r.Referer, r.Robots = nil, nil, false
	asked := v.findTarget()
	if asked == nil {
		return false
	}
	r.Robots = isRobots(asked)
	if v.has[userAgent] {
		r.Agent = v.sent(userAgent)
		if r.Agent == nil {
			r.Agent = []byte{} // this request had none
		}
	}
	if v.has[referrer] {
		r.Referer = v.sent(referrer)
	}
	r.Size = v.size()
	return true
}

// without returns the kind of a line in which next has found no target. It is NoRequest if the
// connection carried no HTTP request: the request is "-", empty or not HTTP text, the status is
// 400, 408, below 100 or missing, and there is no User-Agent. Otherwise it is Unparsed. All parts
// of the line must be set.
func (v *values) without(r *Record) Kind {
	status := statusOf(v.text[statusCode])
	if status != 400 && status != 408 && status >= 100 || !isNothing(v.sent(userAgent)) {
		return Unparsed
	}
	for _, p := range targetParts {
		if asked := v.text[p]; v.has[p] && !isNothing(asked) && (p != requestLine || isHTTP(asked)) {
			return Unparsed
		}
	}
	r.Time, r.HasTime = v.time()
	return NoRequest
}

func isNothing(field []byte) bool { return len(field) == 0 || string(field) == "-" }

// isHTTP reports whether a request line has a method and a protocol, with anything between them.
func isHTTP(request []byte) bool {
	n := methodEnd(request)
	return n > 0 && bytes.Contains(request[n:], []byte(" HTTP/"))
}

// targetParts are the parts that contain the target, best first.
var targetParts = [...]part{requestLine, target, path, hostPath, hostTarget, decodedPath, rewrittenPath}

// isEarly reports whether Reader.Next needs a part.
func (p part) isEarly() bool {
	return p == userAgent || p == referrer || p == methodName || p == bodySize || p == sentSize ||
		slices.Contains(targetParts[:], p)
}

// targetPart returns the first part of the format that contains the target.
func (m *meaning) targetPart() part {
	for _, p := range targetParts {
		if m.has[p] {
			return p
		}
	}
	return ignored
}

// findTarget sets v.asked to the first part with a target in this line. It returns the target as
// logged, or nil if there is none.
func (v *values) findTarget() []byte {
	for _, p := range targetParts {
		asked := v.text[p]
		if !v.has[p] || len(asked) == 0 {
			continue
		}
		v.asked = p
		switch {
		case p == requestLine:
			if method := methodEnd(asked); hasTarget(asked, method) {
				return asked[method+1:]
			}
		case p == hostPath:
			asked = v.sent(p)
			if i := bytes.IndexByte(asked, '/'); i > 0 {
				v.asked, v.text[hostName], v.text[path] = path, asked[:i], asked[i:]
				return asked[i:]
			}
		case p == hostTarget:
			asked = bytes.TrimPrefix(v.sent(p), []byte("/"))
			if i := bytes.IndexByte(asked, '/'); i > 0 {
				v.asked, v.text[hostName], v.text[target] = target, asked[:i], asked[i:]
				return asked[i:]
			}
		case asked[0] == '/', string(asked) == "*",
			p == target && (schemeEnd(asked) > 0 || string(v.text[methodName]) == "CONNECT"):
			return asked
		}
	}
	return nil
}

// rooted adds the initial slash to a path, which some servers omit.
func (v *values) rooted(path []byte) []byte {
	if string(path) == "-" {
		path = nil
	}
	if len(path) > 0 && path[0] == '/' {
		return path
	}
	from := len(v.buf)
	v.buf = append(append(v.buf, '/'), path...)
	return v.buf[from:len(v.buf):len(v.buf)]
}

// complete is Reader.Complete.
func (v *values) complete(r *Record) {
	r.Status = statusOf(v.text[statusCode])
	r.Time, r.HasTime = v.time()
	r.Addr, r.Forwarded = bareAddress(v.sent(clientAddr)), v.sent(forwardedFor)
	r.Claim = v.sent(botClaim)
	v.completeHost(r)
	v.completeTarget(r)
}

// size returns the size of the body. If the log only has the size of the whole answer, the result
// shows only whether anything was sent.
func (v *values) size() int64 {
	p := bodySize
	if len(v.text[p]) == 0 && v.has[sentSize] {
		p = sentSize
	}
	if !v.has[p] {
		return NoSizes
	}
	size := parseSize(v.text[p])
	if p == sentSize && size > 0 {
		return NoSizes
	}
	return size
}

// bareAddress returns an address without its port and brackets. It returns a client's name
// unchanged.
func bareAddress(b []byte) []byte {
	if n := len(b); 8 <= n && n <= 16 && isBelowColon(eight(b)) && isBelowColon(eight(b[n-8:])) {
		return b // most are IPv4
	}
	if bytes.IndexByte(b, ':') < 0 && !bytes.HasPrefix(b, []byte("[")) {
		return b
	}
	colon := bytes.LastIndexByte(b, ':')
	switch {
	case b[0] == '[':
		if end := bytes.IndexByte(b, ']'); end > 0 {
			return b[1:end]
		}
	case colon > 0 && isNumeric(b[:colon]), colon == 1 && b[0] == '-', isPortAt(colon+1, b):
		return b[:colon]
	}
	return b
}

// isBelowColon reports whether all of eight bytes are below the colon, as digits and dots are.
func isBelowColon(eight uint64) bool {
	return (eight|(eight+(0x80-':')*0x0101010101010101))&0x8080808080808080 == 0
}

// isPortAt reports whether the last group of an IPv6 address without brackets is a port, as AWS's load
// balancers write it: a number that is longer than a group, or the ninth group. Of fewer groups with a
// shorter number nobody can tell.
func isPortAt(at int, b []byte) bool {
	const groups, longestGroup, longestPort = 8, 4, 5
	last := b[at:]
	return len(last) > 0 && len(last) <= longestPort && isDigits(last) &&
		(len(last) > longestGroup || bytes.Count(b, []byte(":")) == groups) && plausibleAddress(b[:at-1])
}

// isNumeric reports whether b has only digits and dots, like an IPv4 address.
func isNumeric(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) && c != '.' {
			return false
		}
	}
	return true
}

// statusOf parses three digits. It returns 0 for anything else.
func statusOf(b []byte) int {
	if len(b) != 3 || !isDigit(b[0]) || !isDigit(b[1]) || !isDigit(b[2]) {
		return 0
	}
	return int(b[0]-'0')*100 + int(b[1]-'0')*10 + int(b[2]-'0')
}

// time parses the time of the line.
func (v *values) time() (nanos int64, ok bool) {
	switch {
	case v.layout == nil:
		return 0, false
	case v.has[moment] && (len(v.text[moment]) > 0 || !v.has[timeOfDay]):
		return v.moments.read(v.sent(moment), v.layout, v.zone)
	}
	from := len(v.buf)
	v.buf = append(append(append(v.buf, v.text[day]...), ' '), v.text[timeOfDay]...)
	return v.moments.read(v.buf[from:], v.layout, v.zone)
}

// completeHost sets the host, with the port after it if the log has one.
func (v *values) completeHost(r *Record) {
	r.Host = nil
	if !v.has[hostName] {
		return
	}
	r.Host = v.sent(hostName)
	if r.Host == nil {
		r.Host = []byte{} // this line has none
	}
	port := v.text[serverPort]
	if len(r.Host) == 0 || string(r.Host) == "-" || len(port) == 0 || string(port) == "-" || hasPort(r.Host) {
		return
	}
	from := len(v.buf)
	v.buf = append(append(append(v.buf, r.Host...), ':'), port...)
	r.Host = v.buf[from:len(v.buf):len(v.buf)]
}

func hasPort(host []byte) bool {
	colon := bytes.LastIndexByte(host, ':')
	return colon >= 0 && (colon == bytes.IndexByte(host, ':') || host[colon-1] == ']')
}

// completeTarget sets the method and the target. The target is in absolute form if the log shows
// scheme and host.
func (v *values) completeTarget(r *Record) {
	r.Truncated, r.Lossy, r.SchemeLogged, r.OwnURL = false, Exact, false, false
	r.Method = v.sent(methodName)
	p := v.asked
	switch p {
	case requestLine:
		line := v.text[p]
		n := methodEnd(line)
		r.Method, r.Target = line[:n], v.undone(requestTarget(line[n+1:], r), v.spell[p])
	case target:
		r.Target = v.sent(p)
		r.OwnURL = schemeEnd(r.Target) > 0
	default:
		r.Target = v.pathAndQuery(p)
		switch {
		case p == rewrittenPath, !v.has[query] && bytes.IndexByte(r.Target, '?') < 0: // a query may be missing
			r.Lossy = Rewritten
		case p == decodedPath:
			r.Lossy = Decoded
		}
	}
	if len(r.Method) == 0 {
		r.Method = usualMethod
	}
	name := v.schemeOf()
	if name == "" {
		return
	}
	from := len(v.buf)
	switch end := schemeEnd(r.Target); {
	case r.Target[0] == '/' && len(r.Host) > 0 && string(r.Host) != "-":
		v.buf = append(append(append(append(v.buf, name...), "://"...), r.Host...), r.Target...)
	case end > 0 && (bytes.EqualFold(r.Target[:end], []byte("http")) || bytes.EqualFold(r.Target[:end], []byte(name))):
		v.buf = append(append(v.buf, name...), r.Target[end:]...) // a proxy may have used TLS with the client
	default:
		return
	}
	r.Target, r.SchemeLogged = v.buf[from:len(v.buf):len(v.buf)], true
}

// pathAndQuery joins a path and the query. In a decoded path, question marks and number signs must
// have been encoded, because otherwise they would have ended it.
func (v *values) pathAndQuery(p part) []byte {
	path, query := v.sent(p), v.sent(query)
	if p == decodedPath && endOctets.Index(path) < len(path) {
		from := len(v.buf)
		v.buf = appendEncoded(v.buf, path, "?#")
		path = v.buf[from:len(v.buf):len(v.buf)]
	}
	query = bytes.TrimPrefix(query, []byte("?"))
	// The asterisk is a complete target (RFC 9112 3.2.4) without a query.
	if len(query) == 0 || string(query) == "-" || string(path) == "*" {
		return path
	}
	from := len(v.buf)
	v.buf = append(append(append(v.buf, path...), '?'), query...)
	return v.buf[from:len(v.buf):len(v.buf)]
}

// endOctets are the bytes that end a path.
var endOctets = table.NewClasses("?#", "")

func appendEncoded(dst, text []byte, octets string) []byte {
	for _, c := range text {
		if strings.IndexByte(octets, c) < 0 {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		}
	}
	return dst
}

// schemeOf returns http or https if the log shows which, otherwise "".
func (v *values) schemeOf() string {
	switch name := v.text[schemeName]; {
	case len(name) == len("https") && bytes.EqualFold(name, []byte("https")):
		return "https"
	case len(name) == len("http") && bytes.EqualFold(name, []byte("http")):
		return "http"
	case string(v.text[ownPort]) == "443":
		return "https"
	case !v.has[tlsInUse]:
		return ""
	}
	switch string(v.sent(tlsInUse)) {
	case "", "-", "off":
		return "http"
	}
	return "https"
}

// plausible is Reader.Plausible for records from complete.
func (v *values) plausible(r *Record) bool {
	return (r.HasTime || v.layout == nil) && (!v.has[clientAddr] || plausibleAddress(r.Addr)) &&
		(len(r.Host) == 0 || string(r.Host) == "-" || plausibleHost(r.Host)) &&
		(!v.has[statusCode] || r.Status != 0 || len(bytes.Trim(v.text[statusCode], "-0")) == 0)
}

// spelling describes how a log encodes bytes. The zero value writes all bytes unchanged.
type spelling struct {
	// escape begins every encoded sequence. If it is 0, undo is needed for every field.
	escape byte
	// rootless means that paths may lack their initial slash.
	rootless bool
	// undo appends a field to dst as the client sent it.
	undo func(dst, field []byte) []byte
}

// parseSize parses a size in bytes. It returns -1 if the field isn't a number or has more than 18
// digits.
func parseSize(b []byte) int64 {
	n := len(b)
	switch {
	case 4 <= n && n <= 8:
		first, last := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[n-4:])
		return parseEight(uint64(first)<<(64-8*n)|uint64(last)<<32, n)
	case 1 <= n && n <= 3:
		return parseEight(uint64(b[0])<<(64-8*n)|uint64(b[n/2])<<(64-8*(n-n/2))|uint64(b[n-1])<<56, n)
	case n == 0 || n > 18:
		return -1
	}
	size := int64(0)
	for _, c := range b {
		if !isDigit(c) {
			return -1
		}
		size = size*10 + int64(c-'0')
	}
	return size
}

// parseEight is parseSize for the last n bytes of a little-endian word, 1 to 8; the others are 0.
// It has no loop over n and no return for other bytes, because both change from line to line, so the
// branches would be mispredicted.
func parseEight(word uint64, n int) int64 {
	const zeros, highs = 0x3030303030303030, 0x8080808080808080
	d := word ^ zeros<<(64-8*n) // with zeros before the first digit
	isOther := (d | (d + 0x7676767676767676)) & highs
	// Join adjacent numbers to two digits, then to four, then to eight.
	d = d*10 + d>>8
	d = d&0x000000ff000000ff*(100+1000000<<32) + d>>16&0x000000ff000000ff*(1+10000<<32)
	size := int64(d >> 32)
	if isOther != 0 {
		size = -1
	}
	return size
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isAddress reports whether b looks like an IP address.
func isAddress(b []byte) bool {
	return isNumeric(b) && bytes.IndexByte(b, '.') > 0 || bytes.IndexByte(b, ':') >= 0 && plausibleAddress(b)
}

// hasTarget reports whether request[:method] is a method, followed by a blank and one of the four
// forms of a request target (RFC 9112 3.2).
func hasTarget(request []byte, method int) bool {
	if method <= 0 || method+1 >= len(request) || request[method] != ' ' {
		return false
	}
	target := request[method+1:]
	switch c := target[0]; {
	case c == '/':
		return true
	case c == '*':
		return len(target) == 1 || target[1] == ' '
	case string(request[:method]) == "CONNECT":
		return c != ' '
	default:
		return schemeEnd(target) > 0
	}
}

// methodEnd returns the length of the token at the start of a request line.
func methodEnd(request []byte) int {
	if len(request) > len("GET ") && string(request[:len("GET ")]) == "GET " {
		return len("GET")
	}
	i := 0
	for i < len(request) && tokenBytes[request[i]] {
		i++
	}
	return i
}

// tokenBytes are the bytes of a method (RFC 9110 5.6.2).
var tokenBytes = func() (t [256]bool) {
	for _, c := range []byte("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		t[c] = true
	}
	return t
}()

// usualMethod is by far the most frequent method, assumed for formats without one.
var usualMethod = []byte("GET")

// requestTarget returns what stands between the method and the protocol of a request line. A target
// may contain blanks, so it ends where the protocol begins. A request without a protocol is
// HTTP/0.9, except that with the answer 414 the server stopped reading and logged the beginning of
// the target.
func requestTarget(b []byte, r *Record) []byte {
	const protocol1 = " HTTP/1."
	if at := len(b) - len(protocol1) - 1; at > 0 && string(b[at:at+len(protocol1)]) == protocol1 {
		r.Truncated = false
		return b[:at]
	}
	line := bytes.TrimRight(b, " ") // nginx accepts blanks after the protocol, and logs them
	end := bytes.LastIndexByte(line, ' ')
	protocol := end > 0 && bytes.HasPrefix(line[end+1:], []byte("HTTP/"))
	r.Truncated = !protocol && r.Status == 414
	if protocol {
		return b[:end]
	}
	return b
}

// schemeEnd returns the index of "://" in an absolute-form target, or -1 if there is none.
func schemeEnd(target []byte) int {
	for i, c := range target {
		if 'a' <= c|0x20 && c|0x20 <= 'z' || i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.') {
			continue
		}
		if i > 0 && bytes.HasPrefix(target[i:], []byte("://")) {
			return i
		}
		return -1
	}
	return -1
}

// isRobots returns Record.Robots for a target.
func isRobots(target []byte) bool {
	const robots = "/robots.txt"
	if target[0] == '/' {
		return len(target) >= len(robots) && string(target[:len(robots)]) == robots
	}
	if end := schemeEnd(target); end >= 0 {
		target = target[end+len("://"):]
		target = target[max(bytes.IndexByte(target, '/'), 0):]
	}
	return bytes.Contains(target, []byte(robots))
}

// plausibleAddress reports whether b may be a client's address or name. It accepts a dash for an
// unknown client, as with a Unix socket.
func plausibleAddress(b []byte) bool {
	if bytes.IndexByte(b, ':') < 0 {
		return plausibleHost(b) || string(b) == "-"
	}
	address, _, _ := bytes.Cut(b, []byte("%")) // IPv6 with its zone
	for _, c := range address {
		if c != ':' && c != '.' && !isHex(c) {
			return false
		}
	}
	const most = 7 // colons in an IPv6 address
	n := bytes.Count(address, []byte(":"))
	return n <= most && (n == most || bytes.Contains(address, []byte("::")))
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// plausibleHost reports whether b may be a host name, with or without a port.
func plausibleHost(b []byte) bool {
	letters := 0
	for _, c := range b {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 || isDigit(c):
			letters++
		case bytes.IndexByte([]byte(".-_:[]"), c) < 0:
			return false
		}
	}
	return letters > 0 && isoTimeLength(b) == 0
}
