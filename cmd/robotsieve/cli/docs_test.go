package cli

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/format"
)

var update = flag.Bool("update", false, "write the files of testdata anew: read them before you keep them")

// TestGolden compares each output for the sample with a reviewed file. After a change, make golden
// rewrites the files of testdata, which must be reviewed again.
func TestGolden(t *testing.T) {
	folder := must.Get(filepath.Abs("testdata"))(t)
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

// TestWithoutAssembly checks that a program without assembly and without a profile gives the same
// report.
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
	out := must.Get(exec.Command(program, args...).Output())(t)
	if want := command(t, "", args...).out; string(out) != want {
		t.Errorf("it differs at %s", reporttest.FirstDifference(string(out), want))
	}
}

// neverSaid are words that say more than a log can show (audit-rules 10).
var neverSaid = []string{
	"had read", "who read it", "ept to it", "published list", "had been sent", "proven", "lawful", "nobody outside",
	"was told", "got no robots.txt", "by 1 crawler", "by 2 crawlers",
}

// TestNoOutputSaysMore checks the wording of the program's output for people, as recorded in
// sessions, golden files and letters.
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

// TestBinaryHasNoToolsOfTests checks that the binary contains neither the man page generator nor
// the matcher for tests.
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

// TestFormatsLists checks that the list of formats has an example of each notation for custom
// formats, and fits a terminal.
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

// block is a fenced block of a page, under a heading.
type block struct{ title, kind, text string }

func blocksOf(t *testing.T, page string) (list []block) {
	t.Helper()
	title := ""
	for _, b := range fenced.FindAllStringSubmatch(string(raw(t, page)), -1) {
		if b[1] != "" {
			title = b[1]
		} else {
			list = append(list, block{title, b[2], b[3]})
		}
	}
	return list
}

var fenced = regexp.MustCompile("(?ms)^##+ ([^\n]+)$|^```([a-z-]*)\n(.*?)^```$")

// TestPages runs the commands of README.md and of each page in docs, in a copy of the sample. A
// console block is a session whose output is compared (a line ... stands for any lines, and -update
// rewrites the others); the commands of an sh block must succeed. A shell block is only shown,
// because it needs the network or another machine, but its flags must exist.
func TestPages(t *testing.T) {
	skipUnderRace(t)
	for _, tool := range []string{"sh", "paste", "xargs", "sed"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("there is no " + tool)
		}
	}
	pages, _ := filepath.Glob("../../../docs/*/*.md")
	for _, page := range append(pages, "../../../README.md") {
		t.Run(filepath.Base(page), func(t *testing.T) {
			dir := pageFiles(t)
			for _, b := range blocksOf(t, page) {
				t.Run(b.title, func(t *testing.T) { runBlock(t, page, dir, b) })
			}
		})
	}
}

// runBlock runs a block of a page in a folder with the files of the sample.
func runBlock(t *testing.T, page, dir string, b block) {
	switch b.kind {
	case "console", "":
		if b.kind == "" && !strings.HasPrefix(b.text, "$ ") {
			if strings.HasPrefix("\n"+b.text, "\nrobotsieve ") {
				t.Errorf("commands in a block without a kind: console, sh or shell\n%s", b.text)
			}
			return
		}
		if got := session(t, dir, b.text); *update {
			text := string(raw(t, page))
			write(t, page, strings.Replace(text, "```"+b.kind+"\n"+b.text, "```"+b.kind+"\n"+got, 1))
		} else if got != b.text {
			t.Errorf("the page shows\n%s\nbut it prints\n%s", b.text, got)
		}
	case "sh":
		runScript(t, dir, b.text)
	case "crontab": // five fields of a time, and a command whose % are escaped
		fields := regexp.MustCompile(`^(?:\S+ ){5}(.+\n)$`).FindStringSubmatch(b.text)
		if fields == nil || strings.Contains(strings.ReplaceAll(fields[1], `\%`, ""), "%") {
			t.Fatalf("not a line of a crontab: %s", b.text)
		}
		runScript(t, dir, strings.ReplaceAll(fields[1], `\%`, "%"))
	case "yaml":
		script := ""
		for _, run := range regexp.MustCompile(`(?m)^ +(?:run|entry): (.+)$`).FindAllStringSubmatch(b.text, -1) {
			script += run[1] + "\n"
		}
		runScript(t, dir, script)
	case "prometheus":
		checkRules(t, b.text)
	case "xml":
		runScript(t, dir, functionScript(t, b.text))
	case "shell":
		checkFlagNames(t, b.text)
	}
}

// checkFlagNames checks that the flags of each call of robotsieve in a script are there.
func checkFlagNames(t *testing.T, script string) {
	script = strings.ReplaceAll(script, "\\\n", " ")
	for _, call := range regexp.MustCompile(`robotsieve (\w+)([^|;&>)\n]*)`).FindAllStringSubmatch(script, -1) {
		for _, name := range regexp.MustCompile(`\s--([a-z0-9-]+)`).FindAllStringSubmatch(call[2], -1) {
			if !slices.Contains(allFlags(), name[1]) {
				t.Errorf("robotsieve %s has no flag --%s", call[1], name[1])
			}
		}
	}
}

func allFlags() (names []string) {
	for _, row := range flagTable() {
		names = append(names, row.name)
	}
	return names
}

// pageFiles makes a folder with what the pages name.
func pageFiles(t *testing.T) string {
	dir, sample := t.TempDir(), "../../../testdata/sample"
	for _, to := range []string{"here", "here/testdata/sample", "srv/site"} {
		must.Do(t, os.CopyFS(filepath.Join(dir, to), os.DirFS(sample)))
	}
	for _, folder := range []string{"var/log/nginx", "var/lib/prometheus/node-exporter", "srv/site/states"} {
		makeDir(t, filepath.Join(dir, folder))
	}
	log := string(raw(t, filepath.Join(sample, "access.log.gz")))
	write(t, filepath.Join(dir, "var/log/nginx/access.log-20261119"), log)
	corpus(t, filepath.Join(dir, "here"))
	lines := bytes.SplitAfter(plain(t, filepath.Join(sample, "access.log.gz")), []byte("\n"))
	for i, name := range []string{"a/access.log", "b/access.log", "b/two words.log"} {
		part := bytes.Join(lines[i*len(lines)/3:(i+1)*len(lines)/3], nil)
		write(t, filepath.Join(dir, "here/logs", name), string(part))
	}
	for _, month := range []string{"2026-01", "2026-02", "2026-03"} {
		write(t, filepath.Join(dir, "here/crawl/2026", month+"-robots.txt/a.example.txt"), "user-agent: *\ndisallow: /p\n")
	}
	write(t, filepath.Join(dir, "here/crawled.log"), "a.example "+strings.Replace(logLine("/p", "GPTBot/1"), "Nov", "Feb", 1))
	return dir
}

// paths replaces the paths of a server by paths in a folder, and a period that ends before the
// sample.
func paths(dir, script string) string {
	demo := "robotsieve " + strings.Join(fullAudit("testdata/sample/"), " ")
	return regexp.MustCompile(`/(srv|var)/`).ReplaceAllString(strings.NewReplacer("--since 7d", "--since 3660d",
		"make demo\n", demo+"\n", "bin/robotsieve", "robotsieve").Replace(script), dir+"/$1/")
}

// session runs the commands of a block, which begin with $, and returns the block with what they print.
func session(t *testing.T, dir, block string) string {
	var b strings.Builder
	for part := range strings.SplitSeq("\n"+block, "\n$ ") {
		if part = strings.TrimPrefix(part, "\n"); part == "" {
			continue
		}
		call := regexp.MustCompile(`^(?s:[^\n]*<<'END'\n.*?\nEND(?:\n|$))|^(?:.*\\\n)*.*(?:\n|$)`).FindString(part)
		shown := strings.TrimSuffix(strings.TrimPrefix(part, call), "\n")
		c := exec.Command("sh", "-c", paths(dir, call))
		c.Dir = filepath.Join(dir, "here")
		out, _ := c.CombinedOutput()
		got := strings.ReplaceAll(string(out), dir+"/", "/")
		if elided(shown, got) {
			got = shown + "\n"
		}
		b.WriteString("$ " + strings.TrimSuffix(call, "\n") + "\n" + got)
	}
	return b.String()
}

// elided reports whether text is what is shown, in which lines of ... stand for any lines.
func elided(shown, text string) bool {
	if !strings.Contains("\n"+shown+"\n", "\n...\n") {
		return false
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta("\n"+shown), "\n"+`\.\.\.`, `(?:\n.*)*?`)
	return regexp.MustCompile(`^` + pattern + `\n?$`).MatchString("\n" + text)
}

func runScript(t *testing.T, dir, script string) {
	for _, tool := range []string{"jq", "git", "sqlite3", "duckdb", "curl", "python3", "openssl", "xxd", "parallel"} {
		if _, err := exec.LookPath(tool); err != nil && regexp.MustCompile(`(?m)(^|[|&!(] *)`+tool+" ").MatchString(script) {
			t.Skip("there is no " + tool)
		}
	}
	if strings.Contains(script, "git ") {
		script = inRepository(t) + script
	}
	c := exec.Command("sh", "-eu")
	c.Dir, c.Stdin, c.Env = filepath.Join(dir, "here"), strings.NewReader(paths(dir, script)), os.Environ()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}
	for _, made := range []struct{ name, in, begins string }{
		{"robotsieve.prom", "var/lib/prometheus/node-exporter/robotsieve.prom", "# HELP robotsieve_info"},
		{"month.json", "srv/site/month.json", "{\n  \"schema\": \"robotsieve.audit/3\""},
		{"--html report.html", "here/report.html", "<!doctype html>"},
		{"> rows.parquet", "here/rows.parquet", "PAR1"},
		{"FILE.kept", "here/part-2.jsonl.kept", "{\"text\":\"b\""},
		{"> robots.sarif", "here/robots.sarif", "{\n  \"$schema\":"},
		{"sums/* > report.json", "here/report.json", "{\n  \"schema\": \"robotsieve.audit/3\""},
		{"crawled.log", "here/classes-2026-02.csv", "origin,from,until,status,agent"},
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
	must.Do(t, xml.Unmarshal([]byte(config), &functions))
	f := functions.Function
	if f.Direct != "0" || f.Format != "TabSeparated" {
		t.Fatalf("%+v", f)
	}
	return `printf 'https://a.example/p\nhttps://a.example/x\nhttps://b.example/\nx\n\n' | ` + f.Command + ` > out
printf 'disallowed\nallowed\nno_policy\nnot_absolute\nblank\n' | cmp - out
`
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
