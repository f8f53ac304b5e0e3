package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/compile"

	"github.com/rogpeppe/go-internal/testscript"
)

// asCommand is the environment variable that makes the test binary the command.
const asCommand = "ROBOTSIEVE_TEST_COMMAND"

// peakFile is the environment variable that names a file for the status of that process, as
// Linux has it, at its end.
const peakFile = "ROBOTSIEVE_TEST_PEAK"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		code := Main()
		if name := os.Getenv(peakFile); name != "" {
			status, _ := os.ReadFile("/proc/self/status")
			_ = os.WriteFile(name, status, 0o666)
		}
		os.Exit(code)
	}
	testscript.Main(m, scriptCommands)
}

func TestBenchThatIsInterruptedPrintsWhatItHas(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	// The shell's children hold its output, and would outlive it.
	marker := file(t, "marker", "")
	go func() {
		for {
			if data, _ := os.ReadFile(marker); len(data) > 0 {
				cancel()
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	var out, diagnosis bytes.Buffer
	begin := time.Now()
	code := run(ctx, []string{"bench", "--robots", file(t, "robots.txt", "user-agent: *\ndisallow: /everyone\n"), "--agent", "x",
		"--external", "slow=echo started >'" + marker + "'; sleep 1000 | cat", "-"}, streams{in: strings.NewReader("https://h.example/a\nhttps://h.example/b\n"), out: &out, err: &diagnosis})
	if code != exitInterrupted || time.Since(begin) > 20*time.Second || !strings.HasPrefix(out.String(), "PARTIAL") || !strings.Contains(out.String(), "compiles once") {
		t.Errorf("code %d after %v\n%s\n%s", code, time.Since(begin), out.String(), diagnosis.String())
	}
}

func TestBenchCutsTheBodyForAllEngines(t *testing.T) {
	robots := "user-agent: *\ndisallow: /a\ndisallow: /b\n"
	for limit, want := range map[int]string{len(robots): robots, 39: robots[:39], 38: robots[:27], 27: robots[:27], 26: robots[:26], 5: ""} {
		if got := string(compile.WholeLines([]byte(robots), limit)); strings.TrimSuffix(got, "\n") != strings.TrimSuffix(want, "\n") {
			t.Errorf("%d: %q, want %q", limit, got, want)
		}
	}
}
