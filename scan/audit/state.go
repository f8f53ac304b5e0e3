package audit

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// A state is what a run over a part of the input has counted and kept, so that
// states add up to the run over all of it. The file is
//
//	magic    19 bytes
//	head     length in 8 bytes, JSON, CRC-32C of it in 4: what the caller wrote
//	tally    likewise
//	records  those that have to wait for the whole input, as package spill has them
//
// Numbers are big-endian. It holds raw lines of clients only where the report
// would, and addresses only where gaps between requests are to be measured.
const stateMagic = "robotsieve state 1\n"

var (
	errNoState   = errors.New("not the state of an audit")
	errDamaged   = errors.New("the state is damaged")
	errTruncated = errors.New("the state is truncated")
	errSums      = errors.New("the numbers of a state do not add up")
)

// maxStatePart bounds the head and the tally of a state.
const maxStatePart = 1 << 30

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteState writes the run's state. head is the caller's, who has to see to it
// that only states of runs by the same Config are added up: it comes back from
// ReadState. It is to be called before Report, and the workers are not to be used
// afterwards.
func (r *Run) WriteState(w io.Writer, head []byte) error {
	if err := r.gather(); err != nil {
		return err
	}
	tally, err := json.Marshal(r.auditor.save(r.tally))
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, stateMagic); err != nil {
		return err
	}
	for _, part := range [][]byte{head, tally} {
		b := binary.BigEndian.AppendUint64(nil, uint64(len(part)))
		b = binary.BigEndian.AppendUint32(append(b, part...), crc32.Checksum(part, castagnoli))
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	_, err = r.late.WriteTo(w)
	return err
}

// State is one that was written by WriteState.
type State struct {
	// Head is what the caller of WriteState gave.
	Head []byte

	tally []byte
	file  io.ReaderAt
	late  int64 // where the records begin
	size  int64
}

// ReadState reads the state in the first size bytes of a file, which is to stay
// open until the run that it is added to is closed. It refuses what is no state;
// its records are checked as they are read.
func ReadState(file io.ReaderAt, size int64) (*State, error) {
	r := io.NewSectionReader(file, 0, size)
	magic := make([]byte, len(stateMagic))
	if _, err := io.ReadFull(r, magic); err != nil || string(magic) != stateMagic {
		return nil, errNoState
	}
	s := &State{file: file, size: size, late: int64(len(magic))}
	for _, part := range []*[]byte{&s.Head, &s.tally} {
		var length [8]byte
		if _, err := io.ReadFull(r, length[:]); err != nil {
			return nil, errTruncated
		}
		n := binary.BigEndian.Uint64(length[:])
		if s.late += 8; n > maxStatePart || int64(n)+4 > size-s.late {
			return nil, errTruncated
		}
		b := make([]byte, n+4)
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, fmt.Errorf("%w: %w", errTruncated, err)
		}
		s.late += int64(len(b))
		if *part = b[:n]; crc32.Checksum(*part, castagnoli) != binary.BigEndian.Uint32(b[n:]) {
			return nil, errDamaged
		}
	}
	return s, nil
}

// Add adds to the run what a state of another has, whose Config must have been
// the same.
func (r *Run) Add(s *State) error {
	var saved savedTally
	if err := json.Unmarshal(s.tally, &saved); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	t, err := r.auditor.restore(&saved)
	if err != nil {
		return err
	}
	r.tally.merge(t)
	r.added = true
	return r.late.Adopt(s.file, s.late, s.size-s.late)
}

// savedTally is a tally as a state has it, before the late records are settled:
// there are no violations in it yet.
type savedTally struct {
	Lines, Blank, Unparsed, NotCrawlers, OtherHost, NotJudged, RobotsRequests, RobotsServed, Elsewhere, EndInZero int64

	Known    []savedRow
	Hosts    map[string]int64
	HostBar  uint64
	HostRest int64
	Sizes    []savedSize
	SizeBar  uint64
	SizeRest int64
	Samples  [][]byte
	Span     savedSpan
}

type savedRow struct {
	Profile    int    `json:",omitempty"`
	Name       string `json:",omitempty"`
	Requests   int64
	Verdicts   []int64
	Reasons    []int64
	Identities []int64
	Fetches    *savedFetches `json:",omitempty"`
}

type savedFetches struct {
	Span             savedSpan
	Answers, Refused map[int]int64
}

type savedSize struct {
	Origin, Origins, First, Last int32
	Size, N                      int64
	Span                         savedSpan
}

// savedSpan is a span: none, or the first moment and the last.
type savedSpan []int64

func saveSpan(s span) savedSpan {
	if !s.any {
		return nil
	}
	return savedSpan{s.first, s.last}
}

func (s savedSpan) restore() (span, error) {
	switch {
	case len(s) == 0:
		return span{}, nil
	case len(s) != 2 || s[0] < earliest || s[0] > s[1] || s[1] > latest:
		return span{}, errDamaged
	}
	return span{s[0], s[1], true}, nil
}

func (a *Auditor) save(t *tally) *savedTally {
	s := &savedTally{
		Lines: t.Lines, Blank: t.Blank, Unparsed: t.Unparsed, NotCrawlers: t.NotCrawlers, OtherHost: t.OtherHost,
		NotJudged: t.NotJudged, RobotsRequests: t.RobotsRequests, RobotsServed: t.RobotsServed, Elsewhere: t.Elsewhere, EndInZero: t.EndInZero,
		Hosts: map[string]int64{}, HostBar: t.hosts.bar, HostRest: t.hostRest,
		SizeBar: t.sizes.bar, SizeRest: t.sizeRest, Span: saveSpan(t.span),
	}
	for p, r := range t.known {
		row := saveRow(r)
		row.Profile, row.Name = int(a.profiles[p]), ""
		s.Known = append(s.Known, row)
	}
	slices.SortFunc(s.Known, func(x, y savedRow) int { return x.Profile - y.Profile })
	for host, n := range t.hosts.kept {
		s.Hosts[string(latin1(host))] = n
	}
	for k, c := range t.sizes.kept {
		s.Sizes = append(s.Sizes, savedSize{k.at.First, k.at.N, k.first, k.last, k.size, c.n, saveSpan(c.span)})
	}
	for _, sample := range t.unparsed.kept {
		s.Samples = append(s.Samples, sample.Line)
	}
	return s
}

func saveRow(r *row) savedRow {
	s := savedRow{Name: string(latin1(r.name)), Requests: r.requests, Verdicts: r.verdicts[:], Reasons: r.reasons[:], Identities: r.identities[:]}
	if f := r.fetches; f != nil {
		s.Fetches = &savedFetches{saveSpan(f.span), f.answers, f.refused}
	}
	return s
}

// restore makes a tally of a saved one. It refuses what no run has saved.
func (a *Auditor) restore(s *savedTally) (*tally, error) {
	t := a.newTally()
	t.Lines, t.Blank, t.Unparsed, t.NotCrawlers = s.Lines, s.Blank, s.Unparsed, s.NotCrawlers
	t.OtherHost, t.NotJudged, t.RobotsRequests, t.RobotsServed = s.OtherHost, s.NotJudged, s.RobotsRequests, s.RobotsServed
	t.Elsewhere, t.EndInZero = s.Elsewhere, s.EndInZero
	t.hostRest, t.sizeRest = s.HostRest, s.SizeRest
	var err error
	if t.span, err = s.Span.restore(); err != nil {
		return nil, err
	}
	t.hosts.bar, t.sizes.bar = s.HostBar, s.SizeBar
	profiles := a.config.Crawlers.Profiles()
	for _, saved := range s.Known {
		if saved.Profile < 0 || saved.Profile >= len(profiles) {
			return nil, errDamaged
		}
		p := &profiles[saved.Profile]
		if err := saved.restore(t.rowOf(crawler.Claim{Profile: p, Name: p.Name}), 1); err != nil {
			return nil, err
		}
	}
	for host, n := range s.Hosts {
		t.hosts.kept[fromLatin1(host)] = n
	}
	for _, z := range s.Sizes {
		k := sizeKey{policy.Site{First: z.Origin, N: z.Origins}, z.First, z.Last, z.Size}
		during, err := z.Span.restore()
		if err != nil || !during.any || !a.knows(k) {
			return nil, errDamaged
		}
		t.sizes.kept[k] = sizeCount{z.N, during}
	}
	for _, line := range s.Samples {
		t.unparsed.add(0, line)
	}
	return t, nil
}

// knows tells whether the policy has the origins and versions of a key.
func (a *Auditor) knows(k sizeKey) bool {
	p := a.config.Policy
	if k.at.First < 0 || k.at.N < 1 || int64(k.at.First)+int64(k.at.N) > int64(len(p.Origins())) {
		return false
	}
	return 0 <= k.first && k.first <= k.last && int(k.last) <= len(p.Versions(k.at.First))
}

// restore adds to a row n times what was saved.
func (s *savedRow) restore(r *row, n int64) error {
	all := slices.Concat([]int64{s.Requests}, s.Verdicts, s.Reasons, s.Identities)
	f := s.Fetches
	if f != nil {
		all = slices.AppendSeq(all, maps.Values(f.Answers))
		all = slices.AppendSeq(all, maps.Values(f.Refused))
	}
	if len(s.Verdicts) != len(r.verdicts) || len(s.Reasons) != len(r.reasons) || len(s.Identities) != len(r.identities) ||
		slices.Min(all) < 0 || slices.Max(all) > math.MaxInt64/n {
		return errDamaged
	}
	r.requests += s.Requests * n
	for i, of := range s.Verdicts {
		r.verdicts[i] += of * n
	}
	for i, of := range s.Reasons {
		r.reasons[i] += of * n
	}
	for i, of := range s.Identities {
		r.identities[i] += of * n
	}
	if f == nil {
		return nil
	}
	during, err := f.Span.restore()
	r.fetched().span.merge(during)
	addTimes(r.fetches.answers, f.Answers, n)
	addTimes(r.fetches.refused, f.Refused, n)
	return err
}

// addsUp tells whether the numbers of a tally whose late records are settled add up
// as they are said to: those of states from elsewhere may not.
func (t *tally) addsUp() bool {
	lines := sum{left: t.Lines}
	lines.takes(t.Unparsed, t.NotCrawlers, t.OtherHost, t.NotJudged)
	ok := t.Blank >= 0
	row := func(r *row) {
		lines.takes(r.requests)
		ok = ok && r.addsUp()
	}
	for _, r := range t.known {
		row(r)
	}
	for _, r := range t.listed {
		row(r)
	}
	row(t.others)
	hosts := sum{left: t.OtherHost}
	hosts.takes(t.hostRest)
	for _, n := range t.hosts.kept {
		hosts.takes(n)
	}
	served := sum{left: min(t.RobotsRequests, t.Lines)}
	served.takes(t.RobotsServed)
	sizes := sum{left: min(t.RobotsRequests, t.Lines)}
	sizes.takes(t.sizeRest)
	for _, c := range t.sizes.kept {
		sizes.takes(c.n)
	}
	return ok && lines.isAll() && hosts.isAll() && !sizes.bad && !served.bad && t.Elsewhere >= 0 && t.EndInZero >= 0
}

func (r *row) addsUp() bool {
	verdicts, identities := sum{left: r.requests}, sum{left: r.requests}
	verdicts.takes(r.verdicts[:]...)
	identities.takes(r.identities[:]...)
	reasons := sum{left: r.verdicts[Indeterminate]}
	reasons.takes(r.reasons[:]...)
	ok := verdicts.isAll() && identities.isAll() && reasons.isAll()
	if f := r.fetches; f != nil {
		answers := sum{left: r.verdicts[RobotsFetch] + r.verdicts[Exempt]}
		for status, n := range f.answers {
			answers.takes(n)
			refused := sum{left: n}
			refused.takes(f.refused[status])
			ok = ok && !refused.bad
		}
		ok = ok && !answers.bad && len(f.refused) <= len(f.answers)
	}
	return ok
}

// sum is a number that others are to add up to.
type sum struct {
	left int64
	bad  bool // they do not, or one is negative
}

func (s *sum) takes(list ...int64) {
	for _, n := range list {
		s.bad = s.bad || n < 0 || n > s.left
		s.left -= n
	}
}

func (s *sum) isAll() bool { return s.left == 0 && !s.bad }

// latin1 writes each byte of a string as the character of that number, since JSON
// has no room for octets that are not UTF-8.
func latin1(s string) []rune {
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return runes
}

// fromLatin1 undoes latin1.
func fromLatin1(s string) string {
	b := make([]byte, 0, len(s))
	for _, c := range s {
		b = append(b, byte(c))
	}
	return string(b)
}
