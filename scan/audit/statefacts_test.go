package audit

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/report"
)

// rowsOf audits the lines from a number on, with the facts of all lines or as all of them, and
// returns what a sink gets.
func rowsOf(t *testing.T, a *Auditor, facts []byte, from int, lines []string) (rows []string) {
	t.Helper()
	c := a.config
	c.Judged = listen(func(j *Event) {
		shown := *j
		shown.waiting = waiting{}
		shown.Worker, shown.Crawler, shown.Line, shown.Address, shown.Method, shown.Target = 0, nil, nil, nil, nil, nil
		rows = append(rows, fmt.Sprintf("%06d %q %q %q %s %+v", j.Number, j.Address, j.Method, j.Target, j.Line, shown))
	})
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
