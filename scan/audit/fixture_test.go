package audit

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

var update = flag.Bool("update", false, "write the state of this form, and its report, into testdata/states")

// The files in testdata/states are the state of a small log, by each form that there was, and
// the report of the newest. Old states are never changed.
//
//	log          in vhost_combined
//	form10.state  its state, judged by fixtureAuditor
//	form10.json   the report of that
//	form8.state  that of a program of form 8, of the same log; form4.state and so on likewise
const (
	fixtures = "testdata/states"
	newest   = "form10"
)

func fixtureAuditor(t *testing.T) *Auditor {
	const delayed = "User-agent: *\nCrawl-delay: 5\nDisallow: /private/\n"
	set := crawlers(t)
	return New(Config{
		Crawlers: set, Identities: known(t, set, map[string]string{"Googlebot": "192.0.2.0/24\n"}),
		Policy: history(t, policy.Options{},
			version{from: -9 * day0, body: robotsTxtBody}, version{from: -3 * day0, body: delayed},
			version{from: 3 * day0, status: 404},
			version{from: 5 * day0, status: 503}, version{from: 6 * day0, body: delayed},
			version{at: "https://www.example.com", from: -9 * day0, body: delayed}),
	})
}

func readFixture(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(fixtures, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A state that an earlier program of this form and these semantics wrote is read to the same
// report, and the same log makes the same bytes: else states of two programs are added up
// that do not mean the same.
func TestStateFixture(t *testing.T) {
	const raise = "If states have another form now, raise stateForm; if the same lines are counted in another way, " +
		"raise Semantics. Then keep the old state, add it to TestOldStatesAreRefused, and write new files by: " +
		"go test ./scan/audit -run StateFixture -update"
	a := fixtureAuditor(t)
	state := stateOf(t, a, strings.Split(string(readFixture(t, "log")), "\n"))
	report := func(state []byte) string {
		r, err := reportOf(a, state)
		if err != nil {
			t.Fatalf("%v. %s", err, raise)
		}
		return marshal(t, report.Texts(r, report.Printable[string])) + "\n"
	}
	if *update {
		for name, b := range map[string][]byte{newest + ".state": state, newest + ".json": []byte(report(state))} {
			if err := os.WriteFile(filepath.Join(fixtures, name), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	kept := readFixture(t, newest+".state")
	if got, want := report(kept), string(readFixture(t, newest+".json")); got != want {
		t.Errorf("the state that was kept gives another report: %s. %s", firstDifference(got, want), raise)
	}
	if !bytes.Equal(state, kept) {
		t.Errorf("the same log makes another state. %s", raise)
	}
}

// A state that another program made is refused, with both numbers and what to do.
func TestOldStatesAreRefused(t *testing.T) {
	good := string(readFixture(t, newest+".state"))
	line, rest, _ := strings.Cut(good, "\n")
	for what, c := range map[string]struct{ state, says string }{
		"form 8": {string(readFixture(t, "form8.state")), "form 8, and this program reads form 10 only"},
		"a later form": {strings.Replace(line, "state 10", "state 90", 1) + "\n" + rest,
			"form 90, and this program reads form 10 only"},
		"older semantics": {strings.Replace(line, "semantics 3", "semantics 2", 1) + "\n" + rest,
			"semantics 2, and this program reads semantics 3 only"},
		"another schema": {strings.Replace(line, report.Schema, "robotsieve.audit/2", 1) + "\n" + rest,
			"schema robotsieve.audit/2, and this program reads schema " + report.Schema + " only"},
	} {
		_, err := ReadState(strings.NewReader(c.state), int64(len(c.state)))
		if !errors.Is(err, ErrStateVersion) || !strings.Contains(err.Error(), c.says) ||
			!strings.Contains(err.Error(), "audit its logs again") {
			t.Errorf("%s: %v, want %q", what, err, c.says)
		}
	}
}
