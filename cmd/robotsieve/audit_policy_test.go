package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// manifest writes a manifest of rows "from,origin,status,file" and its files.
func manifest(t *testing.T, files map[string]string, rows ...string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(dir, "manifest.csv")
	text := "from,origin,status,file\n" + strings.Join(rows, "\n") + "\n"
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// The size of a robots.txt that is longer than what is read of it is that of the
// file, by which the log's answers are checked.
func TestSizeOfALongRobotsIsThatOfTheFile(t *testing.T) {
	long := "user-agent: *\ndisallow: /p\n" + strings.Repeat("# more\n", 1000)
	policy := manifest(t, map[string]string{"long.txt": long}, "2026-11-01T00:00:00Z,https://example.com,200,long.txt")
	log := file(t, "a.log", strings.Replace(logLine("/robots.txt", "GPTBot/1"), " 200 5 ", " 200 "+strconv.Itoa(len(long))+" ", 1))
	r := command(t, "", "audit", "--policy", policy, "--host", "https://example.com", "--max-bytes", "100", "--output", "json", log)
	sizes := auditJSON(t, r)["robots_txt"].(map[string]any)
	if r.code != exitDone || sizes["sizes"] != 1.0 || sizes["sizes_differing"] != 0.0 {
		t.Errorf("code %d, %v, stderr %q", r.code, sizes, r.err)
	}
}
