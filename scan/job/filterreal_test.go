package job

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/test/twin"
	"github.com/robotsieve/robotsieve/scan/columnar"
	"github.com/robotsieve/robotsieve/scan/source"
)

// realLines returns the lines of a file of the reference data, decompressed. It skips the test if they are not there.
func realLines(t *testing.T, name string) (lines []string) {
	t.Helper()
	in, err := source.NewFile(filepath.FromSlash("../../../shared/data/" + name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("reference data are not part of the module: no %s", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := in.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
}

// eachOf returns every n-th of the lines that are good.
func eachOf(lines []string, n int, good func(line string) bool) (some []string) {
	i := 0
	for _, line := range lines {
		if !good(line) {
			continue
		}
		if i++; i%n == 0 {
			some = append(some, strings.TrimSuffix(line, "\n"))
		}
	}
	return some
}

// listForm is a form of lists: what precedes the rows, and the row of a URL.
type listForm struct {
	header string
	row    func(t *testing.T, i int, url string) string
	// text makes a list of URLs of which another text is printed; nil if the list has the header and the rows.
	text func(t *testing.T, urls []string) string
}

func urlLine(_ *testing.T, _ int, url string) string { return url + "\n" }

func jsonOf(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var listForms = map[string]listForm{
	"csv": {header: "id,url,note\n", row: func(t *testing.T, i int, url string) string {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		if err := w.Write([]string{fmt.Sprint(i), url, "a \"text\", with all"}); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		return b.String()
	}},
	"tsv": {row: func(_ *testing.T, i int, url string) string {
		return fmt.Sprintf("%d\t%s\n", i, strings.ReplaceAll(url, `\`, `\\`))
	}},
	"jsonl": {row: func(t *testing.T, i int, url string) string {
		return jsonOf(t, map[string]any{"text": strings.Repeat(`text with "quotes" and \n `, 80),
			"metadata": map[string]string{"url": url, "lang": "en"}, "id": i}) + "\n"
	}},
	"cdx": {header: " CDX N b a m s k r M S V g\n", row: func(_ *testing.T, i int, url string) string {
		return fmt.Sprintf("com,example)/%d 20261001000000 %s text/html 200 X - - 100 %d a.warc.gz\n", i, url, i)
	}},
	"cdxj": {row: func(t *testing.T, i int, url string) string {
		return fmt.Sprintf("com,example)/%d 20261001000000 %s\n", i,
			jsonOf(t, map[string]string{"mime": "text/html", "status": "200", "url": url}))
	}},
	"warc": {
		header: string(source.AppendMember(nil,
			[]byte("WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n"))),
		row: func(_ *testing.T, _ int, url string) string {
			return string(source.AppendMember(nil, []byte(crawled(url, "2026-10-01", "x"))))
		},
	},
	"xml": {row: urlLine, text: func(t *testing.T, urls []string) string {
		var b bytes.Buffer
		b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for _, url := range urls {
			b.WriteString("<url><loc>")
			if err := xml.EscapeText(&b, []byte(url)); err != nil {
				t.Fatal(err)
			}
			b.WriteString("</loc></url>\n")
		}
		return b.String() + "</urlset>"
	}},
	"parquet": {row: urlLine, text: func(t *testing.T, urls []string) string {
		var rows [][]string
		for _, url := range urls {
			rows = append(rows, []string{"a text", url})
		}
		return tableOf(t, []columnar.Field{{Name: "text"}, {Name: "url"}}, rows...)
	}},
}

// checkVerdicts compares the verdicts on URLs, in the form TSV, with the slow matcher, for those whose host is in the
// list of robots.txt as it is written.
func checkVerdicts(t *testing.T, hosts string, urls, verdicts []string) {
	t.Helper()
	bodies := map[string][]byte{}
	for line := range strings.Lines(hosts) {
		var r struct {
			Host, Body string
			B64        []byte `json:"body_b64"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		bodies[r.Host] = append([]byte(r.Body), r.B64...)
	}
	judged := 0
	for i, url := range urls {
		_, rest, _ := strings.Cut(url, "://")
		host, _, _ := strings.Cut(rest, "/")
		body, known := bodies[host]
		if !known {
			continue
		}
		judged++
		var barred []string
		for agent, dialect := range map[string]twin.Dialect{"GPTBot": twin.RFC9309, "Googlebot": twin.Google} {
			if allowed, _ := twin.Match(dialect, body, []byte(agent), []byte(url), 512_000, false); !allowed {
				barred = append(barred, agent)
			}
		}
		slices.Sort(barred)
		class := map[bool]string{true: "allowed", false: "disallowed"}[len(barred) == 0]
		if want := class + "\t" + strings.Join(barred, ",") + "\t"; !strings.HasPrefix(verdicts[i], want) {
			t.Errorf("%s: %q, want %q", url, verdicts[i], want)
		}
	}
	if judged < 100 {
		t.Errorf("the slow matcher has judged %d of %d URLs", judged, len(urls))
	}
}

// TestTheSameURLsInEachForm checks that all forms of a list get the verdicts of the slow matcher, and that the same
// rows are kept unchanged, with any number of workers.
func TestTheSameURLsInEachForm(t *testing.T) {
	// Of the URLs those that every form of list can have: without blanks and bytes that are not UTF-8. To compile the
	// robots.txt of all hosts takes most of the time.
	urls := eachOf(realLines(t, "urls/with-robots.txt.gz"), 25, func(url string) bool {
		return utf8.ValidString(url) && !strings.ContainsAny(url, " \t\r")
	})
	hosts := strings.Join(eachOf(realLines(t, "robots/by-host.jsonl.gz"), 10, func(string) bool { return true }), "\n")
	archive := filepath.Join(t.TempDir(), "web.rsv")
	if _, err := Compile(t.Context(), CompileOptions{Sources: []string{file(t, "hosts.jsonl", hosts)},
		Output: archive}); err != nil {
		t.Fatal(err)
	}
	run := func(path string, workers int, annotate Annotation) (string, *Filtered) {
		t.Helper()
		var b bytes.Buffer
		f, err := Filter(t.Context(), FilterOptions{
			Agents: []Agent{{Name: "GPTBot"}, {Name: "Googlebot"}}, Archive: archive, URLs: Inputs{Names: []string{path}},
			Workers: workers, Annotate: annotate,
		}, &b)
		if err != nil || f.Partial || f.Kept+f.Dropped+f.Invalid != f.Read || f.Read != int64(len(urls)) {
			t.Fatalf("%s: %+v, %v", path, f, err)
		}
		return b.String(), f
	}
	plain, sum := run(file(t, "urls.txt", strings.Join(urls, "\n")+"\n"), 2, TSV)
	verdicts := strings.Split(strings.TrimSuffix(plain, "\n"), "\n")
	if n := strings.Count(plain, "disallowed"); n < 30 {
		t.Errorf("%d of %d URLs are disallowed, which proves little", n, len(urls))
	}
	checkVerdicts(t, hosts, urls, verdicts)
	for name, form := range listForms {
		var all, kept strings.Builder
		for i, v := range verdicts {
			row := form.row(t, i, urls[i])
			if all.WriteString(row); strings.HasPrefix(v, "allowed\t") {
				kept.WriteString(row)
			}
		}
		text, want := form.header+all.String(), form.header+kept.String()
		if form.text != nil {
			text = form.text(t, urls)
		}
		path := file(t, "list."+name, text)
		for _, workers := range []int{1, 16} {
			if testing.Short() && workers == 1 {
				continue
			}
			out, f := run(path, workers, NoAnnotation)
			if out != want || fmt.Sprint(f.Barred) != fmt.Sprint(sum.Barred) {
				t.Errorf("%s, %d workers: %d bytes, want %d; barred %v, want %v", name, workers, len(out), len(want), f.Barred,
					sum.Barred)
			}
		}
		out, _ := run(path, 2, TSV)
		if got := strings.TrimPrefix(out, "header\t\t0\n"); got != plain {
			t.Errorf("%s: the verdicts are others", name)
		}
	}
}
