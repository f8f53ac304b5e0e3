package main

import (
	"net/url"
	"runtime"
	"runtime/debug"

	"github.com/temoto/robotstxt"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/bench"
	"github.com/robotsieve/robotsieve/compile"
)

// entrants are all engines but the external ones, robotsieve first.
func entrants() []bench.Entrant {
	python := func(name, library string) bench.Entrant {
		interpreters := []string{"python3", "/usr/bin/python3"} // a system's packages are for the system's Python
		return bench.Entrant{Name: name, Start: adapter{interpreters, "-c", librariesPy + pythonPy, []string{library}}.start}
	}
	return []bench.Entrant{
		bench.InProcess("robotsieve", "this checkout, "+runtime.Version(), bench.Robotsieve(googleWhole)),
		bench.InProcess("temoto/robotstxt (Go)", moduleVersion("github.com/temoto/robotstxt")+", "+runtime.Version(),
			parseTemoto),
		{Name: "robots-parser (JavaScript)", Start: adapter{[]string{"node"}, "-e", robotsParserJS, nil}.start},
		python("google/robotstxt (C++, parses for each URL)", "jwm"),
		python("gpyrobotstxt (Python, parses for each URL)", "gpyrobotstxt"),
		python("Protego (Python)", "protego"),
		python("urllib.robotparser (Python)", "urllib"),
		{Name: "WWW::RobotRules (Perl)", Start: adapter{[]string{"perl"}, "-e", robotRulesPl, nil}.start},
	}
}

// googleWhole reads a whole body as google/robotstxt does.
var googleWhole = compile.Options{Dialect: automaton.Google, MaxBytes: -1}

// parseTemoto is temoto/robotstxt. It takes a path, which net/url cuts off the URL, as
// its users do.
func parseTemoto(s *bench.Site) (bench.Matcher, error) {
	data, err := robotstxt.FromBytes(s.Body)
	if err != nil {
		return nil, err
	}
	group := data.FindGroup(s.Agent)
	return func(address string) bench.Verdict {
		u, err := url.Parse(address)
		if err != nil {
			return bench.NoAnswer
		}
		return bench.VerdictOf(group.Test(u.RequestURI()))
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
