package format

import (
	"bytes"
	"encoding/binary"
	"time"
)

// moments reads times by a layout, and remembers the last one. Most lines of a log differ from
// the line before only in the time of day, hh:mm:ss, and in the digits of a fraction of a
// second after it: then nothing else is read. The zero value is ready for use.
type moments struct {
	last        []byte // a time that has a time of day; empty: none
	at          int    // of its time of day
	digits, end int    // of the fraction after it; both are the end of the time of day if there is none
	base        int64  // what it is at 00:00:00, without the fraction
}

// clockLength is the length of hh:mm:ss.
const clockLength = 8

// read reads a time. zone is of times that name none; nil is UTC.
func (m *moments) read(text []byte, layout layout, zone *time.Location) (nanos int64, ok bool) {
	if n := len(m.last); n > 0 && n == len(text) && zone == nil && m.isAlike(text) {
		seconds, ok := secondsOfDay(binary.LittleEndian.Uint64(text[m.at:]))
		if nanos, rest := afterPoint(text[m.digits:m.end]); ok && len(rest) == 0 {
			return m.base + seconds*1e9 + nanos, true
		}
	}
	if nanos, ok = layout(text, zone); ok && zone == nil { // in UTC every day has 24 hours
		m.learn(text, layout)
	}
	return nanos, ok
}

// isAlike reports whether a time of the same length differs from the last one at most in the
// time of day and in the digits of its fraction.
func (m *moments) isAlike(text []byte) bool {
	clockEnd := m.at + clockLength
	return string(text[:m.at]) == string(m.last[:m.at]) && string(text[m.end:]) == string(m.last[m.end:]) &&
		(m.end == clockEnd || text[clockEnd] == m.last[clockEnd])
}

// learn remembers a time, if its layout reads others on its day as read will.
func (m *moments) learn(text []byte, layout layout) {
	m.last = m.last[:0]
	colon := bytes.LastIndexByte(text, ':')
	if colon > 3 && text[colon-3] != ':' { // it is of the zone
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
	fraction, _ := afterPoint([]byte("123456789")[:min(m.end-m.digits, 9)]) // the others are less than a nanosecond
	if m.base = early; !ok || !alsoOK || late-early != (23*3600+45*60+1)*1e9+fraction {
		m.last = m.last[:0]
	}
}

// try reads the last time with another time of day and another fraction, whose digits are
// repeated as needed.
func (m *moments) try(clock, digits string, layout layout) (nanos int64, ok bool) {
	copy(m.last[m.at:], clock)
	for i := range m.last[m.digits:m.end] {
		m.last[m.digits+i] = digits[i%len(digits)]
	}
	return layout(m.last, nil)
}
