package crawler

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// HostNames holds confirmed host names of addresses: the address resolves to the name, and the name back to the
// address. It is immutable and safe for concurrent use.
type HostNames struct {
	names map[netip.Addr][]string // in lower case, without the final dot
	bytes int64
}

// Bytes returns the approximate memory use.
func (n *HostNames) Bytes() int64 { return n.bytes }

// Of returns a parsed address and its host names, or nil if it has none. Callers must not modify the names. A nil
// HostNames is empty.
func (n *HostNames) Of(address string) (netip.Addr, []string) {
	addr, ok := parseAddr([]byte(address))
	if n == nil || !ok {
		return addr, nil
	}
	return addr, n.names[addr]
}

const (
	addrBytes = 200 // of an address with names
	nameBytes = 48  // of a name, excluding its text
	// maxNameLine is the longest line accepted, in bytes.
	maxNameLine = 64 << 10
)

var (
	errColumns   = errors.New("not three columns with tabs between them: address, name, confirmed or not")
	errNoAddr    = errors.New("not an address")
	errConfirmed = errors.New("neither true nor false, yes nor no, 1 nor 0")
	errNameless  = errors.New("confirmed, but without a name")
)

// ReadNames reads a file of host names. Each line has an address, a name, and whether the name was found
// to resolve back to the address (true or false, yes or no, 1 or 0, in any case), separated by tabs.
// Blank lines and lines starting with # are ignored. An address may have several names. Only confirmed
// names are kept, because anyone can give their own address any name. Errors include name, which is the
// file's name, and the line number. If the names need more than memory bytes, the error is
// disk.ErrMemory.
func ReadNames(r io.Reader, name string, memory int64) (*HostNames, error) {
	n := &HostNames{names: map[netip.Addr][]string{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxNameLine)
	number := 0
	for lines.Scan() {
		line := lines.Bytes()
		number++
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		line = bytes.TrimRight(line, "\r")
		if len(bytes.TrimSpace(line)) == 0 || line[0] == '#' {
			continue
		}
		err := n.add(line)
		if n.bytes > memory {
			err = disk.ErrMemory
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%s:%d: %w", name, number+1, disk.LimitError(maxNameLine))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}

func (n *HostNames) add(line []byte) error {
	columns := strings.Split(string(line), "\t")
	if len(columns) != 3 {
		return errColumns
	}
	for i := range columns {
		columns[i] = strings.TrimSpace(columns[i])
	}
	addr, ok := parseAddr([]byte(columns[0]))
	if !ok {
		return fmt.Errorf("%q: %w", cut(columns[0]), errNoAddr)
	}
	switch strings.ToLower(columns[2]) {
	case "true", "yes", "1":
	case "false", "no", "0":
		return nil
	default:
		return fmt.Errorf("%q: %w", cut(columns[2]), errConfirmed)
	}
	host := normalName(columns[1])
	if host == "" {
		return errNameless
	}
	if names := n.names[addr]; !slices.Contains(names, host) && len(names) < maxNamesKept {
		if len(names) == 0 {
			n.bytes += addrBytes
		}
		n.bytes += int64(len(line) + nameBytes)
		n.names[addr] = append(names, host)
	}
	return nil
}

// maxNamesKept limits the names per address, since every request from it is compared with all of them. Further names
// are dropped.
const maxNamesKept = 64

// normalName returns a DNS name in lower case, without the final dot.
func normalName(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// verifies reports whether an address has a confirmed name in one of the domains. A nil HostNames is
// empty.
func (n *HostNames) verifies(addr netip.Addr, domains []string) bool {
	return n != nil && slices.ContainsFunc(n.names[addr], func(name string) bool { return inDomains(name, domains) })
}

// inDomains reports whether a normalized name is one of the domains or a subdomain of one.
func inDomains(name string, domains []string) bool {
	return slices.ContainsFunc(domains, func(domain string) bool {
		before, ok := strings.CutSuffix(name, domain)
		return ok && (before == "" || before[len(before)-1] == '.')
	})
}

var (
	errDomain = errors.New("not a domain name in lower case")
	errRented = errors.New("any rented machine has a name in it")
)

// rented is the domain of the virtual machines that Google rents out to anyone.
const rented = "googleusercontent.com"

// checkDomain rejects names that cannot be the domain of an operator's crawlers. A domain has at least two labels, made
// of letters, digits and hyphens.
func checkDomain(domain string) error {
	labels := strings.Split(domain, ".")
	if len(labels) < 2 || len(domain) > 253 {
		return errDomain
	}
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return errDomain
		}
	}
	if inDomains(domain, []string{rented}) {
		return errRented
	}
	return nil
}
