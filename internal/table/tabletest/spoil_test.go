package tabletest_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/table"
	"github.com/robotsieve/robotsieve/internal/table/tabletest"
)

// TestSpoiltTablesAreRefusedOrRight changes tables at random. Check refuses
// what they have become, or the change means nothing.
func TestSpoiltTablesAreRefusedOrRight(t *testing.T) {
	tables := 60_000
	if testing.Short() {
		t.Log("short: 6,000 tables instead of 60,000")
		tables = 6_000
	}
	rng := rand.New(rand.NewPCG(7, 8))
	accepted := 0
	var s automaton.Scratch
	for range tables {
		rules := randomTableRules(rng)
		made := tableOf(t, tableEngines[rng.IntN(2)], rules)
		before := machineOf(t, rules, nil)
		change := ""
		for range 1 + rng.IntN(2) {
			change += spoil(rng, reflect.ValueOf(made).Elem(), "Table") + "; "
		}
		if tabletest.Check(made, rules) != nil {
			continue
		}
		made.Complete()
		m := machineOf(t, rules, func([]automaton.Rule) *table.Table { return made })
		accepted++
		for range 30 {
			path := []byte("/" + randomWord(rng, tableAlphabet, 0, 30))
			if rng.IntN(2) == 0 {
				path = pathOf(rng, rules[rng.IntN(len(rules))])
			}
			if got, want := m.Match(&s, path), before.Match(&s, path); got != want {
				t.Fatalf("%s is accepted, and on %q gives %v instead of %v: rules %+v", change, path, got, want, rules)
			}
		}
	}
	t.Logf("%d of %d accepted", accepted, tables)
	if accepted > tables/2 {
		t.Error("most changes mean nothing")
	}
}

// machineOf makes a machine of rules.
func machineOf(t *testing.T, rules []automaton.Rule, makeTable automaton.TableFunc) *automaton.Machine {
	t.Helper()
	b := automaton.NewBuilder(rfc9309, 1, 0)
	m, err := b.Machine(slices.Clone(rules), makeTable)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func randomWord(rng *rand.Rand, alphabet string, shortest, longest int) string {
	b := make([]byte, shortest+rng.IntN(longest-shortest+1))
	for i := range b {
		b[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return string(b)
}

const tableAlphabet = "/ab?(c"

// randomTableRules have few words, so that they share prefixes, segments and
// suffixes.
func randomTableRules(rng *rand.Rand) []automaton.Rule {
	words := make([]string, 2+rng.IntN(4))
	for i := range words {
		words[i] = randomWord(rng, tableAlphabet, 1, 1+rng.IntN(10))
	}
	var rules []automaton.Rule
	for line := range uint32(1 + rng.IntN(20)) {
		pattern := ""
		switch rng.IntN(4) {
		case 0:
		case 1:
			pattern = "/"
		default:
			for range 1 + rng.IntN(3) {
				pattern += words[rng.IntN(len(words))]
			}
			pattern = "/" + pattern
		}
		for range rng.IntN(3) {
			pattern += "*" + words[rng.IntN(len(words))]
		}
		f := automaton.FormA
		if query, _, _ := strings.Cut(pattern, "*"); strings.Contains(query, "?") && rng.IntN(2) == 0 {
			f = automaton.FormB
		}
		if rng.IntN(5) == 0 {
			pattern += "$"
		}
		rules = append(rules, rule(f, line+1, pattern))
	}
	return inOrder(rules)
}

// pathOf makes a path that a rule matches, or nearly.
func pathOf(rng *rand.Rand, r automaton.Rule) []byte {
	var path []byte
	for i, segment := range strings.Split(r.Pattern, "*") {
		if i > 0 {
			path = append(path, randomWord(rng, tableAlphabet, 0, 2)...)
		}
		path = append(path, segment...)
	}
	if len(path) == 0 || path[0] != '/' {
		path = append([]byte("/"), path...)
	}
	switch rng.IntN(4) {
	case 0:
		path = path[:1+rng.IntN(len(path))]
	case 1:
		path = append(path, randomWord(rng, tableAlphabet, 1, 80)...)
	}
	return path
}

// spoil changes one thing in what v holds, and says where.
func spoil(rng *rand.Rand, v reflect.Value, name string) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return name + " is nil already"
		}
		if rng.IntN(50) == 0 {
			v.SetZero()
			return name + " becomes nil"
		}
		return spoil(rng, v.Elem(), name)
	case reflect.Struct:
		field := rng.IntN(v.NumField())
		if !v.Field(field).CanSet() {
			return name + " stays"
		}
		return spoil(rng, v.Field(field), name+"."+v.Type().Field(field).Name)
	case reflect.Array:
		return spoil(rng, v.Index(rng.IntN(v.Len())), name+"[]")
	case reflect.Slice:
		return spoilSlice(rng, v, name)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	default:
		v.SetUint(spoilNumber(rng, v.Uint(), v.Type().Bits()))
	}
	return name
}

func spoilSlice(rng *rand.Rand, v reflect.Value, name string) string {
	n := v.Len()
	if n == 0 {
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		return name + " gets an element"
	}
	i, j := rng.IntN(n), rng.IntN(n)
	switch rng.IntN(12) {
	case 0:
		v.SetLen(i)
		return name + " gets shorter"
	case 1:
		v.Set(reflect.Append(v, v.Index(i)))
		return name + " gets longer"
	case 2, 3:
		reflect.Swapper(v.Interface())(i, j)
		return name + " is swapped"
	case 4:
		v.Index(i).Set(v.Index(j))
		return name + " is copied"
	}
	return spoil(rng, v.Index(i), name+"[]")
}

// spoilNumber makes another number of one: one near, a special one, or one in which
// a bit is another.
func spoilNumber(rng *rand.Rand, n uint64, bits int) uint64 {
	switch rng.IntN(6) {
	case 0:
		return n + 1
	case 1:
		return n - 1
	case 2:
		return uint64(rng.IntN(8))
	case 3:
		return table.None
	}
	return n ^ 1<<rng.IntN(bits)
}
