package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// The test binary is the external command of its own tests: this variable says
// how it is to behave.
const behaviour = "PEERS_TEST_EXTERNAL"

func TestMain(m *testing.M) {
	if how := os.Getenv(behaviour); how != "" {
		os.Exit(answerCases(how))
	}
	os.Exit(m.Run())
}

// answerCases forbids URLs with "private" in them, of robots.txt that are valid
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

// externalEntrant is a peer that behaves so.
func externalEntrant(t *testing.T, how string) entrant {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The race detector would have each process sleep for a second at its end.
	return entrant{how, startExternal("GORACE=atexit_sleep_ms=0 " + behaviour + "=" + how + " '" + self + "'")}
}

// newCorpus makes sites of robots.txt, all asked the same by FooBot.
func newCorpus(bodies ...string) *corpus {
	c := &corpus{}
	for _, body := range bodies {
		s := site{robotsURL: "https://h.example/robots.txt", agent: "FooBot", body: []byte(body), urls: []string{
			"https://h.example/", "https://h.example/private/a", "https://h.example/public/a?b=c",
		}}
		s.judge()
		c.sites = append(c.sites, s)
	}
	return c
}

const private = "User-agent: FooBot\nDisallow: /private/\n"

var quick = plan{rounds: 2, timeout: time.Minute}

func TestEveryPeerAnswers(t *testing.T) {
	c := newCorpus(private, "User-agent: *\nDisallow: /\n\xff", "")
	for _, e := range entrants() {
		t.Run(e.name, func(t *testing.T) {
			r := measure(t.Context(), e, c, quick)
			if r.missing != nil {
				t.Skipf("not here: %v", r.missing)
			}
			if r.broken != nil || r.agreed != 9 || r.answered != 9 || r.sites != 3 || len(r.rounds) != quick.rounds {
				t.Errorf("%+v", r)
			}
			if r.parseTime() <= 0 || r.matchTime() <= 0 || r.version == "" {
				t.Errorf("version %q, parsed in %v, matched in %v", r.version, r.parseTime(), r.matchTime())
			}
		})
	}
}

func TestRejectedFileIsNoAgreement(t *testing.T) {
	// Rules before any group: temoto/robotstxt takes no such file.
	r := measure(t.Context(), entrants()[1], newCorpus("Disallow: /\n", private), quick)
	if r.asked != 6 || r.answered != 3 || r.agreed != 3 || !slices.Equal(r.remarks(), []string{"no answer on 3 URLs"}) {
		t.Errorf("%+v, %v", r, r.remarks())
	}
	if len(r.examples) != 1 || !strings.HasSuffix(r.examples[0].String(), "google says allowed (no rule matches), it has no answer") {
		t.Errorf("%v", r.examples)
	}
}

func TestExternal(t *testing.T) {
	r := measure(t.Context(), externalEntrant(t, "good"), newCorpus(private, private+"# \xff\n"), quick)
	if r.missing != nil || r.broken != nil || r.agreed != 6 || r.asked != 6 || r.parseTime() != 0 {
		t.Errorf("%+v", r)
	}
}

func TestBadExternals(t *testing.T) {
	for how, want := range map[string]string{
		"short":   "it ended after 1 answers, with cases left",
		"garbage": "answer 2: not JSON: \"\\x1b[31mwhat?\"",
		"error":   `answer 2: no verdict: "I would rather not"`,
		"exit":    "exit status 1 after 1 answers\nno more memory",
		"more":    "more than the 6 answers asked for",
	} {
		r := measure(t.Context(), externalEntrant(t, how), newCorpus(private, private), quick)
		if r.broken == nil || !strings.Contains(r.broken.Error(), want) {
			t.Errorf("%s: %+v, want %q", how, r, want)
		}
	}
	r := measure(t.Context(), entrant{"none", startExternal("exit 7")}, newCorpus(private), quick)
	if r.missing == nil || !strings.Contains(r.missing.Error(), "exit status 7") {
		t.Errorf("%+v", r)
	}
}

func TestHangingPeersTimeOut(t *testing.T) {
	c := newCorpus(private, private)
	for _, e := range []entrant{
		externalEntrant(t, "hang"),
		// Its children live on when the shell is killed, and hold its output.
		{"pipeline", startExternal("read x || exit 0; sleep 1000 | cat")},
		{"adapter", adapter{[]string{"sh"}, "-c", "echo 1.0; read x; echo 1000 2000 101; sleep 1000", nil}.start},
	} {
		begin := time.Now()
		r := measure(t.Context(), e, c, plan{rounds: 1, timeout: 2 * time.Second})
		if r.broken == nil || r.broken.Error() != "timed out after 2s" || time.Since(begin) > 20*time.Second {
			t.Errorf("%s: %+v in %v", e.name, r, time.Since(begin))
		}
		if e.name == "adapter" && (r.sites != 1 || r.agreed != 3 || r.matchTime() != 2*time.Microsecond) {
			t.Errorf("what it had answered is lost: %+v", r)
		}
	}
}

func TestHostileRobotsTxtEndsInATimeOut(t *testing.T) {
	c := newCorpus("User-agent: *\nDisallow: /" + strings.Repeat("*a", 12) + "b\n")
	c.sites[0].urls[1] = "https://h.example/" + strings.Repeat("a", 1000)
	for _, e := range entrants() {
		if !strings.HasPrefix(e.name, "Protego") {
			continue
		}
		r := measure(t.Context(), e, c, plan{rounds: 1, timeout: 3 * time.Second})
		if r.missing != nil {
			t.Skipf("not here: %v", r.missing)
		}
		if r.broken == nil || !slices.Equal(r.remarks(), []string{"timed out after 3s"}) {
			t.Errorf("%+v", r)
		}
	}
}

func TestPeerThatIsNotHere(t *testing.T) {
	for script, want := range map[string]string{
		"echo oh no >&2; exit 1":              "oh no",
		"echo 1.0; read x; echo 1 2":          "not an answer",
		"echo 1.0; read x; echo 1 2 1":        "not verdicts on 3 URLs",
		"echo 1.0; read x; echo a 2 101":      "not an answer",
		"echo 1.0; read x; echo gone >&2":     "gone",
		"echo 1.0; exec <&- >&-; echo no >&2": "no",
	} {
		r := measure(t.Context(), entrant{"script", adapter{[]string{"sh"}, "-c", script, nil}.start}, newCorpus(private), quick)
		if got := fmt.Sprint(r.missing, r.broken); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
	r := measure(t.Context(), entrant{"none", adapter{[]string{"no-such-interpreter"}, "-c", "", nil}.start}, newCorpus(private), quick)
	if r.missing == nil {
		t.Errorf("%+v", r)
	}
}

func TestInterruptEndsAPeer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	begin := time.Now()
	if _, err := startExternal("sleep 1000")(ctx); err == nil || time.Since(begin) > 20*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

func TestTable(t *testing.T) {
	var out, diagnosis bytes.Buffer
	code := run(t.Context(), []string{"--sites", "2", "--external", "evil\x1b[31m=exit 7"}, &out, &diagnosis)
	if code != 0 {
		t.Fatalf("code %d: %s", code, diagnosis.String())
	}
	for _, want := range []string{"2 sites: ", "\npeer ", "\nrobotsieve ", "\ntemoto/robotstxt (Go) ", "\nmissing: evil\\x1b[31m: asked nothing: exit status 7"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String()+diagnosis.String(), "\x1b") {
		t.Error("escape sequences reach the terminal")
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"--external", "nothing"}, {"x"}, {"--no-such-flag"}} {
		if code := run(t.Context(), args, new(bytes.Buffer), new(bytes.Buffer)); code != 2 {
			t.Errorf("%v: code %d", args, code)
		}
	}
}

func TestSampleIsACorpus(t *testing.T) {
	sites, err := loadSample(sampleFolder)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sites {
		s := &sites[i]
		s.judge()
		forbidden := 0
		for _, v := range s.want {
			if v == disallowed {
				forbidden++
			}
		}
		if len(s.urls) < 100 || forbidden == 0 || forbidden == len(s.urls) {
			t.Errorf("%s: %d of %d URLs forbidden", s.agent, forbidden, len(s.urls))
		}
	}
}

func TestVectorsAreSitesOfOneOrigin(t *testing.T) {
	sites, err := loadVectors(realVectors)
	if err != nil {
		t.Skipf("no vectors: %v", err)
	}
	c := corpus{sites: sites}
	for i := range c.sites {
		s := &c.sites[i]
		for _, u := range s.urls {
			if robotsOf(u) != s.robotsURL {
				t.Fatalf("%s is asked of %s", u, s.robotsURL)
			}
		}
		s.judge()
	}
	if recorded, differ := c.recordedDifferences(); recorded != 111_084 || differ != 0 {
		t.Errorf("differs on %d of %d recorded verdicts", differ, recorded)
	}
}

func TestSpacedTakesFromAllOver(t *testing.T) {
	c := newCorpus(make([]string, 10)...)
	for i := range c.sites {
		c.sites[i].agent = fmt.Sprint(i)
	}
	var got []string
	for _, s := range spaced(c.sites, 4) {
		got = append(got, s.agent)
	}
	if !slices.Equal(got, []string{"0", "2", "5", "7"}) || len(spaced(c.sites, 0)) != 10 || len(spaced(c.sites, 20)) != 10 {
		t.Error(got)
	}
}

func TestPercentNeverRoundsToAll(t *testing.T) {
	if got := percent(999_999, 1_000_000) + percent(5, 5) + percent(1, 2); got != "99.99 %100 %50.00 %" {
		t.Error(got)
	}
}
