package job

import (
	"context"
	"errors"
	"io/fs"
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
	part := AuditOptions{Results: Results{NoReport: true}, LogOptions: LogOptions{Logs: Inputs{Names: o.Logs.Names[:2]}},
		Shard: Shard{Side: side, Part: &Part{}}}
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
	data, err := os.ReadFile(facts)
	if err != nil {
		t.Fatal(err)
	}
	damaged := file(t, "damaged", string(data[:len(data)/2]))
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
	usage := func(error) bool { return e.Kind == Usage }
	names := func(is error, name string) func(error) bool {
		return func(err error) bool { return errors.Is(err, is) && strings.Contains(err.Error(), name) }
	}
	for name, c := range map[string]struct {
		change func(*AuditOptions)
		is     func(error) bool
	}{
		"no part":      {func(o *AuditOptions) { o.Part = nil }, usage},
		"a state, too": {func(o *AuditOptions) { o.State = state + "2" }, usage},
		"another basis": {func(o *AuditOptions) { o.Side = other },
			func(err error) bool { return errors.As(err, &basis) && strings.Contains(err.Error(), "option Since") }},
		"a state": {func(o *AuditOptions) { o.Facts = state }, names(audit.ErrNotState, state)},
		"damaged": {func(o *AuditOptions) { o.Facts = damaged }, names(audit.ErrDamaged, damaged)},
		"missing": {func(o *AuditOptions) { o.Facts = damaged + "2" }, names(os.ErrNotExist, damaged)},
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

// A state that is changed or removed while it is added up is not read as the same.
func TestStateFilesThatChange(t *testing.T) {
	f, err := newStateFile(file(t, "a.state", "headnumber"))
	if err != nil {
		t.Fatal(err)
	}
	var b [6]byte
	if _, err := f.ReadAt(b[:], 4); err != nil || string(b[:]) != "number" {
		t.Errorf("%s, %v", b, err)
	}
	if err := os.WriteFile(f.name, []byte("of another length"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(b[:], 0); err == nil || !strings.Contains(err.Error(), "has changed while it was read") {
		t.Errorf("changed: %v", err)
	}
	if err := os.Remove(f.name); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(b[:], 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed: %v", err)
	}
}

// A part of a state that takes more memory than there is is not read, and the error says how
// much would do.
func TestStatePartIsBounded(t *testing.T) {
	f, err := newStateFile(file(t, "a.state", strings.Repeat("x", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	f.most = 1 << 19
	if n, err := f.ReadAt(make([]byte, 1<<19), 0); n != 1<<19 || err != nil {
		t.Error(n, err)
	}
	if _, err := f.ReadAt(make([]byte, 1<<20), 0); err == nil || !strings.Contains(err.Error(), "option Memory 5MB would do") {
		t.Error(err)
	}
}
