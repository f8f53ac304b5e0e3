package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// mixedLogs makes plain and compressed logs in turn, and returns their names.
func mixedLogs(t *testing.T, n int) (names []string) {
	t.Helper()
	var log, packed bytes.Buffer
	for i := range 9000 {
		fmt.Fprintf(&log, "192.0.2.1 - - [02/Mar/2026:10:00:00 +0000] \"GET /%s/%d HTTP/1.1\" 200 5 \"-\" \"GPTBot/1.2\"\n", []string{"a", "p"}[i%10/9], i)
	}
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(log.Bytes()); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i := range n {
		name := filepath.Join(dir, fmt.Sprintf("%03d.log", i))
		if err := os.WriteFile(name, [][]byte{log.Bytes(), packed.Bytes()}[i%2], 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// wide makes rows that are much longer than their lines, so that those of a chunk have no room.
func wide(to io.Writer, violations bool) *Rows {
	return &Rows{Violations: violations, To: to, Appender: func() func([]byte, *audit.Judged, string) []byte {
		return func(rows []byte, j *audit.Judged, input string) []byte {
			rows = fmt.Appendf(rows, "%s %d %s %s", filepath.Base(input), j.Number, j.Verdict, j.Target)
			return append(append(rows, strings.Repeat(".", 1000)...), '\n')
		}
	}}
}

// Rows come in the order of the input though they have no room to wait, from plain and compressed
// logs in turn, and no worker waits for ever.
func TestRowsWithoutRoomComeInOrder(t *testing.T) {
	robots := filepath.Join(t.TempDir(), "robots.txt")
	if err := os.WriteFile(robots, []byte("user-agent: *\ndisallow: /p/"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, most := 8, []int{2, 3, 8}
	if testing.Short() {
		n, most = 4, []int{3}
	}
	logs := mixedLogs(t, n)
	list := func(workers int, memory int64, violations bool) string {
		var b bytes.Buffer
		o := AuditOptions{Logs: Inputs{Names: logs}, Robots: RobotsFile{Name: robots}, Workers: workers, Memory: memory, AllowDuplicates: true, Rows: wide(&b, violations)}
		if a, err := Audit(context.Background(), o); err != nil || a.Report.Totals.Requests != int64(9000*n) {
			t.Fatal(err)
		}
		return b.String()
	}
	want, violations := list(1, 0, false), list(1, 0, true)
	for _, workers := range most {
		if list(workers, int64(workers)*workerBytes, false) != want || list(workers, 0, true) != violations {
			t.Errorf("with %d workers the rows differ", workers)
		}
	}
	lines := strings.SplitAfter(strings.TrimSuffix(want, "\n"), "\n")
	atOnce := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, " violation ") })
	if len(lines) != n*9000 || atOnce != n*8100 || strings.Join(lines[atOnce:], "")+"\n" != violations {
		t.Errorf("%d rows, %d before the first violation", len(lines), atOnce)
	}
}

// endAfter ends a job when so many rows have been written.
type endAfter struct {
	bytes.Buffer
	n   int
	end context.CancelFunc
}

func (e *endAfter) Write(p []byte) (int, error) {
	if e.n -= bytes.Count(p, []byte("\n")); e.n < 0 {
		e.end()
	}
	return e.Buffer.Write(p)
}

// After an interruption the rows are whole, and the first ones are those of the beginning.
func TestInterruptedRowsAreTheFirst(t *testing.T) {
	robots := filepath.Join(t.TempDir(), "robots.txt")
	if err := os.WriteFile(robots, []byte("user-agent: *\ndisallow: /p/"), 0o600); err != nil {
		t.Fatal(err)
	}
	logs := mixedLogs(t, 6)
	for _, workers := range []int{1, 4} {
		ctx, end := context.WithCancel(context.Background())
		out := &endAfter{n: 20_000, end: end}
		_, err := Audit(ctx, AuditOptions{Logs: Inputs{Names: logs}, Robots: RobotsFile{Name: robots}, Workers: workers, AllowDuplicates: true, Rows: wide(out, false)})
		if e := new(Error); !errors.As(err, &e) || e.Kind != Interrupted {
			t.Error(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		for i, line := range lines {
			n := i/8100*9000 + i%8100/9*10 + i%9
			if want := fmt.Sprintf("%03d.log %d allowed /a/%d", n/9000, n%9000+1, n%9000); strings.TrimRight(line, ".") != want && !strings.Contains(line, " violation /p/") {
				t.Fatalf("row %d is %.100q, not %q", i, line, want)
			}
		}
		if len(lines) < 20_000 || len(lines) >= 6*9000 {
			t.Errorf("%d rows were written", len(lines))
		}
		end()
	}
}
