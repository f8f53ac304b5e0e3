package job

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// Judged gets the number of each line in its input, whatever the chunks, the workers and the
// compression.
func TestJudgedLineNumbers(t *testing.T) {
	dir := t.TempDir()
	robots, log := filepath.Join(dir, "robots.txt"), filepath.Join(dir, "access.log")
	var text bytes.Buffer
	want := map[string]int64{}
	for i := range 40_000 {
		switch i % 7 {
		case 0:
			fmt.Fprintf(&text, "\n")
			continue
		case 3:
			if i%14000 == 3 {
				text.WriteString(strings.Repeat("x", 3<<20)) // longer than any line that is kept
			}
		}
		line := fmt.Sprintf(`192.0.2.1 - - [02/Mar/2026:10:00:00 +0000] "GET /p/%d HTTP/1.1" 200 5 "-" "GPTBot/1.2"`, i)
		if i%7 != 3 || i%14000 != 3 {
			want[line] = int64(i + 1)
		}
		text.WriteString(line + "\n")
	}
	if err := os.WriteFile(log, bytes.TrimSuffix(text.Bytes(), []byte("\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(robots, []byte("user-agent: *\ndisallow: /p/1"), 0o600); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	got := map[string]int64{}
	inputs := map[int]bool{}
	_, err := Audit(context.Background(), AuditOptions{
		Logs: Inputs{Names: []string{log}}, Robots: RobotsFile{Name: robots}, Workers: 4,
		Judged: func(j *audit.Judged) {
			mu.Lock()
			defer mu.Unlock()
			got[string(j.Line)] = j.Number
			inputs[j.Input] = true
		},
	})
	if err != nil || len(got) != len(want) || len(inputs) != 1 || !inputs[0] {
		t.Fatal(err, len(got), len(want), inputs)
	}
	for line, n := range want {
		if got[line] != n {
			t.Fatalf("%q is line %d, not %d", line, n, got[line])
		}
	}
}
