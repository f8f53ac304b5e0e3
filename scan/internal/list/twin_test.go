package list

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// allRows calls f with each text of up to n of some letters.
func allRows(letters string, n int, f func(row string)) {
	f("")
	if n > 0 {
		for _, c := range letters {
			allRows(letters, n-1, func(rest string) {
				f(string(c) + rest)
			})
		}
	}
}

// TestAllRowsOfCSV compares the fields of all short rows with encoding/csv, which has no quotes in
// fields that don't begin with one, and with a regular expression.
func TestAllRowsOfCSV(t *testing.T) {
	n := 8
	if testing.Short() {
		n = 6
	}
	row := regexp.MustCompile(`^(?:"(?:[^"]|"")*"|[^",][^,]*|)(?:,(?:"(?:[^"]|"")*"|[^",][^,]*|))*$`)
	allRows("a,\";", n, func(text string) {
		shape := field.Columns{Delimiter: ',', Quotes: true}
		got := split(&shape, [][]byte{[]byte(text)})[0]
		if want := row.MatchString(text); want != (got != nil) {
			t.Errorf("%q has fields %q, a row: %v", text, got, want)
		}
		r := csv.NewReader(strings.NewReader(text))
		switch want, err := r.Read(); {
		case text == "", errors.Is(err, csv.ErrBareQuote):
		case err != nil && got != nil:
			t.Errorf("%q has fields %q, want %v", text, got, err)
		case err == nil && fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want):
			t.Errorf("%q has fields %q, want %q", text, got, want)
		}
		// The reader finds each field as the row has it, and no other.
		for column := range 3 {
			l := &Layout{kind: CSV, shape: field.Columns{Delimiter: ',', Quotes: true}, url: column, date: -1}
			r := l.NewReader()
			r.Reset([]byte(text+"\n"), false)
			var found Row
			r.Next(&found)
			want := ""
			if column < len(got) {
				want = got[column]
			}
			state := Good
			switch {
			case text == "":
				state = Blank
			case got == nil:
				state, want = BadRow, ""
			case want == "":
				state = NoURL
			}
			if string(found.URL) != want || found.State != state {
				t.Errorf("column %d of %q is %q, state %d, want %q, %d", column, text, found.URL, found.State, want,
					state)
			}
		}
	})
}

// TestKeys writes the keys of URLs as Heritrix and Python's surt do, and reads them.
func TestKeys(t *testing.T) {
	for _, scheme := range []string{"", "http://(", "https://(", "ftp://("} {
		for _, host := range [][2]string{{"com,example,www", "www.example.com"}, {"localhost", "localhost"},
			{"4,3,2,1", "1.2.3.4"}, {"1.2.3.4", "1.2.3.4"}, {"[::1]", "[::1]"}} {
			for _, port := range []string{"", ":8080"} {
				for _, user := range []string{"", "me:pass", "me"} {
					for _, path := range []string{"", "/", "/a,b)c@d:e", "?q", "/a/(b)?x=1&y#z"} {
						want := strings.TrimSuffix(scheme, "(") + ifSet(user, user+"@") + host[1] + port + path
						if scheme == "" {
							want = "http://" + want
						}
						keys := []string{
							scheme + ifSet(user, user+"@") + host[0] + port + ")" + path,
							scheme + ifSet(user, user+"@") + host[0] + port + ",)" + path,
						}
						if strings.Contains(host[0], ",") {
							keys = append(keys, scheme+host[0]+","+port+ifSet(user, "@"+user)+")"+path)
						}
						for _, key := range keys {
							if got, ok := appendURL([]byte("x"), []byte(key)); !ok || string(got) != "x"+want {
								t.Errorf("the URL of %s is %s, want %s", key, got, want)
							}
						}
					}
				}
			}
		}
	}
	for _, key := range []string{"", "-", "dns:example.com", "warcinfo:/a.warc.gz", "filedesc://a.arc", "com,example",
		"com,example/)/", ")/", ",)/", "a)b"} {
		if url, ok := appendURL(nil, []byte(key)); ok {
			t.Errorf("%q is the key of %s", key, url)
		}
	}
}

func ifSet(text, then string) string {
	if text == "" {
		return ""
	}
	return then
}

// TestAllKeys reads all short keys: each gives a URL, whose parts it has, or none.
func TestAllKeys(t *testing.T) {
	n := 7
	if testing.Short() {
		n = 5
	}
	allRows("a,:@)(/]", n, func(key string) {
		dst := []byte("before ")
		url, ok := appendURL(dst, []byte(key))
		switch {
		case !ok && len(url) != len(dst):
			t.Errorf("%q adds %q", key, url)
		case ok && (!hasScheme(url[len(dst):]) || !strings.Contains(key, ")")):
			t.Errorf("%q gives %q", key, url)
		case ok && bytes.Count(url, []byte("a")) != strings.Count(key, "a"):
			t.Errorf("%q gives %q: letters were lost or doubled", key, url)
		}
	})
}

// memberTwin returns the first value of a member of an object that is not empty, as
// encoding/json has it; else an empty one, and nil if all are missing or null.
func memberTwin(text []byte, path []string) (value *string) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var skip func(path []string)
	skip = func(path []string) { // the next value; path leads on from it, nil if nothing in it is wanted
		token, err := d.Token()
		if err != nil {
			panic(err)
		}
		wanted := path != nil && len(path) == 0
		switch v := token.(type) {
		case json.Delim:
			for i := 0; d.More(); i++ {
				var rest []string
				if v == '{' {
					name, err := d.Token()
					if err != nil {
						panic(err)
					}
					if len(path) > 0 && path[0] == name.(string) {
						rest = path[1:]
					}
				}
				skip(rest)
			}
			if _, err := d.Token(); err != nil {
				panic(err)
			}
		case nil:
		default:
			if text := fmt.Sprint(v); wanted && (value == nil || *value == "") {
				value = &text
			}
		}
	}
	skip(path)
	return value
}

// checkObject compares the row of a line with encoding/json, where that reads it.
func checkObject(t *testing.T, row *Row, path string) {
	t.Helper()
	text := bytes.Trim(row.Text, " \t\r")
	if len(text) == 0 || text[0] != '{' || !json.Valid(text) || bytes.Count(text, []byte("[")) > 900 ||
		bytes.Count(text, []byte("{")) > 900 {
		return
	}
	if row.State == BadRow {
		t.Errorf("%q is a bad row", text)
		return
	}
	if row.End < 0 || row.Text[row.End] != '}' || row.End != len(bytes.TrimRight(row.Text, " \t\r"))-1 {
		t.Errorf("%q ends at %d", row.Text, row.End)
	}
	want := memberTwin(text, strings.Split(path, "."))
	if want == nil {
		want = new(string)
	}
	if got := string([]rune(string(row.URL))); got != *want {
		t.Errorf("the member %s of %q is %q, want %q", path, text, got, *want)
	}
}

// TestAllObjects reads objects of all short sequences of tokens, with one reader and with a reader for each.
func TestAllObjects(t *testing.T) {
	tokens := []string{`{`, `}`, `[`, `]`, `,`, `"u":`, `"x" : `, `"a"`, `"\""`, `null`, ` -1`}
	n := 5 // six are read in two ways by TestReadersAgree of package field
	if testing.Short() {
		n = 4
	}
	l := withMembers(&Layout{kind: JSON}, "u", "")
	all := l.NewReader()
	allRows("0123456789:", n, func(sequence string) {
		line := "{"
		for _, c := range sequence {
			line += tokens[c-'0']
		}
		var rows [2]string
		for i, r := range []*Reader{all, nil} {
			if r == nil {
				if !json.Valid([]byte(line)) {
					rows[i] = rows[0]
					break
				}
				r = l.NewReader()
			}
			var row Row
			r.Reset([]byte(line), false)
			if r.Next(&row); string(row.Line) != line {
				t.Fatalf("the line %q is %q", line, row.Line)
			}
			checkObject(t, &row, "u")
			rows[i] = fmt.Sprintf("%q %d %d", row.URL, row.State, row.End)
			if row.State == Good && strings.Count(line, "{") != strings.Count(line, "}") {
				t.Errorf("%q is accepted", line)
			}
		}
		if rows[0] != rows[1] {
			t.Errorf("%q is %s, by itself %s", line, rows[0], rows[1])
		}
	})
}

// FuzzList reads a list of each kind as a whole, and each line separately.
func FuzzList(f *testing.F) {
	for _, file := range files {
		f.Add(uint8(file.kind-1), readFile(f, file.name), "", file.date)
	}
	f.Add(uint8(CSV), []byte("\ufeffa;b\n\"x\"\"\";2024\r\n"), "a", "b")
	f.Add(uint8(JSON), []byte(`{"a":{"b":["\u0041\ud83d\ude00"]},"t":1e9}`+"\n{\"a\":null}"), "a.b.0", "t")
	f.Fuzz(func(t *testing.T, kind uint8, list []byte, column, date string) {
		k := Kind(kind%8 + 1)
		o := Options{Column: column, Date: date}
		l, err := New(k, list, o)
		if err != nil {
			return
		}
		var lines []byte
		whole, single := l.NewReader(), l.NewReader()
		whole.Reset(list, true)
		var row, alone Row
		headers := whole.headers
		for first := true; whole.Next(&row); first = false {
			lines = append(lines, row.Line...)
			single.Reset(row.Line, first)
			single.headers, headers = headers, whole.headers
			if !single.Next(&alone) || fmt.Sprintf("%q", row.Line) != fmt.Sprintf("%q", alone.Line) ||
				fmt.Sprintf("%q %v %v %v %v", row.URL, row.Time, row.HasTime, row.State,
					row.End) != fmt.Sprintf("%q %v %v %v %v", alone.URL, alone.Time, alone.HasTime, alone.State, alone.End) {
				t.Errorf("%+v alone is %+v", row, alone)
			}
			if single.Next(&alone) {
				t.Errorf("behind %q is %q", row.Line, alone.Line)
			}
			if (row.State == Good || row.State == BadTime) != (len(row.URL) > 0) {
				t.Errorf("the state of %q is %d, the URL %q", row.Line, row.State, row.URL)
			}
			if k == JSON && !strings.ContainsAny(column, `0123456789=.\`) && column != "" {
				checkObject(t, &row, column)
			}
		}
		if !bytes.Equal(lines, list) {
			t.Errorf("the lines are %q", lines)
		}
	})
}

// FuzzDetect finds the kind of any text: one, or an error.
func FuzzDetect(f *testing.F) {
	for _, file := range files {
		f.Add(readFile(f, file.name), "url")
	}
	f.Add([]byte("<a>"), "")
	f.Fuzz(func(t *testing.T, list []byte, column string) {
		if kind, err := Detect(list, "", Options{Column: column}); (err == nil) == (kind == Unknown) {
			t.Errorf("the kind is %v, and the error %v", kind, err)
		}
	})
}

// FuzzSitemap reads any text as a sitemap: lines without line ends in them, and an end.
func FuzzSitemap(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0" encoding="latin1"?><urlset><url><loc>http://a/</loc></url></urlset>`))
	f.Add([]byte(`<feed><entry><link href="http://a/"/></entry></feed>`))
	f.Fuzz(func(t *testing.T, list []byte) {
		whole, err := io.ReadAll(NewSitemap(bytes.NewReader(list)))
		if len(whole) > 0 && whole[len(whole)-1] != '\n' || bytes.IndexByte(whole, '\r') >= 0 {
			t.Errorf("the lines are %q", whole)
		}
		if err == nil && len(bytes.TrimSpace(list)) == 0 {
			t.Error("nothing is a sitemap")
		}
	})
}
