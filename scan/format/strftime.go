package format

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"
)

// pattern is a strftime layout of times. It is immutable.
type pattern struct {
	items []item
	has   [allParts]bool // moment, day or timeOfDay: what the pattern includes
	exact bool           // no zone may follow
}

// item is a conversion of a pattern, or a byte of text if conversion is 0. A blank in the text
// stands for any number of blanks. The conversion '.' is an optional fraction of a second, 'L' is
// the digits of a fraction, and 'i' is 's' without a fraction.
type item struct {
	conversion, text byte
	number           int8 // the entry of stamp.numbers that it sets, 0 if none
}

// The numbers of a stamp.
const (
	year = 1 + iota
	month
	hour12
	dayOfMonth // this and the following are exactly two digits
	hour
	minute
	second
	allNumbers
)

// numberOf maps conversions to the numbers they set.
var numberOf = [256]int8{
	'Y': year, 'y': year, 'm': month, 'b': month, 'B': month, 'd': dayOfMonth, 'e': dayOfMonth,
	'H': hour, 'k': hour, 'I': hour12, 'l': hour12, 'M': minute, 'S': second,
}

// abbreviations are conversions that stand for others. Apache has %{msec} and %{usec} for the time
// since 1970, and %{msec_frac} and %{usec_frac} for the fraction of a second, for which Envoy has
// %3f, %6f and %f. GoAccess has %* for the time since 1970 in milliseconds.
var abbreviations = strings.NewReplacer("%%", "%%", "%T", "%H:%M:%S", "%R", "%H:%M", "%D", "%m/%d/%y", "%F", "%Y-%m-%d",
	"%r", "%I:%M:%S %p",
	"%c", "%a %b %e %H:%M:%S %Y", "%n", " ", "%t", " ", "%h", "%b",
	"%{sec}", "%s", "%{msec}", "%s", "%{usec}", "%s", "%*", "%s",
	"%{msec_frac}", "%L", "%{usec_frac}", "%L", "%3f", "%L", "%6f", "%L", "%9f", "%L", "%f", "%L")

// newPattern parses a strftime layout, which may use abbreviations. %f alone is GoAccess's time
// since 1970 in microseconds. %! matches nothing, and means that no zone may follow the pattern.
// Source: POSIX, strftime.
func newPattern(text string) (*pattern, error) {
	if text == clfPattern { // of nearly all formats
		return commonPattern()
	}
	return parsePattern(text)
}

var commonPattern = sync.OnceValues(func() (*pattern, error) { return parsePattern(clfPattern) })

func parsePattern(text string) (*pattern, error) {
	p := new(pattern)
	var has [256]bool
	if text == "%f" {
		text = "%s"
	}
	for rest := abbreviations.Replace(text); rest != ""; rest = rest[1:] {
		if rest[0] != '%' {
			p.items = append(p.items, item{text: rest[0]})
			continue
		}
		rest = strings.TrimLeft(rest[1:], "-_0E^#")
		if rest == "" || !strings.Contains("%!aAbBdeHIklLmMpsSyYzZ", rest[:1]) {
			return nil, fmt.Errorf("the layout of times %q has a conversion that cannot be read: %.3q", text, "%"+rest)
		}
		conversion, isPoint := rest[0], len(rest) > 1 && (rest[1] == '.' || rest[1] == ',')
		switch has[conversion] = true; {
		case conversion == '!':
			p.exact = true
		case conversion == '%':
			p.items = append(p.items, item{text: '%'})
		case conversion == 's' && isPoint:
			p.items = append(p.items, item{conversion: 'i'})
		default:
			p.items = append(p.items, item{conversion: conversion, number: numberOf[conversion]})
		}
		if conversion == 'S' && !isPoint {
			p.items = append(p.items, item{conversion: '.'})
		}
	}
	p.has[day] = (has['Y'] || has['y']) && (has['m'] || has['b'] || has['B']) && (has['d'] || has['e'])
	p.has[timeOfDay] = (has['H'] || has['k'] || (has['I'] || has['l']) && has['p']) && has['M']
	p.has[moment] = has['s'] || p.has[day] && p.has[timeOfDay]
	return p, nil
}

// anyPattern is a pattern for times in the usual layouts, see anyTime.
const anyPattern = "%+"

func layoutOf(text string) (layout, error) {
	if text == anyPattern {
		return anyTime, nil
	}
	p, err := newPattern(text)
	if err != nil {
		return nil, err
	}
	return p.read, nil
}

// part returns the part that a field in this layout is.
func (p *pattern) part() part {
	for _, of := range [...]part{moment, day, timeOfDay} {
		if p.has[of] {
			return of
		}
	}
	return ignored
}

// blanks returns how many blanks a time in this layout has.
func (p *pattern) blanks() (n int) {
	for _, i := range p.items {
		if i.conversion == 0 && i.text == ' ' {
			n++
		}
	}
	return n
}

// read is a layout. A zone may follow a pattern without one, optionally after a blank.
func (p *pattern) read(b []byte, zone *time.Location) (nanos int64, ok bool) {
	var s stamp
	for _, i := range p.items {
		switch { // take would do the first two more slowly
		case i.conversion == 0 && i.text != ' ' && len(b) > 0 && b[0] == i.text:
			b = b[1:]
		case i.number >= dayOfMonth && len(b) > 1 && isDigit(b[0]) && isDigit(b[1]):
			s.numbers[i.number], b = int(b[0]-'0')*10+int(b[1]-'0'), b[2:]
		default:
			if b, ok = s.take(i, b); !ok {
				return 0, false
			}
		}
	}
	if len(b) > 0 {
		if s.zoned || p.exact {
			return 0, false
		}
		b = bytes.TrimPrefix(b, []byte(" "))
		n := 0
		s.east, n = zoneAt(b)
		if n == 0 || n < len(b) {
			return 0, false
		}
		s.zoned = true
	}
	if s.counted {
		return s.seconds + s.nanos, true
	}
	if s.zoned {
		zone = time.UTC
	}
	n := &s.numbers
	seconds, ok := civil(n[year], n[month], n[dayOfMonth], n[hour], n[minute], n[second], zone)
	return (seconds-s.east)*1e9 + s.nanos, ok
}

// stamp is a time during parsing.
type stamp struct {
	numbers [allNumbers]int
	nanos   int64
	seconds int64 // nanoseconds since 1970, if the text counts them
	counted bool
	east    int64
	zoned   bool
}

// take parses an item at the start of b, and returns what follows.
func (s *stamp) take(i item, b []byte) (rest []byte, ok bool) {
	switch i.conversion {
	case 0:
		rest = b
		switch {
		case i.text == ' ':
			rest = bytes.TrimLeft(b, " ")
		case len(b) > 0 && (b[0] == i.text || i.text == 'T' && (b[0] == 't' || b[0] == ' ')):
			rest = b[1:]
		}
		return rest, len(rest) < len(b)
	case 'a', 'A':
		n := letters(b)
		return b[n:], n > 0
	case 'b', 'B':
		return s.monthName(i.conversion, b)
	case 'p':
		return s.half(b)
	case 's', 'i':
		n := digitsAt(b)
		if i.conversion == 's' {
			n += fractionLength(b[n:])
		}
		s.seconds, s.counted = epochTime(b[:n], nil)
		return b[n:], s.counted
	case '.':
		s.nanos, rest = fraction(b)
		return rest, true
	case 'L':
		s.nanos, rest = afterPoint(b)
		return rest, len(rest) < len(b)
	case 'z', 'Z':
		n := 0
		s.east, n = zoneAt(b)
		s.zoned = true
		return b[n:], n == len("Z") || n > len("+01") || n > 0 && i.conversion == 'Z' && isLetter(b[0])
	case 'Y':
		if len(b) < 4 {
			return nil, false
		}
		s.numbers[year] = number2(b[0], b[1])*100 + number2(b[2], b[3])
		return b[4:], true
	}
	return s.number(i, b)
}

// number parses a two-digit number. The first digit may be missing, and may be a blank for e, k and
// l.
func (s *stamp) number(i item, b []byte) (rest []byte, ok bool) {
	value, n := 0, 0
	if c := i.conversion; c == 'e' || c == 'k' || c == 'l' {
		b = bytes.TrimLeft(b, " ")
	}
	switch {
	case len(b) > 1 && isDigit(b[0]) && isDigit(b[1]):
		value, n = int(b[0]-'0')*10+int(b[1]-'0'), 2
	case len(b) > 0 && isDigit(b[0]) && i.conversion != 'S':
		value, n = int(b[0]-'0'), 1
	default:
		return nil, false
	}
	switch ok = true; i.conversion {
	case 'y': // as POSIX has it
		value += 1900
		if value < 1969 {
			value += 100
		}
	case 'I', 'l':
		ok = 1 <= value && value <= 12
		s.numbers[hour] += value % 12 // the half may have been set before
	}
	s.numbers[i.number] = value
	return b[n:], ok
}

// monthName parses an English month name, full or three letters.
func (s *stamp) monthName(conversion byte, b []byte) (rest []byte, ok bool) {
	if len(b) < 3 {
		return nil, false
	}
	n := monthOf(b[:3])
	s.numbers[month] = n
	if n == 0 || conversion == 'b' {
		return b[3:], n > 0
	}
	return bytes.CutPrefix(b, []byte(time.Month(n).String()))
}

// half parses AM or PM, ignoring case.
func (s *stamp) half(b []byte) (rest []byte, ok bool) {
	if len(b) < 2 || b[1]|0x20 != 'm' || b[0]|0x20 != 'a' && b[0]|0x20 != 'p' {
		return nil, false
	}
	if b[0]|0x20 == 'p' {
		s.numbers[hour] += 12
	}
	return b[2:], true
}
