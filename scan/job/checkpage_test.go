package job

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestCheckPagesEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.warc")
	if err := os.WriteFile(path, []byte("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 1000000000000\r\n\r\nx"),
		0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := CheckPages(ctx, CheckOptions{Agents: []Agent{{Name: "x"}}}, path, []string{"http://h/"})
	if failed, ok := errors.AsType[*Error](err); !ok || failed.Kind != Interrupted {
		t.Errorf("%v", err)
	}
	_, err = CheckPages(t.Context(), CheckOptions{Agents: []Agent{{Name: "x"}}}, path, []string{"http://h/"})
	if failed, ok := errors.AsType[*Error](err); !ok || failed.Kind != Input {
		t.Errorf("%v", err)
	}
}
