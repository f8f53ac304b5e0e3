package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Whatever it waits for on stdin, the first interrupt ends a command.
func TestInterruptEndsTheWaitForStdin(t *testing.T) {
	list, robots := file(t, "list", "http://h.example/p\n"), file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	for _, args := range []string{
		"compile -o OUT -", "compile --dump -", "filter --robots - --agent x LIST", "filter --robots ROBOTS --agent x -",
		"bench --robots - --agent x LIST", "bench --robots ROBOTS --agent x -", "audit --robots - LIST", "audit --robots ROBOTS -",
	} {
		for _, first := range []string{"", "{"} { // of which nobody can tell yet what it is
			t.Run(args+" after "+first, func(t *testing.T) {
				args := strings.NewReplacer("OUT", filepath.Join(t.TempDir(), "out"), "LIST", list, "ROBOTS", robots).Replace(args)
				in := &blocking{strings.NewReader(first), make(chan struct{}), make(chan struct{})}
				defer close(in.until)
				ctx, interrupt := context.WithCancel(t.Context())
				var stdout, stderr bytes.Buffer
				code := make(chan int, 1)
				go func() { code <- run(ctx, strings.Fields(args), streams{in: in, out: &stdout, err: &stderr}) }()
				<-in.read
				interrupt()
				select {
				case got := <-code:
					if got != exitInterrupted || !strings.Contains(stdout.String()+stderr.String(), "nterrupted") {
						t.Errorf("code %d, stdout %q, stderr %q", got, stdout.String(), stderr.String())
					}
					if strings.Contains(stderr.String(), "passed over") {
						t.Errorf("the interrupt is told as trouble with the input: %q", stderr.String())
					}
				case <-time.After(20 * time.Second):
					t.Fatal("it still waits")
				}
			})
		}
	}
}
