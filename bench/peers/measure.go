package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/bench"
	"github.com/robotsieve/robotsieve/compile"
)

type row struct {
	bench.Result
	speed   float64 // megabytes of robots.txt parsed in a second
	match   float64 // nanoseconds a URL, by a robots.txt that is parsed already
	once    float64 // nanoseconds for one URL by a robots.txt not seen before
	classes []*class
}

// class is what one reading explains of a peer's differences.
type class struct {
	name  string
	count int
	// The example with the shortest URL.
	site, url int
}

// tap is an engine that keeps the verdicts of the first round, and the times of all.
type tap struct {
	bench.Engine
	verdicts [][]bench.Verdict
	times    []bench.Times
}

func (t *tap) Round(ctx context.Context, sites []bench.Site, record func([]bench.Verdict)) (bench.Times, error) {
	took, err := t.Engine.Round(ctx, sites, func(v []bench.Verdict) {
		if len(t.times) == 0 {
			t.verdicts = append(t.verdicts, slices.Clone(v))
		}
		record(v)
	})
	t.times = append(t.times, took)
	return took, err
}

// least returns the least time of the rounds, after the first if there are more: other work only adds.
func (t *tap) least(of func(bench.Times) time.Duration) float64 {
	var list []time.Duration
	for _, took := range t.times[min(1, len(t.times)-1):] {
		list = append(list, of(took))
	}
	return float64(slices.Min(list))
}

func (c *corpus) ask(ctx context.Context, e bench.Entrant, p bench.Plan) (bench.Result, *tap) {
	t := &tap{}
	start := func(ctx context.Context) (bench.Engine, error) {
		engine, err := e.Start(ctx)
		t.Engine = engine
		return t, err
	}
	return bench.Measure(ctx, bench.Entrant{Name: e.Name, Start: start}, c.sites, c.want, p), t
}

// measure asks a peer every question and compares its verdicts with the reference.
func (c *corpus) measure(ctx context.Context, e bench.Entrant, p bench.Plan) row {
	once := p
	if parsesEachTime[e.Name] {
		p.Rounds = 0 // the first takes long enough, and there is nothing to warm up for
	}
	result, t := c.result, c.tap
	if e.Name != reference || t == nil {
		result, t = c.ask(ctx, e, p)
	}
	r := row{Result: result}
	if len(t.times) == 0 || r.Answered == 0 {
		return r
	}
	r.classes = c.classify(t.verdicts)
	match := t.least(func(t bench.Times) time.Duration { return t.Match })
	parsed, parse := r.Bytes, t.least(func(t bench.Times) time.Duration { return t.Parse })
	if parsesEachTime[e.Name] {
		parsed, parse = 0, match
		for i := range c.sites {
			parsed += len(c.sites[i].Body) * len(c.sites[i].URLs)
		}
	}
	r.match = match / float64(r.Answered)
	if parse > 0 {
		r.speed = float64(parsed) / parse * 1e3
	}
	if e.Name == robotsieve {
		e = bench.InProcess(e.Name, r.Version, askOnce)
	}
	if r.Broken == nil {
		_, t = c.oneURL().ask(ctx, e, once)
		all := t.least(func(t bench.Times) time.Duration { return t.Parse + t.Match })
		r.once = all / float64(len(c.sites))
	}
	return r
}

// askOnce is robotsieve's call for one question about a robots.txt.
func askOnce(s *bench.Site) (bench.Matcher, error) {
	return func(url string) bench.Verdict {
		return bench.VerdictOf(compile.Ask(s.Body, []byte(s.Agent), []byte(url), googleWhole).Allowed())
	}, nil
}

// oneURL is the corpus with one URL of each site, that in the middle of its list.
func (c *corpus) oneURL() *corpus {
	one := &corpus{}
	for i, s := range c.sites {
		middle := len(s.URLs) / 2
		s.URLs = s.URLs[middle : middle+1]
		one.sites, one.want = append(one.sites, s), append(one.want, c.want[i][middle:middle+1])
	}
	return one
}

// classify says of each verdict that is not the reference's which reading explains it, the most frequent first.
func (c *corpus) classify(verdicts [][]bench.Verdict) []*class {
	var sites []*explanation
	total := make([]int, len(readings))
	for i, list := range verdicts {
		e := c.explain(i, list)
		for r, gives := range e.gives {
			total[r] += len(gives)
		}
		sites = append(sites, e)
	}
	classes := map[string]*class{}
	for i, e := range sites {
		s := &c.sites[i]
		for _, j := range e.differ {
			got := verdicts[i][j]
			name := e.name(s, j, got, total)
			k := classes[name]
			if k == nil {
				k = &class{name: name, site: i, url: j}
				classes[name] = k
			}
			k.count++
			example := c.sites[k.site].URLs[k.url]
			if cmp.Or(cmp.Compare(len(s.URLs[j]), len(example)), cmp.Compare(s.URLs[j], example)) < 0 {
				k.site, k.url = i, j
			}
		}
	}
	return slices.SortedFunc(maps.Values(classes), func(a, b *class) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.name, b.name))
	})
}
