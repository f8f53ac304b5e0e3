package main

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/twin"
)

// engine is a way to answer.
type engine struct {
	name, how string
	run       func(ctx context.Context, w *work, limit time.Duration, r *engineReport) error
}

// engineReport is what was measured of an engine. Times that it has none of are 0.
type engineReport struct {
	Engine string `json:"engine"`
	// How says what the engine does for a URL.
	How string `json:"how"`
	// CompileNS is what it takes to read robots.txt once, URLNS a verdict: medians
	// of benchRounds.
	CompileNS float64 `json:"compile_ns"`
	URLNS     float64 `json:"url_ns"`
	// The spreads are half of what lies between the fastest and the slowest round,
	// as a part of the median.
	CompileSpread float64 `json:"compile_spread"`
	URLSpread     float64 `json:"url_spread"`
	URLsPerSecond float64 `json:"urls_per_second"`
	// StartUpNS is the life of an external command that is asked nothing. It is
	// not in URLNS.
	StartUpNS float64 `json:"start_up_ns"`
	// Compared are the verdicts that it gave once for each URL, Agreed those that
	// are robotsieve's too.
	Compared int `json:"compared"`
	Agreed   int `json:"agreed"`
	// Complete says that each URL was compared.
	Complete bool `json:"complete"`
	// Disagreements are the first of the others.
	Disagreements []disagreement `json:"disagreements"`
	// Error says why there is nothing of all this.
	Error string `json:"error"`
}

// disagreement is a URL of which an engine says the contrary of robotsieve.
type disagreement struct {
	URL     string `json:"url"`
	Allowed bool   `json:"allowed"` // as the engine says
	Line    int    `json:"line"`    // by which robotsieve says the contrary; 0 if no rule matches
	Rule    string `json:"rule"`
}

// Rounds of a measurement, and how long one lasts at least.
const (
	benchRounds       = 5
	benchRound        = 50 * time.Millisecond
	maxDisagreements  = 3
	urlsBetweenClocks = 1024
)

func (e engine) measure(ctx context.Context, w *work, limit time.Duration) engineReport {
	r := engineReport{Engine: printable(e.name), How: e.how, Disagreements: []disagreement{}}
	if err := e.run(ctx, w, limit, &r); err != nil {
		r.Error = printable(err.Error())
	}
	r.Complete = r.Error == "" && r.Compared == len(w.urls)
	return r
}

// compare counts the verdict on the next URL.
func (r *engineReport) compare(w *work, allowed bool) {
	i := r.Compared
	r.Compared++
	if allowed == w.want[i].Allowed() {
		r.Agreed++
		return
	}
	if len(r.Disagreements) == maxDisagreements {
		return
	}
	d := disagreement{URL: printable(string(w.urls[i])), Allowed: allowed, Line: int(w.want[i].Line)}
	if rule, ok := w.robots.Rule(d.Line); ok {
		d.Rule = printable(rule.String())
	}
	r.Disagreements = append(r.Disagreements, d)
}

// setURLTimes takes the nanoseconds a URL of each round.
func (r *engineReport) setURLTimes(rounds []float64) {
	r.URLNS, r.URLSpread = middle(rounds)
	if r.URLNS > 0 {
		r.URLsPerSecond = math.Round(1e9 / r.URLNS)
	}
}

// middle returns the median, to a tenth, and the spread.
func middle(rounds []float64) (median, spread float64) {
	s := slices.Sorted(slices.Values(rounds))
	median = s[len(s)/2]
	if median > 0 {
		spread = (s[len(s)-1] - s[0]) / 2 / median
	}
	return math.Round(median*10) / 10, math.Round(spread*1000) / 1000
}

// perCall calls f with the indices of n things, over and over for a round, and
// returns the nanoseconds a call.
func perCall(ctx context.Context, n int, f func(i int)) (float64, error) {
	i, calls := 0, 0
	begin := time.Now()
	for batch := 1; ; batch = min(2*batch, urlsBetweenClocks) {
		for range batch {
			f(i)
			if i++; i == n {
				i = 0
			}
		}
		calls += batch
		took := time.Since(begin)
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if took >= benchRound {
			return float64(took) / float64(calls), nil
		}
	}
}

// inRounds is perCall for all rounds.
func inRounds(ctx context.Context, n int, f func(i int)) ([]float64, error) {
	list := make([]float64, benchRounds)
	var err error
	for i := range list {
		if list[i], err = perCall(ctx, n, f); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// measureSieve times robotsieve: compiling by itself, and verdicts by what it
// compiled.
func measureSieve(ctx context.Context, w *work, _ time.Duration, r *engineReport) error {
	rounds, err := inRounds(ctx, 1, func(int) { w.compile() })
	if err != nil {
		return err
	}
	r.CompileNS, r.CompileSpread = middle(rounds)
	var scratch automaton.Scratch
	rules, agent := w.robots.Ruleset, []byte(w.agent)
	for _, url := range w.urls { // which warms up, too
		r.compare(w, rules.Match(&scratch, agent, url).Allowed())
	}
	rounds, err = inRounds(ctx, len(w.urls), func(i int) { rules.Match(&scratch, agent, w.urls[i]) })
	if err != nil {
		return err
	}
	r.setURLTimes(rounds)
	return nil
}

// measureNaive times the reading that parses robots.txt for each URL. On a large
// input it takes so long that it may not come to the last URL: what it came to is
// compared.
func measureNaive(ctx context.Context, w *work, limit time.Duration, r *engineReport) error {
	ask := func(i int) bool {
		allowed, _ := twin.Match(twin.Dialect(w.dialect.String()), w.body, []byte(w.agent), w.urls[i], 0, false)
		return allowed
	}
	for begin, i := time.Now(), 0; i < len(w.urls) && time.Since(begin) < limit; i++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.compare(w, ask(i))
	}
	rounds, err := inRounds(ctx, len(w.urls), func(i int) { ask(i) })
	if err != nil {
		return err
	}
	r.setURLTimes(rounds)
	return nil
}
