package main

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// TestTableIsOfMutants checks that internal/test/mutate/mutation.md contains only existing rules and tests.
func TestTableIsOfMutants(t *testing.T) {
	table, err := os.ReadFile("mutation.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for dir := range packages {
		names, _ := filepath.Glob(filepath.Join("../../..", dir, "*_test.go"))
		for _, name := range names {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			tests.Write(source)
		}
	}
	rows := noticedBefore(string(table))
	for _, m := range mutants() {
		_, name, isIn := strings.Cut(rows[m.rule], ".")
		if isIn && !strings.Contains(tests.String(), "func "+name+"(") {
			t.Errorf("%s: there is no test %s", m.rule, name)
		}
		delete(rows, m.rule)
	}
	for rule := range rows {
		t.Errorf("%s: there is no such mutant", rule)
	}
}

// TestMutantsCanBeMade checks that the code of each mutant still exists, and that names are unique.
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
		source, err := os.ReadFile(filepath.Join("../../..", m.file))
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
