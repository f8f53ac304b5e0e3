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
const nobody = " - - "

// nextOrdinary is Next for a request in an ordinary line. It reports whether the next line is one; if
// not, it doesn't take it.
//
// It runs for every line of most logs. So it leaves the other fields to completeOrdinary, compares text
// at a fixed distance from a quote as a word, and has few branches that depend on the line, and few
// calls, around which it would have to save its variables.
func (p *programReader) nextOrdinary(r *Record) bool {
	newline := p.afterQuotes(p.i + p.quotes)
	if newline >= p.n {
		return p.index() && p.nextOrdinary(r)
	}
	part, marks := p.part(), (*[6]uint16)(p.marks[p.i:p.i+6])
	begin, open, end, stop := p.at-p.from, int(marks[0]), int(marks[1]), int(p.marks[newline])
	addr, addrEnd := begin, open-timeLength-len(nobody)
	if p.has[hostName] {
		addr += field.Blank(part[begin:], 0) + 1
	}
	if addrEnd < addr || addrEnd < 8 || end+8 > len(part) || part[stop] != '\n' {
		return false
	}
	window := (*[8 + len(nobody) + timeLength + 9]byte)(part[addrEnd-8 : open+9])
	if string(window[8:14]) != nobody+"[" || string(window[40:43]) != `] "` || !isAnswered(eight(part[end:end+8])) {
		return false
	}
	if n := addrEnd - addr; n < 8 || n > 16 {
		if bytes.IndexByte(part[addr:addrEnd], ' ') >= 0 {
			return false
		}
	} else if field.HasBlank(eight(window[:])) || field.HasBlank(eight(part[addr:addr+8])) {
		return false
	}
	method, isPath := pathMethod(eight(window[43:]))
	if !isPath {
		request := part[open+1 : end]
		if method = methodEnd(request); !hasTarget(request, method) {
			return false
		}
	}
	if part[stop-1] == '\r' {
		stop--
	}
	size, sizeEnd, agentEnd := end+len(statusEnd), 0, stop
	if p.quotes == 6 {
		from, to := int(marks[2]), int(marks[3])
		sizeEnd, agentEnd = from-1, int(marks[5])
		if string(part[sizeEnd:from+1]) != ` "` || string(part[to:to+3]) != `" "` || part[agentEnd] != '"' ||
			agentEnd+1 < stop && part[agentEnd+1] != ' ' {
			return false
		}
		r.Agent, r.Referer = part[to+3:agentEnd:agentEnd], part[from+1:to:to]
	} else {
		sizeEnd = size + field.Blank(part[size:stop], 0)
		r.Agent, r.Referer = nil, nil
	}
	n := sizeEnd - size
	if n < 1 || n > 8 {
		return false
	}
	digits := eight(part[sizeEnd-8:sizeEnd]) >> (64 - 8*n) << (64 - 8*n)
	if field.HasBlank(digits) {
		return false
	}
	r.Size = parseEight(digits, n)
	target := open + 1 + method + 1
	r.Robots = (part[target] != '/' || part[target+1] == 'r') && isRobots(part[target:end])
	p.addr, p.open, p.target, p.end, p.agentEnd, p.stop = addr, open, target, end, agentEnd, stop
	p.at, p.i = p.from+int(p.marks[newline])+1, newline+1
	r.Line = part[begin:stop:stop]
	return true
}

// eight is the first eight bytes as a little-endian word.
func eight(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// pathMethod returns the length of the method with which a request begins, if it is a frequent one for a
// path.
func pathMethod(request uint64) (n int, ok bool) {
	m := &frequent[request%16]
	return m.length, request|m.rest == m.word
}

// frequent are methods and the beginning of a path after them as little-endian words, by the low four bits
// of their first byte. rest are the bits after them, which word has set. No request has the word 0 of the
// other rows, because its first byte isn't 0.
var frequent = [16]struct {
	word, rest uint64
	length     int
}{
	'G' % 16: {'G' | 'E'<<8 | 'T'<<16 | ' '<<24 | '/'<<32 | after5, after5, len("GET")},
	'H' % 16: {'H' | 'E'<<8 | 'A'<<16 | 'D'<<24 | ' '<<32 | '/'<<40 | after6, after6, len("HEAD")},
	'P' % 16: {'P' | 'O'<<8 | 'S'<<16 | 'T'<<24 | ' '<<32 | '/'<<40 | after6, after6, len("POST")},
}

// after5 and after6 are the bits after five and six bytes.
const after5, after6 = 1<<64 - 1<<40, 1<<64 - 1<<48

// statusEnd is the end of a request and the status after it.
const statusEnd = `" 200 `

// isAnswered reports whether a word begins as statusEnd does, with three digits.
func isAnswered(w uint64) bool {
	// Any byte that isn't the required one or a digit sets its highest bit in d or in the sum.
	const other, digits, highs = '"' | ' '<<8 | ' '<<40, '0'<<16 | '0'<<24 | '0'<<32, 0x808080808080
	d := (w ^ (other | digits)) & 0xffffffffffff
	return (d|(d+0x7f7676767f7f))&highs == 0
}

// completeOrdinary is Complete for a line that nextOrdinary has read.
func (p *programReader) completeOrdinary(r *Record) {
	part, open, target, end := p.part(), p.open, p.target, p.end
	r.Host, r.Forwarded, r.Claim, r.Lossy, r.SchemeLogged, r.OwnURL = nil, nil, nil, Exact, false, false
	if p.has[hostName] {
		r.Host = part[r.Offset-p.from : p.addr-1]
	}
	status := (*[3]byte)(part[end+2 : end+5])
	r.Status = int(status[0])*100 + int(status[1])*10 + int(status[2]) - 111*'0'
	if at := end - len(" HTTP/1.1"); at > target && string(part[at:at+8]) == " HTTP/1." {
		r.Method, r.Target, r.Truncated = part[open+1:target-1], part[target:at], false
	} else {
		r.Method, r.Target = part[open+1:target-1], requestTarget(part[target:end], r)
	}
	if p.agentEnd+1 < p.stop {
		r.Forwarded = quotedField(part[:p.stop], p.agentEnd+1)
	}
	r.Addr = bareAddress(part[p.addr : open-timeLength-len(nobody)])
	r.Time, r.HasTime = p.moments.read(part[open+1-timeLength:open-2], p.layout, nil)
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
