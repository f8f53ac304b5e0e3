package format

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// slowSplit splits a line octet by octet; nil if a field in quotes does not end where it should.
// runs says that several delimiters are one.
func slowSplit(d *dialect, line string, runs bool) (fields []string) {
	field, inside, closed, began := "", false, false, false
	end := func() {
		fields = append(fields, field)
		field, closed, began = "", false, false
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case inside && d.quotes == slashed && c == '\\' && i+1 < len(line):
			field += line[i : i+2]
			i++
		case inside && d.quotes == doubled && strings.HasPrefix(line[i:], `""`):
			field += `""`
			i++
		case inside && c == '"':
			inside, closed = false, true
		case inside:
			field += line[i : i+1]
		case c == d.delimiter && runs && !began:
		case c == d.delimiter:
			end()
		case closed:
			return nil
		case c == '"' && !began && d.quotes != unquoted:
			inside, began = true, true
		default:
			field, began = field+line[i:i+1], true
		}
	}
	if inside {
		return nil
	}
	if !runs || began {
		end()
	}
	return fields
}

// TestColumnsAreThoseOfOctets: lines come apart as they do octet by octet, by marks and without,
// in chunks and alone.
func TestColumnsAreThoseOfOctets(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	dialects := []*dialect{
		{delimiter: '\t'}, {delimiter: ' ', runs: true}, {delimiter: ' ', runs: true, quotes: doubled}, {delimiter: ',', quotes: doubled}, {delimiter: ',', quotes: slashed},
	}
	for range 1000 {
		d := dialects[rng.IntN(len(dialects))]
		h := &heading{count: 1 + rng.IntN(5)}
		for i := range h.count {
			h.rest = append(h.rest, located{part(i), i})
		}
		chunk := make([]byte, rng.IntN(2000))
		if rng.IntN(20) == 0 {
			chunk = make([]byte, 3*indexed)
		}
		often := 1 + rng.IntN(20)
		for i := range chunk {
			if chunk[i] = "abcde\xff#x"[rng.IntN(8)]; rng.IntN(often) == 0 {
				chunk[i] = []byte{d.delimiter, d.delimiter, '"', '\\', '\n', '\r', d.delimiter}[rng.IntN(7)]
			}
		}
		c := newColumns(&Format{}, d, h).(*columns)
		c.Reset(chunk)
		var r Record
		for lines := bytes.SplitAfter(chunk, []byte("\n")); len(lines) > 0 && len(lines[0]) > 0; lines = lines[1:] {
			_, line := NextLine(lines[0])
			got, want := fieldsIn(c, &r, h), wantFields(d, string(line), h.count)
			if string(r.Line) != string(line) || !slices.Equal(got, want) {
				t.Fatalf("%+v: %q in %d columns\n got %q %q\nwant %q", *d, line, h.count, r.Line, got, want)
			}
			alone := newColumns(&Format{}, d, h).(*columns)
			alone.Reset(lines[0])
			if again := fieldsIn(alone, &r, h); !slices.Equal(again, want) {
				t.Fatalf("%+v: %q alone\n got %q\nwant %q", *d, line, again, want)
			}
		}
		if c.lines.at != len(c.chunk) {
			t.Fatalf("%d octets are left", len(c.chunk)-c.lines.at)
		}
	}
}

// fieldsIn returns the fields of the next line if there are as many as columns, else nil.
func fieldsIn(c *columns, r *Record, h *heading) (fields []string) {
	if c.cut(r) != h.count {
		return nil
	}
	c.set(h.rest, r.Line)
	for i := range h.count {
		fields = append(fields, string(c.text[i]))
	}
	return fields
}

func wantFields(d *dialect, line string, count int) []string {
	fields := slowSplit(d, line, false)
	if len(fields) != count && d.runs {
		fields = slowSplit(d, line, true)
	}
	if len(fields) != count {
		return nil
	}
	return fields
}

// FuzzColumns: no log makes a reader of columns lose a line, or read it in another way if it is
// cut into chunks.
func FuzzColumns(f *testing.F) {
	for _, row := range columnFormats {
		f.Add([]byte(row.head+row.sample+"\n"), uint16(5))
	}
	f.Add([]byte("#Fields: a\n#Fields: cs-uri-stem cs(User-Agent)\n/ \"x\"\"\" \n  / \"y\n"), uint16(3))
	f.Fuzz(func(t *testing.T, log []byte, at uint16) {
		for _, row := range columnFormats {
			bound, err := row.Bound(log)
			if err != nil {
				continue
			}
			whole := kindsOf(bound, log)
			if n := bytes.Count(log, []byte("\n")); len(whole) < n || len(whole) > n+1 {
				t.Fatalf("%s: %d lines of %q", row.name, len(whole), log)
			}
			cut := bytes.LastIndexByte(log[:min(int(at), len(log))], '\n') + 1
			if parts := kindsOf(bound, log[:cut], log[cut:]); !slices.Equal(parts, whole) {
				t.Fatalf("%s: %q is %q, cut at %d %q", row.name, log, whole, cut, parts)
			}
		}
	})
}

// kindsOf says what the lines of the chunks of a log are.
func kindsOf(f *Format, chunks ...[]byte) (list []string) {
	reader := f.NewReader()
	var r Record
	for _, chunk := range chunks {
		reader.Reset(chunk[:len(chunk):len(chunk)])
		for kind := reader.Next(&r); kind != End; kind = reader.Next(&r) {
			if kind != Request {
				list = append(list, fmt.Sprintf("%d %q", kind, r.Line))
				continue
			}
			reader.Complete(&r)
			list = append(list, fmt.Sprintf("%q %+v", r.Line, fieldsOf(&r)))
		}
	}
	return list
}
