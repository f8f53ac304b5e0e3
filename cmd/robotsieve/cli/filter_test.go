package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// summaryJSON reads the last line of stderr.
func summaryJSON(t *testing.T, r result) map[string]any {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(r.err, "\n"), "\n")
	var sum map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &sum); err != nil {
		t.Fatalf("%v in %q", err, r.err)
	}
	return sum
}

func TestFilterInterruptedPrintsWhatIsKnown(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	in := &blocking{strings.NewReader(strings.Repeat("http://a.example/some/path\n", 60_000)), make(chan struct{}), make(chan struct{})}
	defer close(in.until)
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		<-in.read
		time.Sleep(50 * time.Millisecond) // let some chunks through; any number will do
		interrupt()
	}()
	var out, err bytes.Buffer
	code := run(ctx, []string{"filter", "--robots", robots, "--agent", "FooBot", "--output", "json", "-"}, streams{in: in, out: &out, err: &err})
	sum := summaryJSON(t, result{out.String(), err.String(), code})
	if code != exitInterrupted || sum["partial"] != true || !strings.Contains(err.String(), "interrupted") {
		t.Errorf("code %d, %v, stderr %q", code, sum, err.String())
	}
	if n := strings.Count(out.String(), "\n"); sum["kept"] != float64(n) || n == 0 {
		t.Errorf("%d lines printed, but the summary says %v", n, sum["kept"])
	}
}

// brokenPipe is a stdout that nobody reads.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestFilterEndsWhereItsOutputDoes(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	var err bytes.Buffer
	code := run(t.Context(), []string{"filter", "--robots", robots, "--agent", "FooBot", "-"},
		streams{in: strings.NewReader("http://h/\n"), out: brokenPipe{}, err: &err})
	if code != exitInput || !strings.Contains(err.String(), "writing: ") || !strings.Contains(err.String(), "PARTIAL: 0 lines read") {
		t.Errorf("code %d, stderr %q", code, err.String())
	}
}
