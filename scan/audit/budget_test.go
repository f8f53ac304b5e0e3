package audit

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// heap is how many bytes live on the heap.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// What a worker remembers is charged in full: with room for 4 MB it takes no more than that
// and its tables, whatever is distinct in the lines.
func TestQuotaIsEnough(t *testing.T) {
	long := strings.Repeat("x", 7900)
	for name, line := range map[string]func(i int) entry{
		"names":    func(i int) entry { return entry{agent: fmt.Sprintf("Name%d-Bot/1.0", i), target: "/private/"} },
		"headers":  func(i int) entry { return entry{agent: fmt.Sprintf("GPTBot/1.%d", i), target: "/private/"} },
		"8 KB":     func(i int) entry { return entry{agent: fmt.Sprintf("Name%dbot%s", i, long), target: "/private/"} },
		"browsers": func(i int) entry { return entry{agent: fmt.Sprintf("Firefox/%d %s", i, long[:1000])} },
		"rivals":   func(i int) entry { return entry{agent: fmt.Sprintf("GPTBot Googlebot bingbot Bytespider/%d", i)} },
		"statuses": func(i int) entry {
			return entry{agent: fmt.Sprintf("Name%d-Bot", i/900), target: "/robots.txt", status: fmt.Sprint(100 + i%900)}
		},
		"paths": func(i int) entry {
			return entry{agent: fmt.Sprintf("Name%d-Bot", i/150), target: fmt.Sprintf("/%d/%s", i, long[:i%maxPath])}
		},
		"hosts":   func(i int) entry { return entry{vhost: fmt.Sprintf("h%d.example", i)} },
		"targets": func(i int) entry { return entry{target: fmt.Sprintf("http://h%d.example/", i)} },
	} {
		t.Run(name, func(t *testing.T) {
			format, hosts := "combined", []string{"http://example.com"}
			if name == "hosts" {
				format = "vhost_combined"
			}
			a := newAuditor(t, robotsTxtBody, hosts...)
			a.config.Memory = 1 << 20
			run, f := begin(t, a), byName(t, format)
			w := run.Worker()
			w.quota.limit = 4 << 20
			before, most := heap(), 0
			for i := range 30_000 {
				if name == "8 KB" && i == 4000 {
					break
				}
				w.Chunk(f, []byte(line(i).String()+"\n"))
				if i%5000 == 4999 || i == 3999 {
					most = max(most, heap()-before)
				}
			}
			if tables := 2 << 20; most > w.quota.limit+tables+int(run.budget.records) {
				t.Errorf("%d bytes", most)
			}
			checkSums(t, report(t, run))
		})
	}
}

// Of any number of crawlers that share a name, no more is noted about what they were told
// than there is room for, and nothing is held against those beyond that.
func TestToldIsBounded(t *testing.T) {
	a := newAuditor(t, robotsTxtBody)
	f := newFacts(newAnswersToAll(a.config.Policy, nil))
	size := a.config.Policy.Versions(0)[0].Size
	for i := range 100_000 {
		x := &fetch{sender: sender{crawlerAt: crawlerAt{word: fmt.Sprintf("%d.example_bot", i)}}, t: moment(0) + int64(i),
			kind: toldFile, size: size}
		x.at.N = 1
		f.tell(x)
	}
	if n := len(f.rules); n < 1000 || n > f.mostTold/memoBytes+1 {
		t.Errorf("%d crawlers are noted", n)
	}
}

// Redirects that something may still follow are few, also if all fetches of a minute are
// redirected.
func TestRedirectsAreBounded(t *testing.T) {
	f := newFacts(newAnswersToAll(newAuditor(t, robotsTxtBody).config.Policy, nil))
	for i := range 3 * maxRedirects {
		x := &fetch{t: moment(0) + int64(i), kind: toldRedirect}
		x.at.N = 1
		f.add(x)
		if len(f.redirects) > maxRedirects {
			t.Fatalf("%d redirects", len(f.redirects))
		}
	}
	if !f.of(0).byKind[toldRedirect].meets(moment(0), moment(0)) {
		t.Error("the first is lost")
	}
}
