package render_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/checkpage"
	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/lint"
)

var update = flag.Bool("update", false, "make the program of check's page anew")

// TestProgram checks that the program in the page of check is built from the current code. Its
// comment has the hash of that code, because building takes long: make builds-test builds it and
// compares the bytes.
func TestProgram(t *testing.T) {
	const blob, loader = "html/check.wasm.gz", "html/wasm_exec.js"
	sources := sourcesOf(t, "../checkpage/wasm")
	if *update {
		makeProgram(t, sources, blob, loader)
	}
	packed := must.Get(os.ReadFile(blob))(t)
	if r, err := gzip.NewReader(bytes.NewReader(packed)); err != nil || r.Comment != sources {
		t.Errorf("%v: %s is stale: run make wasm, and commit it", err, blob)
	}
	loads, err := os.Stat(loader)
	if most := int64(1_500_000); err != nil || int64(len(packed))+loads.Size() > most {
		t.Errorf("%v: %d bytes and the loader, %d at most", err, len(packed), most)
	}
}

// sourcesOf returns the SHA-256 of what the program of a package is made of: our files, and the versions of modules.
func sourcesOf(t *testing.T, program string) string {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-f", `{{with .Module}}{{if .Main}}{{range $.GoFiles}}{{$.ImportPath}}
{{$.Dir}}/{{.}}
{{end}}{{range $.EmbedFiles}}{{$.ImportPath}}
{{$.Dir}}/{{.}}
{{end}}{{else}}{{.Path}} {{.Version}}
{{end}}{{end}}`, program)
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil || len(out) == 0 {
		t.Fatalf("go list: %v", err)
	}
	sum := sha256.New()
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if !filepath.IsAbs(line) {
			fmt.Fprintln(sum, line)
			continue
		}
		text := must.Get(os.ReadFile(line))(t)
		fmt.Fprintln(sum, filepath.Base(line), len(text))
		sum.Write(text)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// makeProgram makes the files of the program anew.
func makeProgram(t *testing.T, sources, blob, loader string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-trimpath", "-pgo=off", "-buildvcs=false", "-gcflags=all=-l",
		"-ldflags=-s -w -buildid=", "-o", file, "../checkpage/wasm")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWASM=", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	made := must.Get(os.ReadFile(file))(t)
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	w.Comment = sources
	if _, err := w.Write(made); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	root := must.Get(exec.Command("go", "env", "GOROOT").Output())(t)
	loads := must.Get(os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js")))(t)
	if os.WriteFile(blob, packed.Bytes(), 0o666) != nil || os.WriteFile(loader, loads, 0o666) != nil {
		t.Fatal("it cannot be written")
	}
}

// checked lays out a robots.txt, with verdicts for GPTBot.
func checked(t *testing.T, body string, urls ...string) (checkpage.Page, *explain.File) {
	t.Helper()
	known := must.Get(crawler.New(crawler.Builtin()))(t)
	file := &explain.File{Name: "robots.txt", Body: []byte(body)}
	asked := file.Ask(explain.AgentOf(crawler.Claim{Profile: known.ByName("GPTBot")}, nil))
	var answers []explain.Answer
	for _, url := range urls {
		answers = append(answers, asked.Answer(url))
	}
	d := explain.Describe(explain.Options{Robots: file, Lint: lint.Options{Crawlers: known}})
	return checkpage.Of(d, file, answers), file
}

// TestCheckMarkdownIsInert checks that text of a robots.txt or a URL is inert in a comment: it is
// escaped outside code, and code ends where it should.
func TestCheckMarkdownIsInert(t *testing.T) {
	attacks := append(slices.Clone(reporttest.Attacks), "/`|`x", "/``` ` |", "@somebody", "#1", "|a|b|", "/a\\|b",
		"[a](b)")
	body := "User-agent: *\n"
	for _, text := range attacks {
		body += "Disallow: /" + text + "\nUser-agent: " + text + "\n" + text + "\n"
	}
	p, _ := checked(t, body, attacks...)
	var b strings.Builder
	must.Do(t, render.WriteCheckMarkdown(&b, p))
	columns := 0
	for line := range strings.Lines(b.String()) {
		bare := escapes.ReplaceAllString(outsideCode(line), "")
		if strings.ContainsAny(bare, "<>@") || strings.Contains(bare, "[") || strings.Contains(bare, "://") {
			t.Errorf("it acts: %s", line)
		}
		if strings.HasPrefix(line, "| ---") {
			columns = strings.Count(line, "|")
		}
		if strings.HasPrefix(line, "|") && columns > 0 && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != columns {
			t.Errorf("not %d columns: %s", columns-1, line)
		}
		if !strings.HasPrefix(line, "|") {
			columns = 0
		}
	}
}

var escapes = regexp.MustCompile(`\\.`)

// outsideCode removes the code spans of a line (GitHub Flavored Markdown Spec, 6.3).
func outsideCode(line string) (rest string) {
	for {
		begin := strings.IndexByte(line, '`')
		for begin > 0 && line[begin-1] == '\\' {
			next := strings.IndexByte(line[begin+1:], '`')
			if next < 0 {
				return rest + line
			}
			begin += 1 + next
		}
		if begin < 0 {
			return rest + line
		}
		fence := line[begin : begin+len(line[begin:])-len(strings.TrimLeft(line[begin:], "`"))]
		end := strings.Index(line[begin+len(fence):], fence)
		if end < 0 {
			return rest + line
		}
		rest, line = rest+line[:begin], line[begin+2*len(fence)+end:]
	}
}

// TestCheckOfLargeFile checks that the Markdown of a large file fits into a comment, and that its
// page is small enough for a browser.
func TestCheckOfLargeFile(t *testing.T) {
	var text strings.Builder
	text.WriteString("User-agent: *\nDisalow: /typo\n")
	for i := 0; text.Len() < 511_900; i++ {
		fmt.Fprintf(&text, "Disallow: /%d\n", i)
	}
	p, file := checked(t, text.String())
	page := func(p checkpage.Page, file *explain.File) string {
		var html bytes.Buffer
		must.Do(t, render.WriteCheckHTML(&html, p, file, nil))
		return html.String()
	}
	var markdown bytes.Buffer
	must.Do(t, render.WriteCheckMarkdown(&markdown, p))
	if n := markdown.Len(); n > 60_000 || !strings.Contains(markdown.String(), "The rest is left out") {
		t.Errorf("%d bytes of Markdown", n)
	}
	if !strings.Contains(markdown.String(), "| error | 2 |") {
		t.Error("a long section displaces the notes")
	}
	if html := page(p, file); len(html) > 6_000_000 || !strings.Contains(html, "more lines not shown") {
		t.Errorf("%d bytes of HTML, or it does not say that lines are not shown", len(html))
	}
	for size, canTest := range map[int]bool{512_000: true, 512_001: false} {
		if html := page(checked(t, strings.Repeat("#", size))); strings.Contains(html, `id="program"`) != canTest {
			t.Errorf("URLs can be tried in %d bytes: %v", size, !canTest)
		}
	}
}
