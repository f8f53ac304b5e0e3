package archive_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
)

// fails reports whether opening data, or else looking everything up, gives an
// error. A lookup without one must find what was added.
func fails(t *testing.T, what string, data []byte, dialects []automaton.Dialect, origins []origin) bool {
	t.Helper()
	a, err := archive.Open(data)
	if err != nil {
		return true
	}
	failed, keys, all := false, make([][]byte, len(origins)), make([]archive.Found, len(origins))
	for i, o := range origins {
		keys[i] = []byte(o.key)
	}
	for i, d := range dialects {
		a.LookupAll(keys, d, math.MaxInt64, all)
		for k, o := range origins {
			e, found, err := a.Lookup([]byte(o.key), d)
			if of := all[k]; of.Entry != e || of.Known != found || fmt.Sprint(of.Err) != fmt.Sprint(err) {
				t.Errorf("%s: %q in %v: LookupAll finds %+v, Lookup %+v, %v, %v", what, o.key, d, of, e, found, err)
			}
			if err != nil {
				failed = true
			} else if !found || e.Status != o.status || text(e.Ruleset) != text(o.rulesets[i]) {
				t.Errorf("%s: %q in %v: found %v, status %d, ruleset\n%s", what, o.key, d, found, e.Status, text(e.Ruleset))
			}
		}
	}
	return failed
}

func TestEveryDamagedByteIsFound(t *testing.T) {
	dialects, origins := small(t)
	data := written(t, dialects, origins...)
	if fails(t, "sound", data, dialects, origins) {
		t.Fatal("a sound archive fails")
	}
	for i := range data {
		before := data[i]
		for _, flip := range []byte{1, 2, 4, 8, 16, 32, 64, 128, 0xff, before} { // the last makes it 0
			if data[i] = before ^ flip; data[i] == before {
				continue
			}
			if what := fmt.Sprintf("byte %d of %d from %#x to %#x", i, len(data), before, data[i]); !fails(t, what, data,
				dialects, origins) {
				t.Errorf("%s: nothing fails", what)
			}
		}
		data[i] = before
	}
}

func TestEveryTruncationAndAdditionIsRefused(t *testing.T) {
	dialects, origins := small(t)
	data := written(t, dialects, origins...)
	for n := range data {
		if _, err := archive.Open(slices.Clip(data[:n])); err == nil {
			t.Errorf("the first %d of %d bytes are opened", n, len(data))
		}
		if _, err := archive.Open(data[n+1:]); err == nil {
			t.Errorf("the bytes behind %d are opened", n)
		}
	}
	for _, more := range []string{"\x00", "\n", string(data)} {
		if _, err := archive.Open(append(slices.Clone(data), more...)); err == nil {
			t.Errorf("with %d bytes more it is opened", len(more))
		}
	}
}

func TestForeignFilesAreRefusedWithAReason(t *testing.T) {
	dialects, origins := small(t)
	data := written(t, dialects, origins...)
	older, newer := slices.Clone(data), slices.Clone(data)
	older[8], newer[8] = 3, 5
	foreign := slices.Clone(data)
	foreign[39] = 200
	other := slices.Clone(data)
	other[12] = automaton.Semantics + 1
	none := slices.Clone(data)
	none[37] = 0
	damaged := &archive.DamageError{Part: "file"}
	for _, c := range []struct {
		data, want string
		is         error
	}{
		{"", "not an archive", archive.ErrNotArchive},
		{"User-agent: *\nDisallow: /\n", "not an archive", archive.ErrNotArchive},
		{strings.Repeat("\x00", 1000), "not an archive", archive.ErrNotArchive},
		{strings.ReplaceAll(string(data), "\r\n", "\n"), "not an archive", archive.ErrNotArchive},
		{string(older), "version 3, and this program reads version 4; compile the archive again", archive.ErrVersion},
		{string(newer), "version 5, and this program reads version 4; compile", archive.ErrVersion},
		{string(sealed(other)), "semantics 2, and this program has semantics 1; compile the archive again",
			archive.ErrSemantics},
		{string(sealed(foreign)), "Dialect(200)", archive.ErrDialect},
		{string(sealed(none)), "damaged index", &archive.DamageError{Part: "index"}},
		{string(data[:len(data)-1]), fmt.Sprintf("says %d bytes, but it has %d", len(data), len(data)-1), damaged},
		{string(data[:20]), "cut short", damaged},
	} {
		_, err := archive.Open([]byte(c.data))
		if err == nil || !strings.Contains(err.Error(), c.want) || !isSame(err, c.is) {
			t.Errorf("%.20q: got %v, want %q and %v", c.data, err, c.want, c.is)
		}
	}
}

// isSame reports whether an error is another, a DamageError by its part and ruleset.
func isSame(err, other error) bool {
	var d, o *archive.DamageError
	if errors.As(other, &o) {
		return errors.As(err, &d) && d.Part == o.Part && d.Ruleset == o.Ruleset
	}
	return errors.Is(err, other)
}

// TestDamageNamesItsPart checks that Open rejects a damaged directory, and that a damaged group or ruleset is
// reported only by lookups that need it.
func TestDamageNamesItsPart(t *testing.T) {
	dialects, origins := small(t)
	data := written(t, dialects, origins...)
	inIndex, inLast := slices.Clone(data), slices.Clone(data)
	inIndex[headerLen] ^= 1 // the directory
	inLast[len(data)-1] ^= 1
	if _, err := archive.Open(inIndex); !isSame(err, &archive.DamageError{Part: "index"}) {
		t.Errorf("index: got %v", err)
	}
	inGroup := slices.Clone(data)
	inGroup[partsOf(data).records] ^= 1
	if _, found, err := opened(t, inGroup).Lookup([]byte(origins[0].key), google); found || !isSame(err,
		&archive.DamageError{Part: "index"}) {
		t.Errorf("group: found %v, error %v", found, err)
	}
	a, failed := opened(t, inLast), 0
	for _, o := range origins {
		for _, d := range dialects {
			if _, found, err := a.Lookup([]byte(o.key), d); err != nil {
				failed++
				if want := (&archive.DamageError{Part: "ruleset", Ruleset: a.Rulesets() - 1}); found || !isSame(err, want) {
					t.Errorf("%q in %v: got %v, want %v", o.key, d, err, want)
				}
			}
		}
	}
	if failed == 0 || failed == len(origins)*len(dialects) {
		t.Errorf("%d lookups fail", failed)
	}
}

const headerLen = 84

// parts are where the parts of an archive begin, if its header is right.
type parts struct{ directory, offsets, buckets, records, rulesets, end uint64 }

func partsOf(data []byte) parts {
	le := binary.LittleEndian
	p := parts{directory: headerLen}
	p.offsets = p.directory + 12*(1<<max(int(data[36]&15)-6, 0)+1)
	p.buckets = p.offsets + (uint64(le.Uint32(data[32:]))+1)*8
	p.records = p.buckets + 4*(1<<(data[36]&15)+1)
	p.rulesets = p.records + le.Uint64(data[44:])
	p.end = p.rulesets + le.Uint64(data[52:])
	return p
}

// sealed makes the checksums of an archive right, as an author who means harm
// would, so far as its parts lie where they should.
func sealed(data []byte) []byte {
	table := crc32.MakeTable(crc32.Castagnoli)
	le := binary.LittleEndian
	size, p := uint64(len(data)), partsOf(data)
	if le.Uint64(data[44:]) > size || le.Uint64(data[52:]) > size || p.end > size {
		return data
	}
	inGroup := uint64(min(data[36]&15, 6))
	for at, n := p.directory, uint64(0); at+12 < p.offsets; at, n = at+12, n+1 {
		from, to := p.records+le.Uint64(data[at:]), p.records+le.Uint64(data[at+12:])
		if from <= to && to <= size && from >= p.records {
			buckets := crc32.Checksum(data[p.buckets+4*n<<inGroup:][:4<<inGroup+4], table)
			le.PutUint32(data[at+8:], crc32.Update(buckets, table, data[from:to]))
		}
	}
	for at, n := p.offsets, uint32(0); at+8 < p.buckets; at, n = at+8, n+1 {
		from, to := p.rulesets+le.Uint64(data[at:]), p.rulesets+le.Uint64(data[at+8:])
		if from+4 <= to && to <= size && from >= p.rulesets {
			number := crc32.Checksum(le.AppendUint32(nil, n), table)
			le.PutUint32(data[from:], crc32.Update(number, table, data[from+4:to]))
		}
	}
	sum := crc32.Update(crc32.Checksum(data[:16], table), table, data[20:p.offsets])
	le.PutUint32(data[16:], sum)
	return data
}

// everything looks up all that it can, which must not crash, and matches with what it gets.
func everything(data []byte, dialects []automaton.Dialect, origins []origin) {
	a, err := archive.Open(data)
	if err != nil {
		return
	}
	for o := range a.Origins() {
		for range o.Versions {
		}
	}
	var s automaton.Scratch
	for _, o := range origins {
		for _, d := range dialects {
			a.LookupAt([]byte(o.key), d, 1_000)
			if e, found, err := a.Lookup([]byte(o.key), d); found && err == nil {
				text(e.Ruleset)
				for _, agent := range []string{"one", "two", ""} {
					e.Ruleset.Match(&s, []byte(agent), []byte("/a/b/c?%2f"))
				}
			}
		}
	}
}

func TestDamageWithRightChecksumsDoesNoHarm(t *testing.T) {
	dialects, origins := small(t)
	data := written(t, dialects, origins...)
	for i := range data {
		for _, b := range []byte{0, 1, 0x7f, 0x80, 0xfe, 0xff, data[i] ^ 1, data[i] + 1} {
			bad := slices.Clone(data)
			bad[i] = b
			everything(slices.Clip(sealed(bad)), dialects, origins)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	n := 50_000
	if testing.Short() {
		n = 5_000
		t.Logf("short: %d of 50,000 random damages", n)
	}
	for range n {
		bad := slices.Clone(data)
		for range 1 + r.IntN(6) {
			bad[r.IntN(len(bad))] = byte(r.Uint32())
		}
		everything(slices.Clip(sealed(bad)), dialects, origins)
	}
}

// TestHostileCountsAllocateNothing checks that a ruleset that claims more than its bytes can hold is rejected
// before anything is allocated.
func TestHostileCountsAllocateNothing(t *testing.T) {
	data := written(t, []automaton.Dialect{google},
		origin{key: "k", status: 200, rulesets: []*automaton.Ruleset{ruleset(t, google, machine(t, google,
			"/"+strings.Repeat("x", 100)))}})
	// One rule, list and machine, no agent; then a list of one rule.
	counts := strings.Index(string(data), "\x01\x01\x01\x00\x01\x12")
	if counts < 0 {
		t.Fatalf("no counts in %q", data)
	}
	for i := range 4 {
		for _, claim := range []uint64{200, 1 << 20, 1 << 40, 1<<63 - 1, 1<<64 - 1} {
			coded := binary.AppendUvarint(nil, claim)
			bad := slices.Concat(data[:counts+i], coded, data[counts+i+1:])
			grown := uint64(len(bad) - len(data))
			le := binary.LittleEndian
			// lengths of the file, of all rulesets and of this
			for _, at := range []int{20, 52, int(partsOf(data).offsets) + 8} {
				le.PutUint64(bad[at:], le.Uint64(bad[at:])+grown)
			}
			a, err := archive.Open(sealed(bad))
			if err != nil {
				t.Fatal(err)
			}
			var lookupErr error
			taken := allocated(func() { _, _, lookupErr = a.Lookup([]byte("k"), google) })
			if lookupErr == nil || taken > 100_000 {
				t.Errorf("count %d claims %d: error %v after %d bytes", i, claim, lookupErr, taken)
			}
		}
	}
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func FuzzOpen(f *testing.F) {
	dialects, origins := small(f)
	f.Add(written(f, dialects, origins...))
	f.Add(written(f, dialects))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) >= headerLen && len(data) < 1<<16 {
			binary.LittleEndian.PutUint64(data[20:], uint64(len(data)))
			data = sealed(data)
		}
		everything(slices.Clip(data), dialects, origins)
	})
}
