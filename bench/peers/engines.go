package main

import (
	"context"
	"errors"
	"net/url"
	"runtime"
	"runtime/debug"

	"github.com/temoto/robotstxt"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/bench"
	"github.com/robotsieve/robotsieve/compile"
)

// installed is where make peers-install puts what it can, seen from this folder.
const installed = "../../bin/peers/"

// The names that code asks for.
const (
	robotsieve = "robotsieve (Go)"
	fork       = "fast-robotstxt (C++, after Google's)"
	port       = "gpyrobotstxt (Python, after Google's)"
)

// reference is the peer whose verdicts all others are compared with: Google's parser in C++, as it is.
const reference = "google/robotstxt (C++, by jwm.robotstxt)"

// entrants are all engines but the external ones, robotsieve first.
func entrants() []bench.Entrant {
	list := []bench.Entrant{
		bench.InProcess(robotsieve, "this checkout, "+runtime.Version(), bench.Robotsieve(googleWhole)),
		bench.InProcess("temoto/robotstxt (Go)", moduleVersion("github.com/temoto/robotstxt")+", "+runtime.Version(),
			parseTemoto),
		{Name: "grobotstxt (Go)", Start: func(context.Context) (bench.Engine, error) {
			return nil, errors.New("the Go module proxy refused it in November 2026")
		}},
		{Name: "robots-parser (JavaScript)", Start: adapter{{"node", "-e", robotsParserJS}}.start},
		{Name: "crawler-commons (Java)",
			Start: adapter{{"java", "-cp", installed + "java/*", "adapters/CrawlerCommons.java"}}.start},
	}
	for _, crate := range []string{"texting_robots", "robotstxt", "robotxt", "fast-robots"} {
		list = append(list, bench.Entrant{Name: crate + " (Rust)",
			Start: adapter{{installed + "rust/target/release/peers", crate}}.start})
	}
	for _, library := range pythonLibraries {
		script := librariesPy + googlePy + pythonPy
		list = append(list, bench.Entrant{Name: library[1], Start: adapter{
			{installed + "python/bin/python", "-c", script, library[0]}, {"python3", "-c", script, library[0]}}.start})
	}
	return list
}

// pythonLibraries are functions of libraries.py, and the names of what they ask.
var pythonLibraries = [][2]string{
	{"jwm", reference}, {"fastrobotstxt", fork}, {"fastrobots", "fastrobots (Rust, in Python)"},
	{"protego", "Protego (Python)"}, {"gpyrobotstxt", port}, {"urllib", "urllib.robotparser (Python)"},
}

// parsesEachTime are the peers without a parsed form: they read the whole robots.txt for each URL.
var parsesEachTime = map[string]bool{
	reference: true, fork: true, port: true, "robotstxt (Rust)": true,
}

// googleWhole reads a whole body as google/robotstxt does.
var googleWhole = compile.Options{Dialect: automaton.Google, MaxBytes: -1}

// parseTemoto is temoto/robotstxt. It takes a path, which net/url cuts off the URL, as its users do.
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
