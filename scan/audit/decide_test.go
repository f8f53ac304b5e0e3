package audit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
)

const (
	permits   = policy.Permits
	forbids   = policy.Forbids
	contested = policy.Contested
)

// TestDecide goes through the five questions of audit-rules 2, with the copies in
// the order of Bodies and then Hops.
func TestDecide(t *testing.T) {
	bodies := func(n int32) (list []int32) {
		for i := range n {
			list = append(list, i)
		}
		return list
	}
	none, redirect := loggedAnswers{none: true}, loggedAnswers{redirect: true}
	tests := []struct {
		name          string
		lawful        policy.Lawful
		answers       []policy.Answer
		loggedAnswers loggedAnswers
		want          decision
	}{
		{"one permits", policy.Lawful{Bodies: bodies(1)}, []policy.Answer{permits}, loggedAnswers{}, decision{verdict: Allowed}},
		{"one forbids", policy.Lawful{Bodies: bodies(1)}, []policy.Answer{forbids}, loggedAnswers{}, decision{verdict: Violation}},
		{"all forbid", policy.Lawful{Bodies: bodies(2)}, []policy.Answer{forbids, forbids}, loggedAnswers{}, decision{verdict: Violation}},
		{"one of two permits", policy.Lawful{Bodies: bodies(2)}, []policy.Answer{forbids, permits}, loggedAnswers{}, decision{verdict: Grace}},
		{"forbidden, but there was none", policy.Lawful{Bodies: bodies(1), NoPolicy: true}, []policy.Answer{forbids}, loggedAnswers{}, decision{verdict: NoPolicy}},
		{"forbidden, but somebody was told that there is none", policy.Lawful{Bodies: bodies(1)}, []policy.Answer{forbids}, none, decision{verdict: NoPolicy}},
		{"permitted, and there was none", policy.Lawful{Bodies: bodies(1), NoPolicy: true}, []policy.Answer{permits}, loggedAnswers{}, decision{verdict: Allowed}},
		{"forbidden, but unreachable for long", policy.Lawful{Bodies: bodies(1), Unreachable: true}, []policy.Answer{forbids}, loggedAnswers{}, decision{verdict: Unreachable}},
		{"none, and unreachable", policy.Lawful{NoPolicy: true, Unreachable: true}, nil, loggedAnswers{}, decision{verdict: Unreachable}},
		{"some permit, some forbid, and there was none", policy.Lawful{Bodies: bodies(2), NoPolicy: true}, []policy.Answer{forbids, permits}, loggedAnswers{}, decision{verdict: Grace}},

		{"nothing known permits, and something is not known", policy.Lawful{Bodies: bodies(1), Unknown: true}, []policy.Answer{forbids}, loggedAnswers{}, indeterminate(NoVersion)},
		{"nothing is known", policy.Lawful{Unknown: true}, nil, loggedAnswers{}, indeterminate(NoVersion)},
		{"the known permits, something is not known", policy.Lawful{Bodies: bodies(1), Unknown: true}, []policy.Answer{permits}, loggedAnswers{}, decision{verdict: Allowed}},
		{"not known, but told that there is none", policy.Lawful{Bodies: bodies(1), Unknown: true}, []policy.Answer{forbids}, none, decision{verdict: NoPolicy}},
		{"not known before redirected", policy.Lawful{Bodies: bodies(1), Unknown: true, Redirected: true}, []policy.Answer{forbids}, loggedAnswers{}, indeterminate(NoVersion)},
		{"redirected, though a body permits", policy.Lawful{Bodies: bodies(1), Redirected: true}, []policy.Answer{permits}, loggedAnswers{}, indeterminate(RedirectedPolicy)},
		{"forbidden, but somebody was redirected", policy.Lawful{Bodies: bodies(1)}, []policy.Answer{forbids}, redirect, indeterminate(RedirectedPolicy)},
		{"permitted, and somebody was redirected", policy.Lawful{Bodies: bodies(1)}, []policy.Answer{permits}, redirect, decision{verdict: Allowed}},
		{"none, and somebody was redirected", policy.Lawful{NoPolicy: true}, nil, redirect, decision{verdict: NoPolicy}},

		{"a hop that is forbidden is no robots.txt", policy.Lawful{Bodies: bodies(1), Hops: []int32{1}}, []policy.Answer{forbids, forbids}, loggedAnswers{}, decision{verdict: NoPolicy}},
		{"a hop that is not cannot be followed", policy.Lawful{Bodies: bodies(1), Hops: []int32{1}}, []policy.Answer{forbids, permits}, loggedAnswers{}, indeterminate(RedirectedPolicy)},
		{"a hop that is contested", policy.Lawful{Bodies: bodies(1), Hops: []int32{1}}, []policy.Answer{forbids, contested}, loggedAnswers{}, indeterminate(ContestedRule)},

		{"one contested: violation or allowed", policy.Lawful{Bodies: bodies(1)}, []policy.Answer{contested}, loggedAnswers{}, indeterminate(ContestedRule)},
		{"contested and forbidden: violation or grace", policy.Lawful{Bodies: bodies(2)}, []policy.Answer{contested, forbids}, loggedAnswers{}, indeterminate(ContestedRule)},
		{"contested and permitted: grace or allowed", policy.Lawful{Bodies: bodies(2)}, []policy.Answer{contested, permits}, loggedAnswers{}, decision{verdict: Grace}},
		{"contested, permitted and forbidden: grace either way", policy.Lawful{Bodies: bodies(3)}, []policy.Answer{contested, permits, forbids}, loggedAnswers{}, decision{verdict: Grace}},
		{"contested, and there was none: no_policy or allowed", policy.Lawful{Bodies: bodies(1), NoPolicy: true}, []policy.Answer{contested}, loggedAnswers{}, decision{verdict: Grace}},
		{"contested, and not known: no_version or allowed", policy.Lawful{Bodies: bodies(1), Unknown: true}, []policy.Answer{contested}, loggedAnswers{}, indeterminate(ContestedRule)},
		{"contested, and redirected either way", policy.Lawful{Bodies: bodies(1), Redirected: true}, []policy.Answer{contested}, loggedAnswers{}, indeterminate(RedirectedPolicy)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := decide(&test.lawful, test.answers, test.loggedAnswers); got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
			if d, ok := final(&test.lawful, test.answers); ok {
				for _, h := range []loggedAnswers{{}, none, redirect, {true, true}} {
					if e := decide(&test.lawful, test.answers, h); e != d {
						t.Errorf("%+v is called final, but becomes %+v with %+v", d, e, h)
					}
				}
			}
		})
	}
}

// TestFinalIsFinal: over all lawful copies of two bodies and a hop, what is said at
// once is what would be said whatever the log adds, and violations and grace wait.
func TestFinalIsFinal(t *testing.T) {
	all := []policy.Answer{permits, forbids, contested}
	for flags := range 64 {
		l := policy.Lawful{NoPolicy: flags&1 > 0, Unreachable: flags&2 > 0, Unknown: flags&4 > 0, Redirected: flags&8 > 0}
		if flags&16 > 0 {
			l.Bodies = []int32{0, 1}
		}
		if flags&32 > 0 {
			l.Hops = []int32{2}
		}
		for _, a := range all {
			for _, b := range all {
				for _, c := range all {
					answers := []policy.Answer{a, b, c}
					d, ok := final(&l, answers)
					if ok && (d.verdict == Violation || d.verdict == Grace) {
						t.Fatalf("%+v %v: %+v does not wait for whether it was informed", l, answers, d)
					}
					for _, h := range []loggedAnswers{{}, {none: true}, {redirect: true}, {true, true}} {
						if e := decide(&l, answers, h); ok && e != d {
							t.Fatalf("%+v %v: %+v is called final, but becomes %+v with %+v", l, answers, d, e, h)
						}
					}
				}
			}
		}
	}
}

// TestMomentsMeet compares with the definition: is there a moment g with
// from - window - skew <= g <= to + skew?
func TestMomentsMeet(t *testing.T) {
	const w = 1000
	s := int64(policy.MinSkew)
	var m moments
	given := []int64{0, 10, w + 3*s, w + 3*s + 1, 9*w + 9*s, 9*w + 9*s, 40 * (w + s)}
	for _, g := range given {
		m.add(g, w)
	}
	for _, g := range given {
		for _, edge := range []int64{g - s, g + w + s} {
			for from := edge - 2; from <= edge+2; from++ {
				for _, length := range []int64{0, 1, 5 * s} {
					want := false
					for _, g := range given {
						want = want || from-w-s <= g && g <= from+length+s
					}
					if got := m.meets(from, from+length); got != want {
						t.Fatalf("[%d, %d]: %v, want %v", from, from+length, got, want)
					}
				}
			}
		}
	}
	if n := len(m.intervals); n > 4 {
		t.Errorf("%d periods for moments in four places", n)
	}
}

// A violation quotes a version, whatever the source is like and whenever it was.
func TestViolationHasAVersionToQuote(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	statuses := []int{200, 200, 200, 404, 503, 301, 204, 444, 999, 100}
	violations := 0
	for range 300 {
		var list []version
		used := map[int]bool{}
		for range 1 + rng.IntN(8) {
			if from := rng.IntN(80) - 40; !used[from] {
				used[from] = true
				list = append(list, version{from: from * day0 / 2, status: statuses[rng.IntN(len(statuses))], body: fmt.Sprintf("User-agent: *\nDisallow: /%d", rng.IntN(3))})
			}
		}
		p := history(t, policy.Options{Observed: rng.IntN(2) == 0, AssumeConstant: rng.IntN(2) == 0}, list...)
		answers := make([]policy.Answer, p.Copies(0))
		for i := range answers {
			answers[i] = policy.Forbids
		}
		for range 200 {
			when := moment(rng.IntN(60*day0) - 25*day0)
			for _, google := range []bool{false, true} {
				l := p.Lawful(0, when, google)
				if decide(l, answers, loggedAnswers{}).verdict != Violation {
					continue
				}
				if violations++; l.Cited < 0 || int(l.Cited) >= len(p.Versions(0)) || p.Versions(0)[l.Cited].Copy < 0 {
					t.Fatalf("%+v at %d: quotes version %d", list, when, l.Cited)
				}
			}
		}
	}
	if violations < 1000 {
		t.Errorf("only %d violations", violations)
	}
}
