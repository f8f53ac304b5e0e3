package judge

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// TestSettle goes through the five questions of audit-rules 2. Copies are letters: p permits, f
// forbids, c is contested; those after a slash are hops, and those after a plus are from the log.
// Words are flags of the source, or after "log:" answers in the log.
func TestSettle(t *testing.T) {
	for _, test := range []struct{ given, want string }{
		{"p", "allowed"},
		{"f", "violation"},
		{"ff", "violation"},
		{"fp", "grace"},
		{"f none", "no_policy"},
		{"f log:none", "no_policy"},
		{"p none", "allowed"},
		{"f unreachable", "unreachable"},
		{" none unreachable", "unreachable"},
		{"fp none", "grace"},

		{"f unknown", "no_version"},
		{" unknown", "no_version"},
		{"p unknown", "allowed"},
		{"f unknown log:none", "no_policy"},
		{"f unknown redirected", "no_version"},
		{"p redirected", "redirected_policy"},
		{"f log:redirect", "redirected_policy"},
		{"p log:redirect", "allowed"},
		{" none log:redirect", "no_policy"},

		{"f/f", "no_policy"}, // a hop that is forbidden is no robots.txt
		{"f/p", "redirected_policy"},
		{"f/c", "contested"},

		{"c", "contested"},
		{"cf", "contested"}, // violation or grace
		{"cp", "grace"},     // grace or allowed
		{"cpf", "grace"},
		{"c none", "grace"}, // no_policy or allowed
		{"c unknown", "contested"},
		{"f+p", "grace"},
		{"f+c", "contested"},
		{"c redirected", "redirected_policy"},
	} {
		copies, flags, _ := strings.Cut(test.given, " ")
		l := policy.Lawful{NoPolicy: strings.HasPrefix(flags, "none"), Unreachable: strings.Contains(flags, "unreachable"),
			Unknown: strings.Contains(flags, "unknown"), Redirected: strings.Contains(flags, "redirected")}
		logged := loggedAnswers{none: strings.Contains(flags, "log:none"), redirect: strings.Contains(flags, "log:redirect")}
		var stances []policy.Stance
		list := &l.Bodies
		for _, c := range copies {
			switch c {
			case '/':
				list = &l.Hops
			case '+':
				list = &logged.bodies
			default:
				*list = append(*list, int32(len(stances)))
				stances = append(stances, map[rune]policy.Stance{'p': policy.Permits, 'f': policy.Forbids,
					'c': policy.Contested}[c])
			}
		}
		d := verdictOf(&l, stances, logged)
		got := d.Verdict.String()
		if d.Verdict == report.Indeterminate {
			got = d.Reason.String()
		}
		if got != test.want {
			t.Errorf("%q: %s, want %s", test.given, got, test.want)
		}
	}
}

func TestKindOf(t *testing.T) {
	for status, want := range map[int][2]Kind{ // with a body, and without
		200: {ToldFile, ToldNone}, 206: {ToldFile, ToldNone}, 304: {ToldSame, ToldSame}, 404: {ToldGone, ToldGone},
		204: {ToldNone, ToldNone}, 401: {ToldNone, ToldNone}, 403: {ToldNone, ToldNone}, 410: {ToldGone, ToldGone},
		408: {ToldNone, ToldNone}, 429: {ToldLimited, ToldLimited}, 444: {ToldFailed, ToldFailed},
		499: {ToldFailed, ToldFailed}, 301: {ToldRedirect, ToldRedirect}, 307: {ToldRedirect, ToldRedirect},
		500: {ToldError, ToldError}, 502: {ToldError, ToldError}, 503: {ToldBusy, ToldBusy}, 0: {ToldFailed, ToldFailed},
	} {
		if got := [2]Kind{KindOf(status, true), KindOf(status, false)}; got != want {
			t.Errorf("status %d: %d, want %d", status, got, want)
		}
	}
}

// TestSureIsSure checks that a verdict by the source alone is sure only if nothing in the log can
// change it: other copies, an answer that there is no robots.txt, a failure, a redirect, a span
// that begins earlier. If every copy permits and nothing redirects, it is sure.
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
		all := []policy.Stance{policy.Stance(number % 4), policy.Stance(number / 4 % 4), policy.Stance(number / 16 % 4)}
		number /= 64
		bodies, flags, redirects := lists[number%4], number/4%32, number/128 > 0
		if !redirects && flags&24 > 0 {
			continue // there are no redirects
		}
		if len(bodies) == 0 && flags == 0 {
			continue // something was in force
		}
		stances := all[:2] // the bodies; the third belongs to the hop
		if redirects {
			stances = all
		}
		l := flagged(policy.Lawful{Bodies: bodies}, flags)
		d := verdictOf(&l, stances, loggedAnswers{})
		changes := false
		for more := range 32 * 4 * 16 {
			added := more % 32
			if !redirects && added&24 > 0 {
				continue
			}
			m := flagged(l, added)
			logged := loggedAnswers{bodies: lists[more/32%4], none: more/128&1 > 0, redirect: more/128&2 > 0,
				unreachable: more/128&4 > 0, unknown: more/128&8 > 0}
			changes = changes || verdictOf(&m, stances, logged) != d
		}
		waits := changes || d.Verdict == report.Violation || d.Verdict == report.Grace
		e, ok := sure(&l, stances, redirects)
		if ok && (waits || d != e) || !ok && !waits && d.Verdict == report.Allowed && !redirects {
			t.Fatalf("%+v, answers %v, redirects %v: %+v is sure: %v, changes: %v", l, stances, redirects, d, ok, changes)
		}
	}
}

// TestMoments compares with uncompressed moments: intervals as long as the gap meet the same ones,
// and without a gap the first one in an interval is exact.
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

// TestMomentsAreBounded checks that beyond the limit no moment is lost.
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

const aDay = 24 * 60 * 60

// moment is so many seconds after a time, in nanoseconds since 1970.
func moment(n int) int64 { return time.Date(2026, 3, 2, 10, 0, n, 0, time.UTC).UnixNano() }

// version is what an origin answered from so many seconds after a time on.
type version struct {
	from, status int // 200 if 0
	body         string
}

// history returns the policy of versions.
func history(t *testing.T, o policy.Options, list ...version) *policy.Policy {
	t.Helper()
	var rows []policy.Row
	for i, v := range list {
		rows = append(rows, policy.Row{
			Origins: []origin.Origin{{Scheme: "https", Host: "example.com", Port: 443}}, From: moment(v.from),
			Status: cmp.Or(v.status, 200), Body: []byte(v.body), Where: fmt.Sprint("row ", i),
		})
	}
	p, err := policy.New(rows, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestToldIsBounded checks that for any number of crawlers with the same name the memory for what they were told is
// bounded, and that few redirects can still be followed, even if all fetches of a minute are redirected.
func TestToldIsBounded(t *testing.T) {
	f := NewTold(NewAnswers(history(t, policy.Options{}, version{from: -9 * aDay, body: "a"})))
	for i := range 100_000 {
		f.Add(&Fetch{Sender: Sender{Word: fmt.Sprintf("%d.example_bot", i), Site: policy.Site{N: 1}}, HasTime: true,
			Time: moment(0) + int64(i), Kind: ToldFile, Size: 1}, 1)
	}
	if n := len(f.rules); n < 1000 || n > f.mostTold/toldBytes+1 {
		t.Errorf("%d crawlers are noted", n)
	}
	for i := range 3 * maxRedirects {
		f.Add(&Fetch{Sender: Sender{Site: policy.Site{N: 1}}, HasTime: true, Time: moment(1) + int64(i),
			Kind: ToldRedirect}, 1)
		if len(f.redirects) > maxRedirects {
			t.Fatalf("%d redirects", len(f.redirects))
		}
	}
	if !f.of(0).byKind[ToldRedirect].meets(moment(1), moment(1)) {
		t.Error("the first is lost")
	}
}
