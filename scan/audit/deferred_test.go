package audit

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/report"
)

// recordsOf returns the only deferred record that an entry leaves, apart from visits.
func recordsOf(t *testing.T, a *Auditor, e entry, kind byte) []byte {
	t.Helper()
	run := begin(t, a)
	w := run.Worker()
	w.Chunk(byName(t, "vhost_combined"), nil, []byte(e.String()))
	if err := run.endWorkers(); err != nil {
		t.Fatal(err)
	}
	var found []byte
	for r, err := range run.deferred.All() {
		if err != nil {
			t.Fatal(err)
		}
		rd := newReader(a.config.Policy, r.Data)
		if rd.operator(); rd.kind() == kind {
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

// decideOne makes the final pass of a run over three lines and one deferred record of unknown
// origin.
func decideOne(t *testing.T, a *Auditor, record []byte) (err error) {
	t.Helper()
	run := a.Begin()
	defer run.Close() // not at the end of the test: thousands of runs would keep their memory
	w := run.Worker()
	w.Chunk(byName(t, "vhost_combined"), nil, []byte(entry{vhost: "example.com:443", target: "/robots.txt"}.String()+"\n"+
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
		"request": recordsOf(t, a, entry{vhost: "www.example.com:443", target: "/private/"}, recordEvent),
		"unknown's fetch": recordsOf(t, a, entry{vhost: "example.com:443", target: "/robots.txt", agent: acmebot,
			time: at(5)}, recordFetch),
	}
	for name, record := range good {
		if err := decideOne(t, a, record); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i := range record {
			if err := decideOne(t, a, record[:i]); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s, %d of %d bytes: %v", name, i, len(record), err)
			}
		}
		if err := decideOne(t, a, append(slices.Clip(record), 0)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s, a byte more: %v", name, err)
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
	// operator 0..1, kind 2, then fetch: time 3, crawler 11, origins 12 and 16, word 20, answer 21,
	// size 22, identity 24; request: crawler 3, origins 4 and 8, word 12, address 13, time 14, counted
	// 22, has a time 23, case 26, identity 27, outcome 28, method 29, answers 30.
	for name, record := range map[string][]byte{
		"kind of operator":             set("fetch", 0, aboutUnknown+1),
		"no operator, but a request":   {0xc6, recordEvent, 11, 0xbc},
		"kind of record":               set("fetch", 2, recordDelayed+1),
		"time before all":              set("fetch", 3, 0, 0, 0, 0, 0, 0, 0, 0),
		"time after all":               set("fetch", 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"crawler that is not there":    set("fetch", 11, 0x7f),
		"crawler without a row":        set("fetch", 11, 5), // ChatGPT-User, of the same operator
		"origin that is not there":     set("fetch", 12, 0, 0, 0, 3),
		"negative origin":              set("fetch", 12, 0xff),
		"too many origins":             set("fetch", 16, 0x7f, 0xff, 0xff, 0xff),
		"answer of no kind":            set("fetch", 21, byte(judge.Kinds)),
		"a word longer than all":       set("fetch", 20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01),
		"neither counted nor open":     set("request", 22, 2),
		"counted, and for nobody":      set("request", 22, 1),
		"without a time":               set("request", 23, 0),
		"identity":                     set("request", 27, byte(report.Identities)),
		"outcome":                      set("request", 28, byte(report.Outcomes)),
		"method":                       set("request", 29, byte(report.Methods)),
		"counted in no case":           set("request", 26, byte(ifCuts)),
		"identity of no kind":          set("fetch", 24, byte(report.Identities)),
		"request to no origin":         set("request", 8, 0, 0, 0, 0),
		"copy that says nothing known": set("request", 30, 0xff),
	} {
		if err := decideOne(t, a, record); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v in %x", name, err, record)
		}
	}
	// These are of many kinds; what they need of other records may be missing.
	for name, record := range map[string][]byte{
		"request of a site of several copies": recordsOf(t, a,
			entry{vhost: "example.com:443", target: "/?s=1", time: at(day0)}, recordEvent),
		"evasive": recordsOf(t, a, entry{vhost: "www.example.com:443", target: "//private/"},
			recordEvent),
		"answer": recordsOf(t, a,
			entry{vhost: "example.com:443", target: "/robots.txt", agent: browser}, recordAnswer),
	} {
		if err := decideOne(t, a, record); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		good[name] = record
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for range 2000 {
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
