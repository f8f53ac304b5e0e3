package compile_test

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// TestGroups checks the contents of Groups, and their spelling in each dialect.
func TestGroups(t *testing.T) {
	const body = "User-Agent: Foo/1.2 # c\nuser-agent: *\nAllow: /A%7e\n\nDisallow:\nuser-agent: MJ12bot\ndisallow: x\n"
	type rules = []compile.Rule
	ofGoogle := rules{{Line: 3, Allow: true, Value: "/A%7e", Pattern: "/A%7E"}, {Line: 5}}
	for _, c := range []struct {
		mode  mode
		token string // of MJ12bot
		rules rules  // of the first group
	}{
		{mode{dialect: google}, "mj", ofGoogle},
		{mode{dialect: google, wide: true}, "mj12bot", ofGoogle},
		{mode{dialect: rfc9309}, "mj12bot", rules{
			{Line: 3, Allow: true, Value: "/A%7e", Pattern: "/A~", Form: automaton.FormA}, {Line: 5, Inert: true}}},
		// A blank line ends the record, and the rule after it is outside.
		{mode{dialect: original}, "mj12bot", rules{
			{Line: 3, Allow: true, Value: "/A%7e", Pattern: "/A~", Form: automaton.FormDecoded}}},
	} {
		want := []compile.Group{
			{[]compile.AgentLine{{Line: 1, Value: "Foo/1.2", Token: "foo"}, {Line: 2, Value: "*", Wildcard: true}}, c.rules},
			{[]compile.AgentLine{{Line: 6, Value: "MJ12bot", Token: c.token}},
				rules{{Line: 7, Value: "x", Form: c.rules[0].Form, Inert: true}}},
		}
		if r := compile.Compile([]byte(body), c.mode.options()); !reflect.DeepEqual(r.Groups, want) || r.Lines != 7 {
			t.Errorf("%v: %d lines, groups %+v, want %+v", c.mode, r.Lines, r.Groups, want)
		}
	}
}

func TestRuleString(t *testing.T) {
	r := compileIn(google, "useragent: *\ndisalow:/%7e # c\nALLOW /b\ndisallow: ")
	for line, want := range map[int]string{2: "Disallow: /%7e", 3: "Allow: /b", 4: "Disallow:"} {
		if rule, ok := r.Rule(line); !ok || rule.String() != want {
			t.Errorf("line %d: got %q, want %q", line, rule, want)
		}
	}
	for _, line := range []int{-1, 0, 1, 5} {
		if rule, ok := r.Rule(line); ok {
			t.Errorf("line %d is no rule, got %v", line, rule)
		}
	}
}

// TestRecords checks that fields other than agents and rules are kept, with the group in which they
// stand.
func TestRecords(t *testing.T) {
	const body = "Sitemap: http://h/a:b # c\n" +
		"user-agent: a\n" +
		"Crawl-Delay : 5\n" +
		"user-agent: b\n" + // joins a's
		"disallow: /\n" +
		"SITEMAP: /c\n" +
		"user-agent: c\n" +
		"Visit-time: 0600-0845\n" +
		"no idea: at all\n" +
		"empty:\n"
	want := []compile.Record{
		{Line: 1, Key: "Sitemap", Value: "http://h/a:b", Group: -1},
		{Line: 3, Key: "Crawl-Delay", Value: "5", Group: 0},
		{Line: 6, Key: "SITEMAP", Value: "/c", Group: 0},
		{Line: 8, Key: "Visit-time", Value: "0600-0845", Group: 1},
		{Line: 9, Key: "no idea", Value: "at all", Group: 1},
		{Line: 10, Key: "empty", Value: "", Group: 1},
	}
	for _, m := range modes {
		if got := compile.Compile([]byte(body), m.options()).Records; !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got %+v, want %+v", m, got, want)
		}
	}
}

// TestGroupsOf checks of which groups a machine is made.
func TestGroupsOf(t *testing.T) {
	const body = "user-agent: a\nuser-agent: b\ndisallow: /0\n\n" +
		"user-agent: *\ndisallow: /1\n\n" +
		"user-agent: A/2\ndisallow: /2\n\n" +
		"user-agent: *\nuser-agent: c\ndisallow: /3\n\n" +
		"user-agent: empty"
	for _, c := range []struct {
		mode  mode
		agent string
		want  []int
	}{
		{mode{dialect: google}, "a", []int{0, 2}},
		{mode{dialect: google}, "c", []int{3}},
		{mode{dialect: google}, "x", []int{1, 3}},
		{mode{dialect: rfc9309}, "a/9", []int{0, 2}},
		{mode{dialect: rfc9309}, "x", []int{1, 3}},
		{mode{dialect: original}, "a", []int{0}},
		{mode{dialect: original}, "x", []int{1}},
		{mode{dialect: original}, "cx", []int{3}},
	} {
		r := compile.Compile([]byte(body), c.mode.options())
		m := r.Ruleset.Machine([]byte(c.agent))
		if got := r.GroupsOf(m); !slices.Equal(got, c.want) {
			t.Errorf("%v: %s is bound by groups %v, want %v", c.mode, c.agent, got, c.want)
		}
	}
	r := compileIn(rfc9309, "user-agent: a\ndisallow: /")
	if got := r.GroupsOf(nil); got != nil {
		t.Errorf("no machine is made of groups %v", got)
	}
	if got := r.GroupsOf(compileIn(rfc9309, "user-agent: *").Ruleset.Wildcard()); got != nil {
		t.Errorf("another file's machine is made of groups %v", got)
	}
}

// TestMatches checks that every matching rule is listed once, sorted by rank.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		name    string
		dialect automaton.Dialect
		rules   string
		path    string
		want    []int // lines
	}{
		{"longest first", rfc9309, "disallow: /\nallow: /a\ndisallow: /b\ndisallow: /a*c\nallow: /x", "/abc", []int{5, 3, 2}},
		{"allow first of equals", rfc9309, "disallow: /a\nallow: /a\ndisallow: /*\nallow: /*", "/a", []int{3, 5, 2, 4}},
		{"file order", original, "allow: /a\ndisallow: /abc\nallow: /b\ndisallow: /", "/abc", []int{2, 3, 5}},
		{"empty rules", google, "disallow:\nallow:\ndisallow: /a", "/b", []int{3, 2}},
		{"empty rules to others", rfc9309, "disallow:\nallow:\ndisallow: /a", "/b", nil},
		{"inert", google, "disallow: a\ndisallow: /a", "/a", []int{3}},
		{"robots.txt to google", google, "disallow: /", "/robots.txt", []int{2}},
		{"index page", google, "allow: /d/index.html", "/d/index.html", []int{2}},
		{"directory of an index page", google, "allow: /d/index.html\ndisallow: /d", "/d/", []int{2, 3}},
		{"index page and its directory at once", google, "allow: /*/index.html", "/d/index.html/", []int{2}},
	} {
		r := compileIn(c.dialect, "user-agent: *\n"+c.rules)
		var got []int
		for _, rule := range r.Matches(r.Ruleset.Wildcard(), new(automaton.Scratch), []byte(c.path)) {
			got = append(got, rule.Line)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: lines %v match, want %v", c.name, got, c.want)
		}
	}
	r := compileIn(rfc9309, "user-agent: a\ndisallow: /")
	if got := r.Matches(r.Ruleset.Wildcard(), new(automaton.Scratch), []byte("/")); got != nil {
		t.Errorf("without a machine %v match", got)
	}
}

// TestManyGroupsOfOneAgent checks that a match examines a few parts, not one per group.
func TestManyGroupsOfOneAgent(t *testing.T) {
	const n = 1000
	one := "user-agent: a\n"
	groups := ""
	entangled := ""
	for i := range n {
		rule := fmt.Sprintf("disallow: /*x%d$\n", i)
		if i%3 == 0 {
			rule = fmt.Sprintf("allow: /%d\n", i%50)
		}
		one += rule
		groups += "user-agent: a\n" + rule
		entangled += fmt.Sprintf("user-agent: a\nuser-agent: b%s\n", numeral(i)) + rule
	}
	for _, m := range modes {
		want := compile.Compile([]byte(one), m.options()).Ruleset.Machine([]byte("a"))
		for name, file := range map[string]string{"groups": groups, "entangled": entangled} {
			r := compile.Compile([]byte(file), m.options())
			got := r.Ruleset.Machine([]byte("a"))
			if m.dialect == original {
				continue // the first record only
			}
			if parts := len(got.Lists()); parts > 16 || got.Len() != want.Len() {
				t.Errorf("%v, %s: %d parts, %d rules instead of %d", m, name, parts, got.Len(), want.Len())
			}
			if bound := r.GroupsOf(got); len(bound) != n {
				t.Errorf("%v, %s: bound by %d groups", m, name, len(bound))
			}
			var s automaton.Scratch
			for i := range 2 * n {
				path := fmt.Appendf(nil, "/%d/x%d", i%70, i)
				g, w := got.Match(&s, path), want.Match(&s, path)
				if g.Disallowed != w.Disallowed || (g.Line == 0) != (w.Line == 0) {
					t.Fatalf("%v, %s: %q: got %v, in one group %v", m, name, path, g, w)
				}
			}
		}
	}
}

// TestEntangledGroupsTakeLittle checks that crawlers with different subsets of the same large
// groups don't each get a copy of them.
func TestEntangledGroupsTakeLittle(t *testing.T) {
	file := func(n int) string {
		text := ""
		for g := range 20 {
			for a := range n {
				if a%20 != g {
					text += "user-agent: a" + numeral(a) + "\n"
				}
			}
			text += numbered(fmt.Sprintf("disallow: /%d/%%d\n", g), n)
		}
		return text
	}
	o := compile.Options{MaxBytes: all}
	once, twice := allocatedBy(file(100), o), allocatedBy(file(200), o)
	if twice > 3*once {
		t.Errorf("%d agents of 20 groups take %d bytes, twice as many %d", 100, once, twice)
	}
}

// TestDelay checks that a crawler only has a delay if all parsers of Crawl-delay would apply it.
func TestDelay(t *testing.T) {
	const none = -1
	for _, c := range []struct {
		name, file, agent string // "" for *
		want              time.Duration
	}{
		{"a group of its own", "user-agent: a\ncrawl-delay: 10\ndisallow: /x\n", "a", 10 * time.Second},
		{"behind the rules", "user-agent: a\ndisallow: /x\nCRAWL-DELAY: 0.5\n", "a", 500 * time.Millisecond},
		{"for *", "user-agent: *\ncrawl-delay: 2\n", "", 2 * time.Second},
		{"for *, of a crawler that no group names", "user-agent: *\ncrawl-delay: 2\n", "MyBot/1.0", 2 * time.Second},
		{"for *, of one that a group names", "user-agent: *\ncrawl-delay: 2\nuser-agent: a\ndisallow: /x\n", "a", none},
		{"by its version in other case", "user-agent: Aa/2.0\ncrawl-delay: 2\n", "aA", 2 * time.Second},
		{"no number", "user-agent: a\ncrawl-delay: soon\n", "a", none},
		{"no number, then one", "user-agent: a\ncrawl-delay: NaN\ncrawl-delay: 4\n", "a", 4 * time.Second},
		{"twice", "user-agent: a\ncrawl-delay: 4\ncrawl-delay: 1\n", "a", time.Second},
		{"too long", "user-agent: a\ncrawl-delay: 1e9\n", "a", none},

		// By RFC 9309 these are one group, by most readers of Crawl-delay two.
		{"the one before has its own", "user-agent: a\ncrawl-delay: 10\nuser-agent: b\ncrawl-delay: 1\n", "b", time.Second},
		{"the one behind has its own", "user-agent: a\ncrawl-delay: 1\nuser-agent: b\ncrawl-delay: 10\n", "b", time.Second},
		{"no number before the first", "user-agent: a\ncrawl-delay: x\nuser-agent: b\ncrawl-delay: 2\nuser-agent: " +
			"c\ncrawl-delay: 3\n", "c", 2 * time.Second},
		{"only the one before has one", "user-agent: a\ncrawl-delay: 60\n\nuser-agent: *\ndisallow: /x\n", "", none},
		{"only the one behind has one", "user-agent: a\nsitemap: /s\nuser-agent: b\ncrawl-delay: 6\n", "a", 6 * time.Second},
	} {
		for _, d := range []automaton.Dialect{automaton.RFC9309, automaton.Google} {
			r := compile.Compile([]byte(c.file), compile.Options{Dialect: d, WideTokens: true})
			got, ok := r.Agent(cmp.Or(c.agent, "*")).CrawlDelay()
			if !ok {
				got = none
			}
			if got != c.want {
				t.Errorf("%s, %v: %v, want %v", c.name, d, got, c.want)
			}
		}
	}
	original := compile.Compile([]byte("user-agent: foo\ncrawl-delay: 7\n"), compile.Options{Dialect: automaton.Original})
	if got, ok := original.Agent("FooBot/1.0").CrawlDelay(); got != 7*time.Second || !ok {
		t.Errorf("a part of a name, original: %v, %v", got, ok)
	}
}
