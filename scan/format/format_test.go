package format

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestFormats checks the requirements of every row of the table of formats: its sample is detected
// as its format, and is the same request in all formats.
func TestFormats(t *testing.T) {
	for i, f := range formats() {
		t.Run(f.name, func(t *testing.T) {
			if f.name != strings.ToLower(f.name) ||
				slices.IndexFunc(formats(), func(g *Format) bool { return g.name == f.name }) != i {
				t.Error("the name is not in lower case, or not unique")
			}
			if got, ok := ByName(strings.ToUpper(f.name)); !ok || got.name != f.name || !slices.Contains(Names(), f.name) {
				t.Errorf("by its name it is %v, and one of %v", got, Names())
			}
			for _, end := range []string{"", "\n", "\r\n", "\r\n\n\r\n"} {
				if got, err := Detect([]byte(f.head+f.sample+end), true); err != nil {
					t.Errorf("the sample and %q: %v", end, err)
				} else if got.Name() != f.name {
					t.Errorf("the sample and %q are detected as %s", end, got.Name())
				}
			}
			f := f
			if f.bind != nil {
				f = f.bind(f, []byte(f.head+f.sample))
			}
			var r Record
			reader := f.NewReader()
			if got, ok := read(reader, &r, f.sample); !ok || sameInAll(got) != sampleFields(f) {
				t.Errorf("\n got %+v, %v\nwant %+v", sameInAll(got), ok, sampleFields(f))
			}
			if (r.Host != nil) != f.HasHost() || (r.Agent != nil) != f.HasAgent() {
				t.Errorf("host %q, agent %q", r.Host, r.Agent)
			}
			checkKinds(t, reader, f.sample)
		})
	}
}

// TestWords passes the words of each format to Parse, which must read the sample like the format.
func TestWords(t *testing.T) {
	for _, f := range formats() {
		user, err := Parse(f.Words())
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		log := []byte(f.head + f.sample + "\n")
		words := f.words
		f, user = f.boundTo(log), user.boundTo([]byte(f.sample+"\n"))
		got, want := readLog(user, []byte(f.sample+"\n")), readLog(f, log)
		if len(want) != 1 || !slices.Equal(got, want) || user.meaning.has != f.meaning.has {
			t.Errorf("%s: %s\n got %+v\nwant %+v", f.name, words, got, want)
		}
	}
}

// sampleFields are what the sample of a format says, if it has fields for it.
func sampleFields(f *Format) fields {
	want := fields{Method: "GET", Target: "/a?b=c", Time: "2026-03-04T05:06:07Z", Status: 200, Size: NoSizes}
	if f.has[clientAddr] {
		want.Addr = "192.0.2.1"
	}
	if f.name == "client_forwarded_combined" {
		want.Addr = "10.0.0.9" // the proxy's
	}
	if f.HasAgent() {
		want.Agent = "Mozilla/5.0 (compatible; FooBot/1.0)"
	}
	if f.HasHost() {
		want.Host = "www.example.com"
	}
	if f.has[bodySize] {
		want.Size = 1234
	}
	if !f.has[statusCode] {
		want.Status = 0
	}
	return want
}

// sameInAll leaves out of a sample's fields in what formats may differ: the port, a target
// in absolute form, proxies, and what the log did to the target. See TestWritten for what
// each says.
func sameInAll(got fields) fields {
	got.Host = strings.TrimSuffix(got.Host, ":443")
	got.Target = strings.TrimPrefix(strings.TrimPrefix(got.Target, "https://www.example.com"), ":443")
	if got.Forwarded == "-" || strings.HasPrefix(got.Forwarded, "192.0.2.1") {
		got.Forwarded = ""
	}
	got.Lossy = Exact
	return got
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
				t.Errorf("line %d has kind %d, want %d: %q", i, got, kind, r.Line)
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

// TestNoName has invalid names of formats.
func TestNoName(t *testing.T) {
	for _, name := range []string{"", "auto", "combine", "combined ", "docker:docker:docker:docker:combined", "json.:combined",
		"json.a..b:combined", "json.log", "json(time=a)", "json(time=a url=b", "json()", "syslog:", "syslog",
		"nothing:combined", "combined:syslog", "combined+", "combined+combined", "error_log", "combined+x", "haproxy:host",
		"combined+vhost_combined+common+vhost_common"} {
		if f, ok := ByName(name); ok {
			t.Errorf("ByName(%q) = %s", name, f.Name())
		}
	}
}

// TestCompleteSetsAll reads each sample into a record with the fields of another format's line. The
// result must equal a new record.
func TestCompleteSetsAll(t *testing.T) {
	other := Record{
		Line: []byte("x"), Offset: 1, Agent: []byte("x"), Referer: []byte("x"), Robots: true, Addr: []byte("x"), Host: []byte("x"),
		Forwarded: []byte("x"), Method: []byte("x"),
		Target: []byte("x"), SchemeLogged: true, OwnURL: true, Time: 1, HasTime: true, Status: 1, Size: 1, Claim: []byte("x"),
		Lossy: Rewritten, Truncated: true,
	}
	for i, v := 0, reflect.ValueOf(other); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("the field %s has to be set here, too", v.Type().Field(i).Name)
		}
	}
	for _, f := range formats() {
		g, err := f.For([]byte(f.Head()+f.Sample()+"\n"), true)
		if err != nil {
			t.Fatal(err)
		}
		used, fresh := other, Record{}
		_, ok := read(g.NewReader(), &used, f.Sample())
		if _, also := read(g.NewReader(), &fresh, f.Sample()); !ok || !also || !reflect.DeepEqual(used, fresh) {
			t.Errorf("%s: %+v\nwant %+v", f.name, used, fresh)
		}
	}
}
