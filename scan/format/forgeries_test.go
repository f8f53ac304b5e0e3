package format

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/logwriter"
)

// forge sets what a client may write in its fields.
var forge = map[string]func(r *logwriter.Request, text string){
	"target":     func(r *logwriter.Request, text string) { r.Target = "/" + text },
	"User-Agent": func(r *logwriter.Request, text string) { r.Agent = []string{text} },
	"Referer":    func(r *logwriter.Request, text string) { r.Referer = []string{text} },
	"forwarded":  func(r *logwriter.Request, text string) { r.Forwarded = []string{text} },
	"list":       func(r *logwriter.Request, text string) { r.Forwarded = []string{text + ", 198.51.100.3"} },
	"user":       func(r *logwriter.Request, text string) { r.User = strings.ReplaceAll(text, ":", "") },
	"Cookie":     func(r *logwriter.Request, text string) { r.Cookie = text },
	"Host":       func(r *logwriter.Request, text string) { r.HostHeader = text },
}

// evil is another request, of which a client writes the line, or pieces of it, into its fields.
func evil() *logwriter.Request {
	r := logwriter.Ordinary()
	r.Time = r.Time.AddDate(-6, 0, 0)
	r.Client = logwriter.Ordinary().Client
	r.Target, r.Status, r.Size, r.Host = "/private", 201, 9, "evil.example"
	r.Agent, r.Forwarded = []string{"GPTBot/1.0"}, []string{"6.6.6.6"}
	return r
}

// piecesOf returns what a client may write: parts of the line of the evil request, from one
// field or literal to another or to its end.
func (s *scribe) piecesOf() (list []string) {
	line, from := []string{}, 0
	for _, at := range placeholder.FindAllStringIndex(s.text, -1) {
		value := s.Expand(s.text[at[0]:at[1]], evil())
		line = append(line, s.text[from:at[0]], strings.ReplaceAll(value, "192.0.2.7", "6.6.6.6"))
		from = at[1]
	}
	line = append(line, s.text[from:])
	for n := range 24 { // a bracket before another time, so that both are as long as a usual one
		list = append(list, "x ["+strings.Repeat("a", n))
	}
	for i := range line {
		for j := i + 1; j <= len(line); j++ {
			if j-i > 12 && j < len(line) {
				continue
			}
			piece := strings.Join(line[i:j], "")
			list = append(list, piece, "x"+piece+"x", `1.1.1.1\`+piece+`\`)
		}
	}
	return list
}

// TestForgedUserFormats sends the likeness of other fields in each field that a client controls, in
// all notations of custom formats. The record must be right, or the line Unparsed.
func TestForgedUserFormats(t *testing.T) {
	for _, found := range append(readFormats(t, "open_formats.txt"), foundFormats(t)...) {
		format := found.text
		t.Run(format, func(t *testing.T) {
			f, err := Parse(format)
			if err != nil {
				t.Fatal(err)
			}
			s := scribeOf(format)
			isTaken := func(doubt string) bool { return strings.Contains(doubt, "is taken for") }
			isOwnWords := slices.ContainsFunc(f.Doubts(), isTaken) ||
				strings.Contains(format, "$http_host$request_uri") || strings.HasPrefix(format, "{")
			for name, set := range forge {
				ordinary, changed := logwriter.Ordinary(), logwriter.Ordinary()
				set(changed, "x")
				without, _ := s.log(ordinary)
				if with, _ := s.log(changed); bytes.Equal(with, without) {
					continue // the format does not have the field
				}
				requests, known := []*logwriter.Request{ordinary}, map[string]bool{"": true}
				for _, text := range append(s.piecesOf(), forgeries...) {
					text = strings.Trim(strings.NewReplacer("\r", "", "\n", "").Replace(text), " \t")
					if r := logwriter.Ordinary(); !known[text] {
						known[text] = true
						set(r, text)
						requests = append(requests, r)
					}
				}
				log, wants := s.log(requests...)
				lines, all := bytes.Split(log, []byte("\n")), readLog(f, log)
				if len(all) != len(wants) {
					t.Fatalf("%d records, want %d", len(all), len(wants))
				}
				for i, got := range all {
					want := wants[i]
					if isOwnWords {
						want.Agent, want.Target, want.Robots = got.Agent, got.Target, got.Robots
					}
					if isOwnWords && name == "Host" {
						want.Host = got.Host
					}
					if got != want && (got != fields{} || i == 0) {
						t.Fatalf("%s in %s\n got %s\nwant %s", name, lines[i], short(got), short(want))
					}
				}
			}
		})
	}
}

// TestForgedRegexps checks that a regular expression for whole lines doesn't read a line if a field
// can end in several places.
func TestForgedRegexps(t *testing.T) {
	const (
		loose = `^(?P<xff>.*) - (?P<ip>\S+) \[(?P<time>[^]]+)\] "(?P<request>.*)" (?P<status>\d+) "(?P<ua>.*)"$`
		lazy  = `^(?P<ip>\S+) .*? \[(?P<time>.*?)\] "\S+ (?P<path>\S+?)(?:\?(?P<query>\S*))? \S+" (?P<status>\d+) .*?"(?P<ua>[^"]*)"$`
	)
	for _, c := range []struct{ expression, line, want string }{
		{loose, `192.0.2.9 - 192.0.2.7 [04/Mar/2026:05:06:07 +0000] "GET /a HTTP/1.1" 200 "GPTBot/1.0"`,
			"192.0.2.7 200 /a GPTBot/1.0"},
		{loose, `x - 6.6.6.6 - 192.0.2.7 [04/Mar/2026:05:06:07 +0000] "GET /a HTTP/1.1" 200 "GPTBot/1.0"`,
			"192.0.2.7 200 /a GPTBot/1.0"},
		{loose, `x - 192.0.2.7 [04/Mar/2026:05:06:07 +0000] "GET /a HTTP/1.1" 404 "GET /b HTTP/1.1" 200 "GPTBot/1.0"`, ""},
		{loose, `x - 192.0.2.7 [04/Mar/2026:05:06:07 +0000] "GET /a HTTP/1.1" 200 "GPTBot/1.0" 404 "x"`, ""},
		{loose, `x - 6.6.6.6 [04/Mar/2020:05:06:07 +0000] "GET /b HTTP/1.1" 404 "x - 192.0.2.7 [04/Mar/2026:05:06:07 +0000] "GET /a HTTP/1.1" 200 "x"`, ""},
		{lazy, `192.0.2.7 - a [04/Mar/2026:05:06:07 +0000] "GET /a?b=1?c HTTP/1.1" 200 12 "-" "GPTBot/1.0"`,
			"192.0.2.7 200 /a?b=1?c GPTBot/1.0"},
		{lazy, `192.0.2.7 - x [04/Mar/2020:05:06:07 +0000] "GET /b HTTP/1.1" 404 "x [04/Mar/2026:05:06:07 +0000] "GET /a HTTP/1.1" 200 1 "-" "GPTBot/1.0"`, ""},
	} {
		f, err := Parse(c.expression)
		if err != nil || len(f.Doubts()) > 0 {
			t.Fatalf("%v, %v", err, f)
		}
		got := ""
		if r := readLog(f, []byte(c.line+"\n"))[0]; r != (fields{}) {
			got = fmt.Sprint(r.Addr, " ", r.Status, " ", r.Target, " ", r.Agent)
		}
		if got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.line, got, c.want)
		}
	}
}

// forgeries are what a client may send to make a line look as if it had other fields: pieces
// of lines of all formats.
var forgeries = []string{
	`"`, `""`, `\`, `\"`, `\x22`, `#22`, `%22`, `'`, ` `, `  `, "\t", `|`, `,`, `[`, `]`, `{`, `}`, `-`, `" "`,
	`","`, `" - "`,
	`x" "Googlebot/2.1`, `x" "Googlebot/2.1" "y`, `x" 200 5 "-" "GPTBot/1.0`, `x" 200 5 "-" "GPTBot/1.0" "-`,
	`x HTTP/1.1" 404 7 "-" "GPTBot/1.0" "`,
	`x HTTP/1.1" 404 7 "-" "GPTBot/1.0`, `x [01/Feb/2020:01:02:03 +0000] "GET /private HTTP/1.1" 201 9 "-" "GPTBot/1.0"`,
	`x - [01/Feb/2020:01:02:03 +0000] "GET /private HTTP/1.1" 201 9 "-" "GPTBot/1.0" "`, `x [01/Feb/2020:01:02:03 +0000`,
	`x [01/Feb/2020:01:02:03 +0000] "GET /private HTTP/1.1`, `x [aaaaaaaaaa`, `x - 6.6.6.6 - y`, `6.6.6.6 - - x`,
	`x] "GET /private HTTP/1.1" 201 9 "-" "GPTBot/1.0" "`,
	`x [2020-02-01T01:02:03Z] "GET /private HTTP/1.1" 201 - 0 9 1 1 "6.6.6.6" "GPTBot/1.0" "x" "evil.example" "`,
	`x" 201 - 0 9 1 1 "6.6.6.6" "GPTBot/1.0" "x" "evil.example" "`, `x" "GPTBot/1.0" "x" "evil.example" "1.1.1.1:1`,
	`x" "y" "evil.example" "1.1.1.1:1" - - - 6.6.6.6:1 - -`,
	`x" 201 - - 9 1 1 "-" "GPTBot/1.0" - - - - - evil.example TLSv1.2 - -`, `x" - - - - - evil.example TLSv1.2`,
	`x","GPTBot/1.0","x`, `x","cs_host","evil.example`, `x",201,"`, `x,201,9,GPTBot/1.0`, `x"",""GPTBot/1.0`,
	`x\","GPTBot`, `x\",\"y`,
	`x","http_user_agent":"GPTBot/1.0","y":"`, `x","status":201,"y":"`, `x\",\"status\":201,\"`,
	`x"},"request":{"remote_ip":"6.6.6.6"},"y":{"z":"`, `x"}`, `x"]`, `x":{`, `\u0022,\u0022`,
	`\x22,\x22status\x22:201,\x22`,
	`x|GPTBot/1.0`, `x|y|z`, `x} "GET /private HTTP/1.1`, `x} {y} "GET /private HTTP/1.1`,
	`{evil.example|GPTBot/1.0} "GET /private HTTP/1.1`,
	`x 201 9 - - ---- 1/1/1/1/0 0/0 {evil.example|GPTBot} {} "GET /private HTTP/1.1`,
	`x" [Client 6.6.6.6] [Length 9] [Gzip -] [Sent-to 1.1.1.1] "GPTBot/1.0" "`, `x [Client 6.6.6.6] [Length 9]`,
	`x => generated 9 bytes in 1 msecs (HTTP/1.1 201) 1 headers`,
	"x\tGPTBot/1.0\ty", "x\t201\t9", "201\tx", "x 201 9 6.6.6.6", "x+y++z", "#Fields: x", "x GPTBot/1.0 201 9", "6.6.6.6",
	"6.6.6.6, 7.7.7.7", "evil.example", `x" 5 "web@docker" "http://1.1.1.1" 3ms`,
	`x" "GPTBot/1.0" 5 "web@docker" "http://1.1.1.1" 3ms`,
	`x/201 9 GET http://evil.example/private - HIER_DIRECT/1.1.1.1 text/html`, `x <134>1 2020-02-01T01:02:03Z`,
	"\x1b[31m", "\xff",
}

// TestForgeries sends the likeness of other fields in each field that a client controls. The record
// must be right in every other field, or the line Unparsed.
func TestForgeries(t *testing.T) {
	header := func(s string) []string { return []string{strings.Trim(s, " \t")} } // as servers read it
	fieldsOfClients := map[string]func(r *logwriter.Request, s string){
		"target":     func(r *logwriter.Request, s string) { r.Target = "/" + s },
		"User-Agent": func(r *logwriter.Request, s string) { r.Agent = header(s) },
		"referrer":   func(r *logwriter.Request, s string) { r.Referer = header(s) },
		"forwarded":  func(r *logwriter.Request, s string) { r.Forwarded = header(strings.ToValidUTF8(s, "?")) },
		"user":       func(r *logwriter.Request, s string) { r.User = s },
		// Servers refuse a header Host with blanks, but log it: what is in front of the address is not taken for it.
		"host": func(r *logwriter.Request, s string) { r.Host = s },
	}
	hosts := []string{"x 6.6.6.6", "x 6.6.6.6 -", "x 6.6.6.6 - -", "x 6.6.6.6 - - ", "x 6.6.6.6, 7.7.7.7 - x", "6.6.6.6 6.6.6.6",
		"x 6.6.6.6 - - [04/Mar/2020", "x 2001:db8::1 - -"}
	begin := 0 // how many formats begin with a host
	for _, w := range logwriter.Writers(ByName) {
		t.Run(w.Name(), func(t *testing.T) {
			f, err := formatOfWritten(w, write(w))
			if err != nil {
				t.Fatal(err)
			}
			line, _, _ := w.Write(nil, logwriter.Ordinary())
			beginsWithHost := w.Format != "apache_csv" && strings.HasPrefix(string(line), "www.example.com")
			if beginsWithHost {
				begin++
			}
			for name, set := range fieldsOfClients {
				forged := forgeries
				if name == "host" {
					if forged = hosts; !beginsWithHost {
						continue
					}
				}
				for _, s := range forged {
					r := logwriter.Ordinary()
					r.Name = name
					set(r, s)
					line, says, ok := w.Write(nil, r)
					if !ok {
						continue
					}
					got := readLog(f, append([]byte(w.Head), append(line, '\n')...))
					if len(got) != 1 {
						t.Errorf("%s %q: %d records", name, s, len(got))
						continue
					}
					want := wantOf(says)
					switch {
					case got[0] == fields{}:
						continue
					case got[0].Lossy == Rewritten:
						want.Target, want.Robots = got[0].Target, got[0].Robots // it says nothing
					case name == "host":
						want.Host = got[0].Host // it is the client's own word
						if got[0].Addr == "" {
							want.Addr = ""
						}
					case name == "user" && strings.HasPrefix(w.Format, "vhost_") && got[0].Addr == "":
						want.Addr = "" // the header Host may hold all in front of it
					}
					if got[0] != want {
						t.Errorf("%s %q:\n got %s\nwant %s", name, s, short(got[0]), short(want))
					}
				}
			}
		})
	}
	if begin < 7 {
		t.Errorf("%d formats begin with a host", begin)
	}
}

// TestListsAmongAddresses checks that if one line has X-Forwarded-For as its first field, all lines
// count as having it, because a client may have sent what looks like its address.
func TestListsAmongAddresses(t *testing.T) {
	const tail = ` - - ` + `[04/Mar/2026:05:06:07 +0000]` +
		` "GET /a HTTP/1.1" 200 5 "-" "Mozilla/5.0 (compatible; Googlebot/2.1)"` + "\n"
	for _, host := range []string{"", "www.example.com "} {
		head := strings.Repeat(host+"192.0.2.1"+tail, 30) + host + "192.0.2.1, 198.51.100.2" + tail
		f, err := Detect([]byte(head), true)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range readLog(f, []byte(head)) {
			if r.Addr != "" || !strings.HasPrefix(r.Forwarded, "192.0.2.1") {
				t.Fatalf("%s: %s", f.Name(), short(r))
			}
		}
	}
}

// TestForgedCaptures checks that a client's referrer doesn't make HAProxy's captured referrers
// User-Agents.
func TestForgedCaptures(t *testing.T) {
	line := func(captured string) string { return haproxySample(" {"+captured+"} ") + "\n" }
	for head, want := range map[string]string{
		line("https://x.example/|curl/1") +
			line("Mozilla/5.0 (compatible; GPTBot/1.0)|curl/1"): "haproxy",
		line("https://x.example/|Mozilla/5.0 (A)") +
			line("Mozilla/5.0 (compatible; GPTBot/1.0)|Mozilla/5.0 (A)"): "haproxy:-,user-agent",
		line("https://x.example/|Mozilla/5.0 (A)") + line("|Mozilla/5.0 (A)") +
			line("https://x.example/|https://forged.example"): "haproxy:-,user-agent",
	} {
		if f, err := Detect([]byte(head), true); err != nil || f.Name() != want {
			t.Errorf("%s: %v, %v; want %s", head, f.Name(), err, want)
		}
	}
}

// TestReferrerBeforeAgent checks that without quotes no end of a referrer becomes a User-Agent, and
// no User-Agent loses its beginning.
func TestReferrerBeforeAgent(t *testing.T) {
	const openAI = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.2; +https://openai.com/gptbot)"
	const phone = "Mozilla/5.0 (Linux; Android 6.0.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0 Mobile Safari/537.36 " +
		"(compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
	for _, name := range []string{"unquoted_timed", "timed_unquoted", "npmplus"} {
		f, _ := ByName(name)
		for _, c := range []struct{ referrer, agent string }{
			{"-", openAI}, {"https://a.example/?q=GPTBot/1.0", phone}, {"-", "CCBot/2.0 (https://commoncrawl.org/faq/)"},
			{"-", "-"}, {"-", "Mozilla/5.0 (X11; Linux x86_64; rv:9) Gecko/20100101 Firefox/9.0"}, {"-", "AcmeBot"},
			{"-", "Bytespider; spider-feedback@bytedance.com"},
		} {
			line := strings.Replace(f.Sample(), "- "+fooBot, c.referrer+" "+c.agent, 1) + "\n"
			if got := readLog(f, []byte(line)); len(got) != 1 || got[0].Agent != c.agent {
				t.Errorf("%s: %+v of %s", name, got, line)
			}
		}
		for _, c := range []struct{ referrer, agent string }{
			{"http://a/ GPTBot/1.0", fooBot}, {`x" "GPTBot/1.0`, "AcmeBot/1.0 (+https://acme.example)"}, {"http://a/ GPTBot/1.0", "-"},
			{"http://a/ GPTBot/1.0", "AcmeBot (+https://acme.example)"}, {"http://a/ GPTBot/1.0 (a)", "curl/8.0"},
			{"http://a/ " + phone, fooBot}, {"a GPTBot/1.0 (", fooBot}, {"http://a/ Mozilla/5.0 (compatible; GPTBot/1.0", fooBot},
		} {
			line := strings.Replace(f.Sample(), "- "+fooBot, c.referrer+" "+c.agent, 1) + "\n"
			if got := readLog(f, []byte(line)); len(got) != 1 || got[0] != (fields{}) {
				t.Errorf("%s: %+v of %s", name, got, line)
			}
		}
	}
}
