package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Bodies of the worked cases. permit and same permit what is asked for; same has the size of
// forbid.
var bodies = map[string]string{
	"forbid": forbid, "permit": permit, "same": "User-agent: *\nDisallow: /another/\n",
	"both": forbid + "Disallow: /new/\n",
}

// Who asks in them. An impostor says that it is MJ12bot.
var headersOf = map[string]string{
	"gptbot": gptbot, "googlebot": googlebot, "adsbot": adsbot, "chatgpt": chatgpt, "mj12bot": mj12bot,
	"impostor": mj12bot,
	"twobots":  twoBots, "browser": browser, "acmebot": acmebot,
	"botstwo": "Mozilla/5.0 (compatible; GPTBot/1.2; bingbot/2.0)",
	"image":   "Googlebot-Image/1.0", "ACMEBOT": "ACMEBOT/3 (+http://x.example)",
	"other": "Other-Bot/3 (+http://x.example)",
}

// secondsOf reads a time such as -20d, 1d3h10m or 9m59s, after someTime.
func secondsOf(t testing.TB, text string) int {
	t.Helper()
	rest, negative := strings.CutPrefix(text, "-")
	days, rest, found := strings.Cut(rest, "d")
	if !found {
		days, rest = "0", days
	}
	n, err := strconv.Atoi(days)
	d, wrong := time.ParseDuration(rest + "0s")
	if err != nil || wrong != nil {
		t.Fatalf("%q is no time", text)
	}
	if n = n*day0 + int(d/time.Second); negative {
		n = -n
	}
	return n
}

// versionsOf reads versions of https://example.com such as "permit -400d; 503 0s; 301>http://b/
// 1h", of a body or a status. Those of https://www.example.com begin with "www:", those of http
// with "http:".
func versionsOf(t testing.TB, text string) (list []version) {
	t.Helper()
	for item := range strings.SplitSeq(text, "; ") {
		what, when, _ := strings.Cut(item, " ")
		v := version{from: secondsOf(t, when)}
		for prefix, origin := range map[string]string{"www:": "https://www.example.com", "http:": "http://example.com"} {
			if rest, is := strings.CutPrefix(what, prefix); is {
				what, v.at = rest, origin
			}
		}
		what, v.to, _ = strings.Cut(what, ">")
		if status, err := strconv.Atoi(what); err == nil {
			v.status = status
		} else {
			v.body = bodies[what]
		}
		list = append(list, v)
	}
	return list
}

// logOf reads a log such as "gptbot 503 -5h; browser 200=permit 0s; gptbot /private/x 1m": of GETs
// of robots.txt with a status and a size, which is that of a body, or 9; of a HEAD for it; and of
// other requests. Who asks another host than that of https says which: "gptbot@example.com:80".
func logOf(t testing.TB, text string) (list []entry) {
	t.Helper()
	for item := range strings.SplitSeq(text, "; ") {
		f := strings.Fields(item)
		who, host, _ := strings.Cut(f[0], "@")
		e := entry{vhost: cmp.Or(host, onSite), target: "/robots.txt", agent: headersOf[who], time: at(secondsOf(t, f[2]))}
		if who == "impostor" {
			e.addr = "198.51.100.9"
		}
		status, size, _ := strings.Cut(f[1], "=")
		switch {
		case f[1][0] == '/':
			e.target = f[1]
		case f[1] == "HEAD":
			e.method = f[1]
		case bodies[size] != "":
			e.status, e.size = status, sizeOfBody(bodies[size])
		case size != "":
			e.status, e.size = status, size
		default:
			e.status, e.size = status, "9"
		}
		list = append(list, e)
	}
	return list
}

// TestWorkedCases: what the versions and the log's own answers make of the last request. The span
// of a request at 0s begins at -1d3h10m.
func TestWorkedCases(t *testing.T) {
	const (
		always  = "forbid -400d"
		changed = "permit -400d; forbid 0s"
		month   = "permit -400d; forbid -30d"
		moved   = "forbid -400d; www:forbid -400d; 301>https://www.example.com/robots.txt -10h; forbid -9h"
		x       = "; gptbot /private/x 0s"
		y       = "; gptbot@example.com /private/x 0s"
		z       = "; googlebot@example.com /private/x 0s"
		move    = "gptbot@example.com 301 -10m"
		google  = "; googlebot /private/x 0s"
		gotFile = "; browser 200=forbid -20h" // somebody did
	)
	set := crawlers(t)
	for _, c := range []struct{ name, versions, log, want string }{
		{"the old size after 2 h", changed, "gptbot 200=permit 2h; gptbot /private/x 1d5h10m", "grace"},
		{"the same with the new size", changed, "gptbot 200=forbid 2h; gptbot /private/x 1d5h10m", "violation"},
		{"to another operator", changed, "mj12bot 200=permit 2h; gptbot /private/x 1d5h10m", "violation"},
		{"of a file in force in the skew", changed, "gptbot 200=permit 5m; gptbot /private/x 1d3h14m", "violation"},
		{"the size of the file in force", "same -400d; forbid -200d", "gptbot 200=same -1h" + x, "violation"},
		{"another size as the span begins", "permit -400d; forbid -100d", "gptbot 200=permit -1d3h10m" + x, "grace"},
		{"another size before the span", "permit -400d; forbid -100d", "gptbot 200=permit -1d3h10m1s" + x, "violation"},
		{"another size of a 206", "permit -400d; forbid -100d", "gptbot 206=permit -1h" + x, "grace"},

		{"a copy of 20 days ago and a 503 in the log only", "permit -400d; forbid -20d", "gptbot 503 -5h" + x, "grace"},
		{"a copy of 62 days ago and a 503 in the log", "permit -400d; forbid -62d", "gptbot 503 -5h" + x, "violation"},
		{"a 503 to another operator", "permit -400d; forbid -20d", "mj12bot 503 -5h" + x, "grace"},
		{"a 499 to another operator", "permit -400d; forbid -20d", "mj12bot 499 -5h" + x, "violation"},
		{"an answer of 404 before the outage", always, "gptbot 404 -10d; gptbot 499 -5h" + gotFile + x, "no_policy"},
		{"an answer of 404 before the first version", "503 -2h; forbid 1h", "gptbot 404 -10d" + gotFile + x, "no_policy"},
		{"an outage before all that is known", "503 -40d; permit 30d", "gptbot 200=permit -10d" + x, "allowed"},
		{"an answer of 404, and no outage", always, "gptbot 404 -10d" + gotFile + x, "violation"},
		{"all answers to anybody 503", always, "browser 503 -5h" + x, "violation"},
		{"none as the long span begins", always, "gptbot 403 -61d3h10m" + gotFile + "; gptbot 503 -5h" + x, "no_policy"},
		{"none a second earlier", always, "gptbot 403 -61d3h10m1s" + gotFile + "; gptbot 503 -5h" + x, "violation"},
		{"404 in the long span", always, "browser 404 -50d" + gotFile + "; gptbot 503 -5h" + x, "no_policy"},
		{"a copy of the long span", "permit -400d; forbid -61d3h9m59s", "gptbot 503 -5h" + x, "grace"},
		{"an older one", "permit -400d; forbid -61d3h10m", "gptbot 503 -5h" + x, "violation"},
		{"a failure before the span", month, "gptbot 503 -1d3h10m1s" + x, "violation"},
		{"a hiccup", always, "browser 200=forbid -6h; gptbot 503 -5h; browser 500 -4h" + x, "violation"},
		{"failures of 29 days, and one now", always, "gptbot 503 -29d; gptbot 503 -5h" + x, "unreachable"},
		{"failures of less than 29 days", always, "gptbot 503 -28d23h59m59s; gptbot 503 -5h" + x, "violation"},
		{"503 after the operator's last fetch", month, "gptbot 304=0 -5h; browser 503 -4h" + x, "grace"},
		{"503 to anybody before it", month, "gptbot 304=0 -4h; browser 503 -5h" + x, "violation"},
		{"before a fetch that came after the request", month, "browser 503 -5h; gptbot 304=0 1s" + x, "grace"},
		{"503 to anybody before the span", month, "browser 503 -1d3h11m" + x, "violation"},
		{"499 to anybody", month, "browser 499 -5h" + x, "violation"},
		{"500 to a crawler that is not Google's", always, "gptbot 500 -5h" + x, "violation"},
		{"500 to Google's", always, "googlebot 500 -5h" + google, "unreachable"},
		{"502 to Google's", always, "googlebot 502 -5h" + google, "unreachable"},
		{"503 to Google's", always, "googlebot 503 -5h" + google, "violation"},
		{"429 to Google's", always, "googlebot 429 -5h" + google, "violation"},
		{"429 to Google's, and a copy of 20 days ago", "permit -400d; forbid -20d", "googlebot 429 -5h" + google, "grace"},
		{"429 to another's", "permit -400d; forbid -20d", "gptbot 429 -5h; browser 200=forbid -6h" + x, "no_policy"},
		{"an outage that began before all time", "first 500 -2h; permit 30d", "gptbot 200=permit -90d" + x, "unreachable"},

		{"403 a minute before", always, "gptbot 403 -1m" + gotFile + x, "no_policy"},
		{"403 as the span begins", always, "gptbot 403 -1d3h10m" + gotFile + x, "no_policy"},
		{"403 before that", always, "gptbot 403 -1d3h10m1s" + gotFile + x, "violation"},
		{"403 ten minutes after, as clocks differ", always, "gptbot 403 10m" + gotFile + x, "no_policy"},
		{"403 more than that after", always, "gptbot 403 10m1s" + gotFile + x, "violation"},
		{"403 to an exempt agent of the operator", always, "chatgpt 403 -1m" + gotFile + x, "violation"},
		{"403 to another operator", always, "mj12bot 403 -1m" + gotFile + x, "violation"},
		{"to one that * does not bind", always, "googlebot 403 -1m" + gotFile + "; adsbot /private/x 0s", "allowed"},
		{"403 to one of two that a header names", always, "twobots 403 -1m" + gotFile + x, "violation"},
		{"403 to the first of the two", always, "botstwo 403 -1m" + gotFile + x, "violation"},
		{"403 to an impostor", always, "impostor 403 -1m" + gotFile + "; mj12bot /private/x 0s", "violation"},
		{"403 to an unknown crawler", always, "acmebot 403 -1m" + gotFile + "; acmebot /private/x 0s", "no_policy"},
		{"403 to it by another case", always, "ACMEBOT 403 -1m" + gotFile + "; acmebot /private/x 0s", "no_policy"},
		{"403 to another unknown crawler", always, "other 403 -1m" + gotFile + "; acmebot /private/x 0s", "violation"},
		{"408 says that there is none", always, "gptbot 408 -5h" + gotFile + x, "no_policy"},
		{"200 with no bytes", always, "gptbot 200=0 -5h" + gotFile + x, "no_policy"},
		{"404 to another operator", always, "mj12bot 404 -1m" + gotFile + x, "no_policy"},
		{"404 to an exempt agent of the operator", always, "chatgpt 404 -1m" + gotFile + x, "no_policy"},
		{"404 to one of two that a header names", always, "twobots 404 -1m" + gotFile + x, "no_policy"},
		{"404 to anybody, more than ten minutes after", always, "browser 404 11m" + gotFile + x, "violation"},
		{"404 to anybody, more than the span ago", always, "browser 404 -1d3h12m" + gotFile + x, "violation"},
		{"404 in the span's first minute", always, "browser 404 -1d3h9m55s; gptbot /private/x 45s", "no_policy"},
		{"and a file", always, "browser 200 -1d3h9m10s; browser 404 -5h; gptbot /private/x 45s", "no_policy"},
		{"and 410", always, "browser 410 -1d3h9m55s" + gotFile + "; gptbot /private/x 45s", "no_policy"},
		{"410 to anybody before that", always, "browser 410 -1d3h11m" + gotFile + x, "violation"},
		{"404 to anybody, and 304 to another", always, "browser 404 -5h; browser 304=0 -4h" + x, "no_policy"},
		{"all answers to anybody 404", always, "browser 404 -5h; mj12bot 500 -4h" + x, "no_policy"},
		{"all 403 but one", always, "browser 403 -5h; browser 200 -4h" + x, "violation"},
		{"all 403 but a redirect", always, "browser 403 -5h; browser 301 -4h" + x, "violation"},
		{"all 403 but no answer", always, "browser 403 -5h; browser 499 -4h" + x, "no_policy"},
		{"403 to anybody, and 304 to another, at any time", always, "browser 403 -5h; browser 304=0 -40d" + x, "violation"},
		{"none to all, long ago", always, "browser 403 -300d; browser 500=0 -4h" + x, "no_policy"},
		{"/robots.txt?x tells nothing", always, "gptbot /robots.txt?x -5h" + gotFile + x, "violation"},

		{"a size that no version has, at any time", always, "gptbot 200 -300d" + x, "no_version"},
		{"a size that no version has, to another operator", always, "mj12bot 200 -5h" + x, "violation"},
		{"a size that no version has, to an exempt agent", always, "chatgpt 200 -5h" + x, "violation"},
		{"and to this one, as to most others", always,
			"gptbot 200 -5h; mj12bot 200 -5h; browser 200=8 -5h; browser 200=forbid 0s" + x, "violation"},
		{"and to this one, as to half of all others", always,
			"gptbot 200 -5h; mj12bot 200 -5h; browser 200=forbid 0s" + x, "no_version"},
		{"a size that no version has, of a 206", always, "gptbot 206 -5h" + x, "no_version"},
		{"of a challenge page", always, "gptbot 202 -5h" + x, "no_version"},
		{"of a 204", always, "gptbot 204 -5h" + x, "no_policy"},

		{"a 301 that the manifest states", moved, "gptbot 301 -9h5m; gptbot /private/x 1d16h", "violation"},
		{"a 301 that it does not state", always, "gptbot 301 -9h" + gotFile + x, "redirected_policy"},
		{"and a file at once", always, "gptbot 301 -9h; gptbot 304 -9h" + x, "redirected_policy"},
		{"a 301 ten minutes after the manifest's ended", moved, "gptbot 301 -8h50m1s" + x, "violation"},
		{"a 301 later than that", moved, "gptbot 301 -8h49m59s" + x, "redirected_policy"},
		{"a 301 before the span", always, "gptbot 301 -1d3h10m1s" + x, "violation"},
		{"a 301 ten minutes after the request", always, "gptbot 301 10m" + x, "redirected_policy"},
		// Where the log tells no scheme, a 301 that comes with a file.
		{"at once", always, move + "; gptbot@example.com 200=forbid -10m" + y, "violation"},
		{"not modified", always, move + "; gptbot@example.com 304 -10m" + y, "violation"},
		{"a minute later", always, move + "; gptbot@example.com 200=forbid -9m" + y, "violation"},
		{"later than that", always, move + "; gptbot@example.com 200=forbid -8m59s" + y, "redirected_policy"},
		{"before", always, move + "; gptbot@example.com 200=forbid -10m1s" + y, "redirected_policy"},
		{"to another operator", always, move + "; mj12bot@example.com 200=forbid -10m" + y, "redirected_policy"},
		{"after one of two", always, "gptbot@example.com 301 -15m; " + move + "; gptbot@example.com 200=forbid -9m50s" + y,
			"redirected_policy"},
		{"to the crawler itself", always, "googlebot@example.com 301 -10m; googlebot@example.com 200=forbid -10m" + z,
			"violation"},
		{"to another one of the operator", always, "googlebot@example.com 301 -10m; image@example.com 200=forbid -10m" + z,
			"redirected_policy"},
		{"404 by an unknown host", always, "gptbot@- 404 -1m" + gotFile + x, "no_policy"},
		{"301 by an unknown host", always, "gptbot@- 301 -1m" + gotFile + x, "redirected_policy"},
		{"304 by an unknown host", always, "gptbot@- 304 -1m" + gotFile + x, "violation"},
	} {
		list, first := strings.CutPrefix(c.versions, "first ")
		log := logOf(t, c.log)
		var judged []string
		a := New(Config{Crawlers: set, Policy: history(t, policy.Options{AssumeConstant: first}, versionsOf(t, list)...),
			Identities: known(t, set, map[string]string{"MJ12bot": "192.0.2.0/24\n"}),
			Listeners: Listeners{Judged: listen(func(j *Event) {
				word := j.Verdict.String()
				if j.Verdict == report.Indeterminate {
					word = j.Reason.String()
				}
				if string(j.Target) == log[len(log)-1].target {
					judged = append(judged, word)
				}
			})}})
		if auditEntries(t, a, log...); !slices.Equal(judged, []string{c.want}) {
			t.Errorf("%s: %s, want %s", c.name, judged, c.want)
		}
	}
	if len(bodies["same"]) != len(forbid) {
		t.Error("the two bodies are to have one size")
	}
}

// TestInformed: a violation is informed if what its crawler was sent before was a file that forbids
// it.
func TestInformed(t *testing.T) {
	const (
		x   = "; gptbot /private/x -8m20s"
		new = "; gptbot /new/x 2d"
		// Of these, one forbids on the first days, the other later, and then both.
		apart = "http:forbid -9d; http:permit -5d; http:forbid -1d; permit -9d; forbid -5d"
		one   = "http:forbid -9d; forbid -9d"
		two   = "http:forbid -9d; both -9d"
	)
	for _, c := range []struct {
		name, log string
		want      bool
		versions  string
	}{
		{"never fetched", "browser 200=forbid -1h" + x, false, ""},
		{"a second before", "gptbot 200=forbid -8m21s" + x, true, ""},
		{"in the same second", "gptbot 200=forbid -8m20s" + x, false, ""},
		{"a second after", "gptbot 200=forbid -8m19s" + x, false, ""},
		{"days before", "gptbot 200=forbid -8d" + x, true, ""},
		{"the earliest counts", "gptbot 200=forbid -6m; gptbot 200=forbid -8m21s" + x, true, ""},
		{"not changed", "gptbot 304=0 -10m" + x, true, ""},
		{"answered without a body", "gptbot 200=0 -3d; browser 200=forbid -3d" + x, false, ""},
		{"answered with a size that most were sent", "gptbot 200 -10m; browser 200 -11m" + x, false, ""},
		{"answered with another 2xx", "gptbot 206=forbid -10m" + x, true, ""},
		{"answered nothing", "gptbot 503 -10m" + x, false, ""},
		{"answered elsewhere", "gptbot 301 -3d" + x, false, ""},
		{"by HEAD", "gptbot HEAD -10m" + x, false, ""},
		{"with a query", "gptbot /robots.txt?x -10m" + x, false, ""},
		{"by another crawler", "mj12bot 200=forbid -10m" + x, false, ""},
		{"by another of the operator", "chatgpt 200=forbid -10m" + x, false, ""},
		{"by one of two that a header names", "twobots 200=forbid -10m" + x, false, ""},
		{"an unknown crawler", "acmebot 200=forbid -10m; acmebot /private/x -8m20s", true, ""},
		{"an unknown crawler of another name", "other 200=forbid -10m; acmebot /private/x -8m20s", false, ""},
		{"told before it was forbidden", "gptbot 200=forbid -2d" + new, false, ""},
		{"told since it is forbidden", "gptbot 200=both 1d" + new, true, ""},
		{"told just before it was forbidden", "gptbot 200=forbid -30s" + new, false, ""},
		{"told just after it was forbidden", "gptbot 200=both 9m59s" + new, false, ""},
		{"told when both versions forbid", "gptbot 200=both 30s; gptbot /private/x 2d", true, ""},
		{"told ten minutes and more after", "gptbot 200=both 10m1s" + new, true, ""},
		{"told what no longer is in force", "gptbot 200=forbid -2d; gptbot /private/x 5d", true, ""},
		{"no scheme is known, of one file", "gptbot@example.com 304 -10m; gptbot@example.com /private/x 0s", true, one},
		{"no scheme is known, of two files", "gptbot@example.com 304 -10m; gptbot@example.com /private/x 0s", true, two},
		{"that of the fetch is not", "gptbot@example.com 304 -10m; gptbot /private/x 0s", false, two},
		{"that of the request is not", "gptbot 304 -10m; gptbot@example.com /private/x 0s", false, two},
		{"both are", "gptbot 304 -10m; gptbot /private/x 0s", true, two},
		{"the other scheme was asked", "gptbot@example.com:80 304 -10m; gptbot /private/x 0s", false, one},
		{"each fetch may have been of what permits",
			"gptbot@example.com 304 -7d; gptbot@example.com 304 -3d; gptbot@example.com /private/x 5d", false, apart},
		{"one that was of what forbids on both",
			"gptbot@example.com 304 0s; gptbot@example.com /private/x 5d", true, apart},
		{"one fetch of each",
			"gptbot@example.com:80 304 -7d; gptbot 304 -3d; gptbot@example.com /private/x 5d", true, apart},
		{"only of one", "gptbot@example.com:80 304 -7d; gptbot@example.com /private/x 5d", false, apart},
		{"of both, and the request of one", "gptbot@example.com 304 0s; gptbot /private/x 5d", false, apart},
		{"of one, and the request of it", "gptbot 304 0s; gptbot /private/x 5d", true, apart},
	} {
		a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
			versionsOf(t, cmp.Or(c.versions, "forbid -90d; both 0s"))...)})
		violations, informed := int64(0), int64(0)
		for _, row := range auditEntries(t, a, logOf(t, c.log)...).Crawlers {
			violations, informed = violations+row.Verdicts[report.Violation], informed+row.Informed()
			shown := strings.Contains(c.log, "gptbot 200=forbid") || strings.Contains(c.log, "gptbot 200=both") ||
				strings.Contains(c.log, "gptbot 206=forbid")
			if row.Crawler == "GPTBot" && row.InformedKnown != shown {
				t.Errorf("%s: known: %v", c.name, row.InformedKnown)
			}
		}
		if violations != 1 || informed == 1 != c.want {
			t.Errorf("%s: %d informed of %d violations, want %v", c.name, informed, violations, c.want)
		}
	}
}

func sizeOfBody(body string) string { return fmt.Sprint(len(body)) }
