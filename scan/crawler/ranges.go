//go:build !js

package crawler

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// Ranges are the addresses that an operator has published in one file. They are
// immutable and safe for any number of goroutines.
type Ranges struct {
	// File is the name under which the file was read.
	File string
	// Created is when the operator made the list, in nanoseconds since 1970, 0 if that
	// is not known.
	Created int64
	// DatedBy says where Created is from: one of the constants below, "" if it is 0.
	DatedBy string
	// Sum is the SHA-256 of the file.
	Sum [sha256.Size]byte

	prefixes []netip.Prefix // masked, none of them IPv4 in IPv6
	// services has, for each prefix by its index, the names of the crawlers that it is
	// for, if its entry names any. Otherwise it is for all crawlers of the list.
	services map[int][]string
}

// Bytes is about how much memory they take.
func (r *Ranges) Bytes() int64 {
	return int64(len(r.prefixes)*prefixBytes + len(r.services)*serviceBytes)
}

const (
	prefixBytes  = 100
	serviceBytes = 200 // of a prefix that is for some crawlers
)

// Where the date of a list is from, as Ranges.DatedBy has it.
const (
	ByCreationTime = "creationTime" // the file says it
	ByName         = "name"         // the file's name has it
	ByOption       = "option"       // the user said it
)

// maxRangesSize bounds a file of ranges, in bytes. The largest that operators
// publish have a few hundred kilobytes.
const maxRangesSize = 64 << 20

// The widest ranges that a file may have, in bits. No operator of crawlers has
// more; a wider one is a mistake that would verify half of the internet.
const (
	widestIPv4 = 8
	widestIPv6 = 19
)

var (
	errNoRange    = errors.New("no range")
	errNoPrefix   = errors.New("neither ipv4Prefix nor ipv6Prefix")
	errNoService  = errors.New("services names no crawler")
	errNoAddress  = errors.New("no ip_address")
	errNotRange   = errors.New("neither an address nor a CIDR range")
	errWideRange  = fmt.Errorf("wider than /%d (IPv4) or /%d (IPv6)", widestIPv4, widestIPv6)
	errSpecial    = errors.New("no client on the internet has such addresses")
	errCreation   = errors.New("creationTime is no time since 1970 in RFC 3339")
	errTwice      = errors.New("is in the file twice")
	errUnread     = errors.New("an unknown list: only prefixes and ips are read")
	errJSONBehind = errors.New("something follows the object")
)

// ReadRanges reads the ranges that an operator publishes, in one of these forms:
//
//	{"creationTime":"2026-08-20T14:46:45.000000","prefixes":[{"ipv4Prefix":"192.0.2.0/24"},{"ipv6Prefix":…}]}
//	{"creationTime":"2026-08-20T14:46:45.000000","ips":[{"ip_address":"192.0.2.1"}]}
//	one address or CIDR range a line, with blank lines and comments from # on
//
// creationTime may be missing; without a zone it is UTC. An entry of prefixes may have
// services, an array of the names of the crawlers that it is for
// (draft-illyes-webbotauth-jafar-00). Bits after a range's
// length are ignored. A file is refused if anything in it is not as above, if
// there is no range in it, and if one is wider than /8 (IPv4) or /19 (IPv6) or has
// addresses that no client on the internet has, such as those of private networks. name is the
// name of the file in the result and in errors, which name the line or the entry too. A file
// that takes more than memory bytes is disk.ErrMemory.
func ReadRanges(r io.Reader, name string, memory int64) (*Ranges, error) {
	data, err := io.ReadAll(disk.Within(r, maxRangesSize, memory/5)) // as JSON, its entries take several times as much
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	ranges := &Ranges{File: name, Sum: sha256.Sum256(data)}
	if text := bytes.TrimLeft(data, " \t\r\n"); len(text) > 0 && text[0] == '{' {
		err = ranges.readJSON(data)
	} else {
		err = ranges.readLines(data)
	}
	if err == nil && len(ranges.prefixes) == 0 {
		err = fmt.Errorf("%s: %w", name, errNoRange)
	}
	if err != nil {
		return nil, err
	}
	return ranges, nil
}

func (r *Ranges) readJSON(data []byte) error {
	var file struct {
		CreationTime *string `json:"creationTime"`
		Prefixes     []struct {
			IPv4 string `json:"ipv4Prefix"`
			IPv6 string `json:"ipv6Prefix"`

			Services []string `json:"services"`
		} `json:"prefixes"`
		IPs []struct {
			Address string `json:"ip_address"`
		} `json:"ips"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&file); err != nil {
		return fmt.Errorf("%s:%d: %w", r.File, lineAt(data, offsetOf(err, d)), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s:%d: %w", r.File, lineAt(data, d.InputOffset()), errJSONBehind)
	}
	if err := checkKeys(data); err != nil {
		return fmt.Errorf("%s: %w", r.File, err)
	}
	if file.CreationTime != nil {
		created, err := parseCreation(*file.CreationTime)
		if err != nil {
			return fmt.Errorf("%s: %q: %w", r.File, cut(*file.CreationTime), err)
		}
		r.Created, r.DatedBy = created, ByCreationTime
	}
	for i, p := range file.Prefixes {
		first := len(r.prefixes)
		err := r.addEntry(errNoPrefix, p.IPv4, p.IPv6)
		if err == nil {
			err = r.limit(first, p.Services)
		}
		if err != nil {
			return fmt.Errorf("%s: prefixes[%d]: %w", r.File, i, err)
		}
	}
	for i, ip := range file.IPs {
		if err := r.addEntry(errNoAddress, ip.Address); err != nil {
			return fmt.Errorf("%s: ips[%d]: %w", r.File, i, err)
		}
	}
	return nil
}

// addEntry adds the ranges of an entry that are not empty. If all are empty, it returns
// the error empty.
func (r *Ranges) addEntry(empty error, texts ...string) error {
	for _, text := range texts {
		if text == "" {
			continue
		}
		if err := r.add(text); err != nil {
			return err
		}
		empty = nil
	}
	return empty
}

// limit says that the prefixes from an index on are for the crawlers of these names only.
// Nil stands for an entry without services.
func (r *Ranges) limit(first int, services []string) error {
	if services == nil {
		return nil
	}
	if len(services) == 0 {
		return errNoService
	}
	if r.services == nil {
		r.services = map[int][]string{}
	}
	for i := first; i < len(r.prefixes); i++ {
		r.services[i] = services
	}
	return nil
}

// checkKeys refuses an object that may have addresses in other members, which are not
// read. A client at such an address would count as an impostor.
func checkKeys(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil { // the brace
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		key, _ := d.Token()
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		name := strings.ToLower(fmt.Sprint(key))
		known := name == "prefixes" || name == "ips" || name == "creationtime"
		switch {
		case known && seen[name]:
			return fmt.Errorf("%q: %w", cut(name), errTwice)
		case !known && (value[0] == '[' || value[0] == '{'):
			return fmt.Errorf("%q: %w", cut(name), errUnread)
		}
		seen[name] = true
	}
	return nil
}

// offsetOf returns the offset of an error in the input of a decoder.
func offsetOf(err error, d *json.Decoder) int64 {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return syntax.Offset
	case errors.As(err, &kind):
		return kind.Offset
	default:
		return d.InputOffset()
	}
}

// lineAt returns the number of the line of an offset.
func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte("\n"))
}

func (r *Ranges) readLines(data []byte) error {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line, _, _ = bytes.Cut(line, []byte("#"))
		text := string(bytes.TrimSpace(line))
		if text == "" {
			continue
		}
		if err := r.add(text); err != nil {
			return fmt.Errorf("%s:%d: %w", r.File, number, err)
		}
	}
	return nil
}

// add adds a range, or an address as one.
func (r *Ranges) add(text string) error {
	prefix, err := parsePrefix(text)
	if err == nil {
		err = checkRange(prefix)
	}
	if err != nil {
		return fmt.Errorf("%q: %w", cut(text), err)
	}
	r.prefixes = append(r.prefixes, prefix)
	return nil
}

// parsePrefix reads an address or a CIDR range. IPv4 in IPv6 becomes IPv4, as it does in the
// addresses of clients.
func parsePrefix(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		addr, ok := parseAddr([]byte(text))
		if !ok {
			return netip.Prefix{}, errNotRange
		}
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, errNotRange
	}
	if addr, bits := unmap(prefix.Addr()), prefix.Bits()-96; addr != prefix.Addr() && bits >= 0 {
		prefix = netip.PrefixFrom(addr, bits)
	}
	return prefix.Masked(), nil
}

var mapped = netip.MustParsePrefix("::ffff:0:0/96") // the IPv4 addresses in IPv6

// checkRange refuses the ranges that ReadRanges refuses.
func checkRange(p netip.Prefix) error {
	widest := widestIPv6
	if p.Addr().Is4() {
		widest = widestIPv4
	}
	if p.Bits() < widest || p.Overlaps(mapped) || p.Overlaps(nat64) {
		return errWideRange
	}
	if i := slices.IndexFunc(special, func(b block) bool { return p.Overlaps(b.prefix) }); i >= 0 {
		return fmt.Errorf("%w: %v is for %s", errSpecial, special[i].prefix, special[i].purpose)
	}
	return nil
}

// parseCreation reads a creationTime: RFC 3339, or the same without a zone,
// which is UTC, as Google writes it.
func parseCreation(text string) (int64, error) {
	created, ok := parseTime(text, time.RFC3339, "2006-01-02T15:04:05")
	if !ok {
		return 0, errCreation
	}
	return created, nil
}

// parseTime reads a time since 1970 in one of the layouts, in nanoseconds.
func parseTime(text string, layouts ...string) (ns int64, ok bool) {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			if ns := t.UnixNano(); ns > 0 && time.Unix(0, ns).Equal(t) {
				return ns, true
			}
		}
	}
	return 0, false
}
