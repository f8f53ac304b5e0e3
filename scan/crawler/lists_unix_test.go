//go:build unix

package crawler

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFolderOfListsHasFilesOnly checks that a pipe in a folder neither blocks nor is ignored.
func TestFolderOfListsHasFilesOnly(t *testing.T) {
	set, dir := listedSet(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "gptbot.json"), []byte(`{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "googlebot.json"), 0o600); err != nil {
		t.Skip(err)
	}
	for _, arg := range []string{dir, "gptbot=" + dir} {
		if _, err := LoadSeries(arg, set, 1<<30); err == nil ||
			!strings.Contains(err.Error(), "googlebot.json: neither a file nor a directory") {
			t.Errorf("%s: %v", arg, err)
		}
	}
}
