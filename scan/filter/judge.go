package filter

import (
	"bytes"
	"cmp"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/plain"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// Judge judges URLs for all agents of a Config. It caches the rules of sites. It is not safe for concurrent use.
type Judge struct {
	config  *Config
	all     uint64 // the bits of all agents
	sites   *sites
	last    *slot // for the previous URL
	scratch automaton.Scratch

	misencoded int64 // see Summary.Misencoded
	slashed    int64 // see Summary.Slashed
	err        error // the first error of the policy
}

// Verdict is the result of applying the rules to a URL.
type Verdict struct {
	Class Class
	// Barred has a bit for each agent that may not fetch the URL. The lowest is for the first agent.
	Barred uint64
	// Line is the line of the rule that decided for the first barred agent or, if none is barred, for the first agent. It
	// is 0 if no rule decided.
	Line uint32
}

// NewJudge returns a Judge of a Config that has rules and one dialect or more.
func NewJudge(c *Config) *Judge {
	j := &Judge{config: c, all: 1<<len(c.Dialects) - 1, sites: newSites(c)}
	j.last = &j.sites.slots[0]
	return j
}

// Err returns the first error of the policy. Verdicts after it are not valid.
func (j *Judge) Err() error { return j.err }

// Judge returns the verdict on a URL by the rules in force at a time in Unix seconds; [math.MaxInt64] means the newest
// rules. It does not retain the URL.
func (j *Judge) Judge(url []byte, at int64) Verdict { return j.judge(url, at, false) }

// judge is Judge for a URL. plain may only be true if the URL has no byte that makes a target not plain.
func (j *Judge) judge(url []byte, at int64, plain bool) Verdict {
	s := j.last
	if !s.matches(url, at) {
		if len(url) > 0 && url[0] == '/' {
			return j.target(url, plain)
		}
		var err error
		switch s, err = j.find(url, at); {
		case err != nil:
			return j.fail(err)
		case s == nil && len(bytes.Trim(url, " \t")) == 0:
			return Verdict{Class: Blank}
		case s == nil:
			return Verdict{Class: NotAbsolute}
		}
		j.last = s
	}
	if s.class != Allowed {
		return Verdict{Class: s.class}
	}
	if len(s.groups) == 1 && s.groups[0].Rules == (Rules{}) {
		return Verdict{}
	}
	if s.used < askAgain {
		if err := j.sites.use(s, at); err != nil {
			return j.fail(err)
		}
	}
	switch n := int(s.length); {
	case n == 0 || s.whole:
	case n == len(url):
		return j.decide(s.groups, slash, true, true)
	case url[n] == '/':
		return j.decide(s.groups, url[n:], true, plain)
	}
	return j.decide(s.groups, url, false, false)
}

// slash is the path of a URL that ends with its authority; slashes begin a path, or a URL without its scheme.
var slash, slashes = []byte("/"), []byte("//")

// find returns the slot for a URL. It is nil if the URL is not absolute.
func (j *Judge) find(url []byte, at int64) (*slot, error) {
	if j.sites.all != nil {
		if n := origin.ViewLen(url); n > 0 {
			return j.sites.viewed(url[:n]), nil
		}
	}
	n, ok := origin.Prefix(url)
	if !ok {
		return nil, nil
	}
	return j.sites.find(url[:n], at)
}

// fail records an error of the policy.
func (j *Judge) fail(err error) Verdict {
	j.err = cmp.Or(j.err, err)
	return Verdict{Class: NoPolicy}
}

// target returns the verdict on a URL that begins with a slash.
func (j *Judge) target(url []byte, plain bool) Verdict {
	if j.sites.all == nil {
		return Verdict{Class: NotAbsolute}
	}
	if bytes.HasPrefix(url, slashes) {
		j.slashed++
	}
	return j.decide(j.sites.all, url, true, plain)
}

// decide matches the rules of each group against the path of a URL, whose beginning may already be removed. Nearly
// all URLs are plain, that is, equal to their path in every dialect. If isPlain is not set, this is checked once.
func (j *Judge) decide(groups []group, url []byte, isTarget, isPlain bool) (v Verdict) {
	isPlain = isPlain || isTarget && plain.Is(url)
	if isPlain && len(groups) == 1 { // its agents are all
		return groups[0].judge(&j.scratch, url, true)
	}
	path := url
	for i := range groups {
		g := &groups[i]
		switch isOther := i == 0 || g.dialect != groups[i-1].dialect; {
		case isPlain || !isOther:
		case isTarget:
			path = g.dialect.TargetPath(&j.scratch, url)
		default:
			path = g.dialect.Path(&j.scratch, url)
		}
		if i == 0 && !isPlain && g.dialect == automaton.Google {
			j.countMisencoded(path)
		}
		w := g.judge(&j.scratch, path, isPlain)
		if i == 0 || v.Barred == 0 && w.Barred != 0 {
			v.Class, v.Line = w.Class, w.Line
		}
		v.Barred |= w.Barred
	}
	if j.config.Any && v.Barred != j.all {
		v.Class = Allowed
	}
	return v
}

// judge returns the verdict of one group on a path. plain says that automaton.IsPlain has found it so.
func (g *group) judge(s *automaton.Scratch, path []byte, plain bool) Verdict {
	if g.Unreachable {
		if string(path) == "/robots.txt" {
			return Verdict{}
		}
		return Verdict{Class: Unreachable, Barred: g.agents}
	}
	var v automaton.Verdict
	if plain {
		v = g.Machine.MatchPlain(s, path)
	} else {
		v = g.Machine.Match(s, path)
	}
	if v.Disallowed {
		return Verdict{Class: Disallowed, Barred: g.agents, Line: v.Line}
	}
	return Verdict{Line: v.Line}
}

// countMisencoded counts a path if it has an octet outside ASCII, or an escape in lower case.
func (j *Judge) countMisencoded(path []byte) {
	for i, c := range path {
		isEscape := c == '%' && i+2 < len(path) && isHex(path[i+1]) && isHex(path[i+2])
		if c >= 0x80 || isEscape && max(path[i+1], path[i+2]) >= 'a' {
			j.misencoded++
			return
		}
	}
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }
