package audit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/spill"
)

// A state is all that a run over a part of the input has counted and kept. States add
// up to the run over all of it. The file is
//
//	line     what made it: the form of the file, Semantics and the schema of reports
//	head     length in 8 bytes, JSON, CRC-32C of it in 4: from the caller
//	tally    likewise, as counts.go has it
//	records  the deferred records, as package spill has them
//
// Numbers are big-endian. One worker makes the same bytes of the same lines; several divide the
// counts of unknown crawlers by chance. A state holds raw lines of clients only where the report
// would. It holds addresses where gaps between requests are to be measured; of a
// sample of all lines and of each crawler it has hashes of addresses, of 64 bits and without a key.
const (
	stateForm    = 17      // raise it when a counter is added or a record changes; no other form is read
	maxStateLine = 128     // bytes of the first line
	maxStatePart = 1 << 30 // bytes of the head, and of the tally
	partFrame    = 8 + 4   // bytes around each of them
)

// Semantics is the number of the meaning of what this package counts: of the edition of the
// audit rules, and of how the program reads them. Raise it when the same lines may get
// another verdict, outcome, identity or place in a count. A state by other semantics is
// refused, because counts that mean different things do not add up.
const Semantics = 5

// stateLine is the first line of a state.
var stateLine = firstLine("state")

// firstLine is the first line of a state or of its facts.
func firstLine(kind string) string {
	return fmt.Sprintf("robotsieve %s %d semantics %d schema %s\n", kind, stateForm, Semantics, report.Schema)
}

// Errors of states.
var (
	// ErrNotState is the error for a file that is no state.
	ErrNotState = errors.New("not the state of an audit")
	// ErrStateVersion is the error for a state of another form, by other Semantics or of
	// another schema than this package's. It is wrapped, with the first line of the state.
	ErrStateVersion = errors.New("the state was made by an unreleased or newer version of robotsieve")
	// ErrDamaged is the error for a state that was changed or cut after it was written, or whose
	// numbers do not add up.
	ErrDamaged = errors.New("the state is damaged")
	// ErrNoState is the error for a run whose options do not allow a state.
	ErrNoState = errors.New("a run that keeps addresses, or gives requests to a function, has no state")
)

var errTruncated = fmt.Errorf("%w: it is truncated", ErrDamaged)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteState writes the run's state. The head is the caller's, and ReadState returns
// it: the caller must make sure that only states of runs by the same Config are added
// up. WriteState must come before Report, and the workers must not be used afterwards.
func (r *Run) WriteState(w io.Writer, head []byte) error {
	if c := &r.auditor.config; c.KeepAddresses || c.Judged != nil {
		return ErrNoState
	}
	if err := r.endWorkers(); err != nil {
		return err
	}
	return r.write(w, stateLine, head, r.deferred)
}

// write writes the run's tally with these deferred records.
func (r *Run) write(w io.Writer, line string, head []byte, records *spill.Sorter) error {
	if _, err := io.WriteString(w, line); err != nil {
		return err
	}
	for _, part := range [][]byte{head, r.auditor.appendTally(nil, r.tally)} {
		if err := checkPart(uint64(len(part))); err != nil {
			return err
		}
		b := binary.BigEndian.AppendUint64(nil, uint64(len(part)))
		b = binary.BigEndian.AppendUint32(append(b, part...), crc32.Checksum(part, castagnoli))
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	_, err := records.WriteTo(w)
	return err
}

// State is a state that WriteState has written, or its facts.
type State struct {
	// Head is the caller's.
	Head []byte

	tally   []byte
	file    io.ReaderAt
	records int64 // where they begin
	size    int64
}

// ReadState reads the state in the first size bytes of a file, which must stay open
// until the run that it is added to is closed. Its errors are ErrNotState,
// ErrStateVersion, ErrDamaged and those of the file; the records are checked when they are
// read.
func ReadState(file io.ReaderAt, size int64) (*State, error) {
	return readState(file, size, "state")
}

// readState reads a state or its facts.
func readState(file io.ReaderAt, size int64, kind string) (*State, error) {
	r := io.NewSectionReader(file, 0, size)
	line := make([]byte, min(size, maxStateLine))
	if _, err := io.ReadFull(r, line); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotState, err)
	}
	line = line[:bytes.IndexByte(line, '\n')+1]
	if err := checkStateLine(string(line), kind); err != nil {
		return nil, err
	}
	s := &State{file: file, size: size, records: int64(len(line))}
	if _, err := r.Seek(s.records, io.SeekStart); err != nil {
		return nil, err
	}
	for _, part := range []*[]byte{&s.Head, &s.tally} {
		b, err := readPart(r, size-s.records)
		if err != nil {
			return nil, err
		}
		*part, s.records = b, s.records+int64(len(b))+partFrame
	}
	return s, nil
}

// readPart reads the head or the tally from the last bytes of a state, as many as rest.
func readPart(r io.Reader, rest int64) ([]byte, error) {
	if rest < partFrame {
		return nil, errTruncated
	}
	var length [8]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint64(length[:])
	if err := checkPart(n); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if int64(n) > rest-partFrame {
		return nil, errTruncated
	}
	b := make([]byte, n+4)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	if crc32.Checksum(b[:n], castagnoli) != binary.BigEndian.Uint32(b[n:]) {
		return nil, fmt.Errorf("%w: a checksum differs", ErrDamaged)
	}
	return b[:n], nil
}

// checkPart refuses a head or tally of n bytes that no state has.
func checkPart(n uint64) error {
	if n > maxStatePart {
		return fmt.Errorf("the head or the counts of a state have %d bytes, more than %d", n, maxStatePart)
	}
	return nil
}

// checkStateLine checks the first line of a state or of its facts.
func checkStateLine(line, kind string) error {
	switch {
	case line == firstLine(kind):
		return nil
	case strings.HasPrefix(line, "robotsieve "+kind+" "):
		return fmt.Errorf("%w (%q); make it again from the logs", ErrStateVersion, strings.TrimSpace(line))
	}
	return ErrNotState
}

// Add adds a state of a run by the same Config. Its errors are those of ReadState.
func (r *Run) Add(s *State) error {
	t, err := r.auditor.readTally(s.tally)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if t.All() > mostLines-r.tally.All() {
		return fmt.Errorf("%w: more than %d lines in all", ErrDamaged, int64(mostLines))
	}
	r.tally.merge(t)
	r.hasStates = true
	return r.deferred.AddSaved(s.file, s.records, s.size-s.records)
}
