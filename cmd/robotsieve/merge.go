package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/scan/audit"
)

func newMerge(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge STATE...",
		Short: "The report of an audit whose parts were read elsewhere",
		Long: `Merge adds up the states that audit --state has written, each of a part of the
logs, and prints the report that one audit of all of them would have given.

The parts must have been judged by the same files and flags; the states hold
these, so that nothing else is needed.`,
		Example: `  robotsieve audit --policy manifest.csv --state a.state monday.log.gz > /dev/null
  robotsieve audit --policy manifest.csv --state b.state tuesday.log.gz > /dev/null
  robotsieve merge a.state b.state`,
		Args: cobra.MinimumNArgs(1),
	}
	report, memory := addReportFlags(cmd), memoryFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, names []string) error {
		form, err := report.check()
		if err != nil {
			return err
		}
		records, err := memory.records()
		if err != nil {
			return err
		}
		return runMerge(s, form, records, names)
	}
	return cmd
}

// runMerge adds up states and prints the report.
func runMerge(s streams, form form, memory int64, names []string) error {
	m := &merging{names: names}
	defer m.close()
	if err := m.open(); err != nil {
		return inputError(err)
	}
	j, about, err := m.judge()
	if err != nil {
		return inputError(err)
	}
	j.config.Memory = memory
	run := audit.New(j.config).Begin()
	defer run.Close()
	for i, state := range m.states {
		if err := run.Add(state); err != nil {
			return inputError(fmt.Errorf("%s: %w", names[i], err))
		}
	}
	return j.report(s, run, form, about)
}

// merging are the states that are to be added up.
type merging struct {
	names  []string
	files  []*os.File
	states []*audit.State
}

func (m *merging) close() {
	for _, f := range m.files {
		f.Close()
	}
}

func (m *merging) open() error {
	for _, name := range m.names {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		m.files = append(m.files, f)
		info, err := f.Stat()
		if err != nil {
			return err
		}
		state, err := audit.ReadState(f, info.Size())
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.states = append(m.states, state)
	}
	return nil
}

var errOtherBasis = errors.New("judged by other files or flags, so the two do not add up")

// judge returns what all states were judged by, and what there is to say of their
// inputs.
func (m *merging) judge() (*judge, about, error) {
	var first json.RawMessage
	a := about{inputs: []audit.InputInfo{}}
	for i, state := range m.states {
		var head stateHead
		if err := json.Unmarshal(state.Head, &head); err != nil {
			return nil, a, fmt.Errorf("%s: %w: %w", m.names[i], errBasis, err)
		}
		if i == 0 {
			first = head.Basis
		} else if !bytes.Equal(head.Basis, first) {
			return nil, a, fmt.Errorf("%s and %s: %w", m.names[0], m.names[i], errOtherBasis)
		}
		a.inputs = append(a.inputs, head.Inputs...)
		for _, w := range head.Warnings {
			if !slices.Contains(a.warnings, w) {
				a.warnings = append(a.warnings, w)
			}
		}
		if head.Partial {
			a.partial, a.code = true, exitInput
		}
	}
	slices.Sort(a.warnings)
	b := &basis{}
	if err := json.Unmarshal(first, b); err != nil {
		return nil, a, fmt.Errorf("%s: %w: %w", m.names[0], errBasis, err)
	}
	j, err := b.judge()
	return j, a, err
}
