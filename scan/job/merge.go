package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
)

// MergeOptions say which states Merge adds up.
type MergeOptions struct {
	// States are the names of files that Audit or Merge has written.
	States []string
	// State names a file for the state of the sum; "" is none.
	State string
	// NoReport: only the state is made.
	NoReport bool

	Memory   int64 // as in AuditOptions
	Messages Messages
}

// ErrBasis is the error for a state whose head this package has not written.
var ErrBasis = errors.New("the head of the state is invalid")

// BasisError is the error of states that were judged by different files or options, so
// that they do not add up.
type BasisError struct {
	One, Other string // names of two states
	Difference string // the first difference between them
}

// Error names the two states and the difference.
func (e *BasisError) Error() string {
	return fmt.Sprintf("%s and %s: judged by other files or flags, so the two do not add up; they differ in %s", e.One, e.Other, e.Difference)
}

// Merge adds up states, each of a part of the logs, and makes the report that one audit
// of all of them would have made. An error is of type *Error and may wrap a *BasisError,
// ErrBasis, or one of audit.ErrNotState, audit.ErrStateVersion and audit.ErrDamaged. If
// only the state of the sum could not be written, the result is whole.
func Merge(ctx context.Context, o MergeOptions) (*Audited, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	m := &states{messages: o.Messages}
	a, config, err := m.open(o.States)
	if err != nil {
		return nil, inputError(err)
	}
	config.Memory = o.Memory
	a.state, a.noReport, a.crawlers = o.State, o.NoReport, config.Crawlers
	a.run = audit.New(config).Begin()
	defer a.run.Close()
	for i, state := range m.list {
		if err := a.run.Add(state); err != nil {
			return nil, inputError(fmt.Errorf("%s: %w", m.names[i], err))
		}
	}
	a.run.StopAt(ctx)
	return a.finish(ctx, nil)
}

// check refuses to write the sum where that is not possible, or over one of the states.
func (o *MergeOptions) check() error {
	if len(o.States) == 0 {
		return usageError("no states: name the files that audit --state has written")
	}
	if o.State == "" {
		return nil
	}
	if out, err := os.Stat(o.State); err == nil {
		for _, state := range o.States {
			if info, err := os.Stat(state); err == nil && os.SameFile(out, info) {
				return usageError("--state %s would replace %s, which is to be read", o.State, state)
			}
		}
	}
	if err := checkOutput(o.State); err != nil {
		return inputError(err)
	}
	return nil
}

// states are the states to add up.
type states struct {
	messages Messages
	names    []string
	infos    []os.FileInfo
	list     []*audit.State
}

// open opens the states, one that is named twice only once, and returns their common
// basis and all their inputs.
func (m *states) open(names []string) (a *auditing, config audit.Config, err error) {
	for _, name := range names {
		f, err := newStateFile(name)
		if err != nil {
			return nil, config, err
		}
		if i := slices.IndexFunc(m.infos, func(other os.FileInfo) bool { return os.SameFile(f.info, other) }); i >= 0 {
			m.messages.warn("%s and %s are one file, which is counted once", m.names[i], name)
			continue
		}
		state, err := audit.ReadState(f, f.info.Size())
		if err != nil {
			return nil, config, fmt.Errorf("%s: %w", name, err)
		}
		m.names, m.infos, m.list = append(m.names, name), append(m.infos, f.info), append(m.list, state)
	}
	a = &auditing{messages: m.messages, basis: &basis{}}
	var first json.RawMessage
	seen := map[audit.InputInfo]int{}
	for i, state := range m.list {
		var head stateHead
		if err := json.Unmarshal(state.Head, &head); err != nil {
			return nil, config, fmt.Errorf("%s: %w: %w", m.names[i], ErrBasis, err)
		}
		if i == 0 {
			first = head.Basis
		} else if !bytes.Equal(head.Basis, first) {
			return nil, config, &BasisError{m.names[0], m.names[i], difference(first, head.Basis)}
		}
		in := &a.inputs
		in.List = append(in.List, head.Inputs...)
		in.Warnings = append(append(in.Warnings, m.readTwice(i, head.Inputs, seen)...), head.Warnings...)
		if head.Partial {
			m.messages.warn("%s: not all of its input was read", m.names[i])
			in.Partial = true
		}
	}
	slices.Sort(a.inputs.Warnings)
	a.inputs.Warnings = slices.Compact(a.inputs.Warnings)
	// The basis is trusted no more than the files and options that it was made from.
	if err = json.Unmarshal(first, a.basis); err == nil {
		err = a.basis.check()
	}
	if err == nil {
		config, err = a.basis.config()
	}
	if err != nil {
		return nil, config, fmt.Errorf("%s: %w: %w", m.names[0], ErrBasis, err)
	}
	return a, config, nil
}

// readTwice warns of inputs of a state that look like inputs of another one, so that
// their lines may be counted twice. seen has the state in which an input was.
func (m *states) readTwice(state int, inputs []audit.InputInfo, seen map[audit.InputInfo]int) (warnings []string) {
	for _, in := range inputs {
		other, known := seen[in]
		if known && other != state && in.Bytes > 0 {
			w := fmt.Sprintf("%s, of %s, is in %s and in %s: if that is one file, its lines are counted twice.",
				in.Name, english.Plural(in.Bytes, "byte"), m.names[other], m.names[state])
			m.messages.warn("%s", w)
			warnings = append(warnings, audit.Printable(w))
		}
		if !known {
			seen[in] = state
		}
	}
	return warnings
}
