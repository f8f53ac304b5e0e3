package format

import (
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
	day, year := number2(b[0], b[1]), number2(b[7], b[8])*100+number2(b[9], b[10])
	hour, minute, second := number2(b[12], b[13]), number2(b[15], b[16]), number2(b[18], b[19])
	month := strings.Index("JanFebMarAprMayJunJulAugSepOctNovDec", string(b[3:6]))
	if month < 0 || month%3 != 0 || year < 1700 || year > 2200 || hour > 23 || minute > 59 || second > 60 {
		return 0, false
	}
	date := time.Date(year, time.Month(1+month/3), day, 0, 0, 0, 0, time.UTC)
	nanos, rest := fraction(b[length:])
	zone, ok := zoneSeconds(rest)
	if !ok || date.Day() != day { // of another month
		return 0, false
	}
	return (date.Unix()+int64(hour*3600+minute*60+second)-zone)*1e9 + nanos, true
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

// fraction reads ".digits" at the start of b as nanoseconds. b has at least two bytes.
func fraction(b []byte) (nanos int64, rest []byte) {
	if b[0] != '.' && b[0] != ',' || !isDigit(b[1]) {
		return 0, b
	}
	unit := int64(1e8)
	i := 1
	for ; i < len(b) && isDigit(b[i]); i++ {
		nanos += int64(b[i]-'0') * unit
		unit /= 10
	}
	return nanos, b[i:]
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
