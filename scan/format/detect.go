package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// SampleBytes and sampleLines bound the part of a log that Detect reads.
const (
	SampleBytes = 256 << 10
	sampleLines = 1000
)

// Detect returns the format of a log by its beginning, head. whole says that head is the
// whole log; otherwise its last line may be incomplete and is skipped. A line counts for
// the first format that explains it. The format must explain more than half of the lines,
// and at least twice as many as any other. The error names the formats found, or quotes a
// line.
func Detect(head []byte, whole bool) (*Format, error) {
	if bytes.IndexByte(head, '\n') < 0 && !whole && len(head) > 0 {
		return nil, errors.New("no line ends within its first bytes: not a text log")
	}
	formats := slices.Clone(formats)
	readers := make([]Reader, len(formats))
	for i, f := range formats {
		if f.bind != nil {
			if bound := f.bind(f, head); bound != nil {
				formats[i] = bound
			}
		}
		readers[i] = formats[i].NewReader()
	}
	var r Record
	lines, counts := 0, make([]int, len(formats))
	var unknown []byte // the first line that no format explains
	for len(head) > 0 && lines < sampleLines {
		line, text := NextLine(head)
		if !whole && line[len(line)-1] != '\n' {
			break
		}
		head = head[len(line):]
		if len(text) == 0 {
			continue
		}
		if i := slices.IndexFunc(readers, func(reader Reader) bool { return explains(reader, line, &r) }); i >= 0 {
			counts[i]++
		} else if slices.ContainsFunc(readers, func(reader Reader) bool { reader.Reset(line); return reader.Next(&r) == Other }) {
			continue
		} else if unknown == nil {
			unknown = text
		}
		lines++
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
			lines, strings.Join(Names(), ", "), quote(unknown))
	}
	return nil, fmt.Errorf("%w: of its first %d lines %d are %s and %d %s", ErrMixed,
		lines, counts[best], formats[best].name, counts[second], formats[second].name)
}

// explains tells whether a line is a request in the reader's format. It overwrites r.
func explains(reader Reader, line []byte, r *Record) bool {
	reader.Reset(line)
	if reader.Next(r) != Request {
		return false
	}
	reader.Complete(r)
	return reader.Plausible(r)
}

// Errors of Detect that a caller may want to tell apart.
var (
	// ErrEmpty means that there is no line to look at.
	ErrEmpty = errors.New("no lines")
	// ErrMixed means that the lines are of several formats, and none prevails.
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

// topTwo returns the indexes of the two largest counts.
func topTwo(counts []int) (best, second int) {
	order := make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(counts[j], counts[i]) })
	return order[0], order[1]
}

// plausibleClient tells whether a record has a time, and plausible client and host
// fields.
func plausibleClient(r *Record) bool {
	return r.HasTime && plausibleAddress(r.Addr) && (r.Host == nil || plausibleHost(r.Host))
}

// plausibleAddress tells whether b may be a client's address or its name.
func plausibleAddress(b []byte) bool {
	_, err := netip.ParseAddr(string(b))
	return err == nil || plausibleHost(b) && bytes.IndexByte(b, ':') < 0
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

// Hosts returns up to ten different hosts that are named in head, the beginning of a log.
// A name that cannot be a host is quoted.
func Hosts(f *Format, head []byte) []string {
	const most = 10
	var r Record
	var hosts []string
	reader := f.NewReader()
	reader.Reset(head)
	for kind := reader.Next(&r); kind != End && len(hosts) < most; kind = reader.Next(&r) {
		if kind != Request {
			continue
		}
		reader.Complete(&r)
		host := string(r.Host)
		if !plausibleHost(r.Host) {
			host = quote(r.Host)
		}
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}
