package policy

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/test/cases"
	"github.com/robotsieve/robotsieve/scan/reading"
)

// A copy binds a crawler in one way or in several: by its readings, by the tokens of
// several crawlers, by groups that may be meant, and by lines past the limit.

// TestAlso checks that a copy forbids or permits only what it does under all token lists.
func TestAlso(t *testing.T) {
	news := reading.Subject{Tokens: []string{"Googlebot"}, Also: [][]string{{"Googlebot-News", "Googlebot"}}, Readings: asGoogle}
	for _, test := range []struct {
		robots, target string
		want           Judgement
	}{
		{"User-agent: Googlebot\nDisallow: /a", "/a", forbids(2)},
		{"User-agent: Googlebot-News\nDisallow: /a", "/a", contested},
		{"User-agent: Googlebot-News\nDisallow: /a", "/b", permits},
		// Both forbid: the line of the first.
		{"User-agent: Googlebot-News\nDisallow: /a\nUser-agent: Googlebot\nDisallow: /", "/a", forbids(4)},
		{"User-agent: Googlebot-News\nAllow: /\nUser-agent: Googlebot\nDisallow: /", "/a", contested},
		{"User-agent: *\nDisallow: /a", "/a", forbids(2)},
		{"User-agent: Googlebot-News\nDisallow: /%c3%bc", "/%C3%BC", contested},
	} {
		if got := judged(test.robots, news, test.target); got != test.want {
			t.Errorf("%q: %+v, want %+v", test.robots, got, test.want)
		}
	}
	news.IgnoresWildcard = true
	if got := judged("User-agent: *\nDisallow: /", news, "/"); got != permits {
		t.Errorf("not bound by *: %+v", got)
	}
}

// TestPerhaps checks that a group whose token is in a crawler's header may bind it.
func TestPerhaps(t *testing.T) {
	for _, row := range cases.Rows(t, "perhaps.txt") {
		header, robots, target, want := row[0], row[1], row[2], row[3]
		p, subject := constant(robots), reading.Subject{Tokens: []string{"AcmeBot"}, Readings: asBoth}
		subject.Perhaps = p.TokensIn(0, subject, []byte(header))
		if got := inWords(judged(robots, subject, target)); got != want {
			t.Errorf("%s, %q: %s, want %s", header, robots, got, want)
		}
	}
}

// TestTokensIn finds the tokens of the groups of all copies, each once.
func TestTokensIn(t *testing.T) {
	p := newOf(t, "x 0h 200 User-agent:foo|User-agent:Foo|Disallow:/|User-agent:ob; x 1h 200 "+
		"User-agent:oob|Disallow:/|User-agent:foo; y 0h 200 User-agent:bar|Disallow:/", Options{})
	for _, c := range []struct {
		origin int32
		text   string
		want   []string
	}{{0, "a foobar oob", []string{"foo", "oob"}}, {1, "a foobar oob", []string{"bar"}}, {0, "fo", nil}, {0, "", nil}} {
		if got := p.TokensIn(c.origin, gptbot, []byte(c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q has the tokens %q, want %q", p.Origins()[c.origin], c.text, got, c.want)
		}
	}
	limited := Constant(long("User-agent: past\nAllow: /\n"), Options{MaxBytes: 50})
	if got := limited.TokensIn(0, gptbot, []byte("past")); len(got) != 1 {
		t.Errorf("past the limit: %q", got)
	}
}

// TestEndedRuns checks that if ending a run of user-agent lines at another record changes what
// binds, a copy is contested, except for Google's crawlers.
func TestEndedRuns(t *testing.T) {
	const crawlDelay = "User-agent: gptbot\nCrawl-delay: 1\nUser-agent: other\nDisallow: /a"
	const run, runs = "User-agent: gptbot\n", "\nUser-agent: other\nDisallow: /a"
	const index = "/**\n\nUser-agent: gptbot\nDisallow: /a/\nAllow: /a/index.html"
	for _, row := range cases.Rows(t, "ended.txt") {
		robots, target, want := row[0], row[1], row[2]
		if got := inWords(judged(robots, gptbot, target)); got != want {
			t.Errorf("%q: %s, want %s", robots, got, want)
		}
	}
	if got := judged("User-agent: googlebot\nCrawl-delay: 1"+runs, googlebot, "/a"); got.Stance != Forbids {
		t.Errorf("Google's crawler: %+v", got)
	}
	if got := judged(crawlDelay, by(gptbot, reading.ReadRFC9309), "/a"); got.Stance != Forbids {
		t.Errorf("a dialect that is given: %+v", got)
	}
	var s automaton.Scratch
	past := Constant(long("User-agent: gptbot\nSitemap: /s\nUser-agent: other\nAllow: /a/b\n"), Options{MaxBytes: 50})
	if got := past.Bind(0, gptbot).Judge(&s, 0, []byte("/a/b")); got != contested {
		t.Errorf("past the limit: %+v", got)
	}
}

// TestSitemapTargets checks that a copy permits the exact target of its Sitemap lines for this
// host, under any scheme and port.
func TestSitemapTargets(t *testing.T) {
	const all = "User-agent: *\nDisallow: /\n"
	for _, row := range cases.Rows(t, "sitemaps.txt") {
		line, target, want := row[0], row[1], map[string]Stance{"Permits": Permits, "Forbids": Forbids}[row[2]]
		for _, s := range []reading.Subject{gptbot, googlebot, by(gptbot, reading.ReadOriginal)} {
			var scratch automaton.Scratch
			p := constant(all+line, origins(t, "https://example.com")...)
			if got := p.Bind(0, s).Judge(&scratch, 0, []byte(target)); got.Stance != want {
				t.Errorf("readings %v: %q asked for %q: %v, want %v", s.Readings, line, target, got.Stance, want)
			}
		}
	}
	for robots, subject := range map[string]reading.Subject{
		"User-agent: *\nDisallow: /s%7Exml\nSitemap: /s~xml": gptbot,    // contested
		all + "Sitemap /s~xml":                               googlebot, // as Google's parser alone reads it
	} {
		p := constant(robots, origins(t, "https://example.com")...)
		var s automaton.Scratch
		if got := p.Bind(0, subject).Judge(&s, 0, []byte("/s~xml")); got != permits {
			t.Errorf("%q: %+v", robots, got)
		}
	}
	if got := judged(all+"Sitemap: https://other.example/s.xml", gptbot, "/s.xml"); got != permits {
		t.Errorf("in a policy for any origin: %+v", got)
	}
}

// TestAlikeHasAllAlternatives checks that copies that differ in any alternative aren't alike.
func TestAlikeHasAllAlternatives(t *testing.T) {
	const a = "User-agent:*|Disallow:/a|"
	subject := reading.Subject{Tokens: []string{"AcmeBot"}, Also: [][]string{{"second"}}, Perhaps: []string{"acme", "acmebot"},
		Readings: asBoth}
	rows := []string{a, a + "Disallow:/b", a + "Sitemap:/a", a + "User-agent:acme|Allow:/", a +
		"User-agent:second|Disallow:/c", a + "#", a + "Host:x"}
	var text strings.Builder
	for i, r := range rows {
		fmt.Fprintf(&text, "x %dh 200 %s\n", i, r)
	}
	p := newOf(t, text.String(), Options{})
	if got, want := p.Bind(0, subject).Alike(), []int32{0, 1, 2, 3, 4, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("alike %v, want %v", got, want)
	}
}

// long is a robots.txt whose first part has 50 bytes, which is the limit of these tests.
func long(past string) Row {
	head := "User-agent: *\nDisallow: /a\n"
	head += "#" + strings.Repeat(".", 50-len(head)-2) + "\n"
	body, pastLimit, size, err := ReadBody(strings.NewReader(head+past), 50, 1<<30)
	if err != nil {
		panic(err)
	}
	return Row{Body: body, Past: pastLimit, Size: size}
}

// TestPastTheLimit checks that crawlers other than Google's may read more than the minimum.
func TestPastTheLimit(t *testing.T) {
	for _, test := range []struct {
		past, target string
		want         Judgement
	}{
		{"", "/a", forbids(2)},
		{"Allow: /a/b\n", "/a/b", contested},
		{"Allow: /a/b\n", "/a/c", forbids(2)},
		{"Disallow: /b\n", "/b", permits},
		{"User-agent: gptbot\nDisallow: /a\n", "/a", contested}, // a group of its own, with what it forbids left out
		{"User-agent: other\nDisallow: /\nAllow: /\n", "/a", forbids(2)},
		{"Allow: /a", "/a", contested},
		{"Disallow: /c\rAllow: /a\rDisallow: /d", "/a", contested},
		{" ALLOW /a", "/a", contested}, // as Google's parser reads it
		{"allowed-by: /a", "/b", permits},
	} {
		var s automaton.Scratch
		p := Constant(long(test.past), Options{MaxBytes: 50})
		if got := p.Bind(0, gptbot).Judge(&s, 0, []byte(test.target)); got != test.want {
			t.Errorf("%q, %s: %+v, want %+v", test.past, test.target, got, test.want)
		}
		want := Permits
		if strings.HasPrefix(test.target, "/a") {
			want = Forbids
		}
		if got := p.Bind(0, googlebot).Judge(&s, 0, []byte(test.target)); got.Stance != want {
			t.Errorf("%q, Google: %+v, want %v", test.past, got, want)
		}
	}

	// Where more is read, that holds for Google's crawlers alone.
	text := "User-agent: *\nDisallow: /a\n" + strings.Repeat("#\n", compile.DefaultMaxBytes/2) +
		"Allow: /a/b\nDisallow: /c\n"
	for target, want := range map[string][2]Stance{
		"/a": {Forbids, Forbids}, "/a/b": {Contested, Permits}, "/c": {Permits, Forbids},
	} {
		var s automaton.Scratch
		p := Constant(Row{Body: []byte(text)}, Options{MaxBytes: -1})
		for i, subject := range []reading.Subject{gptbot, googlebot} {
			if got := p.Bind(0, subject).Judge(&s, 0, []byte(target)); got.Stance != want[i] {
				t.Errorf("%s, %v: %v, want %v", target, subject.Tokens, got.Stance, want[i])
			}
		}
	}
}

// TestSitemapPastTheLimit checks that a sitemap may be fetched wherever its line is, because many files end with them.
func TestSitemapPastTheLimit(t *testing.T) {
	var s automaton.Scratch
	for past, target := range map[string]string{"Sitemap: /a/s.xml": "/a/s.xml",
		"Disallow: /b\n site-map:/a/t.xml\n": "/a/t.xml"} {
		p := Constant(long(past), Options{MaxBytes: 50})
		for _, subject := range []reading.Subject{gptbot, googlebot} {
			b := p.Bind(0, subject)
			if got, other := b.Judge(&s, 0, []byte(target)), b.Judge(&s, 0, []byte("/a/u.xml")); got.Stance != Permits ||
				other.Stance != Forbids {
				t.Errorf("%q: %+v, and another path %+v", past, got, other)
			}
		}
	}
}

// TestReadBody checks what is kept of a text, and its size.
func TestReadBody(t *testing.T) {
	const all = "user-agent: *\nDisallow: /a\nAllow: /b\n user agent:x\r\nallow: /c"
	for limit := range len(all) + 3 {
		if limit == 0 {
			continue
		}
		body, past, size, err := ReadBody(iotest.OneByteReader(strings.NewReader(all)), limit, 1<<30)
		if err != nil || size != int64(len(all)) || string(body) != all[:min(limit+1, len(all))] {
			t.Fatalf("limit %d: %q of %d bytes, error %v", limit, body, size, err)
		}
		read := string(compile.WholeLines(body, limit))
		rest := all[len(read):]
		if len(body) <= limit {
			rest = ""
		}
		want := ""
		for _, line := range strings.FieldsFunc(rest, func(c rune) bool { return c == '\r' || c == '\n' }) {
			if !strings.HasPrefix(line, "Disallow") {
				want += line + "\n"
			}
		}
		if string(past) != want {
			t.Errorf("limit %d: past it %q, want %q", limit, past, want)
		}
	}
	body, past, size, err := ReadBody(strings.NewReader(all), -1, 1<<30)
	if string(body) != all || past != nil || size != int64(len(all)) || err != nil {
		t.Errorf("no limit: %q, %q, %d, %v", body, past, size, err)
	}
	broken := io.MultiReader(strings.NewReader(all), iotest.ErrReader(io.ErrUnexpectedEOF))
	if body, past, size, err := ReadBody(broken, 30, 1<<30); string(body) != all[:31] || len(past) == 0 || size != -1 ||
		err != nil {
		t.Errorf("an error past the limit: %q, %q, %d, %v", body, past, size, err)
	}
	if _, _, _, err := ReadBody(iotest.ErrReader(io.ErrUnexpectedEOF), 30, 1<<30); err == nil {
		t.Error("an error before the limit: none")
	}
	endless := &io.LimitedReader{R: newlines{zeros{}}, N: maxPast + 1000}
	if _, past, size, err := ReadBody(endless, 30, 1<<30); past != nil || size != -1 || err != nil || endless.N < 900 {
		t.Errorf("64 MiB past the limit: %q, %d, %v, %d bytes left", past, size, err, endless.N)
	}
	longLine := "allow: /" + strings.Repeat("x", 200<<10)
	if _, past, _, _ := ReadBody(strings.NewReader("#\n"+longLine+"\nallow: /y"), 1, 1<<30); !bytes.HasSuffix(past,
		[]byte("x\nallow: /y\n")) || len(past) > 70<<10 {
		t.Errorf("a long line: %d bytes", len(past))
	}
}

// zeros is endless.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestGuardJudgeByAlternativesDoesNotAllocate(t *testing.T) {
	p := constant("User-agent: *\nDisallow: /\nUser-agent: acme\nAllow: /a\nUser-agent: second\nAllow: /b\nSitemap: "+
		"/s.xml", origins(t, "https://example.com")...)
	b := p.Bind(0, reading.Subject{Tokens: []string{"AcmeBot"}, Also: [][]string{{"second"}},
		Perhaps: []string{"acme", "acmebot"}, Readings: asBoth})
	targets := [][]byte{[]byte("/a"), []byte("/%c3%bc"), []byte("/s.xml"), []byte("https://example.com/s.xml#x")}
	var scratch automaton.Scratch
	judge := func() {
		for _, target := range targets {
			b.Judge(&scratch, 0, target)
		}
	}
	judge()
	if n := testing.AllocsPerRun(100, judge); n != 0 {
		t.Errorf("%v allocations for %d targets", n, len(targets))
	}
}
