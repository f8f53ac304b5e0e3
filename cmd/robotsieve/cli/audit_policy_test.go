package cli

import (
	"math/rand/v2"
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

// So is that of one given by --robots, compressed or not, where it can be counted.
func TestSizeOfALongConstantRobotsIsThatOfTheFile(t *testing.T) {
	skipInShort(t)
	long := "user-agent: *\ndisallow: /p\n" + strings.Repeat("# more\n", 1000)
	packed := gzipped(t, long)
	size := len(long)
	for name, c := range map[string]struct {
		robots    string
		answered  int
		bytes     float64
		differing float64
	}{
		"as it is":         {long, size, float64(size), 0},
		"compressed":       {packed, size, float64(size), 0},
		"another":          {long, size - 1, float64(size), 1},
		"what is read":     {long, 101, float64(size), 1},
		"a broken rest":    {gzipped(t, noise(1<<20))[:600<<10], size, -1, 0},
		"more than counts": {gzipped(t, long+strings.Repeat("#", 64<<20)), size, -1, 0},
	} {
		log := file(t, "a.log", strings.Replace(logLine("/robots.txt", "GPTBot/1"), " 200 5 ", " 200 "+strconv.Itoa(c.answered)+" ", 1))
		args := []string{"audit", "--robots", file(t, "robots.txt.gz", c.robots), "--max-bytes", "100", log}
		r := command(t, "", append(args, "--output", "json")...)
		report := auditJSON(t, r)
		sizes := report["robots_txt"].(map[string]any)
		if r.code != exitDone || sizes["sizes"] != 1.0 || sizes["sizes_differing"] != c.differing || report["policy"].(map[string]any)["bytes"] != c.bytes {
			t.Errorf("%s: code %d, %v, policy %v, stderr %q", name, r.code, sizes, report["policy"], r.err)
		}
		if r := command(t, "", append(args, "--full")...); strings.Contains(r.out, "of unknown size") != (c.bytes < 0) {
			t.Errorf("%s: %s", name, r.out)
		}
		state := makeState(t, args[1:]...)
		if merged := command(t, "", "merge", "--output", "json", state); withoutInputs(merged.out, "json") != withoutInputs(r.out, "json") {
			t.Errorf("%s: merge prints another report", name)
		}
	}
}

// noise returns n bytes of lines of comment that hardly compress.
func noise(n int) string {
	r := rand.New(rand.NewPCG(1, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(33 + r.IntN(90))
		if i%100 == 0 {
			b[i] = '\n'
		}
	}
	return string(b)
}
