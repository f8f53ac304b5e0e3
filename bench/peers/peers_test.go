package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/bench"
)

// newCorpus makes sites of robots.txt, all asked the same by FooBot.
func newCorpus(bodies ...string) *corpus {
	c := &corpus{}
	for _, body := range bodies {
		c.sites = append(c.sites, bench.Site{RobotsURL: "https://h.example/robots.txt", Agent: "FooBot", Body: []byte(body),
			URLs: []string{
				"https://h.example/", "https://h.example/private/a", "https://h.example/public/a?b=c",
			}})
	}
	c.judge()
	return c
}

const private = "User-agent: FooBot\nDisallow: /private/\n"

var quick = bench.Plan{Rounds: 2, Timeout: time.Minute}

func TestEveryPeerAnswers(t *testing.T) {
	c := newCorpus(private, "User-agent: *\nDisallow: / # \xff", "")
	for _, e := range entrants() {
		t.Run(e.Name, func(t *testing.T) {
			r := c.measure(t.Context(), e, quick)
			if r.Missing != nil {
				t.Skipf("not here: %v", r.Missing)
			}
			if r.Broken != nil || r.Agreed != 9 || r.Answered != 9 || r.Sites != 3 {
				t.Errorf("%+v", r)
			}
			if r.speed <= 0 || r.match <= 0 || r.once <= 0 || r.Version == "" {
				t.Errorf("version %q, %v MB/s, %v ns a URL, %v ns asked once", r.Version, r.speed, r.match, r.once)
			}
		})
	}
}

func TestRejectedFileIsNoAgreement(t *testing.T) {
	// Rules before any group: temoto/robotstxt takes no such file.
	c := newCorpus("Disallow: /\n", private)
	r := c.measure(t.Context(), entrants()[1], quick)
	if r.Asked != 6 || r.Answered != 3 || r.Agreed != 3 {
		t.Errorf("%+v", r)
	}
	var page strings.Builder
	c.printClasses(&page, []row{r})
	if !strings.Contains(page.String(),
		"- 3: no answer: it rejects the file, or fails; `https://h.example/` (allowed)\n") {
		t.Error(page.String())
	}
}

func TestHangingPeersTimeOut(t *testing.T) {
	c := newCorpus(private, private)
	for _, e := range []bench.Entrant{
		// Its children live on when the shell is killed, and hold its output.
		bench.External("pipeline", "read x || exit 0; sleep 1000 | cat"),
		{Name: "adapter", Start: adapter{{"sh", "-c", "echo 1.0; read x; echo 1000 2000 101; sleep 1000"}}.start},
	} {
		begin := time.Now()
		r := c.measure(t.Context(), e, bench.Plan{Rounds: 1, Timeout: 2 * time.Second})
		if r.Broken == nil || r.Broken.Error() != "timed out after 2s" || time.Since(begin) > 20*time.Second {
			t.Errorf("%s: %+v in %v", e.Name, r, time.Since(begin))
		}
		if e.Name == "adapter" && (r.Sites != 1 || r.Agreed != 3 || r.match != 2000./3) {
			t.Errorf("what it had answered is lost: %+v", r)
		}
	}
}

// TestPeerThatHangsEndsInATimeOut has a script in the place of a peer that takes exponential time for a robots.txt, as
// Protego 0.2 did.
func TestPeerThatHangsEndsInATimeOut(t *testing.T) {
	hangs := adapter{{"sh", "-c", "echo 1.0; read x; sleep 60"}}.start
	plan := bench.Plan{Rounds: 1, Timeout: time.Second}
	r := newCorpus(private).measure(t.Context(), bench.Entrant{Name: "script", Start: hangs}, plan)
	if r.Broken == nil || r.Broken.Error() != "timed out after 1s" {
		t.Errorf("%+v", r)
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
		r := newCorpus(private).measure(t.Context(), bench.Entrant{Name: "script", Start: adapter{{"sh", "-c", script}}.start},
			quick)
		if got := fmt.Sprint(r.Missing, r.Broken); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
	r := newCorpus(private).measure(t.Context(),
		bench.Entrant{Name: "none", Start: adapter{{"no-such-interpreter"}}.start}, quick)
	if r.Missing == nil {
		t.Errorf("%+v", r)
	}
}

func TestTable(t *testing.T) {
	var out, diagnosis bytes.Buffer
	code := run(t.Context(), []string{"--sites", "2", "--external", "evil\x1b[31m=exit 7"}, &out, &diagnosis)
	if code != 0 {
		t.Fatalf("code %d: %s", code, diagnosis.String())
	}
	for _, want := range []string{" URLs by 2 ", "\n| parser |", "\n| robotsieve (Go) |", "\n| temoto/robotstxt (Go) |",
		"\nevil\\x1b[31m is missing or incomplete: answering no cases: exit status 7"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String()+diagnosis.String(), "\x1b") {
		t.Error("escape sequences reach the terminal")
	}
}

// TestCutAtABlank checks that a difference of a parser that cuts patterns at blanks is explained.
func TestCutAtABlank(t *testing.T) {
	c := corpus{sites: []bench.Site{{RobotsURL: "https://a.example/robots.txt", Agent: "googlebot",
		Body: []byte("User-agent: *\r\nDisallow: /shop pro/\r\n"), URLs: []string{"https://a.example/shopping"}}}}
	c.judge()
	ask, err := parseTemoto(&c.sites[0])
	if err != nil {
		t.Fatal(err)
	}
	got := ask(c.sites[0].URLs[0])
	name := c.explain(0, []bench.Verdict{got}).name(&c.sites[0], 0, got, make([]int, len(readings)))
	if c.want[0][0] == got || name != "a pattern ends at its first blank" {
		t.Errorf("%v: %s", got, name)
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
	var c corpus
	if err := c.loadSample(sampleFolder); err != nil {
		t.Fatal(err)
	}
	c.judge()
	for i, s := range c.sites {
		forbidden := 0
		for _, v := range c.want[i] {
			if v == bench.Disallowed {
				forbidden++
			}
		}
		if len(s.URLs) < 100 || forbidden == 0 || forbidden == len(s.URLs) {
			t.Errorf("%s: %d of %d URLs forbidden", s.Agent, forbidden, len(s.URLs))
		}
	}
}

func TestVectorsAreSitesOfOneOrigin(t *testing.T) {
	var c corpus
	if err := c.loadVectors(realVectors); err != nil {
		t.Skipf("no vectors: %v", err)
	}
	for _, s := range c.sites {
		for _, u := range s.URLs {
			if robotsOf(u) != s.RobotsURL {
				t.Fatalf("%s is asked of %s", u, s.RobotsURL)
			}
		}
	}
	c.judge()
	if recorded, differ := c.recordedDifferences(); recorded != 111_084 || differ != 0 {
		t.Errorf("differs on %d of %d recorded verdicts", differ, recorded)
	}
}

func TestSpacedTakesFromAllOver(t *testing.T) {
	c := newCorpus(make([]string, 10)...)
	for i := range c.sites {
		c.sites[i].Agent = fmt.Sprint(i)
	}
	var got []string
	for _, s := range spaced(c.sites, 4) {
		got = append(got, s.Agent)
	}
	if !slices.Equal(got, []string{"0", "2", "5", "7"}) || len(spaced(c.sites, 0)) != 10 ||
		len(spaced(c.sites, 20)) != 10 {
		t.Error(got)
	}
}
