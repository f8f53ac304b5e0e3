package crawler

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
)

// Set is a list of profiles, indexed for finding them in headers. It is immutable and safe for concurrent
// use.
type Set struct {
	profiles []Profile
	words    map[string][]*word  // keyed by their first bytes, longest first: see Reader.find
	begins   [256]uint64         // of these keys by their first byte: a bit for each length, the last for all longer ones
	controls map[string]*Profile // keyed by lower-case names and tokens
	added    map[string][]string // by operator: the words that its crawlers add to headers, in lower case
	sites    map[string][]string // by operator: Profile.Sites
	referrers

	longestDotted int // length of the longest name in controls that has a dot
}

// word is one of a profile's words.
type word struct {
	text  string     // in lower case
	of    []*Profile // the one profile
	loose bool       // see Claim.Loose
}

const upperCase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// New returns a set of the given profiles, which it retains. It fails if a profile has an empty
// word.
func New(profiles []Profile) (*Set, error) {
	all := 0
	for i := range profiles {
		all += len(profiles[i].Words)
	}
	s := &Set{
		profiles: profiles, words: make(map[string][]*word, all), controls: map[string]*Profile{},
		added: map[string][]string{}, sites: map[string][]string{}, referrers: newReferrers(profiles),
	}
	words, owners := make([]word, all), make([]*Profile, len(profiles)) // each run makes these, so at once
	for i := range profiles {
		p := &profiles[i]
		owners[i] = p
		for _, text := range p.Words {
			if text == "" {
				return nil, fmt.Errorf("crawler profile %d, %q: %w", i+1, cut(p.Name), errNoWord)
			}
			low := text
			if strings.ContainsAny(text, upperCase) {
				low = string(appendLower(nil, text))
			}
			start := low[:startLen([]byte(low))]
			is := func(token string) bool { return strings.EqualFold(token, text) }
			loose := p.Source == "" || !slices.ContainsFunc(p.Tokens, is)
			words[0] = word{low, owners[i : i+1 : i+1], loose}
			s.words[start] = append(s.words[start], &words[0])
			words = words[1:]
			s.begins[start[0]] |= 1 << min(len(start), 63)
		}
		if len(p.Sites) > 0 {
			s.sites[p.Operator] = append(s.sites[p.Operator], p.Sites...)
		}
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

// Profiles returns the profiles of the set. Callers must not modify them.
func (s *Set) Profiles() []Profile { return s.profiles }

// ByName returns the profile with the given name, or else the one with that word, or else the one with that preferred
// product token. It ignores ASCII case, and returns nil if nothing matches.
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

// Errors returned by Named.
var (
	errNoCrawler = errors.New("names no crawler; give a product token, such as GPTBot")
	errAmbiguous = errors.New("does not name one crawler only; give the name of one")
	errBareWords = errors.New("names no crawler, only a word that many use; give a product token, such as GPTBot")
)

// NamesOf returns the names of the known crawlers that a user's text refers to: the crawler with that name, in any
// case, or else all crawlers that obey a group in robots.txt for that product token.
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

// Nearest returns the names of up to three known crawlers that resemble a text, best match first. A match contains the
// text in its name or its operator's name, or differs from it by a few letters.
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

// Named returns the crawler that a user's text refers to. The text can be a name of a known crawler
// (ByName), a name with a version or a whole User-Agent header, which is parsed as by Read, or any other
// product token, which becomes the Name of the claim. The error explains why a header does not name exactly
// one crawler.
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

// requester returns the crawler with the given name, or else with that word. It never returns a control token, because
// no client sends one.
func (s *Set) requester(name string) *Profile {
	p := s.ByName(name)
	is := func(s string) bool { return strings.EqualFold(s, name) }
	if p == nil || p.Control || !is(p.Name) && !slices.ContainsFunc(p.Words, is) {
		return nil
	}
	return p
}
