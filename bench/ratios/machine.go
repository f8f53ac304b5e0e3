package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// printFacts prints what the figures depend on: the machine, the commit and the programs beside. On systems without the files of Linux some
// of it is unknown.
func printFacts(ctx context.Context, out io.Writer, root string) {
	facts := []struct{ name, value string }{
		{"CPU", field("/proc/cpuinfo", "model name")},
		{"cores", fmt.Sprint(runtime.NumCPU())},
		{"caches", caches("/sys/devices/system/cpu/cpu0/cache")},
		{"memory", field("/proc/meminfo", "MemTotal")},
		{"kernel", firstLine(os.ReadFile("/proc/sys/kernel/osrelease"))},
		{"load", firstLine(os.ReadFile("/proc/loadavg"))}, // of a busy machine the figures say little
		{"Go", runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH},
		{"commit", firstLine(exec.CommandContext(ctx, "git", "-C", root, "log", "-1", "--format=%cs %h").Output())},
	}
	for _, program := range []string{"wc", "zstd", "igzip"} {
		facts = append(facts, struct{ name, value string }{program, firstLine(exec.CommandContext(ctx, program, "--version").Output())})
	}
	for _, f := range facts {
		fmt.Fprintf(out, "%s: %s\n", f.name, cmp.Or(f.value, "unknown"))
	}
}

func firstLine(text []byte, err error) string {
	if err != nil {
		return ""
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return strings.TrimSpace(string(line))
}

// field returns the first value of a name in a file of lines "name: value".
func field(file, name string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// caches returns the caches of the first processor, such as "L1 Data 48K, L2 Unified 1024K".
func caches(folder string) string {
	var list []string
	for i := range 8 {
		of := func(name string) string {
			return firstLine(os.ReadFile(filepath.Join(folder, fmt.Sprintf("index%d", i), name)))
		}
		if size := of("size"); size != "" {
			list = append(list, fmt.Sprintf("L%s %s %s", of("level"), of("type"), size))
		}
	}
	return strings.Join(list, ", ")
}
