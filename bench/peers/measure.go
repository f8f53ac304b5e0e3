package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// row is what is known of a peer when it has had its turn.
type row struct {
	name, version string
	missing       error // why the peer could not take part

	sites, bytes int // that it came to
	asked        int // URLs of these
	answered     int // URLs that got a verdict
	agreed       int // verdicts that are robotsieve's
	examples     []example
	rounds       []spent // all but the first, which warms up
	broken       error   // why it did not finish
}

// example is a URL on which a peer differs.
type example struct {
	site *site
	url  int
	got  verdict
}

const maxExamples = 2

// plan says how a peer is measured.
type plan struct {
	rounds  int           // that are timed
	timeout time.Duration // for all that one peer does
}

// measure gives a peer its turn. The first round warms it up and yields its
// verdicts; the others are timed.
func measure(ctx context.Context, e entrant, c *corpus, how plan) row {
	r := row{name: e.name}
	limited, cancel := context.WithTimeout(ctx, how.timeout)
	defer cancel()
	p, err := e.start(limited)
	if err != nil {
		r.missing = r.reason(err, how)
		return r
	}
	defer p.close()
	r.version = p.version()
	warm, err := p.round(limited, c.sites, func(verdicts []verdict) { r.compare(&c.sites[r.sites], verdicts) })
	if err != nil {
		// What there is of the warm-up is better than nothing.
		r.rounds, r.broken = []spent{warm}, r.reason(err, how)
		return r
	}
	for range how.rounds {
		t, err := p.round(limited, c.sites, func([]verdict) {})
		if err != nil {
			r.broken = r.reason(err, how)
			if len(r.rounds) == 0 {
				r.rounds = []spent{warm}
			}
			return r
		}
		r.rounds = append(r.rounds, t)
	}
	return r
}

// reason says what a time-out is.
func (r *row) reason(err error, how plan) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("timed out after %v", how.timeout)
	}
	return err
}

// compare counts the verdicts on a site.
func (r *row) compare(s *site, verdicts []verdict) {
	r.sites++
	r.bytes += len(s.body)
	r.asked += len(verdicts)
	shown := false
	for i, v := range verdicts {
		if v != noAnswer {
			r.answered++
		}
		if v == s.want[i] {
			r.agreed++
			continue
		}
		// One of a site, since the next is mostly of the same kind.
		if !shown && len(r.examples) < maxExamples {
			r.examples, shown = append(r.examples, example{s, i, v}), true
		}
	}
}

// parseTime and matchTime are the medians of all rounds.
func (r *row) parseTime() time.Duration {
	return r.median(func(t spent) time.Duration { return t.parse })
}
func (r *row) matchTime() time.Duration {
	return r.median(func(t spent) time.Duration { return t.match })
}

func (r *row) median(of func(spent) time.Duration) time.Duration {
	var list []time.Duration
	for _, t := range r.rounds {
		list = append(list, of(t))
	}
	return median(list)
}
