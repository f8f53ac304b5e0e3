package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/internal/basis"
	"github.com/robotsieve/robotsieve/scan/report"
)

// stateHead is the head of a state. Its texts may be invalid UTF-8.
type stateHead struct {
	Program  string       `json:",omitempty"` // the version that wrote it
	Basis    basis.Packed // without the lists and names
	Inputs   []logInfo
	Warnings []string
	Notes    []string
	Partial  bool
	TimeZone string `json:",omitempty"` // the time zone of its days
}

// rewrite calls write once for each text that may not be UTF-8. It replaces the lists by copies.
func (h *stateHead) rewrite(write report.Rewriter) {
	write.Texts(&h.Program, &h.TimeZone)
	write.Lists(&h.Warnings, &h.Notes)
	report.Each(&h.Inputs, func(log *logInfo) {
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
	m := &states{messages: o.Messages, allowDuplicates: o.AllowDuplicates, memory: newBudget(o.Memory)}
	a, config, err := m.open(o.States)
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
	a.Results, a.known, a.inputs.By = o.Results, config.Crawlers, o.By
	a.run = audit.New(config).Begin()
	defer a.run.Close()
	if err := m.addTo(a.run); err != nil {
		return nil, err
	}
	a.run.StopAt(ctx)
	return a.finish(ctx, nil)
}

// addTo adds the states to a run.
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
	messages        Messages
	memory          *budget
	allowDuplicates bool
	list            []*stateFile
	basis           basis.Packed // of the first state, and of all others
}

// open opens the states and returns their common basis and all their inputs.
func (m *states) open(names []string) (a *auditRun, config audit.Config, err error) {
	for _, name := range names {
		if err := m.read(name); err != nil {
			return nil, config, err
		}
	}
	a = &auditRun{Results: Results{Messages: m.messages}}
	in := &a.inputs
	in.Warnings = m.dropDuplicates()
	zones := map[string]bool{}
	for _, file := range m.list {
		head := &file.head
		a.logs = append(a.logs, head.Inputs...)
		in.Warnings, in.Notes = append(in.Warnings, head.Warnings...), append(in.Notes, head.Notes...)
		if head.Partial {
			m.messages.warn("%s: not all of its input was read", file.name)
		}
		in.Partial, zones[head.TimeZone] = in.Partial || head.Partial, true
	}
	in.TimeZone = m.list[0].head.TimeZone
	if len(zones) > 1 {
		in.TimeZone = ""
		in.Notes = append(in.Notes, "The days of figures over time have several time zones, since the states were made with "+
			"different option TimeZone.")
	}
	in.Warnings, in.Notes = setOf(in.Warnings), setOf(in.Notes)
	if a.basis, err = m.basis.Unpack(); err == nil {
		if err := m.memory.loadBasis(a.basis); err != nil {
			return nil, config, err
		}
		config, err = configOf(a.basis)
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
		m.messages.warn("%s and %s are one file, which is counted once", m.list[i].name, name)
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

// content is equal for two inputs if they are the same.
type content struct {
	report.InputInfo        // without the name and the hash, if check is known
	check            string // as in logInfo
}

func contentOf(log logInfo) content {
	in := log.InputInfo
	in.DuplicateOf = ""
	if log.Check != "" {
		in.Name, in.SHA256 = "", "" // not all logs are hashed
	}
	return content{in, log.Check}
}

// dropDuplicates leaves out states with inputs that all occur in another one,
// unless duplicates are to be counted. It warns of these, and of all inputs that are in two
// states.
func (m *states) dropDuplicates() (warnings []string) {
	warn := func(format string, args ...any) {
		w := fmt.Sprintf(format, args...)
		m.messages.warn("%s", w)
		warnings = append(warnings, w)
	}
	contents := make([]map[content]bool, len(m.list))
	holders := map[content][]int{} // the states that have an input
	for i, file := range m.list {
		contents[i] = map[content]bool{}
		for _, in := range file.head.Inputs {
			if c := contentOf(in); in.Bytes > 0 && !contents[i][c] {
				contents[i][c] = true
				holders[c] = append(holders[c], i)
			}
		}
	}
	in := make([]int, len(m.list)) // a state with all inputs of this state, -1 if there is none
	for i := range in {
		in[i] = within(i, contents, holders)
	}
	isLeftOut := func(i int) bool { return in[i] >= 0 && !m.allowDuplicates }
	var kept []*stateFile
	for i, file := range m.list {
		if isLeftOut(i) {
			warn("%s: all its inputs are in %s too: not counted (option AllowDuplicates counts it)", file.name,
				m.list[in[i]].name)
			continue
		}
		for _, input := range file.head.Inputs {
			list := slices.DeleteFunc(slices.Clone(holders[contentOf(input)]), isLeftOut)
			if len(list) > 0 && list[0] < i {
				warn("%s, of %s, is in %s and in %s: its lines are counted twice", input.Name,
					english.Plural(input.Bytes, "byte"), m.list[list[0]].name, file.name)
			}
		}
		kept = append(kept, file)
	}
	m.list = kept
	m.findPacked(warn)
	return warnings
}

// findPacked warns of inputs that may be the same log, compressed and uncompressed: their checksums
// differ, but their decompressed size and number of lines agree.
func (m *states) findPacked(warn func(format string, args ...any)) {
	type size struct{ bytes, lines int64 }
	type place struct{ name, codec, state string }
	first := map[size]place{}
	for _, file := range m.list {
		for _, in := range file.head.Inputs {
			k, here := size{in.Bytes, in.Lines}, place{in.Name, in.Codec, file.name}
			switch other, seen := first[k]; {
			case in.Lines == 0:
			case !seen:
				first[k] = here
			case other.codec != here.codec && other.state != here.state:
				warn("%s in %s and %s in %s have as many lines and bytes, decompressed: if they are one log, its lines are "+
					"counted twice", other.name, other.state, here.name, here.state)
			}
		}
	}
}

// within returns a state with all inputs of state i that has more of them or comes
// before it; -1 if there is none. Inputs without a checksum may differ.
func within(i int, contents []map[content]bool, holders map[content][]int) int {
	var some content
	for some = range contents[i] {
		if some.check == "" {
			return -1
		}
	}
	for _, other := range holders[some] {
		if more := len(contents[other]) - len(contents[i]); other == i || more < 0 || more == 0 && other > i {
			continue
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(contents[i])),
			func(c content) bool { return !contents[other][c] }) {
			return other
		}
	}
	return -1
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
