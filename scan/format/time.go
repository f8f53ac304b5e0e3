package format

import (
	"bytes"
	"encoding/binary"
	"strings"
	"time"
)

// parseTime reads the time of the common log format, dd/Mon/yyyy:hh:mm:ss with a
// zone and perhaps a fraction of a second before it, as nanoseconds since 1970.
// Only years that nanoseconds can hold are read.
func parseTime(b []byte) (int64, bool) {
	const length = len("02/Jan/2006:15:04:05")
	if len(b) < length+len(" -0700") || b[2] != '/' || b[6] != '/' || b[11] != ':' || b[14] != ':' || b[17] != ':' {
		return 0, false
	}
	nanos, rest := fraction(b[length:])
	east, ok := zoneSeconds(rest)
	if !ok {
		return 0, false
	}
	seconds, ok := civil(number4(b[7:]), monthOf(b[3:6]), number2(b[0], b[1]), b[12:length], nil)
	return (seconds-east)*1e9 + nanos, ok
}

// clock reads times as parseTime does, and remembers the last day and zone, which
// most lines share with the line before. The zero value is ready for use.
type clock struct {
	// Octets 0 to 7, 4 to 11 and 20 to 25 of the time read last: all but hh:mm:ss. 0 at
	// first.
	day, year, zone uint64
	base            int64 // the start of that day, in seconds since 1970
}

func (c *clock) parse(b []byte) (int64, bool) {
	const length = len("02/Jan/2006:15:04:05 -0700")
	if len(b) != length {
		return parseTime(b)
	}
	day, year := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[4:])
	zone := binary.LittleEndian.Uint64(b[18:])
	if day != c.day || year != c.year || zone>>16 != c.zone || c.day == 0 {
		return c.learn(b)
	}
	seconds, ok := secondsOfDay(binary.LittleEndian.Uint64(b[12:]))
	if !ok {
		return parseTime(b)
	}
	return (c.base + seconds) * 1e9, true
}

// learn reads a time, and remembers its day and zone if it is one.
func (c *clock) learn(b []byte) (int64, bool) {
	nanos, ok := parseTime(b)
	if seconds, plain := secondsOfDay(binary.LittleEndian.Uint64(b[12:])); ok && plain {
		c.day, c.year = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[4:])
		c.zone, c.base = binary.LittleEndian.Uint64(b[18:])>>16, nanos/1e9-seconds
	}
	return nanos, ok
}

// secondsOfDay reads hh:mm:ss, the first octet the lowest.
func secondsOfDay(b uint64) (int64, bool) {
	const zeros, highs = 0x30303a30303a3030, 0x8080808080808080
	// d has the values of the digits, and zeros for the colons. If any octet is something
	// else, it has the highest bit set in d or in the sum.
	d := b ^ zeros
	if (d|(d+0x76767f76767f7676))&highs != 0 {
		return 0, false
	}
	d = d*10 + d>>8
	hour, minute, second := d&0xff, d>>24&0xff, d>>48&0xff
	return int64(hour*3600 + minute*60 + second), hour <= 23 && minute <= 59 && second <= 60
}

// number2 returns the value of two digits. If one is no digit, the result is too large
// for any field of a time.
func number2(tens, ones byte) int {
	tens, ones = tens-'0', ones-'0'
	if tens > 9 || ones > 9 {
		return 1 << 20
	}
	return int(tens)*10 + int(ones)
}

// fraction reads ".digits" at the start of b as nanoseconds.
func fraction(b []byte) (nanos int64, rest []byte) {
	if len(b) < 2 || b[0] != '.' && b[0] != ',' || !isDigit(b[1]) {
		return 0, b
	}
	return afterPoint(b[1:])
}

// afterPoint reads the digits of a fraction of a second at the start of b as nanoseconds.
func afterPoint(b []byte) (nanos int64, rest []byte) {
	unit, n := int64(1e8), 0
	for ; n < len(b) && isDigit(b[n]); n++ {
		nanos += int64(b[n]-'0') * unit
		unit /= 10
	}
	return nanos, b[n:]
}

// zoneSeconds returns the seconds east of Greenwich if b is " +hhmm" or " -hhmm".
func zoneSeconds(b []byte) (int64, bool) {
	if len(b) != len(" -0700") || b[0] != ' ' || b[1] != '+' && b[1] != '-' {
		return 0, false
	}
	hour, minute := number2(b[2], b[3]), number2(b[4], b[5])
	if hour > 23 || minute > 59 {
		return 0, false
	}
	seconds := int64(hour*3600 + minute*60)
	if b[1] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// haproxyTime is 02/Jan/2006:15:04:05, perhaps with a fraction, and perhaps with a zone.
func haproxyTime(b []byte, zone *time.Location) (int64, bool) {
	const length = len("02/Jan/2006:15:04:05")
	if nanos, ok := parseTime(b); ok || len(b) < length || b[2] != '/' || b[6] != '/' || b[11] != ':' {
		return nanos, ok
	}
	nanos, rest := fraction(b[length:])
	seconds, ok := civil(number4(b[7:]), monthOf(b[3:6]), number2(b[0], b[1]), b[12:length], zone)
	return seconds*1e9 + nanos, ok && len(rest) == 0
}

// zonelessTime is 02/Jan/2006:15:04:05, perhaps with a fraction, and never with a zone.
func zonelessTime(b []byte, zone *time.Location) (int64, bool) {
	if bytes.IndexByte(b, ' ') >= 0 {
		return 0, false
	}
	return haproxyTime(b, zone)
}

// cpanelTime is 01/02/2006:15:04:05 -0700, the month first.
func cpanelTime(b []byte, _ *time.Location) (int64, bool) {
	const length = len("01/02/2006:15:04:05")
	if len(b) < length || b[2] != '/' || b[5] != '/' || b[10] != ':' {
		return 0, false
	}
	east, ok := zoneSeconds(b[length:])
	seconds, valid := civil(number4(b[6:]), number2(b[0], b[1]), number2(b[3], b[4]), b[11:length], nil)
	return (seconds - east) * 1e9, ok && valid
}

// isoTime is 2006-01-02T15:04:05 with a T or a blank between day and time, perhaps with a
// fraction, and perhaps with a zone: Z, -07:00, -0700 or -07, a blank before it or not.
// Source: RFC 3339, 5.6.
func isoTime(b []byte, zone *time.Location) (int64, bool) {
	const length = len("2006-01-02T15:04:05")
	if len(b) < length || b[4] != '-' || b[7] != '-' || b[10] != 'T' && b[10] != 't' && b[10] != ' ' {
		return 0, false
	}
	nanos, rest := fraction(b[length:])
	var east int64
	if len(rest) > 0 {
		var ok bool
		if east, ok = isoZone(rest); !ok {
			return 0, false
		}
		zone = time.UTC
	}
	seconds, ok := civil(number4(b), number2(b[5], b[6]), number2(b[8], b[9]), b[11:length], zone)
	return (seconds-east)*1e9 + nanos, ok
}

// isoZone returns the seconds east of Greenwich of a zone as isoTime reads it.
func isoZone(b []byte) (int64, bool) {
	if b[0] == ' ' {
		b = b[1:]
	}
	if len(b) == 1 && (b[0] == 'Z' || b[0] == 'z') {
		return 0, true
	}
	hhmm := [...]byte{' ', '+', '0', '0', '0', '0'} // as zoneSeconds reads it
	switch {
	case len(b) == len("-07:00") && b[3] == ':':
		copy(hhmm[1:], b[:3])
		copy(hhmm[4:], b[4:])
	case len(b) == len("-0700"), len(b) == len("-07"):
		copy(hhmm[1:], b)
	default:
		return 0, false
	}
	return zoneSeconds(hhmm[:])
}

// epochTime is the time since 1970 as a number, perhaps with a fraction. Its unit is told
// by its size: seconds, milliseconds, microseconds or nanoseconds.
func epochTime(b []byte, _ *time.Location) (int64, bool) {
	const last = 7_258_118_400_000_000_000 // the year 2200, so that no number of 19 digits overflows
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
	nanos, rest := fraction(b[digits:])
	if digits == 0 || n < 0 || n > last/unit || len(rest) > 0 {
		return 0, false
	}
	return n*unit + nanos/(1e9/unit), true
}

// ctimeTime is Mon Jan  2 15:04:05 2006.
func ctimeTime(b []byte, zone *time.Location) (int64, bool) {
	const length = len("Mon Jan  2 15:04:05 2006")
	if len(b) != length || b[3] != ' ' || b[7] != ' ' || b[10] != ' ' || b[19] != ' ' {
		return 0, false
	}
	tens := b[8]
	if tens == ' ' {
		tens = '0'
	}
	seconds, ok := civil(number4(b[20:]), monthOf(b[4:7]), number2(tens, b[9]), b[11:19], zone)
	return seconds * 1e9, ok
}

// civil returns the seconds since 1970 of a date and a time hh:mm:ss in a zone, nil for
// UTC, and whether there is such a date and time, once.
func civil(year, month, day int, clock []byte, zone *time.Location) (int64, bool) {
	hour, minute, second := number2(clock[0], clock[1]), number2(clock[3], clock[4]), number2(clock[6], clock[7])
	if clock[2] != ':' || clock[5] != ':' || year < 1700 || year > 2200 || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 60 {
		return 0, false
	}
	if day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	if zone == nil || zone == time.UTC {
		return int64(((days(year, month, day)*24+hour)*60+minute)*60 + second), true
	}
	t := time.Date(year, time.Month(month), day, hour, minute, 0, 0, zone)
	return t.Unix() + int64(second), isClear(t, hour, minute)
}

// daysIn returns how many days a month has, in the Gregorian calendar.
func daysIn(year, month int) int {
	if month == 2 {
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 30 + (month+month>>3)&1
}

// days returns the days from 1970-01-01 to a date from year 0 on.
func days(year, month, day int) int {
	const march = 719468 // days from 0000-03-01 to 1970-01-01
	month -= 3           // a leap day is the last day of a year that begins in March
	if month < 0 {
		month, year = month+12, year-1
	}
	return year*365 + year/4 - year/100 + year/400 + (153*month+2)/5 + day - 1 - march
}

// isClear tells whether a time has this time of day, which it has not if clocks are set forward
// over that, and no other time has it, as one does if clocks are set back.
func isClear(t time.Time, hour, minute int) bool {
	_, east := t.Zone()
	for _, later := range [...]int{-7200, -3600, -1800, 1800, 3600, 7200} { // by how much clocks are set anywhere
		if _, other := t.Add(time.Duration(later) * time.Second).Zone(); east-other == later {
			return false
		}
	}
	return t.Hour() == hour && t.Minute() == minute
}

// monthOf returns the number of a month by the first three letters of its name, 0 if it is
// none.
func monthOf(b []byte) int {
	if i := strings.Index(months, string(b)); i >= 0 && i%3 == 0 {
		return 1 + i/3
	}
	return 0
}

// number4 returns the value of the first four octets of b if they are digits. If one is
// none, the result is too large for any field of a time.
func number4(b []byte) int { return number2(b[0], b[1])*100 + number2(b[2], b[3]) }

// anyTime is a time of isoTime, epochTime or clfTime; brackets may be around it.
func anyTime(b []byte, zone *time.Location) (int64, bool) {
	if len(b) > 1 && b[0] == '[' && b[len(b)-1] == ']' {
		b = b[1 : len(b)-1]
	}
	switch {
	case len(b) > 4 && b[4] == '-':
		return isoTime(b, zone)
	case len(b) > 2 && b[2] == '/':
		return haproxyTime(b, zone)
	}
	return epochTime(b, zone)
}

// isoTimeLength returns the length of the time at the start of b, as RFC 3339 writes it,
// 0 if there is none. Its zone may lack the colon.
func isoTimeLength(b []byte) int {
	const clock = len("2026-03-04T05:06:07")
	if len(b) <= clock || !isDigits(b[:4]) || b[4] != '-' || !isDigits(b[5:7]) || b[7] != '-' || !isDigits(b[8:10]) || b[10] != 'T' || !isClock(b[11:clock]) {
		return 0
	}
	n := clock + fractionLength(b[clock:])
	zone := b[n:]
	switch {
	case len(zone) > 0 && zone[0] == 'Z':
		return n + 1
	case len(zone) < 5 || zone[0] != '+' && zone[0] != '-' || !isDigits(zone[1:3]):
		return 0
	case isDigits(zone[3:5]):
		return n + 5
	case len(zone) >= 6 && zone[3] == ':' && isDigits(zone[4:6]):
		return n + 6
	}
	return 0
}

// fractionLength returns the length of the fraction of a second at the start of b.
func fractionLength(b []byte) int {
	if len(b) < 2 || b[0] != '.' && b[0] != ',' {
		return 0
	}
	n := 1
	for n < len(b) && isDigit(b[n]) {
		n++
	}
	return n
}

// isClock tells whether b is hh:mm:ss.
func isClock(b []byte) bool {
	return isDigits(b[:2]) && b[2] == ':' && isDigits(b[3:5]) && b[5] == ':' && isDigits(b[6:8])
}

// isMonth tells whether three octets are the name of a month.
func isMonth(b []byte) bool {
	return monthOf(b) > 0
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

const months = "JanFebMarAprMayJunJulAugSepOctNovDec"
