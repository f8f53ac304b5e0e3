package job

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/columnar"
	"github.com/robotsieve/robotsieve/scan/internal/history"
	"github.com/robotsieve/robotsieve/scan/report"
)

// historyInput is an input of a source of history with n rows: its arguments and the values of its flags.
type historyInput func(b *testing.B, dir string, n int) (args []string, values map[string]string)

// BenchmarkHistory reads each source with 10,000 and 100,000 rows, an index also with five million. The time per
// row should be the same.
func BenchmarkHistory(b *testing.B) {
	sizes := []int{10_000, 100_000}
	for name, input := range map[string]historyInput{"git": gitInput, "wayback": waybackInput, "captures": capturesInput,
		"index": indexInput} {
		b.Run(name, func(b *testing.B) {
			if name == "index" {
				sizes = append(sizes[:2:2], 5_000_000)
			}
			for _, n := range sizes {
				b.Run(strconv.Itoa(n), func(b *testing.B) { benchHistory(b, name, input, n) })
			}
		})
	}
	b.Run("log", func(b *testing.B) {
		for _, n := range sizes[:2] {
			b.Run(strconv.Itoa(n), func(b *testing.B) { benchLogHistory(b, n) })
		}
	})
}

func benchHistory(b *testing.B, name string, input historyInput, n int) {
	args, values := input(b, b.TempDir(), n)
	o := HistoryOptions{Source: name, Args: args, Values: values, Force: true}
	for b.Loop() {
		o.Output = filepath.Join(b.TempDir(), "out")
		made, err := History(b.Context(), o)
		if err != nil || made.Rows != int64(n) || made.Lost {
			b.Fatalf("%+v, error %v", made, err)
		}
	}
	perRow(b, n)
}

// perRow reports the time for each of n rows.
func perRow(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
	b.ReportMetric(0, "ns/op")
}

func benchLogHistory(b *testing.B, n int) {
	log := generated(b, filepath.Join(b.TempDir(), "access.log"), n, func(w *bufio.Writer, i int) {
		at := time.Unix(1767225600+int64(i)*60, 0).UTC().Format("02/Jan/2006:15:04:05 +0000")
		fmt.Fprintf(w, "192.0.2.1 - - [%s] \"GET /robots.txt HTTP/1.1\" 200 %d \"-\" \"GPTBot/1.0\"\n", at, 100+i/1000)
	})
	for b.Loop() {
		logs := LogOptions{Logs: Inputs{Names: []string{log}}, Hosts: []string{"https://a.example"}}
		answers := int64(0)
		_, err := LogHistory(b.Context(), LogHistoryOptions{LogOptions: logs}, func(s *report.LoggedSite) error {
			answers += s.Answers
			return nil
		})
		if err != nil || answers != int64(n) {
			b.Fatalf("%d answers, error %v", answers, err)
		}
	}
	perRow(b, n)
}

// generated writes a file of n lines.
func generated(b *testing.B, name string, n int, line func(w *bufio.Writer, i int)) string {
	b.Helper()
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	for i := range n {
		line(w, i)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return name
}

// bodyOfRow is the robots.txt of a row: a hundred different ones.
func bodyOfRow(i int) string { return fmt.Sprintf("User-agent: *\nDisallow: /%d\n", i%100) }

// gitInput is a repository whose every commit changes the file. It is beside forty others.
func gitInput(b *testing.B, dir string, n int) ([]string, map[string]string) {
	if _, err := exec.LookPath("git"); err != nil {
		b.Skip("there is no git")
	}
	text := generated(b, dir+"/import", n, func(w *bufio.Writer, i int) {
		body := bodyOfRow(i)
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter n <e> %d +0000\ndata 1\nx\n", 1500000000+i*60)
		for other := 0; i == 0 && other < 40; other++ {
			fmt.Fprintf(w, "M 100644 inline other%d\ndata 0\n\n", other)
		}
		fmt.Fprintf(w, "M 100644 inline public/robots.txt\ndata %d\n%s\n", len(body), body)
	})
	in, err := os.Open(text)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	initialize, load := exec.Command("git", "init", "-q", "-b", "main", dir+"/r"), exec.Command("git", "-C", dir+"/r",
		"fast-import", "--quiet")
	load.Stdin = in
	for _, cmd := range []*exec.Cmd{initialize, load} {
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	return []string{dir + "/r"}, map[string]string{"path": "public/robots.txt", "origin": "https://a.example"}
}

// waybackInput is a CDX of captures whose bodies are there: one for every hundred rows.
func waybackInput(b *testing.B, dir string, n int) ([]string, map[string]string) {
	if err := os.Mkdir(dir+"/b", 0o777); err != nil {
		b.Fatal(err)
	}
	body := func(i int) string {
		return fmt.Sprintf("User-agent: *\nDisallow: /%d\n", i/100) + strings.Repeat("#\n", 1000)
	}
	for i := 0; i < n; i += 100 {
		if err := os.WriteFile(fmt.Sprintf("%s/b/%d", dir, i), []byte(body(i)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	digest := ""
	cdx := generated(b, dir+"/a.cdx", n, func(w *bufio.Writer, i int) {
		if i%100 == 0 {
			digest = strings.TrimPrefix(history.SHA1([]byte(body(i))), "sha1:")
		}
		at := time.Unix(1500000000+int64(i)*60, 0).UTC().Format("20060102150405")
		fmt.Fprintf(w, "example,a)/robots.txt %s https://a.example/robots.txt text/plain 200 %s 1\n", at, digest)
	})
	return []string{cdx}, map[string]string{"bodies": dir + "/b"}
}

// capturesInput are lines of JSON.
func capturesInput(b *testing.B, dir string, n int) ([]string, map[string]string) {
	return []string{generated(b, dir+"/a.jsonl", n, func(w *bufio.Writer, i int) {
		at := time.Unix(1500000000+int64(i)*60, 0).UTC().Format(time.RFC3339)
		fmt.Fprintf(w, "{\"host\":\"https://h%d.example\",\"date\":\"%s\",\"body\":%q}\n", i%1000, at, bodyOfRow(i))
	})}, map[string]string{"fields": "host=host,body=body,date=date"}
}

// indexInput is an index of a thousand hosts, in an order in which they take turns.
func indexInput(b *testing.B, dir string, n int) ([]string, map[string]string) {
	f, err := os.Create(dir + "/a.parquet")
	if err != nil {
		b.Fatal(err)
	}
	w := columnar.NewWriter(f, "index", []columnar.Field{{Name: "url"}, {Name: "fetch_time", Kind: columnar.Time},
		{Name: "fetch_status", Kind: columnar.Int32}, {Name: "content_digest"}, {Name: "fetch_redirect"}})
	digests := make([]string, 100)
	if err := os.Mkdir(dir+"/b", 0o777); err != nil {
		b.Fatal(err)
	}
	for i := range digests {
		digests[i] = strings.TrimPrefix(history.SHA1([]byte(bodyOfRow(i))), "sha1:")
		if err := os.WriteFile(fmt.Sprintf("%s/b/%d", dir, i), []byte(bodyOfRow(i)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	var row bytes.Buffer
	for i := range n {
		line := columnar.AppendText(row.Bytes()[:0], fmt.Sprintf("https://h%d.example/robots.txt", i%1000))
		line = columnar.AppendNumber(line, (1500000000+int64(i)*60)*1e6)
		line = columnar.AppendNumber(line, 200)
		line = columnar.AppendText(line, digests[i%len(digests)])
		if _, err := w.Write(columnar.AppendNull(line)); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return []string{dir + "/a.parquet"}, map[string]string{"bodies": dir + "/b"}
}
