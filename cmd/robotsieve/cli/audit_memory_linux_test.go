package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// However many logs there are, nothing of them is kept but what they are.
func TestManyLogsTakeLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the memory of a process")
	}
	const logs = 600
	log := compressed(t, manyViolations(3000)) // more than the beginning that a format is known by
	dir := t.TempDir()
	for i := range logs {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte(log), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r, held := peak(t, nil, "audit", "--robots", file(t, "robots.txt", "user-agent: *\ndisallow: /q\n"), "--allow-duplicates", "--output", "json", dir)
	if report := auditJSON(t, r); report["lines"] != 3300.*logs {
		t.Errorf("%v lines", report["lines"])
	}
	if held > 100<<20 {
		t.Errorf("%d MiB", held>>20)
	}
}
