package audit

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/policy"
)

// recordsOf returns the only deferred record that an entry leaves, apart from visits.
func recordsOf(t *testing.T, a *Auditor, e entry, kind byte) []byte {
	t.Helper()
	run := begin(t, a)
	w := run.Worker()
	w.Chunk(byName(t, "vhost_combined"), []byte(e.String()))
	if err := run.gather(); err != nil {
		t.Fatal(err)
	}
	var found []byte
	for r, err := range run.deferred.All() {
		if err != nil {
			t.Fatal(err)
		}
		rd := &recordReader{policy: a.config.Policy, rest: r.Data}
		if rd.operator(); rd.byte() == kind {
			if found != nil {
				t.Fatal("two deferred records")
			}
			found = bytes.Clone(r.Data)
		}
	}
	if found == nil {
		t.Fatal("no deferred record")
	}
	return found
}

func TestLateFetchHoldsWhatWasTold(t *testing.T) {
	a := stateAuditor(t)
	for _, c := range []struct {
		status, size string
		want         answerKind
	}{
		{"200", "512", toldFile},
		{"206", "1", toldFile},
		{"304", "-", toldSame},
		{"304", "0", toldSame},
		{"200", "0", toldNone},
		{"200", "-", toldNone},
		{"204", "-", toldNone},
		{"204", "512", toldNone},
		{"404", "512", toldGone},
		{"401", "512", toldNone},
		{"403", "0", toldNone},
		{"410", "-", toldGone},
		{"429", "0", toldLimited},
		{"408", "0", toldNone},
		{"444", "0", toldFailed},
		{"499", "0", toldFailed},
		{"301", "0", toldRedirect},
		{"307", "512", toldRedirect},
		{"500", "512", toldError},
		{"502", "0", toldError},
		{"503", "0", toldBusy},
		{"-", "0", toldFailed},
	} {
		e := entry{vhost: "example.com:443", target: "/robots.txt", status: c.status, size: c.size, time: at(-100)}
		rd := &recordReader{policy: a.config.Policy, rest: recordsOf(t, a, e, recordFetch)}
		_, name := rd.operator()
		rd.byte()
		x := fetch{t: rd.time()}
		x.crawlerAt = rd.crawlerAt()
		rd.answer(&x)
		ambiguous, address := rd.byte(), rd.bytes()
		rd.end()
		size := int64(0)
		if c.status == "200" {
			fmt.Sscan(c.size, &size)
		}
		if rd.bad() || name != "" || x.t != moment(-100) || x.at.N != 1 || x.kind != c.want || x.size != size ||
			x.identity != Unverified || ambiguous != 0 || len(address) > 0 {
			t.Errorf("status %s, size %s: %+v, want kind %d; bad: %v", c.status, c.size, x, c.want, rd.bad())
		}
	}
}

func TestLateRequestIsReadAsItWasWritten(t *testing.T) {
	a := stateAuditor(t)
	a.config.Addresses = true
	e := entry{vhost: "www.example.com:443", addr: "198.51.100.7", target: "/private/x", method: "HEAD", status: "403",
		time: at(60), agent: acmebot}
	rd := &recordReader{policy: a.config.Policy, rest: recordsOf(t, a, e, recordVisit)}
	key, name := rd.operator()
	if want := "\x02acmebot\x00"; string(key) != want || name != "acmebot" {
		t.Errorf("operator %q, name %q; want %q", key, name, want)
	}
	rd.byte()
	who := rd.crawlerAt()
	copies := a.config.Policy.Copies(who.at.First)
	address, when, kind := rd.bytes(), rd.time(), rd.byte()
	identity, what, answers := rd.identity(), rd.byte(), rd.runs(nil, copies)
	version, line, size, path, sample := rd.uvarint(uint64(copies)), rd.uint32(), rd.uvarint(512), rd.bytes(), rd.rest
	if rd.bad() || kind != visitRequest || who.crawler != 0 || who.at.N != 1 || len(answers) != copies || version == 0 ||
		line == 0 ||
		Outcome(what>>4) != Refused || Method(what&15) != Head || identity != Unverifiable || when != moment(60) ||
		string(address) != "198.51.100.7" || size != 512 || string(path) != "/private/x" || string(sample) != e.String() {
		t.Errorf("%+v, answers %v, line %d, %x, %d, %d, %q, %q", who, answers, line, what, identity, when, address, sample)
	}
}

func TestLateVisitIsReadAsItWasWritten(t *testing.T) {
	a := stateAuditor(t)
	e := entry{vhost: "www.example.com:443", addr: "2001:db8::1", target: "/x", time: at(-7)}
	rd := &recordReader{policy: a.config.Policy, rest: recordsOf(t, a, e, recordDelayed)}
	rd.operator()
	rd.byte()
	who, address, when, delay := rd.crawlerAt(), rd.bytes(), rd.time(), rd.delay()
	rd.end()
	if rd.bad() || a.config.Policy.Origins()[who.at.First].Host != "www.example.com" || string(address) != "2001:db8::1" ||
		when != moment(-7) || delay != 5000 {
		t.Errorf("%+v %q %d %d, bad: %v", who, address, when, delay, rd.bad())
	}
}

func TestTimesAreInTheOrderOfTheirBytes(t *testing.T) {
	list := []int64{earliest, -1e18, -1, 0, 1, 1e18, latest}
	for i, x := range list {
		rd := &recordReader{rest: appendTime(nil, x)}
		if got := rd.time(); got != x || rd.bad() {
			t.Errorf("%d is read as %d, bad: %v", x, got, rd.bad())
		}
		if i > 0 && bytes.Compare(appendTime(nil, list[i-1]), appendTime(nil, x)) >= 0 {
			t.Errorf("%d is not before %d", list[i-1], x)
		}
	}
	for _, x := range []int64{earliest - 1, latest + 1, policy.MinTime, 1<<63 - 1} {
		if rd := (&recordReader{rest: appendTime(nil, x)}); rd.time() != x || !rd.bad() {
			t.Errorf("%v is taken", time.Unix(0, x))
		}
	}
}

// decideOne makes the final pass of a run over three lines and one deferred record of unknown
// origin.
func decideOne(t *testing.T, a *Auditor, record []byte) (err error) {
	t.Helper()
	run := a.Begin()
	defer run.Close() // not at the end of the test: thousands of runs would keep their memory
	w := run.Worker()
	w.Chunk(byName(t, "vhost_combined"), []byte(entry{vhost: "example.com:443", target: "/robots.txt"}.String()+"\n"+
		entry{vhost: "example.com:443", target: "/robots.txt", agent: acmebot}.String()+"\n"+entry{agent: browser}.String()))
	if err := w.deferred.Add(record); err != nil {
		t.Fatal(err)
	}
	if _, err = run.Report(Inputs{}); errors.Is(err, errSum) {
		return nil // the record is of no line
	}
	return err
}

// Any bytes of a deferred record give a verdict or an error.
func TestLateRecordsThatMakeNoSenseAreErrors(t *testing.T) {
	a := stateAuditor(t)
	good := map[string][]byte{
		"fetch":   recordsOf(t, a, entry{vhost: "example.com:443", target: "/robots.txt", time: at(5)}, recordFetch),
		"delayed": recordsOf(t, a, entry{vhost: "www.example.com:443", time: at(5)}, recordDelayed),
		"request": recordsOf(t, a, entry{vhost: "www.example.com:443", target: "/private/"}, recordVisit),
		"unknown's fetch": recordsOf(t, a, entry{vhost: "example.com:443", target: "/robots.txt", agent: acmebot,
			time: at(5)}, recordFetch),
	}
	for name, record := range good {
		if err := decideOne(t, a, record); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i := range record {
			if name == "request" && i >= len(record)-len(entry{vhost: "www.example.com:443", target: "/private/"}.String()) {
				break // it has the beginning of a sample
			}
			if err := decideOne(t, a, record[:i]); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s, %d of %d bytes: %v", name, i, len(record), err)
			}
		}
		if name != "request" {
			if err := decideOne(t, a, append(slices.Clip(record), 0)); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s, a byte more: %v", name, err)
			}
		}
	}
	set := func(name string, at int, b ...byte) []byte {
		record := slices.Clone(good[name])
		if at < 0 {
			at += len(record)
		}
		copy(record[at:], b)
		return record
	}
	// operator 0..1, kind 2, then fetch: time 3, crawler 11, origins 12 and 16, word 20,
	// answer 21, size 22, identity 30, use 31, address 32; request and delayed: crawler
	// 3, origins 4 and 8, word 12; request: address 13, time 14, kind of visit 22, identity
	// 23, outcome and method 24, answers 25.
	for name, record := range map[string][]byte{
		"kind of operator":             set("fetch", 0, aboutUnknown+1),
		"no operator, but a request":   {0xc6, recordVisit, 11, 0xbc},
		"kind of record":               set("fetch", 2, recordDelayed+1),
		"time before all":              set("fetch", 3, 0, 0, 0, 0, 0, 0, 0, 0),
		"time after all":               set("fetch", 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"crawler that is not there":    set("fetch", 11, 0x7f),
		"crawler without a row":        set("fetch", 11, 5), // ChatGPT-User, of the same operator
		"origin that is not there":     set("fetch", 12, 0, 0, 0, 3),
		"negative origin":              set("fetch", 12, 0xff),
		"too many origins":             set("fetch", 16, 0x7f, 0xff, 0xff, 0xff),
		"answer of no kind":            set("fetch", 21, byte(answerKinds)),
		"a word longer than all":       set("fetch", 20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01),
		"kind of visit":                set("request", 22, visitSettled+1),
		"outcome":                      set("request", 24, byte(outcomes)<<4),
		"method":                       set("request", 24, byte(methods)),
		"identity":                     set("request", 23, byte(identities)),
		"identity of no kind":          set("fetch", 30, byte(identities)),
		"request to no origin":         set("request", 8, 0, 0, 0, 0),
		"copy that says nothing known": set("request", 25, 0xff),
	} {
		if err := decideOne(t, a, record); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v in %x", name, err, record)
		}
	}
	// These are of many kinds; what they need of other records may be missing.
	for name, record := range map[string][]byte{
		"request of a site of several copies": recordsOf(t, a,
			entry{vhost: "example.com:443", target: "/?s=1", time: at(day0)}, recordVisit),
		"evasive": recordsOf(t, a, entry{vhost: "www.example.com:443", target: "//private/"},
			recordVisit),
		"answer": recordsOf(t, a,
			entry{vhost: "example.com:443", target: "/robots.txt", agent: browser}, recordAnswer),
	} {
		if err := decideOne(t, a, record); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		good[name] = record
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for range 5000 {
		var list [][]byte
		for _, record := range good {
			list = append(list, record)
		}
		record := slices.Clone(list[rng.IntN(len(list))])
		for range 1 + rng.IntN(4) {
			record[rng.IntN(len(record))] = byte(rng.IntN(256))
		}
		decideOne(t, a, record) // does not panic
	}
}
