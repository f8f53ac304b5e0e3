package format

import (
	"fmt"
	"strings"
	"time"
)

// pattern is a layout of times in the words of strftime. It is immutable.
type pattern struct {
	items []item
	has   [allParts]bool // moment, day or timeOfDay: what the pattern tells
	exact bool           // no zone may stand behind it
}

// item is a conversion of a pattern, or an octet of text if conversion is 0. A blank of text
// stands for any number of blanks. The conversions '.' and 'L' are a fraction of a second
// that may be missing, and the digits of one; 'i' is 's' without a fraction.
type item struct {
	conversion, text byte
}

// abbreviations are the conversions that stand for several.
var abbreviations = strings.NewReplacer("%%", "%%", "%T", "%H:%M:%S", "%R", "%H:%M", "%D", "%m/%d/%y", "%F", "%Y-%m-%d", "%r", "%I:%M:%S %p",
	"%c", "%a %b %e %H:%M:%S %Y", "%n", " ", "%t", " ", "%h", "%b")

// newPattern reads a layout in the words of strftime. Apache's own conversions are %{msec} and
// %{usec} for the time since 1970, %{msec_frac} and %{usec_frac} for the fraction of a second;
// Envoy has %3f, %6f and %f for that. GoAccess has %* and, alone, %f for the time since 1970 in
// milliseconds and microseconds. %! stands for nothing: behind a pattern with it there is no zone
// that it does not have. Source: POSIX, strftime.
func newPattern(text string) (*pattern, error) {
	p := new(pattern)
	var has [256]bool
	fraction := byte('L')
	if text == "%f" {
		fraction = 's'
	}
	for rest := abbreviations.Replace(text); rest != ""; {
		c := rest[0]
		if after, ok := strings.CutPrefix(rest, "%!"); ok {
			p.exact, rest = true, after
			continue
		}
		if rest = rest[1:]; c != '%' {
			p.items = append(p.items, item{text: c})
			continue
		}
		conversion := byte(0)
		for _, w := range [...]struct {
			word string
			is   byte
		}{{"{msec_frac}", 'L'}, {"{usec_frac}", 'L'}, {"{msec}", 's'}, {"{usec}", 's'}, {"{sec}", 's'}, {"*", 's'},
			{"3f", 'L'}, {"6f", 'L'}, {"9f", 'L'}, {"f", fraction}, {"%", '%'}} {
			if after, ok := strings.CutPrefix(rest, w.word); ok {
				conversion, rest = w.is, after
				break
			}
		}
		if conversion == 0 {
			if rest = strings.TrimLeft(rest, "-_0E^#"); rest == "" || !strings.Contains("aAbBdeHIklmMpsSyYzZ", rest[:1]) {
				return nil, fmt.Errorf("the layout of times %q has a conversion that cannot be read: %.3q", text, "%"+rest)
			}
			conversion, rest = rest[0], rest[1:]
		}
		switch has[conversion] = true; {
		case conversion == 's' && strings.HasPrefix(rest, "."):
			p.items = append(p.items, item{conversion: 'i'})
		case conversion == '%':
			p.items = append(p.items, item{text: '%'})
		default:
			p.items = append(p.items, item{conversion: conversion})
		}
		if conversion == 'S' && (rest == "" || rest[0] != '.' && rest[0] != ',') {
			p.items = append(p.items, item{conversion: '.'})
		}
	}
	p.has[day] = (has['Y'] || has['y']) && (has['m'] || has['b'] || has['B']) && (has['d'] || has['e'])
	p.has[timeOfDay] = (has['H'] || has['k'] || (has['I'] || has['l']) && has['p']) && has['M']
	p.has[moment] = has['s'] || p.has[day] && p.has[timeOfDay]
	return p, nil
}

// part returns what a field in this layout is about.
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

// read is a layout. Behind a pattern without a zone there may be one, as isoTime reads it.
func (p *pattern) read(b []byte, zone *time.Location) (nanos int64, ok bool) {
	s := stamp{clock: [8]byte{'0', '0', ':', '0', '0', ':', '0', '0'}}
	for _, i := range p.items {
		if b, ok = s.take(i, b); !ok {
			return 0, false
		}
	}
	if len(b) > 0 {
		if s.zoned || p.exact {
			return 0, false
		}
		if s.east, s.zoned = isoZone(b); !s.zoned {
			return 0, false
		}
	}
	if s.counted {
		return s.seconds + s.nanos, true
	}
	if s.zoned {
		zone = time.UTC
	}
	if s.afternoon {
		s.clock[0], s.clock[1] = s.clock[0]+1, s.clock[1]+2 // civil accepts no octet but a digit
		if s.clock[1] > '9' {
			s.clock[0], s.clock[1] = s.clock[0]+1, s.clock[1]-10
		}
	}
	seconds, ok := civil(s.year, s.month, s.day, s.clock[:], zone)
	return (seconds-s.east)*1e9 + s.nanos, ok
}

// stamp is a time that is being read.
type stamp struct {
	year, month, day int
	clock            [8]byte // hh:mm:ss
	afternoon        bool
	nanos            int64
	seconds          int64 // in nanoseconds, since 1970, if it is counted
	counted          bool
	east             int64
	zoned            bool
}

// take reads what an item stands for from the start of b, and returns what is behind.
func (s *stamp) take(i item, b []byte) (rest []byte, ok bool) {
	switch i.conversion {
	case 0:
		if i.text == ' ' {
			for len(b) > 0 && b[0] == ' ' {
				b, ok = b[1:], true
			}
			return b, ok
		}
		if len(b) == 0 || b[0] != i.text {
			return nil, false
		}
		return b[1:], true
	case 'a', 'A':
		n := letters(b)
		return b[n:], n > 0
	case 'b', 'B':
		return s.monthName(i.conversion, b)
	case 'p':
		return s.half(b)
	case 's', 'i':
		n := digitsAt(b, i.conversion == 's')
		s.seconds, ok = epochTime(b[:n], nil)
		s.counted = true
		return b[n:], ok
	case '.':
		s.nanos, rest = fraction(b)
		return rest, true
	case 'L':
		s.nanos, rest = afterPoint(b)
		return rest, len(rest) < len(b)
	case 'z', 'Z':
		return s.zone(b)
	case 'Y':
		if len(b) < 4 {
			return nil, false
		}
		s.year = number4(b)
		return b[4:], true
	}
	return s.number(i.conversion, b)
}

// number reads a number of two digits; the first may be a blank or missing.
func (s *stamp) number(conversion byte, b []byte) (rest []byte, ok bool) {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	tens, n := byte('0'), 1
	if len(b) > 1 && isDigit(b[1]) {
		tens, n = b[0], 2
	}
	if len(b) < n || !isDigit(tens) || !isDigit(b[n-1]) {
		return nil, false
	}
	ones := b[n-1]
	value := number2(tens, ones)
	switch conversion {
	case 'd', 'e':
		s.day = value
	case 'm':
		s.month = value
	case 'y': // as POSIX has it
		if s.year = 2000 + value; value > 68 {
			s.year = 1900 + value
		}
	case 'H', 'k':
		s.clock[0], s.clock[1] = tens, ones
	case 'I', 'l':
		if value < 1 || value > 12 {
			return nil, false
		}
		if value == 12 {
			tens, ones = '0', '0'
		}
		s.clock[0], s.clock[1] = tens, ones
	case 'M':
		s.clock[3], s.clock[4] = tens, ones
	case 'S':
		s.clock[6], s.clock[7] = tens, ones
	}
	return b[n:], true
}

// letters returns how many letters are at the start of b.
func letters(b []byte) (n int) {
	for n < len(b) && 'a' <= b[n]|0x20 && b[n]|0x20 <= 'z' {
		n++
	}
	return n
}

// zone reads a zone: hours and minutes, or a name, of which only those of UTC are known.
func (s *stamp) zone(b []byte) (rest []byte, ok bool) {
	n := letters(b)
	switch string(b[:n]) {
	case "UTC", "GMT", "Z":
		s.zoned = true
		return b[n:], true
	}
	n = len("-0700")
	if len(b) > 3 && b[3] == ':' {
		n++
	}
	if len(b) < n {
		return nil, false
	}
	s.east, s.zoned = isoZone(b[:n])
	return b[n:], s.zoned
}

// monthName reads the name of a month in English: three letters, or all.
func (s *stamp) monthName(conversion byte, b []byte) (rest []byte, ok bool) {
	if len(b) < 3 {
		return nil, false
	}
	s.month = monthOf(b[:3])
	n := 3
	if conversion == 'B' && s.month > 0 {
		name := time.Month(s.month).String()
		if len(b) < len(name) || string(b[:len(name)]) != name {
			return nil, false
		}
		n = len(name)
	}
	return b[n:], s.month > 0
}

// half reads AM or PM, in any case.
func (s *stamp) half(b []byte) (rest []byte, ok bool) {
	if len(b) < 2 || b[1]|0x20 != 'm' || b[0]|0x20 != 'a' && b[0]|0x20 != 'p' {
		return nil, false
	}
	s.afternoon = b[0]|0x20 == 'p'
	return b[2:], true
}

// digitsAt returns how many octets at the start of b are a number, with its fraction or
// without.
func digitsAt(b []byte, withFraction bool) (n int) {
	for n < len(b) && isDigit(b[n]) {
		n++
	}
	if withFraction && n+1 < len(b) && b[n] == '.' && isDigit(b[n+1]) {
		for n++; n < len(b) && isDigit(b[n]); n++ {
		}
	}
	return n
}
