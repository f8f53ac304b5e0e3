package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// sites writes n lines of JSON, each with a robots.txt of its own of about size bytes.
func sites(n, size int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"host":"h%d.example","body":"User-agent: *\nDisallow: /%d/%s"}`+"\n", i, i,
			strings.Repeat("a", size))
	}
	return b.String()
}

// archiveOf compiles lines of JSON in some memory.
func archiveOf(t *testing.T, lines string, memory int64, maxBytes int) ([]byte, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "rules.rsv")
	c, err := Compile(t.Context(), CompileOptions{
		Sources: []string{"-"}, Stdin: strings.NewReader(lines), Output: out, Memory: memory, MaxBytes: maxBytes,
	})
	if err != nil {
		if _, statErr := os.Stat(out); statErr == nil {
			t.Error("there is an archive in spite of an error")
		}
		return nil, err
	}
	data, readErr := os.ReadFile(out)
	if readErr != nil || int64(len(data)) != c.Size {
		t.Errorf("%d bytes instead of %d: %v", len(data), c.Size, readErr)
	}
	return data, nil
}

// TestCompileInLittleMemoryGivesTheSameArchive: bodies and rulesets that go to files come back.
func TestCompileInLittleMemoryGivesTheSameArchive(t *testing.T) {
	lines := sites(200, 20_000)
	opened := 0
	restore := disk.Inject(func(op disk.Op, name string) error {
		if op == disk.OpOpen && name == os.TempDir() {
			opened++
		}
		return nil
	})
	little, err := archiveOf(t, lines, 2_000_000, 30_000)
	restore()
	if err != nil {
		t.Fatal(err)
	}
	much, err := archiveOf(t, lines, 0, 30_000)
	if err != nil || !bytes.Equal(little, much) {
		t.Errorf("%d bytes instead of %d, error %v", len(little), len(much), err)
	}
	if opened < 3 {
		t.Errorf("%d temporary files, want one to try, one of bodies and one of rulesets at least", opened)
	}
}

// TestCompileSaysWhichMemoryWouldDo: for the longest robots.txt.
func TestCompileSaysWhichMemoryWouldDo(t *testing.T) {
	_, err := archiveOf(t, sites(1, 1), 1_000_000, 0)
	if kindOf(err) != Usage ||
		!strings.Contains(err.Error(), "up to 512,000 bytes: --memory 48MB would do") {
		t.Errorf("got %v", err)
	}
	if _, err := archiveOf(t, sites(1, 1), 48_000_000, 0); err != nil {
		t.Errorf("the memory that would do: %v", err)
	}
}

// TestCompileEndsWhenTheDiskFails: an error of a temporary file ends it, and nothing is left.
func TestCompileEndsWhenTheDiskFails(t *testing.T) {
	full := errors.New("full")
	for n := range 20 {
		writes := 0
		restore := disk.Inject(func(op disk.Op, _ string) error {
			if op != disk.OpWrite {
				return nil
			}
			if writes++; writes != n+1 {
				return nil
			}
			return full
		})
		_, err := archiveOf(t, sites(60, 20_000), 1_000_000, 30_000)
		restore()
		if !errors.Is(err, full) && (err != nil || writes > n) {
			t.Errorf("write %d of %d fails: %v", n+1, writes, err)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	_, err := Compile(ctx, CompileOptions{Sources: []string{"-"}, Stdin: strings.NewReader(sites(1, 1)),
		Output: filepath.Join(t.TempDir(), "x")})
	if kindOf(err) != Interrupted {
		t.Errorf("interrupted: %v", err)
	}
}
