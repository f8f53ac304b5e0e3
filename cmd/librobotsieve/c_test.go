package main

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/scan/filter"
)

var long = flag.Bool("long", false, "TestC fuzzes for a minute, has threads run for one, and compiles a million bodies")

// TestHeader checks that robotsieve.h declares the exported functions with the right number of
// parameters, and the numbers of the reasons. The C compiler checks the types.
func TestHeader(t *testing.T) {
	header := string(raw(t, "robotsieve.h"))
	header = regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(header, "")
	declared := map[string]int{}
	for _, f := range regexp.MustCompile(`(?s)\nint64_t (robotsieve_\w+)\((.*?)\);`).FindAllStringSubmatch(header, -1) {
		declared[f[1]] = strings.Count(f[2], ",") + 1
	}
	file := must.Get(parser.ParseFile(token.NewFileSet(), "export.go", nil, parser.ParseComments))(t)
	exported := 0
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(f.Name.Name, "robotsieve_") {
			continue
		}
		exported++
		if n := f.Type.Params.NumFields(); declared[f.Name.Name] != n ||
			!strings.Contains(f.Doc.List[0].Text, "//export "+f.Name.Name) {
			t.Errorf("%s has %d parameters, and %d in the header", f.Name.Name, n, declared[f.Name.Name])
		}
	}
	if exported != len(declared) || exported < 10 {
		t.Errorf("%d functions are exported, %d declared", exported, len(declared))
	}
	for name, class := range map[string]filter.Class{
		"ALLOWED": filter.Allowed, "DISALLOWED": filter.Disallowed, "UNREACHABLE": filter.Unreachable,
		"NO_POLICY": filter.NoPolicy,
	} {
		if !regexp.MustCompile(fmt.Sprintf(`#define ROBOTSIEVE_%s %d\b`, name, class)).MatchString(header) {
			t.Errorf("%s is not %d in the header", name, class)
		}
	}
}

// TestC builds and runs the library, the program in the folder example and the C tests.
func TestC(t *testing.T) {
	out, err := exec.Command("go", "env", "CC").Output()
	cc := strings.TrimSpace(string(out))
	if _, missing := exec.LookPath(cc); err != nil || missing != nil {
		t.Skip("no C compiler: the C interface is not tested")
	}
	dir := t.TempDir()
	library := filepath.Join(dir, "librobotsieve.a")
	build := exec.Command("go", "build", "-trimpath", "-buildmode=c-archive", "-o", library, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	run(t, build, nil)
	compile := func(name, source string, flags ...string) string {
		program := filepath.Join(dir, name)
		flags = append(flags, "-Wall", "-Wextra", "-Werror", "-g", "-I.", "-o", program, source, library, "-lpthread")
		run(t, exec.Command(cc, flags...), nil)
		return program
	}
	rules, robots := sampleArchive(t), filepath.Join(dir, "robots.txt")
	write(t, robots, sampleBody)
	t.Run("example", func(t *testing.T) {
		t.Parallel()
		example := compile("example", "example/example.c", "-std=c99", "-pedantic")
		said := regexp.MustCompile(`cc (-o example .*)`).FindSubmatch(raw(t, "example/example.c"))
		asSaid := strings.Replace(string(said[1]), "../../../bin/clib/librobotsieve.a", library, 1)
		asSaid = strings.Replace(asSaid, "-o example ", "-o "+example+" ", 1)
		build := exec.Command(cc, strings.Fields(asSaid)...)
		build.Dir = "example"
		run(t, build, nil)
		for _, file := range []string{rules, robots} {
			urls := strings.NewReader("https://a.example/private/1\nhttps://a.example/\n")
			got := run(t, exec.Command(example, file, "GPTBot"), urls)
			if want := "disallowed\t2\thttps://a.example/private/1\nallowed\t0\thttps://a.example/\n"; got != want {
				t.Errorf("%s: %q, want %q", file, got, want)
			}
		}
	})
	check, strict := compile("check", "testdata/check.c", "-O1"), ""
	empty := exec.Command(cc, "-fsanitize=address", "-xc", "-o", filepath.Join(dir, "empty"), "-")
	empty.Stdin = strings.NewReader("int main(void) { return 0; }")
	if empty.Run() == nil {
		strict = compile("check-asan", "testdata/check.c", "-O1", "-fsanitize=address")
	} else {
		t.Log("no AddressSanitizer: the fuzzing is without it")
		strict = check
	}
	seconds, bodies := "4", "50000"
	if *long {
		seconds, bodies = "60", "1000000"
	}
	for _, args := range [][]string{
		{strict, "fuzz", "1", seconds, rules}, {check, "threads", seconds, rules}, {check, "leak", bodies},
	} {
		t.Run(args[1], func(t *testing.T) {
			t.Parallel()
			t.Log(run(t, exec.Command(args[0], args[1:]...), nil))
		})
	}
	for d := range automaton.NumDialects {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat(vectorsOf(d.String())); err != nil {
				t.Skip("no vectors beside the checkout")
			}
			r, w := io.Pipe()
			go func() { w.CloseWithError(writeVectors(w, d.String())) }()
			t.Log(run(t, exec.Command(strict, "vectors"), r))
		})
	}
}

func vectorsOf(dialect string) string {
	return filepath.Join("..", "..", "..", "shared", "vectors", dialect+".jsonl.gz")
}

// writeVectors writes the cases of a dialect as the test in C reads them.
func writeVectors(w io.Writer, dialect string) error {
	f, err := os.Open(vectorsOf(dialect))
	if err != nil {
		return err
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for d := json.NewDecoder(zip); ; {
		var v struct {
			Robots  []byte `json:"robots_b64"`
			Agent   []byte `json:"agent_b64"`
			URL     []byte `json:"url_b64"`
			Allowed bool   `json:"allowed"`
			Line    uint32 `json:"line"`
		}
		if err := d.Decode(&v); err == io.EOF {
			return out.Flush()
		} else if err != nil {
			return err
		}
		for _, text := range [][]byte{[]byte(dialect), v.Robots, v.Agent, v.URL} {
			_ = binary.Write(out, binary.NativeEndian, uint32(len(text)))
			_, _ = out.Write(text)
		}
		want := [2]uint32{0, v.Line}
		if v.Allowed {
			want[0] = 1
		}
		_ = binary.Write(out, binary.NativeEndian, want)
	}
}

func run(t *testing.T, c *exec.Cmd, stdin io.Reader) string {
	t.Helper()
	var errs strings.Builder
	c.Stdin, c.Stderr = stdin, &errs
	// The garbage collector of Go keeps what AddressSanitizer would call lost.
	c.Env = append(c.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", c.Args, err, out, errs.String())
	}
	return string(out)
}

func raw(t *testing.T, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(name))(t)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(name, []byte(text), 0o600))
}
