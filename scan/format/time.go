package format

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
)

// layout parses a time in one notation, and returns nanoseconds since 1970. zone applies to times
// without one; nil means UTC. It must accept any bytes.
type layout func(b []byte, zone *time.Location) (nanos int64, ok bool)

// clfPattern is the time of the common log format as a strftime pattern. isoPattern is the time of
// RFC 3339, 5.6, and similar ones.
const (
	clfPattern = "%d/%b/%Y:%H:%M:%S %z"
	isoPattern = "%Y-%m-%dT%H:%M:%S"
)

// The named layouts. All of them accept a fraction of a second. Those without %z and %Z accept a
// zone after the time.
var (
	clfTime  = mustLayout(clfPattern)
	webTime  = mustLayout("%d/%b/%Y:%H:%M:%S")
	isoTime  = mustLayout(isoPattern)
	dayTime  = mustLayout("%Y-%m-%d%!")
	mailTime = mustLayout("%a, %e %b %Y %H:%M:%S %Z")

	wallTime   = mustLayout("%Y/%m/%d %H:%M:%S")
	stampTime  = mustLayout("%Y%m%d%H%M%S%!")
	stampMilli = mustLayout("%Y%m%d%H%M%S%L%!")
	basicTime  = mustLayout("%Y%m%dT%H%M%S")
	ctime      = mustLayout("%a %b %e %H:%M:%S %Y")
	oldMail    = mustLayout("%A, %d-%b-%y %H:%M:%S %Z") // RFC 850
)

// mustLayout returns the layout of a pattern, which must be valid. The pattern is parsed on first use.
func mustLayout(text string) layout {
	parsed := sync.OnceValue(func() *pattern {
		p, err := newPattern(text)
		if err != nil {
			panic(err)
		}
		return p
	})
	return func(b []byte, zone *time.Location) (nanos int64, ok bool) { return parsed().read(b, zone) }
}

// anyTime parses a time in one of the layouts above, as Go writes it (2006-01-02 15:04:05 +0000
// UTC), or as epochTime parses it. Brackets around it are allowed.
func anyTime(b []byte, zone *time.Location) (int64, bool) {
	if len(b) > 1 && b[0] == '[' && b[len(b)-1] == ']' {
		b = b[1 : len(b)-1]
	}
	switch {
	case len(b) > 4 && b[4] == '-':
		return isoTime(withoutZoneName(b), zone)
	case len(b) > 2 && b[2] == '/':
		return webTime(b, zone)
	case len(b) > 4 && b[4] == '/':
		return wallTime(b, zone)
	case len(b) > 8 && b[8] == 'T':
		return basicTime(b, zone)
	case len(b) == len("20060102150405") && isDigits(b):
		return stampTime(b, zone)
	case len(b) == len("20060102150405000") && isDigits(b):
		return stampMilli(b, zone)
	case len(b) > 0 && isLetter(b[0]):
		for _, read := range [...]layout{mailTime, oldMail, ctime} {
			if nanos, ok := read(b, zone); ok {
				return nanos, true
			}
		}
		return 0, false
	}
	return epochTime(b, zone)
}

// withoutZoneName removes the zone name and the monotonic clock reading that Go writes after the
// offset: 2006-01-02 15:04:05.1 +0000 UTC m=+0.1.
func withoutZoneName(b []byte) []byte {
	const offset = len(" +0000")
	if at := bytes.Index(b, []byte(" m=")); at > 0 {
		b = b[:at]
	}
	if at := bytes.LastIndexByte(b, ' '); at > offset && looksLike(b[at-4:], "0000 ") &&
		(b[at-5] == '+' || b[at-5] == '-') {
		return b[:at]
	}
	return b
}

// epochTime parses the time since 1970 as a number, which may have a fraction, or an exponent as
// Java writes for large ones. The magnitude decides between seconds, milliseconds, microseconds and
// nanoseconds. It rejects times before 1973, which are durations or in another unit.
func epochTime(b []byte, _ *time.Location) (int64, bool) {
	first := int64(100_000_000_000_000_000) // 1973
	const last = 7_258_118_400_000_000_000  // the year 2200, so that no number of 19 digits overflows
	n, digits := int64(0), 0
	for ; digits < min(len(b), 19) && isDigit(b[digits]); digits++ {
		n = n*10 + int64(b[digits]-'0')
	}
	unit := int64(1e9)
	for _, limit := range [...]int64{1e10, 1e13, 1e16} {
		if n >= limit {
			unit /= 1000
		}
	}
	if unit < 1e9 {
		first *= 10 // 2001, as a number of 12 digits is rather 202603040506
	}
	nanos, rest := fraction(b[digits:])
	if digits > 0 && len(rest) > 1 && rest[0]|0x20 == 'e' {
		return exponentTime(b)
	}
	if digits == 0 || n < first/unit || n > last/unit || len(rest) > 0 {
		return 0, false
	}
	return n*unit + nanos/(1e9/unit), true
}

// exponentTime is epochTime for numbers such as 1.772600767089E12, to the microsecond.
func exponentTime(b []byte) (int64, bool) {
	const longest = 30
	if len(b) > longest {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(b), 64)
	for err == nil && n >= 1e10 && n < 1e19 {
		n /= 1000
	}
	if err != nil || n < 1e8 || n >= 1e10 {
		return 0, false
	}
	return int64(math.Round(n*1e6)) * 1000, true
}

// Instant parses a time to seconds since 1970, in UTC if it names no zone. It accepts
//
//   - RFC 3339, and the same with a blank for the T or without a zone; a date alone is its
//     first second;
//   - the timestamps of archives (Stamp) of 4, 6, 8, 12 or 14 digits, and of 17 with
//     milliseconds;
//   - numbers of seconds since 1970, perhaps with a fraction, of milliseconds, microseconds
//     and nanoseconds: the magnitude decides. One of fewer than nine digits, before 1974,
//     is not a time, but may be a number of bytes;
//   - RFC 1123, such as Mon, 02 Jan 2006 15:04:05 GMT, and with a numeric zone;
//   - the time of the common log format.
func Instant(text []byte) (unix int64, ok bool) {
	text = bytes.TrimSpace(text)
	read, whole := anyTime, text[:digitsAt(text)]
	switch n := len(text); {
	case len(whole) == n && (n <= 8 && n%2 == 0 || n == 12 || n == 14 || n == 17):
		return Stamp(text)
	case len(whole) < 9 && (len(whole) == n || text[len(whole)] == '.'):
		return 0, false
	case n == len("2006-01-02") && text[4] == '-':
		read = dayTime
	case isLetter(text[0]):
		read = mailTime
	}
	nanos, ok := read(text, nil)
	return time.Unix(0, nanos).Unix(), ok
}

// Stamp parses a timestamp of archives, yyyymmddhhmmss or a prefix of it, to seconds since 1970.
// Further digits are a fraction.
func Stamp(text []byte) (unix int64, ok bool) {
	n := len(text)
	if n < 4 || n > 23 || n < 14 && n%2 != 0 || !isDigits(text) {
		return 0, false
	}
	all := [14]byte([]byte("00000101000000"))
	copy(all[:], text)
	at := func(i int) int { return number2(all[i], all[i+1]) }
	return civil(at(0)*100+at(2), at(4), at(6), at(8), at(10), at(12), nil)
}

// civil returns the seconds since 1970 of a date and a time of day in a zone, nil for UTC. It also
// reports whether that date and time exists exactly once.
func civil(year, month, day, hour, minute, second int, zone *time.Location) (int64, bool) {
	if year < 1700 || year > 2200 || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 60 {
		return 0, false // nanoseconds cover no other years
	}
	t := time.Date(year, time.Month(month), day, hour, minute, 0, 0, time.UTC)
	isDate := t.Day() == day // otherwise it is in the next month
	if zone != nil && zone != time.UTC {
		t = time.Date(year, time.Month(month), day, hour, minute, 0, 0, zone)
		isDate = isDate && isClear(t, hour, minute)
	}
	return t.Unix() + int64(second), isDate
}

// isClear reports whether a time has the given time of day and no other time does. Clocks set
// forward skip a time of day, and clocks set back repeat it.
func isClear(t time.Time, hour, minute int) bool {
	_, east := t.Zone()
	for _, later := range [...]int{-7200, -3600, -1800, 1800, 3600, 7200} { // how far clocks are set anywhere
		if _, other := t.Add(time.Duration(later) * time.Second).Zone(); east-other == later {
			return false
		}
	}
	return t.Hour() == hour && t.Minute() == minute
}

// zoneAt parses the zone at the start of b: UTC, GMT, Z, or an offset east of Greenwich such as
// +01, +0100 or +01:00. n is its length, 0 if there is none.
func zoneAt(b []byte) (east int64, n int) {
	n = letters(b)
	if n > 0 {
		switch string(b[:n]) {
		case "UTC", "GMT", "Z", "z":
			return 0, n
		}
		return 0, 0
	}
	if len(b) < 3 || b[0] != '+' && b[0] != '-' {
		return 0, 0
	}
	hour, minute := number2(b[1], b[2]), 0
	n = 3
	switch {
	case looksLike(b[n:], "00"):
		minute, n = number2(b[3], b[4]), 5
	case looksLike(b[n:], ":00"):
		minute, n = number2(b[4], b[5]), 6
	}
	if hour > 23 || minute > 59 {
		return 0, 0
	}
	east = int64(hour*3600 + minute*60)
	if b[0] == '-' {
		east = -east
	}
	return east, n
}

// fraction parses ".digits" at the start of b, and returns nanoseconds.
func fraction(b []byte) (nanos int64, rest []byte) {
	if len(b) < 2 || b[0] != '.' && b[0] != ',' || !isDigit(b[1]) {
		return 0, b
	}
	return afterPoint(b[1:])
}

// afterPoint parses the digits of a fraction of a second at the start of b, and returns
// nanoseconds.
func afterPoint(b []byte) (nanos int64, rest []byte) {
	unit, n := int64(1e8), 0
	for ; n < len(b) && isDigit(b[n]); n++ {
		nanos += int64(b[n]-'0') * unit
		unit /= 10
	}
	return nanos, b[n:]
}

// secondsOfDay parses hh:mm:ss, the first byte in the lowest bits.
func secondsOfDay(b uint64) (int64, bool) {
	const zeros, highs = 0x30303a30303a3030, 0x8080808080808080
	d := b ^ zeros
	if (d|(d+0x76767f76767f7676))&highs != 0 {
		return 0, false
	}
	const limits = (0x80 - 24) | (0x80-60)<<24 | (0x80-61)<<48 // each number below its limit leaves the highest bit 0
	d = (d*10 + d>>8) & 0x00ff0000ff0000ff
	minutes := d * (60<<24 + 1) >> 24 & 0xffff
	return int64(minutes*60 + d>>48), (d+limits)&highs == 0
}

// number2 returns the value of two digits. For other bytes the result exceeds every field of a
// time.
func number2(tens, ones byte) int {
	tens, ones = tens-'0', ones-'0'
	if tens > 9 || ones > 9 {
		return 1 << 20
	}
	return int(tens)*10 + int(ones)
}

// monthOf returns the number of a month, given the first three letters of its name, or 0 if there
// is none.
func monthOf(b []byte) int {
	if i := strings.Index("JanFebMarAprMayJunJulAugSepOctNovDec", string(b)); i >= 0 && i%3 == 0 {
		return 1 + i/3
	}
	return 0
}

// looksLike reports whether b begins with text, in which a 0 stands for any digit.
func looksLike(b []byte, text string) bool {
	if len(b) < len(text) {
		return false
	}
	for i := range len(text) {
		if b[i] != text[i] && (text[i] != '0' || !isDigit(b[i])) {
			return false
		}
	}
	return true
}

// isoTimeLength returns the length of a time in the form of RFC 3339 at the start of b, or 0 if
// there is none. The zone may lack the colon.
func isoTimeLength(b []byte) int {
	const clock = "0000-00-00T00:00:00"
	if !looksLike(b, clock) {
		return 0
	}
	n := len(clock) + fractionLength(b[len(clock):])
	for _, zone := range [...]string{"Z", "+0000", "-0000", "+00:00", "-00:00"} {
		if looksLike(b[n:], zone) {
			return n + len(zone)
		}
	}
	return 0
}

// fractionLength returns the length of the fraction of a second at the start of b.
func fractionLength(b []byte) int {
	_, rest := fraction(b)
	return len(b) - len(rest)
}

// digitsAt returns the number of digits at the start of b.
func digitsAt(b []byte) (n int) {
	for n < len(b) && isDigit(b[n]) {
		n++
	}
	return n
}

// letters returns the number of letters at the start of b.
func letters(b []byte) (n int) {
	for n < len(b) && isLetter(b[n]) {
		n++
	}
	return n
}

func isDigits(b []byte) bool { return digitsAt(b) == len(b) }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// moments parses times in a layout, and remembers the last one. Most lines differ from the previous
// one only in the time of day, hh:mm:ss, and in the fraction of a second after it, and then only
// these are parsed. The zero value is ready for use.
type moments struct {
	last        []byte // a time with a time of day; empty if none
	at          int    // where the time of day begins
	digits, end int    // bounds of the fraction after it; both are the end of the time of day if there is none
	base        int64  // the time at 00:00:00, without the fraction
	// hasWords means that the date has 8 to 16 bytes and the zone at most 8, as nearly always. first and before
	// are the words of the date, and after is the last word with only the bytes that zone has.
	hasWords                   bool
	first, before, after, zone uint64
}

// clockLength is the length of hh:mm:ss.
const clockLength = 8

// read parses a time. zone applies to times without one; nil means UTC.
func (m *moments) read(text []byte, layout layout, zone *time.Location) (nanos int64, ok bool) {
	if n := len(m.last); n > 0 && n == len(text) && zone == nil &&
		(m.hasWords && m.difference(text) == 0 || !m.hasWords && m.isAlike(text)) {
		seconds, ok := secondsOfDay(eight(text[m.at:]))
		if ok && m.digits == m.end {
			return m.base + seconds*1e9, true
		}
		if nanos, rest := afterPoint(text[m.digits:m.end]); ok && len(rest) == 0 && text[m.digits-1] == m.last[m.digits-1] {
			return m.base + seconds*1e9 + nanos, true
		}
	}
	return m.readNew(text, layout, zone)
}

// isAlike reports whether a time of the same length differs from the last one at most in the time
// of day and the fraction.
func (m *moments) isAlike(text []byte) bool {
	return string(text[:m.at]) == string(m.last[:m.at]) && string(text[m.end:]) == string(m.last[m.end:])
}

// difference is 0 if isAlike, for times with words.
func (m *moments) difference(text []byte) uint64 {
	return (eight(text) ^ m.first) | (eight(text[m.at-8:m.at]) ^ m.before) | (eight(text[len(text)-8:])&m.zone ^ m.after)
}

// readNew is read for a time that isn't like the last one.
func (m *moments) readNew(text []byte, layout layout, zone *time.Location) (nanos int64, ok bool) {
	if nanos, ok = layout(text, zone); ok && zone == nil { // in UTC every day has 24 hours
		m.learn(text, layout)
	}
	return nanos, ok
}

// learn remembers a time if its layout parses other times of that day as read does.
func (m *moments) learn(text []byte, layout layout) {
	m.last = m.last[:0]
	colon := bytes.LastIndexByte(text, ':')
	if colon > 3 && text[colon-3] != ':' { // the colon belongs to the zone
		colon = bytes.LastIndexByte(text[:colon], ':')
	}
	at := colon - len("hh:mm")
	if at < 0 || at+clockLength > len(text) {
		return
	}
	m.at, m.digits = at, at+clockLength
	m.end = m.digits + fractionLength(text[m.digits:])
	m.digits = min(m.digits+1, m.end)
	if bytes.ContainsAny(text[m.end:], ".,") {
		return
	}
	m.last = append(m.last, text...)
	late, ok := m.try("23:45:01", "123456789", layout)
	early, alsoOK := m.try("00:00:00", "0", layout)
	m.findWords()
	fraction, _ := afterPoint([]byte("123456789")[:min(m.end-m.digits, 9)]) // the others are less than a nanosecond
	m.base = early
	if !ok || !alsoOK || late-early != (23*3600+45*60+1)*1e9+fraction {
		m.last = m.last[:0]
	}
}

// findWords sets the words of the last time.
func (m *moments) findWords() {
	zone := len(m.last) - m.end
	m.hasWords = m.at >= 8 && m.at <= 16 && zone <= 8
	if m.hasWords {
		m.zone = ^uint64(0) << (64 - 8*zone)
		m.first, m.before, m.after = eight(m.last), eight(m.last[m.at-8:]), eight(m.last[len(m.last)-8:])&m.zone
	}
}

// try parses the last time with another time of day and another fraction, whose digits are repeated
// as needed.
func (m *moments) try(clock, digits string, layout layout) (nanos int64, ok bool) {
	copy(m.last[m.at:], clock)
	for i := range m.last[m.digits:m.end] {
		m.last[m.digits+i] = digits[i%len(digits)]
	}
	return layout(m.last, nil)
}
