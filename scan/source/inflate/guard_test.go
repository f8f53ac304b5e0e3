package inflate_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

func TestGuardAllocations(t *testing.T) {
	text := bytes.Repeat(texts()["log"], 20)
	data := append(member(t, string(text), gzip.Header{}), member(t, "second", gzip.Header{})...)
	from := bytes.NewReader(nil)
	br := bufio.NewReaderSize(from, 4096)
	var z inflate.Gzip
	for _, buffer := range []int{1000, 1 << 17} {
		p := make([]byte, buffer)
		read := func() {
			from.Reset(data)
			br.Reset(from)
			z.Reset(br)
			n := 0
			for z.Next() == nil {
				for {
					m, err := z.Read(p)
					if n += m; err != nil {
						break
					}
				}
			}
			if n != len(text)+len("second") {
				t.Fatalf("%d octets", n)
			}
		}
		read()
		if n := testing.AllocsPerRun(3, read); n > 0 {
			t.Errorf("buffer of %d: %v allocations", buffer, n)
		}
	}
}

// TestGuardInlining checks that the fast loop's calls for each symbol are inlined.
func TestGuardInlining(t *testing.T) {
	says := compilerSays(t, "-m")
	for _, function := range []string{"entry.take", "entry.literal", "entry.linked", "entry.valueWith", "next",
		"taken"} {
		if !strings.Contains(says, "codes.go") ||
			!regexp.MustCompile(`codes\.go:\d+:\d+: inlining call to `+regexp.QuoteMeta(function)+`\n`).MatchString(says) {
			t.Errorf("no call to %s is inlined", function)
		}
	}
}

// TestGuardBoundsChecks checks that codes.go gains no bounds checks. Several on one line count
// once.
func TestGuardBoundsChecks(t *testing.T) {
	if runtime.GOARCH != "amd64" || !strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skipf("counted on amd64 with Go 1.26, not on %s with %s", runtime.GOARCH, runtime.Version())
	}
	const want = 16
	lines := map[string]bool{}
	for _, m := range regexp.MustCompile(`codes\.go:(\d+):\d+: Found Is`).FindAllStringSubmatch(compilerSays(t,
		"-d=ssa/check_bce"), -1) {
		lines[m[1]] = true
	}
	if len(lines) == 0 || len(lines) > want {
		t.Errorf("%d lines of codes.go have checks, not %d", len(lines), want)
	}
}

// compilerSays builds the package with a flag for the compiler.
func compilerSays(t *testing.T, flag string) string {
	t.Helper()
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go tool to ask the compiler:", err)
	}
	out, err := exec.Command(goTool, "build", "-pgo=off", "-gcflags="+flag, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return string(out)
}
