// Package origin brings scheme, host and port to one form, so that two spellings
// of one origin are equal. A robots.txt is for one origin (RFC 9309 2.3).
package origin

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Origin is a scheme, a host and a port in normal form: host in lower case, an
// IDN in Punycode, without a trailing dot; an address as netip prints it. The
// zero value is no origin. Origins are comparable.
type Origin struct {
	Scheme string // "http", "https" or "ftp"; empty where it is not known
	Host   string
	Port   uint16 // 0 where it is not known
}

var defaultPorts = map[string]uint16{"http": 80, "https": 443, "ftp": 21}

// DefaultPort returns the port of a scheme's URLs that name none, 0 if that is not
// known.
func DefaultPort(scheme string) uint16 { return defaultPorts[scheme] }

// schemes are those that a default port tells.
var schemes = map[uint16]string{80: "http", 443: "https", 21: "ftp"}

// String returns the origin as a URL without a path; the port is left out where
// it is the scheme's own, and the scheme where it is not known.
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

// Parse reads an origin as a user writes it, such as https://example.com, with
// or without a port. Without a scheme it stands for two: http on port 80 and
// https on port 443, or both on the port given.
func Parse(s string) ([]Origin, error) {
	scheme, authority, found := strings.Cut(s, "://")
	if !found {
		scheme, authority = "", s
	}
	authority = strings.TrimSuffix(authority, "/")
	if strings.ContainsAny(authority, "/?#@\\") {
		return nil, fmt.Errorf("%q: %w", s, errPath)
	}
	host, port, err := ParseHost(authority)
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

// complete fills in the scheme's own port where none is given.
func complete(scheme, host string, port uint16) Origin {
	if port == 0 {
		port = defaultPorts[scheme]
	}
	return Origin{Scheme: scheme, Host: host, Port: port}
}

// Logged returns what a log's host field tells of an origin: the host, its port
// if there is one, and the scheme if that port is a scheme's own.
func Logged(field string) (Origin, error) {
	host, port, err := ParseHost(field)
	return Origin{Scheme: schemes[port], Host: host, Port: port}, err
}

// Prefix returns how many bytes at the start of an absolute URL are its scheme and
// authority, as they are spelled: its origin is Of(url[:n]) whatever follows. ok
// is false if url is not one.
func Prefix(url []byte) (n int, ok bool) {
	i := bytes.Index(url, []byte("://"))
	if i <= 0 || bytes.ContainsAny(url[:i], "/?#") {
		return 0, false
	}
	for n = i + len("://"); n < len(url); n++ {
		if c := url[n]; c == '/' || c == '?' || c == '#' {
			break
		}
	}
	return n, true
}

// Authority returns the scheme and the host with its port of an absolute URL, as
// views; the user's name before an '@' is left out. ok is false if url is not
// one.
func Authority(url []byte) (scheme, authority []byte, ok bool) {
	n, ok := Prefix(url)
	scheme, authority, _ = bytes.Cut(url[:n], []byte("://"))
	return scheme, authority[bytes.LastIndexByte(authority, '@')+1:], ok
}

// Of returns the origin of an absolute URL. A scheme other than http, https and
// ftp is kept as it is, in lower case, so that it equals none of these.
func Of(url []byte) (Origin, error) {
	scheme, authority, ok := Authority(url)
	if !ok {
		return Origin{}, errNotAbsolute
	}
	host, port, err := ParseHost(string(authority))
	if err != nil {
		return Origin{}, err
	}
	return complete(strings.ToLower(string(scheme)), host, port), nil
}

// ParseHost brings the authority of a URL or of a Host field to normal form. The
// port is 0 where none is given. An address with colons has brackets around it,
// but a bare one without a port is understood.
func ParseHost(s string) (host string, port uint16, err error) {
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
		if !ok || !strings.HasSuffix(inner, "]") {
			return "", 0, fmt.Errorf("%w: %q", errHost, name)
		}
		return addr, port, nil
	}
	host, err = hostName(name)
	return host, port, err
}

// address returns an IP address in normal form. A zone says something to the
// client's machine only (RFC 6874 1), and is left out.
func address(s string) (string, bool) {
	addr, err := netip.ParseAddr(s)
	return addr.WithZone("").String(), err == nil
}

// profile is how browsers map host names, without the checks that would refuse
// names which exist, such as foo_bar.example or r3---sn-x.googlevideo.com.
var profile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false))

// maxName is the length of the longest host name there can be, 253 octets of
// ASCII, each of them from a character of four. It is a bound for time: to make
// Punycode takes the square of a name's length, and a log's names are anybody's.
const maxName = 4 * 253

func hostName(name string) (string, error) {
	if addr, ok := address(name); ok {
		return addr, nil
	}
	if len(name) > maxName {
		return "", fmt.Errorf("%w: longer than any", errHost)
	}
	host, err := profile.ToASCII(name)
	host = strings.TrimSuffix(host, ".")
	if err != nil || !utf8.ValidString(name) || !isName(host) {
		return "", fmt.Errorf("%w: %q", errHost, name)
	}
	return host, nil
}

// isName tells whether a host name has no empty label and no byte that could not
// stand in a URL's host. It is asked of the mapped name: the mapping makes such
// bytes of others, a '/' of the full-width one.
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

// AppendKey appends to dst the one spelling of an origin by which archives know
// it: scheme, host and port, the port also where it is the scheme's own, such as
// https://example.com:443. Two origins have the same key only if they are equal.
func (o Origin) AppendKey(dst []byte) []byte {
	dst = append(append(append(dst, o.Scheme...), "://"...), o.Host...)
	return strconv.AppendUint(append(dst, ':'), uint64(o.Port), 10)
}
