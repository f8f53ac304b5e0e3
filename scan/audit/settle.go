package audit

import (
	"bytes"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// site is where a request went: an origin of the policy, or none of them.
type site struct {
	origin int32 // index in Policy.Origins, or policy.AnyOrigin
	other  bool
	host   string // as to be reported, if other
}

// request counts the record of a crawler.
func (w *Worker) request(f format.Format, c *claim) {
	t, r := w.tally, &w.record
	if r.Target[0] == '*' || string(r.Method) == "CONNECT" {
		t.NotJudged++
		return
	}
	at := w.site(f.HasHost())
	if at.other {
		t.OtherHost++
		t.addHost(at.host, 1)
		return
	}
	if r.HasTime {
		t.span.add(r.Time)
	}
	c.row.requests++
	c.row.identities[Unverified]++
	s := w.settle(c)
	c.row.verdicts[s.verdict]++
	switch s.verdict {
	case Indeterminate:
		c.row.reasons[s.reason]++
	case Violation:
		c.row.violate(Unverified, outcomeOf(r.Status), methodOf(r.Method))
		c.row.addRule(ruleKey{at.origin, s.line}, 1)
		c.row.samples.add(r.Time, r.Line)
	}
}

// settlement is what is said of one request.
type settlement struct {
	verdict Verdict
	reason  Reason // if Indeterminate
	line    uint32 // of the rule, if Violation
}

// settle gives the record its verdict. With one robots.txt in force throughout,
// and without ranges of addresses, nothing has to wait for other lines.
//
// The order of the questions is part of the specification: a request that is
// exempt is so even where its header is ambiguous.
func (w *Worker) settle(c *claim) settlement {
	r := &w.record
	switch {
	case c.Profile != nil && c.Profile.Exempt != "":
		return settlement{verdict: Exempt}
	case w.isRobotsFetch():
		return settlement{verdict: RobotsFetch}
	case !r.HasTime:
		return settlement{verdict: Indeterminate, reason: NoTime}
	case c.Ambiguous:
		return settlement{verdict: Indeterminate, reason: AmbiguousAgent}
	case r.Truncated:
		return settlement{verdict: Indeterminate, reason: Truncated}
	}
	switch j := c.binding.Judge(&w.scratch, r.Target); j.Answer {
	case policy.Forbids:
		return settlement{verdict: Violation, line: j.Line}
	case policy.Contested:
		return settlement{verdict: Indeterminate, reason: ContestedRule}
	default:
		return settlement{verdict: Allowed}
	}
}

const robotsTxt = "/robots.txt"

// isRobotsFetch tells whether the record asks for /robots.txt itself, by any
// method, without a query.
func (w *Worker) isRobotsFetch() bool {
	target := w.record.Target
	if target[0] == '/' && !bytes.HasPrefix(target, []byte(robotsTxt)) {
		return false
	}
	return string(automaton.RFC9309.TargetPath(&w.scratch, target)) == robotsTxt
}

// site returns where the record's request went. An absolute target says it
// itself (RFC 9112 3.2.2); else the log's host field does; a log without one is
// the log of the policy's origin.
func (w *Worker) site(hasHost bool) site {
	origins := w.auditor.config.Policy.Origins()
	if len(origins) == 0 {
		return site{origin: policy.AnyOrigin}
	}
	switch {
	case w.record.Target[0] != '/':
		return w.siteBy(&w.urls, authorityPrefix(w.record.Target), origin.Of)
	case hasHost:
		return w.siteBy(&w.hosts, w.record.Host, loggedOrigin)
	case len(origins) == 1:
		return site{origin: 0}
	default:
		return site{origin: policy.AnyOrigin}
	}
}

// authorityPrefix returns an absolute target up to the end of its authority.
func authorityPrefix(target []byte) []byte {
	from := bytes.Index(target, []byte("://")) + len("://")
	if end := bytes.IndexAny(target[from:], "/?#"); end >= 0 {
		return target[:from+end]
	}
	return target
}

// loggedOrigin reads a host field as the log spells it.
func loggedOrigin(field []byte) (origin.Origin, error) {
	return origin.Logged(string(format.Unescape(nil, field)))
}

// siteBy returns the site that a key stands for, read by a function that has the
// memo for itself: a host field may hold what looks like a URL and is none.
func (w *Worker) siteBy(known *memo[site], key []byte, read func([]byte) (origin.Origin, error)) site {
	s, ok := known.m[string(key)]
	if !ok {
		s = w.newSite(key, read)
		known.put(key, s)
	}
	return s
}

func (w *Worker) newSite(key []byte, read func([]byte) (origin.Origin, error)) site {
	o, err := read(key)
	if err == nil {
		if i, ok := w.auditor.config.Policy.Find(o); ok {
			return site{origin: int32(i)}
		}
	}
	host := o.String()
	if err != nil {
		host = string(key)
	}
	return site{other: true, host: host[:min(len(host), maxHostName)]}
}
