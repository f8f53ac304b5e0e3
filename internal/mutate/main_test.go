package main

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"testing"
)

// The code that each mutant changes is still there, and each has a name of its own.
func TestMutantsCanBeMade(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range mutants() {
		if seen[m.rule] {
			t.Errorf("%s: there twice", m.rule)
		}
		seen[m.rule] = true
		if packages[path.Dir(m.file)] == nil || len(m.edits)%2 > 0 {
			t.Errorf("%s: no tests are to notice it, or an old text has no new one", m.rule)
		}
		source, err := os.ReadFile(filepath.Join("../..", m.file))
		if err != nil {
			t.Fatal(err)
		}
		mutated, err := m.apply(string(source))
		if err != nil {
			t.Errorf("%s: %v", m.rule, err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), m.file, mutated, parser.SkipObjectResolution); err != nil ||
			mutated == string(source) {
			t.Errorf("%s: the mutant is no other file: %v", m.rule, err)
		}
	}
}
