package list

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/robotsieve/robotsieve/internal/test/cases"
)

// rowsOf returns the rows of a list as text: the state, the URL and the time of each.
func rowsOf(t *testing.T, k Kind, o Options, list string) []string {
	t.Helper()
	l, err := New(k, []byte(list), o)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	var rows []string
	var lines strings.Builder
	r := l.NewReader()
	r.Reset([]byte(list), true)
	for row := (Row{}); r.Next(&row); {
		lines.Write(row.Line)
		text := stateNames[row.State]
		if row.URL != nil {
			text = strings.TrimPrefix(text, "good") + string(row.URL)
		}
		if row.HasTime {
			text += " " + time.Unix(row.Time, 0).UTC().Format("2006-01-02T15:04:05")
		}
		if row.End >= 0 && row.Text[row.End] != '}' {
			t.Errorf("row %q ends at %d", row.Text, row.End)
		}
		rows = append(rows, text)
	}
	if lines.String() != list {
		t.Errorf("lines are %q, want %q", lines.String(), list)
	}
	return rows
}

var stateNames = map[State]string{Good: "good", Header: "header", Blank: "blank", NoURL: "no URL", BadRow: "bad row",
	BadTime: "bad time "}

func TestRows(t *testing.T) {
	tests := []struct {
		name string
		kind Kind
		o    Options
		list string
		want string // rows, with | between them
	}{
		{"URLs", URLs, Options{}, "\ufeffhttp://a/\r\n\n \t\r\nx\nhttp://b/", "http://a/|blank|blank|x|http://b/"},
		{"header by default name", CSV, Options{}, "id,URL,x\n1,http://a/,y\n\n2,,y\n3\n",
			"header|http://a/|blank|no URL|no URL"},
		{"quotes", CSV, Options{}, "url,x\n\"http://a/\"\"q\"\",\",y\n\"http://b/\nx\",y\n\"a\"b,c\n",
			"header|http://a/\"q\",|http://b/\nx|bad row"},
		{"header of any words", CSV, Options{}, "Top pages,Clicks\nhttp://a/,1\n", "header|http://a/"},
		{"usual name without URLs", CSV, Options{}, "url,Ziel\nx,http://a/\ny,http://b/\n", "header|http://a/|http://b/"},
		{"usual name with targets", CSV, Options{}, "referrer,url\nx,/b\n", "header|/b"},
		{"excel", CSV, Options{}, "sep=;\r\nURL;Titel\r\nhttp://a/;b\r\n", "header|header|http://a/"},
		{"excel by name", CSV, Options{"Titel", ""}, "sep=;\r\nURL;Titel\r\nb;http://a/\r\n", "header|header|http://a/"},
		{"title and notes", CSV, Options{}, "# x\nReport of all\n\nPage,Clicks\nhttp://a/,1\nhttp://b/,2\n",
			"header|header|header|header|http://a/|http://b/"},
		{"names in a note", CSV, Options{"seite", ""}, "# ref,seite\nhttp://x/,http://a/\n", "header|http://a/"},
		{"header above by number", CSV, Options{"1", ""}, "Top pages,Clicks\n", "header"},
		{"a comma in a URL without quotes", CSV, Options{}, "t,url,n\nx,http://a/b,c,1\nx,http://a/,1,,\nx,http://a/,\"1,2\"\nx,http://a/,a title, too,1\n",
			"header|bad row|http://a/|http://a/|http://a/"},
		{"numbers of rows without a name, as R writes them", CSV, Options{"", "n"}, "url,n\n1,http://a/,2024\n2,http://b/,2025\n",
			"header|http://a/ 2024-01-01T00:00:00|http://b/ 2025-01-01T00:00:00"},
		{"line ends in the header", CSV, Options{"", "day"}, "\"day\";\"URL\n(page)\"\n2024;http://a/\n",
			"header|http://a/ 2024-01-01T00:00:00"},
		{"line ends", CSV, Options{}, "url,x\r\r\nhttp://a/,\"b\"\r\r\n\r\r\n", "header|http://a/|blank"},
		{"records", CSV, Options{}, "url,x\nhttp://a/,\"one\nhttp://b/,y\"\nhttp://c/,\"stray\nhttp://d/,z\n",
			"header|http://a/|bad row|http://d/"},
		{"TSV with quotes", TSV, Options{}, "URL\tx\n\"http://a/,2\"\t\"A\nB\"\nhttp://b/\t\"C\" d\n",
			"header|http://a/,2|http://b/"},
		{"TSV with stray quotes", TSV, Options{}, "x\turl\n\"A\thttp://a/\nB\thttp://b/\n27\"\thttp://c/\n\"D\n\tE\"\thttp://d/\n",
			"header|http://a/|http://b/|http://c/|http://d/"},
		{"TSV with stray quotes behind URLs", TSV, Options{}, "url\tx\nhttp://a/\t\"A\nhttp://b/\t27\"\nhttp://c/\t\"D\nhttp://x/\n\tE\"\n",
			"header|http://a/|http://b/|http://c/"},
		{"semicolon", CSV, Options{}, "url;x\nhttp://a/,b;y\n", "header|http://a/,b"},
		{"no header", CSV, Options{}, "1|http://a/,b|x\n2|http://b/|x", "http://a/,b|http://b/"},
		{"bad header", CSV, Options{}, "\"url\nurl,1\nhttp://a/,b\n", "header|header|http://a/"},
		{"commas in fields", CSV, Options{}, "a,b;http://a/;c\nd,e;http://b/;f\n", "http://a/|http://b/"},
		{"one column without header", CSV, Options{}, "http://a/x\nhttp://b/,c\n", "http://a/x|http://b/,c"},
		{"one column", CSV, Options{}, "url\nhttp://a/,b\n", "header|http://a/,b"},
		{"by name and date", CSV, Options{"seite", "wann"}, "wann,seite\n20240102,http://a/\nx,http://b/\n",
			"header|http://a/ 2024-01-02T00:00:00|bad time http://b/"},
		{"by number", CSV, Options{"2", "1"}, "2024-01-02T03:04:05Z,http://a/\n", "http://a/ 2024-01-02T03:04:05"},
		{"TSV", TSV, Options{}, "url\tx\nhttp://a/\\t\\\\\\x\ty\n\\N\ty\n\"http://b/\ty\n",
			"header|http://a/\t\\\\x|no URL|\"http://b/"},
		{"JSON", JSON, Options{},
			`{"url":"http:\/\/a\/\u00e9","text":"\"}"}` + "\r\n" + `{"text":1}` + "\n" + `{"url":null}` + "\n\n" +
				`{"url":"http://b/"` + "\n" + `{"url":"http://c/"} x` + "\n" + ` {"url":"http://d/"} ` + "\n[]",
			"http://a/é|no URL|no URL|blank|bad row|bad row|http://d/|bad row"},
		{"JSON, concatenated files", JSON, Options{}, "{\"url\":\"http://a/\"}\n\ufeff{\"url\":\"http://b/\"}\n\ufeff\n",
			"http://a/|http://b/|bad row"},
		{"JSON path", JSON, Options{"request.url", "ts"},
			`{"url":"x","request":{"url":"http://a/"},"ts":1704164645}` + "\n" + `{"request":{"url":"http://b/"}}`,
			"http://a/ 2024-01-02T03:04:05|bad time http://b/"},
		{"JSON array in path", JSON, Options{"a.1.u", ""}, `{"a":[{"u":"x"},{"u":"http://a/"}]}` + "\n", "http://a/"},
		{"JSON, usual name without URLs", JSON, Options{}, `{"page":3,"ziel":{"adresse":"http://a/"}}` + "\n", "http://a/"},
		{"JSON, usual name with targets", JSON, Options{}, `{"ref":"http://a/","url":"/b"}` + "\n", "/b"},
		{"JSON, default path", JSON, Options{}, `{"meta":{"url":"http://a/"}}` + "\n", "http://a/"},
		{"JSON, escaped name", JSON, Options{}, `{"u\u0072l":"http://a/"}` + "\n", "http://a/"},
		{"JSON, same name", JSON, Options{}, `{"url":"http://a/","url":"http://b/"}` + "\n", "http://a/"},
		{"CDX", CDX, Options{},
			" CDX N b a m s k r M S V g\ncom,a)/ 20240102030405 http://a.com/ text/html 200 X - - 1 2 f\nx - -\n",
			"header|http://a.com/ 2024-01-02T03:04:05|no URL"},
		{"CDX without header", CDX, Options{}, "com,a)/ 20240102 http://a.com/ text/html\n",
			"http://a.com/ 2024-01-02T00:00:00"},
		{"CDX with keys", CDX, Options{}, "|CDX|b|N\n2024|com,a:8080)/?x\n2024|dns:a.com\n",
			"header|http://a.com:8080/?x 2024-01-01T00:00:00|no URL 2024-01-01T00:00:00"},
		{"CDXJ", CDXJ, Options{},
			`!meta {"x":1}` + "\n" + `com,a)/ 20240102030405 {"url": "http://A.com/"}` +
				"\ncom,a,www)/x 20240102030405 {\"x\":\"}\"}\r\ncom,a)/ 2024 {\"x\":1\nwarcinfo:/a 20240102030405 {}\n",
			"header|http://A.com/ 2024-01-02T03:04:05|http://www.a.com/x 2024-01-02T03:04:05|bad row|no URL 2024-01-02T03:04:05"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(rowsOf(t, test.kind, test.o, test.list), "|"); got != test.want {
				t.Errorf("rows are\n%s, want\n%s", got, test.want)
			}
		})
	}
}

// TestErrors makes layouts of lists without the requested column.
func TestErrors(t *testing.T) {
	for _, test := range []struct {
		kind Kind
		o    Options
		list string
		want string
	}{
		{URLs, Options{"1", ""}, "http://a/\n",
			"a list with a URL on each line has no columns; name its format if it has"},
		{WARC, Options{}, "", "a list of the kind warc has no lines"},
		{CSV, Options{}, "a,b\n1,2\n",
			`no column of its first rows has URLs, and none has a usual name, such as url; name it (option List.Column); it has "a", "b"`},
		{CSV, Options{"c", ""}, "a,b\n1,2\n", `there is no column "c"; it has "a", "b"`},
		{CSV, Options{"", "3"}, "url,b\n1,2\n", `there is no column 3; its first rows have 2`},
		{CSV, Options{"c", ""}, "http://a/,b\n",
			`there is no column "c"; its first row has no names of columns: give the number of one, from 1`},
		{TSV, Options{"0", ""}, "a\tb\n", `there is no column 0; its first rows have 2`},
		{TSV, Options{"x", ""}, strings.Repeat("a\t", 40), `there is no column "x"; it has ` + strings.Repeat(`"a", `,
			29) + `"a" and 11 more`},
		{JSON, Options{}, "{\"b\":{\"c\":1},\"a\":[]}\n",
			`its first objects have no member with a usual name, such as url; name it (option List.Column); it has "a", "b", "b.c"`},
		{JSON, Options{"u.v", ""}, "x\n{\"u\":1}\n", `its first objects have no member "u.v"; it has "u"`},
		{JSON, Options{"", "date"}, "{\"url\":1}\n", `its first objects have no member "date"; it has "url"`},
		{CDX, Options{"1", ""}, "", "CDX has its columns named by its header, and no others can be chosen"},
		{CDX, Options{}, " CDX b m\n", `its header " CDX b m" names no column of URLs: a, N or A`},
		{CDXJ, Options{"", "x"}, "", "CDXJ has the time in its second column, and no other can be chosen"},
	} {
		if got := strings.Join(rowsOf(t, test.kind, test.o, test.list), "|"); got != "error: "+test.want {
			t.Errorf("%v %v %q: %s, want the error: %s", test.kind, test.o, test.list, got, test.want)
		}
	}
}

// TestNothing makes layouts of lists without rows, which have no error for any columns.
func TestNothing(t *testing.T) {
	for kind := CSV; kind <= JSON; kind++ {
		for _, list := range []string{"", "\n", "\ufeff"} {
			if got := rowsOf(t, kind, Options{"x", "y"}, list); len(got) > 1 || len(got) == 1 && got[0] != "blank" {
				t.Errorf("%v %q has the rows %q", kind, list, got)
			}
		}
	}
}

// TestLongFirstObject finds the member in an object that exceeds the head.
func TestLongFirstObject(t *testing.T) {
	for text, want := range map[string]string{"uri": "http://a/", "url": "http://a/"} {
		line := `{"` + text + `":"http://a/","text":"` + strings.Repeat("x", 300<<10) + `"}` + "\n"
		head := []byte(line)[:256<<10]
		if kind, err := Detect(head, "", Options{}); kind != JSON {
			t.Errorf("the kind is %v, %v", kind, err)
		}
		l, err := New(JSON, head, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := l.NewReader()
		r.Reset([]byte(line), true)
		var row Row
		if r.Next(&row); string(row.URL) != want {
			t.Errorf("the URL is %q, want %q", row.URL, want)
		}
	}
}

func TestKindNames(t *testing.T) {
	for k := URLs; k <= Parquet; k++ {
		if got := ParseKind(k.String()); got != k || k.HasLines() != (k < Sitemap) {
			t.Errorf("the name of %v belongs to %v", k, got)
		}
	}
	for name, want := range map[string]Kind{"wat": WARC, "wet": WARC, "": Unknown, "unknown": Unknown, "CSV": Unknown} {
		if got := ParseKind(name); got != want {
			t.Errorf("%q is %v", name, got)
		}
	}
	for name, want := range map[string]Kind{"a.csv.gz": CSV, "A.TSV": TSV, "a.jsonl.zst": JSON, "a.cdx": CDX,
		"a.cdxj.gz": CDXJ, "a.warc.wat.gz": WARC, "a.parquet": Parquet, "a.txt": URLs, "csv": URLs} {
		if got, err := Detect(nil, name, Options{}); got != want || err != nil {
			t.Errorf("%q is %v, %v", name, got, err)
		}
	}
}

func TestSitemap(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("<urlset><url><loc>http://a/</loc></url>"), iotest.ErrReader(io.ErrNoProgress))
	if got, err := io.ReadAll(NewSitemap(broken)); string(got) != "http://a/\n" || !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("the lines of what cannot be read are %q, error %v", got, err)
	}
	for list, want := range map[string]string{
		`<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url><loc> http://a/` + "\xe9" + `?x&amp;y&z </loc><image:image><image:loc>no</image:loc></image:image></url><url><loc><![CDATA[http://b/
c]]></loc></url></urlset>`: "http://a/é?x&y&z\nhttp://b/%0Ac\n",
		`<?xml version="1.0" encoding="windows-1252"?><urlset><url><loc>http://a/` + "\x80\x9f\xe9" +
			`</loc></url></urlset>`: "http://a/€Ÿé\n",
		`<?xml version="1.0" encoding="utf-16"?><urlset><url><loc>http://a/é</loc></url></urlset>`:          "http://a/é\n",
		`<sitemapindex><sitemap><loc>http://a/</loc></sitemap></sitemapindex>`:                              "http://a/\n",
		`<rss><channel><link>no</link><item><link>http://a/</link></item></channel></rss>`:                  "http://a/\n",
		`<feed><link href="no"/><entry><link rel="self" href="no"/><link href="http://a/"/></entry></feed>`: "http://a/\n",
		`<urlset><url><loc>http://a/</loc></url>`:                                                           "http://a/\nat byte 39: it ends within the element \"urlset\"",
		`<urlset></urlset><x>`:                            `at byte 20: the element "x" is behind the end of the root element`,
		`<?xml version="1.0" encoding="koi8-r"?><urlset>`: `at byte 39: xml: opening charset "koi8-r": this encoding is not read; convert the file to UTF-8`,
		`<a>`: `at byte 3: its root element is "a": it is not a sitemap`,
	} {
		got, err := io.ReadAll(NewSitemap(strings.NewReader(list)))
		if text := string(got) + strings.TrimPrefix(fmt.Sprint(err), "<nil>"); text != want {
			t.Errorf("%s:\n%s, want\n%s", list, text, want)
		}
	}
}

// TestUsualNames compares the names in the documentation with those that are read.
func TestUsualNames(t *testing.T) {
	text, err := os.ReadFile("../../../docs/reference/lists.md")
	if err != nil {
		t.Fatal(err)
	}
	var quotes strings.Builder
	for line := range strings.Lines(string(text)) {
		if quoted, ok := strings.CutPrefix(line, "> "); ok {
			quotes.WriteString(strings.TrimSuffix(quoted, "\n") + " ")
		}
	}
	if want := strings.Join(urlNames, ", ") + " " + strings.Join(urlPaths[len(urlNames):],
		", ") + " "; quotes.String() != want {
		t.Errorf("docs/reference/lists.md has the names\n%s, want\n%s", quotes.String(), want)
	}
}

func TestDetect(t *testing.T) {
	for _, row := range cases.Rows(t, "detect.txt") {
		name, head, column, want := row[0], row[1], row[2], row[3]
		kind, err := Detect([]byte(head), name, Options{Column: column})
		got := kind.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q %q is %s, want %s", name, head, got, want)
		}
	}
}

// files are lists of the same four pages in each form that others write, each captured a second after the one before.
var files = []struct {
	name string
	kind Kind
	date string // the column with the times
}{
	{"pages.txt", URLs, ""},
	{"crawler.csv", CSV, "Crawl Timestamp"},
	{"noheader.csv", CSV, "1"},
	{"table.tsv", TSV, "seen"},
	{"documents.jsonl", JSON, "date"},
	{"nested.jsonl", JSON, "meta.timestamp"},
	{"index.cdx", CDX, ""},
	{"ninecolumns.cdx", CDX, ""},
	{"index.cdxj", CDXJ, ""},
	{"sitemap.xml", Sitemap, ""},
	{"sitemapindex.xml", Sitemap, ""},
	{"feed.rss", Sitemap, ""},
	{"atom.xml", Sitemap, ""},
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestFiles reads all files, whose kinds are detected by content.
func TestFiles(t *testing.T) {
	pages := strings.Split(strings.TrimSuffix(string(readFile(t, "pages.txt")), "\n"), "\n")
	for _, file := range files {
		t.Run(file.name, func(t *testing.T) {
			list, o := readFile(t, file.name), Options{Date: file.date}
			kind, err := Detect(list, "", o)
			if kind != file.kind {
				t.Fatalf("the kind is %v, %v", kind, err)
			}
			if kind == Sitemap {
				kind = URLs
				if list, err = io.ReadAll(NewSitemap(bytes.NewReader(list))); err != nil {
					t.Fatal(err)
				}
			}
			var want []string
			for i, url := range pages {
				if file.date != "" || kind == CDX || kind == CDXJ {
					url += fmt.Sprint(" 2024-01-02T03:04:0", 5+i)
				}
				want = append(want, url)
			}
			got := rowsOf(t, kind, o, string(list))
			if got[0] == "header" {
				got = got[1:]
			}
			if !slices.Equal(got, want) {
				t.Errorf("the rows are\n%q, want\n%q", got, want)
			}
		})
	}
}

// TestGuardRowsDoNotAllocate reads long lists: once the buffers have grown, no row allocates.
func TestGuardRowsDoNotAllocate(t *testing.T) {
	for _, file := range files {
		for _, o := range []Options{{}, {Date: file.date}} {
			if !file.kind.HasLines() {
				continue
			}
			head := readFile(t, file.name)
			l, err := New(file.kind, head, o)
			if err != nil {
				t.Fatal(file.name, err)
			}
			list, r, row := bytes.Repeat(head, 100), l.NewReader(), Row{}
			if n := testing.AllocsPerRun(5, func() {
				for r.Reset(list, true); r.Next(&row); {
				}
			}); n > 0 {
				t.Errorf("%s: %v allocations", file.name, n)
			}
		}
	}
}

func TestBare(t *testing.T) {
	endless := "http://a/ " + strings.Repeat("111 ", 1<<20) + "x" // which takes an hour if each note is read to its end
	for text, want := range map[string]string{
		" http://a/\t\r\x00": "http://a/", "http://a/x\ty": "http://a/x", "\ufeffhttp://a/": "http://a/",
		"http://a/ # x": "http://a/", "http://a/ [200] [x]": "http://a/", "http://a/ 200 OK": "http://a/",
		"http://a/ 000 0.1": "http://a/", "http://a/ 0001": "http://a/ 0001", "http://a/ 1518": "http://a/ 1518",
		"http://a/ 20240102030405": "http://a/", "http://a/ 20240102030405 text/html 200": "http://a/",
		"http://a/ 20240102": "http://a/ 20240102", "http://a/ 20241302030405": "http://a/ 20241302030405",
		"http://a/ 200 x": "http://a/ 200 x", endless: endless, "http://a/b c": "http://a/b c", "http://a/b c 404 1.5": "http://a/b c",
	} {
		if got, ok := Bare([]byte(text), true); string(got) != want || !ok {
			t.Errorf("%q is %q, %v, want %q", text, got, ok, want)
		}
	}
	for text, want := range map[string]bool{" http://a/x [1] ": true, "http://a/\nb": false} {
		if got, ok := Bare([]byte(text), false); string(got) != strings.TrimSpace(text) || ok != want {
			t.Errorf("the value %q is %q, %v", text, got, ok)
		}
	}
}
