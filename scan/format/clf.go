package format

import (
	"bytes"
	"encoding/binary"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// The common log format and its relatives are what most logs have:
//
//	host ident user [time] "request" status bytes "referer" "user agent"
//
// common ends after bytes, combined has all fields; the vhost formats have the virtual
// host, with or without a port, before all others. After the User-Agent only the first
// quoted field is read, in which servers behind proxies log X-Forwarded-For.
// Sources: Apache's mod_log_config, nginx's predefined combined format, and
// Debian's vhost_combined.
//
// In nearly all lines every quote begins or ends a field, type lines has noted the quotes, no user
// is named, and the time has a usual length. In such ordinary lines the quotes alone locate the
// fields.

// timeLength is the length of "[10/Feb/2012:16:42:07 -0500] ", which nearly always precedes the
// quote of the request.
const timeLength = 29

// nobody is the text between the address and the time if ident and user are both unknown.
const nobody = "- - "

// nextOrdinary is Next for a request in an ordinary line, and reports whether the line is one. It
// runs for every line of most logs, so it leaves the other fields to completeOrdinary, and compares
// text at a fixed distance from a quote as a word.
func (p *programReader) nextOrdinary(r *Record, line []byte, quotes []uint16, back int) bool {
	hasAgent := p.meaning.has[userAgent]
	if len(quotes) < 2 || hasAgent && len(quotes) < 6 {
		return false
	}
	open, end := int(quotes[0])-back, int(quotes[1])-back
	stop := open - timeLength - len(nobody)
	if stop <= 0 || binary.LittleEndian.Uint64(line[stop:])&nobodyMask != nobodyWord ||
		binary.LittleEndian.Uint16(line[open-2:]) != ']'|' '<<8 || !isAnswered(line[end:]) {
		return false
	}
	from := 0
	if p.meaning.has[hostName] {
		from = field.Blank(line, 0) + 1
	}
	if !field.IsBlank(line, from, stop-1) {
		return false
	}
	request := line[open+1 : end]
	method := len("GET")
	if len(request) < len("GET /") || string(request[:len("GET /")]) != "GET /" {
		method = methodEnd(request)
		if !hasTarget(request, method) {
			return false
		}
	}
	size, sizeEnd := end+len(statusEnd), 0
	if hasAgent {
		referer, refererEnd := int(quotes[2])-back, int(quotes[3])-back
		agent, agentEnd := int(quotes[4])-back, int(quotes[5])-back
		if sizeEnd = referer - 1; agent != refererEnd+2 || line[refererEnd+1] != ' ' || sizeEnd < size ||
			line[sizeEnd] != ' ' || agentEnd+1 < len(line) && line[agentEnd+1] != ' ' {
			return false
		}
		r.Agent, r.Referer = line[agent+1:agentEnd], line[referer+1:refererEnd]
		p.quoted = agentEnd
	} else {
		sizeEnd = field.Blank(line, size)
		r.Agent, r.Referer = nil, nil
	}
	if n := sizeEnd - size; 1 <= n && n <= 8 { // more than eight bytes precede it
		r.Size = parseEight(binary.LittleEndian.Uint64(line[sizeEnd-8:sizeEnd])>>(64-8*n)<<(64-8*n), n)
	} else {
		r.Size = parseSize(line[size:sizeEnd])
	}
	if r.Size < 0 && bytes.IndexByte(line[size:sizeEnd], ' ') >= 0 {
		return false
	}
	target := request[method+1:]
	r.Robots = (target[0] != '/' || len(target) > 1 && target[1] == 'r') && isRobots(target)
	p.from, p.stop, p.open, p.method, p.end = from, stop-1, open, open+1+method, end
	return true
}

// nobodyWord is nobody and the bracket after it as a little-endian word of those bytes that nobodyMask has.
const nobodyWord, nobodyMask = '-' | ' '<<8 | '-'<<16 | ' '<<24 | '['<<32, 1<<40 - 1

// statusEnd is the end of a request and the status after it.
const statusEnd = `" 200 `

// isAnswered reports whether b begins as statusEnd does, with three digits.
func isAnswered(b []byte) bool {
	if len(b) < 8 {
		return len(b) >= len(statusEnd) && b[1] == ' ' && b[5] == ' ' && isDigit(b[2]) && isDigit(b[3]) && isDigit(b[4])
	}
	// Any byte that isn't the required digit or blank sets its highest bit in d or in the sum.
	const blanks, digits, highs = ' '<<8 | ' '<<40, '0'<<16 | '0'<<24 | '0'<<32, 0x808080808000
	d := (binary.LittleEndian.Uint64(b) ^ (blanks | digits)) & 0xffffffffff00
	return (d|(d+0x7f7676767f00))&highs == 0
}

// completeOrdinary is Complete for a line that nextOrdinary has read.
func (p *programReader) completeOrdinary(r *Record) {
	line, open, end := r.Line, p.open, p.end
	r.Host, r.Forwarded, r.Claim, r.Lossy, r.SchemeLogged, r.OwnURL = nil, nil, nil, Exact, false, false
	if p.from > 0 {
		r.Host = line[:p.from-1]
	}
	r.Addr = bareAddress(line[p.from:p.stop])
	r.Time, r.HasTime = p.moments.read(line[open+1-timeLength:open-2], p.layout, nil)
	r.Status = statusOf(line[end+2 : end+5])
	r.Method, r.Target = line[open+1:p.method], requestTarget(line[p.method+1:end], r)
	if p.meaning.has[userAgent] {
		r.Forwarded = quotedField(line, p.quoted+1)
	}
}

// isPlausibleCommon reports whether a record looks like one from a log in the common log format or
// a relative. A User-Agent that is a URL is really a referrer. In a format without User-Agent no
// quote may follow the size, because it may begin a User-Agent in an unknown format.
//
// Between the client's address and the time are ident and user. The user may contain blanks, but an
// ident other than "-" is rare. With one, the number of fields must match the format. This
// distinguishes a virtual host without a port from a client's address, and rejects lines with a
// prefix, such as syslog's.
func (p *programReader) isPlausibleCommon(r *Record) bool {
	if isURL(r.Agent) || r.Host != nil && (!plausibleHost(r.Host) || isNumberAlone(r.Host)) ||
		!p.meaning.has[userAgent] && bytes.IndexByte(r.Line[p.places.Spans[p.request+1].To:], '"') >= 0 {
		return false
	}
	ident, user := p.field(p.request-3), p.field(p.request-2)
	return bytes.IndexByte(user, ' ') < 0 || string(ident) == "-"
}

// hidesHost reports whether a line has a host before the address, which its format lacks: the log
// has changed its format. Read as the format says, the line would count for another site.
func (p *programReader) hidesHost() bool {
	if p.meaning.has[hostName] {
		return false
	}
	first, second := p.field(p.request-4), p.field(p.request-3)
	isForwarded := string(first) == "-" || bytes.HasSuffix(first, []byte(",")) // X-Forwarded-For is no host
	return string(second) != "-" && isAddressField(second) && !isAddressField(first) && !isForwarded
}

// isNumberAlone reports whether b is a number, such as a duration in seconds, but not an IPv4
// address.
func isNumberAlone(b []byte) bool { return isNumeric(b) && bytes.Count(b, []byte(".")) < 3 }

// quotedField returns the first quoted field at or after the end of another field, or nil if there
// is none.
func quotedField(line []byte, at int) []byte {
	from, end := quotedAt(line, at)
	if from < 0 {
		return nil
	}
	return line[from:end]
}

// quotedAt returns the bounds of the field that quotedField returns; from is -1 if there is none.
func quotedAt(line []byte, at int) (from, end int) {
	for at < len(line) {
		quote := bytes.IndexByte(line[at:], '"')
		if quote < 0 {
			break
		}
		at += quote + 1
		if line[at-2] != ' ' {
			continue // a quote within a field
		}
		end := quoteEnd(line, at)
		if end < 0 || end+1 < len(line) && line[end+1] != ' ' {
			break
		}
		return at, end
	}
	return -1, -1
}

// quoteEnd returns the index of the first unescaped quote at or after from, or -1 if there is none.
func quoteEnd(line []byte, from int) int {
	for at := from; ; at++ {
		n := bytes.IndexByte(line[at:], '"')
		if n < 0 {
			return -1
		}
		at += n
		if at == from || line[at-1] != '\\' || !field.IsEscaped(line[from:at]) {
			return at
		}
	}
}
