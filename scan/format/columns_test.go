package format

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// slowSplit splits a line byte by byte; nil if a field in quotes does not end where it should.
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
		case inside && strings.HasPrefix(line[i:], `""`):
			field += `""`
			i++
		case inside && c == '"':
			inside, closed = false, true
		case inside:
			field += line[i : i+1]
		case c == d.Delimiter && runs && !began:
		case c == d.Delimiter:
			end()
		case closed:
			return nil
		case c == '"' && !began && d.Quotes:
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

// TestColumnsAreThoseOfOctets checks that lines are split like byte by byte.
func TestColumnsAreThoseOfOctets(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	shapes := []field.Columns{
		{Delimiter: '\t'}, {Delimiter: ' ', Runs: true}, {Delimiter: ' ', Runs: true, Quotes: true},
		{Delimiter: ',', Quotes: true},
	}
	for range 100_000 {
		d := &dialect{Columns: shapes[rng.IntN(len(shapes))]}
		line := make([]byte, rng.IntN(100))
		often := 1 + rng.IntN(20)
		for i := range line {
			if line[i] = "abcde\xff#x"[rng.IntN(8)]; rng.IntN(often) == 0 {
				line[i] = []byte{d.Delimiter, d.Delimiter, '"', '\\', '"', d.Delimiter}[rng.IntN(6)]
			}
		}
		count := 1 + rng.IntN(5)
		if got, want := fieldsIn(d, line, count), wantFields(d, string(line), count); !slices.Equal(got, want) {
			t.Fatalf("%+v: %q in %d columns\n got %q\nwant %q", *d, line, count, got, want)
		}
	}
}

// fieldsIn returns the fields of a line if there are as many as columns, else nil.
func fieldsIn(d *dialect, line []byte, count int) (fields []string) {
	spans := make([]field.Span, count)
	if d.Split(spans, line) != count {
		return nil
	}
	for _, f := range spans {
		fields = append(fields, string(line[f.From:f.To]))
	}
	return fields
}

func wantFields(d *dialect, line string, count int) []string {
	fields := slowSplit(d, line, false)
	if len(fields) != count && d.Runs {
		fields = slowSplit(d, line, true)
	}
	if len(fields) != count {
		return nil
	}
	return fields
}

// FuzzColumns checks that no log makes a reader of columns lose a line, or read it differently when
// it is cut into chunks.
func FuzzColumns(f *testing.F) {
	for _, row := range columnFormats() {
		f.Add([]byte(row.head+row.sample+"\n"), uint16(5))
	}
	f.Add([]byte("#Fields: a\n#Fields: cs-uri-stem cs(User-Agent)\n/ \"x\"\"\" \n  / \"y\n"), uint16(3))
	f.Fuzz(func(t *testing.T, log []byte, at uint16) {
		for _, row := range columnFormats() {
			bound, err := row.For(log, true)
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
	for kind, r := range each(f.NewReader(), chunks...) {
		text := fmt.Sprint(kind)
		if kind == Request {
			text = fmt.Sprintf("%+v", fieldsOf(r))
		}
		list = append(list, fmt.Sprintf("%q %s", r.Line, text))
	}
	return list
}

// TestColumnLogs reads the lines of testdata/column_logs.txt. TestWritten reads the headers in package logwriter.
func TestColumnLogs(t *testing.T) {
	for _, block := range readFormats(t, "column_logs.txt") {
		t.Run(block.source, func(t *testing.T) {
			parts := strings.Split(block.text, "\n")
			name, want, line := parts[0], parts[1], parts[3]
			log := []byte(parts[2] + "\n" + line + "\n")
			f, err := Detect(log, true)
			if err == nil && f.Name() != name {
				t.Errorf("detected as %s", f.Name())
			}
			if f, err = mustFormat(t, name).For(log, true); err != nil {
				t.Fatal(err)
			}
			got := ""
			for kind, r := range each(f.NewReader(), []byte(line+"\r\n")) {
				got = map[Kind]string{Unparsed: "Unparsed", Other: "Other", NoRequest: "NoRequest"}[kind]
				if kind == Request {
					f := fieldsOf(r)
					got = fmt.Sprintf("%s %q Lossy%d %q %q %q %q %s %d %d", f.Method, f.Target, f.Lossy, f.Agent, f.Addr, f.Host,
						f.Forwarded, cmp.Or(f.Time, "-"), f.Status, f.Size)
				}
			}
			if got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}
