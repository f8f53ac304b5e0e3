package main

import (
	"context"
	"time"
)

// verdict is what a peer says of a URL.
type verdict byte

const (
	disallowed verdict = '0'
	allowed    verdict = '1'
	noAnswer   verdict = '?' // the peer failed on the URL or rejected the robots.txt
)

func verdictOf(isAllowed bool) verdict {
	if isAllowed {
		return allowed
	}
	return disallowed
}

func (v verdict) String() string {
	switch v {
	case allowed:
		return "allowed"
	case disallowed:
		return "disallowed"
	}
	return "no answer"
}

// peer is an implementation at work.
type peer interface {
	// version says which it is.
	version() string
	// round puts all questions once. For each site in order it calls record with
	// as many verdicts as the site has URLs; an error tells why it did not come
	// to the last. It returns the time that was spent on what was recorded.
	round(ctx context.Context, sites []site, record func([]verdict)) (spent, error)
	// close lets go of what the peer holds.
	close()
}

// spent is time by what it was spent on. Peers that cannot tell parsing apart
// leave it 0.
type spent struct {
	parse, match time.Duration
}

// entrant is a peer that may be missing on this machine.
type entrant struct {
	name string
	// start makes the peer ready; an error says why it cannot be had.
	start func(ctx context.Context) (peer, error)
}

// entrants are all peers but the external ones, robotsieve first.
func entrants() []entrant {
	python := []string{"python3", "/usr/bin/python3"} // a system's packages are for the system's Python
	return []entrant{
		{"robotsieve", startSieve},
		{"temoto/robotstxt (Go)", startTemoto},
		{"robots-parser (JavaScript)", adapter{[]string{"node"}, "-e", robotsParserJS, nil}.start},
		{"Protego (Python)", adapter{python, "-c", pythonPy, []string{"protego"}}.start},
		{"urllib.robotparser (Python)", adapter{python, "-c", pythonPy, []string{"urllib"}}.start},
		{"WWW::RobotRules (Perl)", adapter{[]string{"perl"}, "-e", robotRulesPl, nil}.start},
	}
}
