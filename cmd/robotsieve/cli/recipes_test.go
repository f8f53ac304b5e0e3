package cli

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// recipeBlock finds the titles and blocks of recipes.
var recipeBlock = regexp.MustCompile("(?ms)^## ([^\n]+)$|^```([a-z]+)\n(.*?)^```$")

// TestRecipes runs each recipe of docs/recipes.md with the files of the sample.
func TestRecipes(t *testing.T) {
	if underRace {
		t.Skip("the recipes run processes of their own")
	}
	for _, tool := range []string{"sh", "paste", "xargs", "sed"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("there is no " + tool)
		}
	}
	page, err := os.ReadFile("../../../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	title, ran := "", 0
	for _, b := range recipeBlock.FindAllStringSubmatch(string(page), -1) {
		if b[1] != "" {
			title = b[1]
			continue
		}
		kind, text := b[2], b[3]
		if title == manyProcesses {
			continue // TestRecipesForManyProcesses runs them together
		}
		t.Run(title, func(t *testing.T) {
			script := ""
			switch kind {
			case "sh":
				script = text
			case "crontab": // five fields of a time, and a command whose % are escaped
				fields := regexp.MustCompile(`^(?:\S+ ){5}(.+\n)$`).FindStringSubmatch(text)
				if fields == nil || strings.Contains(strings.ReplaceAll(fields[1], `\%`, ""), "%") {
					t.Fatalf("not a line of a crontab: %s", text)
				}
				script = strings.ReplaceAll(fields[1], `\%`, "%")
			case "yaml":
				for _, run := range regexp.MustCompile(`(?m)^ +run: (.+)$`).FindAllStringSubmatch(text, -1) {
					script += run[1] + "\n"
				}
			case "prometheus":
				checkRules(t, text)
			case "xml":
				checkFunction(t, text)
			case "pyspark":
				script = "printf 'https://a.example/p\\nhttps://a.example/x\\nfoo\\n' | " + regexp.MustCompile(`pipe\("(.*)"\)`).FindStringSubmatch(text)[1] + " > out\n" +
					"printf 'https://a.example/p\\tdisallowed\\tGPTBot\\t2\\nhttps://a.example/x\\tallowed\\t\\t0\\nfoo\\tnot_absolute\\t\\t0\\n' | cmp - out\n"
			case "python":
				checkDataTrove(t, text)
			}
			if _, err := exec.LookPath("jq"); err != nil && strings.Contains(script, "| jq ") {
				t.Skip("there is no jq")
			}
			if script != "" {
				checkRecipe(t, script)
			} else if kind != "prometheus" && kind != "xml" && kind != "python" {
				t.Fatalf("a recipe of the kind %q is not run", kind)
			}
		})
		ran++
	}
	if ran < 9 {
		t.Errorf("%d recipes were found", ran)
	}
}

// recipeFiles makes a folder with what the recipes name, and returns a script with the paths
// in it.
func recipeFiles(t *testing.T, script string) (dir, moved string) {
	dir = t.TempDir()
	sample, err := filepath.Abs("../../../testdata/sample")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"srv", "log", "prometheus"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	link := func(from, to string) {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	link(sample, "srv")
	link(sample, "here")
	if err := os.Mkdir(filepath.Join(dir, "srv", "states"), 0o777); err != nil {
		t.Fatal(err)
	}
	corpus(t, filepath.Join(dir, "here"))
	log, err := os.ReadFile(filepath.Join(sample, "access.log.gz"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "log", "access.log-20261119.gz"), log, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, strings.NewReplacer("/srv/site", filepath.Join(dir, "srv"), "/var/log/nginx", filepath.Join(dir, "log"),
		"/var/lib/prometheus/node-exporter", filepath.Join(dir, "prometheus"),
		"--since 7d", "--since 3660d").Replace(script) // the sample does not get younger
}

// corpus makes documents, the robots.txt of their hosts, and an archive of these.
func corpus(t *testing.T, dir string) {
	t.Helper()
	docs := `{"text":"a","metadata":{"url":"https://a.example/p"}}` + "\n" + `{"text":"b","metadata":{"url":"https://a.example/x"}}` + "\n"
	for name, text := range map[string]string{
		"hosts.jsonl": `{"host":"a.example","body":"user-agent: *\ndisallow: /p\n"}` + "\n", "docs.jsonl": docs, "part-1.jsonl": docs, "part-2.jsonl": docs,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if r := command(t, "", "compile", "-o", filepath.Join(dir, "rules.rsv"), filepath.Join(dir, "hosts.jsonl")); r.code != exitDone {
		t.Fatal(r.err)
	}
}

// withCommand returns an environment in which robotsieve is this program.
func withCommand(t *testing.T) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "robotsieve"), []byte("#!/bin/sh\n"+asCommand+"=1 exec '"+self+"' \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
}

// checkFunction runs the command of a function as ClickHouse does: it writes a block of rows, waits for as many lines, and writes the next block.
func checkFunction(t *testing.T, config string) {
	var functions struct {
		Function struct {
			Command string `xml:"command"`
			Direct  string `xml:"execute_direct"`
			Format  string `xml:"format"`
		} `xml:"function"`
	}
	if err := xml.Unmarshal([]byte(config), &functions); err != nil {
		t.Fatal(err)
	}
	if f := functions.Function; f.Direct != "0" || f.Format != "TabSeparated" {
		t.Fatalf("%+v", f)
	}
	c := exec.Command("/bin/sh", "-c", functions.Function.Command)
	c.Dir, c.Env = t.TempDir(), withCommand(t)
	corpus(t, c.Dir)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(20*time.Second, func() { _ = c.Process.Kill(); in.Close() }).Stop()
	answers := bufio.NewReader(out)
	for _, block := range []struct{ rows, want string }{
		{"https://a.example/p\nhttps://a.example/x\n", "disallowed\nallowed\n"}, {"https://b.example/\n", "no_policy\n"}, {"x\n\nhttps://a.example/p\n", "not_absolute\nblank\ndisallowed\n"},
	} {
		if _, err := io.WriteString(in, block.rows); err != nil {
			t.Fatal(err)
		}
		got := ""
		for range strings.Count(block.rows, "\n") {
			line, err := answers.ReadString('\n')
			if err != nil {
				t.Fatalf("%q is answered by %q, %v", block.rows, got+line, err)
			}
			got += line
		}
		if got != block.want {
			t.Errorf("%q is answered by %q", block.rows, got)
		}
	}
	in.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// checkDataTrove runs a filter with a base class that calls it as that of DataTrove does, in batches.
func checkDataTrove(t *testing.T, script string) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no Python")
	}
	dir := t.TempDir()
	corpus(t, dir)
	base := filepath.Join(dir, "datatrove", "pipeline", "filters")
	if err := os.MkdirAll(base, 0o777); err != nil {
		t.Fatal(err)
	}
	const stub = "class BaseFilter:\n    def __init__(self, exclusion_writer=None, batch_size=1):\n        self.batch_size = batch_size\n"
	if err := os.WriteFile(filepath.Join(base, "base_filter.py"), []byte(stub), 0o666); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, "-")
	c.Dir, c.Env = dir, append(withCommand(t), "PYTHONPATH="+dir)
	c.Stdin = strings.NewReader(script + `
class Doc:
    def __init__(self, url):
        self.metadata = {"url": url} if url else {}

f = RobotsFilter("rules.rsv", ["GPTBot", "CCBot"])
print(f.filter_batch([Doc("https://a.example/p"), Doc("https://a.example/x"), Doc(None)]))
print(f.filter(Doc("https://b.example/")), f.filter(Doc("https://a.example/p2")))
`)
	out, err := c.CombinedOutput()
	if want := "[(False, 'barred: GPTBot,CCBot'), True, True]\nTrue (False, 'barred: GPTBot,CCBot')\n"; err != nil || string(out) != want {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
}

// checkRecipe runs a script of a recipe, in which robotsieve is this program.
func checkRecipe(t *testing.T, script string) {
	if !strings.Contains(script, "robotsieve") && !strings.Contains(script, "policy.csv") {
		t.Fatalf("nothing to run in %s", script)
	}
	dir, script := recipeFiles(t, script)
	c := exec.Command("sh", "-eu")
	c.Dir, c.Stdin, c.Env = filepath.Join(dir, "here"), strings.NewReader(script), withCommand(t)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out.String())
	}
	for _, made := range []struct{ name, in, begins string }{
		{"robotsieve.prom", "prometheus/robotsieve.prom", "# HELP robotsieve_info"},
		{"month.json", "srv/month.json", "{\n  \"schema\": \"robotsieve.audit/3\""},
		{"report.html", "here/report.html", "<!doctype html>"},
		{"rows.parquet", "here/rows.parquet", "PAR1"},
		{"docs.both", "here/docs.both", "disallowed\tGPTBot,CCBot\t2\t{\"text\":\"a\""},
		{"docs.barred", "here/docs.barred", "https://a.example/p GPTBot,CCBot\n"},
		{"FILE.kept", "here/part-2.jsonl.kept", "{\"text\":\"b\""},
		{"--evidence", "here/evidence/manifest.json", "{"},
		{">> " + dir, "srv/policy.csv", "from,origin,status,file\n"},
	} {
		if !strings.Contains(script, made.name) {
			continue
		}
		if text, err := os.ReadFile(filepath.Join(dir, made.in)); err != nil || !strings.HasPrefix(string(text), made.begins) {
			t.Errorf("%s: %v, %.200q", made.in, err, text)
		}
	}
}

// checkRules wants each metric and label of rules for Prometheus in the figures of the sample,
// and has promtool check the rules where there is one.
func checkRules(t *testing.T, rules string) {
	dir, prom := t.TempDir(), filepath.Join(t.TempDir(), "a.prom")
	sample := "../../../testdata/sample/"
	r := command(t, "", "audit", "--quiet", "--policy", sample+"policy.csv", "--host", "https://lantern.example", "--crawlers", sample+"crawlers.json", "--ip-ranges", sample+"ranges", "--prometheus", prom, sample+"access.log.gz")
	figures, err := os.ReadFile(prom)
	if r.code != exitDone || err != nil {
		t.Fatal(r.err, err)
	}
	for _, m := range regexp.MustCompile(`(robotsieve_[a-z_]+)(?:\{([^}]*)\})?`).FindAllStringSubmatch(rules, -1) {
		found := false
		for line := range strings.SplitSeq(string(figures), "\n") {
			matches := strings.HasPrefix(line, m[1]+"{") || strings.HasPrefix(line, m[1]+" ")
			for label := range strings.SplitSeq(m[2], ",") {
				matches = matches && strings.Contains(line, label)
			}
			found = found || matches
		}
		if !found {
			t.Errorf("no sample of %s in\n%s", m[0], figures)
		}
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Log("promtool is not there: the rules' syntax was not checked")
		return
	}
	name := filepath.Join(dir, "rules.yml")
	if err := os.WriteFile(name, []byte(rules), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(promtool, "check", "rules", name).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
