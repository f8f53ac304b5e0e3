package policy

import (
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// read is how the command joins compile and this package.
func read(r Reading, body []byte) *automaton.Ruleset {
	return compile.Compile(body, compile.Options{
		Dialect: r.Dialect(), WideTokens: r == ReadGoogleWide,
	}).Ruleset
}

func constant(body string, origins ...origin.Origin) *Policy {
	return Constant([]byte(body), origins, read)
}

// origins parses origins as a user writes them.
func origins(t testing.TB, texts ...string) []origin.Origin {
	t.Helper()
	var list []origin.Origin
	for _, text := range texts {
		o, err := origin.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o...)
	}
	return list
}

func TestReadingDialect(t *testing.T) {
	want := map[Reading]automaton.Dialect{
		ReadRFC9309:    automaton.RFC9309,
		ReadGoogle:     automaton.Google,
		ReadOriginal:   automaton.Original,
		ReadGoogleWide: automaton.Google,
	}
	if len(want) != int(readings) {
		t.Fatalf("%d readings in the table, %d in the package", len(want), readings)
	}
	for r, d := range want {
		if got := r.Dialect(); got != d {
			t.Errorf("reading %d: dialect %s, want %s", r, got, d)
		}
	}
}

func TestConstantReadsTheBodyInEveryReading(t *testing.T) {
	body := "User-agent: x\nDisallow: /"
	var seen []Reading
	Constant([]byte(body), nil, func(r Reading, b []byte) *automaton.Ruleset {
		if string(b) != body {
			t.Errorf("reading %d was given %q", r, b)
		}
		seen = append(seen, r)
		return nil
	})
	slices.Sort(seen)
	if want := []Reading{ReadRFC9309, ReadGoogle, ReadOriginal, ReadGoogleWide}; !slices.Equal(seen, want) {
		t.Errorf("read in %v, want %v", seen, want)
	}
}

func TestFind(t *testing.T) {
	p := constant("", origins(t, "https://example.com", "http://example.com:8080", "https://other.org", "http://other.org")...)
	const none = -2
	tests := []struct {
		name string
		o    origin.Origin
		want int
	}{
		{"the origin itself", origin.Origin{Scheme: "https", Host: "example.com", Port: 443}, 0},
		{"scheme unknown, port given", origin.Origin{Host: "example.com", Port: 8080}, 1},
		{"port unknown, scheme given", origin.Origin{Scheme: "https", Host: "example.com"}, 0},
		{"port unknown, the other scheme", origin.Origin{Scheme: "http", Host: "example.com"}, 1},
		{"scheme and port unknown: none in particular", origin.Origin{Host: "other.org"}, AnyOrigin},
		{"two schemes of one host", origin.Origin{Scheme: "http", Host: "other.org", Port: 80}, 3},
		{"other scheme", origin.Origin{Scheme: "ftp", Host: "example.com", Port: 443}, none},
		{"other port", origin.Origin{Scheme: "https", Host: "example.com", Port: 444}, none},
		{"http where only https is", origin.Origin{Scheme: "http", Host: "example.com", Port: 80}, none},
		{"other port, scheme unknown", origin.Origin{Host: "example.com", Port: 81}, none},
		{"subdomain", origin.Origin{Host: "www.example.com"}, none},
		{"parent domain", origin.Origin{Host: "com"}, none},
		{"no host", origin.Origin{}, none},
	}
	for _, test := range tests {
		got, ok := p.Find(test.o)
		if !ok {
			got = none
		}
		if got != test.want {
			t.Errorf("%s: Find(%+v) = %d, want %d", test.name, test.o, got, test.want)
		}
	}
	if got := p.Origins(); len(got) != 4 || got[2].Host != "other.org" {
		t.Errorf("Origins() = %v", got)
	}
}

func TestFindWithoutOriginsIsForAll(t *testing.T) {
	for _, o := range []origin.Origin{{}, {Scheme: "https", Host: "example.com", Port: 443}} {
		if i, ok := constant("").Find(o); i != AnyOrigin || !ok {
			t.Errorf("Find(%+v) = %d, %v", o, i, ok)
		}
	}
}

func TestNames(t *testing.T) {
	p := constant("User-agent: Google-Extended\nUser-agent: MJ12bot\nDisallow: /\n\nUser-agent: *\nDisallow: /x")
	for token, want := range map[string]bool{
		"Google-Extended":   true,
		"google-extended":   true,
		"MJ12bot":           true,
		"Applebot-Extended": false,
		"Google":            false,
		"MJ":                false,
		"*":                 false,
	} {
		if got := p.Names(token); got != want {
			t.Errorf("Names(%q) = %v", token, got)
		}
	}
	if constant("").Names("GPTBot") {
		t.Error("an empty robots.txt names nobody")
	}
}
