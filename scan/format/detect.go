package format

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// SampleBytes and sampleLines bound what Detect looks at.
const (
	SampleBytes = 256 << 10
	sampleLines = 1000
)

// Detect returns the format of a log by the lines at its beginning. head is the
// beginning; whole says that nothing follows it, else its last line, which may
// be cut, is passed over. A line counts for the first format that explains it;
// the format must explain more than half of the lines, and twice as many as any
// other. The error says what was found instead, and quotes a line.
func Detect(head []byte, whole bool) (Format, error) {
	if bytes.IndexByte(head, '\n') < 0 && !whole && len(head) > 0 {
		return nil, errors.New("no line ends within its first bytes: not a text log")
	}
	var r Record
	lines, counts := 0, make([]int, len(formats))
	var puzzling []byte
	for len(head) > 0 && lines < sampleLines {
		line, rest, more := bytes.Cut(head, []byte("\n"))
		if !more && !whole {
			break
		}
		head = rest
		if line = bytes.TrimSuffix(line, []byte("\r")); len(line) == 0 {
			continue
		}
		lines++
		if best := explain(line, &r); best >= 0 {
			counts[best]++
		} else if puzzling == nil {
			puzzling = line
		}
	}
	if lines == 0 {
		return nil, ErrEmpty
	}
	best, second := topTwo(counts)
	if counts[best]*2 > lines && counts[best] >= 2*counts[second] {
		return formats[best], nil
	}
	if counts[best] == 0 {
		return nil, fmt.Errorf("none of its first %d lines is of a known format (%s); the first is %s",
			lines, strings.Join(Names(), ", "), quote(puzzling))
	}
	return nil, fmt.Errorf("%w: of its first %d lines %d are %s and %d %s", ErrMixed,
		lines, counts[best], formats[best].Name(), counts[second], formats[second].Name())
}

// Errors of Detect that a caller may want to tell apart.
var (
	// ErrEmpty is that there is no line to look at.
	ErrEmpty = errors.New("no lines")
	// ErrMixed is that lines are of several formats, none of which prevails.
	ErrMixed = errors.New("not of one format")
)

// quote shows the beginning of a line that may hold anything.
func quote(line []byte) string {
	const most = 100
	if len(line) > most {
		return fmt.Sprintf("%q… (%d bytes)", line[:most], len(line))
	}
	return fmt.Sprintf("%q", line)
}

func topTwo(counts []int) (best, second int) {
	second = -1
	for i, n := range counts {
		switch {
		case i == 0:
		case n > counts[best]:
			best, second = i, best
		case second < 0 || n > counts[second]:
			second = i
		}
	}
	return best, second
}

// explain returns the index of the first format that explains a line, -1 if none
// does. r is for it to use.
func explain(line []byte, r *Record) int {
	return slices.IndexFunc(formats, func(f Format) bool {
		if !f.Split(line, r) {
			return false
		}
		f.Complete(r)
		return plausible(f, r)
	})
}

// plausible tells whether the fields of a record look like those of its format.
// A format without a User-Agent does not explain a line that has more in quotes
// behind the size: that may be one, in a format unknown.
func plausible(f Format, r *Record) bool {
	return r.HasTime && plausibleAddress(r.Addr) && plausibleIdentity(r) &&
		(!f.HasHost() || plausibleHost(r.Host)) &&
		(f.HasAgent() || bytes.IndexByte(r.Line[r.status.end:], '"') < 0)
}

// plausibleAddress tells whether b may be a client's address or its name.
func plausibleAddress(b []byte) bool {
	_, err := netip.ParseAddr(string(b))
	return err == nil || plausibleHost(b) && bytes.IndexByte(b, ':') < 0
}

// plausibleIdentity tells whether what stands between the client's address and
// the time may be ident and user. The user may have blanks in it, but hardly
// anybody logs an ident other than "-": if there is one, the fields must be as
// many as the format has. This is what tells a virtual host without a port from
// a client, and what refuses lines with a head of their own, such as syslog's.
func plausibleIdentity(r *Record) bool {
	before := r.Line[:r.request.start-len(`] "`)]
	before = before[:bytes.LastIndexByte(before, '[')]
	if r.Host != nil {
		before = before[min(len(r.Host)+1, len(before)):]
	}
	rest := before[min(len(r.Addr), len(before)):]
	const blanks = 3 // around ident and user
	n := bytes.Count(rest, []byte(" "))
	return n == blanks || n > blanks && bytes.HasPrefix(rest, []byte(" - "))
}

// plausibleHost tells whether b may be a host name, with or without a port.
func plausibleHost(b []byte) bool {
	letters := 0
	for _, c := range b {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 || isDigit(c):
			letters++
		case bytes.IndexByte([]byte(".-_:[]"), c) < 0:
			return false
		}
	}
	return letters > 0
}

// Default is the format of a log that has no lines.
var Default = formats[0]

// Hosts returns the hosts that the lines at the beginning of a log name, as they
// are logged, each once, quoted where they hold more than a host would; at most
// ten of them.
func Hosts(f Format, head []byte) []string {
	const most = 10
	var r Record
	var hosts []string
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		if !f.Split(line, &r) {
			continue
		}
		f.Complete(&r)
		host := string(r.Host)
		if !plausibleHost(r.Host) {
			host = quote(r.Host)
		}
		if !slices.Contains(hosts, host) {
			if hosts = append(hosts, host); len(hosts) == most {
				break
			}
		}
	}
	return hosts
}
