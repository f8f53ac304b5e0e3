package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

const day0 = 24 * 60 * 60 // seconds of a day

// stateAuditor judges by several versions on three origins, with ranges and samples.
func stateAuditor(t testing.TB) *Auditor {
	t.Helper()
	const delayed = "User-agent: *\nCrawl-delay: 5\nDisallow: /private/\n"
	set := crawlers(t)
	return New(Config{
		Crawlers: set, Samples: 2,
		Identities: known(t, set, map[string]string{"Googlebot": "192.0.2.0/24\n"}),
		Policy: history(t, policy.Options{},
			version{from: -9 * day0, body: robotsTxtBody}, version{from: -3 * day0, body: delayed},
			version{from: 0, body: robotsTxtBody},
			version{from: 3 * day0, status: 404}, version{from: 5 * day0, status: 503}, version{from: 6 * day0, body: delayed},
			version{at: "http://example.com", from: -9 * day0, body: "User-agent: *\nDisallow: /\n"},
			version{at: "https://www.example.com", from: -9 * day0, body: delayed}),
	})
}

// stateLog has lines for all that a state can hold.
func stateLog(rng *rand.Rand, n int) (lines []string) {
	for range n {
		if rng.IntN(30) == 0 {
			lines = append(lines, "\x80\x81 not a log "+randomBytes(rng, 20))
		}
		lines = append(lines, anyEntry(rng).String())
	}
	return lines
}

// stateOf writes the state of a part of a log.
func stateOf(t testing.TB, a *Auditor, lines []string) []byte {
	t.Helper()
	run := begin(t, a)
	run.Worker().Chunk(byName(t, "vhost_combined"), nil, []byte(strings.Join(lines, "\n")))
	var b bytes.Buffer
	if err := run.WriteState(&b, []byte("head")); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// reportOf is the report of states, or what is wrong with them.
func reportOf(a *Auditor, states ...[]byte) (*report.Report, error) {
	run := a.Begin()
	defer run.Close()
	if err := addStates(run, states...); err != nil {
		return nil, err
	}
	return run.Report(Inputs{})
}

func addStates(run *Run, states ...[]byte) error {
	for _, b := range states {
		s, err := ReadState(bytes.NewReader(b), int64(len(b)))
		if err == nil {
			err = run.Add(s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestStatesMakeTheReportOfOneRun checks that states of parts make the report of the whole, as does a state of states,
// even if there is more than is kept.
func TestStatesMakeTheReportOfOneRun(t *testing.T) {
	a, rng := stateAuditor(t), rand.New(rand.NewPCG(5, 5))
	many := stateLog(rng, 3000)
	for i := range 2*manyNames + 200 {
		many = append(many, entry{vhost: "example.com:443", agent: fmt.Sprintf("Y%d-Bot/1 (+http://y.example)", i),
			target: "/private/"}.String(), entry{vhost: fmt.Sprintf("h%d.exampl\xe9", i)}.String(),
			entry{vhost: "example.com:443", target: "/robots.txt", size: fmt.Sprint(i + 1), time: at(i)}.String())
	}
	for _, lines := range [][]string{{}, stateLog(rng, 1), stateLog(rng, 40), many} {
		want := marshal(t, auditText(t, a, "vhost_combined", strings.Join(lines, "\n")))
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		cut := len(lines) / 3
		one, two, none := stateOf(t, a, lines[:cut]), stateOf(t, a, lines[cut:]), stateOf(t, a, nil)
		run, both := begin(t, a), bytes.Buffer{}
		if err := errors.Join(addStates(run, two, one), run.WriteState(&both, nil)); err != nil {
			t.Fatal(err)
		}
		for _, states := range [][][]byte{{one, two}, {two, none, one}, {both.Bytes()}} {
			if got, err := reportOf(a, states...); err != nil || marshal(t, got) != want {
				t.Errorf("%d lines, %d states: %v, %s", len(lines), len(states), err, firstDifference(marshal(t, got), want))
			}
		}
	}
}

// stateSum is the SHA-256 of a state of stateForm, semantics and report.Schema.
const stateSum = "67c740401099a3169376e3d0cbbbd9c89795ab490cfca304f8046c74cc0a9927"

// TestStateFormInTheDocs checks that docs/reference/state.md has today's first line.
func TestStateFormInTheDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/state.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"`" + strings.TrimSpace(stateLine) + "`", fmt.Sprintf(" changes | %d |\n", stateForm),
		fmt.Sprintf(" | %d |\n", semantics)} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestStateBytesChangeWithTheFormOnly checks that equal lines make equal bytes unless the first
// line differs; otherwise merge would add up states with different meanings.
func TestStateBytesChangeWithTheFormOnly(t *testing.T) {
	state := stateOf(t, stateAuditor(t), stateLog(rand.New(rand.NewPCG(1, 2)), 600))
	if sum := fmt.Sprintf("%x", sha256.Sum256(state)); sum != stateSum {
		t.Errorf("the same log makes another state. If what is in a state has changed, raise stateForm; if the same lines "+
			"are counted in another way, raise semantics. Then set stateSum to %q", sum)
	}
}

// TestKeysOfStatesDiffer checks that no two fields of a struct have the same key in states, because
// the encoder would silently omit both.
func TestKeysOfStatesDiffer(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			walk(of.Elem())
		case reflect.Map:
			walk(of.Key())
			walk(of.Elem())
		case reflect.Struct:
			if seen[of] {
				return
			}
			seen[of] = true
			keys := map[string]string{}
			for i := range of.NumField() {
				f := of.Field(i)
				key, _, _ := strings.Cut(f.Tag.Get("cbor"), ",")
				if key == "" || key == "-" {
					continue
				}
				if other, known := keys[key]; known {
					t.Errorf("%v: %s and %s have the key %s", of, other, f.Name, key)
				}
				keys[key] = f.Name
				walk(f.Type)
			}
		}
	}
	walk(reflect.TypeFor[tally]())
	if len(seen) < 10 {
		t.Errorf("only %d structs were found", len(seen))
	}
}

// TestStatesOfOtherVersionsAreRefused checks that a state of another version is refused with its first line and advice.
func TestStatesOfOtherVersionsAreRefused(t *testing.T) {
	line, rest, _ := strings.Cut(string(stateOf(t, stateAuditor(t), nil)), "\n")
	form := fmt.Sprint("state ", stateForm)
	for _, c := range [][2]string{
		{form, "state 8"}, {form, "state 90"}, {form, "state \x1b[31m"},
		{fmt.Sprint("semantics ", semantics), "semantics 2"}, {report.Schema, "robotsieve.audit/2"},
	} {
		other := strings.Replace(line, c[0], c[1], 1)
		state := other + "\n" + rest
		_, err := ReadState(strings.NewReader(state), int64(len(state)))
		want := fmt.Sprintf("the state was made by an unreleased or newer version of robotsieve (%q); make it again from the logs",
			other)
		if !errors.Is(err, ErrStateVersion) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestStateDamagedAnywhereIsAnError checks that all damage is noticed and harmless.
func TestStateDamagedAnywhereIsAnError(t *testing.T) {
	a := stateAuditor(t)
	good := stateOf(t, a, stateLog(rand.New(rand.NewPCG(1, 2)), 60))
	if _, err := reportOf(a, good); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(good); i += 3 {
		bad := slices.Clone(good)
		bad[i] ^= 1 << (i % 8)
		if _, err := reportOf(a, bad); err == nil {
			t.Errorf("byte %d of %d flipped: no error", i, len(good))
		}
		if i > 400 && i%5 > 0 {
			continue
		}
		if _, err := reportOf(a, good[:i:i]); err == nil {
			t.Errorf("%d of %d bytes: no error", i, len(good))
		}
	}
	if _, err := reportOf(a, append(slices.Clip(good), 0)); err == nil {
		t.Error("a byte more: no error")
	}
}

// TestErrorsOfStatesNameTheirCause checks the errors for a head that is too long and for a failing reader.
func TestErrorsOfStatesNameTheirCause(t *testing.T) {
	long := append(binary.BigEndian.AppendUint64([]byte(stateLine), maxStatePart+1), make([]byte, maxStateLine)...)
	if _, err := ReadState(bytes.NewReader(long), 1<<40); !errors.Is(err, ErrDamaged) ||
		!strings.Contains(err.Error(), "have 1073741825 bytes, more than 1073741824") {
		t.Errorf("a long head: %v", err)
	}
	unread := errors.New("cannot be read")
	good := stateOf(t, stateAuditor(t), nil)
	if _, err := ReadState(failing{bytes.NewReader(good), unread}, int64(len(good))); !errors.Is(err, unread) ||
		errors.Is(err, ErrDamaged) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// failing is a file of which nothing after the first line of a state can be read.
type failing struct {
	io.ReaderAt
	err error
}

func (f failing) ReadAt(b []byte, off int64) (int, error) {
	if off > 0 {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(b, off)
}

// TestNoState checks that a run whose options make a state useless refuses to write one.
func TestNoState(t *testing.T) {
	for name, c := range map[string]Config{"addresses": {KeepAddresses: true}, "a function": {Listeners: Listeners{Judged: listen(func(*Event) {})}}} {
		c.Crawlers, c.Policy = crawlers(t), constant(forbid, nil)
		if err := begin(t, New(c)).WriteState(io.Discard, nil); !errors.Is(err, errNoState) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// savedParts takes a state apart, and joined puts one together, with checksums that are right.
func savedParts(t testing.TB, state []byte) (tally string, records []spill.Record) {
	t.Helper()
	s, err := ReadState(bytes.NewReader(state), int64(len(state)))
	if err != nil {
		t.Fatal(err)
	}
	sorter := spill.New(spill.Options{})
	defer sorter.Close()
	if err := sorter.AddSaved(s.file, s.records, s.size-s.records); err != nil {
		t.Fatal(err)
	}
	for r, err := range sorter.All() {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, spill.Record{Data: bytes.Clone(r.Data), N: r.N})
	}
	return string(s.tally), records
}

func joined(t testing.TB, tally string, records ...spill.Record) []byte {
	t.Helper()
	b := []byte(stateLine)
	for _, part := range []string{"head", tally} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(part)))
		b = binary.BigEndian.AppendUint32(append(b, part...), crc32.Checksum([]byte(part), castagnoli))
	}
	sorter := spill.New(spill.Options{})
	defer sorter.Close()
	w := sorter.Writer()
	for _, r := range records {
		for range min(r.N, 100) {
			if err := w.Add(r.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	var late bytes.Buffer
	if _, err := spill.WriteRun(&late, sorter.All()); err != nil {
		t.Fatal(err)
	}
	return append(b, late.Bytes()...)
}

// TestStateThatMakesNoSenseIsAnError checks that a state with valid checksums makes no report if
// its numbers or indexes are out of bounds, or if the sums of the audit rules do not hold.
func TestStateThatMakesNoSenseIsAnError(t *testing.T) {
	a := stateAuditor(t)
	lines := stateLog(rand.New(rand.NewPCG(1, 2)), 600)
	saved, records := savedParts(t, stateOf(t, a, lines))
	if _, err := reportOf(a, joined(t, saved, records...)); err != nil {
		t.Fatal(err)
	}
	// tallyOf reads the tally anew, and gives a known crawler's row with fetches.
	tallyOf := func() (*tally, *row) {
		t0, err := a.readTally([]byte(saved))
		if err != nil {
			t.Fatal(err)
		}
		profiles := a.config.Crawlers.Profiles()
		for i := range profiles {
			if r := t0.known[&profiles[i]]; r != nil && r.Fetches != nil && len(r.Fetches.Cleared) > 0 {
				return t0, r
			}
		}
		t.Fatal("no crawler has fetched robots.txt")
		return nil, nil
	}
	anyHost := func(s *tally) string { return slices.Sorted(maps.Keys(s.Hosts.Kept))[0] }
	from := lineFrom{Line: 1}
	size := func(s *tally, change func(*sizeKey, *tallied)) {
		for k, n := range s.Sizes.Kept {
			delete(s.Sizes.Kept, k)
			change(&k, &n)
			s.Sizes.Kept[k] = n
			return
		}
	}
	for name, change := range map[string]func(*tally, *row){
		"a line more":            func(s *tally, r *row) { s.Lines++ },
		"negative lines":         func(s *tally, r *row) { s.Lines = -s.Lines },
		"negative blank lines":   func(s *tally, r *row) { s.Blank = -1 },
		"more lines than can be": func(s *tally, r *row) { s.Lines, s.NotCrawlers = 1<<54, 1<<54 },
		"negative verdicts":      func(s *tally, r *row) { r.Verdicts[0] -= 1e6; r.Verdicts[8]++ },
		"a request more":         func(s *tally, r *row) { r.Requests++ },
		"a verdict of the final pass": func(s *tally,
			r *row) {
			r.Verdicts[report.Violation]++
			r.Verdicts[report.Allowed]--
		},
		"a known crawler less": func(s *tally, r *row) {
			maps.DeleteFunc(s.known, func(_ *crawler.Profile, x *row) bool { return x == r })
		},
		"hosts that were not counted":  func(s *tally, r *row) { s.Hosts.Rest = -1; s.Hosts.add(anyHost(s), tallied{N: 1}) },
		"a size at an origin too far":  func(s *tally, r *row) { size(s, func(k *sizeKey, n *tallied) { k.At.First = 3 }) },
		"a size at too many origins":   func(s *tally, r *row) { size(s, func(k *sizeKey, n *tallied) { k.At.N = 1 << 30 }) },
		"a size of a negative version": func(s *tally, r *row) { size(s, func(k *sizeKey, n *tallied) { k.First = -1 }) },
		"a size of a version too far":  func(s *tally, r *row) { size(s, func(k *sizeKey, n *tallied) { k.Last = 99 }) },
		"a line too often":             func(s *tally, r *row) { s.ProxySample.Kept[from] = occurrences(s.Lines + 1) },
		"impostors of impostors":       func(s *tally, r *row) { r.impostors().Spoofed = &row{} },
		"a period before all time":     func(s *tally, r *row) { s.Period = period{policy.MinTime, 1, true} },
		"more fetches than can be":     func(s *tally, r *row) { r.Fetches.Answers[200] = 1 << 62 },
		"more refusals than fetches":   func(s *tally, r *row) { r.Fetches.Cleared[404] += 1e6 },
	} {
		s, r := tallyOf()
		change(s, r)
		if r, err := reportOf(a, joined(t, string(a.appendTally(nil, s)), records...)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, %+v", name, err, r)
		}
	}
	// What was fetched and when is not counted, so only requests that are missing can be noticed.
	pending := pendingOf(t, records)
	for name, list := range map[string][]spill.Record{
		"no deferred records":     nil,
		"a deferred record twice": append(slices.Clone(records), pending),
		"a deferred record less": slices.DeleteFunc(slices.Clone(records),
			func(r spill.Record) bool { return bytes.Equal(r.Data, pending.Data) }),
	} {
		if _, err := reportOf(a, joined(t, saved, list...)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	none := string(a.appendTally(nil, a.newTally()))
	if _, err := reportOf(a, joined(t, none, pending)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a request that waits in a state of no lines: %v", err)
	}
	for _, text := range []string{"", "{", saved + "\x00", saved[:len(saved)-1]} {
		if _, err := reportOf(a, joined(t, text)); !errors.Is(err, ErrDamaged) {
			t.Errorf("tally %q: %v", text, err)
		}
	}
}

// pendingOf returns a request that waits.
func pendingOf(t testing.TB, records []spill.Record) spill.Record {
	t.Helper()
	for _, r := range records {
		if rd := newReader(nil, r.Data); r.N == 1 {
			if rd.operator(); rd.kind() == recordEvent && bytes.Contains(r.Data, []byte("HTTP/1")) {
				return r
			}
		}
	}
	t.Fatal("no request waits")
	return spill.Record{}
}

// FuzzState checks that a state with valid checksums makes a report or an error, whatever it contains.
func FuzzState(f *testing.F) {
	a := stateAuditor(f)
	tally, records := savedParts(f, stateOf(f, a, stateLog(rand.New(rand.NewPCG(1, 2)), 150)))
	for i, r := range records {
		if i%7 == 0 {
			f.Add([]byte(tally), r.Data, uint8(i))
		}
	}
	f.Add(a.appendTally(nil, a.newTally()), []byte{}, uint8(0))
	f.Fuzz(func(t *testing.T, mutated, record []byte, which uint8) {
		list := slices.Clone(records)
		list[int(which)%len(list)] = spill.Record{Data: record, N: 1 + int64(which)%3}
		if len(record) > spill.MaxRecord {
			return
		}
		for _, state := range [][]byte{joined(t, tally, list...), joined(t, string(mutated), records...),
			joined(t, string(mutated), list...)} {
			r, err := reportOf(a, state)
			if err == nil {
				marshal(t, r)
			}
		}
	})
}

// TestStateOfAnyWorkersHasTheSameBytes checks that equal lines make equal bytes, however they are
// divided among workers and ordered, and however little memory there is. Crawlers have equal counts
// in two workers or names spelt in several ways, and there are more lines and names than are kept.
func TestStateOfAnyWorkersHasTheSameBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 4))
	lines := stateLog(rng, 3000)
	for n := range 6000 {
		name := fmt.Sprintf("Name%dBot", rng.IntN(700))
		if rng.IntN(3) == 0 {
			name = strings.ToUpper(name)
		}
		lines = append(lines, entry{vhost: fmt.Sprintf("h%d.example", n%1500), addr: fmt.Sprintf("192.0.2.%d", n%200),
			time: at(rng.IntN(20 * day0)), agent: name + "/1.0 (+http://bots.example/)",
			target: fmt.Sprintf("/archive/%d", rng.IntN(300))}.String())
	}
	twice := strings.ReplaceAll(lines[len(lines)-1], "Bot/1.0", "TwinBot/1.0")
	lines = append(lines, twice, twice, twice)
	var want []byte
	for i, workers := range []int{1, 1, 2, 3, 7} {
		a := stateAuditor(t)
		if i > 0 {
			rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			a.config.Memory = 1 << 20
		}
		run := begin(t, a)
		var list []*Worker
		for range workers {
			list = append(list, run.Worker())
		}
		for chunk := range slices.Chunk(lines, 250) {
			list[rng.IntN(workers)].Chunk(byName(t, "vhost_combined"), nil, []byte(strings.Join(chunk, "\n")))
		}
		var b bytes.Buffer
		if err := run.WriteState(&b, []byte("head")); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = b.Bytes()
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%d workers: %d bytes that differ from the %d of one", workers, b.Len(), len(want))
		}
	}
}
