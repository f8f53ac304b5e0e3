package capture_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// site is a capture of the i-th origin.
func site(i int, body []byte) capture.Capture {
	host := fmt.Sprintf("host-%d.example", i)
	return capture.Capture{Origins: []origin.Origin{{Scheme: "https", Host: host, Port: 443}}, Status: 200, Body: body}
}

// live returns the bytes in use.
func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestSetTakesBoundedMemory has many origins, with redirects, with replaced captures, with small,
// large and shared bodies. All of them must be returned.
func TestSetTakesBoundedMemory(t *testing.T) {
	const memory = 3 << 20
	padding := bytes.Repeat([]byte("a"), 500_000)
	redirect := func(i, origins int) capture.Capture {
		c := site(i%origins, nil)
		c.Status, c.Location = 301, fmt.Sprintf("/%d%s", i, strings.Repeat("x", i%1000))
		return c
	}
	for name, made := range map[string]struct {
		captures int
		of       func(i int) capture.Capture
	}{
		"origins": {30_000, func(i int) capture.Capture { return site(i, nil) }},
		"long": {30_000, func(i int) capture.Capture {
			c := site(i, nil)
			c.Origins[0].Host += strings.Repeat(".long", i%40)
			return c
		}},
		"redirects":    {30_000, func(i int) capture.Capture { return redirect(i, 30_000) }},
		"replaced":     {30_000, func(i int) capture.Capture { return redirect(i, 100) }},
		"bodies":       {30_000, func(i int) capture.Capture { return site(i, fmt.Append(nil, i, " ")) }},
		"large bodies": {100, func(i int) capture.Capture { return site(i, fmt.Append(nil, i, " ", string(padding))) }},
	} {
		set := &capture.Set{Memory: memory}
		before := live()
		for i := range made.captures {
			add(t, set, made.of(i))
		}
		gathered, read, uses := live()-before, int64(0), 0
		for c, err := range set.Copies(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if uses == 0 {
				read = live() - before
			}
			uses += len(c.Uses)
			var i int
			if fmt.Sscanf(c.Uses[0].Key, "https://host-%d.", &i); len(c.Body) > 0 &&
				!bytes.Equal(c.Body, made.of(i).Body) {
				t.Fatalf("%s: %s has the body %.10q", name, c.Uses[0].Key, c.Body)
			}
		}
		if most := max(gathered, read); most > memory*11/10 {
			t.Errorf("%s: %d bytes instead of %d", name, most, memory)
		}
		if uses != set.Len() || uses+set.Replaced() != made.captures {
			t.Errorf("%s: %d uses, %d origins, %d captures replaced", name, uses, set.Len(), set.Replaced())
		}
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	}
}

// twin is a slow Set that is easy to understand.
type twin struct {
	captures []capture.Capture // of one URL each
	all      bool
}

// of returns the captures of a URL, the newest first.
func (w twin) of(url string) (list []capture.Capture) {
	for _, c := range slices.Backward(w.captures) {
		if urlOf(c) == url {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(x, y capture.Capture) int {
		if x.Time.IsZero() || y.Time.IsZero() {
			return cmp.Compare(asInt(y.Time.IsZero()), asInt(x.Time.IsZero()))
		}
		return y.Time.Compare(x.Time)
	})
	failed := func(c capture.Capture) int { // while a robots.txt fails, the last copy counts
		return asInt((!w.all || c.Time.IsZero()) && answer.Of(int(c.Status), answer.Archive) == answer.Failed)
	}
	slices.SortStableFunc(list, func(x, y capture.Capture) int { return failed(x) - failed(y) })
	if len(list) > 0 && (!w.all || list[0].Time.IsZero()) {
		return list[:1]
	}
	list = slices.DeleteFunc(list, func(c capture.Capture) bool { return c.Time.IsZero() })
	return slices.CompactFunc(list, func(x, y capture.Capture) bool { return x.Time.Unix() == y.Time.Unix() })
}

func asInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func urlOf(c capture.Capture) string {
	return string(c.Origins[0].AppendKey(nil)) + strings.TrimPrefix(c.Path, answer.RobotsPath)
}

// follow returns the status and the body at the end of the redirects of a capture, and where these
// lead but to a robots.txt.
func (w twin) follow(c capture.Capture) (status uint16, body string, via []string) {
	end := c
	for range 21 {
		if answer.Of(int(end.Status), answer.Archive) != answer.Redirect {
			if answer.Of(int(end.Status), answer.Archive) != answer.File {
				return end.Status, "none", via
			}
			return end.Status, fmt.Sprintf("%q", end.Body), via
		}
		to, ok := answer.Resolve(answer.Target{Origin: end.Origins[0], Path: cmp.Or(end.Path, answer.RobotsPath)},
			end.Location)
		url := urlOf(capture.Capture{Origins: []origin.Origin{to.Origin}, Path: to.Path})
		if to.Path != answer.RobotsPath && len(via) < 5 {
			via = append(via, url)
		}
		list := w.of(url)
		if !ok || len(list) == 0 {
			break
		}
		end = list[0]
		for _, other := range list {
			if gap(other, c) < gap(end, c) && !c.Time.IsZero() && !end.Time.IsZero() {
				end = other
			}
		}
	}
	return c.Status, "none", via
}

// gap returns how many seconds are between two captures.
func gap(x, y capture.Capture) int64 {
	return max(x.Time.Unix()-y.Time.Unix(), y.Time.Unix()-x.Time.Unix())
}

// text writes what a set of the captures has to hold.
func (w twin) text() string {
	seen, lines := map[string]bool{}, []string{}
	for _, c := range w.captures {
		if url := urlOf(c); c.Path == "" && !seen[url] {
			seen[url] = true
			for _, version := range w.of(url) {
				status, body, via := w.follow(version)
				at := version.Time
				if !w.all { // the only version is in force at any time
					at = time.Time{}
				}
				lines = append(lines, line(url, at, status, body, via))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func line(key string, at time.Time, status uint16, body string, via []string) string {
	from := int64(math.MinInt64)
	if !at.IsZero() {
		from = at.Unix()
	}
	return fmt.Sprintf("%s %d %d %s %v", key, from, status, body, via)
}

// TestSetAsItsTwin compares sets of random dated captures, with redirects to each other, with a naive implementation.
func TestSetAsItsTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	hosts := []string{"a", "b", "c", "long-name"}
	url := func() string { return "http://" + hosts[r.IntN(len(hosts))] + []string{"", "/r", "/s"}[r.IntN(3)] }
	for range 2_000 {
		w := twin{all: r.IntN(2) == 0}
		set := &capture.Set{Memory: 1 << 20, AllVersions: w.all}
		for range 1 + r.IntN(20) {
			at, _ := answer.Resolve(answer.Target{}, url())
			c := capture.Capture{Origins: []origin.Origin{at.Origin}, Path: strings.TrimSuffix(at.Path, "/"),
				Status: 200}
			switch r.IntN(3) {
			case 0:
				c.Status, c.Location = 301, url()
				if !strings.Contains(c.Location[7:], "/") {
					c.Location += "/robots.txt"
				}
			case 1:
				c.Status = []uint16{404, 503}[r.IntN(2)]
			default:
				c.Body = []byte(fmt.Sprint(r.IntN(4)))
			}
			if r.IntN(8) > 0 {
				c.Time = time.Unix(int64(r.IntN(6)-3), int64(r.IntN(2))).UTC()
			}
			w.captures = append(w.captures, c)
			add(t, set, c)
		}
		var lines []string
		for c, err := range set.Copies(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			body := "none"
			if c.Body != nil {
				body = fmt.Sprintf("%q", c.Body)
			}
			for _, use := range c.Uses {
				at := time.Time{}
				if use.From != math.MinInt64 {
					at = time.Unix(use.From, 0)
				}
				lines = append(lines, line(use.Key, at, use.Status, body, use.Via))
			}
		}
		if err := set.Close(); err != nil {
			t.Fatal(err)
		}
		slices.Sort(lines)
		if got, want := strings.Join(lines, "\n"), w.text(); got != want {
			t.Fatalf("all %v, of\n%s\ngot\n%s\nwant\n%s", w.all, listing(w.captures), got, want)
		}
	}
}

func listing(captures []capture.Capture) string {
	var b strings.Builder
	for _, c := range captures {
		fmt.Fprintln(&b, c.Time.Unix(), text(c))
	}
	return b.String()
}

// TestWantsForgetsWhenItsMemoryIsFull checks that it uses bounded memory for any number of redirect targets.
func TestWantsForgetsWhenItsMemoryIsFull(t *testing.T) {
	set := capture.Set{Memory: 3 << 20}
	o := mustParse(t, "http://a")
	wants := func(i int) bool { return set.Wants(answer.Target{Origin: o[0], Path: fmt.Sprintf("/%d", i)}) }
	const n = 10_000
	for i := range n {
		add(t, &set, capture.Capture{Origins: o, Status: 301, Location: fmt.Sprintf("/%d", i)})
	}
	if !wants(0) || !wants(1_000) || wants(n-1) {
		t.Errorf("the first is wanted: %v; the last: %v", wants(0), wants(n-1))
	}
	if err := set.Close(); err != nil {
		t.Error(err)
	}
}
