package format

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// clf reads the NCSA common log format and its relatives:
//
//	host ident user [time] "request" status bytes "referer" "user agent"
//
// common ends after bytes, combined has all fields; the vhost formats have the virtual
// host, with or without a port, before all others. After the User-Agent only the first
// quoted field is read, in which servers behind proxies log X-Forwarded-For.
// Sources: Apache's mod_log_config, nginx's predefined combined format, and
// Debian's vhost_combined.
//
// Next is called for every line of a log, so it is written as a walk from quote
// to quote. Two things complicate it. A quote inside a field is written \" by
// Apache, so a quote after an odd number of backslashes is part of the field;
// nginx writes \x22. And a server that escapes nothing, as old ones did not,
// leaves quotes in the request as they came; the end of the request is therefore
// the quote that a status follows.
//
// In nearly all lines every quote begins or ends a field, and type lines has noted
// their places. If these are as in an ordinary line, the walk is left out, since
// it would stop at the same quotes.
type clf struct {
	lines
	vhost, agent bool
	words        func() Reader
	moments      moments
	unescaped    []byte // the fields of the line that had escapes

	// Of the line that Next returned last:
	ordinary                      bool  // it has no backslash, and its quotes are as in an ordinary line
	method, request, status, size field // size is zero if Next did not look for it
	addrEnd                       int   // end of the client's address, set by Complete
	agentEnd                      int   // index of the quote behind the User-Agent, 0 if there is none
}

// field is a range of a line.
type field struct{ start, end int }

// newCLF returns a reader. words returns one by the words of the format, which tells what is wrong
// with a line.
func newCLF(f *Format, words func(*Format) Reader) Reader {
	return &clf{lines: lines{marked: quoted}, vhost: f.HasHost(), agent: f.HasAgent(), words: func() Reader { return words(f) }}
}

// timeLength is the length of "[10/Feb/2012:16:42:07 -0500] ", which nearly
// always stands before the request's quote.
const timeLength = 29

func (c *clf) Next(r *Record) Kind {
	if c.at >= len(c.chunk) {
		return End
	}
	line, quotes, back := c.cut()
	r.Line = line
	c.ordinary = c.splitOrdinary(r, quotes, back)
	switch {
	case c.ordinary || c.split(r):
		return Request
	case len(line) == 0:
		return Blank
	}
	return Unparsed
}

// splitOrdinary does the work of split for ordinary lines, from the places of the quotes
// that lines.cut returns. If it returns true, split would have the same result.
func (c *clf) splitOrdinary(r *Record, quotes []uint16, back int) bool {
	if len(quotes) < 2 {
		return false
	}
	line := r.Line
	open, end := int(quotes[0])-back, int(quotes[1])-back
	if open <= timeLength || line[open-1] != ' ' || line[open-2] != ']' || line[open-timeLength] != '[' ||
		!isStatus(line[end+1:]) || !c.setRequest(r, open+1, end) {
		return false
	}
	if !c.agent {
		c.size, r.Agent, r.Referer, c.agentEnd = field{}, nil, nil, 0
		return true
	}
	if len(quotes) < 6 {
		return false
	}
	size := c.status.end + 1
	referer, refererEnd, agent, agentEnd := int(quotes[2])-back, int(quotes[3])-back, int(quotes[4])-back, int(quotes[5])-back
	if agent != refererEnd+2 || line[refererEnd+1] != ' ' || line[referer-1] != ' ' ||
		hasBlank(line, size, referer-1) || agentEnd+1 < len(line) && line[agentEnd+1] != ' ' {
		return false
	}
	c.size = field{size, referer - 1}
	r.Agent, r.Referer, c.agentEnd = line[agent+1:agentEnd], line[referer+1:refererEnd], agentEnd
	return true
}

// hasBlank tells whether there is a blank in line[from:end], or from is behind end.
// Nearly always the range has up to eight octets.
func hasBlank(line []byte, from, end int) bool {
	n := end - from
	if n < 0 || n > 8 || from+8 > len(line) {
		return n < 0 || bytes.IndexByte(line[from:end], ' ') >= 0
	}
	return blanksIn(binary.LittleEndian.Uint64(line[from:]))<<(64-8*n) != 0
}

// blanksIn sets the highest bit of each octet that is a blank. Octets behind the first
// blank may have it set, too.
func blanksIn(octets uint64) uint64 {
	const blanks, ones, highs = 0x2020202020202020, 0x0101010101010101, 0x8080808080808080
	x := octets ^ blanks
	return (x - ones) &^ x & highs
}

// setRequest notes where the request, its method and the status behind it are, and sets
// r.Robots. It tells whether the request has a method and a target.
func (c *clf) setRequest(r *Record, from, end int) bool {
	line := r.Line
	method, absolute := len("GET"), false
	if request := line[from:end]; len(request) < len("GET /") || string(request[:len("GET /")]) != "GET /" {
		if method = methodEnd(request); !hasTarget(request, method) {
			return false
		}
		absolute = request[method+1] != '/'
	}
	const robots = " /robots.txt"
	target := line[from+method:]
	r.Robots = len(target) >= len(robots) && string(target[:len(robots)]) == robots ||
		absolute && urlHasRobots(line[from+method+1:end])
	c.request, c.method = field{from, end}, field{from, from + method}
	from = end + 2 // past the quote and the blank
	end = from + 3
	if line[from] == '-' {
		end = from + 1
	}
	c.status = field{from, end}
	return true
}

// split finds the request and the User-Agent of the line, and tells whether it has
// both.
func (c *clf) split(r *Record) bool {
	line := r.Line
	r.Agent, r.Referer, c.agentEnd, c.size, c.unescaped = nil, nil, 0, field{}, c.unescaped[:0]
	open := requestQuote(line)
	if open < 0 {
		return false
	}
	end := requestEnd(line, open+1)
	if end < 0 || !c.setRequest(r, open+1, end) {
		return false
	}
	if !c.agent {
		return true
	}
	// The size; then the referer and the agent, each in quotes.
	end = fieldEnd(line, c.status.end+1)
	if end+1 >= len(line) || line[end+1] != '"' {
		return false
	}
	end += 2
	referer := end
	if end+1 < len(line) && line[end] == '-' && line[end+1] == '"' {
		end++ // no referer, as most crawlers' requests have none
	} else {
		end = quoteEnd(line, end)
	}
	if end < 0 || end+2 >= len(line) || line[end+1] != ' ' || line[end+2] != '"' {
		return false
	}
	r.Referer = line[referer:end]
	from := end + 3
	end = quoteEnd(line, from)
	if end < 0 || end+1 < len(line) && line[end+1] != ' ' {
		return false
	}
	r.Agent, c.agentEnd = c.sent(line[from:end]), end
	return true
}

// sent returns a field as the client sent it: a view of the line, or of a buffer if
// the log's escaping has to be undone.
func (c *clf) sent(b []byte) []byte {
	if c.ordinary || bytes.IndexByte(b, '\\') < 0 {
		return b
	}
	from := len(c.unescaped)
	c.unescaped = unescape(c.unescaped, b)
	return c.unescaped[from:]
}

// requestQuote returns the index of the quote that opens the request: the first one
// behind "] ", because the user's name may have quotes too. It is -1 if there is none or
// the line begins with the time.
func requestQuote(line []byte) int {
	for at := 0; ; at++ {
		n := bytes.IndexByte(line[at:], '"')
		if n < 0 {
			return -1
		}
		at += n
		if at < 4 || line[at-1] != ' ' || line[at-2] != ']' {
			continue
		}
		if at > timeLength && line[at-timeLength] == '[' || bytes.IndexByte(line[1:at], '[') >= 0 {
			return at
		}
		return -1
	}
}

// requestEnd returns the index of the quote that closes the request: the first that is
// not escaped and has a status behind it; -1 if there is none.
func requestEnd(line []byte, from int) int {
	for {
		at := quoteEnd(line, from)
		if at < 0 || isStatus(line[at+1:]) {
			return at
		}
		from = at + 1
	}
}

// isStatus tells whether b is a blank, three digits or a dash, and a blank.
func isStatus(b []byte) bool {
	if len(b) >= 5 && b[0] == ' ' && isDigit(b[1]) && isDigit(b[2]) && isDigit(b[3]) && b[4] == ' ' {
		return true
	}
	return len(b) >= 3 && b[0] == ' ' && b[1] == '-' && b[2] == ' '
}

// quoteEnd returns the index of the first quote at or after from that is not
// escaped, -1 if there is none.
func quoteEnd(line []byte, from int) int {
	for at := from; ; at++ {
		n := bytes.IndexByte(line[at:], '"')
		if n < 0 {
			return -1
		}
		at += n
		if at == from || line[at-1] != '\\' || !escaped(line[from:at]) {
			return at
		}
	}
}

// escaped tells whether b ends in an odd number of backslashes.
func escaped(b []byte) bool {
	return (len(b)-len(bytes.TrimRight(b, `\`)))%2 == 1
}

// fieldEnd returns the index of the blank that ends the field at from, or the
// end of the line.
func fieldEnd(line []byte, from int) int {
	for from < len(line) && line[from] != ' ' {
		from++
	}
	return min(from, len(line))
}

// hasTarget tells whether request[:method] is a method, behind which are a blank and one
// of the four forms of a request target (RFC 9112 3.2).
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

// tokenBytes are the bytes of which a method may consist (RFC 9110 5.6.2).
var tokenBytes = func() (t [256]bool) {
	for _, c := range []byte("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		t[c] = true
	}
	return t
}()

// schemeEnd returns the index of "://" in an absolute-form target, -1 if it is
// none.
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

// urlHasRobots tells whether there is /robots.txt behind the authority of an absolute-form
// target, or anywhere in a target of another form.
func urlHasRobots(target []byte) bool {
	if end := schemeEnd(target); end >= 0 {
		target = target[end+len("://"):]
		target = target[max(bytes.IndexByte(target, '/'), 0):]
	}
	return bytes.Contains(target, []byte("/robots.txt"))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (c *clf) Complete(r *Record) {
	line := r.Line
	from, end := 0, firstBlank(line, 0)
	r.Host, r.Claim, r.Lossy, r.SchemeLogged = nil, nil, Exact, false
	if c.vhost {
		r.Host = c.sent(line[:end])
		from = min(end+1, len(line))
		end = firstBlank(line, from)
	}
	r.Addr, c.addrEnd = bareAddress(c.sent(line[from:end])), end

	before := line[:c.request.start-len(`] "`)]
	open := openBracket(before)
	r.Time, r.HasTime = c.moments.read(before[open+1:], clfTime, nil)
	if identity := before[min(end, open):open]; c.vhost && len(identity) > len(" - - ") && namesAddress(identity) {
		r.Addr = r.Addr[:0] // it may be part of the header Host
	}

	r.Status = statusOf(line[c.status.start:c.status.end])
	if c.size.end == 0 {
		size := min(c.status.end+1, len(line))
		c.size = field{size, fieldEnd(line, size)}
	}
	r.Size = parseSize(line, c.size)
	r.Forwarded = nil
	if c.agentEnd > 0 {
		r.Forwarded = c.sent(quotedField(line, c.agentEnd+1))
	}
	c.completeRequest(r)
}

// namesAddress reports whether one of the words of b is an IP address.
func namesAddress(b []byte) bool {
	for word := range bytes.FieldsSeq(b) {
		if isAddress(word) {
			return true
		}
	}
	return false
}

// openBracket returns the index of the bracket that opens the time at the end of b.
func openBracket(b []byte) int {
	if open := len(b) - (timeLength - len("] ")); open >= 0 && b[open] == '[' {
		return open
	}
	return bytes.LastIndexByte(b, '[')
}

// Plausible also checks the parts of the line that are no field of a record. In a
// format without a User-Agent no quote may follow the size: it may begin one, in
// an unknown format.
//
// Between the client's address and the time are ident and user. The user may have
// blanks in it, but an ident other than "-" is rare: with one, the number of fields
// must be as in the format. This distinguishes a virtual host without a port from a
// client's address, and refuses lines with a prefix, such as those of syslog.
func (c *clf) Plausible(r *Record) bool {
	if !plausibleClient(r) || isURL(r.Agent) || !c.agent && bytes.IndexByte(r.Line[c.status.end:], '"') >= 0 {
		return false
	}
	before := r.Line[:c.request.start-len(`] "`)]
	before = before[:bytes.LastIndexByte(before, '[')]
	identity := before[min(c.addrEnd, len(before)):]
	const blanks = 3 // around ident and user
	n := bytes.Count(identity, []byte(" "))
	return n == blanks || n > blanks && bytes.HasPrefix(identity, []byte(" - "))
}

// firstBlank is fieldEnd, made for fields that nearly always have up to 15 octets.
func firstBlank(line []byte, from int) int {
	for range 2 {
		if from+8 > len(line) {
			break
		}
		if blanks := blanksIn(binary.LittleEndian.Uint64(line[from:])); blanks != 0 {
			return from + bits.TrailingZeros64(blanks)/8
		}
		from += 8
	}
	return fieldEnd(line, from)
}

// quotedField returns the first field in quotes at or behind from, which is the
// end of another field; nil if there is none.
func quotedField(line []byte, from int) []byte {
	for from < len(line) {
		quote := bytes.IndexByte(line[from:], '"')
		if quote < 0 {
			return nil
		}
		from += quote + 1
		if line[from-2] != ' ' {
			continue // a quote within a field
		}
		end := quoteEnd(line, from)
		if end < 0 || end+1 < len(line) && line[end+1] != ' ' {
			return nil
		}
		return line[from:end]
	}
	return nil
}

// completeRequest sets the method and the target.
func (c *clf) completeRequest(r *Record) {
	r.Method = r.Line[c.method.start:c.method.end]
	r.Target = c.sent(requestTarget(r.Line[c.method.end+1:c.request.end], r))
}

// parseSize reads a size in bytes: -1 if the field is not a number or has more than 18
// digits.
func parseSize(line []byte, at field) int64 {
	n := at.end - at.start
	if 1 <= n && n <= 8 && at.start+8 <= len(line) {
		return parseEight(binary.LittleEndian.Uint64(line[at.start:]), n)
	}
	if n == 0 || n > 18 {
		return -1
	}
	size := int64(0)
	for _, c := range line[at.start:at.end] {
		if !isDigit(c) {
			return -1
		}
		size = size*10 + int64(c-'0')
	}
	return size
}

// parseEight is parseSize for the first n octets of a little-endian word, 1 to 8. It has
// no loop over them: n changes from line to line, so its branch would be mispredicted.
func parseEight(octets uint64, n int) int64 {
	const zeros, highs = 0x3030303030303030, 0x8080808080808080
	d := (octets ^ zeros) << (64 - 8*n) // with zeros before the first digit
	if (d|(d+0x7676767676767676))&highs != 0 {
		return -1
	}
	// Adjacent numbers are joined: to two digits, then to four, then to eight.
	d = d*10 + d>>8
	d = d&0x000000ff000000ff*(100+1000000<<32) + d>>16&0x000000ff000000ff*(1+10000<<32)
	return int64(d >> 32)
}
