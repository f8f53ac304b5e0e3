// Package origin normalizes scheme, host and port, so that different spellings of an origin are
// equal. A robots.txt applies to one origin (RFC 9309 2.3).
package origin

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/net/idna"
)

// Origin is a normalized scheme, host and port. The host is in lower case, an IDN in Punycode,
// without a trailing dot; an IP address is formatted by netip. The zero value isn't an origin.
// Origins are comparable.
type Origin struct {
	Scheme string // "http", "https" or "ftp"; empty if unknown
	Host   string
	Port   uint16 // 0 if unknown
}

var defaultPorts = map[string]uint16{"http": 80, "https": 443, "ftp": 21}

// DefaultPort returns the default port of a URL scheme. It is 0 unless the scheme is http, https or
// ftp, to which robots.txt applies (RFC 9309 2.3).
func DefaultPort(scheme string) uint16 { return defaultPorts[scheme] }

// schemes maps default ports to schemes.
var schemes = map[uint16]string{80: "http", 443: "https", 21: "ftp"}

// String returns the origin as a URL without a path. It omits the scheme's default port, and an
// unknown scheme.
func (o Origin) String() string {
	host := o.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if o.Port != 0 && o.Port != defaultPorts[o.Scheme] {
		host += ":" + strconv.Itoa(int(o.Port))
	}
	if o.Scheme == "" {
		return host
	}
	return o.Scheme + "://" + host
}

var (
	errHost        = errors.New("not a host name")
	errPort        = errors.New("not a port")
	errScheme      = errors.New("scheme is none of http, https and ftp")
	errNotAbsolute = errors.New("not an absolute URL")
	errPath        = errors.New("more than an origin: path, query or user are not part of it")
)

// Parse parses an origin as a user writes it, such as https://example.com, with an optional port.
// Without a scheme it returns two origins: http on port 80 and https on port 443, or both on the
// given port.
func Parse(s string) ([]Origin, error) {
	scheme, authority, found := strings.Cut(s, "://")
	if !found {
		scheme, authority = "", s
	}
	authority = strings.TrimSuffix(authority, "/")
	if strings.ContainsAny(authority, "/?#@\\") {
		return nil, fmt.Errorf("%q: %w", s, errPath)
	}
	host, port, err := parseHost(authority)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", s, err)
	}
	if !found {
		return []Origin{complete("http", host, port), complete("https", host, port)}, nil
	}
	scheme = strings.ToLower(scheme)
	if defaultPorts[scheme] == 0 {
		return nil, fmt.Errorf("%q: %w", s, errScheme)
	}
	return []Origin{complete(scheme, host, port)}, nil
}

// complete returns an origin, with the scheme's default port if port is 0.
func complete(scheme, host string, port uint16) Origin {
	if port == 0 {
		port = defaultPorts[scheme]
	}
	return Origin{Scheme: scheme, Host: host, Port: port}
}

// Logged returns what a log's host field shows of an origin: the host, the port if there is one,
// and the scheme if the port is a scheme's default.
func Logged(field string) (Origin, error) {
	host, port, err := parseHost(field)
	return Origin{Scheme: schemes[port], Host: host, Port: port}, err
}

// Prefix returns the length n of the scheme and authority of an absolute URL. They alone determine
// its origin: Of(url[:n]) is Of(url). ok is false if url isn't an absolute URL.
func Prefix(url []byte) (n int, ok bool) {
	slash := authorityEnds(url) // the first slash of "://", if no other delimiter precedes it
	if slash < len("h:") || slash+1 >= len(url) || string(url[slash-1:slash+2]) != "://" {
		return 0, false
	}
	n = slash + len("//")
	return n + authorityEnds(url[n:]), true
}

// authorityEnds returns the index of the first byte that ends an authority, or len(b) if there is
// none.
func authorityEnds(b []byte) int {
	for i, c := range b {
		if c == '/' || c == '?' || c == '#' {
			return i
		}
	}
	return len(b)
}

// splitAuthority returns the scheme of an absolute URL and its host with the port, as views. It
// drops a user name before an '@'. It rejects backslashes, blanks and control characters in them,
// which RFC 3986 forbids and clients treat differently: WHATWG's URL standard reads a backslash as
// a slash, and drops tabs and line ends.
func splitAuthority(url []byte) (scheme, authority []byte, err error) {
	n, ok := Prefix(url)
	scheme, authority, _ = bytes.Cut(url[:n], []byte("://"))
	switch {
	case !ok || !isScheme(scheme):
		return nil, nil, errNotAbsolute
	case bytes.ContainsFunc(authority, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '\\' }):
		return nil, nil, fmt.Errorf("%w: %q", errHost, authority[:min(len(authority), maxName)])
	}
	return scheme, authority[bytes.LastIndexByte(authority, '@')+1:], nil
}

// isScheme reports whether a scheme is valid (RFC 3986 3.1).
func isScheme(scheme []byte) bool {
	return !bytes.ContainsFunc(scheme, func(c rune) bool {
		return (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c != '+' && c != '-' && c != '.'
	})
}

// Of returns the origin of an absolute URL. It keeps schemes other than http, https and ftp, in
// lower case.
func Of(url []byte) (Origin, error) {
	scheme, authority, err := splitAuthority(url)
	if err != nil {
		return Origin{}, err
	}
	host, port, err := parseHost(string(authority))
	if err != nil {
		return Origin{}, err
	}
	return complete(strings.ToLower(string(scheme)), host, port), nil
}

// Authority returns the part of an absolute URL's origin that is independent of whether the scheme
// is http or https: the host, the port if the URL has one, and the scheme if the port is a scheme's
// default or if the URL has another scheme.
func Authority(url []byte) (Origin, error) {
	scheme, authority, err := splitAuthority(url)
	if err == nil && (strings.EqualFold(string(scheme), "http") || strings.EqualFold(string(scheme), "https")) {
		return Logged(string(authority))
	}
	return Of(url)
}

// parseHost normalizes the authority of a URL or the value of a Host field. The port is 0 if
// missing. An IPv6 address has brackets; without a port they are optional.
func parseHost(s string) (host string, port uint16, err error) {
	if viewHost(unsafe.Slice(unsafe.StringData(s), len(s))) == len(s) && s != "" {
		return s, 0, nil
	}
	return parseOddHost(s)
}

// parseOddHost is parseHost for any authority, and slower.
func parseOddHost(s string) (host string, port uint16, err error) {
	if addr, ok := address(s); ok {
		return addr, 0, nil
	}
	name := s
	if i := strings.LastIndexByte(s, ':'); i >= 0 && !strings.HasSuffix(s, "]") {
		if name = s[:i]; s[i+1:] != "" {
			n, err := strconv.ParseUint(s[i+1:], 10, 16)
			if err != nil || n == 0 {
				return "", 0, fmt.Errorf("%w: %q", errPort, s[i+1:])
			}
			port = uint16(n)
		}
	}
	if inner, ok := strings.CutPrefix(name, "["); ok {
		addr, ok := address(strings.TrimSuffix(inner, "]"))
		if !ok || !strings.HasSuffix(inner, "]") || !strings.Contains(inner, ":") {
			return "", 0, fmt.Errorf("%w: %q", errHost, name)
		}
		return addr, port, nil
	}
	host, err = hostName(name)
	return host, port, err
}

// address returns a normalized IP address. An address with a zone isn't a host: a zone has a
// meaning only on the client's machine, and isn't valid in URLs (RFC 9844, which obsoletes RFC
// 6874).
func address(s string) (string, bool) {
	addr, err := netip.ParseAddr(s)
	return addr.String(), err == nil && addr.Zone() == ""
}

// profile maps host names like browsers do, without the checks that would reject existing names,
// such as foo_bar.example and r3---sn-x.googlevideo.com.
var profile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false),
	idna.CheckHyphens(false))

// maxName is the maximum length of a host name: 253 ASCII characters, each mapped from a four-byte
// character. It limits the time, because Punycode takes quadratic time and clients choose the names
// in a log.
const maxName = 4 * 253

func hostName(name string) (string, error) {
	if addr, ok := address(name); ok {
		return addr, nil
	}
	if len(name) > maxName {
		return "", fmt.Errorf("%w: longer than any host name", errHost)
	}
	host, err := profile.ToASCII(name)
	host = strings.TrimSuffix(host, ".")
	if err != nil || !utf8.ValidString(name) || !isName(host) {
		return "", fmt.Errorf("%w: %q", errHost, name)
	}
	return host, nil
}

// isName reports whether a host name has no empty label and no byte that is forbidden in a URL's
// host. It checks the mapped name, because the mapping can produce such bytes, as a '/' from a
// full-width one.
func isName(host string) bool {
	if strings.Contains("."+host+".", "..") {
		return false
	}
	for i := range len(host) {
		if c := host[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"#%/:<>?@[\\]^`{|}", c) >= 0 {
			return false
		}
	}
	return true
}

// AppendKey appends to dst the key of an origin in archives: scheme, host and port, even if it is
// the default, such as https://example.com:443. Different origins have different keys.
func (o Origin) AppendKey(dst []byte) []byte {
	dst = append(append(append(dst, o.Scheme...), "://"...), o.Host...)
	return strconv.AppendUint(append(dst, ':'), uint64(o.Port), 10)
}

// OfKey returns a key of AppendKey as text. An IPv6 address, which keys have bare, stands in brackets.
func OfKey(key []byte) string {
	scheme, rest, found := strings.Cut(string(key), "://")
	at := strings.LastIndexByte(rest, ':')
	if !found || at < 0 || !strings.Contains(rest[:at], ":") {
		return string(key)
	}
	return scheme + "://[" + rest[:at] + "]" + rest[at:]
}
