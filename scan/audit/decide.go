package audit

import "github.com/robotsieve/robotsieve/scan/policy"

// decision is what is said of one request of a crawler.
type decision struct {
	verdict Verdict
	reason  Reason // if Indeterminate
}

func indeterminate(r Reason) decision { return decision{Indeterminate, r} }

// heard is what the log's own answers to robots.txt add to the copies that the
// source says were lawful at a moment.
type heard struct {
	none     bool // that there is no robots.txt: everything is allowed
	redirect bool // a redirect
}

// decide gives the verdict of a request on one origin (audit-rules 2). answers
// holds what each copy says of it. A copy that the two readings of a crawler
// differ on is taken once as forbidding and once as permitting: where that leads
// to two verdicts, the request is contested or in grace.
func decide(l *policy.Lawful, answers []policy.Answer, h heard) decision {
	d := decideAs(l, answers, h, policy.Forbids)
	if !hangsOn(l, answers) {
		return d
	}
	e := decideAs(l, answers, h, policy.Permits)
	switch {
	case d == e:
		return d
	case isGrave(d) || isGrave(e):
		return indeterminate(ContestedRule)
	default:
		return decision{verdict: Grace}
	}
}

func isGrave(d decision) bool { return d.verdict == Violation || d.verdict == Indeterminate }

// hangsOn tells whether a copy is contested.
func hangsOn(l *policy.Lawful, answers []policy.Answer) bool {
	for _, list := range [2][]int32{l.Bodies, l.Hops} {
		for _, i := range list {
			if answers[i] == policy.Contested {
				return true
			}
		}
	}
	return false
}

// decideAs is decide with contested copies taken as said.
func decideAs(l *policy.Lawful, answers []policy.Answer, h heard, contested policy.Answer) decision {
	permitting := 0
	for _, i := range l.Bodies {
		if resolved(answers[i], contested) == policy.Permits {
			permitting++
		}
	}
	none, redirected := l.NoPolicy || h.none, l.Redirected
	for _, i := range l.Hops {
		// A redirect by way of what its crawler may not fetch leads nowhere, and
		// counts as no robots.txt; another cannot be followed.
		if resolved(answers[i], contested) == policy.Forbids {
			none = true
		} else {
			redirected = true
		}
	}
	permitted := permitting > 0 || none || l.Unreachable
	switch {
	case l.Unknown && !permitted:
		return indeterminate(NoVersion)
	case redirected:
		return indeterminate(RedirectedPolicy)
	case !permitted && h.redirect:
		return indeterminate(RedirectedPolicy)
	case !permitted:
		return decision{verdict: Violation}
	case permitting == 0 && l.Unreachable:
		return decision{verdict: Unreachable}
	case permitting == 0:
		return decision{verdict: NoPolicy}
	case permitting == len(l.Bodies):
		return decision{verdict: Allowed}
	default:
		return decision{verdict: Grace}
	}
}

func resolved(a, contested policy.Answer) policy.Answer {
	if a == policy.Contested {
		return contested
	}
	return a
}

// final tells whether nothing that the log could add changes what is said of a
// request, whether its crawler was informed included.
func final(l *policy.Lawful, answers []policy.Answer) (d decision, ok bool) {
	d = decide(l, answers, heard{})
	if d.verdict == Violation || d.verdict == Grace {
		return d, false
	}
	return d, d == decide(l, answers, heard{none: true}) && d == decide(l, answers, heard{redirect: true})
}

// together is what is said of a request that may have gone to either of two
// origins: what is said of both, or that nobody knows.
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
