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
	"github.com/robotsieve/robotsieve/scan/list"
	"github.com/robotsieve/robotsieve/scan/page"
	"github.com/robotsieve/robotsieve/scan/source"
)

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
func crawled(target string) string {
	const block = "HTTP/1.1 200 OK\r\n\r\nx"
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: "+
		"2026-10-01T00:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", target, len(block), block)
}

// filterLists filters lists, by a robots.txt that forbids /p, and returns what is written and what
// is said.
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

// TestEveryKindOfList keeps the rows whose URL is allowed.
func TestEveryKindOfList(t *testing.T) {
	const sitemap = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
		`<url><loc> http://a/x </loc></url><url><loc>http://a/p</loc></url></urlset>`
	for name, c := range map[string]struct{ text, want string }{
		"urls.txt": {"http://a/p\nhttp://a/x\n", "http://a/x\n"},
		"a.csv":    {"id;url\n1;http://a/p\n2;http://a/x\n", "id;url\n2;http://a/x\n"},
		"a.tsv":    {"http://a/p\t1\nhttp://a/x\t2\n", "http://a/x\t2\n"},
		"a.jsonl": {`{"meta":{"url":"http://a/p"}}` + "\n" + `{"meta":{"url":"http:\/\/a/x"}}` + "\n",
			`{"meta":{"url":"http:\/\/a/x"}}` + "\n"},
		"a.cdxj": {"a)/p 20261001000000 {\"url\":\"http://a/p\"}\na)/x 20261001000000 {\"url\":\"http://a/x\"}\n",
			"a)/x 20261001000000 {\"url\":\"http://a/x\"}\n"},
		"map.xml": {sitemap, "http://a/x\n"},
		"a.warc":  {crawled("http://a/p") + crawled("http://a/x"), crawled("http://a/x")},
	} {
		path := file(t, name, c.text)
		out, f, said, err := filterLists(t, nil, path)
		if out != c.want || err != nil || f.Kept != 1 || f.Dropped != 1 || f.Partial {
			t.Errorf("%s: %q, want %q; %s%v", name, out, c.want, said, err)
		}
		stdin := func(o *FilterOptions) { o.URLs = Inputs{Names: []string{"-"}, Stdin: strings.NewReader(c.text)} }
		if out, _, said, err := filterLists(t, stdin); out != c.want || err != nil {
			t.Errorf("%s as stdin: %q, want %q; %s%v", name, out, c.want, said, err)
		}
	}
	if out, _, said, err := filterLists(t, nil, table(t, [2]any{"http://a/p", 1},
		[2]any{"http://a/x\ty", 2})); out != "http://a/x\ty\n" || err != nil {
		t.Errorf("Parquet: %q, %s%v", out, said, err)
	}
}

// TestListsThatAreRefused are named, and the others are filtered.
func TestListsThatAreRefused(t *testing.T) {
	good, warc := file(t, "good.txt", "http://a/x\n"), file(t, "a.warc", crawled("http://a/x"))
	parquet := table(t, [2]any{"http://a/x", 1})
	for name, c := range map[string]struct {
		change func(*FilterOptions)
		names  []string
		out    string
		says   string
	}{
		"a log": {nil, []string{good, file(t, "access.log",
			`192.0.2.1 - - [01/Oct/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "x"`+"\n")}, "http://a/x\n",
			"access.log: it looks like an access log (combined)"},
		"WARC and a list": {nil, []string{good, warc}, crawled("http://a/x"),
			"good.txt: it is not WARC, as other inputs are"},
		"an unknown column": {func(o *FilterOptions) { o.List.Column = "link" },
			[]string{file(t, "a.csv", "id,url\n1,http://a/x\n")}, "", `there is no column "link"`},
		"a column of Parquet": {func(o *FilterOptions) { o.List.Column = "link" }, []string{parquet}, "", "link"},
		"Parquet on stdin": {func(o *FilterOptions) {
			o.URLs = Inputs{Names: []string{"-"}, Stdin: strings.NewReader("PAR1xxxxxxxxxxxPAR1")}
		}, nil, "", "-: it can be read only from a file that is not compressed"},
		"damaged Parquet": {nil, []string{good, file(t, "b.parquet", "PAR1xxxxxxxxxxxPAR1")}, "http://a/x\n",
			"b.parquet"},
		"a table of two lists": {func(o *FilterOptions) { o.Annotate = Parquet }, []string{file(t, "e", ""), good}, "?",
			"good.txt: --annotate parquet is of one list"},
		"damaged XML": {nil, []string{file(t, "m.xml",
			"<urlset><url><loc>http://a/x</loc></url><url><loc>http://a/y</lo")}, "http://a/x\n", "m.xml"},
		"another format, forced": {func(o *FilterOptions) { o.Format = list.JSON }, []string{good}, "", ""},
	} {
		out, f, said, err := filterLists(t, c.change, c.names...)
		if c.out != "?" && out != c.out || !strings.Contains(said, c.says) || err == nil && !f.Partial {
			t.Errorf("%s: %q; %s%v", name, out, said, err)
		}
	}
}

// TestPagesOfListsAreNone: a condition that no row can meet is refused.
func TestPagesOfListsAreNone(t *testing.T) {
	urls, warc := file(t, "urls.txt", "http://a/x\n"), file(t, "a.warc", crawled("http://a/x"))
	pages := func(o *FilterOptions) { o.Page = page.NoIndex }
	if out, f, _, err := filterLists(t, pages, urls); kindOf(err) != Usage || f != nil || out != "" {
		t.Errorf("a list of URLs: %q, %v", out, err)
	}
	if out, _, said, err := filterLists(t, pages, warc); out != crawled("http://a/x") || err != nil {
		t.Errorf("WARC: %q, %s%v", out, said, err)
	}
}

// TestTableOfVerdicts has a row for each row of the list, with its number or its key.
func TestTableOfVerdicts(t *testing.T) {
	parquet := table(t, [2]any{"http://a/p", 1}, [2]any{"", 2}, [2]any{"http://a/x", 3})
	for key, want := range map[string]string{
		"":   "[0 disallowed 2] [1 blank 0] [2 allowed 0] ",
		"id": "[doc0 disallowed 2] [doc1 blank 0] [doc2 allowed 0] ",
	} {
		out, _, said, err := filterLists(t, func(o *FilterOptions) { o.Annotate, o.Key = Parquet, key }, parquet)
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

// TestDatesOfRows choose the version of an archive: in tables, in JSON and in Parquet.
func TestDatesOfRows(t *testing.T) {
	dir := t.TempDir()
	archive := filepath.Join(dir, "a.rsv")
	o := CompileOptions{Sources: []string{"-"}, Output: archive, AllVersions: true, Stdin: strings.NewReader(
		versionOf("2026-01-01T00:00:00Z", "user-agent: *\ndisallow: /p") + versionOf("2026-06-01T00:00:00Z",
			"user-agent: *\ndisallow: /q"))}
	if c, err := Compile(t.Context(), o); err != nil || c.Origins != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	in := func(o *FilterOptions) { o.Robots, o.Archive, o.List.Date = RobotsFile{}, archive, "at" }
	for name, c := range map[string]struct {
		text   string
		change func(*FilterOptions)
		want   string
	}{
		"csv": {"url,at\nhttp://a/p,2026-02-01\nhttp://a/p,2026-07-01\nhttp://a/q,2025-01-01\nhttp://a/q,?\n", in,
			"url,at\nhttp://a/p,2026-07-01\n"},
		"json": {`{"url":"http://a/q","at":"2026-02-01T00:00:00Z"}` + "\n" +
			`{"url":"http://a/q","at":1782000000}` + "\n", in, `{"url":"http://a/q","at":"2026-02-01T00:00:00Z"}` + "\n"},
		"cdxj": {"a)/p 20260201000000 {\"url\":\"http://a/p\"}\na)/q 20260201000000 {\"url\":\"http://a/q\"}\n",
			func(o *FilterOptions) { in(o); o.List.Date = "" }, "a)/q 20260201000000 {\"url\":\"http://a/q\"}\n"},
		"warc": {crawled("http://a/p") + crawled("http://a/q"), func(o *FilterOptions) { in(o); o.List.Date = "" },
			crawled("http://a/p")},
		"as of a time": {"http://a/p\nhttp://a/q\n", func(o *FilterOptions) {
			in(o)
			o.List.Date, o.AsOf = "",
				"2026-03-01"
		}, "http://a/q\n"},
		"the newest": {"http://a/p\nhttp://a/q\n", func(o *FilterOptions) { in(o); o.List.Date = "" }, "http://a/p\n"},
	} {
		if out, _, said, err := filterLists(t, c.change, file(t, "list", c.text)); out != c.want || err != nil {
			t.Errorf("%s: %q, want %q; %s%v", name, out, c.want, said, err)
		}
	}
	at := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC).Unix()
	out, _, said, err := filterLists(t, in, table(t, [2]any{"http://a/p", int(at)}, [2]any{`http://a/q\n"`, int(at)}))
	if want := fmt.Sprintf("http://a/q\\n\"\t%d\n", at); out != want || err != nil {
		t.Errorf("Parquet: %q, want %q; %s%v", out, want, said, err)
	}
}

// versionOf returns a capture of the robots.txt of http://a as a record of WARC.
func versionOf(date, body string) string {
	block := "HTTP/1.1 200 OK\r\n\r\n" + body
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/robots.txt\r\nWARC-Date: "+
		"%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", date, len(block), block)
}

// TestPromptAnswers: each line is answered before the next one is written, in each form, also
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

// TestManyListsAreNotOpenAtATime: sitemaps and tables are opened when they are read, and closed at
// their ends.
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

// TestDecodedLinesAreNotDecompressed, whatever they begin with.
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
