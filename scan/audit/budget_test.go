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
				w.Chunk(f, nil, []byte(line(i).String()+"\n"))
				if i%10_000 == 9999 || i == 3999 {
					most = max(most, heap()-before)
				}
			}
			if tables := 2 << 20; most > w.quota.limit+tables+int(run.budget.records) {
				t.Errorf("%d bytes", most)
			}
			resultOf(t, run)
		})
	}
}
