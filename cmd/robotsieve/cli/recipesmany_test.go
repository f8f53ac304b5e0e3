package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/source"
)

// manyProcesses is the recipe whose blocks belong together: the first makes a script, the last two add states up, and each of
// the others has the script run for all logs.
const manyProcesses = "Many logs, many processes"

// TestRecipesForManyProcesses makes the states of several logs with each tool that is there, and compares their sum with one audit. One log is
// damaged, and two have the same name in two folders.
func TestRecipesForManyProcesses(t *testing.T) {
	if underRace {
		t.Skip("the recipes run processes of their own")
	}
	page, err := os.ReadFile("../../../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks, kinds []string
	title := ""
	for _, b := range recipeBlock.FindAllStringSubmatch(string(page), -1) {
		if b[1] != "" {
			title = b[1]
		} else if title == manyProcesses {
			kinds, blocks = append(kinds, b[2]), append(blocks, b[3])
		}
	}
	if len(blocks) < 6 {
		t.Fatalf("%d blocks were found", len(blocks))
	}
	n := len(blocks)
	for i, run := range blocks[1 : n-2] {
		t.Run(strings.Fields(run)[0]+fmt.Sprint(i), func(t *testing.T) {
			if kinds[i+1] == "pyspark" { // Spark gives the elements of a partition to one process, a line each
				run = "find logs -type f | while read -r log; do echo \"$log\" | " + regexp.MustCompile(`pipe\("(.*)"\)`).FindStringSubmatch(run)[1] + "; done\n"
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
			c.Dir, c.Stdin, c.Env = here, strings.NewReader(script), withCommand(t)
			out, err := c.CombinedOutput()
			if c.ProcessState.ExitCode() != exitInput { // that of the report, which is partial
				t.Fatalf("%v\n%s\n%s", err, script, out)
			}
			sum, err := os.ReadFile(filepath.Join(here, "report.json"))
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(here)
			one := command(t, "", append([]string{"audit", "--output", "json", "--policy", "policy.csv", "--host", "https://lantern.example", "--ip-ranges", "ranges"}, logs...)...)
			var got, want audit.Report
			if err := json.Unmarshal(sum, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if err := json.Unmarshal([]byte(one.out), &want); err != nil {
				t.Fatal(err, one.err)
			}
			if len(got.Inputs) != len(logs) || !reflect.DeepEqual(got.Totals, want.Totals) || !reflect.DeepEqual(got.Crawlers, want.Crawlers) || got.Lines != want.Lines || !got.Partial {
				t.Errorf("%d inputs of %d, %+v and not %+v", len(got.Inputs), len(logs), got.Totals, want.Totals)
			}
		})
	}
}

// manySmallLogs divides the log of the sample, in a folder, into some in logs, and returns their names.
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
	for i, name := range []string{"a/access.log", "b/access.log", "b/access.log.1.gz", "b/two words.log", "b/damaged.log.gz"} {
		name = filepath.Join("logs", name)
		part := bytes.Join(lines[i*len(lines)/5:(i+1)*len(lines)/5], nil)
		if strings.HasSuffix(name, ".gz") {
			part = source.AppendMember(nil, part)
		}
		if strings.Contains(name, "damaged") {
			part = part[:len(part)/2]
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, part, 0o666); err != nil {
			t.Fatal(err)
		}
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
