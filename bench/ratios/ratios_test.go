package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The test binary stands for robotsieve in its own tests: this variable says how it is to behave.
const behaviour = "ROBOTSIEVE_TEST_RATIOS"

func TestMain(m *testing.M) {
	if how := os.Getenv(behaviour); how != "" {
		if err := standIn(how, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// standIn prints what robotsieve prints, as far as it is checked.
func standIn(how string, args []string) error {
	switch {
	case how == "fails":
		return fmt.Errorf("no such command: %s", args[0])
	case args[0] == "version":
		fmt.Println("robotsieve")
		return nil
	case args[0] == "filter" && len(args) == 6:
		return list(args[1:])
	case args[0] != "audit" || args[1] != "--output" || args[2] != "json" || args[3] != "--robots":
		return fmt.Errorf("unexpected arguments: %q", args)
	}
	total := 0
	for _, name := range args[5:] {
		n, err := linesOf(name)
		if err != nil {
			return err
		}
		total += n
	}
	if how == "short" {
		total--
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]int{"lines": total - 1, "blank": 1})
}

func list(args []string) error {
	robots, err := os.ReadFile(args[1])
	if rules := bytes.Count(robots, []byte("llow:")); err != nil || args[0] != "--robots" || args[2] != "--agent" || rules < 100 {
		return fmt.Errorf("unexpected arguments: %q, %d rules, %w", args, rules, err)
	}
	urls, err := os.ReadFile(args[4])
	_, _ = os.Stdout.Write(urls)
	return err
}

// linesOf reads a log by the libraries of others.
func linesOf(name string) (n int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var r io.Reader = f
	switch filepath.Ext(name) {
	case ".gz":
		r, err = gzip.NewReader(bufio.NewReader(f))
	case ".zst":
		r, err = zstd.NewReader(f)
	}
	if err != nil {
		return 0, err
	}
	text, err := io.ReadAll(r)
	return lines(text), err
}

// ratios runs the command on small files, with the test binary in place of robotsieve.
func ratios(t *testing.T, ctx context.Context, how string) (code int, out, stderr string) {
	t.Helper()
	t.Setenv(behaviour, how)
	t.Setenv("TMPDIR", t.TempDir())
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	code = run(ctx, []string{"-size", "1", "-rounds", "1", "-root", "../..", "-command", program}, &o, &e)
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
	return code, o.String(), e.String()
}

// TestTable: all rows are there, and those beside a program that is not installed say so.
func TestTable(t *testing.T) {
	code, out, stderr := ratios(t, t.Context(), "works")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if want := 1 + 1 + 4 + 2 + 1 + 1 + 1 + 1 + 1 + 1; strings.Count(out, "\n| ")+1 != want {
		t.Errorf("not %d rows:\n%s", want, out)
	}
	for _, fact := range []string{"CPU: ", "cores: ", "caches: ", "memory: ", "kernel: ", "load: ", "Go: go", "commit: ", " ms ", " % |", "klauspost's inflate "} {
		if !strings.Contains(out, fact) {
			t.Errorf("%q is missing in:\n%s", fact, out)
		}
	}
}

func TestMissingPeers(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	code, out, stderr := ratios(t, t.Context(), "works")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, program := range []string{"wc -l", "zstd -dc", "igzip -dc"} {
		if !strings.Contains(out, program+" is missing") {
			t.Errorf("%q is not missing in:\n%s", program, out)
		}
	}
}

// TestFailures: a program that fails, or does not do the whole work, has no time.
func TestFailures(t *testing.T) {
	for how, want := range map[string]string{"fails": "no such command: audit", "short": "blank ones, not of"} {
		if code, _, stderr := ratios(t, t.Context(), how); code != 3 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %q, want %q", how, code, stderr, want)
		}
	}
	var out, stderr bytes.Buffer
	if code := run(t.Context(), []string{"-command", "nothing"}, &out, &stderr); code != 3 || !strings.Contains(stderr.String(), "make build") {
		t.Errorf("without the program: exit code %d, %q", code, stderr.String())
	}
	if code := run(t.Context(), []string{"-size", "0"}, &out, &stderr); code != 2 {
		t.Errorf("with -size 0: exit code %d", code)
	}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	if code, _, stderr := ratios(t, interrupted, "works"); code != 130 {
		t.Errorf("interrupted: exit code %d, %q", code, stderr)
	}
}

// TestMember: pieces stand in a row as one member of gzip.
func TestMember(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.gz")
	a, b := compress([]byte("one, one, one\n")), compress([]byte("two\n"))
	if err := writeGzip(name, a, b, a); err != nil {
		t.Fatal(err)
	}
	text, err := readGzip(name)
	if want := "one, one, one\ntwo\none, one, one\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
}

// TestMadeList is about machines without shared data.
func TestMadeList(t *testing.T) {
	log, err := readGzip("../../testdata/sample/access.log.gz")
	if err != nil {
		t.Fatal(err)
	}
	urls, robots := listOf(log)
	if n := lines(urls); n < 4000 || !bytes.HasPrefix(urls, []byte("https://lantern.example/")) {
		t.Errorf("%d URLs: %.80q", n, urls)
	}
	if n := bytes.Count(robots, []byte("\nDisallow: /")); n != 100 {
		t.Errorf("%d rules", n)
	}
}

// TestCopies: a text that was cut to a size is not repeated.
func TestCopies(t *testing.T) {
	log := bytes.Repeat([]byte("0123456789\n"), 1000)
	for size, want := range map[int]int{1: 1, 5_000: 1, 11_000: 1, 22_000: 2, 110_000: 10} {
		text := cut(log, size)
		if got := copies(text, size); got != want {
			t.Errorf("%d octets: %d copies of %d", size, got, len(text))
		}
	}
}

func TestFigures(t *testing.T) {
	times := []spent{{4 * time.Second, 8 * time.Second}, {2 * time.Second, 2 * time.Second}, {3 * time.Second, 3 * time.Second}}
	if got := median(times); got != 3*time.Second {
		t.Errorf("median %v", got)
	}
	for d, want := range map[time.Duration]string{1500 * time.Millisecond: "1.50 s", 12_340 * time.Microsecond: "12.3 ms"} {
		if got := show(d); got != want {
			t.Errorf("%v is shown as %s", d, got)
		}
	}
}
