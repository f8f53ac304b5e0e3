package audit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// A state is everything that a run over a part of the input has counted and kept. States add up to the
// run over the whole input. The file consists of
//
//	line     the origin of the state: the form of the file, semantics and the schema of reports
//	head     from the caller: length in 8 bytes, JSON, its CRC-32C in 4 bytes
//	tally    likewise, as written by appendTally
//	records  the deferred records, as written by package spill
//
// Numbers are big-endian. The same lines make the same bytes, with any number of workers. A state
// contains raw lines only if the report would, and addresses only to measure gaps between requests.
// It also has unkeyed 64-bit hashes of addresses, from a sample of all lines and from each crawler.
const (
	stateForm    = 19      // increase it when a counter is added or a record changes; no other form is read
	maxStateLine = 128     // maximum length of the first line
	maxStatePart = 1 << 30 // maximum length of the head and of the tally
	partFrame    = 8 + 4   // length and checksum around each of them
)

// semantics is the version of what the counts of this package mean, that is, of the audit rules and how the program
// applies them. Increase it when the same lines may get another verdict, outcome, identity or place in a count.
// States with other semantics are refused, because their counts do not add up.
const semantics = 5

// stateLine is the first line of a state.
var stateLine = fmt.Sprintf("robotsieve state %d semantics %d schema %s\n", stateForm, semantics, report.Schema)

// Errors of states.
var (
	// ErrNotState is the error for a file that is not a state.
	ErrNotState = errors.New("not the state of an audit")
	// ErrStateVersion is the error for a state whose form, semantics or schema differs from this
	// package's. It is wrapped with the first line of the state.
	ErrStateVersion = errors.New("the state was made by an unreleased or newer version of robotsieve")
	// ErrDamaged is the error for a state that was changed or truncated after it was written, or whose
	// numbers do not add up.
	ErrDamaged = errors.New("the state is damaged")
	// errNoState is the error for a run whose options rule out a state.
	errNoState = errors.New("a run that keeps addresses, or gives requests to a function, has no state")
)

var errTruncated = fmt.Errorf("%w: it is truncated", ErrDamaged)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteState writes the run's state. The head belongs to the caller, and ReadState returns it: the
// caller must ensure that only states of runs with the same Config are added up. WriteState must
// come before Report, and the workers must not be used afterwards.
func (r *Run) WriteState(w io.Writer, head []byte) error {
	if c := &r.auditor.config; c.KeepAddresses || c.Judged != nil {
		return errNoState
	}
	if err := r.endWorkers(); err != nil {
		return err
	}
	if _, err := io.WriteString(w, stateLine); err != nil {
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
	_, err := spill.WriteRun(w, r.joined())
	return err
}

// joined returns the deferred records, with all counts of an unknown crawler merged, since they are
// distributed over the workers by chance.
func (r *Run) joined() iter.Seq2[spill.Record, error] {
	return func(yield func(spill.Record, error) bool) {
		kept := spill.Record{N: 1} // counts that may have to be merged with the next
		for record, err := range r.deferred.All() {
			key := countsKey(record.Data)
			isMore := key != nil && bytes.HasPrefix(kept.Data, key)
			if err == nil && !isMore && len(kept.Data) > 0 && !yield(kept, nil) {
				return
			}
			switch {
			case err != nil:
			case isMore:
				kept.Data, err = r.join(kept, record)
			case key != nil && record.N > 1:
				kept.Data, err = r.join(record)
			case key != nil:
				kept.Data = bytes.Clone(record.Data)
			default:
				kept.Data = nil
				if !yield(record, nil) {
					return
				}
			}
			if err != nil {
				yield(record, err)
				return
			}
		}
		if len(kept.Data) > 0 {
			yield(kept, nil)
		}
	}
}

// countsKey returns the common beginning of all counts of an unknown crawler, or nil if the record has no counts.
func countsKey(record []byte) []byte {
	end := bytes.IndexByte(record, 0) + 1
	if len(record) == 0 || record[0] != aboutUnknown || end == 0 || end >= len(record) || record[end] != recordCounts {
		return nil
	}
	return record[:end+1]
}

// join adds up counts of the same crawler.
func (r *Run) join(list ...spill.Record) ([]byte, error) {
	f := finalPass{run: r, operatorPass: operatorPass{counts: r.tally.newRow("", unknownBounds)}}
	for _, x := range list {
		rd := newReader(r.policy(), x.Data[len(countsKey(x.Data)):])
		f.unknownCounts(rd, x.N)
		if rd.bad() {
			return nil, fmt.Errorf("%w: %s", ErrDamaged, rd.wrong)
		}
	}
	c := coder{data: bytes.Clone(countsKey(list[0].Data))}
	text(&c, &f.counts.name)
	return appendRow(c.data, f.counts), nil
}

// State is a state that WriteState has written.
type State struct {
	// Head is the head that the caller passed to WriteState.
	Head []byte

	tally   []byte
	file    io.ReaderAt
	records int64 // where the records begin
	size    int64
}

// ReadState reads the state in the first size bytes of a file, which must stay open until the run
// to which the state is added is closed. It returns ErrNotState, ErrStateVersion, ErrDamaged or an
// error of the file. Records are checked when they are read.
func ReadState(file io.ReaderAt, size int64) (*State, error) {
	r := io.NewSectionReader(file, 0, size)
	line := make([]byte, min(size, maxStateLine))
	if _, err := io.ReadFull(r, line); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotState, err)
	}
	line = line[:bytes.IndexByte(line, '\n')+1]
	if err := checkStateLine(string(line)); err != nil {
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

// readPart reads the head or the tally at the beginning of the last rest bytes of a state.
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

// checkPart rejects a head or tally of impossible length.
func checkPart(n uint64) error {
	if n > maxStatePart {
		return fmt.Errorf("the head or the counts of a state have %d bytes, more than %d", n, maxStatePart)
	}
	return nil
}

func checkStateLine(line string) error {
	switch {
	case line == stateLine:
		return nil
	case strings.HasPrefix(line, "robotsieve state "):
		return fmt.Errorf("%w (%q); make it again from the logs", ErrStateVersion, strings.TrimSpace(line))
	}
	return ErrNotState
}

// Add adds a state of a run with the same Config. It returns the same errors as ReadState.
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
	if err := r.deferred.AddSaved(s.file, s.records, s.size-s.records); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// Rows and tallies are stored as CBOR (RFC 8949) in deferred records and states: their exported
// fields before the final pass, so without violations. Equal counts make equal bytes. What was read
// is not used directly but added up like any other part of the input, which preserves all bounds.
// Texts are byte strings, because clients need not send UTF-8.

// The options are valid, so there are no errors.
var (
	toCBOR, _   = encodingOptions().EncMode()
	fromCBOR, _ = cbor.DecOptions{
		IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden, MaxNestedLevels: 16,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField, ByteStringToString: cbor.ByteStringToStringAllowed,
	}.DecMode()
)

func encodingOptions() cbor.EncOptions {
	o := cbor.CoreDetEncOptions()
	o.String = cbor.StringToByteString
	return o
}

// mostLines limits the lines of an audit, so that no sum of its counts overflows. A machine would
// need a century to count as many.
const mostLines = 1 << 53

// maxStatus is the highest status that formats accept.
const maxStatus = 999

// encode appends a value. Only values that cannot be encoded would cause an error.
func encode(b []byte, v any) []byte {
	more, err := toCBOR.Marshal(v)
	if err != nil {
		panic(err)
	}
	return append(b, more...)
}

// appendRow appends a row without its name.
func appendRow(b []byte, r *row) []byte {
	r.cutPaths()
	return encode(b, r)
}

// cutPaths keeps as many paths and claims as a row has after all lines have been read.
func (r *row) cutPaths() {
	for _, r := range r.parts() {
		r.Figures.Paths.cut(r.Figures.Paths.paths)
		if r.Claims != nil {
			r.Claims.prune(1)
		}
	}
}

// appendTally appends a tally of workers that have ended.
func (a *Auditor) appendTally(b []byte, t *tally) []byte {
	t.Hosts.prune(1)
	t.Sizes.prune(1)
	t.sample()
	t.ProxySample.prune(1)
	t.ProxySample.Rest = 0 // workers do not add all lines to it
	t.Sites.prune(1)
	t.Overlooked.prune(1)
	t.Rows = map[int]*row{}
	for p, r := range t.known {
		r.cutPaths()
		t.Rows[int(a.profiles[p])] = r
	}
	return encode(b, t)
}

// readTally parses what appendTally wrote.
func (a *Auditor) readTally(b []byte) (*tally, error) {
	t := a.newTally()
	rest, err := a.decode(b, t, knownBounds, mostLines)
	profiles := a.config.Crawlers.Profiles()
	for number, r := range t.Rows {
		if number >= len(profiles) || len(rest) > 0 {
			return nil, errors.New("a crawler is unknown")
		}
		p := &profiles[number]
		t.rowOf(crawler.Claim{Profile: p, Name: p.Name}).merge(r, 1)
	}
	return t, err
}

// decode parses a value in which no number of lines exceeds most, and returns the bytes after it.
func (a *Auditor) decode(b []byte, v any, of bounds, most int64) (rest []byte, err error) {
	rest, err = fromCBOR.UnmarshalFirst(b, v)
	if err == nil && !(&limits{a.config.Policy, of, most}).hold(reflect.ValueOf(v)) {
		err = fmt.Errorf("a number of a %T is out of bounds", v)
	}
	return rest, err
}

// limits are the limits on the numbers in a state. They ensure that sums do not overflow and that
// indexes are valid.
type limits struct {
	policy *policy.Policy
	bounds       // for a row
	most   int64 // for numbers of lines
}

// hold reports whether the exported numbers of a value respect the limits.
func (l *limits) hold(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return v.IsNil() || l.hold(v.Elem())
	case reflect.Map:
		for i := v.MapRange(); i.Next(); {
			if i.Value().IsZero() || i.Key().Kind() == reflect.Struct && !l.hold(i.Key()) || !l.hold(i.Value()) {
				return false
			}
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return 0 <= v.Int() && (v.Int() <= l.most || v.Type() == reflect.TypeFor[byteSum]())
	case reflect.Array:
		for i := range v.Len() {
			if !l.hold(v.Index(i)) {
				return false
			}
		}
	case reflect.Slice:
		if counts, are := v.Interface().([]int64); are && len(counts) > 0 {
			return slices.Min(counts) >= 0 && slices.Max(counts) <= l.most
		}
		for i := range v.Len() {
			if v.Type().Elem().Kind() == reflect.Struct && !l.hold(v.Index(i)) {
				return false
			}
		}
	case reflect.Struct:
		return l.holdStruct(v)
	}
	return true
}

// holdStruct is hold for structs, some of which have their own limits.
func (l *limits) holdStruct(v reflect.Value) bool {
	isTime := func(t int64) bool { return earliest <= t && t <= latest }
	switch x := v.Interface().(type) {
	case period:
		return !x.Any && x == period{} || isTime(x.First) && isTime(x.Last)
	case timeline:
		for _, counts := range x.Counts {
			if counts != nil && len(counts) != len(x.Starts) {
				return false
			}
		}
		return x.Unit < report.Units && !slices.ContainsFunc(x.Starts, func(t int64) bool { return !isTime(t) }) &&
			l.hold(v.FieldByName("Counts"))
	case report.StatusCount:
		return 0 <= x.Status && x.Status <= maxStatus && 0 < x.N && x.N <= l.most
	case sizesAt:
		return x.When < ifCuts && hasSite(l.policy, policy.Site{First: x.Origin, N: 1})
	case sizeKey:
		return hasSite(l.policy, x.At) && x.At.N > 0 && x.Size >= 0 &&
			0 <= x.First && x.First <= x.Last && int(x.Last) <= len(l.policy.Versions(x.At.First))
	case siteKey:
		return hasSite(l.policy, x.At) && x.What >= 0
	case pathCounts:
		for _, k := range x.Kept {
			if k == nil || k.N < 0 || k.N > l.most {
				return false
			}
		}
		return (len(x.Cells) == 0 || len(x.Cells) == l.sums) && l.hold(v.FieldByName("Cells")) && 0 <= x.Robots &&
			x.Robots <= l.most
	case tally:
		for _, n := range x.totals.numbers() {
			if *n < 0 || *n > l.most {
				return false
			}
		}
		l.most = x.Read()
	case row:
		if s := x.Spoofed; s != nil && (s.Spoofed != nil || s.If != [2]*row{}) {
			return false // impostors have none
		}
		for _, of := range x.If {
			if of != nil && of.If != [2]*row{} {
				return false
			}
		}
	}
	for i := range v.NumField() {
		if v.Field(i).CanInterface() && !l.hold(v.Field(i)) {
			return false
		}
	}
	return true
}
