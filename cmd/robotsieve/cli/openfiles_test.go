package cli

import (
	"archive/tar"
	"bytes"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// TestTooManyOpenFiles: a file that cannot be opened for a while is neither called a pipe, nor read as what it is not, nor counted twice.
func TestTooManyOpenFiles(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	line := `192.0.2.1 - - [01/Nov/2026:00:00:00 +0000] "GET /p HTTP/1.1" 200 5 "-" "GPTBot/1.0"` + "\n"
	other := strings.ReplaceAll(line, "/p", "/q")
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	if err := w.WriteHeader(&tar.Header{Name: "c.log", Size: int64(len(other)), Mode: 0o600}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(other)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	a, b := file(t, "a.log", line), file(t, "b.log", line)
	archive := file(t, "c.tar", packed.String())
	failures := 0
	for first := 1; first <= 8; first++ { // the first opening of b.log and of the archive that fails
		for _, times := range []int{1, 100} {
			var mu sync.Mutex
			opened := map[string]int{}
			restore := disk.Inject(func(op disk.Op, name string) error {
				mu.Lock()
				defer mu.Unlock()
				base := filepath.Base(name)
				if op != disk.OpOpen || base != "b.log" && base != "c.tar" {
					return nil
				}
				if opened[base]++; opened[base] >= first && opened[base] < first+times {
					return syscall.EMFILE
				}
				return nil
			})
			r := command(t, "", "audit", "--robots", robots, "--output", "json", "--workers", "1", a, b, archive)
			restore()
			if strings.Contains(r.err, "pipe") || strings.Contains(r.err, "decompress") {
				t.Errorf("from opening %d, %d times: %s", first, times, r.err)
			}
			complete := r.code == exitDone
			if !complete {
				failures++
			}
			if r.code != exitDone && r.code != exitInput || !complete && !strings.Contains(r.err, "too many open files") {
				t.Errorf("from opening %d, %d times: code %d, %s", first, times, r.code, r.err)
			}
			if report := auditJSON(t, r); complete && report["lines"] != 2.0 || report["lines"].(float64) > 2 {
				t.Errorf("from opening %d, %d times: code %d, %v lines, want 2: %s", first, times, r.code, report["lines"], r.err)
			}
		}
	}
	if failures == 0 {
		t.Error("nothing failed")
	}
}
