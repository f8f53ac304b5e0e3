package archived

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Compiler adds the rules of captures to an archive.
type Compiler struct {
	Writer   *archive.Writer
	Sources  *capture.Sources // of the captures; it hears of rules that an archive cannot hold, and of errors
	Dialects []automaton.Dialect
	Work     int64 // bytes of memory for bodies that are compiled at the same time
	report.BodyCounts
}

// CompileCost is how many bytes compiling takes for each byte of the most costly bodies:
// lines of two bytes that all become notes or records.
const CompileCost = 100

// Short bodies are compiled by one goroutine in batches of at most this many bodies and bytes.
const batchBodies, batchOctets = 32, 16 << 10

// AddAll adds the rules of each body in each dialect, on as many processors as fit into
// memory, and counts. An origin with rules that an archive cannot hold is skipped, so that
// the other origins still get their archive.
func (c *Compiler) AddAll(copies iter.Seq2[capture.Copy, error]) error {
	var mu sync.Mutex // of c
	add := func(batch []capture.Copy) {
		rulesets, of := make([][]*automaton.Ruleset, len(batch)), make([]traits, len(batch))
		for i, copied := range batch {
			rulesets[i], of[i] = c.compile(copied.Body)
		}
		mu.Lock()
		defer mu.Unlock()
		for i, copied := range batch {
			c.count(copied, of[i])
			for _, use := range copied.Uses {
				switch err := c.Writer.AddVersion(use.Key, use.From, use.Status, Via(use.Via, of[i].extras), rulesets[i]...); {
				case errors.Is(err, archive.ErrLimit):
					c.Sources.Skip(capture.Unheld, err)
				case err != nil:
					c.Sources.Stop(err)
					return
				}
			}
		}
	}
	var workers sync.WaitGroup
	all := int64(runtime.GOMAXPROCS(0))
	shares := make(chan struct{}, all) // of work that are in use
	var batch []capture.Copy
	octets := 0 // of the batch
	start := func() {
		some, n := batch, min(int64(octets)*CompileCost*all/c.Work+1, all)
		batch, octets = nil, 0
		for range n {
			shares <- struct{}{}
		}
		workers.Go(func() {
			add(some)
			for range n {
				<-shares
			}
		})
	}
	for copied, err := range copies {
		if err != nil {
			c.Sources.Stop(err)
		}
		if c.Sources.Context().Err() != nil {
			break
		}
		batch, octets = append(batch, copied), octets+len(copied.Body)
		if len(batch) == batchBodies || octets >= batchOctets {
			start()
		}
	}
	start()
	workers.Wait()
	return context.Cause(c.Sources.Context())
}

// traits are the facts about a body for report.BodyCounts, with the extras of the archive.
type traits struct {
	page, utf16, unnamed bool
	extras               string // as a text
}

// count counts a body and the origins that have it, or origins without a body.
func (c *Compiler) count(copied capture.Copy, of traits) {
	origins, body := int64(len(copied.Uses)), copied.Body
	if body == nil {
		for _, use := range copied.Uses {
			if answer.Of(int(use.Status), answer.Archive) == answer.Redirect {
				c.Redirected++
			}
		}
		return
	}
	if !copied.Again {
		c.Bodies++
		c.BodyBytes += int64(len(compile.WholeLines(body, c.MaxBytes)))
	}
	c.BodyOrigins += origins
	switch {
	case of.page:
		c.Pages += origins
	case of.utf16:
		c.UTF16 += origins
	case of.unnamed:
		c.Unnamed += origins
	}
	if len(body) > c.MaxBytes {
		if !copied.Again {
			c.Cut++
		}
		c.CutOrigins += origins
	}
}

// compile compiles a body in each dialect, and derives its traits from the first. If body is
// nil, so are the rulesets.
func (c *Compiler) compile(body []byte) (rulesets []*automaton.Ruleset, of traits) {
	rulesets = make([]*automaton.Ruleset, len(c.Dialects))
	for i, d := range c.Dialects {
		if body != nil {
			// An archive holds lists of rules, so tables are not needed.
			r := compile.Compile(body, compile.Options{Dialect: d, MaxBytes: c.MaxBytes, Engine: automaton.EngineList})
			if rulesets[i] = r.Ruleset; i == 0 {
				of = traitsOf(r, body)
				of.extras = Extras(r, body, of.page, c.MaxBytes)
			}
			_, _ = rulesets[i].Agents(), rulesets[i].Wildcard() // build their machines, which the writer would do alone
		}
	}
	return rulesets, of
}

func traitsOf(r *compile.Robots, body []byte) traits {
	has := func(kind compile.NoteKind) bool {
		return slices.ContainsFunc(r.Notes, func(n compile.Note) bool { return n.Kind == kind })
	}
	names := func(g compile.Group) bool { // not if the lines of the body have been joined: User-agent: * Disallow: /
		return slices.ContainsFunc(g.Agents, func(a compile.AgentLine) bool { return a.Wildcard || a.Token != "" })
	}
	return traits{page: has(compile.NoteMarkup), utf16: has(compile.NoteUTF16),
		unnamed: !slices.ContainsFunc(r.Groups, names) && len(bytes.TrimSpace(body)) > 0}
}
