package job

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/columnar"
	"github.com/robotsieve/robotsieve/scan/source"
)

// tableOf writes rows of texts as Parquet.
func tableOf(t *testing.T, fields []columnar.Field, rows ...[]string) string {
	t.Helper()
	var b bytes.Buffer
	w := columnar.NewWriter(&b, "t", fields)
	for _, texts := range rows {
		var row []byte
		for _, text := range texts {
			row = columnar.AppendText(row, text)
		}
		if _, err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// table writes rows of a URL, a time in seconds and a text as Parquet.
func table(t *testing.T, rows ...[2]any) string {
	t.Helper()
	var b bytes.Buffer
	w := columnar.NewWriter(&b, "docs", []columnar.Field{{Name: "url"}, {Name: "at", Kind: columnar.Int64}, {Name: "id"}})
	for i, r := range rows {
		row := columnar.AppendText(nil, r[0].(string))
		row = columnar.AppendNumber(row, int64(r[1].(int)))
		if _, err := w.Write(columnar.AppendText(row, fmt.Sprintf("doc%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file(t, "docs.parquet", b.String())
}

// crawled returns a record of WARC.
func crawled(target, date, body string) string {
	block := "HTTP/1.1 200 OK\r\n\r\n" + body
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: %sT00:00:00Z\r\n"+
		"Content-Length: %d\r\n\r\n%s\r\n\r\n", target, date, len(block), block)
}

// filterLists filters lists, by a robots.txt that forbids /p, and returns the output and the messages.
func filterLists(t *testing.T, change func(*FilterOptions), names ...string) (out string, f *Filtered, said string,
	err error) {
	t.Helper()
	var messages, b bytes.Buffer
	o := FilterOptions{
		Agents: []Agent{{Name: "x"}}, Robots: robotsFile(t), URLs: Inputs{Names: names},
		Messages: Messages{Warn: func(text string) { messages.WriteString(text + "\n") }},
	}
	if change != nil {
		change(&o)
	}
	f, err = Filter(t.Context(), o, &b)
	return b.String(), f, messages.String(), err
}

// TestTableOfVerdicts checks that the table has a row for each row of the list, with its number or its key.
func TestTableOfVerdicts(t *testing.T) {
	parquet := table(t, [2]any{"http://a/p", 1}, [2]any{"", 2}, [2]any{"http://a/x", 3})
	for key, want := range map[string]string{
		"":   "[0 disallowed 2] [1 blank 0] [2 allowed 0] ",
		"id": "[doc0 disallowed 2] [doc1 blank 0] [doc2 allowed 0] ",
	} {
		out, _, said, err := filterLists(t, func(o *FilterOptions) { o.Annotate, o.List.Key = Parquet, key }, parquet)
		if err != nil {
			t.Fatal(said, err)
		}
		f, err := columnar.Open(strings.NewReader(out), int64(len(out)))
		if err != nil {
			t.Fatal(err)
		}
		first := "position"
		if key != "" {
			first = "key"
		}
		rows, err := f.Select(t.Context(), first, "class", "line")
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for row, err := range rows {
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%s ", row)
		}
		if got.String() != want {
			t.Errorf("key %q: %s, want %s", key, got.String(), want)
		}
	}
}

// TestDatesOfTables checks that dates in tables select the version of an archive.
func TestDatesOfTables(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a.rsv")
	o := CompileOptions{Sources: []string{"-"}, Output: archive, AllVersions: true, Stdin: strings.NewReader(
		crawled("http://a/robots.txt", "2026-01-01", "user-agent: *\ndisallow: /p") +
			crawled("http://a/robots.txt", "2026-06-01", "user-agent: *\ndisallow: /q"))}
	if c, err := Compile(t.Context(), o); err != nil || c.Origins != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	at := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC).Unix()
	out, _, said, err := filterLists(t,
		func(o *FilterOptions) { o.Robots, o.Archive, o.List.Date = RobotsFile{}, archive, "at" },
		table(t, [2]any{"http://a/p", int(at)}, [2]any{`http://a/q\n"`, int(at)}))
	if want := fmt.Sprintf("http://a/q\\n\"\t%d\n", at); out != want || err != nil {
		t.Errorf("Parquet: %q, want %q; %s%v", out, want, said, err)
	}
}

// TestPromptAnswers checks that each line is answered before the next one is written, in each form, even
// compressed.
func TestPromptAnswers(t *testing.T) {
	for name, c := range map[string]struct{ lines, answers []string }{
		"urls": {[]string{"http://a/p\n", "x\n", "http://a/x\n"},
			[]string{"disallowed\tx\t2\n", "not_absolute\t\t0\n", "allowed\t\t0\n"}},
		"json": {[]string{`{"url":"http://a/p"}` + "\n", "{}\n"}, []string{"disallowed\tx\t2\n", "no_url\t\t0\n"}},
		"csv": {[]string{"id,url\n", "1,http://a/p\n", "2,http://a/x\n"},
			[]string{"header\t\t0\n", "disallowed\tx\t2\n", "allowed\t\t0\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			in, write := io.Pipe()
			read, out := io.Pipe()
			done := make(chan error, 1)
			go func() {
				o := FilterOptions{
					Agents: []Agent{{Name: "x"}}, Robots: robotsFile(t), URLs: Inputs{Names: []string{"-"}, Stdin: in},
					Annotate: TSV, Prompt: true,
				}
				_, err := Filter(t.Context(), o, out)
				done <- err
				out.Close()
			}()
			answers := bufio.NewReader(read)
			for i, line := range c.lines {
				if _, err := io.WriteString(write, line); err != nil {
					t.Fatal(err)
				}
				if got, err := answers.ReadString('\n'); got != c.answers[i] || err != nil {
					t.Fatalf("%q is answered by %q, error %v", line, got, err)
				}
			}
			write.Close()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestManyListsAreNotOpenAtATime checks that sitemaps and tables are opened when they are read, and closed at their
// ends.
func TestManyListsAreNotOpenAtATime(t *testing.T) {
	names := []string{}
	want := ""
	for i := range 300 {
		url := fmt.Sprintf("http://a/%d", i)
		want += url + "\n"
		if i%2 == 0 {
			names = append(names, table(t, [2]any{url, 1}))
		} else {
			names = append(names, file(t, "m.xml", "<urlset><url><loc>"+url+"</loc></url></urlset>"))
		}
	}
	var out string
	files := func() int {
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("it cannot be told which files are open")
		}
		return len(open)
	}
	before, most := files(), 0
	o := FilterOptions{Agents: []Agent{{Name: "x"}}, Robots: robotsFile(t), URLs: Inputs{Names: names}, Workers: 1}
	_, err := Filter(t.Context(), o, writerFunc(func(p []byte) (int, error) {
		out += string(p)
		most = max(most, files())
		return len(p), nil
	}))
	if err != nil || out != want || most > before+50 || files() > before {
		t.Errorf("%d bytes, want %d, error %v; %d files open, then %d, before %d", len(out), len(want), err, most, files(),
			before)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestDecodedLinesAreNotDecompressed checks this for all beginnings of lines.
func TestDecodedLinesAreNotDecompressed(t *testing.T) {
	in := source.NewLines("x", strings.NewReader("\x1f\x8b no gzip\n"))
	r, err := in.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if text, err := io.ReadAll(r); string(text) != "\x1f\x8b no gzip\n" || err != nil {
		t.Errorf("%q, error %v", text, err)
	}
}
