package docs

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// The limits of every package. Lines are Go lines, with and without code that only tests use.
const (
	maxFiles      = 30
	maxFields     = 20
	maxParameters = 5
	maxColumns    = 120
	maxLines      = 81_803
	maxTestLines  = 55_090
)

// beyond are what may pass a limit, with the reason.
var beyond = map[string]string{
	"scan/report Report":                        "the schema of reports",
	"scan/report CrawlerInfo":                   "the schema of reports",
	"scan/crawler Profile":                      "the schema of crawlers.json",
	"automaton reach":                           "arguments in registers, on the way of each URL",
	"internal/table search":                     "likewise",
	"internal/table read":                       "likewise",
	"scan/format indexAVX2":                     "assembly",
	"scan/format civil":                         "the parts of a time",
	"scan/source/inflate fill":                  "the loop of the decoder",
	"cmd/librobotsieve robotsieve_match":        "the C interface",
	"cmd/librobotsieve ask":                     "the C interface",
	"cmd/librobotsieve robotsieve_match_many":   "the C interface",
	"cmd/librobotsieve robotsieve_match_agents": "the C interface",
	"cmd/librobotsieve robotsieve_fields":       "the C interface",
	"scan/crawler/libraries.go":                 "data",
	"scan/format/envelope.go":                   "rows of formats",
	"scan/format/guess.go":                      "rows of keys",
	"scan/format/haproxy.go":                    "a sample",
	"scan/format/jsonformats.go":                "rows of formats",
	"scan/format/table.go":                      "rows of formats",
}

// TestLimits limits packages, structs, functions and lines to readable sizes, and keeps the whole
// tree from growing unnoticed.
func TestLimits(t *testing.T) {
	files, lines, testLines := map[string]int{}, 0, 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != ".." && (d.Name()[0] == '.' || d.Name() == "testdata" || d.Name() == "bin"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/test/") {
			testLines += bytes.Count(source, []byte("\n"))
			return nil
		}
		lines += bytes.Count(source, []byte("\n"))
		files[filepath.ToSlash(filepath.Dir(name))]++
		checkWidth(t, name, source)
		checkDeclarations(t, name, source)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, n := range files {
		if n > maxFiles {
			t.Errorf("package %s has %d files, %d at most", dir, n, maxFiles)
		}
	}
	if lines > maxLines || testLines > maxTestLines {
		t.Errorf("%d lines and %d of tests, %d and %d at most: delete before you add", lines, testLines, maxLines,
			maxTestLines)
	}
}

// checkWidth checks that lines are not too wide.
func checkWidth(t *testing.T, name string, source []byte) {
	if beyond[name] != "" {
		return
	}
	number := 0
	for line := range bytes.Lines(source) {
		if number++; utf8.RuneCount(bytes.TrimSuffix(line, []byte("\n"))) > maxColumns {
			t.Errorf("%s:%d is wider than %d characters", name, number, maxColumns)
		}
	}
}

// checkDeclarations checks the sizes of structs and the parameters of functions.
func checkDeclarations(t *testing.T, name string, source []byte) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, list *ast.FieldList, most int) {
		n := 0
		for _, f := range list.List {
			n += max(len(f.Names), 1)
		}
		if n > most && beyond[filepath.ToSlash(filepath.Dir(name))+" "+what] == "" {
			t.Errorf("%s: %s has %d fields or parameters, %d at most", name, what, n, most)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch d := n.(type) {
		case *ast.TypeSpec:
			if s, ok := d.Type.(*ast.StructType); ok {
				check(d.Name.Name, s.Fields, maxFields)
			}
		case *ast.FuncDecl:
			check(d.Name.Name, d.Type.Params, maxParameters)
		}
		return true
	})
}
