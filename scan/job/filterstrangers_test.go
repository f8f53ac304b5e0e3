package job

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilterOfWACZ checks that the indexes, pages and descriptions in a web archive collection do not count as
// lists and cause no warnings, unlike files next to it.
func TestFilterOfWACZ(t *testing.T) {
	dir := put(t, map[string]string{"robots.txt": "User-agent: *\nDisallow: /x\n", "other.txt": "https://a.example/x\n"})
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, member := range []struct{ name, text string }{
		{"archive/data.warc.gz", warcRecord("response", "https://a.example/x", "2026-01-01T00:00:00Z", "HTTP/1.1 200 OK", "x") +
			warcRecord("response", "https://a.example/y", "2026-01-01T00:00:00Z", "HTTP/1.1 200 OK", "y")},
		{"indexes/index.cdx", `com,a)/x 20260101000000 {"url":"https://a.example/x"}` + "\n"},
		{"indexes/index.idx", `!meta 0 {"format":"cdxj-gzip-1.0"}` + "\n"},
		{"pages/pages.jsonl", `{"format":"json-pages-1.0"}` + "\n" + `{"url":"https://a.example/x"}` + "\n"},
		{"logs/wr.log", "started\n"}, {"datapackage.json", `{"profile":"data-package"}`},
	} {
		w, err := z.Create(member.name)
		if err == nil {
			_, err = w.Write([]byte(member.text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/A.WACZ", b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for names, said := range map[string]int{"A.WACZ": 0, "A.WACZ other.txt": 1} {
		var warned []string
		o := FilterOptions{Robots: RobotsFile{Name: dir + "/robots.txt"}, Agents: []Agent{{Name: "GPTBot"}},
			Messages: Messages{Warn: func(m string) { warned = append(warned, m) }}}
		for _, name := range strings.Fields(names) {
			o.URLs.Names = append(o.URLs.Names, filepath.Join(dir, name))
		}
		f, err := Filter(t.Context(), o, io.Discard)
		if err != nil || f.Read != 2 || len(warned) != said || f.Partial != (said > 0) {
			t.Errorf("%s: %+v, error %v, %q", names, f, err, warned)
		}
	}
}

// filteredPipe filters what a pipe gives.
func filteredPipe(t *testing.T, r io.Reader) string {
	t.Helper()
	dir := put(t, map[string]string{"robots.txt": "User-agent: *\nDisallow: /*.pdf$\n"})
	var out strings.Builder
	if _, err := Filter(t.Context(), FilterOptions{Robots: RobotsFile{Name: dir + "/robots.txt"}, Agents: []Agent{{Name: "GPTBot"}},
		URLs: Inputs{Names: []string{"-"}, Stdin: r}, Messages: Messages{Warn: func(string) {}}}, &out); err != nil {
		t.Error(err)
	}
	return out.String()
}

// TestPipesUpToTheFirstURL checks that titles, notes and headers count in a list from a pipe as in a file, and that
// a list of URLs with codes is a table.
func TestPipesUpToTheFirstURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://a.example/1.pdf,en,US\nhttps://a.example/y,,GB\n":                               "https://a.example/y,,GB\n",
		"https://a.example/1.pdf,de-AT\nhttps://a.example/y,zh_Hant\n":                           "https://a.example/y,zh_Hant\n",
		"https://a.example/1.pdf,red\nhttps://a.example/y,green\n":                               "https://a.example/y,green\n",
		"https://a.example/1.pdf,0\nhttps://a.example/y,1\n":                                     "https://a.example/1.pdf,0\nhttps://a.example/y,1\n",
		"https://a.example/1.pdf,\nhttps://a.example/y,\n":                                       "https://a.example/1.pdf,\nhttps://a.example/y,\n",
		"Top pages,Clicks\nhttps://a.example/1.pdf,5\nhttps://a.example/y,6\n":                   "Top pages,Clicks\nhttps://a.example/y,6\n",
		"# of May\nLanding page;Visits\nhttps://a.example/1.pdf;5\nhttps://a.example/y;6\n":      "# of May\nLanding page;Visits\nhttps://a.example/y;6\n",
		"\r\n\r\nhttps://a.example/1.pdf\r\nhttps://a.example/y\r\n":                             "https://a.example/y\r\n",
		"{\"id\":1}\n{\"url\":\"https://a.example/1.pdf\"}\n{\"url\":\"https://a.example/y\"}\n": "{\"url\":\"https://a.example/y\"}\n",
	} {
		if got := filteredPipe(t, strings.NewReader(text)); got != want {
			t.Errorf("%q gives %q", text, got)
		}
	}
}

// TestPipesArePrompt checks that the first URL of a list from a pipe is filtered before the next one arrives.
func TestPipesArePrompt(t *testing.T) {
	for _, head := range []string{"https://a.example/y\n", "/y\n", "URL,n\nhttps://a.example/y,1\n"} {
		r, w := io.Pipe()
		read := make(chan string)
		go func() { read <- filteredPipe(t, r) }()
		for _, text := range []string{head, strings.Repeat("https://a.example/z,1\n", 9)} {
			if _, err := w.Write([]byte(text)); err != nil {
				t.Error(err)
			}
		}
		w.Close()
		if got := <-read; !strings.HasPrefix(got, head) {
			t.Errorf("%q gives %q", head, got)
		}
	}
}
