package format

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// TestMembers finds and reads the member that has lines in the objects of testdata/shipped.txt, with and without a
// final line break, and with colours and a process name before it.
func TestMembers(t *testing.T) {
	for _, c := range readFormats(t, "shipped.txt") {
		member, object, _ := strings.Cut(c.text, "\n")
		for _, name := range []string{"combined", "haproxy", "caddy", "nginx_json", "host_second_combined", "squid"} {
			sample := mustFormat(t, name).Sample()
			plain, _ := read(mustReader(t, name), new(Record), sample)
			for _, inner := range []struct{ text, around string }{
				{sample, ""}, {sample + "\n", ""}, {sample + "\r\n", ""},
				{"\x1b[36mnginx.1    | \x1b[0m" + sample, "ansi:compose:"}, {"web-1  | " + sample, "compose:"},
			} {
				quoted := strings.NewReplacer("\\u001b", "\x1b", "\\x1b", `\u001b`).Replace(strconv.Quote(inner.text))
				line := strings.Replace(object, "LINE", quoted, 1)
				want := member + ":" + inner.around + name
				if strings.HasSuffix(inner.text, "\n") && strings.HasPrefix(want, "json.log:") && strings.Contains(line, `"stream"`) {
					want = strings.Replace(want, "json.log", "docker", 1) // as Docker itself has it
				}
				f, err := Detect([]byte(line+"\n"+line+"\n"), true)
				if err != nil || f.Name() != want {
					t.Errorf("%s: detected as %s, %v, want %s", c.source, nameOf(f), err, want)
					continue
				}
				g, ok := ByName(want)
				if !ok {
					t.Errorf("there is no format %s", want)
					continue
				}
				if got, ok := read(g.NewReader(), new(Record), line); !ok || got != plain {
					t.Errorf("%s: %+v, %v, want %+v", want, got, ok, plain)
				}
			}
		}
	}
}

// TestWholeObjects reads an object with the fields of a request by these, even if it also has the
// whole line.
func TestWholeObjects(t *testing.T) {
	combined := mustFormat(t, "combined").Sample()
	for _, name := range []string{"caddy_old", "ecs", "nginx_json"} {
		sample := mustFormat(t, name).Sample()
		line := strings.TrimSuffix(sample, "}") + fmt.Sprintf(`,"message":%q,"event":{"original":%q}}`, combined, combined)
		if f, err := Detect([]byte(line+"\n"), true); err != nil || f.Name() != name {
			t.Errorf("%s is detected as %s, %v", name, nameOf(f), err)
		}
	}
}

// TestMemberLines distinguishes messages, which aren't requests by design, from lines that should
// be read.
func TestMemberLines(t *testing.T) {
	combined := strconv.Quote(mustFormat(t, "combined").Sample())
	head := `{"log":` + combined + `,"stream":"stdout"}` + "\n"
	f, err := Detect([]byte(strings.Repeat(head, 3)), true)
	if err != nil {
		t.Fatal(err)
	}
	reader := f.NewReader()
	for _, c := range []struct {
		name, line string
		want       Kind
	}{
		{"a request", strings.TrimSpace(head), Request},
		{"a line of the same stream", `{"log":"x","stream":"stdout"}`, Unparsed},
		{"a line of another one", `{"log":"x","stream":"stderr"}`, Other},
		{"an empty line", `{"log":"","stream":"stdout"}`, Other},
		{"an object of something else", `{"event":{"kind":"start"},"stream":"stdout"}`, Other},
		{"a request of something else", `{"request":{"User-Agent":"FooBot/1.0"}}`, Unparsed},
		{"no string", `{"log":5}`, Other},
		{"no object", "x", Unparsed},
		{"an object that is cut", `{"log":` + combined, Request}, // the line in it is whole
		{"cut within the line", `{"log":"192.0.2.1 - `, Unparsed},
		{"several lines", `{"log":"a\nb","stream":"stdout"}`, Unparsed},
		{"a piece of CRI", `{"log":` + combined + `,"stream":"stdout","_p":"P"}`, Unparsed},
		{"the end of it", strings.TrimSpace(head), Unparsed},
		{"a piece of Docker", `{"partial_message":"true","log":"x","stream":"stdout"}`, Unparsed},
		{"what a client could have written", strings.TrimSpace(head), Unparsed},
		{"the next request", strings.TrimSpace(head), Request},
	} {
		if got := kindsIn(reader, []byte(c.line)); got[0] != c.want {
			t.Errorf("%s: %d, want %d", c.name, got[0], c.want)
		}
	}
}

// TestMemberErrors checks that errors about objects with lines describe the lines, not a missing
// field.
func TestMemberErrors(t *testing.T) {
	wrapped := func(line string) string { return strings.Repeat(fmt.Sprintf(`{"msg_text":%q}`+"\n", line), 3) }
	for _, c := range []struct{ head, says string }{
		{wrapped(`04.03.2026 05:06:07 | /a | 200 | x | Mozilla/5.0 | y`),
			"this is a log of messages in json.msg_text, none of which has a known format; the first is `04.03.2026"},
		{wrapped("2026/03/04 05:06:07 [error] 71#71: *5 open() /a failed x y z"), "error log of nginx"},
		{strings.Repeat(`{"when":"the fourth of March","url":"/a","time":"04.03.2026 05:06","user_agent":"FooBot/1.0"}`+"\n", 3),
			"whose times are written in no known way, such as `04.03.2026 05:06`"},
		// docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html
		{strings.Repeat(fmt.Sprintf(`{"messageType":"DATA_MESSAGE","logGroup":"g","logEvents":[{"id":"3","timestamp":1772600767089,"message":%q},{"id":"4"}]}`,
			mustFormat(t, "combined").Sample())+"\n", 3),
			"this is JSON whose lines are the elements of an array: make a line of each, as in: jq -c '.logEvents[]' FILE"},
		// grafana.com/docs/loki, "Query logs within a range of time"
		{fmt.Sprintf(`{"status":"success","data":{"resultType":"streams","result":[{"stream":{"job":"n"},"values":[["1772600767089000000",%q]]}]}}`,
			mustFormat(t, "combined").Sample()), "jq -r '.data.result[].values[][1]' FILE"},
		{fmt.Sprintf(`{"lines":[%q]}`, mustFormat(t, "combined").Sample()), "jq -r '.lines[]' FILE"},
		{strings.Repeat(`{"v":1,"batch":[{"time":"2026-03-04T05:06:07Z","url":"/a","agent":"Mozilla/5.0 (compatible; FooBot/1.0)"},{"url":"/b"}]}`+"\n", 3),
			"jq -c '.batch[]' FILE"},
		{strings.Repeat(`{"records":[{"time":"2026-03-04T05:06:07Z","x":"y"},{}]}`+"\n", 3),
			"this is JSON without the URL and the User-Agent"},
	} {
		if f, err := Detect([]byte(c.head), true); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s, %v does not say %q", nameOf(f), err, c.says)
		}
	}
}

func nameOf(f *Format) string {
	if f == nil {
		return "no format"
	}
	return f.Name()
}
