package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"

	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/source"
)

// lists writes a hundred lists of URLs into two folders, some compressed and one damaged, and a
// robots.txt.
func lists(t *testing.T) (dir, robots string, names []string) {
	t.Helper()
	dir, robots = t.TempDir(), robotsTxt(t)
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
		names = append(names, saved(t, dir, name, string(data)))
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

// TestListsKeepTheBytesOfRobotsieve filters a hundred lists on Prism, also with work that fails and
// is done again, and compares each file with that of robotsieve.
func TestListsKeepTheBytesOfRobotsieve(t *testing.T) {
	dir, robots, names := lists(t)
	for seed, shard := range []int64{1 << 30, 3000} {
		out := filepath.Join(dir, fmt.Sprint("out", seed))
		restore := faults(uint64(seed))
		_, diagnosis := ended(t, 3, "PARTIAL: ", shard, "filter", "--robots", robots, "--agent", "GPTBot", "--out", out,
			filepath.Join(dir, "lists"))
		if restore(); !strings.Contains(diagnosis, "urls099.txt.gz") {
			t.Fatal(diagnosis)
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

// failing is a writer that has room for so many bytes.
type failing int

var errFull = errors.New("no space left")

// Write writes nothing that has no room.
func (f *failing) Write(p []byte) (int, error) {
	if *f -= failing(len(p)); *f < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestResultsOfFullDisksAreNone: an error of writing is not of the list, of which the filter
// returns a summary all the same.
func TestResultsOfFullDisksAreNone(t *testing.T) {
	dir := t.TempDir()
	urls, none := strings.Repeat("https://host.example/open\n", 100_000), strings.Repeat("no URL\n", 500_000)
	for name, text := range map[string]string{"urls.txt": urls, "none.txt": none} {
		o := job.FilterOptions{
			Agents: []job.Agent{{Name: "GPTBot"}}, Robots: job.RobotsFile{Name: saved(t, dir, "robots.txt", "")},
			URLs: job.Inputs{Names: []string{saved(t, dir, name, text)}}, Invalid: true,
		}
		room := failing(len(text) * 2 / 3)
		if err := (&outcome{List: name}).fill(t.Context(), o, &room); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFiltersThatEndEarlyHaveNoResult: the rows of a list that are there would be taken for all.
func TestFiltersThatEndEarlyHaveNoResult(t *testing.T) {
	early := &outcome{}
	if err := early.take(&job.Filtered{Summary: filter.Summary{Read: 2, Kept: 2}}, inputError(errFull)); !errors.Is(err,
		errNoOutput) || !early.Filtered.Partial || !slices.Equal(early.Messages, []string{errFull.Error()}) {
		t.Errorf("%v, %+v", err, early)
	}
}

// TestRobotsFromStandardInput: robots.txt is read by the process that submits the job.
func TestRobotsFromStandardInput(t *testing.T) {
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	code := program(1<<30).Run(t.Context(), []string{
		"filter", "--robots", "-", "--agent", "GPTBot", "--out", filepath.Join(dir, "out"),
		saved(t, dir, "urls.txt", "https://a.example/private/\nhttps://a.example/open\n"),
	}, strings.NewReader("User-agent: *\nDisallow: /private/\n"), &stdout, &stderr)
	if kept, err := os.ReadFile(filepath.Join(dir, "out", "urls.txt")); code != 0 || err != nil ||
		string(kept) != "https://a.example/open\n" {
		t.Errorf("code %d, %q, %v: %s", code, kept, err, &stderr)
	}
}

// TestWarningsAreSaidOnce, however many lists they are about.
func TestWarningsAreSaidOnce(t *testing.T) {
	dir := t.TempDir()
	rules := filepath.Join(dir, "rules.rsv")
	if _, err := job.Compile(t.Context(), job.CompileOptions{Sources: []string{saved(t, dir, "hosts/a.example/robots.txt",
		"User-agent: *\n")}, Output: rules}); err != nil {
		t.Fatal(err)
	}
	const warning, list = "serves Googlebot-News too", "https://a.example/\n"
	if _, diagnosis := ended(t, 0, warning, 1<<30, "filter", "--rules", rules, "--agent", "Googlebot", "--out",
		filepath.Join(dir, "out"), saved(t, dir, "a.txt", list), saved(t, dir, "b.txt", list)); strings.Count(diagnosis,
		warning) != 1 {
		t.Error(diagnosis)
	}
}

// TestPagesOfRecords drops records by what their pages say, and says which list has none.
func TestPagesOfRecords(t *testing.T) {
	dir := t.TempDir()
	record := func(name, header string) string {
		block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + header + "\r\nx"
		return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/%s\r\nWARC-Date: "+
			"2026-10-01T00:00:00Z\r\n"+
			"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", name, len(block), block)
	}
	open, robots, out := record("open", ""), saved(t, dir, "robots.txt", ""), filepath.Join(dir, "out")
	pages := saved(t, dir, "pages.warc", open+record("closed", "X-Robots-Tag: noindex\r\n"))
	urls := saved(t, dir, "urls.txt", "http://a.example/\n")
	args := []string{"filter", "--robots", robots, "--agent", "GPTBot", "--page", "noindex", "--out", out, pages}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{{args, 0, ""}, {append(args, urls), 3, urls + ": not filtered: --page looks into the records of WARC files"}} {
		ended(t, c.code, c.says, 1<<30, c.args...)
		if got, err := os.ReadFile(filepath.Join(out, "pages.warc")); err != nil || string(got) != open {
			t.Errorf("%v: %q", err, got)
		}
		if _, err := os.Stat(filepath.Join(out, "urls.txt")); err == nil {
			t.Error("there is a result of what was not filtered")
		}
	}
}

// TestFilesOfAFilesystem audits and filters files of a filesystem that is not the disk, and writes
// there.
func TestFilesOfAFilesystem(t *testing.T) {
	args, set := logs(t, 3)
	want := oneAudit(t, set)
	memory, err := filesystem.New(t.Context(), "memfs://logs")
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, path string) {
		if err := copyOut(context.Background(), memory, path, name); err != nil {
			t.Fatal(err)
		}
	}
	args = args[:len(args)-len(set.Names)]
	for _, name := range set.Names {
		put("memfs://logs/"+filepath.Base(name), name)
		args = append(args, "memfs://logs/"+filepath.Base(name))
	}
	out, _ := ended(t, 3, "memfs://logs/damaged.log.gz", 40_000,
		append(args, "--scratch", "memfs://scratch", "--output", "json")...)
	text := strings.ReplaceAll(out, "memfs://logs/", filepath.Dir(set.Names[0])+"/")
	same(t, reportOf(t, text), want)

	_, robots, names := lists(t)
	put("memfs://lists/one.txt", names[1])
	ended(t, 3, "no file matches", 40_000, "filter", "--robots", robots, "--agent", "GPTBot", "--out", "memfs://out",
		"--scratch", "memfs://scratch", "memfs://lists/*.txt", "memfs://lists/*.none")
	got, err := readAll(t.Context(), "memfs://out/one.txt")
	if err != nil || string(got) != kept(t, robots, names[1]) {
		t.Errorf("%v: %q", err, got)
	}
	if left, err := memory.List(t.Context(), "memfs://scratch/*"); err != nil || len(left) > 0 {
		t.Errorf("%s stay in the scratch folder, %v", left, err)
	}
}
