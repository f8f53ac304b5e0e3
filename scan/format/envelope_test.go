package format

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/test/logwriter"
)

// in returns a line in an envelope, as its sample has it.
func in(e *Envelope, line string) string { return logwriter.Wrap(e.Name, e.Sample, line) }

// TestEnvelopes puts each envelope around the samples of all formats, which must be detected and
// read as without it.
func TestEnvelopes(t *testing.T) {
	for _, e := range envelopes {
		for _, f := range formats() {
			if f.hasHeader() {
				continue
			}
			name := e.Name + ":" + f.name
			line := in(e, f.sample)
			if got, err := Detect([]byte(line+"\n"), true); err != nil || got.Name() != name {
				t.Errorf("%s: detected as %v, %v", name, got, err)
				continue
			}
			var want, r Record
			plain, _ := read(f.NewReader(), &want, f.sample)
			reader := mustReader(t, name)
			if got, ok := read(reader, &r, line); !ok || got != plain || string(r.Line) != line {
				t.Errorf("%s: %v %+v, want %+v; line %q", name, ok, got, plain, r.Line)
			}
			checkKinds(t, reader, line)
		}
	}
}

// TestTwoEnvelopes has colours and container names inside the records of a runtime.
func TestTwoEnvelopes(t *testing.T) {
	combined := mustFormat(t, "combined").Sample()
	for _, c := range []struct{ line, want string }{
		{in(envelopeByName("docker"), "\x1b[32m"+combined+"\x1b[0m"), "docker:ansi:combined"},
		{"\x1b[36mweb-1  | \x1b[0m" + combined, "ansi:compose:combined"},
		{in(envelopeByName("journald"), in(envelopeByName("compose"), combined)), "journald:compose:combined"},
	} {
		f, err := Detect([]byte(c.line), true)
		if err != nil || f.Name() != c.want {
			t.Errorf("%q is detected as %v, %v", c.line, f, err)
			continue
		}
		if g, ok := ByName(c.want); !ok || g.Name() != c.want {
			t.Errorf("ByName(%q) = %v", c.want, g)
		}
		if got, ok := read(f.NewReader(), new(Record), c.line); !ok || got.Agent != "Mozilla/5.0 (compatible; FooBot/1.0)" {
			t.Errorf("%s: %+v", c.want, got)
		}
	}
}

// TestOpen opens envelopes in all their spellings, and rejects pieces and other lines.
func TestOpen(t *testing.T) {
	const none = "none"
	for _, c := range []struct{ envelope, line, source, inner string }{
		{"syslog", "Mar  4 05:06:07 web1 nginx: x y", "nginx", "x y"},
		{"syslog", "<190>Mar 14 05:06:07 nginx: x", "nginx", "x"},
		{"syslog", "2026-03-04T05:06:07.089123+01:00 web1 nginx[71]: x", "nginx", "x"},
		{"syslog", "<134>2026-03-04T05:06:07Z cache-iad my-logs[3]: {\"a\":1}", "my-logs", `{"a":1}`},
		{"syslog", "2026-03-04T05:06:07Z 192.0.2.1  {\"a\":1}", "", `{"a":1}`},
		{"syslog", "Mar  4 05:06:07 web1 nginx: @cee: {\"a\":1}", "nginx", `{"a":1}`},
		{"syslog", "1772600767.123000 web1 nginx[71]: x", "nginx", "x"},
		{"syslog", "Wed 2026-03-04 05:06:07 UTC web1 nginx[71]: x", "nginx", "x"},
		{"syslog", "Wed 2026-03-04 05:06:07 +03 web1 nginx[71]: x", "nginx", "x"},
		{"syslog", "[1234] web1 nginx[71]: x", "", none},
		{"quoted", `"a "b" "c""`, "", `a "b" "c"`},
		{"quoted", `"a ""b"" ""c"""`, "", `a "b" "c"`},
		{"quoted", `"a "" "c""`, "", `a "" "c"`},
		{"quoted", `"a "b\"" "c""`, "", `a "b\"" "c"`},
		{"quoted", `a "b"`, "", none},
		{"syslog", "Mar  4 05:06:07 ", "", ""},
		{"syslog", "Mar  4 05:06:07", "", none},
		{"syslog", "192.0.2.1 - - [x]", "", none},
		{"syslog5424", "<190>1 2026-03-04T05:06:07.089Z web1 nginx 71 ID47 - x y", "nginx", "x y"},
		{"syslog5424", "1 2026-03-04T05:06:07+01:00 web1 nginx 71 - - \xef\xbb\xbfx", "nginx", "x"},
		{"syslog5424", `<190>1 - - - - - [a@1 b="c\"] d"][e] x`, "", "x"},
		{"syslog5424", `<190>1 - - - - - [a@1 b="c x`, "", none},
		{"syslog5424", "<190>1 yesterday web1 nginx - - - x", "", none},
		{"cri", "2026-03-04T05:06:07.089Z stdout F x y", "stdout", "x y"},
		{"cri", "2026-03-04T05:06:07.089Z stdout F:tag x", "stdout", "x"},
		{"cri", "2026-03-04T05:06:07.089Z stdout P x y", "stdout", none},
		{"cri", "2026-03-04T05:06:07.089Z stdin F x", "", none},
		{"cri", "stdout F x", "", none},
		{"docker", `{"log":"x \"y\" \u00e9\ud83d\ude00\\\n","stream":"stderr","time":"T"}`, "stderr", "x \"y\" é😀\\"},
		{"docker", `{"time":"T","log":"x\r\n"}`, "", "x"},
		{"docker", `{"log":"a piece","stream":"stdout","time":"T"}`, "", none},
		{"docker", `{"log":"x\n","stream":"stdout"`, "stdout", "x"},
		{"docker", `{"a":{"log":"x\n","stream":"stdout"}}`, "", none},
		{"journald", `{"MESSAGE":"x","SYSLOG_IDENTIFIER":"nginx","_COMM":"n"}`, "nginx", "x"},
		{"journald", `{"_COMM":"nginx","MESSAGE":[120, 32,233]}`, "nginx", "x \xe9"},
		{"journald", `{"MESSAGE":[300]}`, "", none},
		{"compose", "web-1  | x | y", "web-1", "x | y"},
		{"compose", "web-1 | 2026-03-04T05:06:07.089123456Z x", "web-1", "x"},
		{"compose", "web-1| x", "", none},
		{"compose", "98.167.1.1 | [25/Jan/2016:06:25:03 +0300] | GET / HTTP/1.1 | 200", "", none}, // goaccess #361
		{"timestamped", "2026-03-04T05:06:07.089123456Z x y", "", "x y"},
		{"timestamped", "2026-03-04T05:06:07+00:00 x y", "", none},
		{"ansi", "\x1b[1;32mx\x1b[0m y\x1b[K", "", "x y"},
		{"ansi", "x\x1b[", "", "x"},
		{"ansi", "\x1b[32mx \"a \x1b[0m\" \"b\"\x1b[0m", "", "x \"a \x1b[0m\" \"b\""},
	} {
		var buf []byte
		source, inner, has := envelopeByName(c.envelope).open([]byte(c.line), &buf)
		if has != whole {
			inner = []byte(none)
		}
		if string(inner) != c.inner || has == whole && string(source) != c.source {
			t.Errorf("%s %q: source %q, line %q, want %q and %q", c.envelope, c.line, source, inner, c.source, c.inner)
		}
	}
	for _, e := range envelopes { // whatever the line is
		for _, l := range write(logwriter.Writers(ByName)[0]).lines {
			var buf []byte
			if _, inner, has := e.open([]byte(in(e, string(l.line))), &buf); has != whole ||
				!bytes.Equal(inner, l.line) && utf8.Valid(l.line) {
				t.Errorf("%s: %q has become %q", e.Name, l.line, inner)
			}
		}
	}
}

// TestOtherPrograms checks that lines of programs without requests at the beginning of the log are
// Other, and that lines of the server itself, and lines outside envelopes, are Unparsed.
func TestOtherPrograms(t *testing.T) {
	combined := mustFormat(t, "combined").Sample()
	chunk := []byte("Mar  4 05:06:07 web1 nginx: " + combined + "\n" +
		"Mar  4 05:06:07 web1 sshd[5]: Accepted publickey\n" +
		"Mar  4 05:06:07 web1 nginx: a message\n" +
		"Mar  4 05:06:07 web1 nginx: \n" +
		"Mar  4 05:06:07 web1 sshd: " + combined + "\n" +
		"--- last message repeated 2 times ---\n\n")
	f, err := Detect(chunk[:bytes.Index(chunk, []byte("Mar  4 05:06:07 web1 nginx: a"))], false)
	if err != nil {
		t.Fatal(err)
	}
	want := []Kind{Request, Other, Unparsed, Other, Request, Unparsed, Blank}
	if got := kindsIn(f.NewReader(), chunk); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	want[1] = Unparsed
	if got := kindsIn(mustReader(t, "syslog:combined"), chunk); !slices.Equal(got, want) {
		t.Errorf("if the sources are not known: got %v, want %v", got, want)
	}
}

// TestMixed reads each line in the first format that explains it. A line without a host has no host
// even if others have one.
func TestMixed(t *testing.T) {
	combined, vhost, common := mustFormat(t, "combined").Sample(), mustFormat(t, "vhost_combined").Sample(),
		mustFormat(t, "common").Sample()
	f := mustFormat(t, "combined+vhost_combined+common+error_log")
	if !f.HasHost() || !f.HasAgent() || !f.HasTime() {
		t.Error("the mix lacks what its formats have")
	}
	if len(f.Doubts()) != 1 || !strings.Contains(f.Doubts()[0], "format common have no User-Agent") ||
		len(mustFormat(t, "common+vhost_common").Doubts()) > 0 {
		t.Errorf("doubts: %q", f.Doubts())
	}
	var r Record
	reader := f.NewReader()
	reader.Reset([]byte(vhost + "\n" + combined + "\r\n" + common +
		"\n2026/03/04 05:06:07 [error] 71#71: *5 x\ngarbage\n\n"))
	for _, want := range []struct {
		kind        Kind
		host, agent string
	}{{Request, "www.example.com:443", "Mozilla/5.0 (compatible; FooBot/1.0)"},
		{Request, "", "Mozilla/5.0 (compatible; FooBot/1.0)"}, {kind: Request}, {kind: Other}, {kind: Unparsed},
		{kind: Blank}, {kind: End}} {
		got := reader.Next(&r)
		if got != want.kind {
			t.Fatalf("kind %d, want %d: %q", got, want.kind, r.Line)
		}
		if got != Request {
			continue
		}
		reader.Complete(&r)
		if string(r.Host) != want.host || string(r.Agent) != want.agent || r.Host == nil || r.Agent == nil ||
			string(r.Method) != "GET" || !r.HasTime {
			t.Errorf("%+v, want %+v", fieldsOf(&r), want)
		}
	}
	checkKinds(t, reader, vhost)
}

// FuzzEnvelope reads any bytes in all envelopes and in mixes: nothing may be lost or depend on the
// chunk.
func FuzzEnvelope(f *testing.F) {
	for _, e := range envelopes {
		f.Add([]byte(in(e, formats()[0].sample) + "\n" + in(e, "x")))
	}
	f.Add([]byte(formats()[0].sample + "\n" + formats()[1].sample + "\n2026/03/04 05:06:07 [error] 71#71: *5 x"))
	names := []string{"combined+vhost_combined+error_log", "docker:ansi:common"}
	for _, e := range envelopes {
		names = append(names, e.Name+":combined")
	}
	f.Fuzz(func(t *testing.T, chunk []byte) {
		for _, name := range names {
			reader := mustReader(t, name)
			all, n := kindsIn(reader, chunk), 0
			for rest := chunk; len(rest) > 0; n++ {
				line, _ := NextLine(rest)
				if one := kindsIn(reader, line); len(one) != 1 || one[0] != all[n] {
					t.Fatalf("%s: %q alone is %v, in the chunk %v", name, line, one, all[n])
				}
				rest = rest[len(line):]
			}
			if len(all) != n {
				t.Fatalf("%s: %d kinds of %d lines", name, len(all), n)
			}
		}
		Detect(chunk, true)
	})
}

// TestPieces has requests so long that Docker, Kubernetes and journald cut them. The last piece
// begins where the client wants, and looks like another request.
func TestPieces(t *testing.T) {
	forged := mustFormat(t, "combined").Sample()
	for name, c := range map[string]struct{ begin, end, other, whole string }{
		"docker:combined": {
			`{"log":"192.0.2.66 - - [04/Mar/2026","stream":"stdout","time":"2026-03-04T05:06:07Z"}`,
			fmt.Sprintf(`{"log":%q,"stream":"stdout","time":"2026-03-04T05:06:07Z"}`, forged+"\n"),
			`{"log":"warning\n","stream":"stderr","time":"2026-03-04T05:06:07Z"}`,
			in(envelopeByName("docker"), forged),
		},
		"cri:combined": {
			"2026-03-04T05:06:07.089000000Z stdout P 192.0.2.66 - - [04/Mar/2026",
			"2026-03-04T05:06:07.089000000Z stdout F " + forged,
			"2026-03-04T05:06:07.089000000Z stderr F warning",
			in(envelopeByName("cri"), forged),
		},
		"journald:combined": {
			`{"__REALTIME_TIMESTAMP":"1","MESSAGE":"192.0.2.66 - - [04/Mar/2026","SYSLOG_IDENTIFIER":"nginx","_LINE_BREAK":"line-max"}`,
			in(envelopeByName("journald"), forged),
			`{"__REALTIME_TIMESTAMP":"1","MESSAGE":"warning","SYSLOG_IDENTIFIER":"cron"}`,
			in(envelopeByName("journald"), forged),
		},
	} {
		f := mustFormat(t, name)
		lines := []string{c.whole, c.begin, c.begin, c.other, c.end, c.whole}
		want := []Kind{Request, Unparsed, Unparsed, Unparsed, Unparsed, Request}
		for cut := 0; cut <= len(lines); cut++ { // into two chunks
			var header []byte
			reader := f.NewReader().(Headed)
			var got []Kind
			for _, part := range [][]string{lines[:cut], lines[cut:]} {
				chunk := []byte(strings.Join(append(part[:len(part):len(part)], ""), "\n"))
				reader.SetHeader(header)
				if last := f.LastHeader()(chunk); last != nil {
					header = last
				}
				got = append(got, kindsIn(reader, chunk)...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, cut before line %d: %v, want %v", name, cut, got, want)
			}
		}
	}
}
