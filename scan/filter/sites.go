package filter

import (
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// site has the rules for URLs that begin with one spelling of a scheme and authority.
type site struct {
	// groups are the agents grouped by their rules, starting with the first agent's group. It is empty if class is not
	// Allowed.
	groups []group
	// valid is the span in which the rules are in force.
	valid Span
	// class is Allowed if the rules decide. Otherwise all URLs of the site have this class.
	class Class
	// whole means that the path must be determined from the whole URL, because the authority has a semicolon, where
	// Google's parser ends it.
	whole bool
}

// group is a set of agents with the same rules on a site, which are matched once for all of them.
type group struct {
	Rules
	agents  uint64 // a bit for each agent
	dialect automaton.Dialect
}

// A Judge caches sites in a hash table of a fixed size, in which a spelling replaces any other in its slot. A
// lookup takes one comparison and no allocation, even for hostile lists of hosts. Spellings longer than keyLen are
// looked up each time.
const (
	slots  = 1 << 13
	keyLen = 78 // makes slots of 128 bytes if pointers have eight
)

type slot struct {
	key    [keyLen]byte
	length uint8 // of the key; 0 if the slot is empty
	used   uint8 // URLs since the first call of Policy.Find, up to askAgain
	site
}

// askAgain is the number of URLs of a site after which Policy.Find is called again: from about a hundred URLs on, a
// table of the rules saves time.
const askAgain = 128

// matches reports whether the slot has the rules for a URL at an instant.
func (s *slot) matches(url []byte, at int64) bool {
	n := int(s.length)
	if n == 0 || len(url) < n {
		return false
	}
	if len(url) > n && url[n] != '/' && url[n] != '?' && url[n] != '#' { // most authorities of another length end here
		return false
	}
	return string(url[:n]) == string(s.key[:n]) && s.valid.has(at)
}

// sites are the sites that a Judge caches.
type sites struct {
	config *Config
	seed   maphash.Seed
	slots  []slot
	all    []group // of all sites, with Config.Site
	groups []group // otherwise space for the groups of each slot, one per agent, and of long
	rules  []Rules // of the agents on one site
	long   slot    // for the last spelling longer than keyLen; only its site is used
	last   slot    // with all, for the last spelling that origin.View could read
	epoch  uint64  // value of Config.Epoch for the slots
}

func newSites(c *Config) *sites {
	n := len(c.Dialects)
	s := &sites{config: c, seed: maphash.MakeSeed(), slots: make([]slot, slots)}
	if c.Site != nil {
		s.all = grouped(make([]group, 0, n), c.Site, c.Dialects)
		s.last = slot{used: askAgain, site: site{groups: s.all, valid: Always}}
	} else {
		s.groups, s.rules = make([]group, (slots+1)*n), make([]Rules, n)
	}
	return s
}

// refresh empties the slots if the epoch has changed.
func (s *sites) refresh() {
	if s.config.Epoch == nil {
		return
	}
	if now := s.config.Epoch(); now != s.epoch {
		clear(s.slots)
		clear(s.groups)
		s.long, s.epoch = slot{}, now
	}
}

// viewed returns the slot of a scheme and authority that origin.View can read, if the same rules apply to all
// sites. It looks nothing up, and caches only the last one.
func (s *sites) viewed(prefix []byte) *slot {
	s.last.length = uint8(copy(s.last.key[:], prefix))
	return &s.last
}

// find returns the slot of a scheme and authority. Errors come from the policy.
func (s *sites) find(prefix []byte, at int64) (*slot, error) {
	s.refresh()
	if len(prefix) > keyLen {
		var err error
		s.long.site, err = s.ask(prefix, at, false, slots)
		s.long.used = askAgain
		return &s.long, err
	}
	i := int(maphash.Bytes(s.seed, prefix) % slots)
	found := &s.slots[i]
	if string(found.key[:found.length]) == string(prefix) && found.valid.has(at) {
		return found, nil
	}
	known, err := s.ask(prefix, at, false, i)
	if err != nil {
		found.length = 0 // its groups may be partly overwritten
		return nil, err
	}
	found.length, found.site, found.used = uint8(copy(found.key[:], prefix)), known, 0
	if s.all != nil {
		found.used = askAgain
	}
	return found, nil
}

// use counts a URL for a slot with fewer than askAgain. At askAgain, it calls Policy.Find again.
func (s *sites) use(of *slot, at int64) error {
	if of.used++; of.used < askAgain {
		return nil
	}
	prefix := of.key[:of.length]
	known, err := s.ask(prefix, at, true, int(maphash.Bytes(s.seed, prefix)%slots))
	if err == nil {
		of.site = known
	}
	return err
}

// ask returns the site for a scheme and authority, with the rules of the policy. Its groups are stored in the slot with
// the given number.
func (s *sites) ask(prefix []byte, at int64, busy bool, slot int) (site, error) {
	o, ok := origin.View(prefix)
	if !ok {
		scheme, _, _ := strings.Cut(string(prefix), "://")
		if origin.DefaultPort(strings.ToLower(scheme)) == 0 {
			return site{class: BadScheme, valid: Always}, nil
		}
		var err error
		if o, err = origin.Of(prefix); err != nil {
			return site{class: BadHost, valid: Always}, nil //nolint:nilerr // the URL is invalid, not the run
		}
	}
	whole := strings.Contains(string(prefix), ";")
	if s.all != nil {
		return site{groups: s.all, valid: Always, whole: whole}, nil
	}
	valid, found, err := s.config.Policy.Find(Query{Origin: o, At: at, Busy: busy}, s.rules)
	switch {
	case err != nil:
		return site{}, fmt.Errorf("%s: %w", o, err)
	case !found:
		return site{class: NoPolicy, valid: valid}, nil
	}
	n := len(s.rules)
	groups := grouped(s.groups[slot*n:slot*n:slot*n+n], s.rules, s.config.Dialects)
	return site{groups: groups, valid: valid, whole: whole}, nil
}

// grouped appends the groups of the agents to an empty slice that has capacity for one group per agent.
func grouped(groups []group, rules []Rules, dialects []automaton.Dialect) []group {
agents:
	for i, r := range rules {
		for k := range groups {
			// Nil machines differ between dialects only in how the path of /robots.txt is found.
			if g := &groups[k]; g.Rules == r && g.dialect == dialects[i] {
				g.agents |= 1 << i
				continue agents
			}
		}
		groups = append(groups, group{Rules: r, agents: 1 << i, dialect: dialects[i]})
	}
	return groups
}
