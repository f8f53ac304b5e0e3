package format

import "bytes"

// Instant returns the time that a text states, in seconds since 1970, in UTC if it names no
// zone. It reads
//
//   - RFC 3339, and the same with a blank for the T or without a zone; a date alone is its
//     first second;
//   - the timestamps of archives (Stamp) of 4, 6, 8, 12 or 14 digits, and of 17 with
//     milliseconds;
//   - numbers of seconds since 1970, perhaps with a fraction, of milliseconds, microseconds
//     and nanoseconds: the size tells them apart. One of less than nine digits, before 1974,
//     is no time, but perhaps one of bytes;
//   - RFC 1123, such as Mon, 02 Jan 2006 15:04:05 GMT, and with a numeric zone;
//   - the time of the common log format.
func Instant(text []byte) (unix int64, ok bool) {
	text = bytes.TrimSpace(text)
	switch n := len(text); {
	case n == len("2006-01-02") && text[4] == '-':
		return dayTime(text)
	case n == 4, n == 6, n == 8, n == 12, n == 14, n == 17:
		if isDigits(text) {
			return Stamp(text)
		}
	case n > 4 && isLetter(text[0]):
		return mailTime(text)
	}
	if whole, _, _ := bytes.Cut(text, []byte(".")); len(whole) < len("100000000") && isDigits(whole) {
		return 0, false
	}
	nanos, ok := anyTime(text, nil)
	return floorSeconds(nanos), ok
}

// Stamp returns the time of a timestamp as archives write it, yyyymmddhhmmss or a beginning
// of it, in seconds since 1970. Digits behind the seconds are read as a fraction.
func Stamp(text []byte) (unix int64, ok bool) {
	n := len(text)
	if n < 4 || n > 23 || n < 14 && n%2 != 0 || !isDigits(text) {
		return 0, false
	}
	all := [14]byte([]byte("00000101000000"))
	copy(all[:], text)
	clock := [8]byte{all[8], all[9], ':', all[10], all[11], ':', all[12], all[13]}
	return civil(number4(all[:]), number2(all[4], all[5]), number2(all[6], all[7]), clock[:], nil)
}

// dayTime is 2006-01-02.
func dayTime(b []byte) (int64, bool) {
	return civil(number4(b), number2(b[5], b[6]), number2(b[8], b[9]), []byte("00:00:00"), nil)
}

// mailTime is Mon, 02 Jan 2006 15:04:05 GMT; the day may have one digit, and the zone may be
// UTC, Z or -0700.
func mailTime(b []byte) (int64, bool) {
	if len(b) < 5 || b[3] != ',' || b[4] != ' ' {
		return 0, false
	}
	b = b[5:]
	tens := byte('0')
	if len(b) > 1 && b[1] != ' ' {
		tens, b = b[0], b[1:]
	}
	const length = len("2 Jan 2006 15:04:05")
	if len(b) < length+2 || b[1] != ' ' || b[5] != ' ' || b[10] != ' ' {
		return 0, false
	}
	var east int64
	switch zone := b[length:]; string(zone) {
	case " GMT", " UTC", " Z":
	default:
		var ok bool
		if east, ok = zoneSeconds(zone); !ok {
			return 0, false
		}
	}
	seconds, ok := civil(number4(b[6:]), monthOf(b[2:5]), number2(tens, b[0]), b[11:length], nil)
	return seconds - east, ok
}

// floorSeconds returns the whole seconds of a number of nanoseconds.
func floorSeconds(nanos int64) int64 {
	seconds := nanos / 1e9
	if nanos%1e9 < 0 {
		seconds--
	}
	return seconds
}
