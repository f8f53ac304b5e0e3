// Command mutate shows that the tests enforce the rules of the audit. It breaks one rule after the
// other of sections 2, 7, 8 and 10 of docs/reference/audit-rules.md in the code, and runs the tests
// of the packages that should notice it. The tree isn't changed: a mutant is a copy of one file,
// which go test uses instead (-overlay). The result is a table in Markdown. The exit code is 1 if
// no test notices a mutant or if a mutant can't be made, because the code that it changes no longer
// exists. The test that noticed a mutant before runs first, so that all mutants take some minutes.
//
//	go run ./internal/test/mutate -o internal/test/mutate/mutation.md
//
// Arguments select mutants by their rules, or parts of these.
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

// mutantsText has blocks separated by blank lines. Lines that begin with # are comments. The first
// line of a mutant describes the fault, the second names the file from the top of the tree. Then
// come the lines of an old text, each after -, those of the new one after +, and so on.
//
//go:embed mutants.txt
var mutantsText string

// mutant is a rule broken in the code.
type mutant struct {
	rule, file string
	edits      []string // old text, new text, old text, new text…
}

// mutants parses mutantsText.
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

// packages maps the folder of a file to the packages whose tests should notice a mutant.
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

// run tries the mutants whose rules contain one of the texts, or all if there are none.
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

// parallel is the number of mutants tried at once.
const parallel = 2

// tableRow is a row of the table.
var tableRow = regexp.MustCompile("(?m)^\\| (.*) \\| `.*` \\| `(.*)` \\|$")

// noticedBefore returns, for each rule in a table, the test that noticed its mutant.
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

// try makes a mutant in a folder and tests it, with the test that noticed it before first.
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

// overlay writes the changed file to a new folder, and returns go test's flag for it.
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

// apply applies the edits of the mutant to the source. Each old text must occur exactly once.
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

// test runs matching tests of packages until one fails, and returns its name.
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
