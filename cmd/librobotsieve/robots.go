package main

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/reading"
)

type robots struct {
	dialect *automaton.Dialect // nil for each crawler's own
	options compile.Options
	body    []byte // a copy, kept only if it may still be read in another dialect
	read    [automaton.NumDialects]atomic.Pointer[compile.Robots]
}

// newRobots reads a body without retaining it. maxBytes is as in compile.Options.
func newRobots(body []byte, dialect *automaton.Dialect, maxBytes int64) *robots {
	most := int(max(-1, min(maxBytes, math.MaxInt32)))
	r := &robots{dialect: dialect, options: compile.Options{MaxBytes: most}, body: body}
	r.in(r.first())
	r.body = nil
	if dialect == nil {
		r.body = bytes.Clone(compile.WholeLines(body, most))
	}
	return r
}

func (*robots) close() error { return nil }

// first returns the dialect for questions that concern no agent.
func (r *robots) first() automaton.Dialect {
	if r.dialect == nil {
		return automaton.RFC9309
	}
	return *r.dialect
}

func (r *robots) in(d automaton.Dialect) *compile.Robots {
	if r.read[d].Load() == nil {
		o := r.options
		o.Dialect = d
		r.read[d].CompareAndSwap(nil, compile.Compile(r.body, o))
	}
	return r.read[d].Load()
}

// asker is an agent together with the robots.txt as that agent reads it.
type asker struct {
	reading.Subject
	dialect automaton.Dialect
}

// askers are the agents for which crawlers' own dialects are used.
var askers cache[asker]

// agent returns an agent as bound by the file, and the file as the agent reads it. The name is what
// --agent accepts, or with a dialect of the caller's a product token.
func (r *robots) agent(name []byte) (compile.Agent, *compile.Robots, error) {
	if r.dialect != nil {
		read := r.in(*r.dialect)
		return read.Agent(string(name)), read, nil
	}
	a, err := askers.of(name, func(name string) (a asker, err error) {
		a.Subject, a.dialect, err = job.Agent{Name: name}.Find()
		return a, err
	})
	if err != nil {
		return compile.Agent{}, nil, err
	}
	read := r.in(a.dialect)
	return a.Agent(read), read, nil
}

// scratches are the scratches of threads that aren't matching.
var scratches = sync.Pool{New: func() any { return new(automaton.Scratch) }}

func (r *robots) ask(name []byte, _ int64, urls *texts, out *answers) error {
	agent, _, err := r.agent(name)
	if err != nil {
		return err
	}
	s := scratches.Get().(*automaton.Scratch)
	defer scratches.Put(s)
	return urls.each(func(i int, url []byte) {
		v, class := agent.MatchWith(s, url), filter.Allowed
		if v.Disallowed {
			class = filter.Disallowed
		}
		out.set(i, class, v.Line)
	})
}

func (r *robots) askAll(agents []byte, n int, at int64, urls *texts, reasons []byte) error {
	names, err := split(string(agents), n)
	for k, name := range names {
		again := *urls // which may be consumed
		err = cmp.Or(err, r.ask([]byte(name), at, &again, &answers{reasons: reasons[k*urls.n:][:urls.n]}))
	}
	return err
}

// sitemaps returns the values of the Sitemap lines, one per line.
func (r *robots) sitemaps() string {
	return strings.Join(append(r.in(r.first()).Sitemaps(), ""), "\n")
}

func (r *robots) delay(name []byte) (delay time.Duration, ok bool, err error) {
	agent, _, err := r.agent(name)
	if err != nil {
		return 0, false, err
	}
	delay, ok = agent.CrawlDelay()
	return delay, ok, nil
}

// fields returns the values of the lines with a key that are neither user agents nor rules, one per
// line: those in the groups that bind an agent, or all if agent is empty.
func (r *robots) fields(name []byte, key string) (string, error) {
	read, groups := r.in(r.first()), []int(nil)
	if len(name) > 0 {
		agent, of, err := r.agent(name)
		if err != nil {
			return "", err
		}
		read, groups = of, agent.Groups()
	}
	var values strings.Builder
	for _, record := range read.Records {
		_, bound := slices.BinarySearch(groups, record.Group)
		if (bound || len(name) == 0) && strings.EqualFold(record.Key, key) {
			values.WriteString(record.Value + "\n")
		}
	}
	return values.String(), nil
}
