package page

import (
	"slices"
	"time"
)

// cutDate reads the date that text begins with and returns its length, 0 if text does not begin with a date.
//
// Google's documentation asks for "a widely adopted format including, but not limited to" RFC 822, RFC 850 and ISO 8601.
// These forms are read, and those of asctime, RFC 1123 and English prose such as "June 25, 2010 3:00 PM", with the fields
// in any order that leaves no doubt, and in either case. A date of two numbers before the year, such as 06/05/2010, is
// not read, because nobody can tell which of the two is the month.
//
// A date without a time is its midnight. The zone is UTC where none is given, or one by a name that RFC 822 does not have.
func cutDate(text []byte) (t time.Time, n int) {
	d := dateReader{text: text}
	for next := d; next.field(); {
		d = next
	}
	if !d.dated || d.month == 0 || d.day == 0 {
		return time.Time{}, 0
	}
	t = time.Date(d.year, d.month, d.day, d.hour, d.minute, d.second, 0, time.UTC)
	if t.Day() != d.day {
		return time.Time{}, 0
	}
	return t.Add(-d.offset), d.i
}

// dateReader reads the fields of a date. A field that is seen twice ends the date.
type dateReader struct {
	text []byte
	i    int // offset in text, after the last field that was read

	dated                bool // year is set
	year                 int
	month                time.Month
	day                  int
	timed                bool // hour is set
	hour, minute, second int
	zoned                bool // offset is set by numbers
	offset               time.Duration
}

// field reads one field. If it returns false, the reader is of no use any more.
func (d *dateReader) field() bool {
	for d.i < len(d.text) && (isBlank(d.text[d.i]) || d.text[d.i] == ',') {
		d.i++
	}
	switch c := d.peek(); {
	case isDigit(c):
		return d.numbers()
	case isLetter(c):
		return d.word()
	case c == '+', c == '-':
		return d.numericZone()
	}
	return false
}

// peek returns the next octet, or 0.
func (d *dateReader) peek() byte {
	if d.i < len(d.text) {
		return d.text[d.i]
	}
	return 0
}

// skip passes over an octet if it is the next one.
func (d *dateReader) skip(c byte) bool {
	if d.peek() != c {
		return false
	}
	d.i++
	return true
}

// number reads digits, at most eight; n is how many they are.
func (d *dateReader) number() (value, n int) {
	for ; n < 8 && isDigit(d.peek()); n++ {
		value = 10*value + int(d.peek()-'0')
		d.i++
	}
	return value, n
}

// numbers reads a field that begins with a digit: a time, a date of ISO 8601, 25-Jun-10, or a lone day or year.
func (d *dateReader) numbers() bool {
	value, n := d.number()
	switch next := d.peek(); {
	case isDigit(next):
		return false
	case next == ':' && n <= 2:
		return d.clock(value)
	case n == 4 && (next == '-' || next == '/') && !d.dated && d.month == 0 && d.day == 0:
		d.i++
		month, n1 := d.number()
		second := d.skip(next)
		day, n2 := d.number()
		return second && n1 > 0 && n2 > 0 && d.calendar(value, month, day)
	case n == 8 && !d.dated && d.month == 0 && d.day == 0:
		return d.calendar(value/1e4, value/100%100, value%100)
	case n <= 2 && next == '-' && d.day == 0:
		d.i++
		d.day = value
		return isLetter(d.peek()) && d.word() && d.skip('-') && isDigit(d.peek()) && d.numbers()
	case n <= 2 && d.day == 0:
		d.day = value
		return value > 0
	case (n == 4 || n == 2) && !d.dated:
		d.dated, d.year = true, value
		if n == 2 { // as POSIX reads the two digits of RFC 822 and RFC 850
			if d.year += 1900; value < 69 {
				d.year += 100
			}
		}
		return true
	}
	return false
}

// calendar sets the date of ISO 8601. A "T" and the time may follow.
func (d *dateReader) calendar(year, month, day int) bool {
	d.dated, d.year, d.month, d.day = true, year, time.Month(month), day
	if month < 1 || month > 12 || day == 0 {
		return false
	}
	if lower(d.peek()) != 't' || d.i+1 == len(d.text) || !isDigit(d.text[d.i+1]) {
		return true
	}
	d.i++
	value, n := d.number()
	switch {
	case n == 2 && d.peek() == ':':
		return d.clock(value)
	case n == 4:
		return d.setClock(value/100, value%100, 0)
	case n == 6:
		return d.setClock(value/1e4, value/100%100, value%100)
	}
	return false
}

// clock reads a time after its hour. A fraction of a second is dropped.
func (d *dateReader) clock(hour int) bool {
	d.i++
	minute, n := d.number()
	second, n2 := 0, 2
	if n == 2 && d.skip(':') {
		second, n2 = d.number()
	}
	if d.skip('.') {
		for isDigit(d.peek()) {
			d.i++
		}
	}
	return n == 2 && n2 == 2 && d.setClock(hour, minute, second)
}

func (d *dateReader) setClock(hour, minute, second int) bool {
	again := d.timed
	d.timed, d.hour, d.minute, d.second = true, hour, minute, second
	return !again && hour < 24 && minute < 60 && second <= 60
}

// numericZone reads +02, +0200 or +02:00.
func (d *dateReader) numericZone() bool {
	west := d.text[d.i] == '-'
	d.i++
	value, n := d.number()
	minutes := 0
	switch {
	case n == 4:
		value, minutes = value/100, value%100
	case n != 2:
		return false
	case d.skip(':'):
		if minutes, n = d.number(); n != 2 {
			return false
		}
	}
	if !d.timed || d.zoned || value > 14 || minutes > 59 {
		return false
	}
	d.zoned, d.offset = true, time.Duration(value)*time.Hour+time.Duration(minutes)*time.Minute
	if west {
		d.offset = -d.offset
	}
	return true
}

var (
	months   = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
	weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
	// zones are those of RFC 822, section 5.1, that are not UTC; hours are east of Greenwich.
	zones = []struct {
		name  string
		hours int
	}{{"est", -5}, {"edt", -4}, {"cst", -6}, {"cdt", -5}, {"mst", -7}, {"mdt", -6}, {"pst", -8}, {"pdt", -7}}
)

// named returns the number, from 1, of the name that begins with a word of three letters or more; 0 if there is none.
func named(names []string, word []byte) int {
	return 1 + slices.IndexFunc(names, func(name string) bool {
		return 3 <= len(word) && len(word) <= len(name) && equalFold(name[:len(word)], word)
	})
}

// word reads a weekday, which does not count, a month, AM, PM or the name of a zone.
func (d *dateReader) word() bool {
	start := d.i
	for isLetter(d.peek()) {
		d.i++
	}
	word := d.text[start:d.i]
	switch month := named(months, word); {
	case month > 0 && d.month == 0:
		d.month = time.Month(month)
	case named(weekdays, word) > 0 && !d.timed:
	case (equalFold(word, "am") || equalFold(word, "pm")) && d.timed && 1 <= d.hour && d.hour <= 12:
		if d.hour %= 12; lower(word[0]) == 'p' {
			d.hour += 12
		}
		return true
	case d.timed && !d.zoned && (equalFold(word, "z") || 2 <= len(word) && len(word) <= 5) && lookup(word) == nil:
		d.offset = zone(word)
		return true
	default:
		return false
	}
	d.skip('.')
	return true
}

// zone returns how far east of Greenwich a zone is, by its name; 0 if RFC 822 does not have it.
func zone(name []byte) time.Duration {
	for _, z := range zones {
		if equalFold(z.name, name) {
			return time.Duration(z.hours) * time.Hour
		}
	}
	return 0
}
