package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/report"
)

// unpack unpacks an archive of the real data beside the module into a folder.
func unpack(t *testing.T, name, dir string) {
	t.Helper()
	name = filepath.FromSlash("../../../../shared/data/" + name)
	if _, err := os.Stat(name); err != nil {
		t.Skipf("no %s beside the module", name)
	}
	if out, err := exec.Command("tar", "-C", dir, "-xJf", name).CombinedOutput(); err != nil {
		t.Skipf("tar cannot unpack it here: %v: %s", err, out)
	}
}

const manySites = "How robots.txt of many sites changed"

// TestRecipeOfManySites runs the recipe on 200 sites in 11 months. The classes of each month must
// equal those from an archive of that month alone, and the audit must report a violation only if
// all versions that may have been in force within 31 days forbid the request.
func TestRecipeOfManySites(t *testing.T) {
	skipUnderRace(t)
	list, dir := blocksOf(t, "../../../docs/howto/history.md"), t.TempDir()
	unpack(t, "history/monthly-robots-2025-2026.tar.xz", dir)
	t.Chdir(dir)
	if err := os.Rename("samber", "crawl"); err != nil {
		t.Fatal(err)
	}
	folders, _ := filepath.Glob("crawl/*/*-robots.txt")
	if len(folders) != 11 {
		t.Fatalf("%d months", len(folders))
	}
	var log bytes.Buffer
	files, _ := filepath.Glob(folders[8] + "/*.robots.txt") // November; the log is from the middle of it
	for _, name := range files {
		fmt.Fprintf(&log, "%s:443 192.0.2.1 - - [15/Nov/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 200 9 \"-\" \"GPTBot/1.2\"\n",
			strings.TrimSuffix(filepath.Base(name), ".robots.txt"))
	}
	write(t, "crawled.log", log.String())
	for _, r := range list {
		if r.title == manySites {
			c := exec.Command("sh", "-eu")
			c.Stdin, c.Env = strings.NewReader(r.text), os.Environ()
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
	}
	classes := map[string]map[string]string{}
	for _, folder := range folders {
		month := strings.TrimSuffix(filepath.Base(folder), "-robots.txt")
		classes[month] = classesIn(t, string(raw(t, "classes-"+month+".csv")))
		done(t, "", "compile", "--force", "-o", "one.rsv", folder)
		alone := classesIn(t, done(t, "", "compile", "--list", "one.rsv", "--class", "*,GPTBot", "--output", "csv").out)
		if len(alone) < 300 || len(classes[month]) < len(alone) {
			t.Errorf("%s: %d classes of %d", month, len(classes[month]), len(alone))
		}
		for of, class := range alone {
			if classes[month][of] != class {
				t.Errorf("%s: %s is %q, and by this month alone %q", month, of, classes[month][of], class)
			}
		}
	}
	var audit report.Report
	if err := json.Unmarshal(raw(t, "report.json"), &audit); err != nil {
		t.Fatal(err)
	}
	all := int64(0)
	for of := range classes["2025-11"] {
		forbids := strings.HasPrefix(of, "https://") && strings.HasSuffix(of, " GPTBot")
		for _, month := range []string{"2025-10", "2025-11", "2025-12", "2026-01"} {
			forbids = forbids && strings.HasSuffix(classes[month][of], " /")
		}
		if forbids {
			all++
		}
	}
	violations := audit.Crawlers[0].Verdicts[report.Violation]
	if audit.Policy.History != "observed" || audit.Totals.Requests != int64(len(files)) || violations == 0 ||
		violations != all {
		t.Errorf("%s: %d requests to %d sites, %d violations, %d sites forbid / all the time", audit.Policy.History,
			audit.Totals.Requests, len(files), violations, all)
	}
	t.Logf("%d sites, %d violations of %d", len(files), violations, all)
}

// classesIn returns the classes of a list, each with the shortest path that is forbidden, by origin and
// crawler.
func classesIn(t *testing.T, text string) map[string]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for _, row := range rows[1:] {
		list[row[0]+" "+row[4]] = row[6] + " " + row[7]
	}
	return list
}

// TestHistoryOfARealCrawl checks that the captures in real WARC files have the time, origin and
// status found by searching their headers.
func TestHistoryOfARealCrawl(t *testing.T) {
	skipUnderRace(t)
	dir := t.TempDir()
	unpack(t, "crawl/warc-samples.tar.xz", dir)
	t.Chdir(dir)
	header := regexp.MustCompile(`WARC/[01]\.\d+\r\n(?:[^\r\n]+\r\n)+\r\nHTTP/1\.[01] (\d+)`)
	field := func(head, name string) string {
		_, after, _ := strings.Cut(head, "\r\nWARC-"+name+": ")
		value, _, _ := strings.Cut(after, "\r\n")
		return strings.Trim(value, "<>")
	}
	all := 0
	for i, name := range []string{"ipwb/warcs/froggie.warc.gz", "ipwb/warcs/mkelly1.warc", "ipwb/warcs/mkelly2.warc",
		"ipwb/warcs/IAH-20080430204825-00000-blackbook.warc.gz", "aut/warc/example.warc.gz"} {
		data := raw(t, name)
		if strings.HasSuffix(name, ".gz") {
			z, err := gzip.NewReader(bytes.NewReader(data))
			if err == nil {
				data, err = io.ReadAll(z)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		var want, got []string
		for _, m := range header.FindAllSubmatch(data, -1) {
			head := string(m[0])
			host, isRobots := strings.CutSuffix(field(head, "Target-URI"), "/robots.txt")
			if isRobots && field(head, "Type") == "response" {
				want = append(want, fmt.Sprintf("%s %s %s", field(head, "Date"), host, m[1]))
			}
		}
		out := fmt.Sprint("out", i)
		done(t, "", "history", "captures", name, "-o", out)
		rows, _ := csv.NewReader(bytes.NewReader(raw(t, out+"/manifest.csv"))).ReadAll()
		for _, row := range rows[1:] {
			got = append(got, strings.Join(row[:3], " "))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		all += len(got)
	}
	if all < 79 {
		t.Errorf("%d captures", all)
	}
}
