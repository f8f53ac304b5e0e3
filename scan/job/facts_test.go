package job

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// TestFactsThatCannotBeUsed gives an audit of a part the facts of another audit, and files that are
// none.
func TestFactsThatCannotBeUsed(t *testing.T) {
	o := manyLogs(t)
	side, err := ReadSideFiles(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	state, facts := filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "facts")
	part := AuditOptions{Results: Results{NoReport: true}, Logs: Inputs{Names: o.Logs.Names[:2]}, Side: side,
		Part: &Part{}}
	part.State = state
	if _, err := Audit(t.Context(), part); err != nil {
		t.Fatal(err)
	}
	if err := WriteFacts(t.Context(), state, facts, 0); err != nil {
		t.Fatal(err)
	}
	o.Since, part.State = "2026-11-10", ""
	other, err := ReadSideFiles(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged")
	data, err := os.ReadFile(facts)
	if err == nil {
		err = os.WriteFile(damaged, data[:len(data)/2], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	rows := func(o AuditOptions) error {
		o.Rows = wide(&strings.Builder{}, false)
		_, err := Audit(t.Context(), o)
		return err
	}
	part.Facts = facts
	if err := rows(part); err != nil {
		t.Fatal(err)
	}
	var e *Error
	var basis *BasisError
	for name, c := range map[string]struct {
		change func(*AuditOptions)
		is     func(error) bool
	}{
		"no part":      {func(o *AuditOptions) { o.Part = nil }, func(error) bool { return e.Kind == Usage }},
		"a state, too": {func(o *AuditOptions) { o.State = state + "2" }, func(error) bool { return e.Kind == Usage }},
		"another basis": {func(o *AuditOptions) { o.Side = other },
			func(err error) bool { return errors.As(err, &basis) && strings.Contains(err.Error(), "--since") }},
		"a state": {func(o *AuditOptions) { o.Facts = state },
			func(err error) bool { return errors.Is(err, audit.ErrNotState) && strings.Contains(err.Error(), state) }},
		"damaged": {func(o *AuditOptions) { o.Facts = damaged }, func(err error) bool {
			return errors.Is(err, audit.ErrDamaged) && strings.Contains(err.Error(), damaged)
		}},
		"missing": {func(o *AuditOptions) { o.Facts = damaged + "2" },
			func(err error) bool { return errors.Is(err, os.ErrNotExist) }},
	} {
		o := part
		c.change(&o)
		if err := rows(o); !errors.As(err, &e) || !c.is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	part.Facts = facts
	if _, err := Audit(t.Context(), part); !errors.As(err, &e) || e.Kind != Usage {
		t.Errorf("no rows: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for name, err := range map[string]error{
		"of facts":   WriteFacts(t.Context(), facts, facts+"2", 0),
		"of no file": WriteFacts(t.Context(), state+"3", facts+"2", 0),
		"stopped":    WriteFacts(stopped, state, facts+"2", 0),
	} {
		if _, missing := os.Stat(facts + "2"); !errors.As(err, &e) || missing == nil {
			t.Errorf("facts %s: %v", name, err)
		}
	}
}
