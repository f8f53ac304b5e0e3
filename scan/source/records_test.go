package source

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// recordEnds returns where the records of a text end.
func recordEnds(c *field.Columns, text []byte) map[int]bool {
	ends := map[int]bool{}
	for at := 0; at < len(text); {
		n, _ := c.Record(text[at:], true)
		at += n
		ends[at] = true
	}
	return ends
}

// TestChunksEndWithRecords checks that the chunks of an input with records add up to it and end
// where records do, for any sizes and kinds of inputs.
func TestChunksEndWithRecords(t *testing.T) {
	c := &field.Columns{Delimiter: ',', Quotes: true}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b strings.Builder
		for range r.IntN(200) {
			b.WriteString([]string{"a", ",", "\"", "\n", "\r\n", ",\"", "\",", "\"\n", "some words", "\"\""}[r.IntN(10)])
		}
		text := []byte(b.String())
		ends := recordEnds(c, text)
		for _, in := range []*Input{NewInput("-", bytes.NewReader(text), -1), file(t, write(t, "a", text))} {
			in.Records = c.Records
			o := Options{Workers: 1, ChunkSize: 8 + r.IntN(40), MaxLine: 1 << 12, InOrder: true, Prompt: r.IntN(2) == 0}
			var got []byte
			reader := NewReader([]*Input{in}, o)
			for chunk, ok := reader.Next(); ok; chunk, ok = reader.Next() {
				got = append(got, chunk.Data...)
				if len(chunk.Data) > 0 && !ends[len(got)] {
					t.Fatalf("%q is cut within a record, at %d, with %+v", text, len(got), o)
				}
				if lines := bytes.Count(chunk.Data, []byte("\n")); chunk.Lines && !chunk.Last && lines != len(recordEnds(c, chunk.Data)) {
					t.Fatalf("the lines of %q are no records", chunk.Data)
				}
				reader.Release(chunk)
			}
			if !bytes.Equal(got, text) {
				t.Fatalf("the chunks of %q are %q", text, got)
			}
		}
	}
}

// TestStrayQuoteOfALongFile checks that an unclosed quote swallows no other line.
func TestStrayQuoteOfALongFile(t *testing.T) {
	c := &field.Columns{Delimiter: ',', Quotes: true}
	text := []byte("a,\"stray\n" + strings.Repeat("b,c\n", 5000) + "d,\"x\ny\"\n")
	in := NewInput("-", bytes.NewReader(text), -1)
	in.Records = c.Records
	reader := NewReader([]*Input{in}, Options{Workers: 1, ChunkSize: 100, MaxLine: 1000, InOrder: true})
	var got []byte
	for chunk, ok := reader.Next(); ok; chunk, ok = reader.Next() {
		if chunk.Cut > 0 || len(chunk.Data) > 1100 {
			t.Errorf("a chunk has %d bytes, and %d are cut off", len(chunk.Data), chunk.Cut)
		}
		got = append(got, chunk.Data...)
		reader.Release(chunk)
	}
	if !bytes.Equal(got, text) {
		t.Errorf("the chunks are %d bytes, not %d", len(got), len(text))
	}
}
