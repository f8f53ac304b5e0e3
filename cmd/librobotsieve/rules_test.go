package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/job"
)

const sampleBody = "user-agent: GPTBot\ndisallow: /private/\ncrawl-delay: 2.5\nrequest-rate: 1/5\n" +
	"user-agent: *\ndisallow: /x*y\nSitemap: https://a.example/s.xml\nsitemap: /t.xml\nHost: a.example\n"

// sampleArchive makes an archive with versions, and with answers of every kind.
func sampleArchive(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source, rules := filepath.Join(dir, "s.jsonl"), filepath.Join(dir, "rules.rsv")
	write(t, source, fmt.Sprintf(`{"host":"a.example","body":%q}
{"host":"https://b.example","date":"2024-01-01","body":"user-agent: *\ndisallow: /old\n"}
{"host":"https://b.example","date":"2025-01-01","body":"user-agent: GPTBot\ndisallow: /new\n"}
{"host":"https://gone.example","status":404}
{"host":"https://down.example","status":503}
{"host":"https://busy.example","status":429}
{"host":"https://moved.example","status":301,"location":"https://elsewhere.example/robots.txt"}
`, sampleBody))
	o := job.CompileOptions{Sources: []string{source}, Output: rules, AllVersions: true,
		Fields: "host=host,body=body,status=status,location=location,date=date"}
	must.Get(job.Compile(t.Context(), o))(t)
	return rules
}

// asked asks about one URL as robotsieve_match does, and about many as robotsieve_match_many.
func asked(t *testing.T, r rules, agent string, at int64, urls ...string) []string {
	t.Helper()
	var list []string
	places := []uint64{0}
	for _, url := range urls {
		var out answers
		must.Do(t, r.ask([]byte(agent), at, &texts{data: []byte(url), n: 1, one: true}, &out))
		places = append(places, places[len(places)-1]+uint64(len(url)))
		list = append(list, fmt.Sprintf("%v %d", filter.Class(out.last&0xff), out.last>>8))
	}
	n := len(urls)
	ofAll := make([]byte, 3*n)
	all := texts{data: []byte(strings.Join(urls, "\x00") + "\x00"), ended: true, n: n}
	must.Do(t, r.askAll([]byte(agent+"\x00CCBot\x00"+agent), 3, at, &all, ofAll))
	out := answers{allowed: make([]byte, (n+7)/8), reasons: make([]byte, n), lines: make([]int32, n)}
	for _, all := range []texts{
		{data: []byte(strings.Join(urls, "")), wide: places},
		{data: []byte(strings.Join(urls, "\x00") + "\x00"), ended: true},
	} {
		all.n = n
		must.Do(t, r.ask([]byte(agent), at, &all, &out))
		for i, one := range list {
			many, allowed := fmt.Sprintf("%v %d", filter.Class(out.reasons[i]), out.lines[i]), out.allowed[i/8]>>(i%8)&1 == 1
			if many != one || allowed != strings.HasPrefix(one, "allowed") {
				t.Errorf("%s: among many %s, %v, alone %s", urls[i], many, allowed, one)
			}
			if ofAll[i] != out.reasons[i] || ofAll[2*n+i] != out.reasons[i] {
				t.Errorf("%s: %v among three agents, alone %s", urls[i], ofAll, one)
			}
		}
	}
	return list
}

// TestArchiveJudgesAsFilter compares the library's answers with package job's.
func TestArchiveJudgesAsFilter(t *testing.T) {
	rules := sampleArchive(t)
	a := must.Get(newArchive(rules, nil))(t)
	var urls []string
	for _, host := range []string{"a", "b", "gone", "down", "busy", "moved", "unknown"} {
		for _, path := range []string{"", "/", "/private/1", "/x/y", "/old", "/new?a", "/robots.txt", "/%70rivate/"} {
			urls = append(urls, "https://"+host+".example"+path, "HTTP://"+strings.ToUpper(host)+".example:80"+path)
		}
	}
	urls = append(urls, "foo", "/private/", "ftp://a.example/", "mailto://a", "https://a b/", " ", "https://a.example:0x/")
	instants := map[int64]string{
		math.MaxInt64: "", time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC).Unix(): "2024-06-01", 0: "1970-01-01",
	}
	seen := map[string]int{}
	for _, agent := range []string{
		"GPTBot", "Googlebot", "MyBot", "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
	} {
		for at, asOf := range instants {
			var out strings.Builder
			o := job.FilterOptions{Agents: []job.Agent{{Name: agent}}, Archive: rules, AsOf: asOf, Annotate: job.TSV,
				URLs: job.Inputs{Names: []string{"-"}, Stdin: strings.NewReader(strings.Join(urls, "\n"))}}
			must.Get(job.Filter(t.Context(), o, &out))(t)
			got := asked(t, a, agent, at, urls...)
			for _, verdict := range got {
				seen[verdict]++
			}
			for i, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
				fields := strings.Split(line, "\t")
				if want := fields[0] + " " + fields[2]; got[i] != want {
					t.Errorf("%s at %d: %s: got %s, filter says %s", agent, at, urls[i], got[i], want)
				}
			}
		}
	}
	for _, verdict := range []string{"disallowed 2", "unreachable 0", "no_policy 0", "bad_host 0", "not_absolute 0"} {
		if seen[verdict] == 0 {
			t.Errorf("nothing is %s: %v", verdict, seen)
		}
	}
	if err := a.close(); err != nil {
		t.Error(err)
	}
	if err := a.ask([]byte("GPTBot"), 0, &texts{n: 1}, &answers{}); !errors.Is(err, errHandle) {
		t.Errorf("after close: %v", err)
	}
}

func TestRobots(t *testing.T) {
	body := []byte(sampleBody + "\nuser-agent: Googlebot\ndisallow: /%61\n")
	r := newRobots(body, nil, 0)
	clear(body) // it keeps no view
	for agent, want := range map[string][]string{
		"GPTBot":    {"disallowed 2", "allowed 0", "allowed 0"},
		"gptbot/1":  {"disallowed 2", "allowed 0", "allowed 0"},
		"MyBot":     {"allowed 0", "disallowed 6", "allowed 0"},
		"Googlebot": {"allowed 0", "allowed 0", "disallowed 12"}, // Google compares /%61 byte by byte
		"*":         {"allowed 0", "disallowed 6", "allowed 0"},
	} {
		got := asked(t, r, agent, 0, "https://a.example/private/", "/x/y", "https://b.example/%61")
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", agent, got, want)
		}
	}
	if got := r.sitemaps(); got != "https://a.example/s.xml\n/t.xml\n" {
		t.Errorf("sitemaps %q", got)
	}
	if delay, ok, err := r.delay([]byte("GPTBot")); delay != 2500*time.Millisecond || !ok || err != nil {
		t.Errorf("delay %v, %v, %v", delay, ok, err)
	}
	if _, ok, err := r.delay([]byte("MyBot")); ok || err != nil {
		t.Errorf("MyBot has a delay, or %v", err)
	}
	for _, c := range [][3]string{
		{"GPTBot", "Request-Rate", "1/5\n"}, {"MyBot", "request-rate", ""}, {"", "host", "a.example\n"},
	} {
		if got, err := r.fields([]byte(c[0]), c[1]); got != c[2] || err != nil {
			t.Errorf("%s of %q: %q, %v", c[1], c[0], got, err)
		}
	}
	if err := r.ask([]byte("Mozilla/5.0 (X11)"), 0, &texts{n: 1}, &answers{}); !isUsage(err) {
		t.Errorf("a browser is an agent: %v", err)
	}
	google := automaton.Google
	of := newRobots([]byte("user-agent: foo\ndisallow: /a"), &google, 0)
	if got := asked(t, of, "foo/2", 0, "/a"); got[0] != "allowed 0" {
		t.Errorf("with a dialect an agent is the token itself: %v", got)
	}
	long := []byte("user-agent: *\n" + strings.Repeat("#\n", compile.DefaultMaxBytes/2) + "disallow: /\n")
	const all = "disallowed 256002"
	for most, want := range map[int64]string{0: "allowed 0", -1: all, math.MinInt64: all, math.MaxInt64: all} {
		for _, agent := range []string{"MyBot", "Googlebot"} {
			if got := asked(t, newRobots(long, nil, most), agent, 0, "/"); got[0] != want {
				t.Errorf("%d bytes: %v, want %s", most, got, want)
			}
		}
	}
}

// TestHostileRobots checks that thousands of groups and lines don't take quadratic time.
func TestHostileRobots(t *testing.T) {
	const n = 100_000
	body := []byte(strings.Repeat("user-agent:a\nallow:/\nx:1\n", n))
	for i := range n {
		body = fmt.Appendf(body, "sitemap:/%d\n", i)
	}
	r, start := newRobots(body, nil, -1), time.Now()
	fields, err := r.fields([]byte("a"), "x")
	_, delayed, _ := r.delay([]byte("a"))
	if len(fields) != 2*n || err != nil || delayed {
		t.Errorf("%d bytes of fields, %v, %v", len(fields), err, delayed)
	}
	if found := strings.Count(r.sitemaps(), "\n"); found != n || time.Since(start) > 20*time.Second {
		t.Errorf("%d sitemaps, in %v", found, time.Since(start))
	}
}

func isUsage(err error) bool {
	failed, ok := errors.AsType[*job.Error](err)
	return ok && failed.Kind == job.Usage
}

func TestTexts(t *testing.T) {
	data := []byte("/a\x00/bc")
	for _, c := range []struct {
		texts
		want string
	}{
		{texts{n: 2, wide: []uint64{0, 2, 6}}, `"/a" "\x00/bc"`},
		{texts{n: 2, narrow: []uint32{0, 2, 2}}, `"/a" ""`},
		{texts{n: 2}, `"/a" "/bc"`},
		{texts{n: 6}, `"/" "a" "" "/" "b" "c"`},
		{texts{n: 1, one: true}, `"/a\x00/bc"`},
		{texts{n: 1, wide: []uint64{3, 2}}, "error"},
		{texts{n: 1, wide: []uint64{0, 7}}, "error"},
		{texts{n: 2, narrow: []uint32{0, 1, math.MaxUint32}}, `"/" error`},
		{texts{n: 2, ended: true}, `"/a" error`},
		{texts{n: 1, ended: true}, "error"},
	} {
		c.data = data
		var got []string
		for i := range c.n {
			text, err := c.next(i)
			if isUsage(err) {
				got = append(got, "error")
			} else {
				got = append(got, fmt.Sprintf("%q", text))
			}
		}
		if joined := strings.Join(got, " "); joined != c.want {
			t.Errorf("%+v: %s, want %s", c.texts, joined, c.want)
		}
	}
	for _, n := range []int{0, 1, 2, 3, len(nuls) - 1, len(nuls), len(nuls) + 1, 3 * len(nuls)} {
		for _, of := range []string{"", "/a", "/a\x00", "/a\x00b", "\x00/"} {
			text := append([]byte(of), make([]byte, n)...)
			if got, want := string(trimNULs(text)), strings.TrimRight(string(text), "\x00"); got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
	}
}

// TestHandlesOfGoroutines checks that a handle is valid until it is freed, even while others use
// it.
func TestHandlesOfGoroutines(t *testing.T) {
	path := sampleArchive(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				a, err := newArchive(path, nil)
				if err != nil {
					t.Error(err)
					return
				}
				h := give(a)
				var askers sync.WaitGroup
				for i := range 3 {
					askers.Go(func() {
						r, err := find(h)
						if err == nil {
							url := &texts{data: []byte("https://a.example/x/y"), n: 1, one: true}
							err = r.ask(fmt.Appendf(nil, "Bot%d", i), math.MaxInt64, url, &answers{})
						}
						if err != nil && !errors.Is(err, errHandle) {
							t.Error(err)
						}
					})
				}
				if err := free(h); err != nil {
					t.Error(err)
				}
				if err := free(h); !errors.Is(err, errHandle) {
					t.Errorf("freed twice: %v", err)
				}
				askers.Wait()
			}
		})
	}
	all.Wait()
}

// TestCacheForgets checks that an endless number of agents uses bounded memory.
func TestCacheForgets(t *testing.T) {
	var c cache[int]
	made := 0
	for i := range 10 * maxAgents {
		for range 2 {
			got, err := c.of(fmt.Append(nil, i), func(string) (int, error) { made++; return i, nil })
			if got != i || err != nil {
				t.Fatal(got, err)
			}
		}
	}
	if n := len(*c.made.Load()); n > maxAgents || made != 10*maxAgents {
		t.Errorf("%d agents are remembered, %d were made", n, made)
	}
}

func TestDialects(t *testing.T) {
	for _, name := range append(automaton.DialectNames(), "", auto) {
		if d, err := dialectOf([]byte(name)); err != nil || (d == nil) != (name == "" || name == auto) {
			t.Errorf("%q: %v, %v", name, d, err)
		}
	}
	if _, err := dialectOf([]byte("Google")); !isUsage(err) {
		t.Errorf("Google: %v", err)
	}
}
