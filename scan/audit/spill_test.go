package audit

import (
	"fmt"
	"math/rand/v2"
	"os"
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
	if err := run.gather(); err != nil {
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
