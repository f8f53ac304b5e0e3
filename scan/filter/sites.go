package filter

import (
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// site has the rules for URLs that begin with one spelling of a scheme and authority.
type site struct {
	machine *automaton.Machine
	// class is Allowed if the machine decides, and Unreachable if all paths but /robots.txt
	// are Unreachable. Otherwise it is the class of all URLs of the site.
	class Class
	// whole tells that the path must be taken from the whole URL, because the
	// authority has a semicolon, which ends it for Google's parser.
	whole bool
}

// A worker remembers sites in a hash table of a fixed size, in which a spelling
// replaces any other in its slot: a lookup costs one comparison and no allocation,
// also for hostile lists of hosts. Spellings longer than keyLen are looked up each
// time.
const (
	slots  = 1 << 13
	keyLen = 78 // makes a slot of 96 bytes, if pointers have eight
)

// slot is a hash slot.
type slot struct {
	key    [keyLen]byte
	length uint8 // of the key; 0 in an empty slot
	used   uint8 // number of URLs since the first call of Policy.Find, at most askAgain
	site
}

// askAgain is the number of URLs of a site after which Policy.Find is called again: from
// about a hundred URLs on it saves time to make a table of the rules.
const askAgain = 128

// matches tells whether the URL begins with the scheme and authority of the slot.
func (s *slot) matches(url []byte) bool {
	n := int(s.length)
	if n == 0 || len(url) < n || string(url[:n]) != string(s.key[:n]) {
		return false
	}
	return len(url) == n || url[n] == '/' || url[n] == '?' || url[n] == '#'
}

// sites are the sites that one worker remembers.
type sites struct {
	config *Config
	seed   maphash.Seed
	slots  []slot
	long   slot   // for the last spelling longer than keyLen: only its site is used
	epoch  uint64 // Config.Epoch, of the slots
}

// refresh empties the slots if the epoch is another one.
func (s *sites) refresh() {
	if s.config.Epoch == nil {
		return
	}
	if now := s.config.Epoch(); now != s.epoch {
		clear(s.slots)
		s.long, s.epoch = slot{}, now
	}
}

func newSites(c *Config) *sites {
	return &sites{config: c, seed: maphash.MakeSeed(), slots: make([]slot, slots)}
}

// find returns the slot of a scheme and authority. Its error comes from the policy.
func (s *sites) find(prefix []byte) (*slot, error) {
	s.refresh()
	if len(prefix) > keyLen {
		var err error
		s.long.site, err = s.ask(prefix, false)
		return &s.long, err
	}
	at := &s.slots[maphash.Bytes(s.seed, prefix)%slots]
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

// use counts a URL of a slot's site, and calls Policy.Find again after askAgain URLs.
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

// ask returns the site of a scheme and authority, with the rules of the policy.
func (s *sites) ask(prefix []byte, busy bool) (site, error) {
	o, ok := origin.View(prefix)
	if !ok {
		scheme, _, _ := strings.Cut(string(prefix), "://")
		if origin.DefaultPort(strings.ToLower(scheme)) == 0 {
			return site{class: BadScheme}, nil
		}
		var err error
		if o, err = origin.Of(prefix); err != nil {
			return site{class: BadHost}, nil //nolint:nilerr // the URL is invalid, not the run
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
