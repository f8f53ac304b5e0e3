package history

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// gitLine returns what git prints in a repository, of a text on its standard input.
func gitLine(t *testing.T, dir, in string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Stdin = strings.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// loose writes an object as git stores it, whatever is in it, and returns its id.
func loose(t *testing.T, dir, kind, content string) string {
	t.Helper()
	id := objectSum(40, kind, []byte(content))
	stored(t, dir, id, fmt.Sprintf("%s %d\x00%s", kind, len(content), content))
	return id
}

// stored writes a loose object under an id.
func stored(t *testing.T, dir, id, text string) {
	t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	z.Close()
	name := filepath.Join(dir, ".git/objects", id[:2], id[2:])
	_ = os.Remove(name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// treeOf returns the content of a tree: pairs of "MODE NAME" and an id.
func treeOf(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString(pairs[i] + "\x00")
		for n := 0; n < 40; n += 2 {
			var c byte
			_, _ = fmt.Sscanf(pairs[i+1][n:n+2], "%02x", &c)
			b.WriteByte(c)
		}
	}
	return b.String()
}

// hostileRepo is a repository of three commits by day, of which the second has a tree that is given.
func hostileRepo(t *testing.T, tree func(dir string) (id string)) string {
	t.Helper()
	dir := repo(t, [2]string{"2026-01-01T00:00:00Z", "mkdir s; printf A > s/a.example; printf B > s/b.example"})
	first := gitLine(t, dir, "", "rev-parse", "HEAD")
	tip := first
	for i, tree := range []string{tree(dir), gitLine(t, dir, "", "rev-parse", "HEAD^{tree}")} {
		tip = loose(t, dir, "commit", fmt.Sprintf("tree %s\nparent %s\nauthor n <e> 0 +0000\ncommitter n <e> %d +0000\n\nx\n",
			tree, tip, at("2026-01-02T00:00:00Z").AddDate(0, 0, i).Unix()))
	}
	gitLine(t, dir, "", "update-ref", "HEAD", first)
	if err := os.WriteFile(filepath.Join(dir, ".git/refs/heads/main"), []byte(tip+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestGitHostileTrees checks that the files of a huge or unreadable tree are unknown, without
// affecting the neighbouring commits, and that this takes moments.
func TestGitHostileTrees(t *testing.T) {
	const missing = "0123456789012345678901234567890123456789"
	nested := func(depth, width int) func(string) string {
		return func(dir string) string {
			id := loose(t, dir, "tree", treeOf("100644 x.example", loose(t, dir, "blob", "X")))
			for range depth {
				var pairs []string
				for i := range width {
					pairs = append(pairs, fmt.Sprintf("40000 %04d", i), id)
				}
				id = loose(t, dir, "tree", treeOf(pairs...))
			}
			return loose(t, dir, "tree", treeOf("40000 s", id))
		}
	}
	for name, tree := range map[string]func(dir string) string{
		"deep":    nested(60, 2), // of 1 kB, with 2^60 files
		"wide":    nested(4, 100),
		"long":    func(dir string) string { return loose(t, dir, "tree", strings.Repeat("\x00", 20<<20)) },
		"missing": func(dir string) string { return loose(t, dir, "tree", treeOf("40000 s", missing)) },
		"none":    func(string) string { return missing },
		"damaged": func(dir string) string { return loose(t, dir, "tree", "40000 s\x00short") },
		"a name without end": func(dir string) string {
			return loose(t, dir, "tree", treeOf("40000 s",
				loose(t, dir, "tree", treeOf("100644 "+strings.Repeat("x", 5000)+".example", missing))))
		},
		"huge": func(dir string) string {
			stored(t, dir, missing, "tree 99999999999\x00")
			return missing
		},
		"another": func(dir string) string { // with the id of something else, and of itself
			stored(t, dir, missing, "tree 28\x00"+treeOf("40000 s", missing))
			return missing
		},
	} {
		t.Run(name, func(t *testing.T) {
			begun := time.Now()
			dir := hostileRepo(t, tree)
			a := ask(t, git, []string{dir}, "path", "s")
			equal(t, a, `
				2026-01-01T00:00:00Z,a.example,200,A
				2026-01-01T00:00:00Z,b.example,200,B
				2026-01-02T00:00:00Z,a.example,200,,,unknown
				2026-01-02T00:00:00Z,b.example,200,,,unknown
				2026-01-03T00:00:00Z,a.example,200,A
				2026-01-03T00:00:00Z,b.example,200,B`)
			if len(a.fault) != 1 || !strings.Contains(a.fault[0], ":s: not known: ") {
				t.Errorf("faults %q", a.fault)
			}
			if took := time.Since(begun); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestGitHostileBlobs checks that a blob that is too long, damaged or of another kind makes only its file unknown.
func TestGitHostileBlobs(t *testing.T) {
	const id = "0123456789012345678901234567890123456789"
	for name, text := range map[string]string{
		"huge": "blob 99999999999\x00x", "short": "blob 9\x00x", "a tree": "tree 0\x00", "no kind": "x", "empty": "",
		"another": "blob 1\x00x",
	} {
		t.Run(name, func(t *testing.T) {
			dir := hostileRepo(t, func(dir string) string {
				stored(t, dir, id, text)
				return loose(t, dir, "tree", treeOf("40000 s", loose(t, dir, "tree", treeOf("100644 a.example", id,
					"100644 b.example", loose(t, dir, "blob", "B2")))))
			})
			a := ask(t, git, []string{dir}, "path", "s")
			equal(t, a, `
				2026-01-01T00:00:00Z,a.example,200,A
				2026-01-01T00:00:00Z,b.example,200,B
				2026-01-02T00:00:00Z,a.example,200,,,unknown
				2026-01-02T00:00:00Z,b.example,200,B2
				2026-01-03T00:00:00Z,a.example,200,A
				2026-01-03T00:00:00Z,b.example,200,B`)
			if len(a.fault) != 1 || !strings.Contains(a.fault[0], "s/a.example: not known: ") {
				t.Errorf("faults %q", a.fault)
			}
		})
	}
}

// TestGitMalformedCommit checks that a commit that git rejects loses no other one. While its date
// is unknown, so is the file.
func TestGitMalformedCommit(t *testing.T) {
	for name, c := range map[string]struct {
		head    string
		isDated bool
	}{
		"no committer": {"author n <e> 0 +0000\n", false},
		"no date":      {"author n <e>\ncommitter n <e>\n", false},
		"words":        {"author\ncommitter n <e> yesterday\n", false},
		"huge":         {"committer n <e> 99999999999999999999999999 +0000\n", false},
		"negative":     {"committer n <e> -99999999999 +0000\n", false},
		"no end":       {"committer n e 1767312000 +0000", false},
		"dated":        {"committer > <e> 1767312000 +9999\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := repo(t, [2]string{"2026-01-01T00:00:00Z", "printf A > robots.txt"})
			tip := gitLine(t, dir, "", "rev-parse", "HEAD")
			for i, text := range []string{"B", "C"} {
				head := c.head
				if i == 1 {
					head = fmt.Sprintf("committer n <e> %d +0000\n", at("2026-01-03T00:00:00Z").Unix())
				}
				tree := loose(t, dir, "tree", treeOf("100644 robots.txt", loose(t, dir, "blob", text)))
				tip = loose(t, dir, "commit", fmt.Sprintf("tree %s\nparent %s\n%s", tree, tip, head))
			}
			if err := os.WriteFile(filepath.Join(dir, ".git/refs/heads/main"), []byte(tip), 0o600); err != nil {
				t.Fatal(err)
			}
			a := ask(t, git, []string{dir}, "path", "robots.txt", "origin", "https://a.example")
			if a.err != nil {
				t.Fatal(a.err)
			}
			got := versions(t, a.dir)
			list, want := strings.Join(got, "\n"), `2026-01-01T00:00:00.000000001Z https://a.example 200 ""unknown
2026-01-01T00:00:00Z https://a.example 200 "A"
2026-01-03T00:00:00.000000001Z https://a.example 200 "C"
2026-01-03T00:00:00Z https://a.example 200 "B"`
			if c.isDated {
				want = `2026-01-01T00:00:00Z https://a.example 200 "A"
2026-01-02T00:00:00Z https://a.example 200 "B"
2026-01-03T00:00:00Z https://a.example 200 "C"`
			}
			if list != want || len(a.fault) > 0 {
				t.Errorf("%q\n%s", a.fault, list)
			}
		})
	}
}

// TestGitLostParent checks that history before an unreadable commit is unknown, with a message.
func TestGitLostParent(t *testing.T) {
	dir := repo(t, [2]string{"2026-01-01T00:00:00Z", "printf A > robots.txt"},
		[2]string{"2026-01-02T00:00:00Z", "printf B > robots.txt"}, [2]string{"2026-01-03T00:00:00Z", "printf C > robots.txt"})
	id := gitLine(t, dir, "", "rev-parse", "HEAD~2")
	for _, lost := range []string{"commit 5\x00tree ", "commit 9999999999\x00", "blob 0\x00"} {
		stored(t, dir, id, lost)
		a := ask(t, git, []string{dir}, "path", "robots.txt", "origin", "a.example")
		equal(t, a, "2026-01-02T00:00:00Z,a.example,200,B\n2026-01-03T00:00:00Z,a.example,200,C")
		if len(a.fault) != 1 || !strings.Contains(a.fault[0], "commit "+id[:12]) {
			t.Errorf("faults %q", a.fault)
		}
	}
}

// TestGitObjectFormats reads SHA-256 ids, packed objects and references, a worktree and a detached HEAD.
func TestGitObjectFormats(t *testing.T) {
	const want = "2026-01-01T00:00:00Z,a.example,200,A\n2026-01-02T00:00:00Z,a.example,200,B"
	days := [][2]string{{"2026-01-01T00:00:00Z", "printf A > robots.txt"}, {"2026-01-02T00:00:00Z", "printf B > robots.txt"}}
	sha256 := [2]string{"2026-01-01T00:00:00Z", "rm -rf .git; git init -q -b main --object-format=sha256"}
	for name, commits := range map[string][][2]string{
		"sha256":   {sha256, days[0], days[1]},
		"packed":   append(days, [2]string{"2026-01-03T00:00:00Z", "git gc -q; git pack-refs --all"}),
		"detached": append(days, [2]string{"2026-01-03T00:00:00Z", "git checkout -q --detach"}),
		"worktree": append(days, [2]string{"2026-01-03T00:00:00Z", "git worktree add -q w"}),
		"shared":   append(days, [2]string{"2026-01-03T00:00:00Z", "git clone -q --shared . w"}),
		"inner":    append(days, [2]string{"2026-01-03T00:00:00Z", "git clone -q . w --separate-git-dir=g"}),
	} {
		t.Run(name, func(t *testing.T) {
			dir := repo(t, commits...)
			if _, err := os.Stat(dir + "/w"); err == nil {
				dir += "/w"
			}
			equal(t, ask(t, git, []string{dir}, "path", "robots.txt", "origin", "a.example"), want)
		})
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "robotsieve-git-*")); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}
