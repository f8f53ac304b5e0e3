package policy

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// epoch is the time 0h of the histories here.
var epoch = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// at returns the time that a duration such as -1ns, 24h or 30d says.
func at(t testing.TB, s string) int64 {
	t.Helper()
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil {
			t.Fatal(err)
		}
		return epoch + int64(n)*int64(24*time.Hour)
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return epoch + int64(d)
}

// rowsOf reads rows such as "a 24h 200 body max=48h", "a 0h 301 >http://b/robots.txt" and "a 0h 200 digest=x",
// separated by newlines or semicolons; a host without a scheme is http alone.
func rowsOf(t testing.TB, text string) []Row {
	t.Helper()
	var rows []Row
	for _, line := range strings.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == ';' }) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if !strings.Contains(f[0], "://") {
			f[0] = "http://" + f[0]
		}
		status, err := strconv.Atoi(f[2])
		if err != nil {
			t.Fatal(err)
		}
		r := Row{Origins: origins(t, f[0]), From: at(t, f[1]), Status: status, Where: fmt.Sprint("row ", len(rows)+1)}
		for _, word := range f[3:] {
			if d, ok := strings.CutPrefix(word, "max="); ok {
				r.MaxAge = time.Duration(at(t, d) - epoch)
			} else if l, ok := strings.CutPrefix(word, ">"); ok {
				r.Location = l
			} else if d, ok := strings.CutPrefix(word, "digest="); ok {
				r.Digest, r.Size = d, -1
			} else {
				r.Body, r.File = []byte(strings.ReplaceAll(word, "|", "\n")), word
			}
		}
		rows = append(rows, r)
	}
	return rows
}

func newOf(t testing.TB, rows string, o Options) *Policy {
	t.Helper()
	p, err := New(rowsOf(t, rows), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// describe says what is lawful in the order of Lawful's fields.
func describe(p *Policy, index int32, l *Lawful) string {
	var words []string
	for _, c := range slices.Concat(l.Bodies, l.Hops) {
		c := p.histories[index].copies[c]
		word := strings.ReplaceAll(string(c.body.text), "\n", "|")
		if c.hop != "" {
			word += " for " + c.hop
		} else if word == "" {
			word = "empty"
		}
		words = append(words, word)
	}
	for _, f := range []struct {
		is   bool
		name string
	}{{l.NoPolicy, "no_policy"}, {l.Unreachable, "unreachable"}, {l.Unknown, "unknown"}, {l.Redirected, "redirected"}} {
		if f.is {
			words = append(words, f.name)
		}
	}
	if l.Long {
		words = append(words, "long")
	}
	if len(l.Bodies) > 0 {
		words = append(words, fmt.Sprint("cites ", l.Quoted))
	}
	return strings.Join(words, ", ")
}

// chain returns rows by which a leads to another origin by so many hops, and the
// beginning of the row of that, which lacks its status.
func chain(hops int) string {
	var b strings.Builder
	for i := range hops {
		fmt.Fprintf(&b, "%c 0h 301 >http://%c/robots.txt;", 'a'+i, 'b'+i)
	}
	fmt.Fprintf(&b, "%c 0h ", 'a'+hops)
	return b.String()
}

func TestNewRefuses(t *testing.T) {
	tests := []struct {
		name, rows string
		o          Options
		want       string
	}{
		{"a window of less than a day", "a 0h 200 A", Options{Window: 24*time.Hour - 1},
			"a window of 23h59m59.999999999s is less than 24h0m0s"},
		{"a delay of less than three hours", "a 0h 200 A", Options{Delay: 3*time.Hour - 1},
			"a delay of 2h59m59.999999999s is less than 3h0m0s"},
		{"a skew of less than ten minutes", "a 0h 200 A", Options{Skew: 1}, "a skew of 1ns is less than 10m0s"},
		{"no rows", "", Options{}, "no robots.txt in the source"},
		{"a second row", "a 1h 200 A; a 0h 200 A; a 1h 404", Options{},
			"row 3: second row for http://a at 2026-11-01T01:00:00Z, the first is row 1"},
		{"a host that is not in the source", "a 0h 200 A", Options{Hosts: []origin.Origin{{Scheme: "https", Host: "b",
			Port: 443}}}, "no robots.txt of https://b in the source"},
	}
	for _, test := range tests {
		if _, err := New(rowsOf(t, test.rows), test.o); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

// TestThousandsOfVersions checks that time and memory are linear in their number.
func TestThousandsOfVersions(t *testing.T) {
	n := 10000
	if testing.Short() {
		n = 1000
	}
	failing := func(i int, r *Row) { r.Status = [...]int{200, 503}[i%2] }
	kinds := []struct {
		name string
		step time.Duration
		row  func(i int, r *Row)
	}{
		{"bodies, all in one window", time.Second, func(i int, r *Row) {}},
		{"bodies and failures, each outage within the window of the next", time.Hour, failing},
		{"the same, all in one window", time.Second, failing},
		{"endless max_age", time.Hour, func(i int, r *Row) { r.MaxAge = 1<<63 - 1 }},
		{"failures", time.Hour, func(i int, r *Row) { r.Status = 500 + i%2 }},
		{"redirects to themselves", time.Hour, func(i int, r *Row) { r.Status, r.Location = 301, "/robots.txt" }},
		{"redirects to another path", time.Hour, func(i int, r *Row) { r.Status, r.Location = 301, fmt.Sprint("/", i) }},
		{"every second body again and again", time.Second, func(i int, r *Row) {
			if i > n/2 {
				r.Body = []byte(fmt.Sprint(i % (n / 4) * 2))
				r.MaxAge = time.Duration(i%2) * 30 * time.Hour
			}
		}},
	}
	for _, kind := range kinds {
		rows := make([]Row, n)
		for i := range rows {
			rows[i] = Row{Origins: []origin.Origin{{Scheme: "http", Host: "a", Port: 80}}, Status: 200,
				From: epoch + int64(i)*int64(kind.step), Body: []byte(fmt.Sprint(i))}
			kind.row(i, &rows[i])
		}
		for _, observed := range []bool{false, true} {
			p, err := New(rows, Options{Observed: observed})
			if err != nil {
				t.Fatalf("%s: %v", kind.name, err)
			}
			p.Lawful(0, rows[n-1].From, answer.Others)
		}
	}
}

// TestManyOriginsToOneOfManyVersions checks that the product of both is rejected.
func TestManyOriginsToOneOfManyVersions(t *testing.T) {
	var rows []Row
	for i := range 1500 {
		rows = append(rows,
			Row{Origins: []origin.Origin{{Scheme: "http", Host: "b", Port: 80}}, From: epoch + int64(i)*int64(48*time.Hour),
				Status: 404},
			Row{Origins: []origin.Origin{{Scheme: "http", Host: fmt.Sprint("a", i), Port: 80}}, From: epoch, Status: 301,
				Location: "http://b/robots.txt"})
	}
	if _, err := New(rows, Options{}); err == nil || !strings.Contains(err.Error(), errRedirects.Error()) {
		t.Errorf("error %v", err)
	}
}

// TestThousandsOfRedirectsInSuccession checks that a file after so many doesn't count, and that finding this is fast.
func TestThousandsOfRedirectsInSuccession(t *testing.T) {
	const n = 5000
	host := func(i int) origin.Origin {
		return origin.Origin{Scheme: "http", Host: fmt.Sprintf("h%04d", i), Port: 80}
	}
	rows := []Row{{Origins: []origin.Origin{host(n)}, From: epoch, Status: 200, Body: []byte("END")}}
	for i := range n {
		rows = append(rows, Row{Origins: []origin.Origin{host(i)}, From: epoch, Status: 301, Location: host(i+1).String() +
			"/robots.txt"})
	}
	p, err := New(rows, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]string{0: "no_policy", n - maxChain: "no_policy", n - maxChain +
		1: "END, no_policy, cites 0", n - 6: "END, no_policy, cites 0", n - 5: "END, cites 0"} {
		if got := describe(p, int32(i), p.Lawful(int32(i), at(t, "50h"), answer.Others)); got != want {
			t.Errorf("%d redirects: %s, want %s", n-i, got, want)
		}
	}
}

func TestGuardLawfulDoesNotAllocate(t *testing.T) {
	p := newOf(t, "a 0h 200 A; a 50h 503; a 60h 301 >http://b/robots.txt; a 70h 404; b 0h 200 B", Options{})
	moments := []int64{MinTime, at(t, "-1h"), at(t, "55h"), at(t, "65h"), at(t, "1000h"), forever}
	o := origin.Origin{Host: "a"}
	n := testing.AllocsPerRun(100, func() {
		site, _ := p.Site(o)
		for _, m := range moments {
			p.Lawful(site.First, m, answer.Google)
			p.Lawful(site.First, m, answer.Others)
			p.InForce(site.First, m)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestSkewed checks that a larger skew makes more lawful.
func TestSkewed(t *testing.T) {
	p := newOf(t, "a -90d 200 A; a 0h 200 B", Options{})
	q := p.Skewed(14 * time.Hour)
	if q.Skew() != 14*time.Hour+MinSkew {
		t.Fatal(q.Skew())
	}
	for moment, want := range map[string][2]string{
		"-14h":     {"A, cites 0", "A, B, cites 1"},
		"-14h11m":  {"A, cites 0", "A, cites 0"},
		"27h9m":    {"A, B, cites 1", "A, B, cites 1"},
		"41h9m59s": {"B, cites 1", "A, B, cites 1"},
		"41h10m":   {"B, cites 1", "B, cites 1"},
	} {
		for i, p := range []*Policy{p, q} {
			if got := describe(p, 0, p.Lawful(0, at(t, moment), answer.Others)); got != want[i] {
				t.Errorf("%s at %s: %s, want %s", []string{"usual", "skewed"}[i], moment, got, want[i])
			}
		}
	}
}

func TestOfSize(t *testing.T) {
	p := newOf(t, "a 0h 200 AA; a 1h 200 B; a 2h 200 CC; a 3h 200 AA; a 4h 404; a 5h 301 >http://b/robots.txt; a 6h 301 "+
		">http://b/x; a 7h 200; b 0h 200 DDD", Options{})
	for size, want := range map[int64][]int32{-1: nil, 0: {4}, 1: {1}, 2: {0, 2}, 3: {3}, 4: nil} {
		if got := p.OfSize(0, size, nil); !slices.Equal(got, want) {
			t.Errorf("%d bytes: %v, want %v", size, got, want)
		}
	}
	if got := p.OfSize(0, 1, []int32{9}); !slices.Equal(got, []int32{9, 1}) {
		t.Errorf("appended: %v", got)
	}
	unknown := Constant(Row{Body: []byte("x"), Size: -1}, Options{})
	if got := unknown.OfSize(0, -1, nil); len(got) > 0 {
		t.Errorf("of no known size: %v", got)
	}
}

func TestMayRedirect(t *testing.T) {
	const b = "; b 0h 200 B"
	for rows, want := range map[string]bool{
		"a 0h 200 A": false, "a 0h 301": true, "a 0h 301 >http://b/robots.txt" + b: false, "a 0h 301 >http://b/x" + b: true,
		"a 0h 301 >/robots.txt": false, "a 0h 200 A; a 1h 304; a 2h 404": true,
	} {
		if got := newOf(t, rows, Options{}).MayRedirect(0); got != want {
			t.Errorf("%s: %v", rows, got)
		}
	}
}

func TestSpan(t *testing.T) {
	p := newOf(t, "a 0h 200 A max=99h", Options{})
	if from, to := p.Span(at(t, "30h"), false); from != at(t, "2h50m") || to != at(t, "30h10m") {
		t.Errorf("from %d to %d", from-epoch, to-epoch)
	}
	if from, to := p.Span(MinTime, false); from != MinTime || to != MinTime+int64(10*time.Minute) {
		t.Errorf("of the first moment: from %d to %d", from, to)
	}
	if from, to := p.Span(math.MaxInt64, false); to != math.MaxInt64 || from > to {
		t.Errorf("of the last moment: from %d to %d", from, to)
	}
	if from, to := p.Span(at(t, "30h"), true); from != at(t, "-1437h10m") || to != at(t, "30h10m") {
		t.Errorf("long: from %d to %d", from-epoch, to-epoch)
	}
	p = newOf(t, "a 0h 200 A", Options{Window: 25 * time.Hour, Delay: 4 * time.Hour, Skew: time.Hour})
	if p.Window() != 25*time.Hour || p.Delay() != 4*time.Hour || p.Skew() != time.Hour {
		t.Errorf("window %v, delay %v, skew %v", p.Window(), p.Delay(), p.Skew())
	}
	if from, to := p.Span(at(t, "30h"), false); from != at(t, "0h") || to != at(t, "31h") {
		t.Errorf("set larger: from %d to %d", from-epoch, to-epoch)
	}
}
