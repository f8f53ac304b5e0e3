package format

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestHeaderInForce checks that lines are read by the previous header, from Reset to Reset, and
// that no line is read after a header without a path.
func TestHeaderInForce(t *testing.T) {
	log := []string{
		"#Fields: date time cs-uri-stem cs(User-Agent)",
		"2026-03-04 05:06:07 /a A",
		"#Fields: cs(User-Agent) cs-uri-stem date time cs-host",
		"B /b 2026-03-04 05:06:08 example.com",
		"2026-03-04 05:06:07 /a A", // has no fifth field
		"#Fields: date time cs-method",
		"2026-03-04 05:06:07 GET",
		"#Fields: date time cs-uri-stem cs(User-Agent)",
		"2026-03-04 05:06:09 /c C",
	}
	want := "Other Request(/a A ) Other Request(/b B example.com) Unparsed Other Unparsed Other Request(/c C ) "
	f, err := mustFormat(t, "w3c").For([]byte(strings.Join(log, "\n")), true)
	if err != nil {
		t.Fatal(err)
	}
	for size := 1; size <= len(log); size++ {
		reader, got := f.NewReader(), ""
		for chunk := range slices.Chunk(log, size) {
			got += kinds(reader, strings.Join(chunk, "\n"))
		}
		if got != want {
			t.Errorf("chunks of %d lines\n got %s\nwant %s", size, got, want)
		}
	}
	// A line begins in the log, or after a header.
	reader := f.NewReader().(Headed)
	for _, c := range []struct{ header, line, want string }{
		{log[2], log[3], "Request(/b B example.com) "},
		{"", log[1], "Request(/a A ) "},
		{log[5], log[1], "Unparsed "},
		{log[0], log[1], "Request(/a A ) "},
	} {
		reader.SetHeader([]byte(c.header))
		if got := kinds(reader, c.line); got != c.want {
			t.Errorf("behind %q %q is %s, want %s", c.header, c.line, got, c.want)
		}
	}
}

// kinds says what the lines of a chunk are.
func kinds(reader Reader, chunk string) (list string) {
	for kind, r := range each(reader, []byte(chunk)) {
		if kind == Request {
			list += fmt.Sprintf("Request(%s %s %s) ", r.Target, r.Agent, r.Host)
		} else {
			list += [...]string{Blank: "Blank ", Unparsed: "Unparsed ", Other: "Other "}[kind]
		}
	}
	return list
}

// TestLogBeforeItsHeader checks that lines before a log's first header are read by the header of
// the previous log.
func TestLogBeforeItsHeader(t *testing.T) {
	const first, second = "#Fields: date time cs-uri-stem cs(User-Agent)\n",
		"#Fields: date time cs(User-Agent) cs-uri-stem\n"
	const line = "2026-03-04 05:06:07 /a /b\n"
	w3c := mustFormat(t, "w3c")
	if _, err := w3c.For([]byte(line), true); err == nil || !strings.Contains(err.Error(), "#Fields:") {
		t.Errorf("without a header: %v", err)
	}
	f, err := w3c.For([]byte(line+second+line), true)
	if err != nil || string(f.Header()) != strings.TrimSpace(second) {
		t.Fatalf("%v, header %q", err, f.Header())
	}
	if got := kinds(f.NewReader(), line+second+line); got != "Unparsed Other Request(/b /a ) " {
		t.Error(got)
	}
	if f, err = w3c.For([]byte(first+line+second+line), true); err != nil {
		t.Fatal(err)
	}
	if got := kinds(f.NewReader(), line+second+line); got != "Request(/a /b ) Other Request(/b /a ) " {
		t.Error(got)
	}
}

// TestHostileHeaders checks that headers of any length and number use bounded memory.
func TestHostileHeaders(t *testing.T) {
	f, err := mustFormat(t, "w3c").For([]byte("#Fields: cs-uri-stem\n/\n"), true)
	if err != nil {
		t.Fatal(err)
	}
	reader := f.NewReader().(*columns)
	for _, header := range []string{
		"#Fields:" + strings.Repeat(" x", maxColumns+1), "#Fields:" + strings.Repeat("x", maxHeader), "#Fields: ",
		"#Fields: x", "#Fields:\t\tcs-uri-stem,\"", "#Fields: cs-uri cs-uri",
	} {
		kinds(reader, header+"\n/\nx y z\n#\n")
	}
	for i := range 10 * maxKnown {
		if got, want := kinds(reader, fmt.Sprintf("#Fields: cs-uri-stem x%d\n/%d x", i, i)),
			fmt.Sprintf("Other Request(/%d  ) ", i); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if len(reader.known) > maxKnown {
		t.Errorf("%d headers are kept", len(reader.known))
	}
}

// TestFieldsGiven reads logs that lack their line #Fields, given that line.
func TestFieldsGiven(t *testing.T) {
	for name, log := range map[string]string{"w3c": w3cFormat.sample, "cloudfront": cloudfrontFormat.sample,
		"incapsula": incapsulaFormat.sample} {
		row, _ := ByName(name)
		lines := strings.Split(strings.TrimSuffix(row.Head(), "\n"), "\n")
		f, err := Parse(lines[len(lines)-1])
		if err != nil {
			t.Fatal(err)
		}
		g, err := f.For([]byte(log+"\n"), true)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Detect([]byte(row.Head()+log+"\n"), true)
		if err != nil {
			t.Fatal(err)
		}
		got, want := readLog(g, []byte(log+"\n")), readLog(whole, []byte(row.Head()+log+"\n"))
		if len(want) != 1 || g.Name() != name || !slices.Equal(got, want) {
			t.Errorf("%s: read as %s: %+v; want %+v", name, g.Name(), got, want)
		}
	}
	for text, want := range map[string]string{
		"#Fields: date time c-ip":               "none of the columns is a path",
		"#Fields: time cs-uri-stem":             "date and time",
		"#Fields: date time cs-uri-stem\n#Date": "more than one line",
	} {
		if f, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", text, f, err)
		}
	}
}
