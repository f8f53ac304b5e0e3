package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestMain runs the command when TestStart runs this program as the command.
func TestMain(m *testing.M) {
	if os.Getenv("ROBOTSIEVE_TEST_START") != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestStart checks that no package initializes at start what few runs need. Such values belong in a
// function of sync.OnceValue or package lazy.
func TestStart(t *testing.T) {
	cmd := exec.Command(os.Args[0], "version")
	cmd.Env = append(os.Environ(), "ROBOTSIEVE_TEST_START=1", "GODEBUG=inittrace=1")
	trace := new(strings.Builder)
	cmd.Stderr = trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	// Bytes for own packages and for others: pprof, which profile imports, needs most of the latter.
	bounds := map[bool]int{true: 47_000, false: 280_000}
	line := regexp.MustCompile(`(?m)^init (\S*\.\S*) @.* (\d+) bytes, (\d+) allocs$`)
	inits := line.FindAllStringSubmatch(trace.String(), -1)
	for _, line := range inits {
		isOwn := strings.HasPrefix(line[1], "github.com/robotsieve/")
		bytes, _ := strconv.Atoi(line[2])
		allocs, _ := strconv.Atoi(line[3])
		if bounds[isOwn] -= bytes; isOwn && (bytes > 16_000 || allocs > 210) {
			t.Errorf("%s makes %d objects of %d bytes before main", line[1], allocs, bytes)
		}
	}
	if len(inits) < 20 || bounds[true] < 0 || bounds[false] < 0 {
		t.Errorf("%d packages; %d and %d bytes are left for own packages and others:\n%s",
			len(inits), bounds[true], bounds[false], trace)
	}
}
