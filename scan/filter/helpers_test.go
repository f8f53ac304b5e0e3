package filter

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/test/twin"
	"github.com/robotsieve/robotsieve/scan/internal/list"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/source"
)

// agent is the crawler of all tests.
const agent = "FooBot"

var dialects = []automaton.Dialect{automaton.RFC9309, automaton.Google, automaton.Original}

// web is a policy made of maps: what stands in robots.txt, by origin.
type web struct {
	bodies map[origin.Origin]string
	status map[origin.Origin]int // where it is not 200
	rules  map[origin.Origin]Rules
}

// newWeb compiles the bodies of origins, which are named as in URLs.
func newWeb(t testing.TB, d automaton.Dialect, bodies map[string]string, status map[string]int) *web {
	t.Helper()
	w := &web{map[origin.Origin]string{}, map[origin.Origin]int{}, map[origin.Origin]Rules{}}
	for name, body := range bodies {
		o := originOf(t, name)
		w.bodies[o], w.rules[o] = body, rulesOf(d, body)
	}
	for name, n := range status {
		o := originOf(t, name)
		w.status[o], w.rules[o] = n, Rules{Unreachable: n >= 500}
	}
	return w
}

func originOf(t testing.TB, name string) origin.Origin {
	t.Helper()
	o, err := origin.Parse(name)
	if err != nil || len(o) != 1 {
		t.Fatalf("%q: %v, %v", name, o, err)
	}
	return o[0]
}

func rulesOf(d automaton.Dialect, body string) Rules {
	r := compile.Compile([]byte(body), compile.Options{Dialect: d, MaxBytes: -1})
	return Rules{Machine: r.Ruleset.Machine([]byte(agent))}
}

func (w *web) Find(q Query, rules []Rules) (Span, bool, error) {
	r, ok := w.rules[q.Origin]
	for i := range rules {
		rules[i] = r
	}
	return Always, ok, nil
}

// note is what is cut off behind a URL.
var note = regexp.MustCompile(`^ *(#.*|\[.*\]|[1-5][0-9]{2}( [0-9. ]*)?( OK)?)$`)

// naive is the slow and obvious reading of one line, by package twin.
func naive(d automaton.Dialect, site string, w *web, line string) Class {
	if strings.TrimSpace(line) == "" {
		return Blank
	}
	controls := func(r rune) bool { return r <= ' ' }
	line, _, _ = strings.Cut(strings.TrimFunc(line, controls), "\t")
	line = strings.TrimFunc(line, controls)
	for at := range len(line) {
		if line[at] == ' ' && note.MatchString(line[at:]) {
			line = strings.TrimFunc(line[:at], controls)
			break
		}
	}
	if strings.Contains(line, "\r") {
		return BadRow
	}
	scheme, rest, found := strings.Cut(line, "://")
	switch {
	case strings.HasPrefix(line, "/") && w == nil:
		target := line
		if d == automaton.Google {
			target = "http://h" + line
		}
		return asTwin(d, site, target)
	case !found || scheme == "" || strings.ContainsAny(scheme, "/?#"):
		return NotAbsolute
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp":
	default:
		return BadScheme
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	if _, err := origin.Logged(rest[strings.LastIndexByte(rest, '@')+1:]); err != nil || strings.ContainsAny(rest,
		"\\ \t\x00\x7f") {
		return BadHost
	}
	if w == nil {
		return asTwin(d, site, line)
	}
	o, err := origin.Of([]byte(line))
	if err != nil {
		return BadHost
	}
	if status, ok := w.status[o]; ok && status >= 500 {
		if string(twin.Path(twin.Dialect(d.String()), []byte(line))) == "/robots.txt" {
			return Allowed
		}
		return Unreachable
	} else if ok {
		return Allowed
	}
	body, ok := w.bodies[o]
	if !ok {
		return NoPolicy
	}
	return asTwin(d, body, line)
}

func asTwin(d automaton.Dialect, body, url string) Class {
	if allowed, _ := twin.Match(twin.Dialect(d.String()), []byte(body), []byte(agent), []byte(url), 0, false); !allowed {
		return Disallowed
	}
	return Allowed
}

// expect filters texts, of inputs one after the other, by naive.
func expect(c Config, site string, w *web, texts ...string) (out string, count [Classes]int64) {
	prints := c.prints()
	var b strings.Builder
	for _, text := range texts {
		for _, line := range strings.SplitAfter(text, "\n") {
			if line == "" {
				continue
			}
			url := strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), "\ufeff")
			class := naive(c.Dialects[0], site, w, url)
			count[class]++
			if prints[class] {
				b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
			}
		}
	}
	return b.String(), count
}

// filtered runs the filter with small chunks over inputs; a line of more than 2000 bytes is too long.
func filtered(t testing.TB, c Config, workers int, inputs ...*source.Input) (string, Summary) {
	t.Helper()
	return filteredBy(t, c, source.Options{Workers: workers, ChunkSize: 300, MaxLine: 2000, InOrder: true}, inputs...)
}

// readerOf reads an input in small chunks.
func readerOf(in *source.Input, workers int) *source.Reader {
	return source.NewReader([]*source.Input{in}, source.Options{Workers: workers, ChunkSize: 100, MaxLine: 1 << 16,
		InOrder: true})
}

func filteredBy(t testing.TB, c Config, o source.Options, inputs ...*source.Input) (string, Summary) {
	t.Helper()
	var out bytes.Buffer
	s, err := Run(context.Background(), source.NewReader(inputs, o), o.Workers, c, &out)
	if err != nil {
		t.Fatal(err)
	}
	checkSums(t, s, out.String())
	return out.String(), s
}

// checkSums fails where the numbers of a summary do not add up.
func checkSums(t testing.TB, s Summary, out string) {
	t.Helper()
	sum := -s.Count[Header]
	for _, n := range s.Count {
		sum += n
	}
	if s.Kept+s.Dropped+s.Invalid != s.Read || sum != s.Read {
		t.Errorf("%+v does not add up", s)
	}
	if n := int64(strings.Count(out, "\n")); n != s.Printed || out != "" && !strings.HasSuffix(out, "\n") {
		t.Errorf("%d lines were printed, not %d", n, s.Printed)
	}
}

func memory(text string) *source.Input { return source.NewInput("-", strings.NewReader(text), -1) }

// onDisk writes a file for a test, compressed if its name ends in .gz.
func onDisk(t testing.TB, name, text string) *source.Input {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	data := []byte(text)
	if strings.HasSuffix(name, ".gz") {
		data = source.AppendMember(nil, data)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := source.NewFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// describe names the classes that there are.
func describe(count [Classes]int64) string {
	var b strings.Builder
	for class, n := range count {
		if n > 0 {
			fmt.Fprintf(&b, "%s %d, ", Class(class), n)
		}
	}
	return strings.TrimSuffix(b.String(), ", ")
}

func layoutOf(t testing.TB, kind list.Kind, text string, o list.Options) []*list.Layout {
	t.Helper()
	layout, err := list.New(kind, []byte(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return []*list.Layout{layout}
}
