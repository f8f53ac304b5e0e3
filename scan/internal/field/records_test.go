package field

import (
	"bytes"
	"strings"
	"testing"
)

// recordTwin is Record of the whole data, octet by octet, as RFC 4180 states its grammar.
func recordTwin(data string, delimiter byte) (n int, isLine bool) {
	first := strings.IndexByte(data, '\n') + 1
	if first == 0 {
		first = len(data)
	}
	const (
		begin = iota // of a field
		plain
		quoted
		closed
	)
	state := begin
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case state == quoted && c == '"' && i+1 < len(data) && data[i+1] == '"':
			i++
		case state == quoted && c == '"':
			state = closed
		case state == quoted:
		case state == begin && c == '"':
			state = quoted
		case c == '\n':
			return i + 1, i+1 == first
		case c == delimiter:
			state = begin
		case state == closed:
			if rest := strings.TrimLeft(data[i:], "\r"); rest != "" && rest[0] != '\n' {
				return first, false
			}
		default:
			state = plain
		}
	}
	if state == quoted {
		return first, false
	}
	return len(data), first == len(data)
}

// TestRecordsOfAllShortTexts splits all short texts of quotes, commas and line ends like RFC 4180,
// for any part of them read so far.
func TestRecordsOfAllShortTexts(t *testing.T) {
	const n = 7
	for _, c := range []Columns{{Delimiter: ',', Quotes: true}, {Delimiter: '\n', Quotes: true}} {
		var text []byte
		var try func(left int)
		try = func(left int) {
			checkRecords(t, &c, string(text))
			for _, octet := range []byte("\",\r\na") {
				if left > 0 {
					text = append(text, octet)
					try(left - 1)
					text = text[:len(text)-1]
				}
			}
		}
		try(n)
		for _, length := range []int{58, 61, 62, 63, 125, 600} { // where the text crosses from one block to the next
			text = append(bytes.Repeat([]byte("\"a\""), 1), bytes.Repeat([]byte(","), length)...)
			text = append(text, '\n')
			try(n - 3)
			text = append(text[:3], bytes.Repeat([]byte("\"\""), length/2)...)
			try(n - 3)
		}
	}
}

func checkRecords(t *testing.T, c *Columns, text string) {
	want, isLine := recordTwin(text, c.Delimiter)
	if n, is := c.Record([]byte(text), true); n != want || is != isLine {
		t.Fatalf("the first record of %q has %d bytes, %v; want %d, %v", text, n, is, want, isLine)
	}
	// What is cut while more may follow is what is cut of the whole.
	ends, lines, sound := map[int]bool{0: true}, true, true
	for at := 0; at < len(text); {
		n, isLine := recordTwin(text[at:], c.Delimiter)
		record := strings.TrimRight(text[at:at+n], "\r\n")
		fields := c.Split(nil, []byte(record))
		if (fields == Malformed) != (!isLine && !strings.Contains(record, "\n")) {
			t.Fatalf("the record %q of %q has %d fields", record, text, fields)
		}
		at, lines, sound = at+n, lines && isLine, sound && fields != Malformed
		ends[at] = true
	}
	if end, are := c.Records([]byte(text), true); end != len(text) || are != lines {
		t.Fatalf("the records of %q end at %d, %v; want %d, %v", text, end, are, len(text), lines)
	}
	if end, _ := c.Records([]byte(text), false); sound && strings.HasSuffix(text, "\n") && end != len(text) {
		t.Fatalf("%q ends with a record, and is cut at %d", text, end)
	}
	for part := range len(text) {
		if end, _ := c.Records([]byte(text[:part]), false); !ends[end] {
			t.Fatalf("%q is cut within a record, at %d, when %d bytes are read", text, end, part)
		}
	}
}
