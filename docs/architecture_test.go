// Package docs_test holds the documents to the code: the picture of the packages is
// the one that the imports draw, and no package imports more than its law permits.
package docs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/robotsieve/robotsieve/"

// imports reads what each package may import.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	allowed := map[string][]string{}
	for line := range strings.Lines(read(t, "testdata/imports.txt")) {
		if name, may, found := strings.Cut(line, ":"); found && line[0] != '#' {
			allowed[name] = strings.Fields(may)
		}
	}
	return allowed
}

// system is what packages other than internal/disk may use of those packages of the standard library that have file
// operations: so every one is an operation of internal/disk, and a test can make it fail.
var system = map[string]*regexp.Regexp{
	"os": regexp.MustCompile(`^(Args|Exit|Std(in|out|err)|Getenv|Signal|Interrupt|File|LinkError|` +
		`SameFile|TempDir|O_\w+)$`),
	"syscall":  regexp.MustCompile(`^(Errno|E[A-Z]+|SIG[A-Z]+|Stat_t|Geteuid|O_\w+)$`),
	"filepath": regexp.MustCompile(`^(Abs|Base|Clean|Dir|Ext|FromSlash|IsAbs|Join|Match|Rel|Separator|Split|ToSlash)$`),
	"ioutil":   regexp.MustCompile(`^$`),
}

// noCommand are the folders with programs and tests of their own, which are no part of the command.
var noCommand = []string{"internal/disk", "internal/test", "internal/notices", "bench"}

func TestFileOperations(t *testing.T) {
	uses := regexp.MustCompile(`\b(os|syscall|filepath|ioutil)\.([A-Z]\w*)`)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(path), "../")
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains(noCommand, name) || name != ".." && strings.HasPrefix(name, ".")):
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		code, err := os.ReadFile(path)
		for i, line := range strings.Split(string(code), "\n") {
			line, _, _ = strings.Cut(line, "//")
			for _, use := range uses.FindAllStringSubmatch(line, -1) {
				if !system[use[1]].MatchString(use[2]) {
					t.Errorf("%s:%d: %s: internal/disk has the file operations", name, i+1, use[0])
				}
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// listed is one package as go list describes it.
type listed struct {
	ImportPath string
	GoFiles    []string
	CgoFiles   []string
	Imports    []string
}

// packages returns the packages of the module that have code outside of tests.
func packages(t *testing.T) []listed {
	t.Helper()
	command := exec.Command("go", "list", "-pgo=off", "-json=ImportPath,GoFiles,CgoFiles,Imports", "./...")
	command.Dir = ".."
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) > 0 {
			list = append(list, p)
		}
	}
}

func folder(importPath string) string { return strings.TrimPrefix(importPath, module) }

// isStandard reports whether an import path belongs to the standard library: its first element has
// no dot.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func TestImports(t *testing.T) {
	allowed, seen := imports(t), map[string]string{} // and the package that imports a module
	ofAutomaton := regexp.MustCompile(`^(automaton|internal/(plain|table))(/|$)`)
	for _, p := range packages(t) {
		of := folder(p.ImportPath)
		may, known := allowed[of]
		if !known {
			t.Errorf("package %s is in no row of the table", of)
		}
		if len(p.CgoFiles) > 0 && of != "cmd/librobotsieve" {
			t.Errorf("package %s uses cgo", of)
		}
		used := map[string]bool{}
		for _, path := range p.Imports {
			if isStandard(path) {
				continue
			}
			name := folder(path)
			row := slices.IndexFunc(may, func(a string) bool {
				return a == name || strings.HasSuffix(a, "/") && strings.HasPrefix(name, a)
			})
			if row < 0 {
				t.Errorf("package %s imports %s", of, name)
				continue
			}
			used[may[row]] = true
			if name == path && ofAutomaton.MatchString(of) {
				t.Errorf("package %s, a part of automaton, imports %s, not only the standard library", of, path)
			}
			if name == path && !strings.HasPrefix(path, "golang.org/x/sys/") {
				if other := seen[path]; other != "" && other != of {
					t.Errorf("%s is imported by %s and %s: a dependency belongs to one package", path, other, of)
				}
				seen[path] = of
			}
		}
		for _, a := range may {
			if !used[a] && a != "golang.org/x/sys/" { // which not every system needs
				t.Errorf("package %s need not import %s: take it out of the table", of, a)
			}
		}
	}
}

// TestPicture compares the picture in architecture.md with the imports.
func TestPicture(t *testing.T) {
	checkMade(t, "explain/architecture.md", "TestPicture: go test ./docs -run Picture -update",
		"\n```mermaid\n"+draw(packages(t))+"```\n\n")
}

// draw returns the packages as a Mermaid graph, an arrow for each import within the
// module that no chain of other imports implies.
func draw(list []listed) string {
	imports := map[string][]string{}
	for _, p := range list {
		for _, path := range p.Imports {
			if to := folder(path); to != path {
				imports[folder(p.ImportPath)] = append(imports[folder(p.ImportPath)], to)
			}
		}
	}
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		return slices.ContainsFunc(imports[from], func(next string) bool { return next == to || reaches(next, to) })
	}
	var b strings.Builder
	b.WriteString("graph LR\n")
	for _, p := range list {
		of := folder(p.ImportPath)
		var arrows []string
		for _, to := range imports[of] {
			if !slices.ContainsFunc(imports[of], func(other string) bool { return reaches(other, to) }) {
				arrows = append(arrows, fmt.Sprintf("%s[%s]", node(to), to))
			}
		}
		if arrows != nil {
			fmt.Fprintf(&b, "  %s[%s] --> %s\n", node(of), of, strings.Join(arrows, " & "))
		}
	}
	return b.String()
}

func node(folder string) string { return strings.NewReplacer("/", "_", "-", "_").Replace(folder) }

// TestMakefileNamesTests checks that the tests the Makefile names for the race detector exist.
func TestMakefileNamesTests(t *testing.T) {
	var tests []byte
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			var code []byte
			code, err = os.ReadFile(path)
			tests = append(tests, code...)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	lists := regexp.MustCompile(`(?m)^(?:NORACE|SHARING) := (?:\$\(NORACE\)\|)?(.+)$`)
	for _, list := range lists.FindAllStringSubmatch(read(t, "../Makefile"), -1) {
		for name := range strings.SplitSeq(list[1], "|") {
			if !regexp.MustCompile(`(?m)^func Test\w*` + strings.TrimPrefix(name, "Test")).Match(tests) {
				t.Errorf("no test has the name %q of the Makefile", name)
			}
		}
	}
}
