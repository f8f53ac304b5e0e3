// Command notices writes the licences of Go and of all modules with code in a command's binaries.
// It reads them from the module cache.
//
//	go run ./internal/notices -o THIRD_PARTY.txt ./cmd/robotsieve linux/amd64 windows/arm64
//
// The arguments are a package and the systems that it is built for. The output is the same on every
// machine.
package main

import (
	"cmp"
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
)

func main() {
	out := flag.String("o", "", "the file to write")
	flag.Parse()
	text, err := "", errors.New("usage: notices -o FILE PACKAGE OS/ARCH...")
	if flag.NArg() > 1 && *out != "" {
		text, err = notices(flag.Arg(0), flag.Args()[1:])
	}
	if err == nil {
		err = os.WriteFile(*out, []byte(text), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// module is a module with packages in a binary.
type module struct {
	name, dir string   // name includes the version
	folders   []string // of the packages
}

// notices returns the licences of a package's dependencies on some systems.
func notices(pkg string, systems []string) (string, error) {
	found, err := golang()
	if err != nil {
		return "", err
	}
	modules := map[string]*module{}
	for _, system := range systems {
		if err := list(pkg, system, modules); err != nil {
			return "", err
		}
	}
	names := slices.SortedFunc(maps.Values(modules), func(a, b *module) int { return cmp.Compare(a.name, b.name) })
	var b strings.Builder
	b.WriteString("robotsieve is made with the software named here. Each part is under its own licence, which " +
		"follows its name.\n")
	for _, m := range append([]*module{found}, names...) {
		if err := m.write(&b); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// golang returns Go itself: its runtime and standard library are in each binary.
func golang() (*module, error) {
	out, err := exec.Command("go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return &module{name: "Go " + strings.TrimPrefix(version, "go"), dir: strings.TrimSpace(root)}, nil
}

// list adds the modules of a package on a system such as linux/amd64.
func list(pkg, system string, modules map[string]*module) error {
	goos, goarch, _ := strings.Cut(system, "/")
	command := exec.Command("go", "list", "-pgo=off", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", pkg)
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return fmt.Errorf("go list for %s: %w", system, err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) < 3 {
			continue // in the standard library
		}
		m := modules[fields[0]]
		if m == nil {
			m = &module{name: fields[0], dir: fields[1]}
			modules[m.name] = m
		}
		m.folders = append(m.folders, fields[2])
	}
	return nil
}

// write writes the licences in a module's folder, and from those of its packages up to it.
func (m *module) write(b *strings.Builder) error {
	folders := []string{m.dir}
	for _, f := range m.folders {
		for ; f != m.dir; f = filepath.Dir(f) {
			folders = append(folders, f)
		}
	}
	slices.Sort(folders)
	count := 0
	for _, folder := range slices.Compact(folders) {
		files, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, f := range files {
			if f.IsDir() || !licence.MatchString(f.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, f.Name()))
			if err != nil {
				return err
			}
			in, err := filepath.Rel(m.dir, folder)
			if err != nil {
				return err
			}
			title := m.name + ": " + path.Join(filepath.ToSlash(in), f.Name())
			rule := strings.Repeat("=", 80)
			fmt.Fprintf(b, "\n%s\n%s\n%s\n\n%s\n", rule, title, rule, strings.TrimSpace(string(text)))
			count++
		}
	}
	if count == 0 {
		return fmt.Errorf("no licence found of %s", m.name)
	}
	return nil
}

// licence matches names of files with licences.
var licence = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|patents)([.-].*)?$`)
