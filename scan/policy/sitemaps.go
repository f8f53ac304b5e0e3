package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// sitemaps holds the request targets in a body's Sitemap lines, each with the hosts that it applies to: "" stands for
// the body's own host. A target is permitted under any scheme and port.
type sitemaps struct {
	targets map[string][]string
	sum     [sha256.Size]byte // of all of them
}

func (s *sitemaps) none() bool { return len(s.targets) == 0 }

// has reports whether a normalized target is permitted on a host, or on any if that is "".
func (s *sitemaps) has(target, host string) bool {
	hosts, listed := s.targets[target]
	return listed && (host == "" || slices.Contains(hosts, "") || slices.Contains(hosts, host))
}

// read reads the Sitemap lines of a robots.txt. It ignores values that aren't URLs.
func (s *sitemaps) read(robots *compile.Robots) {
	for _, r := range robots.Records {
		switch {
		case !strings.EqualFold(r.Key, "sitemap") && !strings.EqualFold(r.Key, "site-map"):
		case strings.HasPrefix(r.Value, "//"): // with the scheme of the origin
			s.add("http:" + r.Value)
		default:
			s.add(r.Value)
		}
	}
	var list []byte
	for _, target := range slices.Sorted(maps.Keys(s.targets)) {
		list = binary.AppendUvarint(list, uint64(len(target)))
		list = append(list, target...)
		for _, host := range s.targets[target] {
			list = append(append(list, host...), 0)
		}
		list = append(list, '\n')
	}
	s.sum = sha256.Sum256(list)
}

// add adds the target of a URL as a client would write it and, if the URL contains other bytes than
// it should, also unchanged.
func (s *sitemaps) add(text string) {
	ref, err := url.Parse(text)
	if err != nil || ref.Opaque != "" {
		return
	}
	host := ""
	if ref.Host != "" {
		of, err := origin.Of([]byte(ref.Scheme + "://" + ref.Host))
		if err != nil {
			return
		}
		host = of.Host
	}
	if s.targets == nil {
		s.targets = map[string][]string{}
	}
	base := url.URL{Scheme: ref.Scheme, Host: ref.Host, Path: "/robots.txt"}
	list := []string{base.ResolveReference(ref).RequestURI()}
	if ref.Host != "" || strings.HasPrefix(text, "/") {
		list = append(list, string(automaton.RFC9309.Path(new(automaton.Scratch), []byte(text))))
	}
	for _, target := range slices.Compact(list) {
		s.targets[target] = append(s.targets[target], host)
	}
}
