package filter

import (
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// site is what is known of the URLs that begin with one scheme and authority, as
// these are spelled.
type site struct {
	machine *automaton.Machine
	// class is Allowed where the machine decides, Unreachable where only the path
	// does; all URLs of a site of another class are of that.
	class Class
	// whole says that the path is to be found in the whole URL: where Google's
	// reading would end the authority at a semicolon.
	whole bool
}

// A worker's memory of sites is a table in which each spelling has one place, so
// that it is bounded, costs one comparison and needs no allocation, whoever
// chose the hosts. Another spelling with the same place takes it over. Longer
// spellings than keyLen are looked up each time.
const (
	places = 1 << 13
	keyLen = 78 // makes a slot of 96 bytes, where pointers have eight
)

type slot struct {
	key    [keyLen]byte
	length uint8 // of the key; 0 in an empty slot
	used   uint8 // URLs since the policy was asked, up to askAgain
	site
}

// askAgain is after how many URLs of a site the policy is asked about it again: to
// make a table of rules pays after some hundred URLs.
const askAgain = 128

// spells tells whether the URL begins with the scheme and authority of the slot.
func (s *slot) spells(url []byte) bool {
	n := int(s.length)
	if n == 0 || len(url) < n || string(url[:n]) != string(s.key[:n]) {
		return false
	}
	return len(url) == n || url[n] == '/' || url[n] == '?' || url[n] == '#'
}

// sites is the memory of one worker.
type sites struct {
	config *Config
	seed   maphash.Seed
	slots  []slot
	long   slot // of the last spelling that no slot can hold: only its site is used
}

func newSites(c *Config) *sites {
	return &sites{config: c, seed: maphash.MakeSeed(), slots: make([]slot, places)}
}

// find returns the slot of a scheme and authority, nil after an error of the
// policy.
func (s *sites) find(prefix []byte) (*slot, error) {
	if len(prefix) > keyLen {
		var err error
		s.long.site, err = s.ask(prefix, false)
		return &s.long, err
	}
	at := &s.slots[maphash.Bytes(s.seed, prefix)%places]
	if string(at.key[:at.length]) == string(prefix) {
		return at, nil
	}
	known, err := s.ask(prefix, false)
	if err != nil {
		return nil, err
	}
	at.length, at.site, at.used = uint8(copy(at.key[:], prefix)), known, 0
	return at, nil
}

// use counts a URL of a slot's site.
func (s *sites) use(at *slot) error {
	if at.used == askAgain || at == &s.long || s.config.Policy == nil {
		return nil
	}
	if at.used++; at.used < askAgain {
		return nil
	}
	prefix := at.key[:at.length]
	var err error
	at.site, err = s.ask(prefix, true)
	return err
}

// ask finds out about a site.
func (s *sites) ask(prefix []byte, busy bool) (site, error) {
	o, ok := origin.View(prefix)
	if !ok {
		scheme, _, _ := strings.Cut(string(prefix), "://")
		if !knownScheme(strings.ToLower(scheme)) {
			return site{class: BadScheme}, nil
		}
		var err error
		if o, err = origin.Of(prefix); err != nil {
			return site{class: BadHost}, nil
		}
	}
	rules, found := s.config.Site, true
	if rules == nil {
		r, ok, err := s.config.Policy.Find(o, busy)
		if err != nil {
			return site{}, fmt.Errorf("%s: %w", o, err)
		}
		rules, found = &r, ok
	}
	switch {
	case !found:
		return site{class: NoPolicy}, nil
	case rules.Unreachable:
		return site{class: Unreachable}, nil
	}
	return site{machine: rules.Machine, whole: strings.Contains(string(prefix), ";")}, nil
}

// knownScheme tells whether URLs of a scheme, in lower case, are under the rules
// of a robots.txt: those of RFC 9309 2.3.
func knownScheme(scheme string) bool {
	return scheme == "http" || scheme == "https" || scheme == "ftp"
}
