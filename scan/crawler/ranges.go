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

// Ranges holds the addresses that an operator has published in one file. It is immutable and safe for concurrent
// use.
type Ranges struct {
	// File is the name of the file.
	File string
	// Created is when the operator made the list, in nanoseconds since 1970, or 0 if
	// unknown.
	Created int64
	// DatedBy is the source of Created: one of the constants below, or "" if Created is 0.
	DatedBy string
	// Sum is the SHA-256 digest of the file.
	Sum [sha256.Size]byte

	prefixes []netip.Prefix // masked, and none of them IPv4-mapped
	// services maps the index of each prefix to the names of the crawlers that it is for, if its entry names any.
	// Otherwise the prefix is for all crawlers of the list.
	services map[int][]string
}

// Bytes returns the approximate memory use.
func (r *Ranges) Bytes() int64 {
	return int64(len(r.prefixes)*prefixBytes + len(r.services)*serviceBytes)
}

const (
	prefixBytes  = 100
	serviceBytes = 200 // of a prefix that is for some of the crawlers only
)

// Sources of a list's date, for Ranges.DatedBy.
const (
	datedByField  = "creationTime" // a field of the file
	datedByName   = "name"         // the name of the file
	datedByOption = "option"       // given by the user
)

// maxRangesSize limits a file of ranges, in bytes. The largest files that operators publish have a few hundred
// kilobytes.
const maxRangesSize = 64 << 20

// The widest ranges that a file may contain, as prefix lengths. No crawler operator has more addresses; a wider range
// is a mistake that would verify half of the internet.
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

// ReadRanges reads address ranges as published by an operator, in one of these formats:
//
//	{"creationTime":"2026-08-20T14:46:45.000000","prefixes":[{"ipv4Prefix":"192.0.2.0/24"},{"ipv6Prefix":…}]}
//	{"creationTime":"2026-08-20T14:46:45.000000","ips":[{"ip_address":"192.0.2.1"}]}
//	one address or CIDR range a line, with blank lines and comments from # on
//
// creationTime is optional, and in UTC if it has no zone. An entry in prefixes may have
// services, an array with the names of the crawlers that it is for
// (draft-illyes-webbotauth-jafar-00). Bits beyond a range's prefix length are ignored.
// ReadRanges rejects a file if anything in it deviates from these formats, if it contains no
// range, or if a range is wider than /8 (IPv4) or /19 (IPv6) or contains addresses that no
// client on the internet has, such as those of private networks. name is the file's name, which
// is used in the result and in errors; errors also give the line or the entry. If the file needs
// more than memory bytes, the error is disk.ErrMemory.
func ReadRanges(r io.Reader, name string, memory int64) (*Ranges, error) {
	data, err := io.ReadAll(disk.Within(r, maxRangesSize, memory/5)) // decoded JSON takes several times as much
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
		r.Created, r.DatedBy = created, datedByField
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

// addEntry adds the ranges of an entry that are not empty. If all of them are, it returns the error
// empty.
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

// limit restricts the prefixes from index first on to the crawlers with these names. Nil means an entry without
// services.
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

// checkKeys rejects an object that may have addresses in members that are not read, since a client at such an address
// would be reported as spoofed.
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

// offsetOf returns the input offset at which a decoder failed.
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

// add adds a range or a single address.
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

// parsePrefix parses an address or a CIDR range. IPv4-mapped IPv6 becomes IPv4, as it does for client
// addresses.
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

var mapped = netip.MustParsePrefix("::ffff:0:0/96") // the IPv4-mapped IPv6 addresses

// checkRange rejects the ranges that ReadRanges does not accept.
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

// parseCreation parses a creationTime: RFC 3339, or the same without a zone, which means UTC, as in Google's
// files.
func parseCreation(text string) (int64, error) {
	created, ok := parseTime(text, time.RFC3339, "2006-01-02T15:04:05")
	if !ok {
		return 0, errCreation
	}
	return created, nil
}

// parseTime parses a time in one of the layouts and returns it in nanoseconds since 1970.
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
