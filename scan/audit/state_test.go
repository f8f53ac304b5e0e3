package audit

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/spill"
)

const day0 = 24 * 60 * 60 // seconds of a day

// stateAuditor judges by several versions on three origins, with ranges and
// samples.
func stateAuditor(t testing.TB) *Auditor {
	t.Helper()
	const delayed = "User-agent: *\nCrawl-delay: 5\nDisallow: /private/\n"
	set := crawlers(t)
	return New(Config{
		Crawlers: set, Samples: 2,
		Identities: known(t, set, map[string]string{"Googlebot": "192.0.2.0/24\n"}),
		Policy: history(t, policy.Options{},
			version{from: -9 * day0, body: robotsTxtBody}, version{from: -3 * day0, body: delayed}, version{from: 0, body: robotsTxtBody},
			version{from: 3 * day0, status: 404}, version{from: 5 * day0, status: 503}, version{from: 6 * day0, body: delayed},
			version{at: "http://example.com", from: -9 * day0, body: "User-agent: *\nDisallow: /\n"},
			version{at: "https://www.example.com", from: -9 * day0, body: delayed}),
	})
}

// stateLog has lines for all that a state can hold.
func stateLog(rng *rand.Rand, n int) []string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	var lines []string
	for range n {
		e := entry{
			vhost:  pick("example.com", "example.com:443", "example.com:443", "www.example.com", "other.example", "b\xfccher.example", "h\xff\x00"),
			addr:   pick("192.0.2.1", "192.0.2.2", "198.51.100.7", "10.0.0.1"),
			time:   at(rng.IntN(20*day0) - 10*day0),
			method: pick("GET", "GET", "GET", "HEAD", "POST"),
			target: pick("/", "/private/", "/private/x", "/a~b", "/robots.txt", "/robots.txt", "/?s=1", "/b\xff", "//private/x", "/robots.txt?x", "https://www.example.com/private/"),
			status: pick("200", "200", "200", "304", "301", "403", "404", "429", "503"),
			size:   pick("512", "70", "0", "-"),
			agent:  pick(gptbot, gptbot, googlebot, chatgpt, adsbot, mj12bot, twoBots, acmebot, browser, "curl/8", "bot", "WireReader/1 (compatible; GPTBot/1)", "AcmeBot/2 (+https://x.example)", "ÄcmeBot\xff/1 (+https://x.example)", fmt.Sprintf("X%d-Bot/1 (+http://x.example)", rng.IntN(40))),
		}
		if rng.IntN(30) == 0 {
			lines = append(lines, "\x80\x81 not a log "+randomBytes(rng, 20))
		}
		if rng.IntN(50) == 0 {
			e.target, e.method = "*", "OPTIONS"
		}
		lines = append(lines, strings.ReplaceAll(e.String(), "\n", ""))
	}
	return lines
}

// stateOf writes the state of a part of a log.
func stateOf(t testing.TB, a *Auditor, lines []string) []byte {
	t.Helper()
	run := begin(t, a)
	run.Worker().Chunk(byName(t, "vhost_combined"), []byte(strings.Join(lines, "\n")))
	var b bytes.Buffer
	if err := run.WriteState(&b, []byte("head")); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// reportOf is the report of states, or what is wrong with them.
func reportOf(a *Auditor, states ...[]byte) (*Report, error) {
	run := a.Begin()
	defer run.Close()
	for _, b := range states {
		s, err := ReadState(bytes.NewReader(b), int64(len(b)))
		if err == nil {
			err = run.Add(s)
		}
		if err != nil {
			return nil, err
		}
	}
	return run.Report(Inputs{})
}

// States of parts make the report of the whole, and so does a state of states.
func TestStatesMakeTheReportOfOneRun(t *testing.T) {
	a := stateAuditor(t)
	rng := rand.New(rand.NewPCG(5, 5))
	for round, n := range []int{0, 1, 40, 3000} {
		lines := stateLog(rng, n)
		if round == 3 { // more than there is room for
			for i := range 2*manyNames + 200 {
				lines = append(lines, entry{vhost: "example.com:443", agent: fmt.Sprintf("Y%d-Bot/1 (+http://y.example)", i), target: "/private/"}.String())
				lines = append(lines, entry{vhost: fmt.Sprintf("h%d.exampl\xe9", i)}.String())
				lines = append(lines, entry{vhost: "example.com:443", target: "/robots.txt", size: fmt.Sprint(i + 1), time: at(i)}.String())
			}
		}
		whole := auditText(t, a, "vhost_combined", strings.Join(lines, "\n"))
		checkSums(t, whole)
		want := marshal(t, whole)
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		cut := len(lines) / 3
		one, two := stateOf(t, a, lines[:cut]), stateOf(t, a, lines[cut:])
		for name, states := range map[string][][]byte{
			"two": {one, two}, "the other way round": {two, one}, "and nothing": {one, stateOf(t, a, nil), two},
		} {
			got, err := reportOf(a, states...)
			if err != nil {
				t.Fatalf("%d lines, %s: %v", n, name, err)
			}
			if got := marshal(t, got); got != want {
				t.Errorf("%d lines, %s: %s", n, name, firstDifference(got, want))
			}
		}
		run := begin(t, a)
		for _, b := range [][]byte{two, one} {
			s, err := ReadState(bytes.NewReader(b), int64(len(b)))
			if err := errors.Join(err, run.Add(s)); err != nil {
				t.Fatal(err)
			}
		}
		var both bytes.Buffer
		if err := run.WriteState(&both, nil); err != nil {
			t.Fatal(err)
		}
		got, err := reportOf(a, both.Bytes())
		if err != nil {
			t.Fatalf("%d lines, state of states: %v", n, err)
		}
		if got := marshal(t, got); got != want {
			t.Errorf("%d lines, state of states: %s", n, firstDifference(got, want))
		}
	}
}

func TestStateHasItsHead(t *testing.T) {
	b := stateOf(t, stateAuditor(t), nil)
	s, err := ReadState(bytes.NewReader(b), int64(len(b)))
	if err != nil || string(s.Head) != "head" {
		t.Errorf("%v, %+v", err, s)
	}
}

// No damage goes unnoticed, and none does harm.
func TestStateDamagedAnywhereIsAnError(t *testing.T) {
	a := stateAuditor(t)
	good := stateOf(t, a, stateLog(rand.New(rand.NewPCG(1, 2)), 60))
	if _, err := reportOf(a, good); err != nil {
		t.Fatal(err)
	}
	step := 1
	if testing.Short() {
		step = 7
	}
	for i := 0; i < len(good); i += step {
		bad := slices.Clone(good)
		bad[i] ^= 1 << (i % 8)
		if _, err := reportOf(a, bad); err == nil {
			t.Errorf("byte %d of %d flipped: no error", i, len(good))
		}
		if _, err := reportOf(a, good[:i:i]); err == nil {
			t.Errorf("%d of %d bytes: no error", i, len(good))
		}
	}
	if _, err := reportOf(a, append(slices.Clip(good), 0)); err == nil {
		t.Error("a byte more: no error")
	}
}

// savedParts takes a state apart, and joined puts one together, with checksums that
// are right.
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
	b := []byte(stateMagic)
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
	if _, err := sorter.WriteTo(&late); err != nil {
		t.Fatal(err)
	}
	return append(b, late.Bytes()...)
}

// A state whose checksums are right, and whose numbers are not, gives no report.
func TestStateThatMakesNoSenseIsAnError(t *testing.T) {
	a := stateAuditor(t)
	lines := stateLog(rand.New(rand.NewPCG(1, 2)), 200)
	tally, records := savedParts(t, stateOf(t, a, lines))
	if _, err := reportOf(a, joined(t, tally, records...)); err != nil {
		t.Fatal(err)
	}
	var saved savedTally
	if err := json.Unmarshal([]byte(tally), &saved); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*savedTally){
		"a line more":                  func(s *savedTally) { s.Lines++ },
		"a line less":                  func(s *savedTally) { s.Lines-- },
		"negative lines":               func(s *savedTally) { s.Lines = -s.Lines },
		"negative blank lines":         func(s *savedTally) { s.Blank = -1 },
		"negative unparsed":            func(s *savedTally) { s.NotCrawlers += s.Unparsed + 1; s.Unparsed = -1 },
		"a request more":               func(s *savedTally) { s.Known[0].Requests++ },
		"negative verdicts":            func(s *savedTally) { s.Known[0].Verdicts[0]--; s.Known[0].Verdicts[8]++; s.Known[0].Verdicts[0] -= 1e6 },
		"a verdict more":               func(s *savedTally) { s.Known[0].Verdicts[Allowed]++ },
		"an identity more":             func(s *savedTally) { s.Known[0].Identities[Verified]++ },
		"a reason more":                func(s *savedTally) { s.Known[0].Reasons[NoHost]++ },
		"no identities":                func(s *savedTally) { s.Known[0].Identities = [identities]int64{} },
		"a crawler that is not there":  func(s *savedTally) { s.Known[0].Profile = 99 },
		"a crawler before the first":   func(s *savedTally) { s.Known[0].Profile = -1 },
		"a known crawler less":         func(s *savedTally) { s.Known = s.Known[1:] },
		"a host more often":            func(s *savedTally) { s.Hosts.Kept[0].N++ },
		"a host not at all":            func(s *savedTally) { s.Hosts.Kept = s.Hosts.Kept[1:] },
		"hosts that were not counted":  func(s *savedTally) { s.Hosts.Rest = -1; s.Hosts.Kept[0].N++ },
		"sizes of nothing":             func(s *savedTally) { s.RobotsRequests = 0 },
		"a size at an origin too far":  func(s *savedTally) { s.Sizes.Kept[0].Key.At.First = 3 },
		"a size at too many origins":   func(s *savedTally) { s.Sizes.Kept[0].Key.At.N = 1 << 30 },
		"a size at no origin":          func(s *savedTally) { s.Sizes.Kept[0].Key.At.N = 0 },
		"a size of a negative version": func(s *savedTally) { s.Sizes.Kept[0].Key.First = -1 },
		"a size of a version too far":  func(s *savedTally) { s.Sizes.Kept[0].Key.Last = 99 },
		"a size at no time":            func(s *savedTally) { s.Sizes.Kept[0].Period = period{} },
		"more libraries than lines":    func(s *savedTally) { s.HTTPLibraries = s.NotCrawlers + 1 },
		"negative libraries":           func(s *savedTally) { s.HTTPLibraries = -1 },
		"more right sizes than GETs":   func(s *savedTally) { s.SizesRight = s.RobotsRequests + 1 },
		"more answers than GETs":       func(s *savedTally) { s.RobotsNone = s.RobotsRequests + 1 },
		"a line chosen never":          func(s *savedTally) { s.Chosen.Kept[0].N = 0 },
		"a line chosen too often":      func(s *savedTally) { s.Chosen.Kept[0].N = s.Lines + 1 },
		"impostors that make requests": func(s *savedTally) {
			s.Known[0].Spoofed = &savedRow{Requests: 1}
		},
		"impostors of nothing": func(s *savedTally) {
			s.Known[0].Spoofed = &savedRow{Verdicts: [verdicts]int64{Allowed: 5}}
		},
		"a period that runs backwards": func(s *savedTally) { s.Period = period{2, 1, true} },
		"a period before all time":     func(s *savedTally) { s.Period = period{policy.MinTime, 1, true} },
		"more fetches than requests": func(s *savedTally) {
			for i := range s.Known {
				if f := s.Known[i].Fetches; f != nil {
					f.Answers[200] += 1e6
				}
			}
		},
		"more refusals than fetches": func(s *savedTally) {
			for i := range s.Known {
				if f := s.Known[i].Fetches; f != nil {
					f.Refused[404] += 1e6
				}
			}
		},
	} {
		var s savedTally
		if err := json.Unmarshal([]byte(tally), &s); err != nil {
			t.Fatal(err)
		}
		change(&s)
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := reportOf(a, joined(t, string(b), records...)); err == nil {
			t.Errorf("%s: a report of %d lines, no error", name, r.Lines)
		}
	}
	for name, list := range map[string][]spill.Record{
		"a deferred record less":  records[1:],
		"no deferred records":     nil,
		"a deferred record twice": append(slices.Clone(records), records[len(records)-1]),
	} {
		// What was fetched and when is not counted, so only requests that are missing
		// can be noticed.
		if name == "a deferred record less" {
			list = slices.DeleteFunc(slices.Clone(records), func(r spill.Record) bool { return bytes.Equal(r.Data, pendingOf(t, records).Data) })
		}
		if name == "a deferred record twice" {
			list = append(slices.Clone(records), pendingOf(t, records))
		}
		if _, err := reportOf(a, joined(t, tally, list...)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"", "{", "[]", `{"Known":[{"Requests":1}]}`, `{"Lines":1e99}`, `{"Sizes":[{}]}`, `{"Period":[1,2,3]}`, `{"Period":[1]}`, `{"Known":[{"Verdicts":[-1]}]}`, `{"Samples":["%"]}`} {
		if _, err := reportOf(a, joined(t, text)); !errors.Is(err, ErrDamaged) {
			t.Errorf("tally %q: %v", text, err)
		}
	}
}

// Requests wait in a state that has counted no lines.
func TestStateOfNoLinesWithARequestIsAnError(t *testing.T) {
	a := stateAuditor(t)
	_, records := savedParts(t, stateOf(t, a, stateLog(rand.New(rand.NewPCG(1, 2)), 200)))
	if _, err := reportOf(a, joined(t, "{}", pendingOf(t, records))); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
}

// pendingOf returns a request that waits.
func pendingOf(t testing.TB, records []spill.Record) spill.Record {
	t.Helper()
	for _, r := range records {
		if rd := (&recordReader{rest: r.Data}); r.N == 1 {
			if rd.operator(); rd.byte() == recordVisit && bytes.Contains(r.Data, []byte("HTTP/1")) {
				return r
			}
		}
	}
	t.Fatal("no request waits")
	return spill.Record{}
}

// FuzzState: whatever a state holds behind checksums that are right, there is a
// report whose numbers add up, or an error.
func FuzzState(f *testing.F) {
	a := stateAuditor(f)
	tally, records := savedParts(f, stateOf(f, a, stateLog(rand.New(rand.NewPCG(1, 2)), 150)))
	for i, r := range records {
		if i%7 == 0 {
			f.Add([]byte(tally), r.Data, uint8(i))
		}
	}
	f.Add([]byte(`{}`), []byte{}, uint8(0))
	f.Fuzz(func(t *testing.T, mutated, record []byte, which uint8) {
		list := slices.Clone(records)
		list[int(which)%len(list)] = spill.Record{Data: record, N: 1 + int64(which)%3}
		if len(record) > spill.MaxRecord {
			return
		}
		for _, state := range [][]byte{joined(t, tally, list...), joined(t, string(mutated), records...), joined(t, string(mutated), list...)} {
			r, err := reportOf(a, state)
			if err == nil {
				checkSums(t, r)
				marshal(t, r)
			}
		}
	})
}

// Of several origins that a log without hosts may be of, each may have its own
// rules.
func TestStateOfALogOfTwoHosts(t *testing.T) {
	hosts, err := origin.Parse("example.com")
	if err != nil {
		t.Fatal(err)
	}
	p := history(t, policy.Options{Hosts: hosts, AssumeConstant: true},
		version{at: "https://example.com", body: robotsTxtBody}, version{at: "http://example.com", body: "User-agent: *\nDisallow: /pri\nDisallow: /only\n"})
	a := New(Config{Crawlers: crawlers(t), Policy: p})
	log := entry{target: "/private/"}.String() + "\n" + entry{target: "/only"}.String() + "\n" + entry{target: "/robots.txt"}.String()
	run := begin(t, a)
	run.Worker().Chunk(byName(t, "combined"), []byte(log))
	var b bytes.Buffer
	if err := run.WriteState(&b, nil); err != nil {
		t.Fatal(err)
	}
	got, err := reportOf(a, b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	wantCounts(t, "verdicts", got.Totals.Verdicts, map[string]int64{"violation": 1, "indeterminate": 1, "robots_fetch": 1})
	if rules := got.row("GPTBot").Rules; len(rules) != 1 || rules[0].Origin != "example.com" || rules[0].Line != 2 {
		t.Errorf("%+v", rules)
	}
	if want := marshal(t, auditText(t, a, "combined", log)); marshal(t, got) != want {
		t.Error(firstDifference(marshal(t, got), want))
	}
}
