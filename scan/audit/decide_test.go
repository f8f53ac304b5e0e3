package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
)

const (
	permits   = policy.Permits
	forbids   = policy.Forbids
	contested = policy.Contested
	unseen    = policy.Unseen
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
		{"one permits", policy.Lawful{Bodies: bodies(1)}, []policy.Answer{permits}, loggedAnswers{},
			decision{verdict: Allowed}},
		{"one forbids", policy.Lawful{Bodies: bodies(1)}, []policy.Answer{forbids}, loggedAnswers{},
			decision{verdict: Violation}},
		{"all forbid", policy.Lawful{Bodies: bodies(2)}, []policy.Answer{forbids, forbids}, loggedAnswers{},
			decision{verdict: Violation}},
		{"one of two permits", policy.Lawful{Bodies: bodies(2)}, []policy.Answer{forbids, permits}, loggedAnswers{},
			decision{verdict: Grace}},
		{"forbidden, but there was none", policy.Lawful{Bodies: bodies(1), NoPolicy: true}, []policy.Answer{forbids},
			loggedAnswers{}, decision{verdict: NoPolicy}},
		{"forbidden, but somebody was told that there is none", policy.Lawful{Bodies: bodies(1)}, []policy.Answer{forbids},
			none, decision{verdict: NoPolicy}},
		{"permitted, and there was none", policy.Lawful{Bodies: bodies(1), NoPolicy: true}, []policy.Answer{permits},
			loggedAnswers{}, decision{verdict: Allowed}},
		{"forbidden, but unreachable for long", policy.Lawful{Bodies: bodies(1), Unreachable: true},
			[]policy.Answer{forbids}, loggedAnswers{}, decision{verdict: Unreachable}},
		{"none, and unreachable", policy.Lawful{NoPolicy: true, Unreachable: true}, nil, loggedAnswers{},
			decision{verdict: Unreachable}},
		{"some permit, some forbid, and there was none", policy.Lawful{Bodies: bodies(2), NoPolicy: true},
			[]policy.Answer{forbids, permits}, loggedAnswers{}, decision{verdict: Grace}},

		{"nothing known permits, and something is not known", policy.Lawful{Bodies: bodies(1), Unknown: true},
			[]policy.Answer{forbids}, loggedAnswers{}, indeterminate(NoVersion)},
		{"nothing is known", policy.Lawful{Unknown: true}, nil, loggedAnswers{}, indeterminate(NoVersion)},
		{"the known permits, something is not known", policy.Lawful{Bodies: bodies(1), Unknown: true},
			[]policy.Answer{permits}, loggedAnswers{}, decision{verdict: Allowed}},
		{"not known, but told that there is none", policy.Lawful{Bodies: bodies(1), Unknown: true},
			[]policy.Answer{forbids}, none, decision{verdict: NoPolicy}},
		{"not known before redirected", policy.Lawful{Bodies: bodies(1), Unknown: true, Redirected: true},
			[]policy.Answer{forbids}, loggedAnswers{}, indeterminate(NoVersion)},
		{"redirected, though a body permits", policy.Lawful{Bodies: bodies(1), Redirected: true}, []policy.Answer{permits},
			loggedAnswers{}, indeterminate(RedirectedPolicy)},
		{"forbidden, but somebody was redirected", policy.Lawful{Bodies: bodies(1)}, []policy.Answer{forbids}, redirect,
			indeterminate(RedirectedPolicy)},
		{"permitted, and somebody was redirected", policy.Lawful{Bodies: bodies(1)}, []policy.Answer{permits}, redirect,
			decision{verdict: Allowed}},
		{"none, and somebody was redirected", policy.Lawful{NoPolicy: true}, nil, redirect, decision{verdict: NoPolicy}},

		{"a hop that is forbidden is no robots.txt", policy.Lawful{Bodies: bodies(1), Hops: []int32{1}},
			[]policy.Answer{forbids, forbids}, loggedAnswers{}, decision{verdict: NoPolicy}},
		{"a hop that is not cannot be followed", policy.Lawful{Bodies: bodies(1), Hops: []int32{1}},
			[]policy.Answer{forbids, permits}, loggedAnswers{}, indeterminate(RedirectedPolicy)},
		{"a hop that is contested", policy.Lawful{Bodies: bodies(1), Hops: []int32{1}}, []policy.Answer{forbids, contested},
			loggedAnswers{}, indeterminate(ContestedRule)},

		{"one contested: violation or allowed", policy.Lawful{Bodies: bodies(1)}, []policy.Answer{contested},
			loggedAnswers{}, indeterminate(ContestedRule)},
		{"contested and forbidden: violation or grace", policy.Lawful{Bodies: bodies(2)},
			[]policy.Answer{contested, forbids}, loggedAnswers{}, indeterminate(ContestedRule)},
		{"contested and permitted: grace or allowed", policy.Lawful{Bodies: bodies(2)}, []policy.Answer{contested, permits},
			loggedAnswers{}, decision{verdict: Grace}},
		{"contested, permitted and forbidden: grace either way", policy.Lawful{Bodies: bodies(3)},
			[]policy.Answer{contested, permits, forbids}, loggedAnswers{}, decision{verdict: Grace}},
		{"contested, and there was none: no_policy or allowed", policy.Lawful{Bodies: bodies(1), NoPolicy: true},
			[]policy.Answer{contested}, loggedAnswers{}, decision{verdict: Grace}},
		{"contested, and not known: no_version or allowed", policy.Lawful{Bodies: bodies(1), Unknown: true},
			[]policy.Answer{contested}, loggedAnswers{}, indeterminate(ContestedRule)},
		{"forbidden, and a body that the log shows permits", policy.Lawful{Bodies: bodies(1)},
			[]policy.Answer{forbids, permits}, loggedAnswers{bodies: []int32{1}}, decision{verdict: Grace}},
		{"forbidden, and a body that the log shows is contested", policy.Lawful{Bodies: bodies(1)},
			[]policy.Answer{forbids, contested}, loggedAnswers{bodies: []int32{1}}, indeterminate(ContestedRule)},
		{"contested, and redirected either way", policy.Lawful{Bodies: bodies(1), Redirected: true},
			[]policy.Answer{contested}, loggedAnswers{}, indeterminate(RedirectedPolicy)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := decide(&test.lawful, test.answers, test.loggedAnswers); got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}

// TestSureIsSure: a verdict of the source alone is sure only if nothing that the log may add changes it: other
// copies, an answer that there is no robots.txt, a failure, a redirect, a span that begins earlier. Where every copy
// permits and nothing redirects, it is sure.
func TestSureIsSure(t *testing.T) {
	lists := [][]int32{nil, {0}, {1}, {0, 1}}
	flagged := func(l policy.Lawful, flags int) policy.Lawful {
		l.NoPolicy = l.NoPolicy || flags&1 > 0
		l.Unreachable = l.Unreachable || flags&2 > 0
		l.Unknown = l.Unknown || flags&4 > 0
		l.Redirected = l.Redirected || flags&8 > 0
		if flags&16 > 0 {
			l.Hops = []int32{2}
		}
		return l
	}
	for number := range 64 * 4 * 32 * 2 {
		all := []policy.Answer{policy.Answer(number % 4), policy.Answer(number / 4 % 4), policy.Answer(number / 16 % 4)}
		number /= 64
		bodies, flags, redirects := lists[number%4], number/4%32, number/128 > 0
		if !redirects && flags&24 > 0 {
			continue // there are no redirects
		}
		if len(bodies) == 0 && flags == 0 {
			continue // something was in force
		}
		answers := all[:2] // of the bodies; the third is of the hop
		if redirects {
			answers = all
		}
		l := flagged(policy.Lawful{Bodies: bodies}, flags)
		d := decide(&l, answers, loggedAnswers{})
		changes := false
		for more := range 32 * 4 * 16 {
			added := more % 32
			if !redirects && added&24 > 0 {
				continue
			}
			m := flagged(l, added)
			logged := loggedAnswers{bodies: lists[more/32%4], none: more/128&1 > 0, redirect: more/128&2 > 0,
				unreachable: more/128&4 > 0, unknown: more/128&8 > 0}
			changes = changes || decide(&m, answers, logged) != d
		}
		waits := changes || d.verdict == Violation || d.verdict == Grace
		e, ok := sure(&l, answers, redirects)
		if ok && (waits || d != e) || !ok && !waits && d.verdict == Allowed && !redirects {
			t.Fatalf("%+v, answers %v, redirects %v: %+v is sure: %v, changes: %v", l, answers, redirects, d, ok, changes)
		}
	}
}

// TestMoments compares with the moments one by one: intervals that are as long as the gap
// meet the same ones, and the first of those in an interval is exact if there is no gap.
func TestMoments(t *testing.T) {
	const gap = 1000
	rng := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		var joined, exact moments
		var given []int64
		now := int64(0)
		for range 1 + rng.IntN(40) {
			now += rng.Int64N(3 * gap)
			given = append(given, now)
			joined.add(now, gap)
			exact.add(now, 0)
		}
		for range 200 {
			from := rng.Int64N(now+4*gap) - 2*gap
			to := from + gap + rng.Int64N(gap)
			want := int64(math.MaxInt64)
			for _, g := range given {
				if from <= g && g <= to {
					want = min(want, g)
				}
			}
			if got := exact.first(from, to); got != want {
				t.Fatalf("first of %v in [%d, %d]: %d, want %d", given, from, to, got, want)
			}
			last, before := int64(math.MinInt64), int64(math.MinInt64)
			for _, g := range given {
				if from <= g && g <= to {
					last = g
				}
				if g < to {
					before = g
				}
			}
			if got := exact.last(from, to); got != last {
				t.Fatalf("last of %v in [%d, %d]: %d, want %d", given, from, to, got, last)
			}
			if got := exact.lastBefore(to); got != before {
				t.Fatalf("last of %v before %d: %d, want %d", given, to, got, before)
			}
			if got := joined.meets(from, to); got != (want < math.MaxInt64) {
				t.Fatalf("%v meet [%d, %d]: %v", given, from, to, got)
			}
		}
	}
}

// TestMomentsAreBounded: of more moments than are kept, none is lost.
func TestMomentsAreBounded(t *testing.T) {
	var m moments
	for i := range int64(maxMoments + 1000) {
		m.add(i*7*minute/3, 0)
	}
	if n := len(m.kept); n > maxMoments {
		t.Errorf("%d are kept", n)
	}
	for i := range int64(maxMoments + 1000) {
		if !m.meets(i*7*minute/3, i*7*minute/3) {
			t.Fatalf("moment %d is lost", i)
		}
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
				list = append(list, version{from: from * day0 / 2, status: statuses[rng.IntN(len(statuses))],
					body: fmt.Sprintf("User-agent: *\nDisallow: /%d", rng.IntN(3))})
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
