package format

import (
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/logwriter"
)

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

// TestForgeries sends what looks like other fields in each field that a client chooses: the
// record is right in every other field, or the line is left unparsed.
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
					case w.Format == "npmplus" && name == "referrer" && strings.Contains(s, " "):
						want.Agent = got[0].Agent // nothing tells where the referrer ends
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

// TestListsAmongAddresses: where one line has X-Forwarded-For as its first field, all have. What
// looks like a client's address is what the client says.
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

// TestForgedCaptures: a client's referrer does not make HAProxy's captured referrers User-Agents.
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
