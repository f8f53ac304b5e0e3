//go:build unix

package policy

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// TestPipesAndSockets checks that pipes and sockets are rejected at once, as a manifest, as its
// files, and in a folder of dated files.
func TestPipesAndSockets(t *testing.T) {
	short, err := os.MkdirTemp("", "s") // a socket has a short name
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	for kind, put := range map[string]func(name string) error{
		"pipe": func(name string) error { return syscall.Mkfifo(name, 0o600) },
		"socket": func(name string) error {
			l, err := net.Listen("unix", name)
			if err == nil {
				t.Cleanup(func() { l.Close() })
			}
			return err
		},
	} {
		dir := filepath.Join(short, kind)
		if err := errors.Join(os.MkdirAll(dir+"/d/example.com", 0o700), os.MkdirAll(dir+"/m", 0o700), put(dir+"/x"),
			put(dir+"/d/example.com/2026-01-01.txt"), put(dir+"/m/manifest.csv"),
			os.WriteFile(dir+"/m.csv", []byte(insideHead+"x\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"x", "m.csv"} {
			if _, _, err := ReadManifest(filepath.Join(dir, name), 0, 1<<30); !errors.Is(err, disk.ErrIrregular) {
				t.Errorf("%s %s: error %v", kind, name, err)
			}
		}
		for _, name := range []string{"d", "m"} {
			if _, _, _, err := ReadFolder(filepath.Join(dir, name), 0, 1<<30); !errors.Is(err, disk.ErrIrregular) {
				t.Errorf("%s %s: error %v", kind, name, err)
			}
		}
	}
}
