package filter

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/test/twin"
	"github.com/robotsieve/robotsieve/scan/internal/list"
	"github.com/robotsieve/robotsieve/scan/source"
)

// teamBody is the robots.txt for a team of agents that share groups and have groups of their own.
const teamBody = "user-agent: abot\nuser-agent: bbot\ndisallow: /a\n\nuser-agent: cbot\ndisallow: /p\nallow: " +
	"/p/ok\n\n" +
	"user-agent: *\ndisallow: /x\ndisallow: /*.pdf$\n"

// team are the agents, and how each reads robots.txt. dbot, ebot and fbot are in the group for all others.
var (
	team         = []string{"abot", "bbot", "cbot", "dbot", "ebot", "fbot"}
	teamDialects = []automaton.Dialect{automaton.RFC9309, automaton.Google, automaton.RFC9309, automaton.RFC9309,
		automaton.Google, automaton.RFC9309}
)

func teamConfig() Config {
	c := Config{Dialects: teamDialects}
	rulesets := map[automaton.Dialect]*automaton.Ruleset{}
	for i, d := range teamDialects {
		if rulesets[d] == nil {
			rulesets[d] = compile.Compile([]byte(teamBody), compile.Options{Dialect: d, MaxBytes: -1}).Ruleset
		}
		c.Site = append(c.Site, Rules{Machine: rulesets[d].Machine([]byte(team[i]))})
	}
	return c
}

// wanted is the naive verdict on a valid URL for the team: the class, the agents that are barred, and the line.
func wanted(url string, anyOf bool) (class Class, barred []string, line int) {
	barred = []string{}
	for i, name := range team {
		target := url
		if strings.HasPrefix(url, "/") && teamDialects[i] == automaton.Google {
			target = "http://h" + url
		}
		allowed, at := twin.Match(twin.Dialect(teamDialects[i].String()), []byte(teamBody), []byte(name), []byte(target), 0,
			false)
		if i == 0 || !allowed && len(barred) == 0 {
			line = at
		}
		if !allowed {
			barred = append(barred, name)
		}
	}
	if len(barred) == 0 || anyOf && len(barred) < len(team) {
		return Allowed, barred, line
	}
	return Disallowed, barred, line
}

// teamList is random lines, most of them URLs.
func teamList(lines int) string {
	rng := rand.New(rand.NewPCG(7, 8))
	var b strings.Builder
	for range lines {
		b.WriteString([]string{"http://h", "https://a.example", "", "gopher://x", "http://a;b"}[min(rng.IntN(9), 4)%5])
		for range 1 + rng.IntN(3) {
			b.WriteString([]string{"/a", "/p", "/p/ok", "/x", ".pdf", "/", "?q", "%7E"}[rng.IntN(8)])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestAnnotations checks that every line gets one line with the naive verdict, for all and for any, with any number
// of workers, and that the kept rows and the barred agents agree with the verdicts.
func TestAnnotations(t *testing.T) {
	text := "\ufeffhttp://h/a\r\n" + teamList(1500) + "\n \t\nfoo\nhttp://a..b/\n" + "http://h/" + strings.Repeat("x",
		3000) + "\nhttp://h/p"
	lines := strings.SplitAfter(text, "\n")
	for i := range 6 {
		workers, c := []int{1, 2, 16}[i/2], teamConfig()
		c.Any = i%2 == 1
		var kept strings.Builder
		fetch := make([]int64, len(team))
		c.Annotate = NewJSON(team)
		out, s := filtered(t, c, workers, memory(text))
		got := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if len(got) != len(lines) || s.Read != int64(len(lines)) {
			t.Fatalf("%d lines for %d", len(got), len(lines))
		}
		for i, line := range lines {
			var a struct {
				Allowed *bool    `json:"allowed"`
				Barred  []string `json:"barred"`
				Line    int      `json:"line"`
				Reason  string   `json:"reason"`
			}
			if err := json.Unmarshal([]byte(got[i]), &a); err != nil {
				t.Fatalf("%s: %v", got[i], err)
			}
			url := strings.TrimPrefix(strings.TrimRight(line, "\r\n"), "\ufeff")
			class := naive(automaton.RFC9309, "", nil, url)
			if len(url) > 2000 {
				class = TooLong
			}
			if !class.Valid() {
				if a.Allowed != nil || a.Reason != class.String() || len(a.Barred) != 0 {
					t.Errorf("%.40q: %s, want %s", url, got[i], class)
				}
				continue
			}
			class, barred, at := wanted(url, c.Any)
			if a.Allowed == nil || *a.Allowed != (class == Allowed) || fmt.Sprint(a.Barred) != fmt.Sprint(barred) ||
				a.Line != at || a.Reason != "" {
				t.Errorf("%q: %s, want %v %v %d", url, got[i], class, barred, at)
			}
			if class == Allowed {
				kept.WriteString(strings.TrimSuffix(line, "\n") + "\n")
			}
			for k, name := range team {
				if slices.Contains(barred, name) {
					fetch[k]++
				}
			}
		}
		if tsv := annotated(t, c, NewTSV, workers, text); strings.Count(tsv, "\n") != len(lines) ||
			!c.Any && !strings.HasPrefix(tsv, "disallowed\tabot,bbot\t3\n") {
			t.Errorf("tab-separated: %d lines, the first %.40q", strings.Count(tsv, "\n"), tsv)
		}
		c.Annotate = nil
		if out, s = filtered(t, c, workers, memory(text)); out != kept.String() || !slices.Equal(s.Barred, fetch) {
			t.Errorf("any %v, %d workers: %d bytes, want %d; barred %v, want %v", c.Any, workers, len(out), kept.Len(),
				s.Barred, fetch)
		}
	}
}

func annotated(t *testing.T, c Config, form func([]string) (Annotator, error), workers int, text string) string {
	t.Helper()
	var err error
	if c.Annotate, err = form(team); err != nil {
		t.Fatal(err)
	}
	out, _ := filtered(t, c, workers, memory(text))
	return out
}

// TestAppended checks that rows stay unchanged except for the result at their end, and that other readers can read
// them.
func TestAppended(t *testing.T) {
	for name, c := range map[string]struct {
		kind list.Kind
		text string
		want string
	}{
		"urls": {list.URLs, "http://h/a\r\nfoo\nhttp://h/z",
			"http://h/a\tdisallowed\tabot,bbot\t3\r\nfoo\tnot_absolute\t\t0\nhttp://h/z\tallowed\t\t0\n"},
		"csv": {list.CSV, "url,note\n\"http://h/a\",\"x, y\"\n,\nhttp://h/x,\"open\n",
			"url,note,robotsieve,robotsieve_barred,robotsieve_line\n" +
				"\"http://h/a\",\"x, y\",disallowed,\"abot,bbot\",3\n,,no_url,,0\nbad_row,,0\n"},
		"tsv": {list.TSV, "url\tn\nhttp://h/p\t1\n",
			"url\tn\trobotsieve\trobotsieve_barred\trobotsieve_line\nhttp://h/p\t1\tdisallowed\tcbot\t6\n"},
		"json": {list.JSON, `{"url":"http://h/p"} ` + "\n{ }\n{\"url\":\"http:\\/\\/h/z\"}\r\n[1]\n",
			`{"url":"http://h/p","robotsieve":{"allowed":false,"barred":["cbot"],"line":6}} ` + "\n" +
				`{ "robotsieve":{"allowed":null,"barred":[],"line":0,"reason":"no_url"}}` + "\n" +
				`{"url":"http:\/\/h/z","robotsieve":{"allowed":true,"barred":[],"line":0}}` + "\r\n" +
				`{"robotsieve":{"allowed":null,"barred":[],"line":0,"reason":"bad_row"}}` + "\n"},
	} {
		config := teamConfig()
		if c.kind != list.URLs {
			config.Layouts = layoutOf(t, c.kind, c.text, list.Options{})
		}
		out := annotated(t, config, NewAppended, 2, c.text)
		if out != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, out, c.want)
		}
		if c.kind == list.CSV {
			r := csv.NewReader(strings.NewReader(strings.Replace(out, "bad_row,,0\n", "", 1)))
			if rows, err := r.ReadAll(); err != nil || len(rows) != 3 || rows[1][3] != "abot,bbot" {
				t.Errorf("%v, error %v", rows, err)
			}
		}
	}
	for _, bad := range []string{"a,b", "a\tb", "a\"b", "a\nb"} {
		if _, err := NewAppended([]string{bad}); err == nil {
			t.Errorf("an agent called %q can stand in a field", bad)
		}
	}
}

// TestHeadersAreNotRows checks that headers are printed once, and not counted as rows.
func TestHeadersAreNotRows(t *testing.T) {
	c := teamConfig()
	c.Layouts = slices.Repeat(layoutOf(t, list.CSV, "url,n\nhttp://h/z,1\n", list.Options{}), 4)
	out, s := filtered(t, c, 2, memory("url,n\nhttp://h/z,1\n"), memory("url,n\nhttp://h/a,2\nhttp://h/y,3\n"),
		memory("url,m\n"), memory("url,m"))
	if want := "url,n\nhttp://h/z,1\nhttp://h/y,3\nurl,m\n"; out != want || s.Read != 3 || s.Kept != 2 ||
		s.Count[Header] != 4 || s.Printed != 4 {
		t.Errorf("printed %q, %+v", out, s)
	}
}

// dated is a policy with a version of robots.txt for each hundred seconds from 100 on: it forbids
// the path that begins with the number of the hundred.
type dated struct{ asked *int }

func (d dated) Find(q Query, rules []Rules) (Span, bool, error) {
	*d.asked++
	if q.At < 100 {
		return Span{Always.First, 99}, false, nil
	}
	n := q.At / 100
	rules[0] = rulesOf(automaton.RFC9309, fmt.Sprintf("user-agent: *\ndisallow: /%d", n))
	return Span{n * 100, n*100 + 99}, true, nil
}

// TestRulesOfTheTime checks that each row is judged by the version in force at its time, even if the rows of a site
// come in any order.
func TestRulesOfTheTime(t *testing.T) {
	const text = "http://h/1\t1970-01-01T00:00:99Z\nhttp://h/1\t1970-01-01T00:01:39Z\n" +
		"http://h/1\t1970-01-01T00:01:40Z\nhttp://h/1\t1970-01-01T00:03:20Z\n" +
		"http://h/2\t1970-01-01T00:03:20Z\nhttp://h/1\t1970-01-01T00:03:19Z\nhttp://h/2\t1970-01-01T00:03:21Z\nhttp://h/1\t\n"
	asked, err := 0, error(nil)
	c := Config{Dialects: one, Policy: dated{&asked}, Dated: true, AsOf: 250,
		Layouts: layoutOf(t, list.TSV, text, list.Options{Column: "1", Date: "2"})}
	if c.Annotate, err = NewTSV([]string{agent}); err != nil {
		t.Fatal(err)
	}
	want := "bad_time\t\t0\nno_policy\t\t0\ndisallowed\tFooBot\t2\nallowed\t\t0\ndisallowed\tFooBot\t2\n" +
		"disallowed\tFooBot\t2\ndisallowed\tFooBot\t2\nbad_time\t\t0\n"
	if out, _ := filtered(t, c, 1, memory(text)); out != want || asked != 5 {
		t.Errorf("%q, asked %d times; want %q", out, asked, want)
	}
	c.Dated = false // as of 250
	want = "bad_time\t\t0\nallowed\t\t0\nallowed\t\t0\nallowed\t\t0\ndisallowed\tFooBot\t2\nallowed\t\t0\n" +
		"disallowed\tFooBot\t2\nbad_time\t\t0\n"
	if out, _ := filtered(t, c, 1, memory(text)); out != want {
		t.Errorf("as of one time: %q, want %q", out, want)
	}
}

// TestGuardAnnotationsDoNotAllocate checks that, once the buffers have grown, nothing is allocated but the counts
// of the agents, once per chunk.
func TestGuardAnnotationsDoNotAllocate(t *testing.T) {
	c := teamConfig()
	c.Annotate = NewJSON(team)
	if n := leastAllocs(&c, teamList(2000)); n > 1 {
		t.Errorf("%v allocations for 2000 lines", n)
	}
}

// crowd is a policy of many sites that holds the rules of no more than most of them: then it frees
// all, as an archive does when its rulesets do not fit into memory.
type crowd struct {
	*web
	most int

	mu    sync.Mutex
	held  map[string]bool
	freed uint64
	made  int
}

func (c *crowd) Find(q Query, rules []Rules) (Span, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.held) > c.most {
		clear(c.held)
		c.freed++
	}
	if host := q.Origin.Host; !c.held[host] {
		c.held[host], c.made = true, c.made+1
	}
	return c.web.Find(q, rules)
}

func (c *crowd) epoch() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.freed
}

// TestSitesInRandomOrder checks that, if the rules of all sites do not fit into memory, a chunk is judged site by
// site, so that the rules of each are made once, and that the output is the same.
func TestSitesInRandomOrder(t *testing.T) {
	const sites, rows, chunk = 60, 20_000, 64 << 10
	bodies := map[string]string{}
	for i := range sites {
		bodies[fmt.Sprintf("http://site-%02d.example", i)] = fmt.Sprintf("user-agent: *\ndisallow: /%d", i%10)
	}
	all := newWeb(t, automaton.RFC9309, bodies, nil)
	urls := make([]string, rows)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range urls {
		urls[i] = fmt.Sprintf("http://site-%02d.example/%d/%d", r.IntN(sites+1), r.IntN(10), i)
	}
	urls[7] = "no URL"
	json := make([]string, rows)
	for i, url := range urls {
		json[i] = fmt.Sprintf(`{"n":%d,"url":"%s"}`, i, strings.ReplaceAll(url, "/", `\/`))
	}
	for name, text := range map[string]string{
		"URLs":     "\ufeff" + strings.Join(urls, "\n") + "\n",
		"CSV":      "n,url\n1," + strings.Join(urls, "\n1,"),
		"JSON":     strings.Join(json, "\r\n"),
		"annotate": strings.Join(json, "\n"),
	} {
		c := Config{Dialects: []automaton.Dialect{automaton.RFC9309}, NoPolicy: true, Quotes: 3}
		if name != "URLs" {
			kind := map[bool]list.Kind{true: list.CSV, false: list.JSON}[name == "CSV"]
			c.Layouts = layoutOf(t, kind, text, list.Options{})
		}
		if name == "annotate" {
			c.Annotate = NewJSON([]string{"x"})
		}
		read := func(policy Policy, epoch func() uint64, workers int) (string, Summary) {
			c.Policy, c.Epoch = policy, epoch
			in := source.NewInput("list", strings.NewReader(text), int64(len(text)))
			return filteredBy(t, c, source.Options{Workers: workers, ChunkSize: chunk, InOrder: true}, in)
		}
		want, count := read(all, nil, 1)
		for _, workers := range []int{1, 4} {
			few := &crowd{web: all, most: 20, held: map[string]bool{}}
			got, counted := read(few, few.epoch, workers)
			if got != want || fmt.Sprint(counted) != fmt.Sprint(count) {
				t.Errorf("%s, %d workers: another output, or %+v instead of %+v", name, workers, counted, count)
			}
			chunks := len(text)/chunk + workers
			if most := (chunks + 3*workers) * (sites + 1) * workers; few.made > most {
				t.Errorf("%s, %d workers: rules were made %d times, want at most %d; there are %d rows", name, workers, few.made,
					most, rows)
			}
		}
	}
}

// TestGuardOfRules checks that outcomes are discarded if the guard fails.
func TestGuardOfRules(t *testing.T) {
	failed := fmt.Errorf("changed")
	c := Config{
		Dialects: []automaton.Dialect{automaton.RFC9309}, Site: []Rules{{}},
		Guard: func(f func() error) error { _ = f(); return failed },
	}
	var out strings.Builder
	in := source.NewInput("list", strings.NewReader("http://a/\n"), -1)
	s, err := Run(context.Background(), source.NewReader([]*source.Input{in}, source.Options{Workers: 1, InOrder: true}),
		1, c, &out)
	if err != failed || out.Len() > 0 || s.Read > 0 {
		t.Errorf("%+v, %q, error %v", s, out.String(), err)
	}
}
