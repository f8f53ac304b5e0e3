package cli

import (
	"bufio"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/format"
)

// The list has every format and envelope, with a sample.
func TestFormatsLists(t *testing.T) {
	r := command(t, "", "formats")
	if r.code != exitDone || r.err != "" {
		t.Fatalf("code %d, stderr %q", r.code, r.err)
	}
	for _, name := range format.Names() {
		f, _ := format.ByName(name)
		if !strings.Contains(r.out, "\n"+name+"\n") && !strings.HasPrefix(r.out, name+"\n") || !strings.Contains(r.out, "  written by "+f.By()+"\n") {
			t.Errorf("%s is not in the list", name)
		}
	}
	if !strings.HasPrefix(r.out, "Text, with the fields in a fixed order:\n\ncombined\n") {
		t.Errorf("the list begins with %.100q", r.out)
	}
	for _, own := range ownFormats {
		if text := strings.Trim(strings.TrimPrefix(own.example, "--format "), "'"); !strings.HasPrefix(text, "/") {
			if _, ok := format.ByName(text); ok {
				continue
			}
			if _, err := format.Parse(text); err != nil {
				t.Errorf("%s: %v", own.example, err)
			}
		}
	}
	for _, says := range []string{"\n  sample     #Fields: date time cs-method cs-uri-stem cs-uri-query s-port c-ip cs(User-Agent) cs-host sc-status sc-bytes\n             2026-03-04 05:06:07 GET", "\ncommon\n  written by Apache of old\n  lacks      User-Agent, host\n  sample     192.0.2.1 - - [", "\nsyslog\n", "\ndocker\n"} {
		if !strings.Contains(r.out, says) {
			t.Errorf("the list does not say %q", says)
		}
	}
}

// The words of a format can be given to --format.
func TestFormatsWords(t *testing.T) {
	log := file(t, "access.log", logLine("/a", "GPTBot/1.2"))
	r := command(t, "", "formats", "combined")
	if r.code != exitDone || !strings.HasPrefix(r.out, "$remote_addr ") || strings.Count(r.out, "\n") != 1 {
		t.Fatalf("code %d: %s", r.code, r.out)
	}
	if r = command(t, "", "formats", "--explain", "--format", strings.TrimSpace(r.out), log); r.code != exitDone || !strings.Contains(r.out, "1 request.") {
		t.Errorf("code %d: %s %s", r.code, r.out, r.err)
	}
	for name, says := range map[string]string{"cady": "but caddy", "nothing": "no format", "syslog:combined": "no words of its own"} {
		if r = command(t, "", "formats", name); r.code != exitUsage || !strings.Contains(r.err, says) {
			t.Errorf("%s: code %d: %s", name, r.code, r.err)
		}
	}
}

// On a terminal no line is wider than that.
func TestFormatsFitATerminal(t *testing.T) {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	listFormats(w, maxWidth)
	w.Flush()
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > maxWidth {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}

// What a log holds acts on no terminal.
func TestFormatsExplain(t *testing.T) {
	line := logLine("/a\x1b[31m", "GPTBot/1.2")
	log := file(t, "access.log", "garbage\x1b[2J\n"+strings.Repeat(line, 2)+"x\n")
	r := command(t, "", "formats", "--explain", log)
	if r.code != exitInput || strings.Contains(r.out+r.err, "\x1b") {
		t.Errorf("code %d, stdout %q, stderr %q", r.code, r.out, r.err)
	}
	log = file(t, "access.log", "garbage\x1b[2J\n"+strings.Repeat(line, 2))
	r = command(t, "", "formats", "--explain", log)
	if r.code != exitDone || r.err != "" || strings.Contains(r.out, "\x1b") {
		t.Errorf("code %d, stdout %q, stderr %q", r.code, r.out, r.err)
	}
	for _, says := range []string{
		"access.log: combined (nginx by default, Apache)\n  The first 3 lines: 2 requests, 1 not read.\n",
		"\n  line 1, not read: the client does not end before", `    garbage\x1b[2J`, "\n  line 2, a request\n    time       2", `    target     /a\x1b[31m`, "    User-Agent GPTBot/1.2\n",
		"What an audit lacks:\n    host: all lines count as requests to one site, which --host names\n",
	} {
		if !strings.Contains(r.out, says) {
			t.Errorf("%q does not say %q", r.out, says)
		}
	}
	if r = command(t, line, "formats", "--explain", "--format", "common", "-"); r.code != exitDone || !strings.Contains(r.out, "-: common") {
		t.Errorf("code %d, stdout %q, stderr %q", r.code, r.out, r.err)
	}
	const own = `$http_x_forwarded_for - $remote_user [$time_local] "$request" $status`
	r = command(t, "6.6.6.6 - x - - [04/Mar/2026:05:06:07 +0000] \"GET / HTTP/1.1\" 200\n", "formats", "--explain", "--format", own, "-")
	for _, says := range []string{
		"line 1, not read: \" - \" stands in several places where the addresses of X-Forwarded-For could end: a client may have written some of them\n",
		"What the format leaves unclear:\n    $http_x_forwarded_for is not in quotes: a line that has \" - \" in it is not read, as that could end it\n",
	} {
		if !strings.Contains(r.out, says) {
			t.Errorf("%q does not say %q", r.out, says)
		}
	}
	for _, args := range [][]string{{"formats", log}, {"formats", "--format", "common"}, {"formats", "--explain"}, {"formats", "--explain", "--format", "nothing", log}} {
		if r := command(t, "", args...); r.code != exitUsage {
			t.Errorf("%q: code %d, stderr %q", args, r.code, r.err)
		}
	}
}
