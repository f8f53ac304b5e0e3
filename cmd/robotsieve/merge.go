package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
)

func newMerge(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge STATE...",
		Short: "The report of an audit whose parts were read elsewhere",
		Long: `Merge adds up the states that audit --state has written, each of a part of the
logs, and prints the report that one audit of all of them would have given.

The parts must have been judged by the same files and flags; the states hold
these, so that nothing else is needed. With --state what they add up to is also
written as a state, which may be merged with others in turn.`,
		Example: `  robotsieve audit --policy manifest.csv --state a.state monday.log.gz > /dev/null
  robotsieve audit --policy manifest.csv --state b.state tuesday.log.gz > /dev/null
  robotsieve merge a.state b.state`,
		Args: cobra.MinimumNArgs(1),
	}
	report, memory := addReportFlags(cmd), memoryFlag(cmd)
	state := cmd.Flags().String("state", "", "also write the sum to a file, as a state for merge")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		form, err := report.check()
		if err != nil {
			return err
		}
		records, err := memory.records()
		if err != nil {
			return err
		}
		if *state != "" {
			if err := checkSum(*state, names); err != nil {
				return err
			}
		}
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		return runMerge(ctx, s, form, records, *state, names)
	}
	return cmd
}

// checkSum refuses to write the sum of states where that cannot be, or over one of them.
func checkSum(name string, states []string) error {
	if out, err := os.Stat(name); err == nil {
		for _, state := range states {
			if info, err := os.Stat(state); err == nil && os.SameFile(out, info) {
				return usageError("--state %s would replace %s, which is to be read", name, state)
			}
		}
	}
	if err := checkOutput(name); err != nil {
		return inputError(err)
	}
	return nil
}

// runMerge adds up states and prints the report.
func runMerge(ctx context.Context, s streams, form form, memory int64, sum string, names []string) error {
	m := &merging{streams: s}
	defer m.files.close()
	if err := m.open(names); err != nil {
		return inputError(err)
	}
	j, about, err := m.judge()
	if err != nil {
		return inputError(err)
	}
	j.config.Memory = memory
	j.config.Basis = j.basis.Basis
	run := audit.New(j.config).Begin()
	defer run.Close()
	for i, state := range m.states {
		if err := run.Add(state); err != nil {
			return inputError(fmt.Errorf("%s: %w", m.names[i], err))
		}
	}
	run.StopAt(ctx)
	if sum != "" {
		if err := writeState(sum, run, j.basis, about); errors.Is(err, context.Canceled) {
			return unsettled(s)
		} else if err != nil {
			s.warn("%v", err)
			about.code = max(about.code, exitInput)
		}
	}
	return j.report(s, run, form, about)
}

// merging are the states that are to be added up.
type merging struct {
	streams
	names  []string
	infos  []os.FileInfo
	files  reopening
	states []*audit.State
}

// open opens the states, one that is named twice only once.
func (m *merging) open(names []string) error {
	for _, name := range names {
		f, err := m.files.add(name)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(m.infos, func(other os.FileInfo) bool { return os.SameFile(f.info, other) }); i >= 0 {
			m.warn("%s and %s are one file, which is counted once", m.names[i], name)
			continue
		}
		state, err := audit.ReadState(f, f.info.Size())
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.names, m.infos = append(m.names, name), append(m.infos, f.info)
		m.states = append(m.states, state)
	}
	return nil
}

// judge returns what all states were judged by, and what there is to say of their
// inputs.
func (m *merging) judge() (*judge, about, error) {
	var first json.RawMessage
	a := about{inputs: []audit.InputInfo{}}
	seen := map[audit.InputInfo]int{}
	for i, state := range m.states {
		var head stateHead
		if err := json.Unmarshal(state.Head, &head); err != nil {
			return nil, a, fmt.Errorf("%s: %w: %w", m.names[i], errBasis, err)
		}
		if i == 0 {
			first = head.Basis
		} else if !bytes.Equal(head.Basis, first) {
			return nil, a, fmt.Errorf("%s and %s: judged by other files or flags, so the two do not add up; they differ in %s",
				m.names[0], m.names[i], differs(first, head.Basis))
		}
		a.warnings = append(a.warnings, m.again(i, head.Inputs, seen)...)
		a.inputs = append(a.inputs, head.Inputs...)
		for _, w := range head.Warnings {
			if !slices.Contains(a.warnings, w) {
				a.warnings = append(a.warnings, w)
			}
		}
		if head.Partial {
			m.warn("%s: not all of its input was read", m.names[i])
			a.partial, a.code = true, exitInput
		}
	}
	slices.Sort(a.warnings)
	j, err := judgeBy(first)
	if err != nil {
		err = fmt.Errorf("%s: %w", m.names[0], err)
	}
	return j, a, err
}

// again warns of inputs of a state that look like those of another: their lines
// would be counted twice. seen tells in which state an input was.
func (m *merging) again(state int, inputs []audit.InputInfo, seen map[audit.InputInfo]int) (warnings []string) {
	for _, in := range inputs {
		other, known := seen[in]
		if known && other != state && in.Bytes > 0 {
			w := fmt.Sprintf("%s, of %s, is in %s and in %s: if that is one file, its lines are counted twice.",
				in.Name, plural(in.Bytes, "byte"), m.names[other], m.names[state])
			m.warn("%s", w)
			warnings = append(warnings, printable(w))
		}
		if !known {
			seen[in] = state
		}
	}
	return warnings
}

// judgeBy makes the basis in a state ready to judge by. It trusts it no more than
// the files and flags that the basis was made of.
func judgeBy(text []byte) (*judge, error) {
	b := &basis{}
	err := json.Unmarshal(text, b)
	if err == nil {
		err = b.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBasis, err)
	}
	return b.judge()
}

// check refuses what no flags say and no file holds.
func (b *basis) check() error {
	profiles, err := json.Marshal(b.Profiles)
	if err != nil {
		return err
	}
	if _, err := crawler.Read(profiles); err != nil {
		return err
	}
	if b.Constant && (len(b.Rows) != 1 || b.Rows[0].Body != 0 || len(b.Rows[0].Origins) > 0) {
		return errors.New("not one robots.txt")
	}
	if b.Window < minWindow || b.Window > maxWindow || b.Samples < 0 {
		return errors.New("a number is out of its bounds")
	}
	for _, r := range b.Rows {
		if r.Body < -1 || r.Body >= len(b.Bodies) || (r.Body >= 0) != (r.Status/100 == 2) || r.Size < -1 || r.MaxAge < 0 {
			return errors.New("a version makes no sense")
		}
	}
	return nil
}
