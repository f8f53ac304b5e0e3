package docs_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSystems type-checks all packages and tests for other operating systems and for 32 bits, which
// takes a tenth of the time of compiling them.
func TestSystems(t *testing.T) {
	for _, system := range []string{"windows/386", "darwin/arm64"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			kind, processor, _ := strings.Cut(system, "/")
			list := exec.Command("go", "list", "-pgo=off", "-deps", "-test",
				"-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./...")
			list.Dir, list.Env = "..", append(os.Environ(), "GOOS="+kind, "GOARCH="+processor, "CGO_ENABLED=0")
			out, err := list.StdoutPipe()
			if err == nil {
				err = list.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			c := checker{t, types.SizesFor("gc", processor), map[string]*types.Package{"unsafe": types.Unsafe}}
			for d := json.NewDecoder(out); ; { // each package comes after those that it imports
				var p checked
				if err := d.Decode(&p); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if !strings.HasSuffix(p.ImportPath, ".test") && p.ImportPath != "unsafe" {
					c.check(&p)
				}
			}
			if err := list.Wait(); err != nil || c.known[module+"scan/job"] == nil {
				t.Errorf("go list: %v, %d packages", err, len(c.known))
			}
		})
	}
}

// checked is a package, or one with its tests, as go list describes it.
type checked struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct{ Main bool }
}

type checker struct {
	t     *testing.T
	sizes types.Sizes
	known map[string]*types.Package
}

// importer finds what a package imports.
type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// check type-checks a package; in other modules' packages it only checks declarations.
func (c *checker) check(p *checked) {
	own := p.Module != nil && p.Module.Main
	set, files := token.NewFileSet(), []*ast.File(nil)
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			c.t.Error(err)
		}
		files = append(files, f)
	}
	config := types.Config{Sizes: c.sizes, IgnoreFuncBodies: !own, Error: func(err error) {
		if own {
			c.t.Error(err)
		}
	}, Importer: importer(func(path string) (*types.Package, error) {
		if mapped, ok := p.ImportMap[path]; ok {
			path = mapped
		}
		return c.known[path], nil
	})}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	c.known[p.ImportPath], _ = config.Check(path, set, files, nil)
}
