package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/test/must"
)

// evil is a text with a character of each kind that acts on a terminal. It is UTF-8, so that
// JSON can hold it.
const evil = "\x1b[2J\x07\r\n\t\x7f\u009b31m\u202e\u2066\u200f\u061c\u200b\u2028\ufeff"

// leaves returns, for each kind of string in a JSON value, the value with an evil text in one
// of that kind. Kinds are named by their paths.
func leaves(t *testing.T, text []byte) map[string][]byte {
	t.Helper()
	var whole any
	must.Do(t, json.Unmarshal(text, &whole))
	found := map[string][]byte{}
	var visit func(path string, v any, set func(any))
	visit = func(path string, v any, set func(any)) {
		switch v := v.(type) {
		case string:
			if found[path] != nil {
				return
			}
			set(v + evil)
			changed := must.Get(json.Marshal(whole))(t)
			found[path] = changed
			set(v)
		case []any:
			for i := range v {
				visit(path+"[]", v[i], func(e any) { v[i] = e })
			}
		case map[string]any:
			for key := range v {
				visit(path+"."+key, v[key], func(e any) { v[key] = e })
			}
		}
	}
	visit("", whole, nil)
	return found
}

// staysClean runs a command and requires that nothing acts on a terminal in what it writes.
// It returns the exit code.
func staysClean(t *testing.T, what, stdin string, args ...string) int {
	t.Helper()
	r := command(t, stdin, args...)
	for _, text := range []string{r.out, r.err} {
		if !utf8.ValidString(text) {
			t.Errorf("%s: %.80q: not UTF-8", what, args)
		}
		for i, c := range text {
			if c != '\n' && !strconv.IsPrint(c) {
				t.Errorf("%s: %.80q: %U after %q", what, args, c, text[max(0, i-60):i])
				break
			}
		}
	}
	return r.code
}

// TestNoFileActsOnATerminal checks that hostile text anywhere in any file other than logs never
// reaches an output unescaped.
func TestNoFileActsOnATerminal(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ncrawl-delay: 2\ndisallow: /p\n")
	log := file(t, "a.log", logLine("/p", "MyBot/1")+logLine("/robots.txt", "MyBot/1")+logLine("/p", "control"))
	crawlers := `[{"name":"MyBot","operator":"Me","category":"other","words":["MyBot"],"tokens":["MyBot"],"also":[["x"]],"obeys":"yes","role":"crawler",
		"crawl_delay":"no","dialect":"google","source":"https://x.example","date":"2026-01-01","verify":"dns","domains":["x.example"],
		"lists":[{"name":"my.json","url":"https://x.example/my.json","seen":"2026-01-01"}]},
		{"name":"Exempted","operator":"You","words":["exempted"],"tokens":["exempted"],"exempt":"because","obeys":"no"},
		{"name":"MyToken","operator":"Me","words":[],"tokens":["MyToken"],"control":true,"obeys":"yes"}]`
	read := 0
	for path, text := range leaves(t, []byte(crawlers)) {
		mine := file(t, "mine.json", string(text))
		for _, args := range [][]string{
			{"audit", "--robots", robots, log}, {"audit", "--robots", robots, "--output", "csv", log},
			{"audit", "--robots", robots, "--output", "json", log},
			{"crawlers"}, {"crawlers", "--output", "json"}, {"crawlers", "--lists"}, {"crawlers", "--lists", "--output", "json"},
			{"crawlers", "MyBot/1 Exempted/2 MyToken"}, {"crawlers", "MyToken"},
			{"crawlers", "Exempted" + evil, "--output", "json"},
			{"check", "--robots", robots, "--agent", "MyBot", "/p"}, {"check", "--robots", robots, "--agent", "Exempted",
				"--output", "json"},
		} {
			if staysClean(t, "crawlers"+path, "", append(args, "--crawlers", mine)...) == exitDone {
				read++
			}
		}
	}
	if read < 50 {
		t.Errorf("only %d runs used the crawlers", read)
	}

	for path, text := range leaves(t,
		[]byte(`{"creationTime":"2026-08-20T14:46:45Z","ips":[{"ip_address":"192.0.2.1"}],"more":"x",
			"prefixes":[{"ipv4Prefix":"192.0.2.0/24","services":["Nobody"]}]}`)) {
		staysClean(t, "ranges"+path, "", "audit", "--robots", robots, "--ip-ranges",
			"GPTBot="+file(t, "r.json", string(text)), log)
	}
	for i := range 6 {
		header, row := strings.Split("from,origin,status,file,max_age,location", ","),
			strings.Split("2026-11-01T00:00:00Z,https://example.com,301,,60,https://x.example/robots.txt", ",")
		row[i] += evil
		for _, rows := range []string{strings.Join(header, ","), strings.Join(header[:i], ",") + evil} {
			policy := manifest(t, nil, `"`+strings.Join(row, `","`)+`"`)
			if rows != strings.Join(header, ",") {
				policy = file(t, "m.csv", rows+"\n")
			}
			for _, output := range []string{"text", "csv", "json"} {
				staysClean(t, header[i], "", "audit", "--policy", policy, "--host", "https://example.com", "--output", output, log)
			}
		}
	}
	staysClean(t, "names", "", "audit", "--robots", robots, "--resolved-names",
		file(t, "names", "192.0.2.1\ta"+strings.ReplaceAll(evil, "\n", "")+".example\tyes\n"), log)
}

// TestNoLogActsOnATerminal checks the same for text from clients, and for the names of logs and
// robots.txt files.
func TestNoLogActsOnATerminal(t *testing.T) {
	line := strings.NewReplacer("\r", "", "\n", "").Replace(evil)
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p"+evil+"\ndisallow: /p\n"+evil+"\n")
	log := file(t, "evil"+evil+".log", logLine("/p"+line, "Evil"+line+"Bot-x/1 http://x.example")+
		logLine("/p", "Evil-bot/1"+line)+evil+"\n"+logLine("http://h"+line+"/p", "Evil-bot/1"))
	for _, args := range [][]string{{log}, {log, "--host", "a.example"}, {log, "--output", "json"},
		{log, "--output", "csv"}, {log, "--full"}, {"missing" + evil},
		{log, "--robots", "missing" + evil}} {
		staysClean(t, "log", "", append([]string{"audit", "--robots", robots, "--samples", "5"}, args...)...)
	}
}

// TestNoStateActsOnATerminal checks the same for hostile text anywhere in the head of a state.
func TestNoStateActsOnATerminal(t *testing.T) {
	policy := manifest(t, map[string]string{"a.txt": "user-agent: *\ndisallow: /p\n"},
		"2026-11-01T00:00:00Z,https://example.com,200,a.txt")
	lines := logLine("/p", "GPTBot/1") + logLine("/p", "Other-bot/1")
	ranges, log, copied := file(t, "r.txt", "192.0.2.0/24\n"), file(t, "a.log", lines), file(t, "b.log", lines)
	name := makeState(t, "--policy", policy, "--host", "https://example.com", "--ip-ranges", "GPTBot="+ranges,
		"--sampled", "1/2",
		"--client-ip", "xff", "--trusted-proxies", "192.0.2.0/24", log, copied)
	state := raw(t, name)
	read := 0
	for path, head := range leaves(t, headOf(state)) {
		changed := file(t, "b.state", string(rehead(state, head)))
		for _, args := range [][]string{{}, {name}} { // what is in a report is clean in all its outputs
			if staysClean(t, "head"+path, "", append([]string{"merge", changed}, args...)...) == exitDone {
				read++
			}
		}
	}
	if read < 25 {
		t.Errorf("only %d merges were done", read)
	}
}

// TestNoMessageActsOnATerminal checks that messages of check, filter and compile about hostile
// files are clean.
func TestNoMessageActsOnATerminal(t *testing.T) {
	octets := evil + "\xff\x9b31m\xe2\x80"
	line := regexp.MustCompile(`[\r\n]`).ReplaceAllString(octets, "")
	robots := file(t, "robots.txt", "user-agent: x"+line+"\ndisallow: /p"+line+"\nallow: /p\nsitemap: "+
		""+line+"\nno"+line+"\n")
	folder := filepath.Join(t.TempDir(), "folder"+octets)
	makeDir(t, folder)
	captures := `{"url":"https://x.example/robots.txt","status":200,"body":"user-agent: ` +
		`*","content_type":"text/html","date":"2026-01-01T00:00:00Z","host":"x.example"}`
	archive := filepath.Join(folder, "a"+octets+".rsv")
	staysClean(t, "compile", captures, "compile", "-o", archive, "-")
	for path, text := range leaves(t, []byte(captures)) {
		staysClean(t, "capture"+path, "", "compile", "-o", filepath.Join(folder, "b"+octets),
			file(t, "c"+octets+".jsonl", string(text)))
	}
	crawl := filepath.Join(folder, octets+".warc")
	page := warcRecord{"https://x.example/" + line, "2026-01-01T00:00:00Z", 200, "Content-Type: text/html;" + line +
		"\r\nX-Robots-Tag: a" + line + ": noindex" + line + "\r\n", "<meta name='a" + line + "' content='noindex, x" +
		octets + "'>"}
	robotsOf := warcRecord{"https://x.example/robots.txt", page.date, 200, "", "user-agent: *\ndisallow: /" + line + "\n"}
	write(t, crawl, warcText(page, robotsOf))
	for _, args := range [][]string{
		{"check", "--warc", crawl, "--agent", "x" + octets, page.url}, {"check", "--warc", crawl, "--agent", "x", "--output",
			"json", page.url}, {"check", "--warc", crawl, "--agent", "x", "http://" + octets},
		{"check", "--warc", robots, "--agent", "x", page.url}, {"check", "--warc", "no" + octets, "--agent", "x", page.url},
		{"compile", "-o", archive, folder}, {"compile", "-o", archive, "no" + octets}, {"compile", "--dump", robots},
		{"compile", "--dump" + octets, robots},
		{"filter", "--robots", robots, "--agent", "x" + octets, "--invalid", "error", "-"},
		{"filter", "--rules", archive, "--agent", "x" + octets, "--invalid", "error", "-"},
		{"filter", "--rules", robots, "--agent", "x", "-"},
		{"check", "--jsonl"}, {"check", "--robots", robots, "--agent", "x" + octets},
		{"check", "--rules", archive, "--agent", "x", "https://x.example/" + octets},
		{"check", "--robots", robots, "--agent", "x" + octets, "/p" + octets}, {"check", "--robots", robots, "--agent", "x",
			"http://" + octets},
		{"check", "--robots", robots, "--agent", "x" + octets, "--output", "csv", "/p" + octets},
		{"check", "--robots", robots, "--agent", "x" + octets, "--output", "ndjson", "/p" + octets},
		{"check", "--robots", robots, "--agent", "x" + octets, "--output", "json"},
		{"crawlers", "x" + octets}, {"crawlers", "Mybot" + octets, "--output", "json"}, {"crawlers", "-"}, {octets},
		{"audit", "--" + octets}, {"audit", "--robots", robots, "--host", octets, robots},
		{"audit", "--robots", robots, "--fail-on", octets, robots}, {"audit", "--robots", robots, "--window", octets, robots},
	} {
		staysClean(t, "messages", fmt.Sprintf("http://h%s/\n{\"robots\":\"%s\n{\"robots\":1,%q:2}\n", line, line, octets),
			args...)
	}
}
