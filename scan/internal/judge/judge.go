// Package judge decides the verdict on a crawler's request. It implements the specification in
// docs/reference/audit-rules.md: it reads no bytes, counts nothing, and depends only on its
// arguments.
//
// Decide is the main function. It is called when a line is read, with only the policy, so that most
// verdicts are final at once. For the remaining requests it is called again when the whole log is
// known (Told). It follows the order of section 1, then weighs the copies of robots.txt that the
// crawler may have used according to section 2. The log adds copies through its answers to GETs of
// /robots.txt, to anyone (Answers) and to the crawlers of one operator (Told). Only few of their
// moments are kept (moments.go).
package judge

import (
	"slices"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Decision is a verdict with its reason.
type Decision struct {
	Verdict report.Verdict
	Reason  report.Reason // if Indeterminate
	// Evasive means that the request is allowed or contested, although every copy forbids the normal
	// form of its path.
	Evasive bool
}

func undecided(r report.Reason) Decision { return Decision{Verdict: report.Indeterminate, Reason: r} }

// Case is a crawler's request, reduced to what its verdict depends on.
type Case struct {
	Spoofed bool // the client is proven not to be the crawler, which is known after the whole log
	Exempt  bool // robots.txt does not bind the crawler
	Robots  bool // it requests robots.txt
	// Ambiguous means that the header names several crawlers. Truncated means that the log has only
	// part of the target or of the name.
	Ambiguous, Truncated bool
	// OtherScheme means that the log names another scheme than the origins of Site have.
	OtherScheme bool
	// Time is in nanoseconds since 1970, if HasTime.
	Time    int64
	HasTime bool
	// Site lists the possible origins of the request, and is empty if the log doesn't show them.
	// Lawful are the lawful copies of the first origin, if they have been looked up.
	Site   policy.Site
	Lawful *policy.Lawful
	Class  answer.Class // of the crawler
	// Exact means that the log shows the target as it was sent. HasNormal means that the normal form
	// of the target differs from it.
	Exact, HasNormal bool
	// SourceOnly means that the log's answers don't matter, so that the verdict is final.
	SourceOnly bool
	Copies
}

// Copies reports whether the copies of an origin's robots.txt permit a target or its normal form.
type Copies interface {
	// Permit reports whether the rules of all copies of an origin with a body permit the target, or
	// its normal form. False may mean unknown. It is only called before the log has been read
	// completely.
	Permit(origin int32, normal bool) bool
	// Stances returns the stance of each copy. The result is valid until the next call. It includes
	// copies that were not lawful, because what the log shows may depend on any of them.
	Stances(origin int32, normal bool) []policy.Stance
}

// Decide decides the verdict on a request. told is what the log told the crawler's operator under
// the same policy, or nil if the log has not been read completely. In that case final reports
// whether no other line can change the verdict, except proof that the client isn't the crawler.
//
// The order of the checks is part of the specification (audit-rules 1). A path that is forbidden as
// it stands, but not in its normal form, is contested. One that is permitted or contested, but
// forbidden in its normal form, is evasive (audit-rules 5).
func Decide(p *policy.Policy, c *Case, told *Told) (d Decision, final bool) {
	switch {
	case c.Spoofed:
		return Decision{Verdict: report.Spoofed}, true
	case c.Exempt:
		return Decision{Verdict: report.Exempt}, true
	case c.Robots:
		return Decision{Verdict: report.RobotsFetch}, true
	case !c.HasTime:
		return undecided(report.NoTime), true
	case c.Site.N == 0:
		return undecided(report.NoHost), true
	case c.Ambiguous:
		return undecided(report.AmbiguousAgent), true
	case c.Truncated:
		return undecided(report.Truncated), true
	case p.None():
		return undecided(report.NoRobots), true
	case c.OtherScheme:
		return undecided(report.UnknownScheme), true
	}
	d, final = c.onSite(p, told, false)
	forbidden := d.Verdict == report.Violation
	permitted := d.Verdict == report.Allowed || d == undecided(report.ContestedRule)
	if !final || !c.HasNormal || !forbidden && !(permitted && c.Exact) {
		return d, final
	}
	normal, final := c.onSite(p, told, true)
	switch normalForbidden := normal.Verdict == report.Violation; {
	case forbidden && !normalForbidden:
		d = undecided(report.ContestedRule)
	case permitted:
		d.Evasive = normalForbidden
	}
	return d, final
}

// onSite returns the common verdict of a site's origins, or none if they differ.
func (c *Case) onSite(p *policy.Policy, told *Told, normal bool) (d Decision, final bool) {
	var before *policy.Lawful
	for i := range c.Site.N {
		o, until := c.Site.First+i, policy.Site{First: c.Site.First, N: i + 1}
		l, logged := c.Lawful, loggedAnswers{}
		if told != nil {
			l, logged = told.lawful(o, c.Time, c.Class)
		} else if i > 0 || l == nil {
			l = p.Lawful(o, c.Time, c.Class)
		}
		if told == nil && l == before && p.OneHost(until) {
			continue // they share one history, as http and https of a host nearly always do
		}
		before = l
		e := Decision{}
		if told != nil {
			e, final = verdictOf(l, c.Stances(o, normal), logged), true
		} else {
			e, final = c.bySource(p, o, normal, l)
		}
		if !final {
			return e, false
		}
		switch {
		case i == 0:
			d = e
		case d == e:
		case p.OneHost(until):
			d = undecided(report.UnknownScheme)
		default:
			d = undecided(report.NoHost)
		}
	}
	return d, final
}

// bySource returns the verdict by the source's copies of one origin. Nearly always all of them
// permit the target.
func (c *Case) bySource(p *policy.Policy, o int32, normal bool, l *policy.Lawful) (d Decision, final bool) {
	redirects := p.MayRedirect(o)
	if len(l.Bodies) > 0 && !redirects && c.Permit(o, normal) {
		return Decision{Verdict: report.Allowed}, true
	}
	if c.SourceOnly {
		return verdictOf(l, c.Stances(o, normal), loggedAnswers{}), true
	}
	return sure(l, c.Stances(o, normal), redirects)
}

// sure returns the verdict for an origin whose copies all have the same stance, if it can't change
// whatever else the log shows. The log may add any copy of the origin, or show that robots.txt is
// missing, failed or elsewhere, and it may matter whether the crawler was informed. redirects means
// that some version of the origin is a redirect that may be impossible to follow.
func sure(l *policy.Lawful, stances []policy.Stance, redirects bool) (d Decision, ok bool) {
	if len(l.Bodies) == 0 || redirects || slices.ContainsFunc(stances,
		func(a policy.Stance) bool { return a != stances[0] }) {
		return d, false
	}
	switch stances[0] {
	case policy.Permits:
		return Decision{Verdict: report.Allowed}, true
	case policy.Unseen:
		return undecided(report.LossyPath), true
	}
	return d, false
}

// loggedAnswers are what the log's answers to robots.txt add to the lawful copies of the source.
type loggedAnswers struct {
	none        bool    // no robots.txt: everything is allowed
	unreachable bool    // it failed, and everything is allowed
	redirect    bool    // robots.txt is elsewhere
	unknown     bool    // an unknown file was sent
	bodies      []int32 // copies of the files sent; some may also be in Lawful.Bodies
}

// verdictOf returns the verdict for one origin (audit-rules 2). stances has the stance of each
// copy. If a crawler's readings differ on a copy, or if its stance depends on parts of the path
// that the log doesn't show, the copy is tried as forbidding and as permitting. If that gives two
// verdicts, the request is contested or in grace, or its path is lossy.
func verdictOf(l *policy.Lawful, stances []policy.Stance, logged loggedAnswers) Decision {
	d := verdictTaking(l, stances, logged, policy.Forbids)
	doubt := leastSure(stances, l.Bodies, l.Hops, logged.bodies)
	if doubt < policy.Contested {
		return d
	}
	e := verdictTaking(l, stances, logged, policy.Permits)
	switch {
	case d == e:
		return d
	case doubt == policy.Unseen:
		return undecided(report.LossyPath)
	case d.Verdict == report.Violation, d.Verdict == report.Indeterminate, e.Verdict == report.Violation,
		e.Verdict == report.Indeterminate:
		return undecided(report.ContestedRule)
	default:
		return Decision{Verdict: report.Grace}
	}
}

// leastSure returns the least certain stance of the copies. Later stances are less certain than
// earlier ones.
func leastSure(stances []policy.Stance, copies ...[]int32) (least policy.Stance) {
	for _, list := range copies {
		for _, i := range list {
			least = max(least, stances[i])
		}
	}
	return least
}

// verdictTaking returns the verdict with the stance doubtful, which is Forbids or Permits, for
// every copy whose stance is Contested or Unseen.
func verdictTaking(l *policy.Lawful, stances []policy.Stance, logged loggedAnswers, doubtful policy.Stance) Decision {
	permits := func(i int32) bool {
		return stances[i] == policy.Permits || stances[i] >= policy.Contested && doubtful == policy.Permits
	}
	permitting, bodies := 0, len(l.Bodies)+len(logged.bodies)
	for _, list := range [2][]int32{l.Bodies, logged.bodies} {
		for _, i := range list {
			if permits(i) {
				permitting++
			}
		}
	}
	none, unreachable, redirected := l.NoPolicy || logged.none, l.Unreachable || logged.unreachable, l.Redirected
	for _, i := range l.Hops {
		// A redirect through a path that the crawler may not fetch leads nowhere and counts as no
		// robots.txt. Any other can't be followed.
		none, redirected = none || !permits(i), redirected || permits(i)
	}
	permitted := permitting > 0 || none || unreachable
	switch {
	case (l.Unknown || logged.unknown) && !permitted:
		return undecided(report.NoVersion)
	case redirected || !permitted && logged.redirect:
		return undecided(report.RedirectedPolicy)
	case !permitted:
		return Decision{Verdict: report.Violation}
	case permitting == 0 && unreachable:
		return Decision{Verdict: report.Unreachable}
	case permitting == 0:
		return Decision{Verdict: report.NoPolicy}
	case permitting == bodies:
		return Decision{Verdict: report.Allowed}
	default:
		return Decision{Verdict: report.Grace}
	}
}
