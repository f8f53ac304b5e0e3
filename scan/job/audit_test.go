package job

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/source"
)

// sampleAudit are the options of the demo.
func sampleAudit() AuditOptions {
	const sample = "../../testdata/sample/"
	return AuditOptions{LogOptions: LogOptions{Logs: Inputs{Names: []string{sample + "access.log.gz"}}, Hosts: []string{"https://lantern.example"}},
		Judging: Judging{Policy: sample + "policy.csv", Crawlers: sample + "crawlers.json"}, Identity: Identity{Ranges: []string{sample + "ranges"}}}
}

// TestAuditWithoutWorkers checks that, as for Filter, no workers means one per processor.
func TestAuditWithoutWorkers(t *testing.T) {
	for _, n := range []int{0, -3} {
		o := sampleAudit()
		o.Workers = n
		if a, err := Audit(t.Context(), o); err != nil || a.Report.Totals.Requests != 2009 {
			t.Errorf("%d workers: %v, %+v", n, err, a)
		}
	}
}

// TestAuditErrors checks that errors can be distinguished.
func TestAuditErrors(t *testing.T) {
	states := func(change func(*AuditOptions)) string {
		o := sampleAudit()
		change(&o)
		o.State, o.NoReport = filepath.Join(t.TempDir(), "a.state"), true
		if _, err := Audit(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		return o.State
	}
	one, other := states(func(*AuditOptions) {}), states(func(o *AuditOptions) { o.Samples = 2 })
	good, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	merge := func(names ...string) error {
		_, err := Merge(t.Context(), MergeOptions{States: names})
		return err
	}
	for name, c := range map[string]struct {
		err  error
		kind Kind
		is   error
	}{
		"no state": {merge(file(t, "x", "something else, and longer than the first bytes")), Input, audit.ErrNotState},
		"version":  {merge(file(t, "x", "robotsieve state 1\nmore")), Input, audit.ErrStateVersion},
		"cut":      {merge(file(t, "x", string(good[:len(good)/2]))), Input, audit.ErrDamaged},
		"missing":  {merge("none.state"), Input, os.ErrNotExist},
		"no head": {merge(file(t, "x", string(good[:bytes.IndexByte(good, '\n')+1])+strings.Repeat("\x00", 24))),
			Input, ErrBasis},
		"none":          {merge(), Usage, nil},
		"other options": {merge(one, other), Input, nil},
	} {
		if kindOf(c.err) != c.kind || c.is != nil && !errors.Is(c.err, c.is) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	var differ *BasisError
	if err := merge(one, other); !errors.As(err, &differ) || differ.One != one || differ.Other != other ||
		differ.Difference != "option Samples 0 and 2" {
		t.Errorf("%v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if a, err := Audit(ctx, sampleAudit()); a != nil || kindOf(err) != Interrupted {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestAuditOfOpenedAndMissingInputs checks that a missing log leaves a partial report, and that inputs may already
// be open.
func TestAuditOfOpenedAndMissingInputs(t *testing.T) {
	o := sampleAudit()
	var warnings []string
	o.Messages.Warn = func(message string) { warnings = append(warnings, message) }
	o.Logs.Names = []string{"missing.log"}
	o.Logs.Opened = []*source.Input{source.NewInput("memory", strings.NewReader(
		`192.0.2.1 - - [18/Nov/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "ExampleBot/1.0 (+https://a.example/)"`+"\n"),
		-1)}
	a, err := Audit(t.Context(), o)
	if err != nil || !a.Partial || !a.Report.Partial || a.Report.Lines != 1 || len(a.Report.Inputs) != 2 ||
		len(warnings) != 1 {
		t.Errorf("%v, %+v, %q", err, a, warnings)
	}
}

// TestWhatIfIsOfAWholeAudit checks that nothing is compared if requests are passed on or added up elsewhere.
func TestWhatIfIsOfAWholeAudit(t *testing.T) {
	dir := t.TempDir()
	robots, log := filepath.Join(dir, "robots.txt"), filepath.Join(dir, "a.log")
	for _, name := range []string{robots, log} {
		if err := os.WriteFile(name, []byte("User-agent: *\nDisallow: /\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o := AuditOptions{LogOptions: LogOptions{Logs: Inputs{Names: []string{log}}},
		Judging: Judging{Robots: RobotsFile{Name: robots}, WhatIf: robots}}
	for name, change := range map[string]func(*AuditOptions){
		"state":    func(o *AuditOptions) { o.State = filepath.Join(dir, "state") },
		"evidence": func(o *AuditOptions) { o.Evidence = filepath.Join(dir, "evidence") },
		"rows":     func(o *AuditOptions) { o.Rows = &Rows{} },
		"judged":   func(o *AuditOptions) { o.Judged = audit.Sinks{} },
		"policy":   func(o *AuditOptions) { o.Policy = robots },
	} {
		o := o
		change(&o)
		if _, err := Audit(t.Context(), o); err == nil || !strings.Contains(err.Error(), "option WhatIf") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStateOfAnonymousLogs checks that a state quotes a log without requests only if its lines may be shown.
func TestStateOfAnonymousLogs(t *testing.T) {
	for _, anonymous := range []bool{false, true} {
		o := AuditOptions{LogOptions: LogOptions{Logs: Inputs{Names: []string{file(t, "a.log", "from 192.0.2.77\n")}},
			Format: "combined"}}
		o.Robots.Name, o.NoReport, o.Anonymous = file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), true, anonymous
		o.State = filepath.Join(t.TempDir(), "a.state")
		_, err := Audit(t.Context(), o)
		var said []string
		merged, mergeErr := Merge(t.Context(), MergeOptions{States: []string{o.State},
			Results: Results{Messages: Messages{Warn: func(text string) { said = append(said, text) }}}})
		if merged == nil || strings.Contains(strings.Join(said, "\n"), "192.0.2.77") == anonymous {
			t.Errorf("anonymous %t: %v, %v, %q", anonymous, err, mergeErr, said)
		}
	}
}
