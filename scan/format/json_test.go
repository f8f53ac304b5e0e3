package format

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// foundIn are the fields that a reader has found.
func foundIn(j *jsonReader) (texts [allParts]string) {
	for p, text := range j.text {
		if text != nil {
			texts[p] = "=" + string(text)
		}
	}
	return texts
}

// checkTwoReaders: what walk reads, parse reads with the same fields, also if another line is
// before it whose shape it may have. It returns whether walk reads the line.
func checkTwoReaders(t *testing.T, f *Format, before, line []byte) bool {
	t.Helper()
	chunk := slices.Concat(before, []byte("\n"), line)
	j := f.NewReader().(*jsonReader)
	j.Reset(chunk[:len(chunk):len(chunk)])
	j.walk(0)
	end := j.walk(len(before) + 1)
	if end < 0 || j.lineEnd(end) != len(chunk) {
		return false
	}
	k := f.NewReader().(*jsonReader)
	if parses := k.parse(bytes.Trim(line, " \t\r")); !parses || foundIn(j) != foundIn(k) || j.signs != k.signs {
		t.Fatalf("%s: behind %q,\n%q\nis read as %q %b\nby fastjson %v as %q %b", f.Name(), before, line, foundIn(j), j.signs, parses, foundIn(k), k.signs)
	}
	return true
}

// jsonShapes has a path of every kind.
var jsonShapes = jsonFormat([]string{"s", "t!=x"}, []jsonField{
	{part: userAgent, paths: []string{"a", "b.a", "b.0", "0"}},
	{part: target, paths: []string{"b.b.a", "b"}},
	{part: hostName, paths: []string{"b.a=b.b"}},
})

// noLine is before a line that is to have no line of the same shape before it.
var noLine = []byte("x")

// TestTwoReadersAgree tries all short sequences of what JSON is made of.
func TestTwoReadersAgree(t *testing.T) {
	tokens := []string{`{`, `}`, `[`, `]`, `,`, `:`, `"a"`, `"b"`, `""`, `0`, `null`, ` `}
	longest := 6
	if testing.Short() {
		longest = 5
	}
	walks, before := 0, noLine
	var try func(line []byte, n int)
	try = func(line []byte, n int) {
		whole := append(bytes.Clone(line), '}')
		if checkTwoReaders(t, jsonShapes, before, whole) {
			walks++
			before = whole
		}
		for _, token := range tokens {
			if n > 0 {
				try(append(line, token...), n-1)
			}
		}
	}
	try([]byte("{"), longest-2)
	if walks < 3 {
		t.Errorf("only %d lines were read", walks)
	}
	// Longer ones are made by a grammar. Another one has the same shape, and one of the two is
	// broken at a random place.
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		line := randomObject(r, 4)
		if !checkTwoReaders(t, jsonShapes, noLine, line) {
			t.Fatalf("not read: %s", line)
		}
		same := []byte(strings.NewReplacer(`"x"`, `"é\"\\\/\b\f\n\r\t\u00e9\ud83e\udd16"`, `"b",`, `null,`, `"A"`, `1`, "0", `"a"`, "false", `"\x4a\x5C\x22\v\xg0\u12g4\q\ud83e\ude16\udd16\ud83e\u0041"`).Replace(string(line)))
		checkTwoReaders(t, jsonShapes, line, same)
		checkTwoReaders(t, jsonShapes, same, line)
		at := r.IntN(len(same))
		same[at] = "{}[],:\"0 atfnxu-.\\\t\x00\xff"[r.IntN(21)]
		checkTwoReaders(t, jsonShapes, line, same)
		checkTwoReaders(t, jsonShapes, same, line)
	}
}

// randomObject returns an object as walk should read it.
func randomObject(r *rand.Rand, depth int) []byte {
	b := []byte{'{'}
	for i := range r.IntN(4) {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `"%c":%s`, "abst"[r.IntN(4)], randomValue(r, depth-1))
	}
	return append(b, '}')
}

func randomValue(r *rand.Rand, depth int) []byte {
	switch n := r.IntN(9); {
	case n < 2 && depth > 0:
		return randomObject(r, depth)
	case n < 4 && depth > 0:
		b := []byte{'['}
		for i := range r.IntN(3) {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(b, randomValue(r, depth-1)...)
		}
		return append(b, ']')
	default:
		return []byte([]string{`"x"`, `"b"`, `"A"`, `""`, `"é{[,:]}"`, "0", "-1.5e+3", "null", "true", "false", ` "a" `}[r.IntN(11)])
	}
}

// TestJSONValues reads what is special of JSON, and what is none.
func TestJSONValues(t *testing.T) {
	f := jsonFormat(nil, []jsonField{
		{part: userAgent, paths: []string{"ua", "old.ua"}},
		{part: target, paths: []string{"t"}},
		{part: bodySize, paths: []string{"n"}},
	})
	for _, c := range []struct{ name, line, agent string }{
		{"plain", `{"t":"/","ua":"a b"}`, "a b"},
		{"UTF-8", `{"t":"/","ua":"é"}`, "é"},
		{"octets that are no UTF-8", "{\"t\":\"/\",\"ua\":\"\xff\"}", "\xff"},
		{"control characters as they are", "{\"t\":\"/\",\"ua\":\"\x00\x1b\t\"}", "\x00\x1b\t"},
		{"escapes", `{"t":"/","ua":"\"\\\/\b\f\n\r\t"}`, "\"\\/\b\f\n\r\t"},
		{"escapes elsewhere", `{"x":"\"\\","t":"/","ua":"a"}`, "a"},
		{"\\u", `{"t":"/","ua":"\u0026\u00e9\u65e5\u0000"}`, "&é日\x00"},
		{"a pair of surrogates", `{"t":"/","ua":"\ud83e\udd16"}`, "\U0001f916"},
		{"half a pair", `{"t":"/","ua":"\ud83e!"}`, "\ufffd!"},
		{"half a pair and a letter", `{"t":"/","ua":"\ud83e\u0041"}`, "\ufffdA"},
		{"the wrong half", `{"t":"/","ua":"\udd16\ud83e"}`, "\ufffd\ufffd"},
		{"\\u that is none", `{"t":"/","ua":"\u00g0\u"}`, `\u00g0\u`},
		{"nginx", `{"t":"/","ua":"\x22\x5C\x5Cn\xC3\xA9\x0A"}`, "\"\\\\n\u00e9\n"},
		{"\\x that is none", `{"t":"/","ua":"\xg0\x1"}`, `\xg0\x1`},
		{"Apache", `{"t":"/","ua":"\v\xc3\xa9"}`, "\v\u00e9"},
		{"a letter of no escape", `{"t":"/","ua":"\q"}`, `\q`},
		{"an escaped name", `{"t":"/","u\u0061":"a"}`, "a"},
		{"the same twice", `{"t":"/","ua":"a","ua":"a"}`, "a"},
		{"the same twice, escaped", `{"t":"/","u\u0061":"a","ua":"a"}`, "a"},
		{"the better of two paths", `{"t":"/","old":{"ua":"b"},"ua":"a"}`, "a"},
		{"the better of two paths is null", `{"t":"/","ua":null,"old":{"ua":"b"}}`, "b"},
		{"the better of two paths is empty", `{"t":"/","ua":"","old":{"ua":"b"}}`, "b"},
		{"the better of two paths is an object", `{"t":"/","ua":{"x":1},"old":{"ua":"b"}}`, "b"},
		{"a number", `{"t":"/","ua":-1.50e7}`, "-1.50e7"},
		{"a truth", `{"t":"/","ua":true}`, "true"},
		{"missing", `{"t":"/"}`, ""},
		{"blanks", "\t { \"t\" : \"/\" , \"ua\" : \"a\" , \"n\" : [ 1 , { } , [ ] ] } \r", "a"},
		{"a byte order mark", "\xef\xbb\xbf{\"t\":\"/\",\"ua\":\"a\"}", "a"},
		{"an empty number", `{"n":,"t":"/","ua":"a"}`, "a"},
		{"an empty number at the end", `{"t":"/","ua":"a","n":}`, "a"},
		{"a dash for a number", `{"n":-,"t":"/","ua":"a"}`, "a"},
		{"several numbers", `{"n":0.001, 0.002 : -, "t":"/","ua":"a"}`, "a"},
		{"an address without quotes", `{"n":192.0.2.1:80,"t":"/","ua":"a"}`, "a"},
		{"an element of an array a line", `{"t":"/","ua":"a"},`, "a"},
		{"the last of it", `{"t":"/","ua":"a"} ]`, "a"},
		{"deep", `{"t":"/","ua":"a","x":` + strings.Repeat("[", jsonDepth-1) + strings.Repeat("]", jsonDepth-1) + `}`, "a"},
		{"long", `{"x":"` + strings.Repeat("x", 3*indexed) + `","t":"/","ua":"a"}`, "a"},
		{"long with escapes", `{"x":"` + strings.Repeat(`\\\"`, 3*indexed) + `","t":"/","ua":"a"}`, "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := []byte(c.line)
			checkTwoReaders(t, f, noLine, line)
			checkTwoReaders(t, f, line, line)
			var r Record
			got, ok := read(f.NewReader(), &r, c.line)
			if !ok || got.Agent != c.agent || got.Target != "/" {
				t.Errorf("read as %+v, %v, want %q", got, ok, c.agent)
			}
			if err := checkNext(f, f.NewReader(), &r, line); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestNoJSON reads lines that are none of JSON, and objects that are no requests.
func TestNoJSON(t *testing.T) {
	f := jsonFormat([]string{"s"}, []jsonField{{part: target, paths: []string{"t", "deep.t"}}})
	for _, c := range []struct {
		line string
		want Kind
	}{
		{"", Blank}, {" ", Unparsed}, {"x", Unparsed}, {`"x"`, Unparsed}, {"{", Unparsed}, {"}", Unparsed}, {"1", Unparsed}, {"null", Unparsed},
		{"[", Other}, {"]", Other}, {"[]", Other}, {"{}", Other}, {`{"records":[]}`, Other}, {`{"s":1}`, Other}, {`{"t":"/"}`, Other}, {`{"s":null,"t":"/"}`, Other},
		{`{"s":1,"t":"/"}`, Request}, {`{"s":{},"t":"/"}`, Request}, {`{"s":"","t":"/"}`, Request},
		{`{"s":1,"t":""}`, Unparsed}, {`{"s":1,"t":"x"}`, Unparsed}, {`{"s":1,"t":"http://a/"}`, Request},
		{`{"s":1,"t":"/"}}`, Unparsed}, {`{"s":1,"t":"/"}{}`, Unparsed}, {`{"s":1,"t":"/"},{}`, Unparsed}, {`{"s":1,"t":"/"`, Unparsed}, {`{"s":1,"t":"/}`, Unparsed},
		{`{"s":1,"t":"/",}`, Unparsed}, {`{"s":"1",,"t":"/"}`, Unparsed}, {`{"s":1 "t":"/"}`, Unparsed}, {`{"s":1,"t" "/"}`, Unparsed}, {`{s:1,"t":"/"}`, Unparsed},
		{`{"s":1,"t":"/","x":[1,]}`, Unparsed}, {`{"s":1,"t":"/","x":[,]}`, Unparsed}, {`{"s":1,"t":"/","x":[}`, Unparsed}, {`{"s":1,"t":"/","x":{]}`, Unparsed}, {`{"s":1,"t":"/","x":(]}`, Unparsed},
		{`{"s":1,"t":"/","x":nan}`, Request}, {`{"s":1,"t":"/","x":[nan]}`, Unparsed}, {`{"s":1,"t":"/","x":[tru]}`, Unparsed},
		{`{"s":1,"t":"/","x":"\`, Unparsed}, {`{"s":1,"t":"/","x":"\"}`, Unparsed},
		{`{"s":1,"t":"/","x":` + strings.Repeat("[", jsonDepth) + strings.Repeat("]", jsonDepth) + `}`, Unparsed},
		{`{"s":1,"t":"/","x":` + strings.Repeat("[", 1<<20), Unparsed},
		{`{"s":1,"t":"/","x":[` + strings.Repeat("0,", jsonCommas) + `0]}`, Unparsed},
	} {
		var r Record
		reader := f.NewReader()
		reader.Reset([]byte(c.line))
		got := reader.Next(&r)
		if len(c.line) == 0 {
			reader.Reset([]byte("\n"))
			got = reader.Next(&r)
		}
		if got != c.want || string(r.Line) != c.line || reader.Next(&r) != End {
			t.Errorf("%.60q is of kind %d, want %d; its line is %.60q", c.line, got, c.want, r.Line)
		}
		checkTwoReaders(t, f, noLine, []byte(c.line))
	}
}

// TestJSONArrays reads lines of several records. No octet of a line is lost.
func TestJSONArrays(t *testing.T) {
	f := jsonFormat([]string{"s"}, []jsonField{{part: target, paths: []string{"t"}}})
	a, b, other := `{"s":1,"t":"/a"}`, `{"s":"\"","t":"/b\u0026"}`, `{"x":[{}]}`
	for _, c := range []struct {
		line string
		want []string // the line of each record and its kind
	}{
		{"[" + a + "]", []string{a, "1"}},
		{" [ " + a + " , " + b + " ,\t" + other + " ] \r", []string{a, "1", b, "1", other, "4"}},
		{`{"records":[` + a + "," + b + "]}", []string{a, "1", b, "1"}},
		{`{ "logs" : [ ` + a + " ] } ", []string{a, "1"}},
		{`{"records":1}`, []string{`{"records":1}`, "4"}},
		{"[" + a + `,{"s":1,"t":"x"},{"t":` + "," + a + "]", []string{a, "1", `{"s":1,"t":"x"}`, "3", `{"t":,` + a + "]", "3"}},
		{"[" + a + ",{]}," + a + "]", []string{a, "1", "{]", "3", "}," + a + "]", "3"}},
		{"[" + a + "," + a, []string{a, "1", a, "1"}},
		{"[" + a + ",", []string{a, "1"}},
		{"[" + a + " x", []string{a, "1", "x", "3"}},
		{"[" + a + "] x", []string{a, "1", "] x", "3"}},
		{"[{", []string{"[{", "3"}},
		{"[] x", []string{"[] x", "3"}},
		{"[1," + a + "]", []string{"[1," + a + "]", "3"}},
	} {
		chunk := []byte(c.line + "\n" + a + "\n\n" + c.line)
		var got []string
		var r Record
		j := f.NewReader()
		j.Reset(chunk)
		for kind := j.Next(&r); kind != End; kind = j.Next(&r) {
			if kind == Request {
				j.Complete(&r)
			}
			got = append(got, string(r.Line), fmt.Sprint(int(kind)))
		}
		want := slices.Concat(c.want, []string{a, "1", "", "2"}, c.want)
		if !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", c.line, got, want)
		}
	}
}

// TestJSONChoice finds an element of an array by a name in it, wherever the name stands.
func TestJSONChoice(t *testing.T) {
	f := mustFormat(t, "aws_waf")
	line := `{"timestamp":1772600767000,"webaclId":"x","httpRequest":{"headers":[{"name":"Accept","value":"x"},{"x":[{"name":"user-agent","value":"no"}],"value":"\"a\"","name":"USER-AGENT"},` +
		`{"name":"User-Agent","value":"second"},{"name":"host"},"host",["host"],{"value":"v"},{"name":"Host","value":"www.example.com"}],"uri":"/"}}`
	var r Record
	got, ok := read(f.NewReader(), &r, line)
	if !ok || got.Agent != `"a"` || got.Host != "www.example.com" {
		t.Errorf("read as %+v, %v", got, ok)
	}
	checkTwoReaders(t, f, noLine, []byte(line))
	plain := []byte(strings.ReplaceAll(line, `\"`, ``))
	if !checkTwoReaders(t, f, noLine, plain) || !checkTwoReaders(t, f, plain, []byte(strings.ReplaceAll(string(plain), "USER-AGENT", "Cookie"))) {
		t.Error("not walked")
	}
}

// TestGuardJSON fails when a reader of JSON allocates, by either of its ways.
func TestGuardJSON(t *testing.T) {
	for _, f := range jsonFormats() {
		for _, line := range []string{f.sample, strings.Replace(f.sample, "FooBot", `Foo\u0026Bot`, 1), `[` + f.sample + "," + f.sample + `]`, `{"x":"\x22","n":,"y":[{},1,2,3]}`, "[", `{"`} {
			chunk := bytes.Repeat([]byte(line+"\n"), 20)
			var r Record
			reader := f.NewReader()
			if n := testing.AllocsPerRun(10, func() {
				reader.Reset(chunk)
				for kind := reader.Next(&r); kind != End; kind = reader.Next(&r) {
					if kind == Request {
						reader.Complete(&r)
					}
				}
			}); n != 0 {
				t.Errorf("%s: %v allocations for %s", f.Name(), n, line)
			}
		}
	}
}

// TestJSONMap reads users' maps.
func TestJSONMap(t *testing.T) {
	f, err := parseJSONMap("ua=req.headers.0 time=ts ip=addr.ip ip=ip url=u\tmethod=m status=s bytes=b xff=x host=h")
	if err != nil {
		t.Fatal(err)
	}
	got, ok := read(f.NewReader(), new(Record), `{"req":{"headers":["bot"]},"ts":"2026-03-04T05:06:07Z","ip":"192.0.2.1","u":"/a","m":"HEAD","s":200,"b":"5","h":"a.example","x":"192.0.2.2"}`)
	want := fields{Agent: "bot", Addr: "192.0.2.1", Host: "a.example", Forwarded: "192.0.2.2", Method: "HEAD", Target: "/a", Time: "2026-03-04T05:06:07Z", Status: 200, Size: 5}
	if !ok || got != want {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	for text, says := range map[string]string{
		"":                      "time is missing",
		"time=ts ua=a":          "target is missing",
		"time=ts target":        `"target" is not NAME=PATH`,
		"time=ts target=":       `"target=" is not NAME=PATH`,
		"time=ts target=a..b":   "is not NAME=PATH",
		"time=ts target=t x=y":  `no field is called "x"`,
		"time=ts agent=t url=u": `no field is called "agent"`,
	} {
		if _, err := parseJSONMap(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

// TestBindJSON tells what the lines of a log lack.
func TestBindJSON(t *testing.T) {
	f := mustFormat(t, "traefik_json")
	if bound := f.bind(f, []byte(f.sample)); !bound.HasAgent() || !bound.HasHost() {
		t.Error("the sample lacks the User-Agent or the host")
	}
	dropped := strings.Replace(f.sample, "request_User-Agent", "request_Accept", 1)
	bound := f.bind(f, []byte(dropped+"\n"+dropped))
	if bound.HasAgent() || !bound.HasHost() || !f.HasAgent() {
		t.Errorf("a log without headers: User-Agent %v, host %v", bound.HasAgent(), bound.HasHost())
	}
	var r Record
	if _, ok := read(bound.NewReader(), &r, dropped); !ok || r.Agent != nil {
		t.Errorf("its record has the User-Agent %q", r.Agent)
	}
	if f.bind(f, []byte("{}\n")) != nil {
		t.Error("a log without a request was bound")
	}
}

// FuzzJSON compares the two readers of JSON.
func FuzzJSON(f *testing.F) {
	for _, format := range jsonFormats() {
		f.Add([]byte(format.sample))
	}
	f.Add([]byte(`{"\u0061":"x","b":{"\x61":"y","a\/\q":1,"b":[{"\u0061\ud800":2}]},"s":1,"\u0030":[]}`))
	f.Add([]byte(`{"a":"\x22","b":[{"a":"b","b":0.1, 0.2},{}],"s":,"t":tru}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 {
			return
		}
		for _, format := range append(jsonFormats(), jsonShapes) {
			for _, before := range []string{"x", format.sample, string(line), strings.ReplaceAll(string(line), `"b"`, "0")} {
				checkTwoReaders(t, format, []byte(before), line)
			}
		}
	})
}

// TestMarks looks for marks from places in any order, in chunks of which most marks are near each
// other and some far.
func TestMarks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 63, 64, 65, indexed - 1, indexed, indexed + 1, 3*indexed + 100} {
		chunk := bytes.Repeat([]byte{'x'}, size)
		for at := 0; at < size; at += 1 + r.IntN(1<<r.IntN(14)) {
			chunk[at] = "\"\\\nx"[r.IntN(4)]
		}
		var m marks
		m.reset(chunk)
		for i := range 2 * size {
			at := i
			if i >= size {
				at = r.IntN(size)
			}
			want := len(chunk)
			if n := bytes.IndexAny(chunk[at:], "\"\\\n"); n >= 0 {
				want = at + n
			}
			if got := m.next(at); got != want {
				t.Fatalf("in %d octets, the mark at or behind %d is found at %d, want %d", size, at, got, want)
			}
		}
	}
}

// TestShapes: lines of a shape that is known are compared with it. Shapes that hardly any
// line has are not learned over and over.
func TestShapes(t *testing.T) {
	f := mustFormat(t, "nginx_json")
	j := f.NewReader().(*jsonReader)
	pieces := func(lines ...string) (n int) {
		var r Record
		for j.Reset([]byte(strings.Join(lines, "\n"))); j.Next(&r) == Request; {
			n = max(n, len(j.shapes.pieces))
		}
		return n
	}
	other := strings.Replace(f.sample, `"host"`, `"x":1,"host"`, 1)
	both := pieces(f.sample, other)
	if n := pieces(slices.Repeat([]string{f.sample, other, strings.ReplaceAll(f.sample, `200`, `"\""`)}, 100)...); n != both {
		t.Errorf("%d pieces of two shapes, want %d", n, both)
	}
	escaped := strings.Replace(f.sample, "/a?b=c", `/a?b=c\u0026d=e`, 1)
	for _, line := range []string{other, escaped} {
		j.Reset([]byte(line + "\n" + line))
		if at := len(line) + 1; j.follow(0) != len(line) || j.follow(at) != at+len(line) {
			t.Errorf("a known shape is not followed: %s", line)
		}
	}
	var differ []string
	for i := range 10_000 {
		differ = append(differ, strings.Replace(f.sample, `"host"`, fmt.Sprintf(`"x%d":1,"host"`, i), 1))
	}
	if n := pieces(differ...); n > shapeOctets || cap(j.shapes.literals) > 4*shapeOctets {
		t.Errorf("%d pieces, %d octets", n, cap(j.shapes.literals))
	}
}

// TestJSONTwice leaves out a record with a field twice, with different values: where quotes are
// not escaped, a client may have written one of them. Elements of an array by their names may
// come again.
func TestJSONTwice(t *testing.T) {
	user, err := Parse("ua=ua target=t time=time")
	if err != nil {
		t.Fatal(err)
	}
	array, err := Parse("ua=headers.name=user-agent.value target=t time=time")
	if err != nil {
		t.Fatal(err)
	}
	const rest = `,"t":"/","time":"2026-03-04T05:06:07Z"}`
	for _, c := range []struct {
		f    *Format
		line string
		ok   bool
	}{
		{user, `{"ua":"a"` + rest, true},
		{user, `{"ua":"a","ua":"a"` + rest, true},
		{user, `{"ua":"a","ua":"b"` + rest, false},
		{user, `{"ua":"","ua":"b"` + rest, false},
		{user, `{"ua":"a","ua":""` + rest, false},
		{user, `{"u\u0061":"a","ua":"b"` + rest, false},
		{user, `{"ua":"\x61","ua":"b"` + rest, false}, // mended
		{array, `{"headers":[{"name":"User-Agent","value":"a"},{"name":"User-Agent","value":"b"}]` + rest, true},
	} {
		reader, r := c.f.NewReader(), new(Record)
		for range 2 { // the second is of a known shape
			if got, ok := read(reader, r, c.line); ok != c.ok || ok && got.Agent != "a" {
				t.Errorf("%s: %+v, %v", c.line, got, ok)
			}
		}
		if got := fault(c.f.NewReader(), []byte(c.line)); !c.ok && got != "a field comes twice, with different values" {
			t.Errorf("%s: %q", c.line, got)
		}
	}
}
