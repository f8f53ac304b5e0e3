package compile_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// hostile makes robots.txt files of about n lines that are as bad as they can
// be for something.
var hostile = []struct {
	name string
	file func(n int) string
}{
	{"CR lines", func(n int) string { return strings.Repeat("\r", n) }},
	{"CR lines of a byte", func(n int) string { return strings.Repeat("x\r", n) }},
	{"CRLF lines", func(n int) string { return "user-agent: *\r\n" + strings.Repeat("\r\n", n) }},
	{"rules", func(n int) string {
		return "user-agent: *\n" + numbered("disallow:/%d\n", n)
	}},
	{"equal rules", func(n int) string {
		return "user-agent: *\n" + strings.Repeat("disallow:/\nallow:/\n", n/2)
	}},
	{"agents of one group", func(n int) string { return numbered("user-agent:a%d\n", n) + "disallow:/" }},
	{"groups of one agent", func(n int) string { return strings.Repeat("user-agent:a\ndisallow:/\n", n/2) }},
	{"groups", func(n int) string { return numbered("user-agent:a%d\ndisallow:/\n", n/2) }},
	{"groups for *", func(n int) string { return strings.Repeat("user-agent:*\ndisallow:/\n", n/2) }},
	// Each agent is bound by the long group and by a short one of its own, so
	// that no two have the same rules.
	{"agents with many rules in common", func(n int) string {
		return numbered("user-agent:a%d\n", n/4) + numbered("allow:/%d\n", n/2) +
			numbered("user-agent:a%d\nallow:/\n", n/8)
	}},
	{"wildcards in one rule", func(n int) string {
		return "user-agent: *\ndisallow:/" + strings.Repeat("*a", n) + "b"
	}},
	{"rules of wildcards", func(n int) string {
		return "user-agent: *\n" + strings.Repeat("disallow:/"+strings.Repeat("*a", 100)+"b\n", n/20)
	}},
	{"index pages", func(n int) string { return "user-agent: *\n" + numbered("allow:/%d/index.html\n", n) }},
	// Half of the rules wait after prefixes, the others after a byte of every path.
	{"prefixes and gates", func(n int) string { return "user-agent: *\n" + gaps(n/2) + gates(n/2) }},
	{"bytes to escape", func(n int) string {
		return "user-agent: *\n" + strings.Repeat("disallow:/"+strings.Repeat("\xc3\xa9", 50)+"\n", n/10)
	}},
	{"records", func(n int) string { return numbered("k%d:v\n", n) }},
	{"spaces", func(n int) string { return strings.Repeat(" ", n) }},
}

// gaps are n rules, of which three each wait after a prefix of their own.
func gaps(n int) string { return numbered("disallow:/%d*x\ndisallow:/%d*y\ndisallow:/%d*z\n", n/3) }

// gates are n rules that wait after a byte of every path.
func gates(n int) string { return numbered("disallow:/*?*%d\n", n) }

// numbered repeats a line n times, each time with another word for %d.
func numbered(line string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "%d", numeral(i)))
	}
	return b.String()
}

// numeral writes a number in letters, as all dialects allow in a token.
func numeral(i int) string {
	digits := fmt.Sprintf("%06d", i)
	return strings.Map(func(c rune) rune { return c - '0' + 'a' }, digits)
}

// TestCompileAllocatesInProportion checks that twice the file takes twice the memory, not four
// times.
func TestCompileAllocatesInProportion(t *testing.T) {
	const n = 800
	for _, h := range hostile {
		for _, m := range modes {
			t.Run(h.name+"/"+m.String(), func(t *testing.T) {
				once, twice := allocatedBy(h.file(n), m.options()), allocatedBy(h.file(2*n), m.options())
				// Slices that grow by doubling may be half empty in one of both.
				if slack := uint64(64 << 10); twice > 3*once+slack {
					t.Errorf("a file of %d lines takes %d bytes, of %d lines %d", n, once, 2*n, twice)
				}
			})
		}
	}
}

// allocatedBy is the number of bytes that compiling a file allocates, where no other
// file has left anything that it could use.
func allocatedBy(file string, o compile.Options) uint64 {
	body := []byte(file)
	runtime.GC() // what is in a sync.Pool outlives one, not two
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := compile.Compile(body, o)
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(r)
	return after.TotalAlloc - before.TotalAlloc
}

// TestManyDelays checks that finding a Crawl-delay doesn't take quadratic time in the number of
// delays, or of the agents or groups between them.
func TestManyDelays(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n /= 10
	}
	for _, file := range []string{
		"user-agent: a\n" + strings.Repeat("crawl-delay: 2\n", n),
		numbered("user-agent: %d\ncrawl-delay: 3\n", n) + "user-agent: a\ncrawl-delay: 2\n",
		strings.Repeat("user-agent: a\ncrawl-delay: 2\nallow: /\n", n),
	} {
		r := compile.Compile([]byte(file), compile.Options{MaxBytes: all})
		if got, ok := r.Agent("a").CrawlDelay(); got != 2*time.Second || !ok {
			t.Errorf("%.40q…: %v, %v", file, got, ok)
		}
	}
}

// TestLargeFiles compiles files of megabytes, with which quadratic work would time out. The longest
// is the one for CR, which costs no more than a search for LF per line.
func TestLargeFiles(t *testing.T) {
	million, hundred := 1<<19, 50_000
	if testing.Short() {
		t.Log("short: a fifth of the size")
		million, hundred = million/5, hundred/5
	}
	rules, groups := hundred*47/100, hundred/2
	long := "/" + strings.Repeat("a", 20_000)
	for _, c := range []struct {
		name, file  string
		agent, url  string
		lines, rule int // 0 if none forbids; for original none does if there are wildcards
	}{
		{"CR", strings.Repeat("\r", 4*million), "F", "/", 4 * million, 0},
		{"CRLF", strings.Repeat("\r\n", million), "F", "/", million, 0},
		{"LF and CR", strings.Repeat("\n\r", million), "F", "/", million + 1, 0},
		{"many rules", "user-agent: *\n" + numbered("disallow:/%d\n", rules), "F", "/" + numeral(rules-1), rules + 1,
			rules + 1},
		{"many equal rules", "user-agent: *\n" + strings.Repeat("disallow:/\n", rules), "F", "/", rules + 1, 2},
		{"many agents", numbered("user-agent:a%d\n", hundred) + "disallow:/", "a" + numeral(hundred-1), "/", hundred + 1,
			hundred + 1},
		{"many groups", numbered("user-agent:a%d\ndisallow:/\n", groups), "a" + numeral(groups-1), "/", 2 * groups,
			2 * groups},
		{"rules behind prefixes, and behind ?", "user-agent: *\n" + gaps(3*hundred/4) + gates(hundred/4), "F",
			"/?" + numeral(hundred/4-1), hundred + 1, hundred + 1},
		{"2,600 wildcards", "user-agent: *\ndisallow:/" + strings.Repeat("*a", 2_600), "F", long, 2, 2},
		{"2,600 wildcards and no end", "user-agent: *\ndisallow:/" + strings.Repeat("*a", 2_600) + "b", "F", long, 2, 0},
		{"200 times 100 wildcards", "user-agent: *\n" + strings.Repeat("disallow:/"+strings.Repeat("*a", 100)+"b$\n", 200),
			"F", long, 201, 0},
		{"many stars", "user-agent: *\ndisallow:/" + strings.Repeat("*", 2*million), "F", long, 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, d := range dialects {
				m := mode{dialect: d}
				each := m.tiers([]byte(c.file))
				r := each[0]
				if r.Lines != c.lines {
					t.Errorf("%v: %d lines, want %d", d, r.Lines, c.lines)
				}
				rule := c.rule
				if d == original && strings.Contains(c.file, "/*") {
					rule = 0
				}
				got := m.ask(t, each, new(automaton.Scratch), []byte(c.file), []byte(c.agent), []byte(c.url))
				if want := (answer{rule == 0, rule}); got != want {
					t.Errorf("%v: got %v, want %v", d, got, want)
				}
			}
		})
	}
}

// TestLimitBoundsMemory checks that bytes past the limit are neither copied nor kept.
func TestLimitBoundsMemory(t *testing.T) {
	const limit = 10_000
	head := "user-agent: *\n" + strings.Repeat("#\n", limit/2)
	for name, tail := range map[string]string{
		"one long line": strings.Repeat("x", 1<<20),
		"blank lines":   strings.Repeat("\n", 1<<20),
	} {
		o := compile.Options{MaxBytes: limit}
		without := allocatedBy(head, o)
		if with := allocatedBy(head+tail, o); with > without+limit {
			t.Errorf("%s: with 1 MiB past the limit %d bytes are allocated, without it %d", name, with, without)
		}
	}
}
