package audit

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Workers in goroutines with so little memory that they spill make the report of
// one worker with plenty. It is for the race detector too.
func TestWorkersThatSpillMakeOneReport(t *testing.T) {
	roomy := stateAuditor(t)
	config := roomy.config
	config.Memory, config.TempDir = 1<<20, t.TempDir()
	tight := New(config)
	lines := stateLog(rand.New(rand.NewPCG(4, 4)), 60_000)
	f := byName(t, "vhost_combined")
	want := marshal(t, auditText(t, roomy, "vhost_combined", strings.Join(lines, "\n")))
	run := begin(t, tight)
	var wg sync.WaitGroup
	const workers = 4
	for i := range workers {
		w := run.Worker()
		wg.Go(func() {
			for at := i * 100; at < len(lines); at += workers * 100 {
				w.Chunk(f, nil, []byte(strings.Join(lines[at:min(at+100, len(lines))], "\n")))
			}
		})
	}
	wg.Wait()
	if err := run.endWorkers(); err != nil {
		t.Fatal(err)
	}
	size := 0
	for r := range run.deferred.All() {
		size += len(r.Data)
	}
	if size < 2*int(config.Memory) {
		t.Fatalf("only %d bytes had to wait", size)
	}
	got := resultOf(t, run)
	if got := marshal(t, got); got != want {
		t.Error(firstDifference(got, want))
	}
	if left, _ := os.ReadDir(config.TempDir); len(left) > 0 {
		t.Errorf("files with names: %v", left)
	}
}

// What keeps a record from being kept is told, and there is no report.
func TestNoReportWhereRecordsCouldNotBeKept(t *testing.T) {
	config := stateAuditor(t).config
	config.Memory, config.TempDir = 1<<20, "no/such/folder"
	run := begin(t, New(config))
	w := run.Worker()
	f := byName(t, "vhost_combined")
	for i := 0; w.Err() == nil; i++ {
		if i > 1e6 {
			t.Fatal("no error")
		}
		w.Chunk(f, nil, []byte(entry{vhost: "example.com:443", target: fmt.Sprintf("/private/%d", i),
			time: at(i % day0)}.String()))
	}
	if !strings.Contains(w.Err().Error(), "no/such/folder") {
		t.Error(w.Err())
	}
	if r, err := run.Report(Inputs{}); err == nil || r != nil {
		t.Errorf("%v, %v", r, err)
	}
}

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
