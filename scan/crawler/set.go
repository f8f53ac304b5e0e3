package crawler

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
)

// Set is a list of profiles ready to be found in headers. It is immutable and
// safe for any number of goroutines.
type Set struct {
	profiles []Profile
	words    map[string][]*word  // by what they begin with, the longer first: see Reader.find
	begins   [256]uint64         // of these keys by their first byte: a bit for each length, the last for all longer ones
	controls map[string]*Profile // control tokens by their names and tokens, in lower case
	added    map[string][]string // by operator: the words that its crawlers add to their headers, in lower case
	sites    map[string][]string // by operator: Profile.Sites
	referrers

	longestDotted int // length of the longest name in controls that has a dot
}

// word is a word of a profile.
type word struct {
	text  string     // in lower case
	of    []*Profile // the one profile
	loose bool       // see Claim.Loose
}

// New makes a set of profiles, which it keeps. It fails if a profile has an empty
// word.
func New(profiles []Profile) (*Set, error) {
	s := &Set{
		profiles: profiles, words: map[string][]*word{}, controls: map[string]*Profile{},
		added: map[string][]string{}, sites: map[string][]string{}, referrers: newReferrers(profiles),
	}
	for i := range profiles {
		p := &profiles[i]
		for _, text := range p.Words {
			if text == "" {
				return nil, fmt.Errorf("crawler profile %d, %q: %w", i+1, cut(p.Name), errNoWord)
			}
			low := string(appendLower(nil, text))
			start := low[:startLen([]byte(low))]
			is := func(token string) bool { return strings.EqualFold(token, text) }
			loose := p.Source == "" || !slices.ContainsFunc(p.Tokens, is)
			s.words[start] = append(s.words[start], &word{low, []*Profile{p}, loose})
			s.begins[start[0]] |= 1 << min(len(start), 63)
		}
		s.sites[p.Operator] = append(s.sites[p.Operator], p.Sites...)
		for _, added := range p.Adds {
			s.added[p.Operator] = append(s.added[p.Operator], string(appendLower(nil, added)))
		}
		if p.Control {
			for _, name := range append([]string{p.Name}, p.Tokens...) {
				s.controls[string(appendLower(nil, name))] = p
				if strings.Contains(name, ".") {
					s.longestDotted = max(s.longestDotted, len(name))
				}
			}
		}
	}
	for _, words := range s.words {
		slices.SortFunc(words, func(x, y *word) int { return cmp.Compare(len(y.text), len(x.text)) })
	}
	return s, nil
}

// Profiles returns the profiles of the set. They must not be changed.
func (s *Set) Profiles() []Profile { return s.profiles }

// ByName returns the profile with that name, else one with that word, else one with that
// preferred product token, in any ASCII case; nil if there is none.
func (s *Set) ByName(name string) *Profile {
	is := func(s string) bool { return strings.EqualFold(s, name) }
	for _, known := range []func(*Profile) bool{
		func(p *Profile) bool { return is(p.Name) },
		func(p *Profile) bool { return slices.ContainsFunc(p.Words, is) },
		func(p *Profile) bool { return is(p.Tokens[0]) },
	} {
		for i := range s.profiles {
			if known(&s.profiles[i]) {
				return &s.profiles[i]
			}
		}
	}
	return nil
}

// Errors of Named.
var (
	errNoCrawler = errors.New("names no crawler; give a product token, such as GPTBot")
	errAmbiguous = errors.New("does not name one crawler only; give the name of one")
	errBareWords = errors.New("names no crawler, only a word that many use; give a product token, such as GPTBot")
)

// NamesOf returns the names of the known crawlers that a user means with a text: that of one that is
// called so, in any case, else those that a group of robots.txt for this product token binds.
func (s *Set) NamesOf(text string) (names []string) {
	is := func(s string) bool { return strings.EqualFold(s, text) }
	for i := range s.profiles {
		p := &s.profiles[i]
		if is(p.Name) {
			return []string{p.Name}
		}
		if slices.ContainsFunc(p.Tokens, is) {
			names = append(names, p.Name)
		}
	}
	return names
}

// Nearest returns the names of at most three known crawlers that are like a text, the most alike first:
// such as have it in them, or in the name of their operator, or differ by few letters.
func (s *Set) Nearest(text string) (names []string) {
	text = strings.ToLower(text)
	few, differ := max(len(text)/4, 1), map[string]int{}
	for i := range s.profiles {
		name := strings.ToLower(s.profiles[i].Name)
		n := english.Distance(text, name[:min(len(name), 64)], few)
		if strings.Contains(name+" "+strings.ToLower(s.profiles[i].Operator), text) {
			n = min(n, few)
		}
		if n <= few && text != "" {
			names, differ[s.profiles[i].Name] = append(names, s.profiles[i].Name), n
		}
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(differ[x], differ[y]) })
	return names[:min(len(names), 3)]
}

// Named returns the crawler that a user means with a text: a known crawler by one of its
// names (ByName); a name with a version or a whole User-Agent header, as Read reads it; or
// any other product token, which is the Name of the claim. The error says why a header
// does not name one crawler.
func (s *Set) Named(text string) (Claim, error) {
	if p := s.ByName(text); p != nil {
		return Claim{Profile: p, Name: p.Name}, nil
	}
	if !strings.ContainsAny(text, "/ (;") {
		return Claim{Name: text}, nil
	}
	claim := s.Reader().Read([]byte(text))
	switch {
	case claim.Name == "" || claim.Overlong:
		return Claim{}, fmt.Errorf("%q %w", text, errNoCrawler)
	case claim.Ambiguous:
		return Claim{}, fmt.Errorf("%q %w", text, errAmbiguous)
	case claim.Nameless:
		return Claim{}, fmt.Errorf("%q %w", text, errBareWords)
	}
	return claim, nil
}

// requester returns the crawler with that name or, if none has it, with that word. A
// control token is none, because no client sends it.
func (s *Set) requester(name string) *Profile {
	p := s.ByName(name)
	is := func(s string) bool { return strings.EqualFold(s, name) }
	if p == nil || p.Control || !is(p.Name) && !slices.ContainsFunc(p.Words, is) {
		return nil
	}
	return p
}
