package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/internal/basis"
	"github.com/robotsieve/robotsieve/scan/internal/loginfo"
	"github.com/robotsieve/robotsieve/scan/report"
)

// stateHead is the head of a state. Its texts may be invalid UTF-8.
type stateHead struct {
	Program  string       `json:",omitempty"` // the version that wrote it
	Basis    basis.Packed // without the lists and names
	Inputs   []loginfo.Info
	Warnings []string
	Notes    []string
	Partial  bool
	TimeZone string `json:",omitempty"` // the time zone of its days
}

// rewrite calls write once for each text that may not be UTF-8. It replaces the lists by copies.
func (h *stateHead) rewrite(write report.Rewriter) {
	write.Texts(&h.Program, &h.TimeZone)
	write.Lists(&h.Warnings, &h.Notes)
	report.Each(&h.Inputs, func(log *loginfo.Info) {
		log.Rewrite(write)
		write.Texts(&log.First)
	})
}

// beginState writes the state to a file that gets its name when committed; nil without
// a state. The state of incomplete logs replaces no other, whose counts it could not restore.
func (a *auditRun) beginState() (*disk.Unnamed, error) {
	if a.State == "" {
		return nil, nil
	}
	if old, err := disk.Stat(a.State); a.incomplete && !a.Force && err == nil && old.Size() > 0 {
		return nil, fmt.Errorf("%s: the old state is kept, because not all of the logs could be read; "+
			"option Force replaces it", a.State)
	}
	packed, err := a.basis.Packed()
	if err != nil {
		return nil, err
	}
	s := stateHead{a.Program, packed, a.logs, a.inputs.Warnings, a.inputs.Notes, a.inputs.Partial, a.inputs.TimeZone}
	s.rewrite(report.ToUTF8)
	head, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return a.stateFile().Begin(func(w io.Writer) error { return a.run.WriteState(w, head) })
}

// MergeOptions select the states that Merge adds up.
type MergeOptions struct {
	Results
	// Memory is how many bytes the job may hold; 0 is DefaultMemory.
	Memory int64
	// States are the names of files written by Audit or Merge.
	States []string
}

// ErrBasis is the error for a state with a head that this package has not written.
var ErrBasis = errors.New("the head of the state is invalid")

// BasisError is the error of states that were judged by different files or options, so
// that they do not add up.
type BasisError struct {
	One, Other string // names of two states
	Difference string // the first difference between them
}

// Error names the two states and the difference.
func (e *BasisError) Error() string {
	return fmt.Sprintf("%s and %s: judged by other files or flags, so the two do not add up; they differ in %s", e.One,
		e.Other, e.Difference)
}

// Merge adds up states, each of a part of the logs, and makes the report that one audit
// of all of them would have made. An error is of type *Error and may wrap a *BasisError,
// ErrBasis, or one of audit.ErrNotState, audit.ErrStateVersion and audit.ErrDamaged. If
// only the state of the sum or files of the report could not be written, the result is complete.
func Merge(ctx context.Context, o MergeOptions) (*Audited, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	m := &states{MergeOptions: o, memory: newBudget(o.Memory)}
	a, config, err := m.open()
	if err != nil {
		return nil, inputError(err)
	}
	if err := o.choose(&config); err != nil {
		return nil, err
	}
	shares, err := m.memory.divide(1, nil)
	if err != nil {
		return nil, err
	}
	config.Memory = shares.rest
	a.inputs.Program, a.inputs.Command, a.inputs.MaxUnparsed = o.Program, o.Command, a.basis.MaxUnparsed
	a.known, a.inputs.By = config.Crawlers, o.By
	a.run = audit.New(config).Begin()
	defer a.run.Close()
	if err := m.addTo(a.run); err != nil {
		return nil, err
	}
	a.run.StopAt(ctx)
	return a.finish(ctx, nil)
}

func (m *states) addTo(run *audit.Run) error {
	for _, file := range m.list {
		state, err := audit.ReadState(file, file.info.Size())
		if err == nil {
			err = run.Add(state)
		}
		if err != nil {
			return inputError(fmt.Errorf("%s: %w", file.name, err))
		}
	}
	return nil
}

// validate refuses to write the sum to an invalid place or over one of the states.
func (o *MergeOptions) validate() error {
	if len(o.States) == 0 {
		return usageError("no states: name the files that audit option State has written")
	}
	return checkOutputs(disk.Inputs{Names: o.States}, disk.Streams(o.Stdout, o.Messages.To), o.outputs()...)
}

// states are the states to add up. There may be thousands, so only the list of inputs is
// kept of each.
type states struct {
	MergeOptions
	memory *budget
	list   []*stateFile
	basis  basis.Packed // of the first state, and of all others
}

// open opens the states and returns their common basis and all their inputs.
func (m *states) open() (a *auditRun, config audit.Config, err error) {
	for _, name := range m.States {
		if err := m.read(name); err != nil {
			return nil, config, err
		}
	}
	a = &auditRun{Results: m.Results}
	in := &a.inputs
	in.Warnings = m.dropRepeated()
	zones := map[string]bool{}
	for _, file := range m.list {
		head := &file.head
		a.logs = append(a.logs, head.Inputs...)
		in.Warnings, in.Notes = append(in.Warnings, head.Warnings...), append(in.Notes, head.Notes...)
		if head.Partial {
			m.Messages.warn("%s: not all of its input was read", file.name)
		}
		in.Partial, zones[head.TimeZone] = in.Partial || head.Partial, true
	}
	in.TimeZone = m.list[0].head.TimeZone
	if len(zones) > 1 {
		in.TimeZone = ""
		in.Notes = append(in.Notes, "The days of figures over time have several time zones, since the states were made with "+
			"different option TimeZone.")
	}
	in.Warnings, in.Notes = loginfo.Set(in.Warnings), loginfo.Set(in.Notes)
	if a.basis, err = m.basis.Unpack(); err == nil {
		if err := m.memory.loadBasis(a.basis); err != nil {
			return nil, config, err
		}
		config, err = a.basis.Config()
	}
	if err == nil {
		config.Zone, err = report.Zone(in.TimeZone)
	}
	if err != nil {
		return nil, config, fmt.Errorf("%s: %w: %w", m.list[0].name, ErrBasis, err)
	}
	return a, config, nil
}

// read opens a state, unless its file has been opened already.
func (m *states) read(name string) error {
	f, err := newStateFile(name)
	if err != nil {
		return err
	}
	same := func(other *stateFile) bool { return os.SameFile(f.info, other.info) }
	if i := slices.IndexFunc(m.list, same); i >= 0 {
		m.Messages.warn("%s and %s are one file, which is counted once", m.list[i].name, name)
		return nil
	}
	f.most = m.memory.statePart()
	state, err := audit.ReadState(f, f.info.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var head stateHead
	if err := json.Unmarshal(state.Head, &head); err != nil {
		return fmt.Errorf("%s: %w: %w", name, ErrBasis, err)
	}
	if len(m.list) == 0 {
		m.basis = head.Basis
		m.memory.loaded += int64(len(m.basis.Basis))
	} else if what := basis.Difference(&m.basis, &head.Basis); what != "" {
		return &BasisError{m.list[0].name, name, what}
	}
	head.Basis = basis.Packed{}
	m.memory.loaded += int64(inputBytes + len(name) + len(head.Inputs)*2*inputBytes)
	head.rewrite(report.FromUTF8)
	f.head = head
	m.list = append(m.list, f)
	return nil
}

// dropRepeated leaves out states whose logs all occur in another one, unless duplicates are to be counted. It warns
// of logs that occur twice.
func (m *states) dropRepeated() (warnings []string) {
	all := make([]loginfo.State, len(m.list))
	for i, file := range m.list {
		all[i] = loginfo.State{Name: file.name, Logs: file.head.Inputs}
	}
	repeated, warnings := loginfo.Repeated(all, m.AllowDuplicates)
	var kept []*stateFile
	for i, file := range m.list {
		if !repeated[i] {
			kept = append(kept, file)
		}
	}
	m.Messages.warnAll(warnings)
	m.list = kept
	return warnings
}

// stateFile is the file of a state. It is open only while it is read, since a process
// may have few files open, such as 256 on macOS. It is safe for concurrent use.
type stateFile struct {
	name string
	info fs.FileInfo // when it was first seen
	most int64       // bytes to be read at once; 0 is no limit
	head stateHead   // without the basis
}

func newStateFile(name string) (*stateFile, error) {
	info, err := disk.Stat(name)
	return &stateFile{name: name, info: info}, err
}

// Name returns the name of the file, for errors of package spill.
func (f *stateFile) Name() string { return f.name }

// ReadAt implements io.ReaderAt. It is an error if the file has changed, or if a part does not
// fit into memory.
func (f *stateFile) ReadAt(p []byte, off int64) (int, error) {
	if f.most > 0 && int64(len(p)) > f.most {
		return 0, fmt.Errorf("%s: has a part of %d bytes: option Memory %dMB would do", f.name, len(p),
			memoryForPart(int64(len(p)))/1_000_000+1)
	}
	file, err := disk.Open(f.name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !(os.SameFile(info, f.info) && info.Size() == f.info.Size() &&
		info.ModTime().Equal(f.info.ModTime())) {
		err = fmt.Errorf("%s: has changed while it was read", f.name)
	}
	if err != nil {
		return 0, err
	}
	return file.ReadAt(p, off)
}
