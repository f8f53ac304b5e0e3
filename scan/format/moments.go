package format

import (
	"bytes"
	"encoding/binary"
	"time"
)

// moments reads times by a layout, and remembers the last one. Most lines of a log differ from
// the line before only in the time of day, hh:mm:ss: then nothing else is read. The zero value
// is ready for use.
type moments struct {
	last []byte // a time that has a time of day and no fraction; empty: none
	at   int    // of its time of day
	base int64  // what it is at 00:00:00
}

// clockLength is the length of hh:mm:ss.
const clockLength = 8

// read reads a time. zone is of times that name none; nil is UTC.
func (m *moments) read(text []byte, layout layout, zone *time.Location) (nanos int64, ok bool) {
	if n := len(m.last); n > 0 && n == len(text) && zone == nil && string(text[:m.at]) == string(m.last[:m.at]) && string(text[m.at+clockLength:]) == string(m.last[m.at+clockLength:]) {
		if seconds, ok := secondsOfDay(binary.LittleEndian.Uint64(text[m.at:])); ok {
			return m.base + seconds*1e9, true
		}
	}
	if nanos, ok = layout(text, zone); ok && zone == nil { // in UTC every day has 24 hours
		m.learn(text, layout)
	}
	return nanos, ok
}

// learn remembers a time, if its layout reads others on its day as read will.
func (m *moments) learn(text []byte, layout layout) {
	m.last = m.last[:0]
	colon := bytes.LastIndexByte(text, ':')
	if colon > 3 && text[colon-3] != ':' { // it is of the zone
		colon = bytes.LastIndexByte(text[:colon], ':')
	}
	at := colon - len("hh:mm")
	if at < 0 || at+clockLength > len(text) || bytes.ContainsAny(text[at+clockLength:], ".,") {
		return
	}
	m.last, m.at = append(m.last, text...), at
	copy(m.last[at:], "23:45:01")
	late, ok := layout(m.last, nil)
	copy(m.last[at:], "00:00:00")
	early, alsoOK := layout(m.last, nil)
	if m.base = early; !ok || !alsoOK || late-early != (23*3600+45*60+1)*1e9 {
		m.last = m.last[:0]
	}
}
