package lazy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

func TestRegexp(t *testing.T) {
	digits := lazy.Regexp(`^[0-9]+$`)
	first := digits()
	if !first.MatchString("17") || first.MatchString("x") || digits() != first {
		t.Error("not the same expression at each call")
	}
}

// The expressions of the whole module that are literals compile: a mistake in one would otherwise
// show only when a user comes there.
func TestExpressionsCompile(t *testing.T) {
	files, found := token.NewFileSet(), 0
	err := filepath.WalkDir("../..", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isLazyRegexp(call.Fun) {
				return true
			}
			literal, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				return true // package format compiles those when it names a log or reads a user's format
			}
			found++
			text, err := strconv.Unquote(literal.Value)
			if err == nil {
				_, err = regexp.Compile(text)
			}
			if err != nil {
				t.Errorf("%v: %v", files.Position(call.Pos()), err)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 10 {
		t.Errorf("only %d calls of lazy.Regexp found", found)
	}
}

func isLazyRegexp(f ast.Expr) bool {
	selector, ok := f.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "Regexp" {
		return false
	}
	pkg, ok := selector.X.(*ast.Ident)
	return ok && pkg.Name == "lazy"
}
