package bench

import (
	"context"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// Site is one robots.txt and the questions that one agent asks about it.
type Site struct {
	RobotsURL string // the address of the robots.txt, which some libraries require
	Agent     string // a product token
	Body      []byte
	URLs      []string
}

// Verdict is an engine's answer about one URL. The zero value is no verdict.
type Verdict byte

// The verdicts, as adapters print them.
const (
	Disallowed Verdict = '0'
	Allowed    Verdict = '1'
	NoAnswer   Verdict = '?' // the engine failed on the URL or rejected the robots.txt
)

// VerdictOf returns Allowed or Disallowed.
func VerdictOf(allowed bool) Verdict {
	if allowed {
		return Allowed
	}
	return Disallowed
}

// String returns the verdict in words.
func (v Verdict) String() string {
	switch v {
	case Allowed:
		return "allowed"
	case Disallowed:
		return "disallowed"
	}
	return "no answer"
}

// Engine is an implementation that is ready to answer. It belongs to one goroutine.
type Engine interface {
	// Version describes the implementation, as in its row of the table.
	Version() string
	// Round asks every question once. It calls record for each site in order, with one verdict per URL; the slice is
	// only valid during the call. If the round ends early, the last call may have fewer verdicts, and the error
	// explains why. The times cover everything recorded.
	Round(ctx context.Context, sites []Site, record func([]Verdict)) (Times, error)
	// Close releases the engine's resources, such as its process.
	Close()
}

// Times are the times of one round: parsing robots.txt, 0 if not measured separately, and matching URLs.
type Times struct{ Parse, Match time.Duration }

// Entrant is an engine that may be missing from this machine.
type Entrant struct {
	Name string
	// Start makes the engine ready; the error says why it is not available.
	Start func(ctx context.Context) (Engine, error)
}

// Matcher answers about URLs for one agent and one robots.txt.
type Matcher func(url string) Verdict

// Parser reads the robots.txt of a site for its agent. An error rejects the file: all verdicts are then NoAnswer.
type Parser func(s *Site) (Matcher, error)

// InProcess returns an entrant whose engine is a function in this process.
func InProcess(name, version string, parse Parser) Entrant {
	return Entrant{name, func(context.Context) (Engine, error) { return inProcess{version, parse}, nil }}
}

// Robotsieve returns this project's parser with the given options.
func Robotsieve(o compile.Options) Parser {
	return func(s *Site) (Matcher, error) {
		rules := compile.Compile(s.Body, o).Ruleset
		var scratch automaton.Scratch
		agent, url := []byte(s.Agent), []byte(nil)
		return func(u string) Verdict {
			url = append(url[:0], u...)
			return VerdictOf(rules.Match(&scratch, agent, url).Allowed())
		}, nil
	}
}

// Judge returns a site's robots.txt, and the verdicts on its URLs in full and as Measure compares them.
func Judge(s *Site, o compile.Options) (robots *compile.Robots, verdicts []automaton.Verdict, want []Verdict) {
	robots = compile.Compile(s.Body, o)
	var scratch automaton.Scratch
	for _, url := range s.URLs {
		v := robots.Ruleset.Match(&scratch, []byte(s.Agent), []byte(url))
		verdicts, want = append(verdicts, v), append(want, VerdictOf(v.Allowed()))
	}
	return robots, verdicts, want
}

type inProcess struct {
	version string
	parse   Parser
}

func (e inProcess) Version() string { return e.version }
func (e inProcess) Close()          {}

func (e inProcess) Round(ctx context.Context, sites []Site, record func([]Verdict)) (Times, error) {
	var total Times
	var verdicts []Verdict
	for i := range sites {
		s := &sites[i]
		if err := ctx.Err(); err != nil {
			return total, err
		}
		verdicts = slices.Grow(verdicts[:0], len(s.URLs))
		begin := time.Now()
		match, rejected := e.parse(s)
		parsed := time.Now()
		if rejected != nil {
			match = func(string) Verdict { return NoAnswer }
		}
		for j, u := range s.URLs {
			if j%64 == 63 && ctx.Err() != nil { // rarely, so that it costs nothing
				break
			}
			verdicts = append(verdicts, match(u))
		}
		if rejected == nil {
			total.Match += time.Since(parsed)
		}
		total.Parse += parsed.Sub(begin)
		record(verdicts)
	}
	return total, ctx.Err()
}
