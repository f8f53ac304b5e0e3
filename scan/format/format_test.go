package format

import (
	"slices"
	"strings"
	"testing"
)

// TestFormats checks what must hold of every row of the table of formats: its sample
// is detected as the format it is of, and is the same request in all formats.
func TestFormats(t *testing.T) {
	for i, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			if f.name != strings.ToLower(f.name) || slices.Index(Names(), f.name) != i {
				t.Error("the name is not in lower case, or not unique")
			}
			for _, end := range []string{"", "\n", "\r\n", "\r\n\n\r\n"} {
				if got, err := Detect([]byte(f.head+f.sample+end), true); err != nil || got.name != f.name {
					t.Errorf("the sample and %q are detected as %v, %v", end, got, err)
				}
			}
			f := f
			if f.bind != nil {
				f = f.bind(f, []byte(f.head+f.sample))
			}
			// A format that tells the scheme makes the target a whole URL, and one that has the Host
			// header names no port. See TestWritten for what each says.
			want := fields{Addr: "192.0.2.1", Method: "GET", Target: "/a?b=c", Time: "2026-03-04T05:06:07Z", Status: 200, Size: 1234}
			if f.HasAgent() {
				want.Agent = "Mozilla/5.0 (compatible; FooBot/1.0)"
			}
			if f.HasHost() {
				want.Host = "www.example.com"
			}
			if !f.parts[statusCode] {
				want.Status, want.Size = 0, NoSizes // of AWS WAF, which logs before there is an answer
			}
			var r Record
			reader := f.NewReader()
			got, ok := read(reader, &r, f.sample)
			got.Host = strings.TrimSuffix(got.Host, ":443")
			for _, origin := range []string{"https://www.example.com", ":443"} {
				got.Target = strings.TrimPrefix(got.Target, origin)
			}
			got.Forwarded, got.Lossy = strings.TrimPrefix(got.Forwarded, "-"), Exact
			if !ok || got != want {
				t.Errorf("\n got %+v, %v\nwant %+v", got, ok, want)
			}
			if (r.Host != nil) != f.HasHost() || (r.Agent != nil) != f.HasAgent() {
				t.Errorf("host %q, agent %q", r.Host, r.Agent)
			}
			checkKinds(t, reader, f.sample)
		})
	}
}

// checkKinds reads a chunk of several lines, whose last has no line end.
func checkKinds(t *testing.T, reader Reader, sample string) {
	t.Helper()
	chunk := []byte(sample + "\r\n\n\x00\n\r\n" + sample)
	var r Record
	want := []Kind{Request, Blank, Unparsed, Blank, Request, End, End}
	read := func() {
		reader.Reset(chunk)
		for i, kind := range want {
			if got := reader.Next(&r); got != kind || kind == Request && string(r.Line) != sample {
				t.Errorf("line %d is of kind %d, want %d: %q", i, got, kind, r.Line)
			}
			if kind == Request {
				reader.Complete(&r)
			}
		}
	}
	if n := testing.AllocsPerRun(20, read); n != 0 {
		t.Errorf("%v allocations for %q", n, chunk)
	}
}

// TestByName finds every format by its name, in any case.
func TestByName(t *testing.T) {
	want := []string{"combined", "vhost_combined", "common", "vhost_common"}
	if got := Names()[:len(want)]; !slices.Equal(got, want) {
		t.Errorf("the first of Names() are %s", got)
	}
	for _, name := range want {
		for _, spelling := range []string{name, strings.ToUpper(name)} {
			if f, ok := ByName(spelling); !ok || f.Name() != name {
				t.Errorf("ByName(%q) = %v, %v", spelling, f, ok)
			}
		}
		f := mustFormat(t, name)
		if got, want := f.HasHost(), strings.HasPrefix(name, "vhost"); got != want {
			t.Errorf("%s: HasHost() = %v", name, got)
		}
		if got, want := f.HasAgent(), strings.HasSuffix(name, "combined"); got != want {
			t.Errorf("%s: HasAgent() = %v", name, got)
		}
	}
	for _, name := range []string{"", "auto", "combine", "combined "} {
		if f, ok := ByName(name); ok {
			t.Errorf("ByName(%q) = %s", name, f.Name())
		}
	}
}
