package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// Plan is how an engine is measured.
type Plan struct {
	Rounds   int           // timed rounds, after one warm-up round that is compared
	MinRound time.Duration // timed rounds are repeated until they took this long
	Timeout  time.Duration // for the start, and for a round
}

// minURLs is the minimum of a timed round in this process, so that reading the clock takes less.
const minURLs = 1000

// Result holds the measurements of one engine.
type Result struct {
	Name, Version string
	Missing       error // why the engine could not take part
	Broken        error // why the engine did not finish

	StartUp  time.Duration // of an External engine, subtracted from its times
	Sites    int           // sites that it answered
	Bytes    int           // total size of their robots.txt
	Asked    int           // URLs of these sites
	Answered int           // URLs with a verdict other than NoAnswer
	Agreed   int           // verdicts that equal the expected ones

	// Differences are the first of the other verdicts; with several sites, one per site.
	Differences []Difference

	parse, match []float64 // nanoseconds per robots.txt and per URL, by timed round
}

// Difference is a URL for which an engine's verdict differs from the expected one.
type Difference struct {
	Site, URL int // indexes
	Got       Verdict
}

// MaxDifferences is the maximum number that a Result lists.
const MaxDifferences = 3

// Measure runs an engine on sites, and compares with want even the answers given before it broke.
func Measure(ctx context.Context, e Entrant, sites []Site, want [][]Verdict, p Plan) Result {
	r := Result{Name: e.Name}
	// The engine, which may be a process, lives as long as the context of its start.
	engineCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	limit := time.AfterFunc(p.Timeout, cancel)
	engine, err := e.Start(engineCtx)
	if err != nil {
		r.Missing = p.reason(ctx, engineCtx, err)
		return r
	}
	defer engine.Close()
	r.Version = engine.Version()
	if x, ok := engine.(*external); ok {
		r.StartUp = x.startUp
	}
	round := func(sites []Site, record func([]Verdict)) (Times, bool) {
		limit.Reset(p.Timeout)
		t, err := engine.Round(engineCtx, sites, record)
		limit.Stop()
		if err != nil {
			r.Broken = p.reason(ctx, engineCtx, err)
		}
		return t, err == nil
	}
	warm, ok := round(sites, func(verdicts []Verdict) { r.compare(sites, want, verdicts) })
	if !ok {
		r.add(warm, 1, r.Sites, r.Answered) // better than nothing
		return r
	}
	timed, answered := sites, r.Answered
	if _, ok := engine.(inProcess); ok {
		timed, answered = repeated(sites, r.Asked, r.Answered)
	}
	for range p.Rounds {
		runtime.GC() // so that no engine pays for the garbage of the previous one
		var total Times
		n := 0
		for n == 0 || total.Parse+total.Match < p.MinRound {
			t, ok := round(timed, func([]Verdict) {})
			if !ok {
				return r
			}
			total.Parse, total.Match = total.Parse+t.Parse, total.Match+t.Match
			if n++; t == (Times{}) {
				break // too fast for the clock
			}
		}
		r.add(total, n, r.Sites, answered)
	}
	return r
}

// repeated repeats each site's URLs until there are minURLs, and returns how many of them get an answer.
func repeated(sites []Site, urls, answered int) ([]Site, int) {
	if urls == 0 || urls >= minURLs {
		return sites, answered
	}
	times := (minURLs + urls - 1) / urls
	sites = slices.Clone(sites)
	for i := range sites {
		sites[i].URLs = slices.Repeat(sites[i].URLs, times)
	}
	return sites, answered * times
}

// reason returns err, or a time-out if the engine's context ended but ctx did not.
func (p Plan) reason(ctx, engineCtx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(engineCtx.Err(), context.Canceled) {
		return fmt.Errorf("timed out after %v", p.Timeout)
	}
	return err
}

// add adds the times of n passes over sites and answered URLs.
func (r *Result) add(t Times, n, sites, answered int) {
	per := func(d time.Duration, of int) float64 { return float64(d) / float64(max(1, n*of)) }
	r.parse, r.match = append(r.parse, per(t.Parse, sites)), append(r.match, per(t.Match, answered))
}

// compare counts the verdicts on the next site.
func (r *Result) compare(sites []Site, want [][]Verdict, verdicts []Verdict) {
	enough := false
	for i, v := range verdicts {
		if v != NoAnswer {
			r.Answered++
		}
		if v == want[r.Sites][i] {
			r.Agreed++
			continue
		}
		if len(r.Differences) < MaxDifferences && !enough {
			r.Differences = append(r.Differences, Difference{r.Sites, i, v})
			enough = len(sites) > 1 // others of this site are usually of the same kind
		}
	}
	r.Bytes += len(sites[r.Sites].Body)
	r.Sites++
	r.Asked += len(verdicts)
}

// Parse returns the nanoseconds that the engine took to parse one robots.txt: the median of the rounds, and half
// the distance between the fastest and the slowest as a fraction of the median. Both are 0 without measurements.
func (r *Result) Parse() (median, spread float64) { return middle(r.parse) }

// Match is like Parse, but for the nanoseconds per verdict.
func (r *Result) Match() (median, spread float64) { return middle(r.match) }

func middle(rounds []float64) (median, spread float64) {
	if len(rounds) == 0 {
		return 0, 0
	}
	if median = Median(rounds); median > 0 {
		spread = (slices.Max(rounds) - slices.Min(rounds)) / 2 / median
	}
	return median, spread
}

// Percent formats a share as a percentage without the sign. It rounds to 100 only if n equals of.
func Percent(n, of int) string {
	if n == of {
		return "100"
	}
	return fmt.Sprintf("%.2f", min(99.99, 100*float64(n)/float64(of)))
}

// Median returns the median of a nonempty list.
func Median[T cmp.Ordered](list []T) T {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}
