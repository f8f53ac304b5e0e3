package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/compile"
)

// The test binary is the external command of its own tests: this variable says
// how it is to behave.
const behaviour = "ROBOTSIEVE_TEST_EXTERNAL"

func TestMain(m *testing.M) {
	if how := os.Getenv(behaviour); how != "" {
		os.Exit(answerCases(how))
	}
	os.Exit(m.Run())
}

// answerCases forbids URLs with "private" in them, of robots.txt that are valid UTF-8
// or not, and misbehaves after the first answer.
func answerCases(how string) int {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	n := 0
	for ; lines.Scan(); n++ {
		var c struct {
			Robots, Agent, URL string
			Robots64           []byte `json:"robots_b64"`
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil || c.Robots+string(c.Robots64) == "" || c.Agent == "" {
			fmt.Fprintln(os.Stderr, "not a case")
			return 9
		}
		switch {
		case n == 1 && how == "short":
			return 0
		case n == 1 && how == "garbage":
			fmt.Println("\x1b[31mwhat?")
		case n == 1 && how == "error":
			fmt.Println(`{"error":"I would rather not"}`)
		case n == 1 && how == "exit":
			fmt.Fprintln(os.Stderr, "a stack trace\nno more memory")
			return 1
		case n == 1 && how == "long":
			fmt.Print(strings.Repeat("x", 3*maxAnswer))
			time.Sleep(time.Hour)
		case n == 1 && how == "hang":
			time.Sleep(time.Hour)
		default:
			fmt.Printf("{\"allowed\":%t,\"line\":0}\n", !strings.Contains(c.URL, "private"))
		}
	}
	if n > 0 && how == "more" {
		fmt.Println(`{"allowed":true}`)
	}
	return 0
}

// behaving is the entrant of the test binary with a behaviour.
func behaving(t *testing.T, how string) Entrant {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The race detector would have each process sleep for a second at its end.
	return External(how, "GORACE=atexit_sleep_ms=0 "+behaviour+"="+how+" '"+self+"'")
}

const private = "User-agent: FooBot\nDisallow: /private/\n"

// sitesOf makes sites of robots.txt, and the verdicts of robotsieve on three URLs of
// each.
func sitesOf(t *testing.T, bodies ...string) (sites []Site, want [][]Verdict) {
	t.Helper()
	for _, body := range bodies {
		sites = append(sites, Site{RobotsURL: "https://h.example/robots.txt", Agent: "FooBot", Body: []byte(body),
			URLs: []string{
				"https://h.example/", "https://h.example/private/a", "https://h.example/public/a?b=c",
			}})
	}
	engine, err := InProcess("robotsieve", "", Robotsieve(compile.Options{})).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Round(t.Context(), sites, func(v []Verdict) {
		want = append(want, append([]Verdict(nil),
			v...))
	}); err != nil {
		t.Fatal(err)
	}
	return sites, want
}

var quick = Plan{Rounds: 2, Timeout: time.Minute}

func TestExternal(t *testing.T) {
	sites, want := sitesOf(t, private, private+"# \xff\n")
	sites = append(sites, Site{Agent: "FooBot", Body: []byte(private)}) // of which nothing is asked
	r := Measure(t.Context(), behaving(t, "good"), sites, append(want, nil), quick)
	if r.Missing != nil || r.Broken != nil || r.Agreed != 6 || r.Asked != 6 || r.Sites != 3 || r.StartUp <= 0 {
		t.Errorf("%+v", r)
	}
	if parse, _ := r.Parse(); parse != 0 {
		t.Errorf("%v ns to parse, of which a command says nothing", parse)
	}
}

func TestBadExternals(t *testing.T) {
	for how, text := range map[string]string{
		"short":   "it ended with 1 of 6 cases answered",
		"garbage": `answer 2 is not JSON: "\x1b[31mwhat?": `,
		"error":   `answer 2 has no verdict: "I would rather not"`,
		"exit":    "exit status 1, with 1 of 6 cases answered: no more memory",
		"more":    `more answers than the 6 cases: "{\"allowed\":true}"`,
		"long":    `answer 2 is not JSON: "xxx`,
		"hang":    "timed out after 2s",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			sites, want := sitesOf(t, private, private)
			begin := time.Now()
			r := Measure(t.Context(), behaving(t, how), sites, want, Plan{Rounds: 1, Timeout: 2 * time.Second})
			if r.Broken == nil || !strings.Contains(r.Broken.Error(), text) || time.Since(begin) > 20*time.Second {
				t.Errorf("%+v, want %q", r, text)
			}
			if how != "more" && (r.Asked != 1 || r.Agreed != 1) {
				t.Errorf("the first answer is lost: %+v", r)
			}
		})
	}
	sites, want := sitesOf(t, private)
	r := Measure(t.Context(), External("none", "exit 7"), sites, want, quick)
	if r.Missing == nil || r.Missing.Error() != "asked nothing: exit status 7, with 0 of 0 cases answered" {
		t.Errorf("%+v", r)
	}
}

func TestInterruptEndsAnExternal(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	begin := time.Now()
	// The shell's children hold its output, and would outlive it.
	if _, err := External("slow", "sleep 1000 | cat").Start(ctx); err == nil || time.Since(begin) > 20*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

// A shell that has ended may have left processes behind, which hold its output.
func TestNoProcessIsLeftBehind(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	_, err := External("background", "sleep 1000 & echo $! >'"+pid+"'; cat").Start(t.Context())
	if err == nil || err.Error() != "asked nothing: it ended, with 0 of 0 cases answered, and left behind a "+
		"process that holds its output" {
		t.Error(err)
	}
	number, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
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

// An engine that is stopped in the middle of a site has its first verdicts compared.
func TestEngineThatIsTooSlow(t *testing.T) {
	sites := []Site{{Agent: "x", Body: []byte(private), URLs: make([]string, 1000)}}
	want := [][]Verdict{[]Verdict(strings.Repeat("1", 1000))}
	slow := InProcess("slow", "1", func(*Site) (Matcher, error) {
		return func(string) Verdict { time.Sleep(time.Millisecond); return Allowed }, nil
	})
	r := Measure(t.Context(), slow, sites, want, Plan{Rounds: 1, Timeout: 100 * time.Millisecond})
	if r.Broken == nil || r.Broken.Error() != "timed out after 100ms" || r.Asked == 0 || r.Asked == 1000 ||
		r.Agreed != r.Asked {
		t.Errorf("%+v", r)
	}
	if match, _ := r.Match(); match < 1e6 {
		t.Errorf("%v ns a URL", match)
	}
}

func TestDifferences(t *testing.T) {
	sites, want := sitesOf(t, private, private)
	contrary := InProcess("contrary", "1", func(*Site) (Matcher, error) {
		return func(u string) Verdict { return VerdictOf(strings.Contains(u, "private")) }, nil
	})
	r := Measure(t.Context(), contrary, sites, want, quick)
	if len(r.Differences) != 2 || r.Differences[1] != (Difference{1, 0, Disallowed}) || r.Agreed != 0 || r.Asked != 6 {
		t.Errorf("of two sites: %+v", r)
	}
	if r := Measure(t.Context(), contrary, sites[:1], want, quick); len(r.Differences) != 3 {
		t.Errorf("of one site: %+v", r)
	}
}

func TestPercentNeverRoundsToAll(t *testing.T) {
	if got := Percent(999_999, 1_000_000) + " " + Percent(5, 5) + " " + Percent(1, 2); got != "99.99 100 50.00" {
		t.Error(got)
	}
}
