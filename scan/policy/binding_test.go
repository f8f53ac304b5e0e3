package policy

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/plain"
	"github.com/robotsieve/robotsieve/internal/test/cases"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/reading"
)

// Crawlers as robots.txt sees them.
var (
	asGoogle = []reading.Reading{reading.ReadGoogle}
	asBoth   = reading.UnknownReadings()

	googlebot      = reading.Subject{Tokens: []string{"Googlebot"}, Readings: asGoogle}
	googlebotImage = reading.Subject{Tokens: []string{"Googlebot-Image", "Googlebot"}, Readings: asGoogle}
	storebot       = reading.Subject{Tokens: []string{"Storebot-Google"}, Readings: asGoogle}
	adsbot         = reading.Subject{Tokens: []string{"AdsBot-Google"}, IgnoresWildcard: true, Readings: asGoogle}
	adsbotMobile   = reading.Subject{Tokens: []string{"AdsBot-Google-Mobile", "AdsBot-Google"}, IgnoresWildcard: true,
		Readings: asGoogle}
	gptbot  = reading.Subject{Tokens: []string{"GPTBot"}, Readings: asBoth}
	mj12bot = reading.Subject{Tokens: []string{"MJ12bot"}, Readings: asBoth}
)

// subjects are crawlers by the names that they have in files of cases.
var subjects = map[string]reading.Subject{
	"googlebot": googlebot, "googlebotImage": googlebotImage, "storebot": storebot, "adsbot": adsbot,
	"adsbotMobile": adsbotMobile, "gptbot": gptbot, "mj12bot": mj12bot,
	"gptbot, RFC 9309": by(gptbot, reading.ReadRFC9309), "gptbot, 1994": by(gptbot,
		reading.ReadingsOf(automaton.Original, false)...),
	"mj12bot, google":       by(mj12bot, reading.ReadingsOf(automaton.Google, false)...),
	"mj12bot, google's own": by(mj12bot, reading.ReadingsOf(automaton.Google, true)...),
}

// inWords is a judgement as files of cases have it.
func inWords(j Judgement) string {
	switch j {
	case permits:
		return "permits"
	case contested:
		return "contested"
	}
	return fmt.Sprint("forbids ", j.Line)
}

// by returns the subject with other readings.
func by(s reading.Subject, r ...reading.Reading) reading.Subject {
	s.Readings = r
	return s
}

var permits, contested = Judgement{}, Judgement{Stance: Contested}

func forbids(line uint32) Judgement { return Judgement{Stance: Forbids, Line: line} }

// judged returns the judgement of a robots.txt on what a subject asks for.
func judged(robots string, s reading.Subject, target string) Judgement {
	var scratch automaton.Scratch
	return constant(robots).Bind(0, s).Judge(&scratch, 0, []byte(target))
}

// TestJudge checks which group binds a crawler, and the combination of several readings; package
// compile tests single readings.
func TestJudge(t *testing.T) {
	for _, row := range cases.Rows(t, "judge.txt") {
		robots, s, target, want := row[0], subjects[row[1]], row[2], row[3]
		if got := inWords(judged(robots, s, target)); got != want {
			t.Errorf("%q\n%s asks for %q: %s, want %s", robots, row[1], target, got, want)
		}
	}
}

// TestCheapJudgementIsTheFullOne checks that the answer on canonical paths is the same if readings
// found to agree are asked only once. /robots.txt, which is never judged, is left out.
func TestCheapJudgementIsTheFullOne(t *testing.T) {
	const rounds = 2000
	rng := rand.New(rand.NewPCG(1, 2))
	cheap, full, differ := 0, 0, 0
	var s automaton.Scratch
	for range rounds {
		robots := randomRobots(rng)
		p := constant(robots)
		both := p.Bind(0, gptbot)
		for range 8 {
			target := randomTarget(rng)
			want := p.Bind(0, by(gptbot, asBoth[0])).Judge(&s, 0, target)
			for _, r := range asBoth[1:] {
				if p.Bind(0, by(gptbot, r)).Judge(&s, 0, target).Stance != want.Stance {
					want = contested
				}
			}
			if want == contested {
				differ++
			}
			if got := both.Judge(&s, 0, target); got != want {
				t.Fatalf("%q\n%q: %+v, but the readings say %+v", robots, target, got, want)
			}
			if len(both.rulesOf(0).plain) == 0 && plain.IsCanonical(target) && target[0] == '/' {
				cheap++
			} else {
				full++
			}
		}
	}
	// The test is about all three.
	if least := rounds / 10; cheap < least || full < least || differ < least {
		t.Errorf("%d judged by one reading, %d by two, %d of them contested", cheap, full, differ)
	}
}

func pick(rng *rand.Rand, from []string) string { return from[rng.IntN(len(from))] }

func randomRobots(rng *rand.Rand) string {
	plain := []string{"a", "b", "/", "*", "$", "?", "index.html", "robots.txt", ".", ";"}
	odd := append([]string{"%7E", "~", "%61", "%2F", "%2f", "%", "ä", "\xff", " ", "#", "\x00", "//", ","}, plain...)
	alphabet := plain
	if rng.IntN(2) == 0 {
		alphabet = odd
	}
	keys := []string{"Disallow: ", "Allow: ", "disallow:", "Disallow: /", "Allow: /", "Disallow: /"}
	if rng.IntN(4) == 0 {
		keys = append(keys, "Dissallow: /", "Disallow /", "Crawl-delay: ", "Useragent: ")
	}
	var b strings.Builder
	for range 1 + rng.IntN(2) {
		if rng.IntN(8) == 0 {
			b.WriteString("User-agent: " + pick(rng, []string{"*", "GPTBot", "other"}) + "\nHost: x\n")
		}
		b.WriteString("User-agent: " + pick(rng, []string{"*", "GPTBot", "gptbot/1", "other"}) + "\n")
		for range rng.IntN(5) {
			b.WriteString(pick(rng, keys))
			for range rng.IntN(4) {
				b.WriteString(pick(rng, alphabet))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// randomTarget returns a target in origin or absolute form that is not /robots.txt.
func randomTarget(rng *rand.Rand) []byte {
	plain := []string{"a", "b", "/", "?", "index.html", ".", ";", ",", "x"}
	odd := append([]string{"%7E", "~", "%61", "%2F", "%2f", "%", "ä", " ", "#", "\x00", "*", "$", "|"}, plain...)
	alphabet := plain
	if rng.IntN(2) == 0 {
		alphabet = odd
	}
	target := pick(rng, []string{"/", "/", "/", "/", "http://h/", "http://h", "http://h?", "//", "/robots.txt?"})
	for range rng.IntN(5) {
		target += pick(rng, alphabet)
	}
	return []byte(target)
}

func TestGuardJudgeDoesNotAllocate(t *testing.T) {
	p := constant("User-agent: *\nDisallow: /a%7Eb\nDisallow: /c*d$\nAllow: /?u=http\nDisallow: /ü\nDissallow: /e")
	targets := [][]byte{
		[]byte("/"), []byte("/plain/path?with=query"), []byte("/a~b"), []byte("/a%7Eb/%c3%bc"), []byte("/\xc3\xbc"),
		[]byte("/?u=http%3A%2F%2Fx"), []byte("/cxd"), []byte("/e"), []byte("http://example.com/c/d"),
		[]byte("http://example.com?q"), []byte("http://example.com"), []byte("/a\x00b#c"),
	}
	for _, s := range []reading.Subject{gptbot, googlebot, adsbot, by(gptbot, reading.ReadRFC9309), by(gptbot, reading.ReadOriginal)} {
		b := p.Bind(0, s)
		var scratch automaton.Scratch
		judge := func() {
			for _, target := range targets {
				b.Judge(&scratch, 0, target)
			}
		}
		judge() // the scratch grows to the longest target
		if n := testing.AllocsPerRun(100, judge); n != 0 {
			t.Errorf("readings %v: %v allocations for %d targets", s.Readings, n, len(targets))
		}
	}
}

// TestJudgeHop checks that a redirect to another path may be forbidden there, for any request.
func TestJudgeHop(t *testing.T) {
	tests := []struct {
		name, location, robots string
		want                   Stance
	}{
		{"forbidden", "http://y/private/robots.txt", "User-agent:*|Disallow:/private", Forbids},
		{"by its query", "http://y/?robots", "User-agent:*|Disallow:/?r", Forbids},
		{"permitted", "http://y/public/robots.txt", "User-agent:*|Disallow:/private", Permits},
		{"of another crawler's", "http://y/private", "User-agent:other|Disallow:/", Permits},
		{"contested", "http://y/a~b", "User-agent:*|Disallow:/a%7Eb", Contested},
	}
	for _, test := range tests {
		p := newOf(t, "x 0h 301 >"+test.location+"; y 0h 200 "+test.robots, Options{})
		hops := p.Lawful(0, at(t, "50h"), answer.Others).Hops
		if len(hops) != 1 || p.Copies(0) != 1 {
			t.Errorf("%s: hops %v of %d copies", test.name, hops, p.Copies(0))
			continue
		}
		var s automaton.Scratch
		b := p.Bind(0, gptbot)
		if got := b.Judge(&s, hops[0], []byte("/x")); got.Stance != test.want {
			t.Errorf("%s: %v, want %v", test.name, got.Stance, test.want)
		}
		if _, ok := b.Delay(hops[0]); ok {
			t.Errorf("%s: a hop states a delay", test.name)
		}
	}
}
