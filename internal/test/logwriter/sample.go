package logwriter

import (
	"regexp"
	"strings"
)

// agentText is the User-Agent of all samples.
const agentText = `Mozilla/5\.0(?: |\+|%20)\(compatible;(?: |\+|%20)FooBot/1\.0\)`

// sampled maps the texts of samples, which show one particular request, to the notation of expand
// for any request. The first match counts. HOST, AGENT and URL are the writer's.
var sampled = []struct{ text, line string }{
	{`GET /a\?b=c HTTP/\d\.\d`, "<line>"},
	{`https://www\.example\.com(?::443)?/a\?b=c`, "URL"},
	{`www\.example\.com:443`, "<hostport>"}, {`www\.example\.com`, "HOST"},
	{`"192\.0\.2\.1, 198\.51\.100\.2"`, `"<forwarded>"`}, {`192\.0\.2\.1, 198\.51\.100\.2`, "<list>"},
	{`192\.0\.2\.1:\d+`, "<peer>"}, {`192\.0\.2\.1`, "<client>"},
	{` - \[`, " <user> ["},
	{`"-" "` + agentText, `"<referer>" "AGENT`}, {agentText + `" "-"`, `AGENT" "<referer>"`}, {agentText, "AGENT"},
	{`\bGET\b`, "<method>"}, {`HTTP/\d\.\d`, "<protocol>"}, {`\bhttps\b`, "<scheme>"}, {`\b443\b`, "<port>"},
	{`/a\?b=c`, "<target>"}, {`/a\b`, "<path>"}, {`\bb=c\b`, "<query>"},
	{`\b200\b`, "<status|->"}, {`\b1234\b`, "SIZE"},
	{`1772600767000000`, "<micros>"}, {`1772600767000`, "<millis>"},
	{`1772600767\.000000`, "<unix:6>"}, {`1772600767\.000`, "<unix:3>"}, {`1772600767\.0`, "<unix:7>"},
	{`Wed Mar  4 05:06:07 2026`, "<utc:Mon Jan _2 15:04:05 2006>"},
	{`2026-03-04T05:06:07\.0000000Z`, "<utc:2006-01-02T15:04:05.0000000Z>"},
	{`2026-03-04T05:06:07\.000000Z`, "<utc:2006-01-02T15:04:05.000000Z>"},
	{`2026-03-04T05:06:07\.000Z`, "<utc:2006-01-02T15:04:05.000Z>"},
	{`2026-03-04T05:06:07\+00:00`, "<time:2006-01-02T15:04:05-07:00>"},
	{`2026-03-04T05:06:07`, "<utc:2006-01-02T15:04:05>"},
	{`04/Mar/2026:05:06:07 \+0000`, "<time:02/Jan/2006:15:04:05 -0700>"},
	{`04/Mar/2026:05:06:07`, "<utc:02/Jan/2006:15:04:05>"}, {`03/04/2026:05:06:07`, "<utc:01/02/2006:15:04:05>"},
	{`2026-03-04`, "<utc:2006-01-02>"}, {`05:06:07`, "<utc:15:04:05>"},
}

// sampledText matches the texts of samples.
var sampledText = func() *regexp.Regexp {
	all := []string{"<[^>]*>"} // already replaced
	for _, s := range sampled {
		all = append(all, "("+s.text+")")
	}
	return regexp.MustCompile(strings.Join(all, "|"))
}()

// agentMember matches a member with the User-Agent of a JSON object, or an element of an array.
var agentMember = regexp.MustCompile(`\{"name":"User-Agent","value":"<agent>"\}|"[\w-]+":\[?"<agent>"\]?,?`)

// lineOf converts the line of a sample to the notation of expand, replacing what is particular to the sample's request.
func (w *Writer) lineOf(sample string) string {
	says := map[string]string{"host": "<host>", "agent": "<agent>", "target": "<urlheader>"}
	for word := range strings.FieldsSeq(w.says) {
		name, value, _ := strings.Cut(word, "=")
		says[name] = value
	}
	size := "<size>"
	if says["size"] == "-" {
		size = "<size|->"
	}
	is := strings.NewReplacer("HOST", says["host"], "AGENT", says["agent"], "URL", says["target"], "SIZE", size)
	sample = strings.NewReplacer(w.with...).Replace(sample)
	line := sampledText.ReplaceAllStringFunc(sample, func(text string) string {
		for i, at := range sampledText.FindStringSubmatch(text)[1:] {
			if at != "" {
				return is.Replace(sampled[i].line)
			}
		}
		return text
	})
	if w.json {
		line = agentMember.ReplaceAllString(strings.ReplaceAll(line, "<status|->", "<status>"), "<?agent>$0<?>")
	}
	return line
}
