package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/source"
)

// sampleAudit are the options of the demo.
func sampleAudit() AuditOptions {
	const sample = "../../testdata/sample/"
	return AuditOptions{LogOptions: LogOptions{Logs: Inputs{Names: []string{sample + "access.log.gz"}}, Hosts: []string{"https://lantern.example"}},
		Judging: Judging{Policy: sample + "policy.csv", Crawlers: sample + "crawlers.json"}, Identity: Identity{Ranges: []string{sample + "ranges"}}}
}

// A number of workers that is none stands for one for each processor, as for Filter.
func TestAuditWithoutWorkers(t *testing.T) {
	for _, n := range []int{0, -3} {
		o := sampleAudit()
		o.Workers = n
		if a, err := Audit(t.Context(), o); err != nil || a.Report.Totals.Requests != 2009 {
			t.Errorf("%d workers: %v, %+v", n, err, a)
		}
	}
}

// Errors can be told apart.
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

// A log that is missing leaves a partial report, and inputs may be opened ones.
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

// TestSideFilesByContent audits by side files that another process has read, when the files
// themselves are gone, and compares the report.
func TestSideFilesByContent(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/sample")); err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	log := filepath.Join(dir, "access.log.gz")
	o := AuditOptions{LogOptions: LogOptions{Logs: Inputs{Names: []string{log}}, Hosts: []string{"https://lantern.example=access.log.gz"}, Format: put("nginx.conf", "log_format main "+`'$remote_addr - - [$time_local] "$request" $status $body_bytes_sent `+
		`"$http_referer" "$http_user_agent"';`) + ":main", TimeZone: "Europe/Berlin"}, Judging: Judging{Policy: filepath.Join(dir, "policy.csv"), Crawlers: filepath.Join(dir, "crawlers.json"), Since: "30d", Now: time.Date(2026, 12, 3, 0, 0, 0, 0, time.UTC)}, Identity: Identity{Ranges: []string{filepath.Join(dir, "ranges")}, Names: put("names.tsv", "198.51.100.7\tcrawl.example.org\ttrue\n"), RangesMaxAge: 90 * 24 * time.Hour}, Extracts: Extracts{Samples: 2}, Limits: Limits{Workers: 1}}
	report := func(o AuditOptions) string {
		t.Helper()
		a, err := Audit(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(a.Report)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := report(o)
	side, err := ReadSideFiles(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	sent, err := json.Marshal(side)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"policy.csv", "robots-2026-09-07.txt", "robots-2026-11-17.txt", "nginx.conf",
		"crawlers.json", "ranges", "names.tsv"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	var received SideFiles
	if err := json.Unmarshal(sent, &received); err != nil {
		t.Fatal(err)
	}
	if got := report(AuditOptions{LogOptions: LogOptions{Logs: o.Logs},
		Shard: Shard{Side: &received}, Limits: Limits{Workers: 1}}); got != want {
		t.Errorf("by content:\n%s\nby files:\n%s", got, want)
	}
	if !strings.Contains(want, "GrabbitBot") || !strings.Contains(want, `"verified":1`) {
		t.Errorf("the case shows too little: %s", want)
	}
}

// TestWhatIfIsOfAWholeAudit: where requests are handed on, or added up elsewhere, nothing is compared.
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
		"part":     func(o *AuditOptions) { o.Part = &Part{} },
	} {
		o := o
		change(&o)
		if _, err := Audit(t.Context(), o); err == nil || !strings.Contains(err.Error(), "option WhatIf") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadSideFiles(t.Context(), o); err == nil || !strings.Contains(err.Error(), "option WhatIf") {
		t.Errorf("side files of a part: %v", err)
	}
}
