package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"

	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/source"
)

// lists writes a hundred lists of URLs into two folders, some compressed and one damaged, and a robots.txt.
func lists(t *testing.T) (dir, robots string, names []string) {
	t.Helper()
	dir = t.TempDir()
	write := func(name string, data []byte) string {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	robots = write("robots.txt", []byte("User-agent: *\nDisallow: /private/\n"))
	for i := range 100 {
		var b bytes.Buffer
		for k := range 50 + i {
			fmt.Fprintf(&b, "https://host%d.example/%s/%d\n", k%7, []string{"private", "open"}[(i+k)%2], k)
		}
		if i%10 == 3 {
			b.WriteString("no URL\n")
		}
		name, data := fmt.Sprintf("lists/%c/urls%03d.txt", 'a'+i%2, i), b.Bytes()
		if i%3 == 0 {
			name, data = name+".gz", source.AppendMember(nil, data)
		}
		if i == 99 {
			data = data[:len(data)-9]
		}
		names = append(names, write(name, data))
	}
	return dir, robots, names
}

// kept returns what the filter keeps of a list in this process.
func kept(t *testing.T, robots, list string) string {
	t.Helper()
	var out bytes.Buffer
	_, err := job.Filter(t.Context(), job.FilterOptions{
		Agents: []job.Agent{{Name: "GPTBot"}}, Robots: job.RobotsFile{Name: robots}, URLs: job.Inputs{Names: []string{list}},
	}, &out)
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestListsKeepTheBytesOfRobotsieve filters a hundred lists on Prism, also with work that fails and is done again, and compares each
// file with that of robotsieve.
func TestListsKeepTheBytesOfRobotsieve(t *testing.T) {
	dir, robots, names := lists(t)
	for seed, shard := range []int64{1 << 30, 3000} {
		out := filepath.Join(dir, fmt.Sprint("out", seed))
		restore := faults(uint64(seed))
		_, diagnosis, code := command(t, shard, "filter", "--robots", robots, "--agent", "GPTBot", "--out", out, filepath.Join(dir, "lists"))
		restore()
		if code != 3 || !strings.Contains(diagnosis, "urls099.txt.gz") || !strings.Contains(diagnosis, "PARTIAL: ") {
			t.Fatalf("code %d: %s", code, diagnosis)
		}
		for _, name := range names {
			rest, err := filepath.Rel(filepath.Join(dir, "lists"), name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(out, strings.TrimSuffix(rest, ".gz")))
			if want := kept(t, robots, name); err != nil || string(got) != want || want == "" {
				t.Errorf("%s: %v, %d bytes, and not %d", rest, err, len(got), len(want))
			}
		}
		files := 0
		_ = filepath.WalkDir(out, func(_ string, e fs.DirEntry, _ error) error {
			if !e.IsDir() {
				files++
			}
			return nil
		})
		counts, err := os.ReadFile(filepath.Join(out, countsName))
		if err != nil || files != len(names)+1 || bytes.Count(counts, []byte("\n")) != len(names) {
			t.Errorf("%d files, %d counts, %v", files, bytes.Count(counts, []byte("\n")), err)
		}
	}
}

// TestResultsTakeNobodysName: no result may replace a list or another result.
func TestResultsTakeNobodysName(t *testing.T) {
	dir, robots, names := lists(t)
	for _, c := range [][]string{{filepath.Join(dir, "lists"), filepath.Join(dir, "lists")}, {filepath.Join(dir, "out"), names[1], names[1] + ".zst"}} {
		if len(c) == 3 {
			if err := os.WriteFile(c[2], []byte("https://other.example/\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, diagnosis, code := command(t, 1<<30, append([]string{"filter", "--robots", robots, "--agent", "GPTBot", "--out"}, c...)...)
		if code == 0 || !strings.Contains(diagnosis, "would have one name") {
			t.Errorf("%s: code %d: %s", c, code, diagnosis)
		}
	}
}

// TestFilesOfAFilesystem audits and filters files of a filesystem that is not the disk, and writes there.
func TestFilesOfAFilesystem(t *testing.T) {
	args, set := logs(t, 3)
	want := oneAudit(t, set)
	memory, err := filesystem.New(t.Context(), "memfs://logs")
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, path string) {
		if err := copyOut(context.Background(), path, name); err != nil {
			t.Fatal(err)
		}
	}
	args = args[:len(args)-len(set.Names)]
	for _, name := range set.Names {
		put("memfs://logs/"+filepath.Base(name), name)
		args = append(args, "memfs://logs/"+filepath.Base(name))
	}
	out, diagnosis, code := command(t, 40_000, append(args, "--scratch", "memfs://scratch", "--output", "json")...)
	if code != 3 || !strings.Contains(diagnosis, "memfs://logs/damaged.log.gz") {
		t.Fatalf("code %d: %s", code, diagnosis)
	}
	text := strings.ReplaceAll(out, "memfs://logs/", filepath.Dir(set.Names[0])+"/")
	same(t, reportOf(t, text), want)

	_, robots, names := lists(t)
	put("memfs://lists/one.txt", names[1])
	_, diagnosis, code = command(t, 40_000, "filter", "--robots", robots, "--agent", "GPTBot", "--out", "memfs://out", "--scratch", "memfs://scratch", "memfs://lists/*.txt", "memfs://lists/*.none")
	if code != 3 || !strings.Contains(diagnosis, "no file matches") {
		t.Fatalf("code %d: %s", code, diagnosis)
	}
	got, err := readAll(t.Context(), "memfs://out/one.txt")
	if err != nil || string(got) != kept(t, robots, names[1]) {
		t.Errorf("%v: %q", err, got)
	}
	if left, err := memory.List(t.Context(), "memfs://scratch/*"); err != nil || len(left) > 0 {
		t.Errorf("%s stay in the scratch folder, %v", left, err)
	}
}
