package filter

import (
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/internal/list"
)

// TestRowsOfTablesAreRecords checks that rows whose quoted fields contain line ends are kept or dropped whole, as
// encoding/csv reads them, whatever the chunks are.
func TestRowsOfTablesAreRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	site := oneSite(automaton.RFC9309)
	for range 60 {
		text, want := "url,title\n", "url,title\n"
		dropped := int64(0)
		for n := range 100 {
			url := []string{"http://a.example/ok", "http://a.example/p"}[r.IntN(2)] + fmt.Sprint(n)
			var b strings.Builder
			w := csv.NewWriter(&b)
			w.UseCRLF = r.IntN(2) == 0
			title := strings.Repeat([]string{"a", "one\nhttp://a.example/p,y\n", "\"", ",", "\n\n"}[r.IntN(5)], r.IntN(9))
			if err := w.Write([]string{url, title}); err != nil {
				t.Fatal(err)
			}
			w.Flush()
			text += b.String()
			if strings.Contains(url, "ok") {
				want += b.String()
			} else {
				dropped++
			}
		}
		layouts := layoutOf(t, list.CSV, text, list.Options{})
		for _, workers := range []int{1, 3} {
			in := memory(text)
			in.Records = layouts[0].Records()
			var out strings.Builder
			s, err := Run(t.Context(), readerOf(in, workers), workers, Config{Dialects: one, Site: site, Layouts: layouts,
				Quotes: 1}, &out)
			if err != nil {
				t.Fatal(err)
			}
			if out.String() != want || s.Dropped != dropped || s.Invalid > 0 {
				t.Fatalf("of %q %+v are kept:\n%q, want\n%q", text, s, out.String(), want)
			}
		}
	}
}

// TestQuotesNameLinesNotRecords checks that the number of a line counts all lines of the records before it.
func TestQuotesNameLinesNotRecords(t *testing.T) {
	text := "url,x\nhttp://a/,\"1\n2\n3\"\nbad,\n"
	layouts := layoutOf(t, list.CSV, text, list.Options{})
	in := memory(text)
	in.Records = layouts[0].Records()
	c := Config{Dialects: one, Site: make([]Rules, 1), Layouts: layouts, Quotes: 5}
	s, err := Run(t.Context(), readerOf(in, 1), 1, c, io.Discard)
	if err != nil || len(s.Quotes) != 1 || s.Quotes[0].Line != 5 {
		t.Errorf("the invalid rows are %v, %v", s.Quotes, err)
	}
}

// TestSwappedLineEndsAreSwappedBack checks that rows of a file whose lines end in carriage returns are printed
// unchanged.
func TestSwappedLineEndsAreSwappedBack(t *testing.T) {
	text := "http://a/ok\rhttp://a/p\r\nhttp://a/x\r"
	swapped := []byte(text)
	SwapEnds(swapped)
	var out strings.Builder
	s, err := Run(t.Context(), readerOf(memory(string(swapped)), 1), 1, Config{Dialects: one,
		Site: oneSite(automaton.RFC9309), Swapped: []bool{true}}, &out)
	if want := "http://a/ok\r\nhttp://a/x\r"; err != nil || out.String() != want || s.Kept != 2 || s.Dropped != 1 {
		t.Errorf("%q, %+v, %v; want %q", out.String(), s, err, want)
	}
}

// TestSpacedURLsAreCounted checks that a URL with a blank in it is counted, but not one followed by a note.
func TestSpacedURLsAreCounted(t *testing.T) {
	_, s := filtered(t, Config{Dialects: one, Site: make([]Rules, 1)}, 1,
		memory("http://a/b c\nhttp://a/b 200\nhttp://a/ # x\nhttp://a/b c 404 12\nhttp://a/b [200] [x y]\n"))
	if s.Spaced != 2 || s.Count[Allowed] != 5 {
		t.Errorf("%+v", s)
	}
	_, s = filtered(t, Config{Dialects: one, Site: make([]Rules, 1), Values: []bool{true}}, 1,
		memory("http://a/b 200\nhttp://a/b [x]\n"))
	if s.Spaced != 2 {
		t.Errorf("values of another format have notes: %+v", s)
	}
}
