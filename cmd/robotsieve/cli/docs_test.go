package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

var update = flag.Bool("update", false, "write the files of testdata anew: read them before you keep them")

// TestGolden compares each output for the sample with what was read and found good. After a
// change to one, make golden writes the files of testdata anew, to be read again.
func TestGolden(t *testing.T) {
	folder, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../../..")
	same := func(name, got string) {
		t.Helper()
		name = filepath.Join(folder, name)
		if *update {
			write(t, name, got)
		}
		want := raw(t, name)
		if got != string(want) {
			t.Errorf("%s: it differs at %s", name, reporttest.FirstDifference(got, string(want)))
		}
	}
	for _, output := range render.Outputs() {
		same("sample."+output, command(t, "", append(fullAudit("testdata/sample/"), "--output", output)...).out)
	}
	for _, file := range reportFiles {
		name := filepath.Join(t.TempDir(), "file")
		r := command(t, "", append(fullAudit("testdata/sample/"), "--quiet", "--"+file.flag, name)...)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(r.err, err)
		}
		same("sample."+file.flag, strings.ReplaceAll(string(text), name, "FILE"))
	}
}

// TestWithoutAssembly: the report is the same from a program that has neither assembly nor the
// profile of this one.
func TestWithoutAssembly(t *testing.T) {
	t.Parallel() // it waits for a build
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" || testing.Short() {
		t.Skip("needs a processor that runs two architectures, and time to build for the other one")
	}
	program := filepath.Join(t.TempDir(), "robotsieve")
	build := exec.Command(goTool(t), "build", "-pgo=off", "-o", program, "..")
	build.Env = append(os.Environ(), "GOARCH=386", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	args := append(fullAudit(sample), "--output", "json")
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := command(t, "", args...).out; string(out) != want {
		t.Errorf("it differs at %s", reporttest.FirstDifference(string(out), want))
	}
}

// neverSaid are words that say more than a log can show (audit-rules 10).
var neverSaid = []string{
	"had read", "who read it", "ept to it", "published list", "had been sent", "proven", "lawful", "nobody outside",
	"was told", "got no robots.txt", "by 1 crawler", "by 2 crawlers",
}

// TestNoOutputSaysMore: what robotsieve prints for people, as the sessions and golden files have
// it, and its letters.
func TestNoOutputSaysMore(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "evidence")
	done(t, "", append(fullAudit(sample), "--evidence", folder, "--quiet")...)
	letters, _ := filepath.Glob(filepath.Join(folder, "letter-*.txt"))
	if len(letters) != 2 {
		t.Errorf("%v", letters)
	}
	names := append(letters, "testdata/script/sentences.txtar")
	for _, form := range []string{"text", "full", "markdown", "html"} {
		names = append(names, "testdata/sample."+form)
	}
	for _, name := range names {
		text := strings.Join(strings.Fields(string(plain(t, name))), " ")
		for _, not := range neverSaid {
			if strings.Contains(text, not) {
				t.Errorf("%s says %q", name, not)
			}
		}
	}
}

// goTool returns the go command; without one the test is skipped.
func goTool(t *testing.T) string {
	t.Helper()
	name, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	return name
}

// What writes man pages, and the matcher that only tests need, are not in the binary.
func TestBinaryHasNoToolsOfTests(t *testing.T) {
	out, err := exec.Command(goTool(t), "list", "-deps", "..").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name := range strings.Lines(string(out)) {
		for _, tool := range []string{"spf13/cobra/doc", "cpuguy83/go-md2man", "russross/blackfriday", "internal/test/twin"} {
			if strings.Contains(name, tool) {
				t.Errorf("the binary has %s", name)
			}
		}
	}
}

// The list of formats has an example of each way to write one's own, and no line is wider than a
// terminal.
func TestFormatsLists(t *testing.T) {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	listFormats(w, maxWidth)
	w.Flush()
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > maxWidth {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	for _, own := range ownFormats {
		text := strings.Trim(strings.TrimPrefix(own.example, "--format "), "'")
		_, isName := format.ByName(text)
		if _, err := format.Parse(text); err != nil && !isName && !strings.HasPrefix(text, "/") {
			t.Errorf("%s: %v", own.example, err)
		}
	}
}

// recipe is a block of docs/howto/recipes.md.
type recipe struct{ title, kind, text string }

func recipes(t *testing.T) (list []recipe) {
	blocks, title := regexp.MustCompile("(?ms)^## ([^\n]+)$|^```([a-z]+)\n(.*?)^```$"), ""
	for _, b := range blocks.FindAllStringSubmatch(string(raw(t, "../../../docs/howto/recipes.md")), -1) {
		if b[1] != "" {
			title = b[1]
		} else {
			list = append(list, recipe{title, b[2], b[3]})
		}
	}
	return list
}

// TestRecipes runs each recipe of docs/howto/recipes.md with the files of the sample.
func TestRecipes(t *testing.T) {
	skipUnderRace(t)
	for _, tool := range []string{"sh", "paste", "xargs", "sed"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("there is no " + tool)
		}
	}
	ran := 0
	for _, r := range recipes(t) {
		kind, text := r.kind, r.text
		if r.title == manyProcesses || r.title == manySites {
			continue // tests of their own run them
		}
		t.Run(r.title, func(t *testing.T) {
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
				for _, run := range regexp.MustCompile(`(?m)^ +(?:run|entry): (.+)$`).FindAllStringSubmatch(text, -1) {
					script += run[1] + "\n"
				}
			case "prometheus":
				checkRules(t, text)
			case "xml":
				script = functionScript(t, text)
			case "pyspark":
				script = "printf 'https://a.example/p\\nhttps://a.example/x\\nfoo\\n' | " +
					regexp.MustCompile(`pipe\("(.*)"\)`).FindStringSubmatch(text)[1] + " > out\n" +
					"printf 'https://a.example/p\\tdisallowed\\tGPTBot\\t2\\nhttps://a.example/x\\tallowed\\t\\t0\\nfoo\\tnot_absolute\\t\\t0\\n' | cmp - out\n"
			case "python":
				t.Skip("the tests of cmd/librobotsieve/python run it")
			}
			if _, err := exec.LookPath("jq"); err != nil && strings.Contains(script, "| jq ") {
				t.Skip("there is no jq")
			}
			if script != "" {
				checkRecipe(t, script)
			} else if kind != "prometheus" {
				t.Fatalf("a recipe of the kind %q is not run", kind)
			}
		})
		ran++
	}
	if ran < 9 {
		t.Errorf("%d recipes were found", ran)
	}
}

// recipeFiles makes a folder with what the recipes name, and returns a script with the paths in it.
func recipeFiles(t *testing.T, script string) (dir, moved string) {
	dir = t.TempDir()
	sample, err := filepath.Abs("../../../testdata/sample")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"srv", "log", "prometheus"} {
		makeDir(t, filepath.Join(dir, folder))
	}
	link := func(from, to string) {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	link(sample, "srv")
	link(sample, "here")
	makeDir(t, filepath.Join(dir, "srv", "states"))
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
	docs := `{"text":"a","metadata":{"url":"https://a.example/p"}}` + "\n" +
		`{"text":"b","metadata":{"url":"https://a.example/x"}}` + "\n"
	for name, text := range map[string]string{
		"hosts.jsonl": `{"host":"a.example","body":"user-agent: *\ndisallow: /p\n"}` + "\n", "docs.jsonl": docs,
		"part-1.jsonl": docs, "part-2.jsonl": docs,
	} {
		write(t, filepath.Join(dir, name), text)
	}
	done(t, "", "compile", "-o", filepath.Join(dir, "rules.rsv"), filepath.Join(dir, "hosts.jsonl"))
}

// functionScript runs the command of a function as ClickHouse does, which writes blocks of rows and
// waits for as many lines: that answers do not wait for more rows is tested beside the filter.
func functionScript(t *testing.T, config string) string {
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
	f := functions.Function
	if f.Direct != "0" || f.Format != "TabSeparated" {
		t.Fatalf("%+v", f)
	}
	return `printf 'https://a.example/p\nhttps://a.example/x\nhttps://b.example/\nx\n\n' | ` + f.Command + ` > out
printf 'disallowed\nallowed\nno_policy\nnot_absolute\nblank\n' | cmp - out
`
}

// checkRecipe runs a script of a recipe, in which robotsieve is this program.
func checkRecipe(t *testing.T, script string) {
	if !strings.Contains(script, "robotsieve") && !strings.Contains(script, "policy.csv") {
		t.Fatalf("nothing to run in %s", script)
	}
	dir, script := recipeFiles(t, script)
	if strings.Contains(script, "git ") {
		script = inRepository(t) + script
	}
	c := exec.Command("sh", "-eu")
	c.Dir, c.Stdin, c.Env = filepath.Join(dir, "here"), strings.NewReader(script), os.Environ()
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
		{"--evidence", "here/evidence/evidence.json", "{"},
		{"> robots.sarif", "here/robots.sarif", "{\n  \"$schema\":"},
		{">> " + dir, "srv/policy.csv", "from,origin,status,file\n"},
	} {
		if !strings.Contains(script, made.name) {
			continue
		}
		if text, err := os.ReadFile(filepath.Join(dir, made.in)); err != nil ||
			!strings.HasPrefix(string(text), made.begins) {
			t.Errorf("%s: %v, %.200q", made.in, err, text)
		}
	}
}

// inRepository returns the beginning of a script that makes of its folder a repository with two commits.
func inRepository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	return `git init -q .
git add robots.txt
for message in one two; do
  git -c user.name=x -c user.email=x@x.example commit -q --allow-empty -m $message
done
`
}

// checkRules wants each metric and label of rules for Prometheus in the figures of the sample,
// and has promtool check the rules where there is one.
func checkRules(t *testing.T, rules string) {
	dir, prom := t.TempDir(), filepath.Join(t.TempDir(), "a.prom")
	sample := "../../../testdata/sample/"
	r := command(t, "", "audit", "--quiet", "--policy", sample+"policy.csv", "--host", "https://lantern.example",
		"--crawlers", sample+"crawlers.json", "--ip-ranges", sample+"ranges", "--prometheus", prom, sample+"access.log.gz")
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
	write(t, name, rules)
	if out, err := exec.Command(promtool, "check", "rules", name).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// manyProcesses is the recipe whose blocks belong together: the first makes a script, the last two
// add states up, and each of the others has the script run for all logs.
const manyProcesses = "Many logs, many processes"

// TestRecipesForManyProcesses makes the states of several logs with each tool that is there, and
// compares their sum with one audit. One log is damaged, and two have the same name in two folders.
func TestRecipesForManyProcesses(t *testing.T) {
	skipUnderRace(t)
	var blocks, kinds []string
	for _, r := range recipes(t) {
		if r.title == manyProcesses {
			kinds, blocks = append(kinds, r.kind), append(blocks, r.text)
		}
	}
	if len(blocks) < 6 {
		t.Fatalf("%d blocks were found", len(blocks))
	}
	n := len(blocks)
	for i, run := range blocks[1 : n-2] {
		t.Run(strings.Fields(run)[0]+fmt.Sprint(i), func(t *testing.T) {
			if kinds[i+1] == "pyspark" { // Spark gives the elements of a partition to one process, a line each
				run = "find logs -type f | while read -r log; do echo \"$log\" | " +
					regexp.MustCompile(`pipe\("(.*)"\)`).FindStringSubmatch(run)[1] + "; done\n"
			}
			for _, tool := range []string{"sh", "xargs", "find", "parallel"} {
				if _, err := exec.LookPath(tool); err != nil && strings.Contains(run, tool+" ") {
					t.Skip("there is no " + tool)
				}
			}
			if strings.Contains(run, "sbatch") && exec.Command("sinfo").Run() != nil {
				t.Log("no SLURM runs here: its tasks are run one after the other")
				run = withoutSLURM(t, run)
			}
			dir, script := recipeFiles(t, strings.Join(append([]string{blocks[0], run}, blocks[n-2:]...), "\n"))
			here := filepath.Join(dir, "here")
			logs := manySmallLogs(t, here)
			c := exec.Command("sh", "-u")
			c.Dir, c.Stdin, c.Env = here, strings.NewReader(script), os.Environ()
			out, err := c.CombinedOutput()
			if c.ProcessState.ExitCode() != exitInput { // that of the report, which is partial
				t.Fatalf("%v\n%s\n%s", err, script, out)
			}
			sum := raw(t, filepath.Join(here, "report.json"))
			t.Chdir(here)
			one := command(t, "", append([]string{"audit", "--output", "json", "--policy", "policy.csv", "--host",
				"https://lantern.example", "--ip-ranges", "ranges"}, logs...)...)
			var got, want report.Report
			if err := json.Unmarshal(sum, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if err := json.Unmarshal([]byte(one.out), &want); err != nil {
				t.Fatal(err, one.err)
			}
			if len(got.Inputs) != len(logs) || !reflect.DeepEqual(got.Totals, want.Totals) ||
				!reflect.DeepEqual(got.Crawlers, want.Crawlers) || got.Lines != want.Lines || !got.Partial {
				t.Errorf("%d inputs of %d, %+v and not %+v", len(got.Inputs), len(logs), got.Totals, want.Totals)
			}
		})
	}
}

// manySmallLogs divides the log of the sample, in a folder, into some in logs, and returns their
// names.
func manySmallLogs(t *testing.T, dir string) (names []string) {
	t.Helper()
	in, err := source.NewFile(filepath.Join(dir, "access.log.gz"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := in.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var log bytes.Buffer
	if _, err := log.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(log.Bytes(), []byte("\n"))
	for i, name := range []string{"a/access.log", "b/access.log", "b/access.log.1.gz", "b/two words.log",
		"b/damaged.log.gz"} {
		name = filepath.Join("logs", name)
		part := bytes.Join(lines[i*len(lines)/5:(i+1)*len(lines)/5], nil)
		if strings.HasSuffix(name, ".gz") {
			part = source.AppendMember(nil, part)
		}
		if strings.Contains(name, "damaged") {
			part = part[:len(part)/2]
		}
		write(t, filepath.Join(dir, name), string(part))
		names = append(names, name)
	}
	return names
}

// withoutSLURM makes of the job of an array a loop over its tasks.
func withoutSLURM(t *testing.T, script string) string {
	t.Helper()
	job := regexp.MustCompile(`(?m)^sbatch .*--array=(\d+)-(\S+(?: \S+)*?) --.*--wrap '(.*)'$`)
	if !job.MatchString(script) {
		t.Fatalf("no job of an array: %s", script)
	}
	return job.ReplaceAllString(script, "for SLURM_ARRAY_TASK_ID in $$(seq $1 $2); do $3; done")
}
