package audit

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// rowsOf audits the lines from a number on, with the facts of all lines or as all of them, and
// returns what Config.Judged gets.
func rowsOf(t *testing.T, a *Auditor, facts []byte, from int, lines []string) (rows []string) {
	t.Helper()
	c := a.config
	c.Judged = func(j *Judged) {
		shown := *j
		shown.Worker, shown.Profile, shown.Line, shown.Address, shown.Method, shown.Target = 0, nil, nil, nil, nil, nil
		rows = append(rows, fmt.Sprintf("%06d %q %q %q %s %+v", j.Number, j.Address, j.Method, j.Target, j.Line, shown))
	}
	run := begin(t, New(c))
	if facts != nil {
		if err := addFacts(run, facts); err != nil {
			t.Fatal(err)
		}
	}
	w := run.Worker()
	w.SetPlace(0, int64(from)+1)
	w.Chunk(byName(t, "vhost_combined"), nil, []byte(strings.Join(lines, "\n")))
	if facts == nil {
		resultOf(t, run)
	} else if err := run.JudgeRest(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// factsOf adds states up and returns their facts.
func factsOf(t *testing.T, a *Auditor, states ...[]byte) []byte {
	t.Helper()
	run, b := begin(t, a), bytes.Buffer{}
	if err := errors.Join(addStates(run, states...), run.WriteFacts(&b, []byte("head"))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// addFacts adds facts to a run.
func addFacts(run *Run, facts []byte) error {
	s, err := ReadFacts(bytes.NewReader(facts), int64(len(facts)))
	if err == nil {
		err = run.AddFacts(s)
	}
	return err
}

// The rows of parts, each judged with the facts of all, are those of one audit: also where other
// lines clear a violation, show the usual
// size of a file, that addresses are a proxy's, or that a crawler was told the rule.
func TestRowsOfPartsAreThoseOfOneAudit(t *testing.T) {
	single := stateAuditor(t)
	c := single.config
	c.Period.Since = time.Unix(0, moment(0))
	limited := New(c)
	for name, a := range map[string]*Auditor{"all": single, "a period": limited} {
		seen := map[string]bool{}
		for seed := range uint64(10) {
			rng := rand.New(rand.NewPCG(seed, 9))
			lines := stateLog(rng, 50+rng.IntN(2000))
			want := rowsOf(t, a, nil, 0, lines)
			var states [][]byte
			var cuts []int
			for at := 0; at < len(lines); at = cuts[len(cuts)-1] {
				cuts = append(cuts, min(len(lines), at+1+rng.IntN(len(lines))))
				states = append(states, stateOf(t, a, lines[at:cuts[len(cuts)-1]]))
			}
			facts := factsOf(t, a, states...)
			if state := stateOf(t, a, lines); len(lines) > 500 && len(facts) >= len(state) {
				t.Errorf("seed %d: facts of %d bytes, of a state of %d", seed, len(facts), len(state))
			}
			var got []string
			at := 0
			for _, cut := range cuts {
				before := strings.Count(strings.Join(append(lines[:at:at], ""), "\n"), "\n") // some of the rubbish is two lines
				got = append(got, rowsOf(t, a, facts, before, lines[at:cut])...)
				at = cut
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%s, seed %d: %s", name, seed, firstDifference(strings.Join(got, "\n"), strings.Join(want, "\n")))
			}
			for _, row := range want {
				for v := range report.Verdicts {
					seen[v.String()] = seen[v.String()] || strings.Contains(row, "Verdict:"+v.String())
				}
			}
		}
		for _, v := range []report.Verdict{report.Allowed, report.Violation, report.Grace, report.Indeterminate,
			report.RobotsFetch} {
			if !seen[v.String()] {
				t.Errorf("%s: no row has the verdict %v", name, v)
			}
		}
	}
}

// Facts that are damaged, or are no facts, are an error, and so are a report of the facts' run and
// records that make no sense.
func TestErrorsOfFacts(t *testing.T) {
	a := stateAuditor(t)
	state := stateOf(t, a, stateLog(rand.New(rand.NewPCG(1, 2)), 300))
	facts := factsOf(t, a, state)
	// judge adds facts to a run and judges nothing but them.
	judge := func(facts []byte) error {
		run := begin(t, a)
		if err := addFacts(run, facts); err != nil {
			return err
		}
		return run.JudgeRest()
	}
	if err := judge(facts); err != nil {
		t.Fatal(err)
	}
	if err := judge(state); !errors.Is(err, ErrNotState) {
		t.Errorf("a state as facts: %v", err)
	}
	if _, err := reportOf(a, facts); !errors.Is(err, ErrNotState) {
		t.Errorf("facts as a state: %v", err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		damaged := bytes.Clone(facts)
		damaged[rng.IntN(len(damaged))] ^= byte(1 + rng.IntN(255))
		if err := judge(damaged); err == nil {
			t.Fatal("damaged facts are none the worse")
		}
		if err := judge(facts[:rng.IntN(len(facts))]); err == nil {
			t.Fatal("facts that are cut short are none the worse")
		}
	}
	run := begin(t, a)
	s, err := ReadFacts(bytes.NewReader(facts), int64(len(facts)))
	if err != nil || string(s.Head) != "head" {
		t.Fatal(err)
	}
	if err := run.AddFacts(s); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Report(Inputs{}); !errors.Is(err, errHasFacts) {
		t.Errorf("a report of facts: %v", err)
	}
	run.Worker()
	if err := run.AddFacts(s); !errors.Is(err, errNotFirst) {
		t.Errorf("facts behind a worker: %v", err)
	}
}

var update = flag.Bool("update", false, "write the state of this form, and its report, into testdata/states")

// The files in testdata/states are the state of a small log, by each form that there was, and
// the report of the newest. Old states are never changed.
//
//	log          in vhost_combined
//	form15.state its state, judged by fixtureAuditor
//	form15.json  the report of that
//	form8.state  that of a program of form 8, of the same log; form4.state and so on likewise
const (
	fixtures = "testdata/states"
	newest   = "form15"
)

func fixtureAuditor(t *testing.T) *Auditor {
	const delayed = "User-agent: *\nCrawl-delay: 5\nDisallow: /private/\n"
	set := crawlers(t)
	return New(Config{
		Crawlers: set, Identities: known(t, set, map[string]string{"Googlebot": "192.0.2.0/24\n"}),
		Policy: history(t, policy.Options{},
			version{from: -9 * day0, body: robotsTxtBody}, version{from: -3 * day0, body: delayed},
			version{from: 3 * day0, status: 404},
			version{from: 5 * day0, status: 503}, version{from: 6 * day0, body: delayed},
			version{at: "https://www.example.com", from: -9 * day0, body: delayed}),
	})
}

func readFixture(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(fixtures, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A state that an earlier program of this form and these semantics wrote is read to the same
// report, and the same log makes the same bytes: else states of two programs are added up
// that do not mean the same.
func TestStateFixture(t *testing.T) {
	const raise = "If states have another form now, raise stateForm; if the same lines are counted in another way, " +
		"raise Semantics. Then keep the old state, add it to TestOldStatesAreRefused, and write new files by: " +
		"go test ./scan/audit -run StateFixture -update"
	a := fixtureAuditor(t)
	state := stateOf(t, a, strings.Split(string(readFixture(t, "log")), "\n"))
	report := func(state []byte) string {
		r, err := reportOf(a, state)
		if err != nil {
			t.Fatalf("%v. %s", err, raise)
		}
		return marshal(t, report.Texts(r, report.Printable[string])) + "\n"
	}
	if *update {
		for name, b := range map[string][]byte{newest + ".state": state, newest + ".json": []byte(report(state))} {
			if err := os.WriteFile(filepath.Join(fixtures, name), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	kept := readFixture(t, newest+".state")
	if got, want := report(kept), string(readFixture(t, newest+".json")); got != want {
		t.Errorf("the state that was kept gives another report: %s. %s", firstDifference(got, want), raise)
	}
	if !bytes.Equal(state, kept) {
		t.Errorf("the same log makes another state. %s", raise)
	}
}

// A state that another program made is refused, with both numbers and what to do.
func TestOldStatesAreRefused(t *testing.T) {
	good := string(readFixture(t, newest+".state"))
	line, rest, _ := strings.Cut(good, "\n")
	for what, c := range map[string]struct{ state, says string }{
		"form 14": {string(readFixture(t, "form14.state")), "form 14, and this program reads form 15 only"},
		"form 13": {string(readFixture(t, "form13.state")), "form 13, and this program reads form 15 only"},
		"form 12": {string(readFixture(t, "form12.state")), "form 12, and this program reads form 15 only"},
		"form 11": {string(readFixture(t, "form11.state")), "form 11, and this program reads form 15 only"},
		"form 10": {string(readFixture(t, "form10.state")), "form 10, and this program reads form 15 only"},
		"form 8":  {string(readFixture(t, "form8.state")), "form 8, and this program reads form 15 only"},
		"a later form": {strings.Replace(line, "state 15", "state 90", 1) + "\n" + rest,
			"form 90, and this program reads form 15 only"},
		"older semantics": {strings.Replace(line, "semantics 5", "semantics 2", 1) + "\n" + rest,
			"semantics 2, and this program reads semantics 5 only"},
		"another schema": {strings.Replace(line, report.Schema, "robotsieve.audit/2", 1) + "\n" + rest,
			"schema robotsieve.audit/2, and this program reads schema " + report.Schema + " only"},
	} {
		_, err := ReadState(strings.NewReader(c.state), int64(len(c.state)))
		if !errors.Is(err, ErrStateVersion) || !strings.Contains(err.Error(), c.says) ||
			!strings.Contains(err.Error(), "audit its logs again") {
			t.Errorf("%s: %v, want %q", what, err, c.says)
		}
	}
}
