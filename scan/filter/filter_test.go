package filter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/test/cases"
	"github.com/robotsieve/robotsieve/scan/source"
)

// siteBody is the robots.txt of one site: it disallows /p and what ends in .pdf.
const siteBody = "user-agent: *\ndisallow: /p\ndisallow: /*.pdf$\nallow: /p/ok\n"

func oneSite(d automaton.Dialect) []Rules { return []Rules{rulesOf(d, siteBody)} }

var one = dialects[:1] // of one agent, which reads as RFC 9309 says

func TestKeptLinesAreUnchanged(t *testing.T) {
	disallowed, invalid := func(c *Config) { c.Disallowed = true }, func(c *Config) { c.Invalid = true }
	for _, c := range []struct {
		in, out, count string
		change         func(*Config)
	}{
		{"http://a/\nhttps://b/x\n", "http://a/\nhttps://b/x\n", "allowed 2", nil},
		{"http://a/1\nhttp://a/p\nhttp://a/2\nhttp://a/p/x\nhttp://a/p/ok\n",
			"http://a/1\nhttp://a/2\nhttp://a/p/ok\n", "allowed 3, disallowed 2", nil},
		{"http://a/p\nhttp://a/", "http://a/\n", "allowed 1, disallowed 1", nil},
		{"http://a/\nhttp://a/p", "http://a/\n", "allowed 1, disallowed 1", nil},
		{"http://a/x.pdf\r\nhttp://a/x\r\n", "http://a/x\r\n", "allowed 1, disallowed 1", nil},
		{"http://a/\r", "http://a/\r\n", "allowed 1", nil},
		{"\ufeffhttp://a/\n\ufeffhttp://a/\n", "\ufeffhttp://a/\n\ufeffhttp://a/\n", "allowed 2", nil},
		{"\ufeff", "", "blank 1", nil},
		{"/x?y\n/p/\n//p\n", "/x?y\n//p\n", "allowed 2, disallowed 1", nil},
		{"http://a/1\nhttp://a/p\nfoo\n", "http://a/p\n", "allowed 1, disallowed 1, not_absolute 1", disallowed},
		{"http://a/p\n\nfoo\r\nhttp://a/\n", "\nfoo\r\nhttp://a/\n", "allowed 1, disallowed 1, blank 1, not_absolute 1",
			invalid},
	} {
		config := Config{Dialects: one, Site: oneSite(automaton.RFC9309)}
		if c.change != nil {
			c.change(&config)
		}
		out, s := filtered(t, config, 1, onDisk(t, "urls.txt", c.in))
		if got := describe(s.Count); out != c.out || got != c.count {
			t.Errorf("%q: printed %q, counted %s; want %q and %s", c.in, out, got, c.out, c.count)
		}
		if want := int64(strings.Count("\n"+c.in, "\n//")); s.Slashed != want {
			t.Errorf("%q: %d lines with two slashes, want %d", c.in, s.Slashed, want)
		}
		if want, count := expect(config, siteBody, nil, c.in); want != c.out || describe(count) != c.count {
			t.Errorf("%q: the naive reading prints %q, counts %s", c.in, want, describe(count))
		}
	}
}

// someWeb has origins that differ in their scheme, host and port alone.
var (
	someBodies = map[string]string{
		"http://a.example":        "user-agent: *\ndisallow: /http",
		"https://a.example":       "user-agent: *\ndisallow: /https",
		"https://a.example:8443":  "user-agent: *\ndisallow: /port",
		"https://b.example":       "user-agent: foobot\ndisallow: /*x\n\nuser-agent: *\ndisallow: /",
		"ftp://a.example":         "user-agent: *\ndisallow: /ftp",
		"https://münchen.example": "user-agent: *\ndisallow: /m",
		"http://192.0.2.1":        "user-agent: *\ndisallow: /ip",
		"http://[2001:db8::1]":    "user-agent: *\ndisallow: /ip6",
		"http://semi;colon":       "user-agent: *\ndisallow: /;colon\ndisallow: /s",
	}
	someStatus = map[string]int{"https://down.example": 503, "https://gone.example": 404}
)

func TestClasses(t *testing.T) {
	w := newWeb(t, automaton.RFC9309, someBodies, someStatus)
	class := func(name string) Class { return Class(slices.Index(classNames[:], name)) }
	long := []string{"http://" + strings.Repeat("a", 1500), "bad_host", "bad_host"}
	for _, row := range append(cases.Rows(t, "classes.txt"), long) {
		url, byOwn, bySite := row[0], class(row[1]), class(row[2]) // by the robots.txt of its own origin, and by siteBody
		for range 2 {                                              // the second time from memory
			list := url + "\n" + url + "\n"
			_, many := filtered(t, Config{Dialects: one, Policy: w}, 1, memory(list))
			if many.Count[byOwn] != 2 {
				t.Errorf("%q by its own robots.txt: %s, want %s", url, describe(many.Count), byOwn)
			}
			_, one := filtered(t, Config{Dialects: one, Site: oneSite(automaton.RFC9309)}, 1, memory(list))
			if one.Count[bySite] != 2 {
				t.Errorf("%q by one robots.txt: %s, want %s", url, describe(one.Count), bySite)
			}
		}
	}
}

// pieces are what random lines are made of.
var pieces = []string{
	"http://a.example", "https://a.example", "https://b.example", "https://nowhere.example", "https://down.example",
	"https://gone.example",
	"http://semi;colon", "HTTPS://A.EXAMPLE:443", "https://a.example:8443", "https://münchen.example",
	"http://192.0.2.1", "gopher://x",
	"http://a..b", "http://" + strings.Repeat("sub.", 25) + "a.example", "", " ", "\t", "http://", "a.example",
	"/", "/p", "/p/ok", "/http", "/https", "/port", "/x", ".pdf", "?", "#", ";", ";colon", "%7E", "%2f", "ä", "\xff",
	"\x00", "\r", "*", "$", "/robots.txt",
}

// randomList returns lines of which most are URLs, grouped by host now and then.
func randomList(rng *rand.Rand, lines int) string {
	var b strings.Builder
	if rng.IntN(4) == 0 {
		b.WriteString("\ufeff")
	}
	host := ""
	for range lines {
		if rng.IntN(3) == 0 {
			host = pieces[rng.IntN(len(pieces))]
		}
		b.WriteString(host)
		for range rng.IntN(4) {
			b.WriteString(pieces[12+rng.IntN(len(pieces)-12)])
		}
		b.WriteString([]string{"\n", "\n", "\n", "\r\n"}[rng.IntN(4)])
	}
	return strings.TrimSuffix(b.String(), []string{"", "\n"}[rng.IntN(2)])
}

// configs are all ways to filter.
func configs(d automaton.Dialect, w *web) []Config {
	var list []Config
	for i := range 16 {
		c := Config{Dialects: []automaton.Dialect{d}, Disallowed: i&1 != 0, NoPolicy: i&2 != 0, Invalid: i&4 != 0,
			Site: oneSite(d)}
		if i&8 != 0 {
			c.Site, c.Policy = nil, w
		}
		list = append(list, c)
	}
	return list
}

// TestOutputIsThatOfTheNaiveReading checks random lists against a naive reading, in several inputs of several
// kinds, with any number of workers.
func TestOutputIsThatOfTheNaiveReading(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	lines := 150
	if testing.Short() {
		lines = 60
	}
	for _, d := range dialects {
		w := newWeb(t, d, someBodies, someStatus)
		for i, c := range configs(d, w) {
			texts := []string{randomList(rng, lines), randomList(rng, lines/2), "", randomList(rng, 3), randomList(rng, lines)}
			byWeb := w
			if c.Site != nil {
				byWeb = nil
			}
			want, count := expect(c, siteBody, byWeb, texts...)
			for _, workers := range []int{1, 2, 16} {
				out, s := filtered(t, c, workers, onDisk(t, "1.txt", texts[0]), onDisk(t, "2.gz", texts[1]),
					onDisk(t, "3.txt", texts[2]), memory(texts[3]), onDisk(t, "5.txt", texts[4]))
				if s.Count != count || out != want {
					t.Errorf("%s, config %d, %d workers: %d bytes printed, want %d; %s, want %s", d, i, workers, len(out),
						len(want), describe(s.Count), describe(count))
				}
			}
		}
	}
}

func FuzzRun(f *testing.F) {
	f.Add([]byte("http://a.example/http\nhttps://b.example?x\r\n\n/p\nhttp://semi;colon/s"), uint8(0), uint8(0))
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 8 {
		f.Add([]byte(randomList(rng, 20)), uint8(i), uint8(i))
	}
	webs := map[automaton.Dialect]*web{}
	for _, d := range dialects {
		webs[d] = newWeb(f, d, someBodies, someStatus)
	}
	f.Fuzz(func(t *testing.T, list []byte, dialect, how uint8) {
		for line := range bytes.Lines(list) {
			if len(line) > 1500 {
				return // too long to be kept, which expect knows nothing of
			}
		}
		d := dialects[int(dialect)%len(dialects)]
		c := configs(d, webs[d])[how%16]
		byWeb := webs[d]
		if c.Site != nil {
			byWeb = nil
		}
		want, count := expect(c, siteBody, byWeb, string(list))
		out, s := filtered(t, c, 2, source.NewInput("-", plainReader{bytes.NewReader(list)}, -1))
		if out != want || s.Count != count {
			t.Errorf("%q printed, %s; want %q, %s", out, describe(s.Count), want, describe(count))
		}
	})
}

// plainReader hides what a reader can do beyond Read.
type plainReader struct{ r *bytes.Reader }

func (p plainReader) Read(b []byte) (int, error) { return p.r.Read(b) }

func TestALineTooLongIsCountedAndNeverPrinted(t *testing.T) {
	long := "http://a/" + strings.Repeat("x", 5000)
	list := "http://a/1\n" + long + "\nhttp://a/2\n" + long
	for _, workers := range []int{1, 4} {
		for name, in := range map[string]*source.Input{"file": onDisk(t, "a", list), "stream": memory(list)} {
			out, s := filtered(t, Config{Dialects: one, Site: oneSite(automaton.RFC9309), Invalid: true, Quotes: 5}, workers, in)
			if out != "http://a/1\nhttp://a/2\n" || describe(s.Count) != "allowed 2, too_long 2" {
				t.Errorf("%s: printed %d bytes, %s", name, len(out), describe(s.Count))
			}
			if len(s.Quotes) != 2 || s.Quotes[0].Line != 2 || s.Quotes[1].Line != 4 || len(s.Quotes[1].Text) != 200 {
				t.Errorf("%s: %+v", name, s.Quotes)
			}
		}
	}
}

// TestALineCutOffIsNoURL checks that the rest of a line whose input breaks off is not taken for a URL.
func TestALineCutOffIsNoURL(t *testing.T) {
	zipped := source.AppendMember(nil, []byte(strings.Repeat("http://a.example/some/path/that/is/long\n", 50)+
		randomList(rand.New(rand.NewPCG(1, 1)), 2000)))
	for cut := 100; cut < 2000; cut += 190 {
		in := source.NewInput("a.gz", plainReader{bytes.NewReader(zipped[:len(zipped)-cut])}, -1)
		out, s := filtered(t, Config{Dialects: one, Site: make([]Rules, 1)}, 2, in)
		if n := s.Count[CutOff]; n > 1 || s.Read < 50 || out == "" {
			t.Errorf("%d bytes cut: %s", cut, describe(s.Count))
		} else if n == 1 {
			return
		}
	}
	t.Error("no cut was within a line")
}

func TestQuotesAreTheFirstInvalidLines(t *testing.T) {
	first := strings.Repeat("http://a/\n", 500) + "bad 1\nhttp://a/\n\nbad 2"
	second := "http://a/\n" + strings.Repeat("bad 3\x1b\n", 1000)
	var want []Quote
	for _, workers := range []int{1, 2, 16} {
		_, s := filtered(t, Config{Dialects: one, Site: make([]Rules, 1), Quotes: 5}, workers, onDisk(t, "a", first),
			onDisk(t, "b.gz", second))
		want = []Quote{
			{0, 501, NotAbsolute, []byte("bad 1")}, {0, 503, Blank, []byte("")}, {0, 504, NotAbsolute, []byte("bad 2")},
			{1, 2, NotAbsolute, []byte("bad 3\x1b")}, {1, 3, NotAbsolute, []byte("bad 3\x1b")},
		}
		if fmt.Sprint(s.Quotes) != fmt.Sprint(want) {
			t.Errorf("%d workers: %v, want %v", workers, s.Quotes, want)
		}
	}
}

// broken is a policy that fails for one host.
type broken struct{ *web }

var errDamaged = errors.New("ruleset is damaged")

func (b broken) Find(q Query, rules []Rules) (Span, bool, error) {
	if q.Origin.Host == "broken.example" {
		return Span{}, false, errDamaged
	}
	return b.web.Find(q, rules)
}

func TestAnErrorOfThePolicyEndsTheFiltering(t *testing.T) {
	w := newWeb(t, automaton.RFC9309, someBodies, someStatus)
	good := strings.Repeat("http://a.example/\n", 1000)
	for _, workers := range []int{1, 4} {
		var out bytes.Buffer
		r := source.NewReader([]*source.Input{memory(good + "https://broken.example/\n" + good)},
			source.Options{ChunkSize: 300, InOrder: true, Workers: workers})
		s, err := Run(context.Background(), r, workers, Config{Dialects: one, Policy: broken{w}}, &out)
		if !errors.Is(err, errDamaged) || !strings.Contains(err.Error(), "https://broken.example") {
			t.Fatalf("error %v", err)
		}
		checkSums(t, s, out.String())
		if s.Read < 900 || s.Read > 1000 || !strings.HasPrefix(good, out.String()) {
			t.Errorf("%d lines read, %d bytes printed", s.Read, out.Len())
		}
	}
}

// full is a disk with no more room after some bytes.
type full struct{ room int }

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestAFailingOutputEndsTheFiltering(t *testing.T) {
	list := strings.Repeat("http://a.example/\n", 10_000)
	r := source.NewReader([]*source.Input{memory(list)}, source.Options{ChunkSize: 300, InOrder: true, Workers: 4})
	s, err := Run(context.Background(), r, 4, Config{Dialects: one, Site: make([]Rules, 1)}, &full{room: 5000})
	if !errors.Is(err, errFull) || s.Read == 0 || s.Read > 5000/18 {
		t.Errorf("error %v after %d lines", err, s.Read)
	}
}

// TestGuardAllocs checks that lines of all kinds allocate nothing once their hosts are known.
func TestGuardAllocs(t *testing.T) {
	var odd, ordinary strings.Builder
	for _, host := range pieces {
		if len(host) > 50 {
			continue // longer than what is remembered
		}
		for _, rest := range pieces {
			if rest == "" || strings.ContainsAny(rest[:1], "/?#") {
				odd.WriteString(host + rest + "\n")
			}
		}
	}
	for i := range 800 {
		fmt.Fprintf(&ordinary, "https://h%d.example/%d/p?x#y\n", i%700, i)
	}
	for _, d := range dialects {
		w := newWeb(t, d, someBodies, someStatus)
		for i, c := range configs(d, w) {
			for _, text := range []string{odd.String(), ordinary.String()} {
				if n := leastAllocs(&c, text); n > 0 {
					t.Errorf("%s, config %d: %v allocations for %d lines such as %.40q", d, i, n, strings.Count(text, "\n"), text)
				}
			}
		}
	}
}

// leastAllocs returns how often a worker allocates for a chunk that it has seen. It is the least of several workers:
// two hosts may have the same slot in one of them, and are then looked up each time, but hardly in each.
func leastAllocs(c *Config, text string) float64 {
	least := math.Inf(1)
	for range 5 {
		free := new(sync.Pool)
		worker := newWorker(c, new(atomic.Bool), free)
		chunk := &source.Chunk{Data: make([]byte, len(text))}
		least = min(least, testing.AllocsPerRun(10, func() {
			copy(chunk.Data, text)
			if used := worker.chunk(chunk, func() bool { return false }).buffer; used != nil {
				free.Put(used)
			}
		}))
	}
	return least
}

func TestGuardSizeOfASlot(t *testing.T) {
	if size := unsafe.Sizeof(slot{}); size > 128 {
		t.Errorf("a slot has %d bytes", size)
	}
}

// counting is a policy that counts how often it was asked, and how often with busy.
type counting struct {
	*web
	asked, busy *int
}

func (c counting) Find(q Query, rules []Rules) (Span, bool, error) {
	*c.asked++
	if q.Busy {
		*c.busy++
	}
	return c.web.Find(q, rules)
}

// TestThePolicyIsAskedAgain checks that the policy is asked again, once, about a site with many URLs.
func TestThePolicyIsAskedAgain(t *testing.T) {
	w := newWeb(t, automaton.RFC9309, someBodies, someStatus)
	for _, c := range []struct{ lines, asked, busy int }{{127, 1, 0}, {128, 2, 1}, {1000, 2, 1}} {
		asked, busy := 0, 0
		lines := strings.Repeat("http://a.example/x\n", c.lines)
		r := source.NewReader([]*source.Input{memory(lines)}, source.Options{InOrder: true, Workers: 1})
		if _, err := Run(context.Background(), r, 1, Config{Dialects: one, Policy: counting{w, &asked, &busy}},
			io.Discard); err != nil {
			t.Fatal(err)
		}
		if asked != c.asked || busy != c.busy {
			t.Errorf("%d lines: asked %d times, %d with busy, want %d and %d", c.lines, asked, busy, c.asked, c.busy)
		}
	}
}
