package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// summaryJSON reads the last line of stderr.
func summaryJSON(t *testing.T, r result) map[string]any {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(r.err, "\n"), "\n")
	var sum map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &sum); err != nil {
		t.Fatalf("%v in %q", err, r.err)
	}
	return sum
}

func TestFilterPrintsWhatTheAgentMayFetch(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n\nuser-agent: gptbot\ndisallow: /g\n")
	list := "https://a.example/p\r\nhttps://b.example/g\n/x\n\nfoo\nhttps://a.example/last"
	for name, c := range map[string]struct {
		args []string
		out  string
		code int
		says []string
	}{
		"allowed": {nil, "https://b.example/g\n/x\nhttps://a.example/last\n", exitDone,
			[]string{"6 lines read: 3 kept, 1 dropped, 2 invalid\n", "3 allowed, 1 disallowed\n", "1 blank, 1 not an absolute URL\n"}},
		"disallowed":      {[]string{"--keep", "disallowed"}, "https://a.example/p\r\n", exitDone, []string{"1 kept, 3 dropped, 2 invalid"}},
		"by all of two":   {[]string{"--agent", "GPTBot"}, "/x\nhttps://a.example/last\n", exitDone, []string{"  barred   FooBot 1, GPTBot 1\n"}},
		"by any of two":   {[]string{"--agent", "GPTBot", "--any"}, "https://a.example/p\r\nhttps://b.example/g\n/x\nhttps://a.example/last\n", exitDone, []string{"4 kept, 0 dropped"}},
		"invalid printed": {[]string{"--invalid", "keep"}, "https://b.example/g\n/x\n\nfoo\nhttps://a.example/last\n", exitDone, []string{"3 kept, 1 dropped, 2 invalid"}},
		"invalid refused": {[]string{"--invalid", "error"}, "https://b.example/g\n/x\nhttps://a.example/last\n", exitInput,
			[]string{`-:4: blank: ""`, `-:5: not an absolute URL: "foo"`, "3 kept, 1 dropped, 2 invalid"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := command(t, list, append([]string{"filter", "--robots", robots, "--agent", "FooBot", "-"}, c.args...)...)
			if r.out != c.out || r.code != c.code {
				t.Errorf("code %d, printed %q; want %d, %q", r.code, r.out, c.code, c.out)
			}
			for _, want := range c.says {
				if !strings.Contains(r.err, want) {
					t.Errorf("stderr %q lacks %q", r.err, want)
				}
			}
		})
	}
}

func TestFilterSummaryAsJSON(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	r := command(t, "http://a/\nhttp://a/p\nmailto:x\ngopher://a/\nhttp://a..b/\n\n", "filter", "--robots", robots,
		"--agent", "FooBot", "--output", "json", "--invalid", "keep", "-")
	want := `{"schema":"robotsieve.filter/1","partial":false,"read":6,"kept":1,"dropped":1,"invalid":4,"printed":5,` +
		`"allowed":1,"disallowed":1,"unreachable":0,"barred_by_page":0,"no_policy":0,"headers":0,"barred":{"FooBot":1},"misencoded":0,` +
		`"reasons":{"bad_host":1,"bad_row":0,"bad_scheme":1,"bad_time":0,"blank":1,"cut_off":0,"no_url":0,"not_absolute":1,"too_long":0}}` + "\n"
	if r.err != want || r.code != exitDone {
		t.Errorf("code %d, stderr %q, want %q", r.code, r.err, want)
	}
}

func TestFilterReadsAsTheAgentDoes(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /a%7Eb\ndisallow: /img\n\nuser-agent: googlebot\ndisallow: /a%7Eb\n")
	const list = "http://h/a~b\nhttp://h/img\n"
	for _, c := range []struct{ agent, dialect, out string }{
		{"FooBot", "auto", ""}, // rfc9309
		{"FooBot", "google", "http://h/a~b\n"},
		{"Googlebot", "auto", list}, // as Google's parser reads, by its own group
		{"Googlebot", "rfc9309", "http://h/img\n"},
		{"Googlebot-Image", "auto", list},           // which goes by Googlebot
		{"AdsBot-Google", "auto", list},             // which ignores *
		{"googlebot-unheard-of", "rfc9309", ""},     // is nobody in particular
		{"FooBot", "original", ""},                  //
		{"Googlebot", "Original", "http://h/img\n"}, // the values of flags have no case
	} {
		r := command(t, list, "filter", "--robots", robots, "--agent", c.agent, "--dialect", c.dialect, "-")
		if r.out != c.out || r.code != exitDone {
			t.Errorf("%s by %s: code %d, printed %q, want %q", c.agent, c.dialect, r.code, r.out, c.out)
		}
		// Check says the same of each.
		for _, url := range strings.Fields(list) {
			check := command(t, "", "check", "--robots", robots, "--agent", c.agent, "--dialect", c.dialect, url)
			if strings.HasPrefix(check.out, "allowed") != strings.Contains(r.out, url+"\n") {
				t.Errorf("%s by %s: check says of %s: %s", c.agent, c.dialect, url, check.out)
			}
		}
	}
}

func TestFilterSaysThatAnAgentIsExempt(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /\n")
	r := command(t, "http://h/\n", "filter", "--robots", robots, "--agent", "ChatGPT-User", "-")
	if r.out != "" || r.code != exitDone || !strings.Contains(r.err, "ChatGPT-User does not apply robots.txt") {
		t.Errorf("%+v", r)
	}
}

// TestFilterReadsAnAgentAsAHeader where the name has a version, as "crawlers HEADER" does.
func TestFilterReadsAnAgentAsAHeader(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: gptbot\ndisallow: /g\n\nuser-agent: foobot\ndisallow: /f\n\nuser-agent: *\ndisallow: /p\n")
	const list = "http://h/g\nhttp://h/f\nhttp://h/p\n"
	for _, c := range []struct{ agent, out, says string }{
		{"GPTBot/1.2", "http://h/f\nhttp://h/p\n", `agent "GPTBot/1.2" is read as GPTBot`},
		{"Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "http://h/f\nhttp://h/p\n", "is read as GPTBot"},
		{"FooBot/0.1 (+https://foo.example/)", "http://h/g\nhttp://h/p\n", "is read as FooBot"},
		{"gptbot", "http://h/f\nhttp://h/p\n", ""},
		{"*", "http://h/g\nhttp://h/f\n", ""},
		{"Foo,Bot", "http://h/g\nhttp://h/f\n", `agent "Foo,Bot" is not a product token`},
	} {
		r := command(t, list, "filter", "--robots", robots, "--agent", c.agent, "-")
		if r.out != c.out || r.code != exitDone || !strings.Contains(r.err, c.says) || c.says == "" && strings.Contains(r.err, "agent") {
			t.Errorf("%s: %+v", c.agent, r)
		}
	}
	for agent, says := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0": "names no crawler",
		"WireReaderBot/1.0 (compatible; Googlebot/2.1)": "does not name one crawler only",
		"bot/1.0": "names no crawler",
	} {
		for _, cmd := range [][]string{{"filter", "-"}, {"check", "http://h/"}} {
			r := command(t, list, append(cmd, "--robots", robots, "--agent", agent)...)
			if r.out != "" || r.code != exitUsage || !strings.Contains(r.err, says) {
				t.Errorf("%s %s: %+v", cmd[0], agent, r)
			}
		}
	}
	// The note of 1994 looks for tokens in the header, whatever it is.
	r := command(t, list, "filter", "--robots", robots, "--agent", "Mozilla/5.0 (gptbot)", "--dialect", "original", "-")
	if r.out != "http://h/f\nhttp://h/p\n" || r.code != exitDone || strings.Contains(r.err, "agent") {
		t.Errorf("%+v", r)
	}
}

// TestFilterTellsOfOtherProducts that come with the same header, where they may have other
// rules. So does check.
func TestFilterTellsOfOtherProducts(t *testing.T) {
	crawlers := file(t, "crawlers.json", `[{"name":"FooBot","operator":"Foo","words":["FooBot"],"tokens":["FooBot"],"also":[["FooBot-News","FooBot"]],"obeys":"yes"}]`)
	for robots, want := range map[string]bool{
		"user-agent: foobot\ndisallow: /f\n": false, "user-agent: foobot-news\ndisallow: /f\n": true, "": false,
	} {
		r := command(t, "http://h/\n", "filter", "--robots", file(t, "robots.txt", robots), "--crawlers", crawlers, "--agent", "FooBot", "-")
		if strings.Contains(r.err, "the header of FooBot serves FooBot-News too") != want || r.code != exitDone || r.out != "http://h/\n" {
			t.Errorf("%q: %+v", robots, r)
		}
		r = command(t, robots, "check", "--robots", "-", "--crawlers", crawlers, "--agent", "FooBot")
		if strings.Contains(r.err, "the header of FooBot serves FooBot-News too") != want || r.code != exitDone {
			t.Errorf("check of %q: %+v", robots, r)
		}
	}
	for _, r := range []result{
		command(t, "http://a.example/\n", "filter", "--rules", rules(t), "--crawlers", crawlers, "--agent", "FooBot", "-"),
		command(t, "", "check", "--rules", rules(t), "--crawlers", crawlers, "--agent", "FooBot", "http://a.example/"),
	} {
		if !strings.Contains(r.err, "the header of FooBot serves FooBot-News too") || r.code != exitDone {
			t.Errorf("%+v", r)
		}
	}
}

// TestFilterCountsURLsThatGoogleWouldEncode, and only where its parser judges.
func TestFilterCountsURLsThatGoogleWouldEncode(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /\xc3\xa9\n")
	const list = "http://h/\xc3\xa9\nhttp://h/%c3%a9\nhttp://h/%C3%A9\nhttp://h/%zz%a?x=%2F\nhttp://h/?x=%2f\nhttp://h/#\xc3\n/%a9\n"
	for agent, want := range map[string]float64{"Googlebot": 4, "FooBot": 0} {
		r := command(t, list, "filter", "--robots", robots, "--agent", agent, "--output", "json", "-")
		if sum := summaryJSON(t, r); sum["misencoded"] != want || strings.Contains(r.err, "not percent-encoded in upper case: 4 URLs") != (want > 0) {
			t.Errorf("%s: %+v", agent, r)
		}
	}
}

func TestFilterHasOneOutputForAnyNumberOfWorkers(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /*7\n")
	var list strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&list, "https://h%d.example/%d\n", i/1000, i)
	}
	lists := []string{file(t, "a.txt", list.String()), file(t, "b.gz", compressed(t, list.String())), file(t, "c.txt", "http://h/7\nhttp://h/8")}
	first := ""
	for _, workers := range []string{"1", "2", "16"} {
		r := command(t, "", append([]string{"filter", "--robots", robots, "--agent", "FooBot", "--workers", workers}, lists...)...)
		if r.code != exitDone || strings.Count(r.out, "\n") != 2*59_049+1 || !strings.HasSuffix(r.out, "http://h/8\n") {
			t.Fatalf("%s workers: code %d, %d lines", workers, r.code, strings.Count(r.out, "\n"))
		}
		if text := r.out + r.err; first == "" {
			first = text
		} else if text != first {
			t.Errorf("%s workers print something else than one", workers)
		}
	}
}

func TestFilterUsageErrors(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\n")
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no list":            {[]string{"--robots", robots, "--agent", "a"}, "no list of URLs"},
		"no policy":          {[]string{"--agent", "a", "-"}, "--rules ARCHIVE"},
		"two policies":       {[]string{"--robots", robots, "--rules", "x", "--agent", "a", "-"}, "--robots and --rules cannot be given together"},
		"no agent":           {[]string{"--robots", robots, "-"}, "--agent"},
		"stdin twice":        {[]string{"--robots", "-", "--agent", "a", "-"}, "both be stdin"},
		"no workers":         {[]string{"--robots", robots, "--agent", "a", "--workers", "0", "-"}, "--workers"},
		"unknown keep":       {[]string{"--robots", robots, "--agent", "a", "--keep", "all", "-"}, "allowed|disallowed"},
		"too many workers":   {[]string{"--robots", robots, "--agent", "a", "--workers", "1025", "-"}, "--workers 1025 is not between 1 and 1024"},
		"no archive":         {[]string{"--robots", robots, "--agent", "a", "--no-policy", "keep", "-"}, "--no-policy is about origins that are not in an archive"},
		"unknown no-policy":  {[]string{"--robots", robots, "--agent", "a", "--no-policy", "error", "-"}, "keep|drop"},
		"unknown invalid":    {[]string{"--robots", robots, "--agent", "a", "--invalid", "skip", "-"}, "keep|drop|error"},
		"unknown format":     {[]string{"--robots", robots, "--agent", "a", "--format", "xlsx", "-"}, "auto|urls|csv"},
		"unknown output":     {[]string{"--robots", robots, "--agent", "a", "--output", "csv", "-"}, "text|json"},
		"negative max-bytes": {[]string{"--robots", robots, "--agent", "a", "--max-bytes", "-1", "-"}, "negative"},
	} {
		t.Run(name, func(t *testing.T) {
			r := command(t, "http://h/\n", append([]string{"filter"}, c.args...)...)
			if r.code != exitUsage || !strings.Contains(r.err, c.says) || r.out != "" {
				t.Errorf("code %d, stdout %q, stderr %q; want 2 and %q", r.code, r.out, r.err, c.says)
			}
		})
	}
}

// What is wrong is said, and what is good is filtered all the same.
func TestFilterOfBadInput(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	good := file(t, "good.txt", "http://h/\nhttp://h/p\n")
	zipped := compressed(t, strings.Repeat("http://h/\n", 50_000))
	long := "http://h/" + strings.Repeat("x", 2<<20) + "\n"
	for name, c := range map[string]struct {
		args    []string
		code    int
		says    string
		kept    float64
		invalid float64
		partial bool
	}{
		"empty":               {[]string{file(t, "e", "")}, exitDone, "", 0, 0, false},
		"nothing but garbage": {[]string{file(t, "g", "\x00\x01\n\xff\xfe\n")}, exitInput, "binary data", 0, 0, true},
		"UTF-16":              {[]string{file(t, "u", "\xff\xfeh\x00t\x00\n\x00")}, exitInput, "UTF-16", 0, 0, true},
		"names of hosts only": {[]string{"--invalid", "keep", file(t, "h", "a.example\nb.example\n")}, exitInput, `h:1: not an absolute URL: "a.example"`, 0, 2, false},
		"one list without":    {[]string{file(t, "g", "a.example\n"), good}, exitInput, `g: no line is a URL; line 1 is "a.example"`, 1, 1, true},
		"one URL at least":    {[]string{file(t, "g", "a.example\nhttp://h/\n"), good}, exitDone, "", 2, 1, false},
		"a long line":         {[]string{file(t, "l", long+"http://h/\n")}, exitDone, "", 1, 1, false},
		"a long line to keep": {[]string{"--invalid", "keep", file(t, "l", long+"http://h/\n")}, exitInput, "1 line too long to be printed", 1, 1, false},
		"a missing file":      {[]string{"missing.txt", good}, exitInput, "missing.txt", 1, 0, true},
		"truncated gzip":      {[]string{file(t, "t.gz", zipped[:len(zipped)-10]), good}, exitInput, "at byte", 50_001, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := command(t, "", append([]string{"filter", "--robots", robots, "--agent", "FooBot", "--output", "json"}, c.args...)...)
			if r.code != c.code || !strings.Contains(r.err, c.says) {
				t.Errorf("code %d, stderr %q; want %d and %q", r.code, r.err, c.code, c.says)
			}
			sum := summaryJSON(t, r)
			if sum["kept"] != c.kept || sum["invalid"] != c.invalid || sum["partial"] != c.partial {
				t.Errorf("%v; want %v kept, %v invalid, partial %v", sum, c.kept, c.invalid, c.partial)
			}
		})
	}
	for _, args := range [][]string{{"--robots", robots, "missing.txt"}, {"--robots", "missing.txt", good}, {"--rules", "missing.rsv", good}} {
		if r := command(t, "", append([]string{"filter", "--agent", "FooBot"}, args...)...); r.code != exitInput || !strings.Contains(r.err, "missing") || r.out != "" {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

func TestFilterQuotesTheFirstInvalidLinesOnly(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	list := file(t, "urls.txt", "http://h/\n"+strings.Repeat("bad\x1b[31m\n", 5000))
	r := command(t, "", "filter", "--robots", robots, "--agent", "FooBot", "--invalid", "error", list)
	if n := strings.Count(r.err, `not an absolute URL: "bad\x1b[31m"`); n != maxQuotes || !strings.Contains(r.err, "and 4,990 more invalid lines") ||
		!strings.Contains(r.err, "urls.txt:2: ") || r.code != exitInput {
		t.Errorf("code %d, %d quotes in %q", r.code, n, r.err)
	}
	if !utf8.ValidString(r.err) || strings.Contains(r.err, "\x1b") {
		t.Errorf("control characters in %q", r.err)
	}
}

func TestFilterInterruptedPrintsWhatIsKnown(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	in := &blocking{strings.NewReader(strings.Repeat("http://a.example/some/path\n", 60_000)), make(chan struct{}), make(chan struct{})}
	defer close(in.until)
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		<-in.read
		time.Sleep(50 * time.Millisecond) // let some chunks through; any number will do
		interrupt()
	}()
	var out, err bytes.Buffer
	code := run(ctx, []string{"filter", "--robots", robots, "--agent", "FooBot", "--output", "json", "-"}, streams{in: in, out: &out, err: &err})
	sum := summaryJSON(t, result{out.String(), err.String(), code})
	if code != exitInterrupted || sum["partial"] != true || !strings.Contains(err.String(), "interrupted") {
		t.Errorf("code %d, %v, stderr %q", code, sum, err.String())
	}
	if n := strings.Count(out.String(), "\n"); sum["kept"] != float64(n) || n == 0 {
		t.Errorf("%d lines printed, but the summary says %v", n, sum["kept"])
	}
}

// brokenPipe is a stdout that nobody reads.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestFilterEndsWhereItsOutputDoes(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	var err bytes.Buffer
	code := run(t.Context(), []string{"filter", "--robots", robots, "--agent", "FooBot", "-"},
		streams{in: strings.NewReader("http://h/\n"), out: brokenPipe{}, err: &err})
	if code != exitInput || !strings.Contains(err.String(), "writing: ") || !strings.Contains(err.String(), "PARTIAL: 0 lines read") {
		t.Errorf("code %d, stderr %q", code, err.String())
	}
}

func TestFilterHelpCompletionAndProfile(t *testing.T) {
	if r := command(t, "", "filter", "--help"); r.code != exitDone || !strings.Contains(r.out, "Examples:\n  robotsieve filter ") {
		t.Errorf("%+v", r)
	}
	for want, args := range map[string][]string{
		"disallowed\n":     {"--keep", ""},
		"error\n":          {"--invalid", ""},
		"drop\n":           {"--no-policy", ""},
		"urls\n":           {"--format", ""},
		"json\n":           {"--output", ""},
		"GPTBot\tOpenAI\n": {"--agent", ""},
	} {
		if r := command(t, "", append([]string{"__complete", "filter"}, args...)...); !strings.Contains(r.out, want) {
			t.Errorf("%v offers %q", args, r.out)
		}
	}
	dir := t.TempDir()
	r := command(t, "http://h/\n", "filter", "--robots", sample+"robots.txt", "--agent", "GPTBot", "--profile", "mem", "--profile-dir", dir, "-")
	if info, err := os.Stat(filepath.Join(dir, "mem.pprof")); r.code != exitDone || err != nil || info.Size() == 0 {
		t.Errorf("code %d, %v, stderr %q", r.code, err, r.err)
	}
}
