package audit

import (
	"errors"
	"fmt"
	"io"

	"github.com/robotsieve/robotsieve/scan/spill"
)

// The facts of all lines are what the verdicts of single requests depend on beside their own lines:
// the tally, and of the deferred records the answers to robots.txt and the counts of unknown
// crawlers, which have their names. They are smaller than the state of all lines, of which they are
// made, and which has the requests that wait. The file is that of a state with another first line. A
// run that has it gives the requests of some of these lines to Config.Judged as a run over all of
// them does.

var (
	errHasFacts = errors.New("a run with the facts of all lines gives requests to Config.Judged, and has no report")
	errNotFirst = errors.New("the facts of all lines come before the workers and the states")
)

// WriteFacts writes the facts of the states that were added. The head is the caller's, as that of WriteState.
// It holds up to Config.Memory once more. Its errors are those of WriteState, and ErrDamaged.
func (r *Run) WriteFacts(w io.Writer, head []byte) error {
	if err := r.endWorkers(); err != nil {
		return err
	}
	kept := spill.New(spill.Options{Memory: r.budget.records, Dir: r.auditor.config.TempDir})
	defer kept.Close()
	if r.ctx != nil {
		kept.StopAt(r.ctx)
	}
	if err := r.keepFacts(kept.Writer()); err != nil {
		return err
	}
	return r.write(w, firstLine("facts"), head, kept)
}

// keepFacts adds the records that are facts to others.
func (r *Run) keepFacts(to *spill.Writer) error {
	for record, err := range r.deferred.All() {
		if err != nil {
			return err
		}
		rd := newReader(r.auditor.config.Policy, record.Data)
		rd.operator()
		switch kind := rd.kind(); {
		case rd.bad():
		case kind == recordAnswer, kind == recordCounts, kind == recordFetch:
			err = to.Add(record.Data)
		}
		if err == nil && rd.bad() {
			err = fmt.Errorf("%w: %s", ErrDamaged, rd.wrong)
		}
		if err != nil {
			return err
		}
	}
	return to.Flush()
}

// ReadFacts reads the facts in the first size bytes of a file, as ReadState reads a state.
func ReadFacts(file io.ReaderAt, size int64) (*State, error) { return readState(file, size, "facts") }

// AddFacts gives a new run, by the same Config, the facts of all lines: its workers read some of
// these. JudgeRest then takes the place of Report. Its errors are those of ReadState.
func (r *Run) AddFacts(s *State) error {
	if len(r.workers) > 0 || r.hasStates {
		return errNotFirst
	}
	if err := r.Add(s); err != nil {
		return err
	}
	r.hasFacts = true
	return nil
}

// JudgeRest gives Config.Judged those requests whose verdicts other lines decide. The workers must not be used
// afterwards. It fails if deferred records could not be kept or read, or if the facts are damaged.
func (r *Run) JudgeRest() error {
	if err := r.endWorkers(); err != nil {
		return err
	}
	return r.judgeDeferred(r.listeners(), false)
}
