package main

import (
	"context"
	"net/url"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/temoto/robotstxt"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// matcher answers for one agent and robots.txt.
type matcher func(url string) verdict

// library is a peer in Go: parse reads the body of a robots.txt.
type library struct {
	name  string
	parse func(body []byte, agent string) (matcher, error)
}

func (l library) version() string { return l.name + ", " + runtime.Version() }
func (l library) close()          {}

func (l library) round(ctx context.Context, sites []site, record func([]verdict)) (spent, error) {
	runtime.GC() // what others have left behind
	var total spent
	var verdicts []verdict
	for i := range sites {
		s := &sites[i]
		if err := ctx.Err(); err != nil {
			return total, err
		}
		verdicts = slices.Grow(verdicts[:0], len(s.urls))
		begin := time.Now()
		match, err := l.parse(s.body, s.agent)
		parsed := time.Now()
		if err != nil {
			match = func(string) verdict { return noAnswer }
		}
		for j, u := range s.urls {
			// Seldom enough to cost nothing.
			if j%64 == 63 && ctx.Err() != nil {
				return total, ctx.Err()
			}
			verdicts = append(verdicts, match(u))
		}
		total.parse += parsed.Sub(begin)
		if err == nil {
			total.match += time.Since(parsed)
		}
		record(verdicts)
	}
	return total, nil
}

func startSieve(context.Context) (peer, error) {
	return library{"this checkout", parseSieve}, nil
}

// parseSieve is robotsieve.
func parseSieve(body []byte, agent string) (matcher, error) {
	rules := compile.Compile(body, googleWhole).Ruleset
	var scratch automaton.Scratch
	name, buf := []byte(agent), []byte(nil)
	return func(u string) verdict {
		buf = append(buf[:0], u...)
		return verdictOf(rules.Match(&scratch, name, buf).Allowed())
	}, nil
}

func startTemoto(context.Context) (peer, error) {
	return library{moduleVersion("github.com/temoto/robotstxt"), parseTemoto}, nil
}

// parseTemoto is temoto/robotstxt, which takes a path: net/url cuts it off, as
// its users do.
func parseTemoto(body []byte, agent string) (matcher, error) {
	data, err := robotstxt.FromBytes(body)
	if err != nil {
		return nil, err
	}
	group := data.FindGroup(agent)
	return func(address string) verdict {
		u, err := url.Parse(address)
		if err != nil {
			return noAnswer
		}
		return verdictOf(group.Test(u.RequestURI()))
	}, nil
}

// moduleVersion is the version of a module that this binary was built with.
func moduleVersion(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == path {
				return m.Version
			}
		}
	}
	return "unknown version"
}
