package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// TestJSONValues reads unusual and invalid JSON values.
func TestJSONValues(t *testing.T) {
	const deep = field.MaxDepth - 1
	f := jsonFormat(nil, []jsonField{
		{part: userAgent, path: "ua"}, {part: userAgent, path: "old.ua"},
		{part: target, path: "t"},
		{part: bodySize, path: "n"},
	})
	for _, c := range []struct{ name, line, agent string }{
		{"plain", `{"t":"/","ua":"a b"}`, "a b"},
		{"octets that are no UTF-8", "{\"t\":\"/\",\"ua\":\"\xff\"}", "\xff"},
		{"escapes", `{"t":"/","ua":"\"\\\/\b\f\n\r\t"}`, "\"\\/\b\f\n\r\t"},
		{"\\u", `{"t":"/","ua":"\u0026\u00e9\u65e5\u0000"}`, "&é日\x00"},
		{"a pair of surrogates", `{"t":"/","ua":"\ud83e\udd16"}`, "\U0001f916"},
		{"half a pair", `{"t":"/","ua":"\ud83e!"}`, "\ufffd!"},
		{"\\u that is none", `{"t":"/","ua":"\u00g0\u"}`, `\u00g0\u`},
		{"nginx", `{"t":"/","ua":"\x22\x5C\x5Cn\xC3\xA9\x0A"}`, "\"\\\\n\u00e9\n"},
		{"an escaped name", `{"t":"/","u\u0061":"a"}`, "a"},
		{"the same twice", `{"t":"/","ua":"a","ua":"a"}`, "a"},
		{"the same twice, escaped", `{"t":"/","u\u0061":"a","ua":"a"}`, "a"},
		{"the better of two paths", `{"t":"/","old":{"ua":"b"},"ua":"a"}`, "a"},
		{"the better of two paths is null", `{"t":"/","ua":null,"old":{"ua":"b"}}`, "b"},
		{"a number", `{"t":"/","ua":-1.50e7}`, "-1.50e7"},
		{"missing", `{"t":"/"}`, ""},
		{"blanks", "\t { \"t\" : \"/\" , \"ua\" : \"a\" , \"n\" : [ 1 , { } , [ ] ] } \r", "a"},
		{"a byte order mark", "\xef\xbb\xbf{\"t\":\"/\",\"ua\":\"a\"}", "a"},
		{"an empty number", `{"n":,"t":"/","ua":"a"}`, "a"},
		{"several numbers", `{"n":0.001, 0.002 : -, "t":"/","ua":"a"}`, "a"},
		{"an address without quotes", `{"n":192.0.2.1:80,"t":"/","ua":"a"}`, "a"},
		{"an element of an array a line", `{"t":"/","ua":"a"},`, "a"},
		{"the last of it", `{"t":"/","ua":"a"} ]`, "a"},
		{"deep", `{"t":"/","ua":"a","x":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + `}`, "a"},
		{"long with escapes", `{"x":"` + strings.Repeat(`\\\"`, 10_000) + `","t":"/","ua":"a"}`, "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := []byte(c.line)
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

// TestNoJSON reads lines that aren't JSON, and objects that aren't requests.
func TestNoJSON(t *testing.T) {
	f := jsonFormat([]string{"s"}, []jsonField{{part: target, path: "t"}, {part: target, path: "deep.t"}})
	for want, lines := range map[Kind][]string{
		Blank: {""},
		Other: {
			"[", "]", "[]", "{}", `{"records":[]}`, `{"s":1}`, `{"t":"/"}`, `{"s":null,"t":"/"}`,
		},
		Request: {
			`{"s":1,"t":"/"}`, `{"s":{},"t":"/"}`, `{"s":"","t":"/"}`, `{"s":1,"t":"http://a/"}`,
			`{"s":1,"t":"/","x":nan}`, `{"s":1,"t":"/","x":[nan]}`,
		},
		NoRequest: {`{"s":1,"t":""}`, `{"s":1,"t":"-"}`},
		Unparsed: {
			" ", "x", `"x"`, "{", "}", "1", "null", `{"s":1,"t":"x"}`,
			`{"s":1,"t":"/"}}`, `{"s":1,"t":"/"}{}`, `{"s":1,"t":"/"},{}`, `{"s":1,"t":"/"`, `{"s":1,"t":"/}`,
			`{"s":1,"t":"/",}`, `{"s":"1",,"t":"/"}`, `{"s":1 "t":"/"}`, `{"s":1,"t" "/"}`, `{s:1,"t":"/"}`,
			`{"s":1,"t":"/","x":[1,]}`, `{"s":1,"t":"/","x":[,]}`, `{"s":1,"t":"/","x":[}`, `{"s":1,"t":"/","x":{]}`,
			`{"s":1,"t":"/","x":(]}`, `{"s":1,"t":"/","x":[tru]}`, `{"s":1,"t":"/","x":"\`, `{"s":1,"t":"/","x":"\"}`,
			`{"s":1,"t":"/","x":` + strings.Repeat("[", field.MaxDepth) + strings.Repeat("]", field.MaxDepth) + `}`,
			`{"s":1,"t":"/","x":` + strings.Repeat("[", 1<<20),
			`{"s":1,"t":"/","x":[` + strings.Repeat("0,", field.MaxValues) + `0]}`,
		},
	} {
		for _, line := range lines {
			var r Record
			reader := f.NewReader()
			reader.Reset([]byte(line))
			if line == "" {
				reader.Reset([]byte("\n"))
			}
			if got := reader.Next(&r); got != want || string(r.Line) != line || reader.Next(&r) != End {
				t.Errorf("%.60q has kind %d, want %d; its line is %.60q", line, got, want, r.Line)
			}
		}
	}
}

// TestJSONArrays reads lines with several records, without losing a byte.
func TestJSONArrays(t *testing.T) {
	f := jsonFormat([]string{"s"}, []jsonField{{part: target, path: "t"}})
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
		{"[" + a + `,{"s":1,"t":"x"},{"t":` + "," + a + "]",
			[]string{a, "1", `{"s":1,"t":"x"}`, "3", `{"t":,` + a + "]", "3"}},
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
		for kind, r := range each(f.NewReader(), chunk) {
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
	line := `{"timestamp":1772600767000,"webaclId":"x","httpRequest":{"headers":[{"name":"Accept","value":"x"},` +
		`{"x":[{"name":"user-agent","value":"no"}],"value":"\"a\"","name":"USER-AGENT"},` +
		`{"name":"User-Agent","value":"second"},{"name":"host"},"host",["host"],{"value":"v"},` +
		`{"name":"Host","value":"www.example.com"}],"uri":"/"}}`
	var r Record
	got, ok := read(f.NewReader(), &r, line)
	if !ok || got.Agent != `"a"` || got.Host != "www.example.com" {
		t.Errorf("read as %+v, %v", got, ok)
	}
}

// TestGuardJSON limits allocations for lines that aren't JSON, have several records, or hold a line in a member.
func TestGuardJSON(t *testing.T) {
	for _, f := range jsonFormats() {
		checkAllocs(t, f, []byte(f.sample+"\n["+f.sample+","+f.sample+"]\n"+
			`{"x":"\x22","n":,"y":[{},1,2,3]}`+"\n[\n{\"\n"))
	}
	checkAllocs(t, mustFormat(t, "json.a.log:combined"), []byte(fmt.Sprintf(`{"x":[1],"a":{"stream":"s","log":%q}}`,
		mustFormat(t, "combined").Sample()+"\n")+"\n{\"x\":1}\n{\"a\":{\"log\":5}}\n"))
}

// TestJSONMap reads users' maps.
func TestJSONMap(t *testing.T) {
	f, err := parseJSONMap("ua=req.headers.0 time=ts ip=addr.ip ip=ip url=u\tmethod=m status=s bytes=b xff=x host=h")
	if err != nil {
		t.Fatal(err)
	}
	got, ok := read(f.NewReader(), new(Record), `{"req":{"headers":["bot"]},"ts":"2026-03-04T05:06:07Z",`+
		`"ip":"192.0.2.1","u":"/a","m":"HEAD","s":200,"b":"5","h":"a.example","x":"192.0.2.2"}`)
	want := fields{
		Agent: "bot", Addr: "192.0.2.1", Host: "a.example", Forwarded: "192.0.2.2", Method: "HEAD", Target: "/a",
		Time: "2026-03-04T05:06:07Z", Status: 200, Size: 5,
	}
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

// TestBindJSON checks that fields missing from a log are known.
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
	const fluent = `{"date":1772600767.0,"remote":"192.0.2.1","host":"-","user":"-","method":"GET","path":"/","code":"200","agent":"x"}`
	for line, want := range map[string]bool{fluent: false, strings.Replace(fluent, "-", "a.example", 1): true,
		strings.Replace(fluent, "-", "", 1): true} {
		for log, want := range map[string]bool{line: want, line + "\n" + fluent: want} {
			if f := mustFormat(t, "nginx_json"); f.bind(f, []byte(log)).HasHost() != want {
				t.Errorf("%s: it has a host: %v", log, !want)
			}
		}
	}
}

// TestJSONTwice rejects records with a field twice and different values, because a client may have
// written one of them where quotes aren't escaped. Elements of an array chosen by name may repeat.
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
		for range 2 { // the second has a known shape
			if got, ok := read(reader, r, c.line); ok != c.ok || ok && got.Agent != "a" {
				t.Errorf("%s: %+v, %v", c.line, got, ok)
			}
		}
		if got := fault(c.f.NewReader(), []byte(c.line)); !c.ok && got != "a field comes twice, with different values" {
			t.Errorf("%s: %q", c.line, got)
		}
	}
}

// TestJSONNumbers reads numbers as encoders of other languages write them, and doesn't take an
// unreadable size for an answer without a body.
func TestJSONNumbers(t *testing.T) {
	f, err := parseJSONMap("time=time target=t status=s bytes=n sent=all")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		members string
		status  int
		size    int64
	}{
		{`"s":200.0,"n":34.0`, 200, 34},
		{`"s":"200.0","n":"34.00"`, 200, 34},
		{`"s":2e2,"n":3.4E1`, 200, 34},
		{`"s":200,"n":0.0`, 200, 0},
		{`"s":200.5,"n":34.5`, 0, NoSizes},
		{`"s":200,"n":"34 kB"`, 200, NoSizes},
		{`"s":200,"n":-1`, 200, NoSizes},
		{`"s":200,"n":""`, 200, NoSizes},
		{`"s":200,"n":null`, 200, NoSizes},
		{`"s":200`, 200, NoSizes},
		{`"s":200,"n":1e400`, 200, NoSizes},
		{`"s":200,"n":9007199254740993.0`, 200, NoSizes},
		{`"s":200,"n":"-"`, 200, -1}, // as Apache has it for an answer without a body
		{`"s":200,"all":1234.0`, 200, NoSizes},
		{`"s":200,"all":0.0`, 200, 0},
	} {
		got, ok := read(f.NewReader(), new(Record), `{"t":"/","time":1772600767,`+c.members+`}`)
		if !ok || got.Status != c.status || got.Size != c.size {
			t.Errorf("%s: status %d, size %d, %v, want %d and %d", c.members, got.Status, got.Size, ok, c.status, c.size)
		}
	}
}

// TestJSONDropped checks that objects with other kinds of requests are Unparsed, and that only
// messages are Other.
func TestJSONDropped(t *testing.T) {
	caddy, old, cloudflare := mustFormat(t, "caddy"), mustFormat(t, "caddy_old").Sample(), mustFormat(t, "cloudflare").Sample()
	for _, c := range []struct {
		name, format, line string
		want               Kind
	}{
		{"the keys of another version", "caddy", old, Unparsed},
		{"an old line in a log of envoy", "envoy_json", caddy.Sample(), Unparsed},
		{"a User-Agent without a target", "caddy", `{"ts":1,"User-Agent":"FooBot/1.0"}`, Unparsed},
		{"a User-Agent deep within", "caddy", `{"a":{"b":{"http_user-agent":["FooBot/1.0"]}}}`, Unparsed},
		{"without a User-Agent, but a request", "envoy_json",
			`{"time":"2026-03-04T05:06:07Z","remote_addr":"192.0.2.1","request":"GET / HTTP/1.1","status":200}`, Unparsed},
		{"an empty User-Agent", "caddy", `{"ts":1,"user_agent":""}`, Other},
		{"a message", "caddy", `{"level":"info","ts":1772600767.0,"logger":"tls","msg":"certificate obtained"}`, Other},
		{"a message with a URL", "envoy_json", `{"time":"2026-03-04T05:06:07Z","url":"/a","msg":"x"}`, Other},
		{"a word that ends alike", "caddy", `{"ts":1,"reuseragents":"x","agent_id":"x"}`, Other},
		{"of another log of Netlify", "netlify", `{"log_type":"waf","url":"/","user_agent":"FooBot/1.0"}`, Other},
		{"what a function printed", "vercel", strings.Replace(mustFormat(t, "vercel").Sample(), `{`, `{"message":"x",`, 1), Other},
		{"the report on a request", "vercel", strings.Replace(mustFormat(t, "vercel").Sample(), `{`,
			`{"message":"START RequestId: 1\nx\nREPORT RequestId: 1",`, 1), Request},
		{"an empty message", "vercel", strings.Replace(mustFormat(t, "vercel").Sample(), `{`, `{"message":"",`, 1), Request},
		{"a request to the parent cache", "azure_front_door", strings.Replace(mustFormat(t, "azure_front_door").Sample(),
			`"properties":{`, `"properties":{"isReceivedFromClient":false,`, 1), Other},
		{"a request to the shield", "fastly_json+nginx_json", strings.Replace(mustFormat(t, "fastly_json").Sample(), `{`,
			`{"fastly_is_edge":false,`, 1), Other},
		{"a request to the edge", "fastly_fields", strings.Replace(mustFormat(t, "fastly_fields").Sample(), `{`,
			`{"fastly_is_edge":true,`, 1), Request},
		{"a request within Akamai", "akamai", strings.Replace(mustFormat(t, "akamai").Sample(), `{`, `{"isMidgress":"1",`, 1), Other},
		{"a request to Akamai", "akamai", strings.Replace(mustFormat(t, "akamai").Sample(), `{`, `{"isMidgress":0,`, 1), Request},
		{"a Worker's fetch", "cloudflare", strings.Replace(cloudflare, `{`, `{"ClientRequestSource":"edgeWorkerFetch",`, 1), Other},
		{"a Worker's request", "cloudflare", strings.Replace(cloudflare, `{`, `{"WorkerSubrequest":true,`, 1), Other},
		{"a client's request", "cloudflare", strings.Replace(cloudflare, `{`,
			`{"WorkerSubrequest":false,"ClientRequestSource":"eyeball",`, 1), Request},
	} {
		reader := mustReader(t, c.format)
		if got := kindsIn(reader, []byte(c.line)); got[0] != c.want {
			t.Errorf("%s: %d, want %d", c.name, got[0], c.want)
		}
	}
}

// TestJSONInString reads a member of an object inside a string, like properties in Azure's logs.
func TestJSONInString(t *testing.T) {
	f := mustFormat(t, "azure_app_service")
	sample := f.Sample()
	at := strings.Index(sample, `"properties":`) + len(`"properties":`)
	object := sample[at : len(sample)-1]
	want, ok := read(f.NewReader(), new(Record), sample)
	for _, inner := range []string{object, " " + object} {
		got, gotOK := read(f.NewReader(), new(Record), sample[:at]+strconv.Quote(inner)+"}")
		if !ok || gotOK != (inner == object) || gotOK && got != want {
			t.Errorf("%q: %+v, %v, want %+v", inner, got, gotOK, want)
		}
	}
	for _, bad := range []string{`"{"`, `"{\"CsUriStem\":"`, `"{}"`, `"[1]"`, `""`} {
		if _, ok := read(f.NewReader(), new(Record), sample[:at]+bad+"}"); ok {
			t.Errorf("%s was read", bad)
		}
	}
}

// TestJSONTimeInTwo reads a date and a time of day in two members.
func TestJSONTimeInTwo(t *testing.T) {
	f, err := Parse("ua=ua target=t time=ts time=date+time.of\\.day")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		`{"t":"/","date":"2026-03-04","time":{"of.day":"05:06:07.5"}}`:               "2026-03-04T05:06:07.5Z",
		`{"t":"/","date":"2026/03/04","time":{"of.day":"05:06:07"}}`:                 "2026-03-04T05:06:07Z",
		`{"t":"/","date":"04/Mar/2026","time":{"of.day":"05:06:07"}}`:                "",
		`{"t":"/","date":"2026-03-04"}`:                                              "",
		`{"t":"/","ts":1772600767,"date":"2020-01-01","time":{"of.day":"00:00:00"}}`: "2026-03-04T05:06:07Z",
	} {
		for _, g := range []*Format{f, f.boundTo([]byte(line))} {
			if got, ok := read(g.NewReader(), new(Record), line); !ok || got.Time != want {
				t.Errorf("%s: %q, %v, want %q", line, got.Time, ok, want)
			}
		}
	}
}
