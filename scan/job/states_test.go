package job

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An interrupted audit keeps the state that is there, and says so; with Force it replaces it. Where there is none,
// it writes one.
func TestInterruptedAuditKeepsTheOldState(t *testing.T) {
	dir := t.TempDir()
	log, state := filepath.Join(dir, "log"), filepath.Join(dir, "state")
	line := `192.0.2.1 - - [18/Nov/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "ExampleBot/1.0"` + "\n"
	if err := os.WriteFile(log, []byte(strings.Repeat(line, 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	o := sampleAudit()
	o.Logs.Names, o.State = []string{log}, state
	if _, err := Audit(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ force, remove, replaced bool }{
		{false, false, false}, {true, false, true}, {false, true, true},
	} {
		if c.remove {
			if err := os.Remove(state); err != nil {
				t.Fatal(err)
			}
		}
		var said []string
		ctx, end := context.WithCancel(t.Context())
		o.Force, o.Messages.Warn = c.force, func(message string) { said = append(said, message) }
		o.Messages.Progress = func(Progress) func() { // the logs begin to be read
			end()
			return func() {}
		}
		_, err := Audit(ctx, o)
		end()
		if kindOf(err) != Interrupted {
			t.Fatalf("%+v: %v", c, err)
		}
		now, err := os.ReadFile(state)
		if err != nil || (string(now) == string(whole)) == c.replaced ||
			strings.Contains(strings.Join(said, ""), "the old state is kept") == c.replaced {
			t.Errorf("%+v: %v, %q", c, err, said)
		}
	}
}
