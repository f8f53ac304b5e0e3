// Command mutate shows that the tests hold the rules of the audit: it breaks one rule of
// sections 2, 7, 8 and 10 of docs/reference/audit-rules.md after the other in the code, and runs the tests of the
// packages that are to notice it. The tree is not changed: a mutant is a copy of one file,
// which go test takes in its place (-overlay). The result is a table in Markdown. The exit
// code is 1 if a test notices nothing or a mutant cannot be made, as when the code that it
// changes is no longer there. The test that noticed a mutant when the table was made is run first,
// so that all take some minutes.
//
//	go run ./internal/test/mutate -o internal/test/mutate/mutation.md
//
// Arguments are the rules of mutants, or parts of these, to be tried alone.
package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// mutantsText has blocks with a blank line between them. Lines that begin with # are comments. The
// first line of a mutant says what is wrong in it, the second names the file from the top of the
// tree; then come the lines of an old text with - before each, those of the new one with +, and so on.
//
//go:embed mutants.txt
var mutantsText string

// mutant is a rule that is broken in the code.
type mutant struct {
	rule, file string
	edits      []string // old text, new text, old text, new text…
}

// mutants are those of mutantsText.
func mutants() (list []mutant) {
	for block := range strings.SplitSeq(strings.TrimSuffix(mutantsText, "\n"), "\n\n") {
		lines := strings.Split(block, "\n")
		if lines[0][0] == '#' {
			continue
		}
		m := mutant{rule: lines[0], file: lines[1]}
		for i, line := range lines[2:] {
			if last := len(m.edits) - 1; i > 0 && line[0] == lines[1+i][0] {
				m.edits[last] += "\n" + line[1:]
			} else {
				m.edits = append(m.edits, line[1:])
			}
		}
		list = append(list, m)
	}
	return list
}

// packages are those whose tests are to notice a mutant, by the folder of its file.
var packages = map[string][]string{
	"compile":              {"./compile"},
	"internal/status":      {"./internal/status", "./scan/policy"},
	"scan/internal/answer": {"./scan/internal/answer", "./scan/policy"},
	"scan/policy":          {"./scan/policy", "./scan/audit"},
	"scan/reading":         {"./scan/policy", "./scan/audit"},
	"scan/crawler":         {"./scan/crawler"},
	"scan/audit":           {"./scan/internal/judge", "./scan/audit"},
	"scan/internal/judge":  {"./scan/internal/judge", "./scan/audit"},
	"scan/format":          {"./scan/format"},
	"scan/internal/block":  {"./scan/internal/block"},
}

func main() {
	out := flag.String("o", "", "write the table to this file")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// run tries the mutants whose rules have one of the texts in them; none: all.
func run(out string, only []string) error {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var chosen []mutant
	for _, m := range mutants() {
		if len(only) == 0 || slices.ContainsFunc(only, func(text string) bool { return strings.Contains(m.rule, text) }) {
			chosen = append(chosen, m)
		}
	}
	if noticed, err := test(slices.Concat(slices.Collect(maps.Values(packages))...), "", ""); err != nil || noticed != "" {
		return errors.Join(err, fmt.Errorf("without a mutant %q fails", noticed))
	}
	before, err := os.ReadFile("internal/test/mutate/mutation.md")
	if err != nil {
		return err
	}
	results := tryAll(dir, chosen, noticedBefore(string(before)))
	if out != "" {
		if err := os.WriteFile(out, []byte(table(chosen, results)), 0o666); err != nil {
			return err
		}
	}
	var errs []error
	for i, r := range results {
		switch {
		case r.err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", chosen[i].rule, r.err))
		case r.noticed == "":
			errs = append(errs, fmt.Errorf("%s: no test notices it", chosen[i].rule))
		}
	}
	return errors.Join(errs...)
}

// result is the name of the test that noticed a mutant, "" if none did.
type result struct {
	noticed string
	err     error
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return "not tried: " + err.Error()
}

// parallel is how many mutants are tried at once.
const parallel = 2

// tableRow is a row of the table.
var tableRow = regexp.MustCompile("(?m)^\\| (.*) \\| `.*` \\| `(.*)` \\|$")

// noticedBefore returns, for each rule of a table, the test that noticed that it was broken.
func noticedBefore(table string) map[string]string {
	tests := map[string]string{}
	for _, row := range tableRow.FindAllStringSubmatch(table, -1) {
		tests[strings.ReplaceAll(row[1], `\|`, "|")] = row[2]
	}
	return tests
}

func tryAll(dir string, list []mutant, before map[string]string) []result {
	results := make([]result, len(list))
	next := make(chan int)
	var wg sync.WaitGroup
	for range parallel {
		wg.Go(func() {
			for i := range next {
				r := &results[i]
				r.noticed, r.err = try(filepath.Join(dir, fmt.Sprint(i)), list[i], before[list[i].rule])
				fmt.Printf("%-90s %s\n", list[i].rule, cmp.Or(r.noticed, errorText(r.err), "NONE"))
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wg.Wait()
	return results
}

// try makes a mutant in a folder and tests it, by the test that noticed it before first.
func try(dir string, m mutant, before string) (noticed string, err error) {
	overlay, err := m.overlay(dir)
	if err != nil {
		return "", err
	}
	all := packages[path.Dir(m.file)]
	pkg, name, _ := strings.Cut(before, ".")
	for _, of := range all {
		if path.Base(of) == pkg {
			if noticed, err = test([]string{of}, overlay, "^"+name+"$"); noticed != "" || err != nil {
				return noticed, err
			}
		}
	}
	return test(all, overlay, "")
}

// overlay writes the changed file into a new folder, and returns what go test takes it by.
func (m *mutant) overlay(dir string) (name string, err error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	mutated, err := m.apply(string(source))
	if err != nil {
		return "", err
	}
	file, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	copied, name := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{file: copied}})
	if err != nil {
		return "", err
	}
	return name, errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(copied, []byte(mutated), 0o666),
		os.WriteFile(name, replace, 0o666))
}

// apply returns the source with the edits of the mutant. The old text of each must be in it
// exactly once.
func (m *mutant) apply(source string) (string, error) {
	for i := 0; i < len(m.edits); i += 2 {
		from, to := m.edits[i], m.edits[i+1]
		if n := strings.Count(source, from); n != 1 {
			return "", fmt.Errorf("%s has %d times, not once: %s", m.file, n, from)
		}
		source = strings.Replace(source, from, to, 1)
	}
	return source, nil
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// test runs the tests of packages until one fails, and returns its name: those whose names match only.
func test(of []string, overlay, only string) (noticed string, err error) {
	for _, pkg := range of {
		out, err := exec.Command("go", "test", "-pgo=off", "-short", "-failfast", "-vet=off", "-timeout=20m",
			"-run="+only, "-overlay="+overlay, pkg).CombinedOutput()
		if err == nil {
			continue
		}
		names := failed.FindStringSubmatch(string(out))
		if names == nil {
			return "", fmt.Errorf("%s: %w\n%s", pkg, err, out)
		}
		return filepath.Base(pkg) + "." + names[1], nil
	}
	return "", nil
}

// table returns the table of the results.
func table(list []mutant, results []result) string {
	var b strings.Builder
	b.WriteString("# Mutants of the rules of the audit\n\n" +
		"Each row is a rule of section 2, 7, 8 or 10 of [audit-rules.md](../../../docs/reference/audit-rules.md), or of " +
		"[block.md](../../../docs/howto/block.md), broken in the code,\nand the first test that fails then. `make mutate` makes " +
		"this table anew; it fails if no test notices a mutant.\n\n" +
		"| broken rule | in | noticed by |\n|---|---|---|\n")
	for i, m := range list {
		noticed := "**none**"
		if results[i].noticed != "" {
			noticed = "`" + results[i].noticed + "`"
		}
		rule, file := strings.ReplaceAll(m.rule, "|", `\|`), strings.TrimPrefix(strings.TrimPrefix(m.file, "scan/"), "internal/")
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", rule, file, noticed)
	}
	return b.String()
}
