package audit

import (
	"slices"

	"github.com/robotsieve/robotsieve/scan/policy"
)

// decision is a verdict with its reason.
type decision struct {
	verdict Verdict
	reason  Reason // if Indeterminate
}

func indeterminate(r Reason) decision { return decision{Indeterminate, r} }

// loggedAnswers are what the log's own answers to robots.txt add to the lawful copies of
// the source.
type loggedAnswers struct {
	none        bool    // there is no robots.txt: everything is allowed
	unreachable bool    // it failed, and everything is allowed
	redirect    bool    // robots.txt is elsewhere
	unknown     bool    // a file was sent that nobody knows
	bodies      []int32 // copies of files that were sent; some of them may be in Lawful.Bodies
}

// decide gives the verdict of a request on one origin (audit-rules 2). answers has
// the answer of each copy. A copy that the two readings of a crawler differ on, or whose
// answer depends on what the log does not show of the path, is taken once as forbidding and
// once as permitting: if that gives two verdicts, the request is contested or in grace, or
// its path is lossy.
func decide(l *policy.Lawful, answers []policy.Answer, logged loggedAnswers) decision {
	d := decideAs(l, answers, logged, policy.Forbids)
	doubt := leastSure(answers, l.Bodies, l.Hops, logged.bodies)
	if doubt < policy.Contested {
		return d
	}
	e := decideAs(l, answers, logged, policy.Permits)
	switch {
	case d == e:
		return d
	case doubt == policy.Unseen:
		return indeterminate(LossyPath)
	case d.verdict == Violation, d.verdict == Indeterminate, e.verdict == Violation, e.verdict == Indeterminate:
		return indeterminate(ContestedRule)
	default:
		return decision{verdict: Grace}
	}
}

// leastSure returns the answer of the copies that says least: an answer says less than those
// before it.
func leastSure(answers []policy.Answer, copies ...[]int32) (least policy.Answer) {
	for _, list := range copies {
		for _, i := range list {
			least = max(least, answers[i])
		}
	}
	return least
}

// decideAs is decide with the copies in doubt taken as forbidding or permitting.
func decideAs(l *policy.Lawful, answers []policy.Answer, logged loggedAnswers, doubtful policy.Answer) decision {
	permits := func(i int32) bool {
		return answers[i] == policy.Permits || answers[i] >= policy.Contested && doubtful == policy.Permits
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
		// A redirect through a path that the crawler may not fetch leads nowhere, and
		// counts as no robots.txt; another one cannot be followed.
		none, redirected = none || !permits(i), redirected || permits(i)
	}
	permitted := permitting > 0 || none || unreachable
	switch {
	case (l.Unknown || logged.unknown) && !permitted:
		return indeterminate(NoVersion)
	case redirected || !permitted && logged.redirect:
		return indeterminate(RedirectedPolicy)
	case !permitted:
		return decision{verdict: Violation}
	case permitting == 0 && unreachable:
		return decision{verdict: Unreachable}
	case permitting == 0:
		return decision{verdict: NoPolicy}
	case permitting == bodies:
		return decision{verdict: Allowed}
	default:
		return decision{verdict: Grace}
	}
}

// sure is the verdict of a request on one origin whose copies all give the same answer, if that stands
// whatever else the log tells: that may add any copy of the origin, that robots.txt is not there, that it
// failed or is elsewhere, and it may matter whether the crawler was informed. redirects says that some
// version of the origin is a redirect that may not be possible to follow. What is not sure is decided
// when the whole log has been read.
func sure(l *policy.Lawful, answers []policy.Answer, redirects bool) (d decision, ok bool) {
	if len(l.Bodies) == 0 || redirects || slices.ContainsFunc(answers,
		func(a policy.Answer) bool { return a != answers[0] }) {
		return d, false
	}
	switch answers[0] {
	case policy.Permits:
		return decision{verdict: Allowed}, true
	case policy.Unseen:
		return indeterminate(LossyPath), true
	}
	return d, false
}

// together is the verdict of a request that may have gone to either of two origins:
// the verdict on both, or indeterminate.
func together(d, e decision, sameHost bool) decision {
	switch {
	case d == e:
		return d
	case sameHost:
		return indeterminate(UnknownScheme)
	default:
		return indeterminate(NoHost)
	}
}
