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

// A state is all that a run over a part of the input has counted and kept. States add
// up to the run over all of it. The file is
//
//	magic    19 bytes, with the version of the form
//	head     length in 8 bytes, JSON, CRC-32C of it in 4: from the caller
//	tally    likewise
//	records  the deferred records, as package spill has them
//
// Numbers are big-endian. A state holds raw lines of clients only where the report would.
// It holds addresses where gaps between requests are to be measured, and of crawlers that
// fetched robots.txt, or requested what only some of its copies forbid, where a site had
// several; of a choice of all lines it has hashes of the addresses.
const (
	stateMagic   = stateName + "3\n"
	stateName    = "robotsieve state "
	maxStatePart = 1 << 30 // bytes of the head and of the tally
)

// Errors of states.
var (
	// ErrNotState is the error for a file that is no state.
	ErrNotState = errors.New("not the state of an audit")
	// ErrStateVersion is the error for a state that another version of this package wrote.
	ErrStateVersion = errors.New("the state is of another version of this program")
	// ErrDamaged is the error for a state that was changed or cut after it was written, or whose
	// numbers do not add up.
	ErrDamaged = errors.New("the state is damaged")
	// ErrNoState is the error for a run whose options do not allow a state.
	ErrNoState = errors.New("a run that keeps addresses, or calls a function for each request, has no state")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteState writes the run's state. The head is the caller's, and ReadState returns
// it: the caller must make sure that only states of runs by the same Config are added
// up. WriteState must come before Report, and the workers must not be used afterwards.
func (r *Run) WriteState(w io.Writer, head []byte) error {
	if r.auditor.config.Addresses || r.auditor.config.Judged != nil {
		return ErrNoState
	}
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
	_, err = r.deferred.WriteTo(w)
	return err
}

// State is a state that WriteState has written.
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
// ErrStateVersion and ErrDamaged; the records are checked when they are read.
func ReadState(file io.ReaderAt, size int64) (*State, error) {
	r := io.NewSectionReader(file, 0, size)
	magic := make([]byte, len(stateMagic))
	switch _, err := io.ReadFull(r, magic); {
	case err != nil || string(magic[:len(stateName)]) != stateName:
		return nil, ErrNotState
	case string(magic) != stateMagic:
		return nil, ErrStateVersion
	}
	s := &State{file: file, size: size, records: int64(len(magic))}
	for _, part := range []*[]byte{&s.Head, &s.tally} {
		var length [8]byte
		_, err := io.ReadFull(r, length[:])
		n := binary.BigEndian.Uint64(length[:])
		if s.records += 8; err != nil || n > maxStatePart || int64(n)+4 > size-s.records {
			return nil, fmt.Errorf("%w: it is truncated", ErrDamaged)
		}
		b := make([]byte, n+4)
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, fmt.Errorf("%w: it is truncated: %w", ErrDamaged, err)
		}
		s.records += int64(len(b))
		if *part = b[:n]; crc32.Checksum(*part, castagnoli) != binary.BigEndian.Uint32(b[n:]) {
			return nil, ErrDamaged
		}
	}
	return s, nil
}

// Add adds a state of a run by the same Config. Its errors are those of ReadState.
func (r *Run) Add(s *State) error {
	var saved savedTally
	if err := json.Unmarshal(s.tally, &saved); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	t, err := r.auditor.restore(&saved)
	if err != nil {
		return err
	}
	r.tally.merge(t)
	r.added = true
	return r.deferred.AddSaved(s.file, s.records, s.size-s.records)
}

// savedTally is a tally as a state has it, before the final pass: there are no
// violations in it yet. Its samples are lines that could not be read.
type savedTally struct {
	totals
	Known    []savedRow
	Hosts    map[string]int64
	HostBar  uint64
	HostRest int64
	Sizes    []savedSize
	SizeBar  uint64
	SizeRest int64
	Chosen   []savedLine
	LineBar  uint64
	LineRest int64
	Samples  [][]byte
	Period   savedPeriod
}

type savedRow struct {
	Profile    int    `json:",omitempty"`
	Name       string `json:",omitempty"`
	Requests   int64
	Verdicts   []int64
	Reasons    []int64
	Identities []int64
	Fetches    *savedFetches `json:",omitempty"`
	Spoofed    *savedRow     `json:",omitempty"`
}

type savedLine struct {
	Line, Address uint64
	N             int64
}

type savedFetches struct {
	Period           savedPeriod
	Answers, Refused map[int]int64
}

type savedSize struct {
	Origin, Origins, First, Last int32
	Size, N                      int64
	Period                       savedPeriod
}

// savedPeriod is a period: none, or the first moment and the last.
type savedPeriod []int64

func savePeriod(p period) savedPeriod {
	if !p.any {
		return nil
	}
	return savedPeriod{p.first, p.last}
}

func (s savedPeriod) restore() (period, error) {
	switch {
	case len(s) == 0:
		return period{}, nil
	case len(s) != 2 || s[0] < earliest || s[0] > s[1] || s[1] > latest:
		return period{}, ErrDamaged
	}
	return period{s[0], s[1], true}, nil
}

func (a *Auditor) save(t *tally) *savedTally {
	s := &savedTally{
		totals: t.totals, Hosts: map[string]int64{}, HostBar: t.hosts.below, HostRest: t.hosts.rest,
		SizeBar: t.sizes.below, SizeRest: t.sizes.rest, LineBar: t.addresses.below, LineRest: t.addresses.rest, Period: savePeriod(t.period),
	}
	for p, r := range t.known {
		row := saveRow(r)
		row.Profile, row.Name = int(a.profiles[p]), ""
		s.Known = append(s.Known, row)
	}
	slices.SortFunc(s.Known, func(x, y savedRow) int { return x.Profile - y.Profile })
	for host, c := range t.hosts.kept {
		s.Hosts[string(latin1(host))] = c.n
	}
	for k, c := range t.sizes.kept {
		s.Sizes = append(s.Sizes, savedSize{k.at.First, k.at.N, k.first, k.last, k.size, c.n, savePeriod(c.period)})
	}
	for k, c := range t.addresses.kept {
		s.Chosen = append(s.Chosen, savedLine{k.line, k.address, c.n})
	}
	for _, sample := range t.unparsed.kept {
		s.Samples = append(s.Samples, sample.Line)
	}
	return s
}

func saveRow(r *row) savedRow {
	s := savedRow{Name: string(latin1(r.name)), Requests: r.requests, Verdicts: r.verdicts[:], Reasons: r.reasons[:], Identities: r.identities[:]}
	if f := r.fetches; f != nil {
		s.Fetches = &savedFetches{savePeriod(f.period), f.answers, f.refused}
	}
	if r.spoofed != nil {
		spoofed := saveRow(r.spoofed)
		s.Spoofed = &spoofed
	}
	return s
}

// restore makes a tally of a saved one. It refuses one that no run has saved.
func (a *Auditor) restore(s *savedTally) (*tally, error) {
	t := a.newTally()
	t.totals, t.hosts.rest, t.sizes.rest = s.totals, s.HostRest, s.SizeRest
	var err error
	if t.period, err = s.Period.restore(); err != nil {
		return nil, err
	}
	t.hosts.below, t.sizes.below = s.HostBar, s.SizeBar
	t.addresses.below, t.addresses.rest = s.LineBar, s.LineRest
	for _, l := range s.Chosen {
		if l.N < 1 || l.N > s.Lines {
			return nil, ErrDamaged
		}
		t.addresses.kept[lineFrom{l.Line, l.Address}] = tallied{n: l.N}
	}
	profiles := a.config.Crawlers.Profiles()
	for _, saved := range s.Known {
		if saved.Profile < 0 || saved.Profile >= len(profiles) {
			return nil, ErrDamaged
		}
		r, err := saved.restore(1)
		if err != nil {
			return nil, err
		}
		p := &profiles[saved.Profile]
		t.rowOf(crawler.Claim{Profile: p, Name: p.Name}).merge(r, 1)
	}
	for host, n := range s.Hosts {
		t.hosts.kept[fromLatin1(host)] = tallied{n: n}
	}
	for _, z := range s.Sizes {
		k := sizeKey{policy.Site{First: z.Origin, N: z.Origins}, z.First, z.Last, z.Size}
		during, err := z.Period.restore()
		if err != nil || !during.any || !a.hasVersions(k) {
			return nil, ErrDamaged
		}
		t.sizes.kept[k] = tallied{z.N, during}
	}
	for _, line := range s.Samples {
		t.unparsed.add(0, line)
	}
	return t, nil
}

// hasVersions tells whether the policy has the origins and versions of a key.
func (a *Auditor) hasVersions(k sizeKey) bool {
	p := a.config.Policy
	if k.at.First < 0 || k.at.N < 1 || int64(k.at.First)+int64(k.at.N) > int64(len(p.Origins())) {
		return false
	}
	return 0 <= k.first && k.first <= k.last && int(k.last) <= len(p.Versions(k.at.First))
}

// restore returns the saved row, if n times its counts make sense.
func (s *savedRow) restore(n int64) (*row, error) {
	all := slices.Concat([]int64{s.Requests}, s.Verdicts, s.Reasons, s.Identities)
	if f := s.Fetches; f != nil {
		all = slices.AppendSeq(all, maps.Values(f.Answers))
		all = slices.AppendSeq(all, maps.Values(f.Refused))
	}
	if len(s.Verdicts) != int(verdicts) || len(s.Reasons) != int(reasons) || len(s.Identities) != int(identities) ||
		slices.Min(all) < 0 || slices.Max(all) > math.MaxInt64/n {
		return nil, ErrDamaged
	}
	r := &row{requests: s.Requests, verdicts: VerdictCounts(s.Verdicts), reasons: ReasonCounts(s.Reasons), identities: IdentityCounts(s.Identities)}
	var err error
	if f := s.Fetches; f != nil {
		r.fetches = &fetches{answers: f.Answers, refused: f.Refused}
		if r.fetches.period, err = f.Period.restore(); err != nil {
			return nil, err
		}
	}
	if s.Spoofed != nil {
		if s.Spoofed.Spoofed != nil || s.Spoofed.Requests != 0 {
			return nil, ErrDamaged
		}
		r.spoofed, err = s.Spoofed.restore(n)
	}
	return r, err
}

// addsUp tells whether the numbers of a tally add up after the final pass. The numbers in
// a state from elsewhere may not.
func (t *tally) addsUp() bool {
	rows := t.rows()
	lines := []int64{t.Unparsed, t.NotCrawlers, t.OtherHost, t.NotJudged}
	for _, r := range rows {
		lines = append(lines, r.requests)
	}
	hosts, sizes := []int64{t.hosts.rest}, []int64{t.sizes.rest}
	for _, c := range t.hosts.kept {
		hosts = append(hosts, c.n)
	}
	for _, c := range t.sizes.kept {
		sizes = append(sizes, c.n)
	}
	gets := min(t.RobotsRequests, t.Lines)
	return t.Blank >= 0 && t.Elsewhere >= 0 && t.EndInZero >= 0 && rest(t.NotCrawlers, t.HTTPLibraries) >= 0 && rest(t.Lines, t.NoList) >= 0 &&
		rest(t.Lines, lines...) == 0 && rest(t.OtherHost, hosts...) == 0 && rest(gets, sizes...) >= 0 && rest(gets, t.SizesRight) >= 0 &&
		rest(gets, t.RobotsServed, t.RobotsNone, t.RobotsFailed) >= 0 &&
		!slices.ContainsFunc(rows, func(r *row) bool { return !r.addsUp() })
}

func (r *row) addsUp() bool {
	ok := rest(r.requests, r.verdicts[:]...) == 0 && rest(r.requests, r.identities[:]...) == 0 &&
		rest(r.verdicts[Indeterminate], r.reasons[:]...) == 0 && rest(r.verdicts[Allowed]+r.reasons[ContestedRule], r.evasive) >= 0 &&
		rest(r.reasons[AmbiguousAgent], r.ambiguousForbidden) >= 0 && rest(r.verdicts[Grace], r.graceInformed) >= 0 && rest(r.verdicts[Grace], r.graceAfterFetch) >= 0
	if f := r.fetches; f != nil {
		for status, n := range f.refused {
			ok = ok && rest(f.answers[status], n) >= 0
		}
		answers := slices.Collect(maps.Values(f.answers))
		ok = ok && rest(r.verdicts[RobotsFetch]+r.verdicts[Exempt], answers...) >= 0
	}
	return ok
}

// rest subtracts the parts of a number from it. It returns -1 if they add up to more, or
// if one of them is negative.
func rest(whole int64, parts ...int64) int64 {
	for _, n := range parts {
		if n < 0 || n > whole {
			return -1
		}
		whole -= n
	}
	return whole
}

// latin1 writes each byte of a string as the character of that number: JSON strings
// cannot hold bytes that are not UTF-8.
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
