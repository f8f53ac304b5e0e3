package job

import (
	"bytes"
	"context"
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

// mixedLogs makes plain and compressed logs in turn, and returns their names. The requests have the
// numbers of their lines; there are blank lines, and one longer than any that is kept.
func mixedLogs(t *testing.T, n int) (names []string) {
	t.Helper()
	var log, packed bytes.Buffer
	number := 1
	for i := range 9000 {
		switch {
		case i%700 == 3:
			log.WriteString("\n")
			number++
		case i == 4000:
			log.WriteString(strings.Repeat("x", 3<<20) + "\n")
			number++
		}
		fmt.Fprintf(&log, "192.0.2.1 - - [02/Mar/2026:10:00:00 +0000] \"GET /%s/%d HTTP/1.1\" 200 5 \"-\" \"GPTBot/1.2\"\n",
			[]string{"a", "p"}[i%10/9], number)
		number++
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

// wide makes rows that are much longer than their lines, and of some lines longer than a record of
// the sorter may be.
func wide(to io.Writer, violations bool) *Rows {
	return &Rows{Violations: violations, To: to, Appender: func() func([]byte, *audit.Event, string) []byte {
		return func(rows []byte, j *audit.Event, input string) []byte {
			rows = fmt.Appendf(rows, "%s %05d %s %s", filepath.Base(input), j.Number, j.Verdict, j.Target)
			if _, number, is := strings.Cut(string(j.Target[1:]), "/"); is && number != fmt.Sprint(j.Number) {
				rows = append(rows, " is in another line"...)
			}
			if j.Number%4500 == 1 {
				rows = append(rows, strings.Repeat("abcdefg", 500_000)...)
			}
			return append(append(rows, strings.Repeat(".", 1000)...), '\n')
		}
	}}
}

// auditWide lists the requests of logs, beside o.
func auditWide(t *testing.T, ctx context.Context, o AuditOptions, logs []string, violations bool) (list string,
	a *Audited, err error) {
	var b bytes.Buffer
	o.Logs.Names, o.Robots, o.AllowDuplicates, o.Rows = logs, robotsFile(t), true, wide(&b, violations)
	a, err = Audit(ctx, o)
	return b.String(), a, err
}

// TestRowsComeInOrder checks that rows come in the order of the inputs and their lines, whatever the memory and the
// number of workers, from alternately plain and compressed logs.
func TestRowsComeInOrder(t *testing.T) {
	n, most := 4, []int{2, 8}
	if testing.Short() {
		n, most = 2, []int{3}
	}
	logs := mixedLogs(t, n)
	list := func(workers int, memory int64, violations bool) string {
		rows, a, err := auditWide(t, t.Context(), AuditOptions{Limits: Limits{Memory: memory, Workers: workers}}, logs,
			violations)
		if err != nil || a.Report.Totals.Requests != int64(9000*n) {
			t.Fatal(err)
		}
		return rows
	}
	want := list(1, 0, false)
	if strings.Contains(want, "another line") {
		t.Error("the numbers of lines are others")
	}
	lines := strings.SplitAfter(strings.TrimSuffix(want, "\n"), "\n")
	if len(lines) != n*9000 || !slices.IsSorted(lines) {
		t.Errorf("%d rows, in order: %t", len(lines), slices.IsSorted(lines))
	}
	violations := strings.Join(slices.DeleteFunc(lines,
		func(line string) bool { return !strings.Contains(line, " violation ") }), "") + "\n"
	for _, workers := range most {
		if list(workers, int64(workers)*workerBytes, false) != want ||
			strings.TrimSuffix(list(workers, 0, true), "\n") != strings.TrimSuffix(violations, "\n") {
			t.Errorf("with %d workers the rows differ", workers)
		}
	}
}

// interrupting reads a file, and ends a context when half of it has been read.
type interrupting struct {
	*bytes.Reader
	end func()
}

func (r *interrupting) Read(b []byte) (int, error) {
	if int64(r.Len()) < r.Size()/2 {
		r.end()
	}
	return r.Reader.Read(b[:min(len(b), 64<<10)])
}

// TestInterruptedRowsAreThoseOfTheReport checks that the rows of an interrupted audit are complete, in order, and
// agree with the report, although verdicts on addresses that may be cut had to wait for the end of the logs.
func TestInterruptedRowsAreThoseOfTheReport(t *testing.T) {
	logs := mixedLogs(t, 6)
	const middle = 2
	text, err := os.ReadFile(logs[middle])
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(logs[middle])
	logs[middle] = "-"
	for _, workers := range []int{1, 4} {
		ctx, end := context.WithCancel(t.Context())
		o := AuditOptions{Limits: Limits{Workers: workers},
			LogOptions: LogOptions{Logs: Inputs{Stdin: &interrupting{bytes.NewReader(text), end}}}}
		rows, a, err := auditWide(t, ctx, o, logs, false)
		if kindOf(err) != Interrupted {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(rows, "\n"), "\n")
		for i, line := range lines {
			if rest, is := strings.CutPrefix(line, "- "); is {
				lines[i] = name + " " + rest
			}
		}
		if n := len(lines); int64(n) != a.Report.Totals.Requests || !a.Report.Partial || n == 0 || n >= 6*9000 ||
			!slices.IsSorted(lines) {
			t.Errorf("%d rows of %d requests, partial %t, in order: %t", n, a.Report.Totals.Requests, a.Report.Partial,
				slices.IsSorted(lines))
		}
	}
}
