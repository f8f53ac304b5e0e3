package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
)

func TestWhatIsLookedUpIsWhatWasAdded(t *testing.T) {
	dialects, origins := small(t)
	a := opened(t, written(t, dialects, origins...))
	for _, o := range origins {
		for i, d := range dialects {
			e := lookedUp(t, a, o.key, d)
			if e.Status != o.status {
				t.Errorf("%q: status %d, want %d", o.key, e.Status, o.status)
			}
			if got, want := text(e.Ruleset), text(o.rulesets[i]); got != want {
				t.Errorf("%q in %v: got\n%swant\n%s", o.key, d, got, want)
			}
		}
	}
	if a.Len() != len(origins) || a.Rulesets() != 5 || !slices.Equal(a.Dialects(), dialects) {
		t.Errorf("%d origins, %d rulesets, dialects %v", a.Len(), a.Rulesets(), a.Dialects())
	}
	for _, key := range []string{"https://c.example:443", "https://a.example:44", "x", strings.Repeat("x", 1<<17)} {
		if e, found, err := a.Lookup([]byte(key), google); found || err != nil ||
			e != (archive.Entry{From: math.MinInt64, Until: math.MaxInt64}) {
			t.Errorf("%.40q: found %v, %v, error %v", key, found, e, err)
		}
	}
}

// TestRulesetsAreKept checks each field of a rule, and the order of agents where it matters.
func TestRulesetsAreKept(t *testing.T) {
	var list []automaton.Rule
	for i, rank := range []uint64{1<<64 - 1, 1<<64 - 9, 1<<32 | 7, 1 << 32, 1<<32 - 4, 8, 5, 2} {
		for j, line := range []uint32{1, 1<<32 - 1, uint32(i) + 2} {
			list = append(list, automaton.Rule{
				Rank: rank - uint64(j), Pattern: strings.Repeat("/\x00\xff*", i) + "/", AtEnd: i%2 == 0,
				Form: automaton.FormA + automaton.Form(i/2%2), Verdict: automaton.Verdict{Line: line, Disallowed: i%3 == 0},
			})
		}
	}
	b := automaton.NewBuilder(rfc9309, 1, len(list))
	m, err := b.Machine(list, automaton.EngineList)
	if err != nil {
		t.Fatal(err)
	}
	bound := func(token string) automaton.TokenMachine {
		return automaton.TokenMachine{Token: token[:1], Machine: machine(t, original, token)}
	}
	for _, r := range []*automaton.Ruleset{
		ruleset(t, rfc9309, m), ruleset(t, original, nil, bound("b/1"), bound("a/2"), bound("b/3")),
	} {
		d := r.Dialect()
		a := opened(t, written(t, []automaton.Dialect{d}, origin{key: "k", status: 200, rulesets: []*automaton.Ruleset{r}}))
		if got, want := text(lookedUp(t, a, "k", d).Ruleset), text(r); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}

func TestOrderOfAddDoesNotMatter(t *testing.T) {
	dialects, origins := small(t)
	want := written(t, dialects, origins...)
	for range len(origins) {
		origins = append(origins[1:], origins[0])
		if !bytes.Equal(written(t, dialects, origins...), want) {
			t.Error("another order of the same origins gives other bytes")
		}
	}
	slices.Reverse(origins)
	if !bytes.Equal(written(t, dialects, origins...), want) {
		t.Error("the opposite order of the same origins gives other bytes")
	}
}

func TestEqualRulesetsAreStoredOnce(t *testing.T) {
	var origins []origin
	for i := range 100 {
		r := ruleset(t, google, machine(t, google, "/a", "/b")) // another one, and equal
		origins = append(origins, origin{key: fmt.Sprint(i), status: 200, rulesets: []*automaton.Ruleset{r}})
	}
	a := opened(t, written(t, []automaton.Dialect{google}, origins...))
	if a.Rulesets() != 1 || a.Len() != 100 {
		t.Errorf("%d rulesets of %d origins", a.Rulesets(), a.Len())
	}
	if lookedUp(t, a, "3", google).Ruleset != lookedUp(t, a, "97", google).Ruleset {
		t.Error("one stored ruleset has been decoded twice")
	}
}

func TestListsInCommonAreStoredOnce(t *testing.T) {
	var common []string
	for i := range 100 {
		common = append(common, fmt.Sprintf("/%d/%s", i, strings.Repeat("x", 100)))
	}
	size := func(agents int) int {
		shared := machine(t, google, common...)
		var bound []automaton.TokenMachine
		for i := range agents {
			m, err := automaton.Join(google, shared, machine(t, google, fmt.Sprintf("/own%d", i)))
			if err != nil {
				t.Fatal(err)
			}
			bound = append(bound, automaton.TokenMachine{Token: fmt.Sprintf("bot%d", i), Machine: m})
		}
		return len(written(t, []automaton.Dialect{google},
			origin{key: "k", status: 200, rulesets: []*automaton.Ruleset{ruleset(t, google, nil, bound...)}}))
	}
	if one, many := size(1), size(100); many > 2*one {
		t.Errorf("with 1 agent %d bytes, with 100 %d", one, many)
	}
}

func TestDialectThatIsNotInTheArchiveIsRefused(t *testing.T) {
	dialects, origins := small(t)
	a := opened(t, written(t, dialects, origins...))
	for d, name := range map[automaton.Dialect]string{original: "original", 200: "200"} {
		_, found, err := a.Lookup([]byte(origins[0].key), d)
		if found || !errors.Is(err, archive.ErrDialect) || !strings.Contains(err.Error(), name) ||
			!strings.Contains(err.Error(), "[rfc9309 google]") {
			t.Errorf("%v: found %v, error %v", d, found, err)
		}
		all := []archive.Found{{Known: true}}
		a.LookupAll([][]byte{[]byte(origins[0].key)}, d, 0, all)
		if all[0].Known || !errors.Is(all[0].Err, archive.ErrDialect) {
			t.Errorf("%v: %+v", d, all)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	for _, c := range []struct {
		dialects []automaton.Dialect
		want     error
	}{
		{nil, archive.ErrLimit},
		{[]automaton.Dialect{0, 1, 2, 3, 4, 5, 6}, archive.ErrLimit},
		{[]automaton.Dialect{google, google}, archive.ErrDialect},
		{[]automaton.Dialect{9}, archive.ErrDialect},
	} {
		if _, err := archive.NewWriter(c.dialects...); !errors.Is(err, c.want) {
			t.Errorf("dialects %v: got %v, want %v", c.dialects, err, c.want)
		}
	}
	w, err := archive.NewWriter(google)
	if err != nil {
		t.Fatal(err)
	}
	good := ruleset(t, google, nil)
	for _, c := range []struct {
		err, want error
		text      string
	}{
		{w.Add("l", 1000, good), archive.ErrLimit, "above 999"},
		{w.Add(strings.Repeat("k", 1<<16), 200, good), archive.ErrLimit, "longer than"},
		{w.Add("l", 200), archive.ErrDialect, "for each dialect"},
		{w.Add("l", 200, good, good), archive.ErrDialect, "for each dialect"},
		{w.Add("l", 200, ruleset(t, rfc9309, nil)), archive.ErrDialect, "another dialect"},
	} {
		if !errors.Is(c.err, c.want) || !strings.Contains(c.err.Error(), c.text) {
			t.Errorf("got %v, want %v with %q", c.err, c.want, c.text)
		}
	}
	for _, key := range []string{"k", strings.Repeat("k", 1<<16-1), "k"} {
		if err := w.Add(key, 200, good); err != nil {
			t.Errorf("%d bytes: %v", len(key), err)
		}
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if a := opened(t, b.Bytes()); a.Len() != 2 {
		t.Errorf("%d origins, want those that were not refused", a.Len())
	}
	if err := w.Add("k", 404, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteTo(io.Discard); !errors.Is(err, archive.ErrDuplicate) || !strings.Contains(err.Error(),
		`the same origin twice: "k"`) {
		t.Errorf("two answers of an origin for one instant: %v", err)
	}
}

func TestWriteToReportsWhatWasWrittenBeforeAnError(t *testing.T) {
	w, err := archive.NewWriter(google)
	if err != nil {
		t.Fatal(err)
	}
	r, p := io.Pipe()
	go func() {
		io.ReadFull(r, make([]byte, 10))
		r.CloseWithError(io.ErrClosedPipe)
	}()
	if n, err := w.WriteTo(p); n != 10 || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%d bytes, error %v", n, err)
	}
}

// listsOf has for its origin a list of each of some lengths, of as many agents.
func listsOf(t *testing.T, lengths ...int) origin {
	var agents []automaton.TokenMachine
	for _, n := range lengths {
		var patterns []string
		for i := range n {
			patterns = append(patterns, fmt.Sprintf("/list-of-%d/%d", n, i))
		}
		agents = append(agents, automaton.TokenMachine{Token: fmt.Sprint(n), Machine: machine(t, google, patterns...)})
	}
	return origin{key: "https://many.example:443", status: 200,
		rulesets: []*automaton.Ruleset{ruleset(t, google, nil, agents...)}}
}

func hundred() (patterns []string) {
	for i := range 100 {
		patterns = append(patterns, fmt.Sprint("/shared/", i))
	}
	return patterns
}

// hasTable reports whether a machine of one list has a table.
func hasTable(m *automaton.Machine) bool { return strings.Contains(m.String(), ", table\n") }

// TestTables checks that long lists have tables at once, short ones never and others once their origin is busy, and
// that machines share the table of a shared list.
func TestTables(t *testing.T) {
	many, shared := listsOf(t, 9, 10, 64, 65), machine(t, google, hundred()...)
	many.rulesets[0] = ruleset(t, google, shared, append(slices.Clone(many.rulesets[0].Agents()),
		automaton.TokenMachine{Token: "one", Machine: shared})...)
	a := opened(t, written(t, []automaton.Dialect{google}, many))
	var s automaton.Scratch
	// check judges by each list, and compares which of them have tables.
	check := func(r *automaton.Ruleset, want ...int) {
		t.Helper()
		var tables []int
		for _, n := range []int{9, 10, 64, 65} {
			path := fmt.Sprintf("https://many.example/list-of-%d/%d", n, n-1)
			if v := r.Match(&s, []byte(fmt.Sprint(n)), []byte(path)); !v.Disallowed {
				t.Errorf("%s: got %+v", path, v)
			}
			if hasTable(r.Machine([]byte(fmt.Sprint(n)))) {
				tables = append(tables, n)
			}
		}
		if one := r.Machine([]byte("one")); hasTable(one) {
			tables = append(tables, one.Len())
		}
		if !slices.Equal(tables, want) {
			t.Errorf("tables of %d rules, want %d", tables, want)
		}
		if r.Machine([]byte("one")) != r.Wildcard() {
			t.Error("a machine that agents share was made twice")
		}
	}
	first := lookedUp(t, a, many.key, google).Ruleset
	check(first, 65, 100)
	if again := lookedUp(t, a, many.key, google).Ruleset; again != first {
		t.Error("a second lookup returns another ruleset")
	}
	var busy *automaton.Ruleset
	for range 3 {
		e, found, err := a.LookupBusyAt([]byte(many.key), google, math.MaxInt64)
		if err != nil || !found || busy != nil && e.Ruleset != busy {
			t.Fatal(found, err)
		}
		busy = e.Ruleset
		check(busy, 10, 64, 65, 100)
	}
	if lookedUp(t, a, many.key, google).Ruleset != busy {
		t.Error("a later lookup finds no table")
	}
	// Rulesets without lists that wait for a table are not decoded again.
	few := listsOf(t, 0, 1, 9, 65)
	a = opened(t, written(t, []automaton.Dialect{google}, few))
	first = lookedUp(t, a, few.key, google).Ruleset
	if e, _, err := a.LookupBusyAt([]byte(few.key), google, math.MaxInt64); err != nil || e.Ruleset != first {
		t.Errorf("another ruleset, error %v", err)
	}
}

// TestBusyIsNotLost checks that, whatever goroutines do concurrently, the lists of an origin keep their tables once
// it has been busy.
func TestBusyIsNotLost(t *testing.T) {
	o := listsOf(t, 10)
	data := written(t, []automaton.Dialect{google}, o)
	for range 200 {
		a := opened(t, data)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if i%2 == 0 {
					a.Lookup([]byte(o.key), google)
				} else {
					a.LookupBusyAt([]byte(o.key), google, math.MaxInt64)
				}
			})
		}
		all.Wait()
		if m := lookedUp(t, a, o.key, google).Ruleset.Machine([]byte("10")); !hasTable(m) {
			t.Fatal("the machine is without a table")
		}
	}
}

func TestGuardLookupDoesNotAllocate(t *testing.T) {
	dialects, origins := small(t)
	a := opened(t, written(t, dialects, origins...))
	var found [70]archive.Found
	for _, o := range append(origins, origin{key: "https://missing.example:443"}) {
		key := []byte(o.key)
		keys := slices.Repeat([][]byte{key}, len(found))
		if n := testing.AllocsPerRun(10, func() { a.LookupAll(keys, google, 1_000, found[:]) }); n != 0 {
			t.Errorf("%q with others: %v allocations", key, n)
		}
		for _, at := range []int64{0, 1_000, 2_500, math.MaxInt64} {
			if n := testing.AllocsPerRun(100, func() { a.LookupAt(key, google, at) }); n != 0 { // which warms up
				t.Errorf("%q at %d: %v allocations", key, at, n)
			}
		}
	}
}

// TestLimitCountsWhatRulesetsTake checks the estimate of memory. If it were too high, the rules of a few dozen
// large files would be decoded again and again.
func TestLimitCountsWhatRulesetsTake(t *testing.T) {
	body := []byte("user-agent: *\n")
	for i := range 20_000 {
		body = fmt.Appendf(body, "disallow: /%x/%d\n", i*7919, i)
	}
	compiled := compile.Compile(body, compile.Options{Dialect: rfc9309, Engine: automaton.EngineList, MaxBytes: -1})
	of := origin{key: "k", status: 200, rulesets: []*automaton.Ruleset{compiled.Ruleset}}
	data := written(t, []automaton.Dialect{rfc9309}, of)
	var a *archive.Archive
	took := int64(0)
	for range 2 { // the first time the compiler makes what it keeps
		a = opened(t, data)
		before := live()
		lookedUp(t, a, "k", rfc9309)
		took = live() - before
	}
	if a.Limit(took * 5 / 4) {
		t.Errorf("more than a quarter too much is counted for %d bytes", took)
	}
	if !a.Limit(took * 3 / 4) {
		t.Errorf("less than three quarters are counted of %d bytes", took)
	}
}

// live returns the bytes in use.
func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // for what a sync.Pool has kept
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
