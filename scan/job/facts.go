package job

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/basis"
)

// WriteFacts makes a file of what the rows of parts depend on beside their own lines, for
// AuditOptions.Facts. state is that of the sum of all parts. Both files are in use up to memory
// bytes, as in AuditOptions. Errors are as those of Merge.
func WriteFacts(ctx context.Context, state, facts string, memory int64) error {
	m := &states{parts: true, memory: newBudget(memory)}
	_, config, err := m.open([]string{state})
	if err != nil {
		return inputError(err)
	}
	shares, err := m.memory.divide(1, nil)
	if err != nil {
		return err
	}
	config.Memory = shares.rest / 2 // of the records that come, and of those that are kept
	run := audit.New(config).Begin()
	defer run.Close()
	run.StopAt(ctx)
	if err := m.addTo(run); err != nil {
		return err
	}
	head, err := json.Marshal(stateHead{Basis: m.basis})
	if err != nil {
		return inputError(err)
	}
	out := output{name: facts, kind: aState, force: true}
	err = out.write(func(w io.Writer) error { return run.WriteFacts(w, head) })
	if ctx.Err() != nil {
		return errNothingDone
	}
	return err
}

// addFacts gives a run the facts of all parts, if there are any. They must have been judged by the
// same basis.
func (o *AuditOptions) addFacts(run *audit.Run) error {
	if o.Facts == "" {
		return nil
	}
	file, err := newStateFile(o.Facts)
	if err != nil {
		return err
	}
	file.most = o.budget.statePart()
	facts, err := audit.ReadFacts(file, file.info.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", o.Facts, err)
	}
	var head stateHead
	if err := json.Unmarshal(facts.Head, &head); err != nil {
		return fmt.Errorf("%s: %w: %w", o.Facts, ErrBasis, err)
	}
	if what := basis.Difference(&o.Side.Packed, &head.Basis); what != "" {
		return &BasisError{"the logs", o.Facts, what}
	}
	if err := run.AddFacts(facts); err != nil {
		return fmt.Errorf("%s: %w", o.Facts, err)
	}
	return nil
}
