package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// files writes files of a folder.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func sha(body string) string { return strings.TrimPrefix(SHA1([]byte(body)), "sha1:") }

// captured are the captures of the tests: urlkey, timestamp, original, mimetype, statuscode, digest, redirect.
func captured() [][]string {
	const page, other = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"
	const key, https = "com,example)/robots.txt", "https://example.com/robots.txt"
	return [][]string{
		{key, "20260101000000", https, "text/plain", "200", sha("A"), "-"},
		{key, "20260102000000", https, "warc/revisit", "-", sha("A"), "-"},
		{key, "20260103000000", https, "text/html", "404", page, "-"},
		{key, "20260104000000", https, "warc/revisit", "-", page, "-"},
		{key, "20260105000000", "http://www.example.com:80/robots.txt", "text/html", "301", page, https},
		{key, "20260106000000", https, "text/plain", "200", sha("B"), "-"},
		{key, "20260107000000", https, "text/plain", "200", other, "-"},    // the file has another digest
		{key, "20260108000000", https, "text/plain", "200", sha("B"), "-"}, // whose file is another capture's
		{key, "20260109000000", https, "warc/revisit", "-", sha("C"), "-"}, // whose original is not listed
		{key, "20260110000000", https, "text/plain", "304", page, "-"},
		{"com,example)/", "20260110000000", "https://example.com/", "text/html", "200", page, "-"},
		{key, "20260111000000", "https://a.example/robots.txt", "text/plain", "200", sha("D"), "-"},
		{key, "20260111000000", "https://b.example/robots.txt", "text/plain", "200", sha("E"), "-"},
		{key, "20260230000000", https, "text/plain", "200", sha("A"), "-"}, // no day
		{key, "20260112000000", https, "text/plain", "-", sha("A"), "-"},
	}
}

const capturedByHand = `
	2026-01-01T00:00:00Z,https://example.com,200,A
	2026-01-02T00:00:00Z,https://example.com,200,A
	2026-01-03T00:00:00Z,https://example.com,404
	2026-01-04T00:00:00Z,https://example.com,404
	2026-01-05T00:00:00Z,http://www.example.com,301,,https://example.com/robots.txt
	2026-01-06T00:00:00Z,https://example.com,200,B
	2026-01-07T00:00:00Z,https://example.com,200,,,sha1:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB
	2026-01-08T00:00:00Z,https://example.com,200,B
	2026-01-09T00:00:00Z,https://example.com,200,,,sha1:SHA_OF_C
	2026-01-11T00:00:00Z,https://a.example,200,D
	2026-01-11T00:00:00Z,https://b.example,200,E
	2026-01-12T00:00:00Z,https://example.com,200,,,unknown`

var cdxNames = []string{"urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "redirect"}

// cdxForms writes captures in each form, with the fields in several orders.
func cdxForms(rows [][]string) map[string]string {
	order := []int{5, 6, 2, 0, 4, 3, 1}
	text, legend, cdxj, lines := "", " CDX k r a N s m b\n", "!meta\n\n", ""
	array := [][]string{nil}
	for _, i := range order {
		array[0] = append(array[0], cdxNames[i])
	}
	for _, r := range rows {
		text += strings.Join(r, " ") + "\n"
		var mixed []string
		for _, i := range order {
			mixed = append(mixed, r[i])
		}
		legend += strings.Join(mixed, " ") + "\n"
		array = append(array, mixed)
		object := map[string]any{"url": r[2], "mime": r[3], "status": r[4], "digest": "sha1:" + r[5],
			"redirect": r[6], "offset": 12}
		b, _ := json.Marshal(object)
		cdxj += r[0] + " " + r[1] + " " + string(b) + "\n"
		object["timestamp"] = r[1]
		b, _ = json.Marshal(object)
		lines += string(b) + "\n"
	}
	b, _ := json.Marshal(append(array, []string{}, []string{"com%2Cexample%29%2F+1"}))
	return map[string]string{
		"cdx": text + "\ncom%2Cexample%29%2F+20260112000000\n", "legend": legend, "json": string(b),
		"jsonlines": strings.ReplaceAll(string(b), "],[", "],\n["), "cdxj": cdxj, "ndjson": lines,
	}
}

// TestWayback compares the captures, from CDX in each of its forms and with bodies under
// downloaders' names, with a manifest made by hand.
func TestWayback(t *testing.T) {
	dir := files(t, map[string]string{
		"b/20260101000000_robots.txt": "A", "b/20260106000000id_robots.txt": "X",
		"b/20260106000000/example.com/robots.txt": "B",
		"b/20260107000000.txt":                    "wrong", "b/20260111000000_a.example": "D",
		"b/b.example/20260111000000/robots.txt": "E",
		"b/readme.txt":                          "", "b/2026/robots.txt": "",
	})
	hand := strings.ReplaceAll(capturedByHand, "SHA_OF_C", sha("C"))
	for form, text := range cdxForms(captured()) {
		t.Run(form, func(t *testing.T) {
			name := filepath.Join(dir, form)
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			values := []string{"bodies", dir + "/b"}
			if form == "cdx" {
				values = append(values, "fl", strings.Join(cdxNames, ","))
			}
			a := ask(t, wayback, []string{name}, values...)
			equal(t, a, hand)
			if len(a.fault) != 3 {
				t.Errorf("faults %q", a.fault)
			}
			missing := ask(t, wayback, []string{name}, append(values, "urls", "true")...)
			if n := strings.Count(missing.out.String(), "\n"); missing.err != nil || n != 2 {
				t.Errorf("%v, %d URLs: %s", missing.err, n, &missing.out)
			}
		})
	}
}

// isURL has only bytes that mean nothing to a shell, a terminal or a downloader.
var isURL = regexp.MustCompile(`^https://web\.archive\.org/web/[0-9]{14}id_/(?:https?|ftp)://` +
	`([A-Za-z0-9._~:%-]+)/robots\.txt\n$`)

// TestHostileCDX checks that invalid CDX is reported, and that nothing foreign gets into a URL.
func TestHostileCDX(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	for _, hostile := range []string{
		"", "\n\n", "[", "[]", "[[", `[["a"],["b"]]`, `[{"timestamp":1}]`,
		"[[" + strings.Repeat(`"a",`, 1<<20), "{", "{}\n{}",
		strings.Repeat("[", 1<<16), "k 20260101000000 " + long + " text/plain 200 D 1", "\x00\xff \x00 \xff\n",
		"k 20260101000000 {" + long, `k 20260101000000 {"url":["https://a.example/robots.txt"]}`,
		"k 99999999999999 https://a.example/robots.txt text/plain 200 D 1", "CDX\nk 1", " CDX a a a\nb c d",
		"k 20260101000000 file:///etc/robots.txt text/plain 200 D 1",
	} {
		a := ask(t, wayback, []string{filepath.Join(files(t, map[string]string{"a": hostile}), "a")})
		if a.err == nil || !strings.Contains(a.err.Error(), "no capture") {
			t.Errorf("%.80q: %v", hostile, a.err)
		}
	}
	cdx := ""
	for _, url := range []string{"https://a.example';touch ran;'/robots.txt", "https://$(touch ran)/robots.txt",
		"https://`touch ran`@a.example/robots.txt",
		"https://a.example/robots.txt';touch\tran;'", "https://[::1]:8443/robots.txt",
		"https://a.example\n-o x\n/robots.txt", "https://\x1b]0;x\a.example/robots.txt",
		"https://\u202ea.example/robots.txt", "ftp://a.example/robots.txt",
		"https://a.example:80;touch ran/robots.txt", "https://..%2f..%2fx/robots.txt", "https://-o.example/robots.txt"} {
		cdx += "k 20260101000000 " + url + " text/plain 200 - 1\n"
		b, _ := json.Marshal(map[string]string{"url": url, "status": "200", "timestamp": "20260101000000"})
		cdx += string(b) + "\n"
		b, _ = json.Marshal(map[string]string{"url": "https://c.example/robots.txt", "status": "200",
			"timestamp": "2026';touch ran"})
		cdx += string(b) + "\n"
	}
	a := ask(t, wayback, []string{filepath.Join(files(t, map[string]string{"a": cdx}), "a")}, "urls", "true")
	if a.err != nil || !strings.Contains(a.out.String(), "id_/https://%5B::1%5D:8443/robots.txt\n") {
		t.Errorf("%v: %s", a.err, &a.out)
	}
	for line := range strings.Lines(a.out.String()) {
		if !isURL.MatchString(line) {
			t.Errorf("%q", line)
		}
	}
}

// FuzzCDX checks that for any text only times and origins get into a URL.
func FuzzCDX(f *testing.F) {
	for _, text := range cdxForms(captured()) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var out strings.Builder
		c := &captures{q: &Query{Fault: func(string) {}, Out: &out}, statuses: map[string]int{}, printed: map[string]bool{}}
		rows := cdxRows
		if strings.HasPrefix(text, "[") {
			rows = cdxArrays
		}
		_ = rows(bufio.NewReader(strings.NewReader(text)), usualFields, func(_ int, f map[string]string) error {
			if f == nil {
				return nil
			}
			return c.capture("x", f)
		})
		for line := range strings.Lines(out.String()) {
			m := isURL.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("%q", line)
			}
			host, err := url.QueryUnescape(m[1])
			if _, unknown := origin.Parse(host); err != nil || unknown != nil {
				t.Errorf("%q: %v, %v", line, err, unknown)
			}
		}
	})
}

// TestDiskFails checks that a failure of any file operation is reported, and that the folder is
// either complete or missing.
func TestDiskFails(t *testing.T) {
	dir := files(t, map[string]string{
		"a.cdx": "k 20260101000000 https://a.example/robots.txt text/plain 200 " + sha("A") + " 1\n" +
			"k 20260102000000 https://a.example/robots.txt text/plain 200 " + sha("B") + " 1\n",
		"b/20260101000000_robots.txt": "A", "b/20260102000000_robots.txt": "B"})
	failed := errors.New("injected")
	for n, more := 1, true; more; n++ {
		var removes bool
		count := 0
		restore := disk.Inject(func(op disk.Op, _ string) error {
			if count++; count != n {
				return nil
			}
			removes = op == disk.OpRemove
			return failed
		})
		out := filepath.Join(t.TempDir(), "out")
		var told []string
		q := &Query{Args: []string{dir + "/a.cdx"}, Values: map[string]string{"bodies": dir + "/b"},
			Warn: func(string) {}, Fault: func(m string) { told = append(told, m) }}
		w, err := NewWriter(out, wayback.Times, 1<<20, q.Fault)
		if err == nil {
			if err = wayback.Read(t.Context(), q, w); err != nil {
				err = errors.Join(err, w.Discard())
			} else {
				err = w.Commit(t.Context())
			}
		}
		restore()
		more = count >= n
		left, _ := os.ReadDir(filepath.Dir(out))
		switch {
		case err == nil && len(told) == 0:
			if list := versions(t, out); len(list) != 2 || !strings.HasSuffix(list[1], `"B"`) {
				t.Errorf("operation %d: %q", n, list)
			}
		case err == nil:
			versions(t, out)
		case len(left) > 0 && !removes && left[0].Name() != "out":
			t.Errorf("operation %d: %v, and %v is left", n, err, left)
		}
	}
}
