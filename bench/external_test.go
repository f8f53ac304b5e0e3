package bench

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/compile"
)

// TestExternal measures a command that allows everything alongside robotsieve. A session of the program shows how
// commands fail.
func TestExternal(t *testing.T) {
	site := Site{RobotsURL: "https://h.example/robots.txt", Agent: "FooBot",
		Body: []byte("User-agent: FooBot\nDisallow: /private/\n# \xff\n"),
		URLs: []string{"https://h.example/", "https://h.example/private/a", "https://h.example/public/a?b=c"}}
	sites := []Site{site, site, {Agent: "FooBot", Body: site.Body}} // of the last nothing is asked
	engine := must(InProcess("robotsieve", "", Robotsieve(compile.Options{})).Start(t.Context()))
	var want [][]Verdict
	must(engine.Round(t.Context(), sites, func(v []Verdict) { want = append(want, slices.Clone(v)) }))
	allowing := External("allowing", `sed 's/.*/{"allowed":true}/'`)
	r := Measure(t.Context(), allowing, sites, want, Plan{Rounds: 2, Timeout: time.Minute})
	if r.Missing != nil || r.Broken != nil || r.Agreed != 4 || r.Asked != 6 || r.Sites != 3 || r.StartUp <= 0 ||
		!slices.Equal(r.Differences, []Difference{{0, 1, Allowed}, {1, 1, Allowed}}) {
		t.Errorf("%+v", r)
	}
	if parse, _ := r.Parse(); parse != 0 {
		t.Errorf("%v ns to parse, of which a command says nothing", parse)
	}
}

// TestNoProcessIsLeftBehind checks that processes are killed that a shell has left behind holding its output.
func TestNoProcessIsLeftBehind(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	_, err := External("background", "sleep 1000 & echo $! >'"+pid+"'; cat").Start(t.Context())
	if err == nil || err.Error() != "answering no cases: it ended, with 0 of 0 cases answered, and left behind a "+
		"process that holds its output" {
		t.Error(err)
	}
	number := must(os.ReadFile(pid))
	if runtime.GOOS != "linux" {
		t.Skip("no /proc to find the process in")
	}
	proc := "/proc/" + strings.TrimSpace(string(number)) + "/stat"
	for range 100 {
		stat, err := os.ReadFile(proc) // "1 (sleep) S": Z is dead, and waits for init
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the process that it started is still running")
}

func TestPercentNeverRoundsToAll(t *testing.T) {
	if got := Percent(999_999, 1_000_000) + " " + Percent(5, 5) + " " + Percent(1, 2); got != "99.99 100 50.00" {
		t.Error(got)
	}
}
