package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/list"
)

// saved writes a file into a folder, and returns its name.
func saved(t *testing.T, dir, name, text string) string {
	t.Helper()
	return write(t, filepath.Join(dir, name), text)
}

// TestResultsTakeNobodysName: no result may replace a file that is read or another result, also
// through a link, and all other files are replaced.
func TestResultsTakeNobodysName(t *testing.T) {
	dir := t.TempDir()
	const urls = "https://other.example/private/\nhttps://other.example/open\n"
	a, packed := saved(t, dir, "in/a.txt", urls), saved(t, dir, "in/a.txt.zst", urls)
	robots := saved(t, dir, "side/robots.txt", "User-agent: *\nDisallow: /private/\n")
	sample, err := os.ReadFile("../../testdata/sample/crawlers.json")
	if err != nil {
		t.Fatal(err)
	}
	crawlers, rules := saved(t, dir, "side/crawlers.json", string(sample)), filepath.Join(dir, "side/rules.rsv")
	if _, err := job.Compile(t.Context(), job.CompileOptions{Sources: []string{saved(t, dir,
		"hosts/other.example/robots.txt", "User-agent: *\n")}, Output: rules}); err != nil {
		t.Fatal(err)
	}
	asList := map[string]string{}
	for _, name := range []string{"robots.txt", "crawlers.json", "rules.rsv"} {
		asList[name] = saved(t, dir, "lists/"+name, urls)
	}
	at, link, side := filepath.Join(dir, "in"), filepath.Join(dir, "link"), filepath.Join(dir, "side")
	if err := os.Symlink(at, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(side, filepath.Join(dir, "sidelink")); err != nil {
		t.Fatal(err)
	}
	old := saved(t, dir, "old/a.txt", "an old result\n")
	for name, c := range map[string]struct {
		out  string
		args []string
		says string
	}{
		"the list":   {at, []string{"--robots", robots, a}, "would replace " + a},
		"by a link":  {link, []string{"--robots", robots, a}, "would replace " + a},
		"two lists":  {dir, []string{"--robots", robots, a, packed}, "would have one name"},
		"robots.txt": {side, []string{"--robots", robots, asList["robots.txt"]}, "would replace " + robots},
		"robots.txt, by a link": {filepath.Join(dir, "sidelink"), []string{"--robots", robots, asList["robots.txt"]},
			"would replace " + robots},
		"the archive of rules": {side, []string{"--rules", rules, asList["rules.rsv"]}, "would replace " + rules},
		"the file of crawlers": {side, []string{"--robots", robots, "--crawlers", crawlers, asList["crawlers.json"]},
			"would replace " + crawlers},
		"the counts": {dir, []string{"--robots", robots, saved(t, dir, "more/"+countsName+".gz", urls)},
			"would have one name"},
		"a folder of results": {filepath.Join(dir, "new"), []string{"--robots", robots, saved(t, dir, "tree/x.gz", urls),
			saved(t, dir, "tree/x/y.txt", urls)}, "the folder of the result of"},
		"and the other way": {filepath.Join(dir, "new"), []string{"--robots", robots,
			saved(t, dir, "tree/x/y.txt", urls), saved(t, dir, "tree/x.gz", urls)}, "the folder of the result of"},
		"an old result, that is": {filepath.Dir(old), []string{"--robots", robots, a}, ""},
	} {
		before, _ := filesIn(t, dir)
		args := append([]string{"filter", "--agent", "GPTBot", "--out", c.out}, c.args...)
		if c.says == "" {
			ended(t, 0, "", 1<<30, args...)
			if got, err := os.ReadFile(old); err != nil || string(got) != "https://other.example/open\n" {
				t.Errorf("%s: %q, %v", name, got, err)
			}
			continue
		}
		ended(t, 2, c.says, 1<<30, args...)
		if after, hidden := filesIn(t, dir); !maps.Equal(after, before) || len(hidden) > 0 {
			t.Errorf("%s: there is now %q and not %q, and %q", name, after, before, hidden)
		}
	}
}

// filesIn returns the content of all files below a folder by their names, but for hidden ones, and
// the names of these.
func filesIn(t *testing.T, dir string) (files map[string]string, hidden []string) {
	t.Helper()
	files = map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(e.Name(), "."):
			hidden = append(hidden, name)
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.Type().IsRegular():
			data, err := os.ReadFile(name)
			files[name] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, hidden
}

// TestNamesOfObjects: an object may have any name, but its result is a file under --out or there is
// none.
func TestNamesOfObjects(t *testing.T) {
	for _, c := range []struct{ names, want string }{ // a want of "" is an error
		{"gs://b/lists/a.txt gs://b/lists/c/d.txt.gz", "a.txt c/d.txt"},
		{"gs://b/lists//a.txt", "a.txt"},
		{"gs://b/lists//a.txt gs://b/lists//c/a.txt", "a.txt c/a.txt"},
		{"gs://b/a.txt s3://b/a.txt", "gs/b/a.txt s3/b/a.txt"},
		{"gs://b/lists/../../../../tmp/evil", "evil"},
		{"gs://b/a.txt gs://b/../../../../tmp/evil", ""},
		{"gs://b/a.txt gs://b/c/../d.txt", ""},
		{"gs://b/a.txt gs://b//c.txt", ""},
		{"gs://b/a.txt gs://b/./c.txt", ""},
		{"gs://b/a.txt gs://b/folder/", ""},
		{"gs://b/...gz", ""}, // without its end it is the folder above
		{"gs://b/..gz", ""},
		{"gs://b/.gz", ""},
	} {
		var lists []candidate
		for name := range strings.FieldsSeq(c.names) {
			lists = append(lists, candidate{File: file{Name: name}})
		}
		for _, out := range []string{"/data/out", "gs://b/out"} {
			named, _, err := outputs(lists, &spec{Out: out, Filter: &filterSpec{}})
			var got []string
			for _, l := range named {
				got = append(got, strings.TrimPrefix(l.Output, out+"/"))
			}
			if strings.Join(got, " ") != c.want || (err == nil) == (c.want == "") {
				t.Errorf("%s in %s: %s, %v; want %q", c.names, out, got, err, c.want)
			}
		}
	}
}

// TestNamesOfResults: they do not say that a result is packed as its list was.
func TestNamesOfResults(t *testing.T) {
	for name, want := range map[string]string{
		"a/urls.txt": "a/urls.txt", "urls.txt.zst": "urls.txt", "lists.tar": "lists.txt", "a/lists.tar.gz": "a/lists.txt",
		"lists.tgz": "lists.txt",
		"lists.zip": "lists.txt", "crawl.warc.gz": "crawl.warc.gz", "crawl.warc": "crawl.warc",
		"rows.parquet": "rows.parquet",
	} {
		if got := resultName(name, list.Unknown); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := resultName("crawl.gz", list.WARC); got != "crawl.gz" {
		t.Errorf("with --format warc: %s", got)
	}
}

// TestCountsAreNoList: results are filtered again without the counts beside them, which have a line
// for each list.
func TestCountsAreNoList(t *testing.T) {
	dir, robots, names := lists(t)
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	_, diagnosis, code := command(t, 1<<30, "filter", "--robots", robots, "--agent", "GPTBot", "--out", one, names[1],
		names[1], names[2], filepath.Join(dir, "none.txt"))
	counts, err := os.ReadFile(filepath.Join(one, countsName))
	if code != 3 || err != nil || strings.Count(string(counts), "\n") != 2 ||
		strings.Contains(string(counts), `"list":""`) ||
		!strings.Contains(string(counts), `"messages":[],"schema":"robotsieve.filter/1"`) {
		t.Errorf("code %d, %v, %s: %s", code, err, diagnosis, counts)
	}
	for _, says := range []string{"read once", "none.txt"} { // what is of no list
		if !strings.Contains(diagnosis, says) {
			t.Errorf("%q is not said: %s", says, diagnosis)
		}
	}
	ended(t, 0, countsName+": not read", 1<<30, "filter", "--robots", robots, "--agent", "GPTBot", "--out", two, one)
	was, _ := filesIn(t, one)
	is, _ := filesIn(t, two)
	for name, text := range was {
		again := is[strings.Replace(name, one, two, 1)]
		if len(was) != 3 || len(is) != 3 || again != text && filepath.Base(name) != countsName {
			t.Errorf("%d files, and then %d; %s has %q, and then %q", len(was), len(is), name, text, again)
		}
	}
}
