package archive_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
)

const (
	google   = automaton.Google
	rfc9309  = automaton.RFC9309
	original = automaton.Original
)

var forms = map[automaton.Dialect]automaton.Form{
	google: automaton.FormRaw, rfc9309: automaton.FormA, original: automaton.FormDecoded,
}

// rules writes patterns as ranked rules, the first the highest, on lines that descend from 1000. A pattern forbids
// unless it begins with '+'; "$" at its end anchors it.
func rules(d automaton.Dialect, patterns ...string) []automaton.Rule {
	var list []automaton.Rule
	for i, p := range patterns {
		p, allow := strings.CutPrefix(p, "+")
		line := uint32(1000 - i)
		r := automaton.Rule{Form: forms[d], Verdict: automaton.Verdict{Line: line, Disallowed: !allow}}
		r.Rank = uint64(1000-i)<<33 | uint64(^line)
		p, r.AtEnd = strings.CutSuffix(p, "$")
		r.Pattern = p
		list = append(list, r)
	}
	return list
}

func machine(t testing.TB, d automaton.Dialect, patterns ...string) *automaton.Machine {
	t.Helper()
	b := automaton.NewBuilder(d, 1, len(patterns))
	m, err := b.Machine(rules(d, patterns...), automaton.EngineList)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ruleset(t testing.TB, d automaton.Dialect, wildcard *automaton.Machine,
	agents ...automaton.TokenMachine) *automaton.Ruleset {
	t.Helper()
	b := automaton.NewBuilder(d, 0, 0)
	r, err := b.Ruleset(slices.Clone(agents), wildcard)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// origin is what a test puts into an archive.
type origin struct {
	key      string
	status   uint16
	rulesets []*automaton.Ruleset
	from     int64     // of these; 0 for no date
	via      string    // likewise
	older    []version // versions besides, in any order
}

type version struct {
	from     int64
	status   uint16
	rulesets []*automaton.Ruleset
}

// written returns the archive of some origins.
func written(t testing.TB, dialects []automaton.Dialect, origins ...origin) []byte {
	t.Helper()
	w, err := archive.NewWriter(dialects...)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range origins {
		err := w.AddVersion(o.key, cmp.Or(o.from, math.MinInt64), o.status, o.via, o.rulesets...)
		for _, v := range o.older {
			err = cmp.Or(err, w.AddVersion(o.key, v.from, v.status, "", v.rulesets...))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return bytesOf(t, w)
}

// bytesOf returns what a Writer writes.
func bytesOf(t testing.TB, w *archive.Writer) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := w.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("wrote %d of %d bytes: %v", n, b.Len(), err)
	}
	return b.Bytes()
}

func opened(t testing.TB, data []byte) *archive.Archive {
	t.Helper()
	a, err := archive.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// looked up, the key must be there.
func lookedUp(t testing.TB, a *archive.Archive, key string, d automaton.Dialect) archive.Entry {
	t.Helper()
	e, found, err := a.Lookup([]byte(key), d)
	if err != nil || !found {
		t.Fatalf("%q in %v: found %v, error %v", key, d, found, err)
	}
	return e
}

// text writes all that a ruleset holds, and which lists and machines are shared.
func text(r *automaton.Ruleset) string {
	if r == nil {
		return "nil"
	}
	var b strings.Builder
	machines, lists := map[*automaton.Machine]int{}, map[*automaton.Rule]int{}
	write := func(token string, m *automaton.Machine) {
		n, known := machines[m]
		if known {
			fmt.Fprintf(&b, "%q is bound by machine %d\n", token, n)
			return
		}
		machines[m] = len(machines)
		fmt.Fprintf(&b, "%q is bound by a machine of %v\n", token, m.Dialect())
		for _, list := range m.Lists() {
			n, known := lists[&list[0]]
			if known {
				fmt.Fprintf(&b, "\tlist %d\n", n)
				continue
			}
			lists[&list[0]] = len(lists)
			fmt.Fprintf(&b, "\t%+v\n", list)
		}
	}
	fmt.Fprintf(&b, "%v\n", r.Dialect())
	for _, a := range r.Agents() {
		write(a.Token, a.Machine)
	}
	if m := r.Wildcard(); m != nil {
		write("*", m)
	}
	return b.String()
}

// small has an origin of each kind and is small enough to try every byte.
func small(t testing.TB) ([]automaton.Dialect, []origin) {
	t.Helper()
	dialects := []automaton.Dialect{rfc9309, google}
	var origins []origin
	entangled, plain := make([]*automaton.Ruleset, 2), make([]*automaton.Ruleset, 2)
	for i, d := range dialects {
		common, own := machine(t, d, "+/a/b*c$", "/a"), machine(t, d, "/own*"+strings.Repeat("x*", 9)+"y")
		joined, err := automaton.Join(d, common, own)
		if err != nil {
			t.Fatal(err)
		}
		entangled[i] = ruleset(t, d, common, automaton.TokenMachine{Token: "two", Machine: joined},
			automaton.TokenMachine{Token: "one", Machine: own},
			automaton.TokenMachine{Token: "uno", Machine: own}, automaton.TokenMachine{Token: "none", Machine: machine(t, d)})
		plain[i] = ruleset(t, d, machine(t, d, "/", "+"))
	}
	origins = append(origins,
		origin{key: "https://a.example:443", status: 200, rulesets: entangled},
		origin{key: "http://a.example:80", status: 200, rulesets: entangled},
		origin{key: "https://b.example:443", status: 206, rulesets: plain},
		origin{key: "https://gone.example:443", status: 404, rulesets: make([]*automaton.Ruleset, 2)},
		origin{key: "https://broken.example:443", status: 503, rulesets: make([]*automaton.Ruleset, 2)},
		origin{key: "", status: 200, rulesets: []*automaton.Ruleset{ruleset(t, rfc9309, nil), nil}},
		origin{key: "https://dated.example:443", status: 200, rulesets: plain, from: 3_000, older: []version{
			{2_000, 404, make([]*automaton.Ruleset, 2)}, {1_000, 200, entangled},
		}},
	)
	return dialects, origins
}
