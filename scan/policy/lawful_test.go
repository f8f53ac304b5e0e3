package policy

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/origin"
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

// rowsOf reads rows such as "a 24h 200 body max=48h" and "a 0h 301 >http://b/robots.txt",
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
	switch l.Outage {
	case math.MaxInt64:
	case MinTime:
		words = append(words, "outage always")
	default:
		words = append(words, fmt.Sprintf("outage %gh", time.Duration(l.Outage-epoch).Hours()))
	}
	if len(l.Bodies) > 0 {
		words = append(words, fmt.Sprint("cites ", l.Cited))
	}
	return strings.Join(words, ", ")
}

func TestLawful(t *testing.T) {
	const ab = "a 0h 200 A; a 100h 200 B"
	observed, constant := Options{Observed: true}, Options{AssumeConstant: true}
	tests := []struct {
		name, rows string
		o          Options
		at         string
		want       string
	}{
		// (a)
		{"the version in force", ab, Options{}, "50h", "A, cites 0"},
		{"a version that begins within the skew", ab, Options{}, "99h59m", "A, B, cites 1"},
		{"one that begins behind it", ab, Options{}, "99h58m59.999999999s", "A, cites 0"},
		{"one that was replaced within the window and the skew", ab, Options{}, "124h59.999999999s", "A, B, cites 1"},
		{"one that was replaced before", ab, Options{}, "124h1m", "B, cites 1"},
		{"no smaller window by a max_age", "a 0h 200 A max=1h; a 100h 200 B", Options{}, "124h", "A, B, cites 1"},
		{"a max_age enlarges the window of its version", "a 0h 200 A max=48h; a 100h 200 B; a 101h 200 C", Options{}, "148h59.999999999s", "A, C, cites 2"},
		{"up to its end", "a 0h 200 A max=48h; a 100h 200 B", Options{}, "148h1m", "B, cites 1"},
		{"the window of all, set larger", ab, Options{Window: 72 * time.Hour}, "172h59.999999999s", "A, B, cites 1"},
		{"and its end", ab, Options{Window: 72 * time.Hour}, "172h1m", "B, cites 1"},
		{"the first version once more is one copy", "a 0h 200 A; a 50h 200 B; a 51h 200 A", Options{}, "52h", "A, B, cites 2"},
		{"204 is an empty body", "a 0h 204", Options{}, "50h", "empty, cites 0"},
		{"a file of no bytes", "a 0h 200", Options{}, "50h", "empty, cites 0"},

		// (b)
		{"4xx", "a 0h 404", Options{}, "50h", "no_policy"},
		{"4xx in the window", "a 0h 200 A; a 50h 403; a 51h 200 A", Options{}, "52h", "A, no_policy, cites 2"},
		{"429 is 4xx", "a 0h 200 A; a 50h 429", Options{}, "80h", "no_policy"},

		// (c)
		{"5xx leaves what was lawful before", "a 0h 200 A; a 50h 503", Options{}, "100h", "A, outage 50h, cites 0"},
		{"all that was", "a 0h 200 A; a 40h 404; a 50h 200 B; a 55h 503", Options{}, "100h", "A, B, no_policy, outage 55h, cites 2"},
		{"unreachable likewise", "a 0h 200 A; a 50h 0", Options{}, "100h", "A, outage 50h, cites 0"},
		{"and any code not named", "a 0h 200 A; a 50h 999", Options{}, "100h", "A, outage 50h, cites 0"},
		{"and 1xx", "a 0h 200 A; a 50h 100", Options{}, "100h", "A, outage 50h, cites 0"},
		{"408 is no answer", "a 0h 200 A; a 50h 408", Options{}, "100h", "A, outage 50h, cites 0"},
		{"nor 444", "a 0h 200 A; a 50h 444", Options{}, "100h", "A, outage 50h, cites 0"},
		{"nor 499", "a 0h 200 A; a 50h 499", Options{}, "100h", "A, outage 50h, cites 0"},
		{"failures in succession are one outage", "a 0h 200 A; a 50h 503; a 90h 0; a 130h 500", Options{}, "160h", "A, outage 50h, cites 0"},
		{"earlier outages count too", "a 0h 200 A; a 50h 503; a 100h 200 B; a 101h 503", Options{}, "150h", "A, B, outage 50h, outage 101h, cites 2"},
		{"a body ends an outage", "a 0h 200 A; a 50h 503; a 100h 200 B; a 150h 503", Options{}, "200h", "B, outage 150h, cites 2"},
		{"29 days and more are not 30", "a 0h 200 A; a 50h 503", Options{}, "769h59m59s", "A, outage 50h, cites 0"},
		{"30 days", "a 0h 200 A; a 50h 503", Options{}, "770h", "A, unreachable, outage 50h, cites 0"},
		{"nothing is known before", "a 0h 503", Options{}, "50h", "unreachable, unknown, outage 0h"},
		{"nothing before, and constant", "a 0h 503", constant, "50h", "unreachable, outage always"},
		{"the window of an outage in which all failed", "a 0h 503; a 50h 200 A", Options{}, "60h", "A, unreachable, unknown, outage 0h, cites 1"},

		// Rule 1
		{"before the first version", "a 0h 200 A", Options{}, "-48h", "unknown"},
		{"the window begins before the first version", "a 0h 200 A", Options{}, "24h59.999999999s", "A, unknown, cites 0"},
		{"the window begins with it", "a 0h 200 A", Options{}, "24h1m", "A, cites 0"},
		{"a version that has not begun is cited where there is no other", "a 0h 200 A; a 1h 200 B", Options{Observed: true}, "-30s", "A, B, unknown, cites 0"},
		{"a max_age makes nothing unknown", "a 0h 200 A max=48h", Options{}, "25h", "A, cites 0"},
		{"an outage whose window begins before", "a 0h 200 A; a 10h 503", Options{}, "100h", "A, unknown, outage 10h, cites 0"},
		{"the first version begins before all time", "a 0h 200 A", constant, "-48h", "A, cites 0"},
		{"of each origin", "a 0h 200 A; b 10h 200 B", constant, "-48h", "A, cites 0"},

		// Rule 2
		{"a redirect without a location", "a 0h 301", Options{}, "50h", "redirected"},
		{"a redirect out of the source", "a 0h 301 >http://b/robots.txt", Options{}, "50h", "redirected"},
		{"a location that is no URL", "a 0h 301 >::", Options{}, "50h", "redirected"},
		{"304 is not one that can be followed", "a 0h 304", Options{}, "50h", "redirected"},
		{"a redirect that ended before the window", "a 0h 301; a 50h 200 A", Options{}, "80h", "A, cites 1"},
		{"a redirect when an outage began", "a 0h 301; a 50h 503", Options{}, "100h", "redirected, outage 50h"},
		{"a redirect within the source", "a 0h 301 >http://b/robots.txt; b 0h 200 B", Options{}, "50h", "B, cites 0"},
		{"to the version of the moment", "a 0h 301 >http://b/robots.txt; b 0h 200 B; b 50h 200 C; b 90h 404", Options{}, "80h", "C, cites 1"},
		{"and all in the window", "a 0h 301 >http://b/robots.txt; b 0h 200 B; b 50h 200 C; b 70h 404", Options{}, "71h", "B, C, no_policy, cites 1"},
		{"while it lasted", "a 0h 301 >http://b/robots.txt; a 50h 200 A; b 0h 200 B; b 51h 200 C", Options{}, "52h", "B, A, cites 1"},
		{"an outage behind it", "a 0h 301 >http://b/robots.txt; b 0h 200 B; b 50h 503", Options{}, "100h", "B, outage 50h, cites 0"},
		{"nothing there is as 4xx", "a 0h 301 >http://b/robots.txt; b 50h 200 B", Options{}, "40h", "no_policy"},
		{"a relative location", "a 0h 301 >//b/robots.txt#x; b 0h 200 B", Options{}, "50h", "B, cites 0"},
		{"a port of its own", "a 0h 301 >http://b:80/robots.txt; b 0h 200 B", Options{}, "50h", "B, cites 0"},
		{"another scheme", "a 0h 301 >https://a/robots.txt; https://a 0h 200 B", Options{}, "50h", "B, cites 0"},
		{"to itself without end is as 4xx", "a 0h 301 >/robots.txt", Options{}, "50h", "no_policy"},
		{"five hops", chain(5), Options{}, "50h", "END, cites 0"},
		{"six hops are as 4xx", chain(6), Options{}, "50h", "no_policy"},
		{"the longest max_age on the way", "a 0h 301 >http://b/robots.txt max=48h; a 100h 200 A; b 0h 200 B", Options{}, "148h59.999999999s", "B, A, cites 1"},
		{"another path", "a 0h 301 >http://b/r.txt?x; b 0h 200 B", Options{}, "50h", "B for /r.txt?x"},
		{"another path, nothing to forbid it", "a 0h 301 >http://b/r.txt; b 0h 404", Options{}, "50h", "redirected"},
		{"another path of its own", "a 0h 301 >/r.txt", Options{}, "50h", "redirected"},
		{"another path behind two hops", "a 0h 301 >http://b/robots.txt; b 0h 301 >http://c/r.txt; c 0h 200 C", Options{}, "50h", "C for /r.txt"},
		{"robots.txt with a query is another path", "a 0h 301 >http://b/robots.txt?x; b 0h 200 B", Options{}, "50h", "B for /robots.txt?x"},

		// What was observed.
		{"between two observations both are in force", ab, observed, "50h", "A, B, cites 0"},
		{"from the first of them, and the skew", ab, observed, "-1m", "A, B, unknown, cites 0"},
		{"until the second and the window", ab, observed, "124h59.999999999s", "A, B, cites 1"},
		{"no longer", ab, observed, "124h1m", "B, cites 1"},
		{"of two that are equal, one", "a 0h 200 A; a 100h 200 A; a 200h 200 B", observed, "50h", "A, cites 0"},
		{"another max_age is another", "a 0h 200 A; a 100h 200 A max=1h; a 200h 200 B; a 300h 200 B", observed, "90h", "A, cites 0"},
		{"the change was behind the last of those that are equal", "a 0h 200 A; a 100h 200 A; a 200h 200 B", observed, "150h", "A, B, cites 0"},
		{"an outage that began at some time", "a 0h 200 A; a 50h 200 B; a 100h 503", observed, "200h", "A, B, outage 50h..100h, cites 1"},
		{"an outage of failures that differ", "a 0h 200 A; a 50h 200 B; a 100h 503; a 150h 500", observed, "200h", "A, B, outage 50h..100h, cites 1"},
		{"30 days from when it may have begun", "a 0h 200 A; a 50h 503", observed, "720h", "A, unreachable, unknown, outage 0h..50h, cites 0"},
		{"an outage behind a redirect", "a 0h 301 >http://b/robots.txt; b 0h 200 B; b 50h 200 C; b 100h 503", observed, "200h", "B, C, outage 50h..100h, cites 1"},
		{"two outages behind it", "a 0h 301 >http://b/robots.txt; b 0h 200 B; b 50h 503; b 100h 200 C; b 150h 503", observed, "300h", "B, C, unknown, outage 0h..50h, outage 100h..150h, cites 2"},
		{"a redirect that changed at some time to what failed already", "a 0h 301 >http://b/robots.txt; a 100h 301 >http://c/robots.txt; b 0h 200 B; b 50h 503; c 0h 503", observed, "200h", "B, unknown, outage 0h..100h, cites 0"},
		{"when there were two outages", "a 0h 301 >http://b/robots.txt; a 100h 301 >http://c/robots.txt; b 0h 503; b 30h 200 B; b 60h 503; c 0h 503", observed, "200h", "B, unreachable, unknown, outage 0h..100h, cites 1"},
		{"two redirects in succession", "a 0h 301 >http://b/robots.txt; a 100h 200 A; b 0h 200 B; b 100h 200 C", observed, "50h", "B, C, A, cites 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newOf(t, test.rows, test.o)
			if got := describe(p, 0, p.Lawful(0, at(t, test.at), false)); got != test.want {
				t.Errorf("%s\nat %s: %s, want %s", test.rows, test.at, got, test.want)
			}
		})
	}
}

// chain returns rows by which a leads to a body by so many hops.
func chain(hops int) string {
	var b strings.Builder
	for i := range hops {
		fmt.Fprintf(&b, "%c 0h 301 >http://%c/robots.txt;", 'a'+i, 'b'+i)
	}
	fmt.Fprintf(&b, "%c 0h 200 END", 'a'+hops)
	return b.String()
}

func TestLawfulForGoogle(t *testing.T) {
	tests := []struct {
		name, rows string
		at         string
		want       string
	}{
		{"429 is 5xx", "a 0h 200 A; a 50h 429", "80h", "A, unreachable, outage 50h, cites 0"},
		{"5xx permits everything at once", "a 0h 200 A; a 50h 503", "51h", "A, unreachable, outage 50h, cites 0"},
		{"in the window", "a 0h 200 A; a 50h 503; a 51h 200 B", "60h", "A, B, unreachable, outage 50h, cites 2"},
		{"4xx is 4xx", "a 0h 404", "50h", "no_policy"},
		{"a body is a body", "a 0h 200 A", "50h", "A, cites 0"},
	}
	for _, test := range tests {
		p := newOf(t, test.rows, Options{})
		if got := describe(p, 0, p.Lawful(0, at(t, test.at), true)); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestVersions(t *testing.T) {
	const rows = `b 0h 200 B max=2h; b 100h 404
		a 0h 200 A; a 10h 301 >http://b/robots.txt max=3h; a 20h 301 >http://b/x; a 30h 503; a 40h 200 A`
	p := newOf(t, rows, Options{})
	want := []Version{
		{From: at(t, "0h"), Status: 200, Copy: 0, File: "A", Size: 1},
		{From: at(t, "10h"), Status: 301, Copy: 1, File: "B", Size: 1, MaxAge: 3 * time.Hour, Location: "http://b/robots.txt"},
		{From: at(t, "20h"), Status: 301, Copy: -1, MaxAge: 2 * time.Hour, Location: "http://b/x"},
		{From: at(t, "30h"), Status: 503, Copy: -1},
		{From: at(t, "40h"), Status: 200, Copy: 0, File: "A", Size: 1},
	}
	if got := p.Versions(0); !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := p.Copies(0); got != 3 {
		t.Errorf("%d copies, want two bodies and a hop", got)
	}
	if p := newOf(t, "a 5h 200 A", Options{AssumeConstant: true}); p.Versions(0)[0].From != MinTime {
		t.Errorf("assumed constant: %+v", p.Versions(0))
	}
}

func TestInForce(t *testing.T) {
	const rows = "a 0h 200 A; a 10h 404; a 20h 200 B"
	tests := []struct {
		o           Options
		from, to    string
		first, last int
	}{
		{Options{}, "-2h", "-1h", 0, 0},
		{Options{}, "-2h", "0h", 0, 1},
		{Options{}, "0h", "9h59m59.999999999s", 0, 1},
		{Options{}, "0h", "10h", 0, 2},
		{Options{}, "10h", "10h", 1, 2},
		{Options{}, "5h", "100h", 0, 3},
		{Options{}, "100h", "100h", 2, 3},
		{Options{Observed: true}, "5h", "5h", 0, 2},
		{Options{Observed: true}, "15h", "15h", 1, 3},
		{Options{Observed: true}, "20h", "20h", 2, 3},
	}
	for _, test := range tests {
		first, last := newOf(t, rows, test.o).histories[0].inForce(at(t, test.from), at(t, test.to))
		if first != test.first || last != test.last {
			t.Errorf("%+v from %s to %s: %d:%d, want %d:%d", test.o, test.from, test.to, first, last, test.first, test.last)
		}
	}
	for moment, want := range map[string][2]int{"9h58m59s": {0, 1}, "9h59m": {0, 2}, "10h59s": {0, 2}, "10h1m": {1, 2}} {
		if first, last := newOf(t, rows, Options{}).InForce(0, at(t, moment)); first != want[0] || last != want[1] {
			t.Errorf("at %s: %d:%d, want %v", moment, first, last, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	tests := []struct {
		name, rows string
		o          Options
		want       string
	}{
		{"a window of less than a day", "a 0h 200 A", Options{Window: 24*time.Hour - 1}, "a window of 23h59m59.999999999s is less than the 24h0m0s for which a copy may be kept"},
		{"no rows", "", Options{}, "no robots.txt in the source"},
		{"a second row", "a 1h 200 A; a 0h 200 A; a 1h 404", Options{}, "row 3: second row for http://a at 2026-11-01T01:00:00Z, the first is row 1"},
		{"a host that is not in the source", "a 0h 200 A", Options{Hosts: []origin.Origin{{Scheme: "https", Host: "b", Port: 443}}}, "no robots.txt of https://b in the source"},
	}
	for _, test := range tests {
		if _, err := New(rowsOf(t, test.rows), test.o); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

// TestThousandsOfVersions: whatever they are, a table of them is made in time and
// memory that grow with them, or there is an error.
func TestThousandsOfVersions(t *testing.T) {
	n := 10000
	if testing.Short() {
		n = 1000
	}
	kinds := []struct {
		name string
		step time.Duration
		row  func(i int, r *Row)
	}{
		{"bodies, all in one window", time.Second, func(i int, r *Row) {}},
		{"bodies and failures, each outage within the window of the next", time.Hour, func(i int, r *Row) {
			if i%2 == 1 {
				r.Status = 503
			}
		}},
		{"the same, all in one window", time.Second, func(i int, r *Row) {
			if i%2 == 1 {
				r.Status = 503
			}
		}},
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
		for _, observed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, observed %v", kind.name, observed), func(t *testing.T) {
				rows := make([]Row, n)
				for i := range rows {
					rows[i] = Row{Origins: []origin.Origin{{Scheme: "http", Host: "a", Port: 80}}, From: epoch + int64(i)*int64(kind.step),
						Status: 200, Body: []byte(fmt.Sprint(i))}
					kind.row(i, &rows[i])
				}
				p, err := New(rows, Options{Observed: observed})
				if err != nil {
					t.Fatal(err)
				}
				p.Lawful(0, rows[n-1].From, false)
			})
		}
	}
}

// TestCrowd: what cannot be made in time is refused.
func TestCrowd(t *testing.T) {
	p := newOf(t, "a 0h 200 A; a 1h 200 B", Options{})
	spent := &scratch{looked: maxLooked}
	if _, err := newTable(p.histories[0], answer.Others, spent); !errors.Is(err, errCrowded) {
		t.Errorf("error %v", err)
	}
	s := &scratch{listed: maxListed}
	var numbers set
	numbers.empty(200)
	numbers.add(3, 4, 5)
	if list, err := s.list(&numbers); err != nil || !slices.Equal(list, []int32{3, 4, 5}) {
		t.Errorf("numbers without gaps: %v, %v", list, err)
	}
	numbers.add(130)
	if _, err := s.list(&numbers); !errors.Is(err, errCrowded) {
		t.Errorf("numbers with gaps: error %v", err)
	}
}

// TestSet: numbers come out as they went in, with gaps and without.
func TestSet(t *testing.T) {
	var s scratch
	var numbers set
	for first := range int32(20) {
		for last := first; last < 30; last++ {
			numbers.empty(30)
			var run []int32
			for n := first; n <= last; n++ {
				run = append(run, n)
			}
			numbers.add(run...)
			if list, _ := s.list(&numbers); !slices.Equal(list, run) {
				t.Fatalf("from %d to %d: %v", first, last, list)
			}
		}
	}
	for _, want := range [][]int32{{0, 63, 64, 70, 127, 128, 199}, {5, 7}, nil, {198}} {
		numbers.empty(200)
		numbers.add(want...)
		if list, _ := s.list(&numbers); !slices.Equal(list, want) {
			t.Errorf("%v with gaps: %v", want, list)
		}
	}
}

// TestManyOriginsToOneOfManyVersions: the product of both is refused.
func TestManyOriginsToOneOfManyVersions(t *testing.T) {
	var rows []Row
	for i := range 3000 {
		rows = append(rows,
			Row{Origins: []origin.Origin{{Scheme: "http", Host: "b", Port: 80}}, From: epoch + int64(i)*int64(48*time.Hour), Status: 404},
			Row{Origins: []origin.Origin{{Scheme: "http", Host: fmt.Sprint("a", i), Port: 80}}, From: epoch, Status: 301, Location: "http://b/robots.txt"})
	}
	if _, err := New(rows, Options{}); err == nil || !strings.Contains(err.Error(), errRedirects.Error()) {
		t.Errorf("error %v", err)
	}
}

func TestGuardLawfulDoesNotAllocate(t *testing.T) {
	p := newOf(t, "a 0h 200 A; a 50h 503; a 60h 301 >http://b/robots.txt; a 70h 404; b 0h 200 B", Options{})
	moments := []int64{MinTime, at(t, "-1h"), at(t, "55h"), at(t, "65h"), at(t, "1000h"), forever}
	o := origin.Origin{Host: "a"}
	n := testing.AllocsPerRun(100, func() {
		site, _ := p.Site(o)
		for _, m := range moments {
			p.Lawful(site.First, m, true)
			p.Lawful(site.First, m, false)
			p.InForce(site.First, m)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkLawful(b *testing.B) {
	var rows strings.Builder
	for i := range 300 {
		fmt.Fprintf(&rows, "a %dh 200 B%d;", i*72, i%7)
	}
	p := newOf(b, rows.String(), Options{})
	b.ReportAllocs()
	for i := range b.N {
		if p.Lawful(0, epoch+int64(i%300)*int64(72*time.Hour), false).Cited < 0 {
			b.Fatal("nothing is cited")
		}
	}
}
