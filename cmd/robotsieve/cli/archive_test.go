package cli

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// archivesOf writes files into archives of each kind, in a folder, and returns the paths of the archives.
func archivesOf(t *testing.T, files map[string]string) (paths []string) {
	t.Helper()
	var plain, zipped, packed bytes.Buffer
	tw, zw, gw := tar.NewWriter(&plain), zip.NewWriter(&zipped), gzip.NewWriter(&packed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))}); err != nil {
			t.Fatal(err)
		}
		w, err := zw.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		tw.Write([]byte(files[name]))
		w.Write([]byte(files[name]))
	}
	tw.Close()
	zw.Close()
	gw.Write(plain.Bytes())
	gw.Close()
	dir := t.TempDir()
	for name, b := range map[string]*bytes.Buffer{"logs.tar": &plain, "logs.zip": &zipped, "logs.tar.gz": &packed} {
		paths = append(paths, filepath.Join(dir, name))
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(paths)
	return paths
}

// TestAuditOfArchives: the report of an archive is that of the files in it, which are inputs of their own.
func TestAuditOfArchives(t *testing.T) {
	files := map[string]string{
		"var/log/access.log": logLine("/p", "GPTBot/1") + logLine("/", "GPTBot/1"), "var/log/access.log.1": logLine("/p?2", "ClaudeBot/1"),
		"var/log/access.log.10": logLine("/p?3", "GPTBot/1"), "copy.log": logLine("/p?2", "ClaudeBot/1"),
	}
	robots, dir := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	audit := func(name string) result {
		return command(t, "", "audit", "--robots", robots, "--output", "json", "--assume-constant=false", name)
	}
	want := audit(dir)
	for _, archive := range archivesOf(t, files) {
		got := audit(archive)
		report := func(r result, names string) string {
			return strings.ReplaceAll(withoutInputs(r.out, "json"), names, "LOGS")
		}
		if got, want := report(got, archive+":"), report(want, dir+"/"); got != want {
			t.Errorf("%s: %s", archive, firstDifference(got, want))
		}
		if says := "access.log.1 has the same content as "; !strings.Contains(got.err, says) {
			t.Errorf("%s: stderr %q, not %q", archive, got.err, says)
		}
		inputs := inputsOf(t, got)
		if in := inputs["access.log.10"]; len(inputs) != 4 || in["name"] != archive+":var/log/access.log.10" || in["lines"] != 1.0 {
			t.Errorf("%s: %v", archive, inputs)
		}
	}
	// A folder of archives is their members; what is in two of them is told.
	if r := audit(filepath.Dir(archivesOf(t, files)[0])); r.code != want.code || strings.Count(r.err, "has the same content as") != 3*4-3 {
		t.Errorf("code %d, %q", r.code, r.err)
	}
}

// TestFilterOfArchives: a list of URLs may be a member, and standard input may not be an archive.
func TestFilterOfArchives(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	for _, archive := range archivesOf(t, map[string]string{"a.txt": "https://example.com/a\nhttps://example.com/p\n", "b.txt": "https://example.com/b\n"}) {
		r := command(t, "", "filter", "--robots", robots, "--agent", "GPTBot", archive)
		if r.code != exitDone || r.out != "https://example.com/a\nhttps://example.com/b\n" {
			t.Errorf("%+v", r)
		}
		text, err := os.ReadFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		r = command(t, string(text), "filter", "--robots", robots, "--agent", "GPTBot", "-")
		if r.code != exitInput || !strings.Contains(r.err, "archive, which cannot be read from a pipe or from standard input") || r.out != "" {
			t.Errorf("%+v", r)
		}
	}
}

// TestHostByPattern: a pattern gives a site the logs that have such names: files, files in folders, and members of archives.
func TestHostByPattern(t *testing.T) {
	policy := manifest(t, map[string]string{"a.txt": "user-agent: *\ndisallow: /p\n", "b.txt": "user-agent: *\ndisallow: /q\n"},
		"2026-01-01T00:00:00Z,https://a.example,200,a.txt", "2026-01-01T00:00:00Z,https://b.example,200,b.txt")
	text := func(n int) string {
		return strings.Repeat("\n", n) + logLine("/p", "GPTBot/1") + logLine("/q", "GPTBot/1")
	}
	files := map[string]string{
		"logs/a.example.log": text(0), "logs/a.example.log.1": text(1), "logs/b.example-access.log": text(2), "logs/old/b.example-access.log.2": text(3),
		"vhosts/b.example/access.log": text(4),
	}
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	const a, b = "https://a.example", "https://b.example"
	for _, source := range append(archivesOf(t, files), dir, ".") {
		for _, c := range []struct {
			hosts, says string
			of          map[string]string // the host of each log
		}{
			{a + "=logs/a.example* " + b + "=*/b.example-access.log* " + b + "=vhosts/b.example", "",
				map[string]string{"a.example.log": a, "a.example.log.1": a, "b.example-access.log": b, "b.example-access.log.2": b, "access.log": b}},
			{a + "=a.example.log* " + b + "=b.example* ", "",
				map[string]string{"a.example.log": a, "a.example.log.1": a, "b.example-access.log": b, "b.example-access.log.2": b, "access.log": b}},
			{a + "=a.example.log", "no --host HOST=PATTERN names the site of ", map[string]string{"a.example.log": a}},
			{a + "=logs/* " + b + "=logs/old/*", "no --host HOST=PATTERN names the site of ",
				map[string]string{"a.example.log": a, "a.example.log.1": a, "b.example-access.log": a, "b.example-access.log.2": b}},
		} {
			args := []string{"audit", "--policy", policy, "--output", "json"}
			for host := range strings.FieldsSeq(c.hosts) {
				args = append(args, "--host", host)
			}
			r := command(t, "", append(args, source)...)
			inputs := inputsOf(t, r)
			if len(inputs) != len(files) || !strings.Contains(r.err, c.says) || (c.says == "") == strings.Contains(r.err, "not judged") {
				t.Errorf("%s, %s: %d inputs, %q", source, c.hosts, len(inputs), r.err)
			}
			for name, in := range inputs {
				if in["host"] != c.of[name] {
					t.Errorf("%s, %s: %s is of %q, want %q", source, c.hosts, name, in["host"], c.of[name])
				}
			}
		}
		for pattern, says := range map[string]string{"c.example*": "(the names of the logs: ", "nothing/a.example.log": "(the names of the logs: ", "[a": "syntax error in pattern"} {
			if r := command(t, "", "audit", "--policy", policy, "--host", a+"="+pattern, source); r.code == exitDone || !strings.Contains(r.err, says) {
				t.Errorf("%s, %s: %+v", source, pattern, r)
			}
		}
	}
	whole := archivesOf(t, files)[0]
	r := command(t, "", "audit", "--policy", policy, "--output", "json", "--host", a+"="+whole, whole)
	for name, in := range inputsOf(t, r) {
		if in["host"] != a {
			t.Errorf("%s is of %q", name, in["host"])
		}
	}
}
