package cli

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// initialized matches what the runtime says of the initialization of a package.
var initialized = regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, (\d+) allocs$`)

// Every run waits for the initialization of all packages, so it makes nothing that only some need.
func TestGuardStart(t *testing.T) {
	const (
		mostBytes = 760 << 10 // of all packages: ours take 250 kB, those of other modules the rest
		mostHere  = 200 << 10 // of one of ours
		mostMade  = 4000      // allocations
	)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "version")
	c.Env = append(os.Environ(), asCommand+"=1", "GODEBUG=inittrace=1")
	said, err := c.CombinedOutput()
	if err != nil {
		t.Fatal(err, string(said))
	}
	bytes, made, packages := 0, 0, 0
	for _, m := range initialized.FindAllStringSubmatch(string(said), -1) {
		if m[1] == "main" || m[1] == "testing" { // in which the tests are
			continue
		}
		size, _ := strconv.Atoi(m[2])
		allocations, _ := strconv.Atoi(m[3])
		if strings.HasPrefix(m[1], "github.com/robotsieve/") && size > mostHere {
			t.Errorf("the initialization of %s takes %d bytes", m[1], size)
		}
		bytes, made, packages = bytes+size, made+allocations, packages+1
	}
	if packages < 50 || bytes > mostBytes || made > mostMade {
		t.Errorf("the initialization of %d packages takes %d bytes in %d pieces", packages, bytes, made)
	}
}

// What an audit of a small log takes is of its size: no buffer is made for a large one.
func TestGuardSmallAudit(t *testing.T) {
	if underRace {
		t.Skip("the race detector allocates")
	}
	const most = 8 << 20
	log := make([]string, 0, 5000)
	for i := range cap(log) {
		log = append(log, fmt.Sprintf(`198.51.%d.%d - - [01/Nov/2026:00:%02d:%02d +0000] "GET /news/article-%d HTTP/1.1" 200 5 "-" "Mozilla/5.0 (compatible; %s; +http://x.example/bots)"`,
			i/256, i%256, i/60%60, i%60, i%700, []string{"GPTBot/1", "New-Bot/1", "bingbot/2.0"}[i%3]))
	}
	name, robots := file(t, "access.log", strings.Join(log, "\n")), file(t, "robots.txt", "user-agent: *\ndisallow: /news/article-1\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := command(t, "", "audit", "--workers", "2", "--robots", robots, name)
	runtime.ReadMemStats(&after)
	if r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > most {
		t.Errorf("an audit of %d kB allocates %d kB", len(strings.Join(log, "\n"))>>10, took>>10)
	}
}
