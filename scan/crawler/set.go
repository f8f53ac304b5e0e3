package crawler

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// Set is a list of profiles ready to be found in headers. It is immutable and
// safe for any number of goroutines.
type Set struct {
	profiles []Profile
	words    *automaton.Words
	owner    []*Profile // of each word: its profile
	loose    []bool     // of each word: see Claim.Loose
	controls []control
	added    map[string][][]byte // by operator: the words that its crawlers add to their headers
	referrers

	longestDotted int // length of the longest name in controls that has a dot
}

// control is a name or a token of a control token's profile.
type control struct {
	name    []byte
	profile *Profile
}

// New makes a set of profiles, which it keeps. It fails if a profile has an empty
// word.
func New(profiles []Profile) (*Set, error) {
	words, err := automaton.NewWords(wordsOf(profiles))
	if err != nil {
		return nil, err
	}
	s := &Set{profiles: profiles, words: words, added: map[string][][]byte{}, referrers: newReferrers(profiles)}
	for i := range profiles {
		p := &profiles[i]
		for _, word := range p.Words {
			is := func(token string) bool { return strings.EqualFold(token, word) }
			s.owner, s.loose = append(s.owner, p), append(s.loose, p.Source == "" || !slices.ContainsFunc(p.Tokens, is))
		}
		for _, word := range p.Adds {
			s.added[p.Operator] = append(s.added[p.Operator], []byte(word))
		}
		if p.Control {
			for _, name := range append([]string{p.Name}, p.Tokens...) {
				s.controls = append(s.controls, control{[]byte(name), p})
				if strings.Contains(name, ".") {
					s.longestDotted = max(s.longestDotted, len(name))
				}
			}
		}
	}
	return s, nil
}

// wordsOf returns the words of all profiles, in the order in which the automaton
// numbers them.
func wordsOf(profiles []Profile) (words []string) {
	for i := range profiles {
		words = append(words, profiles[i].Words...)
	}
	return words
}

// controlNamed returns the control token with that name, in any ASCII case; nil if there
// is none. There are few, so they are compared one by one.
func (s *Set) controlNamed(name []byte) *Profile {
	for _, c := range s.controls {
		if bytes.EqualFold(c.name, name) {
			return c.profile
		}
	}
	return nil
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

// Claim is the crawler that a client claims to be. The zero value is no crawler.
type Claim struct {
	// Profile is the known crawler that the header names; if it names crawlers of
	// several operators, the first of them.
	Profile *Profile
	// Name is the profile's name, or the name that an unknown crawler gives itself.
	// Empty where the header names no crawler.
	Name string
	// Ambiguous says that the header names crawlers of several operators, or that it is Foreign.
	Ambiguous bool
	// Rivals are the known crawlers that an ambiguous header names, one of each operator,
	// in the order in which the operators are named: the first is Profile. Otherwise
	// it is nil. It must not be changed.
	Rivals []*Profile
	// Foreign says that the header has other words than the operator's, as in
	// "WireReaderBot/1.0 (compatible; Googlebot/2.1)" and "not bingbot", so that nothing
	// proves its client to be an impostor.
	Foreign bool
	// Loose says that no page of an operator is known to name the crawler's product tokens for
	// this header: the crawler is unknown, its profile has no Source, or its word in the header
	// is none of its tokens. Other groups, whose tokens stand in the header, may be meant for
	// it: see Reader.Outside.
	Loose bool
	// Nameless says that the header has only bare words, such as "bot", which say that
	// the client is a crawler, but not which one. Name is then "(without a name)".
	Nameless bool
	// Overlong says that the word of an unknown crawler is longer than is read, so that
	// nothing tells it from others. Name is then the constant Overlong, or Nameless.
	Overlong bool
	// Library says that the header names no crawler, and begins with the product of an
	// HTTP library, such as curl.
	Library bool

	looseRivals []*Profile // the Rivals beside Profile as which the claim would be Loose

	// Of an unknown crawler: the whole word if Name is not it, and the word with the
	// words that dots join to it, if there are any.
	word, dotted string
}

// Tokens returns the product tokens by which robots.txt may name the crawler, the
// preferred first. They must not be changed. Dots end a word of a header, but not a
// product token. So a client that calls itself example.com_bot, and is listed as com_bot,
// is bound by a group for example.com_bot before one for com_bot.
func (c Claim) Tokens() []string {
	if c.Profile != nil {
		return c.Profile.Tokens
	}
	word := cmp.Or(c.word, c.Name)
	if c.dotted != "" {
		return []string{c.dotted, word}
	}
	return []string{word}
}

// LooseAs returns what Loose is if the client is one of the claim's rivals.
func (c Claim) LooseAs(p *Profile) bool {
	return p == c.Profile && c.Loose || slices.Contains(c.looseRivals, p)
}

// Word returns the whole word by which an unknown crawler calls itself, with the words
// that dots join to it. It is "" for a known crawler and for none.
func (c Claim) Word() string {
	if c.Profile != nil {
		return ""
	}
	return cmp.Or(c.dotted, c.word, c.Name)
}

// Reader reads headers. It belongs to one goroutine; the zero value is not
// usable, see Set.Reader.
type Reader struct {
	set      *Set
	hits     []automaton.Hit
	contacts []extent
	device   extent    // see deviceIn
	mentions []mention // of each operator that the header names
	like     bool      // words behind "like " count
	named    []extent  // the words of known crawlers, by their starts
}

// mention is an operator whose crawlers a header names.
type mention struct {
	operator    string
	first, best automaton.Hit // the first word of its crawlers, and the longest
}

// Reader returns a new reader of headers.
func (s *Set) Reader() *Reader { return &Reader{set: s} }

// Read returns the crawler that a User-Agent header names. The header is given as the
// client sent it, without a log's escaping.
//
// Words count only outside URLs and e-mail addresses, which name the operator's pages and
// not the client. Words after "like " name other programs: they count only where no other word
// names a known crawler, and the claim is then Foreign. If a header names several crawlers of
// one operator, the one with the longest word counts.
// Read allocates only for the name of an unknown crawler, and for several rivals.
func (r *Reader) Read(header []byte) Claim {
	claim, _ := r.read(header)
	return claim
}

// read is Read, which also returns the part of the header for which a claim is Foreign.
func (r *Reader) read(header []byte) (claim Claim, foreign extent) {
	r.hits = r.set.words.Append(r.hits[:0], header)
	if len(r.hits) == 0 {
		return r.unknown(header, false), extent{}
	}
	r.contacts = appendContacts(r.contacts[:0], header)
	r.mentions, r.like = r.mentions[:0], false
	r.addMentions(header)
	if len(r.mentions) == 0 {
		r.like = true
		r.addMentions(header)
	}
	if len(r.mentions) == 0 {
		return r.unknown(header, true), extent{}
	}
	slices.SortFunc(r.mentions, byFirst)
	word := r.mentions[0].best.Word
	p := r.set.owner[word]
	foreign = r.foreign(header)
	if r.like && foreign.end == 0 {
		at := r.mentions[0].first.Start
		foreign = extent{at - len(like), at - 1}
	}
	claim = Claim{Profile: p, Name: p.Name, Loose: r.set.loose[word], Foreign: foreign.end > 0}
	switch {
	case len(r.mentions) > 1:
		claim.Ambiguous, claim.Rivals = true, make([]*Profile, len(r.mentions))
		for i, m := range r.mentions {
			claim.Rivals[i] = r.set.owner[m.best.Word]
			if i > 0 && r.set.loose[m.best.Word] {
				claim.looseRivals = append(claim.looseRivals, claim.Rivals[i])
			}
		}
	case claim.Foreign:
		claim.Ambiguous, claim.Rivals = true, r.set.owner[word:word+1:word+1]
	}
	return claim, foreign
}

// Outside appends to dst the header in lower case, with a blank for each URL and e-mail address.
func (r *Reader) Outside(dst, header []byte) []byte {
	r.contacts = appendContacts(r.contacts[:0], header)
	from := 0
	for _, c := range r.contacts {
		dst = append(append(dst, header[from:c.start]...), ' ')
		from = c.end
	}
	dst = append(dst, header[from:]...)
	for i, c := range dst {
		if 'A' <= c && c <= 'Z' {
			dst[i] = c + 'a' - 'A'
		}
	}
	return dst
}

// addMentions adds the words that count to the mentions of their operators.
func (r *Reader) addMentions(header []byte) {
	for _, hit := range r.hits {
		if r.counts(header, hit.Start) {
			r.add(hit)
		}
	}
}

// counts reports whether the word of a known crawler that starts at start names the client.
func (r *Reader) counts(header []byte, start int) bool {
	standing := r.standing(header, start)
	return standing == Names || r.like && standing == BehindLike
}

// add adds a word to the mention of its operator.
func (r *Reader) add(hit automaton.Hit) {
	operator := r.set.owner[hit.Word].Operator
	for i := range r.mentions {
		m := &r.mentions[i]
		if m.operator != operator {
			continue
		}
		if inOrder(hit, m.first) < 0 {
			m.first = hit
		}
		if hit.End-hit.Start > m.best.End-m.best.Start {
			m.best = hit
		}
		return
	}
	r.mentions = append(r.mentions, mention{operator, hit, hit})
}

func byFirst(x, y mention) int { return inOrder(x.first, y.first) }

// inOrder compares words by their starts; if they are equal, the longer word is first.
func inOrder(x, y automaton.Hit) int {
	return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End))
}

// maxName bounds the name by which an unknown crawler is listed. Longer names are listed by
// their beginnings and cutName: those with the same beginning are one crawler, but each has
// product tokens of its own.
const (
	maxName = 64
	cutName = " (longer than 64 bytes)"
)

// maxToken bounds the product token of an unknown crawler, which is the whole word:
// robots.txt may have a group for it even if it is long. Crawlers with longer ones cannot
// be told apart: see Claim.Overlong.
const maxToken = 4 << 10

// Names of unknown crawlers that are not told apart.
const (
	// Nameless is the name of all crawlers that call themselves by bare words only.
	Nameless = "(without a name)"
	// Overlong is the name of all crawlers whose own names are longer than is read.
	Overlong = "(a name longer than 4096 bytes)"
)

// unknown returns the claim of a header that names no known crawler: the first word
// that may be a crawler's name (mayName); else the first bare word that would be; else no
// crawler. hasContacts says that r.contacts are set; most headers do not need them.
func (r *Reader) unknown(header []byte, hasContacts bool) Claim {
	bare := extent{}
	for from, first := 0, true; ; first = false {
		word, stem := nextStem(header, from)
		if stem == "" {
			break
		}
		if !hasContacts {
			r.contacts, hasContacts = appendContacts(r.contacts[:0], header), true
		}
		if first {
			r.device = deviceIn(header, r.contacts)
		}
		switch standing := r.mayName(header, word); {
		case standing == Names:
			return claimOf(header, word, listedName(header[word.start:word.end]))
		case standing == Bare && bare.end == 0:
			bare = word
		}
		from = word.end
	}
	if bare.end == 0 {
		return Claim{Library: isLibrary(header)}
	}
	claim := claimOf(header, bare, Nameless)
	claim.Name, claim.Nameless = Nameless, true
	return claim
}

// listedName returns the name by which a crawler that calls itself by a word is listed.
func listedName(word []byte) string {
	if len(word) > maxName {
		return string(word[:maxName]) + cutName
	}
	return string(word)
}

// claimOf returns the claim of an unknown crawler of that name, which calls itself by a
// word of the header.
func claimOf(header []byte, at extent, name string) Claim {
	token := withDotted(header, at.start, at.end)
	if len(token) > maxToken {
		return Claim{Name: Overlong, Overlong: true}
	}
	claim := Claim{Name: name, Loose: true}
	word := header[at.start:at.end]
	if string(word) != name {
		claim.word = string(word)
	}
	if string(token) != string(word) {
		claim.dotted = string(token)
	}
	return claim
}

// mayName says whether a word that contains one of stems may be the name of an unknown
// crawler: the first for which it returns Names is. The header begins with a name, has it
// directly after "(compatible; ", or has a URL or an e-mail address: headers of crawlers
// do, but not those of phones called CUBOT. A control token is no name, because the
// crawler that obeys it sends its own.
func (r *Reader) mayName(header []byte, word extent) Standing {
	switch standing := r.standing(header, word.start); {
	case standing != Names:
		return standing
	case word.start > 0 && !behind(header, word.start, "(compatible; ") && len(r.contacts) == 0:
		return NoContact
	case r.controlAt(header, word) != nil:
		return Control
	case r.device.start < word.start && word.start < r.device.end:
		return Device
	case isBare(header[word.start:word.end]):
		return Bare
	default:
		return Names
	}
}

// controlAt returns the control token at a word: the word alone, or with the words that
// dots join to it; nil if there is none.
func (r *Reader) controlAt(header []byte, word extent) *Profile {
	longest := r.set.longestDotted
	if p := r.set.controlNamed(header[word.start:word.end]); p != nil || longest == 0 {
		return p
	}
	// Bounded, because a header may be one long run of dots and words.
	from, to := max(0, word.start-longest-1), min(len(header), word.end+longest+1)
	return r.set.controlNamed(withDotted(header[from:to], word.start-from, word.end-from))
}

// deviceIn returns the part of a header that names the phone of a browser on Android: in
// the first comment, such as "(Linux; Android 9; CUBOT_X19)", from the semicolon after
// the version on. A comment with a URL or an e-mail address belongs to a crawler;
// elsewhere in the header owners of phones may have added a URL.
func deviceIn(header []byte, contacts []extent) extent {
	const linux, android = "linux", "android"
	start := bytes.IndexByte(header, '(') + 1
	end := start + max(bytes.IndexByte(header[start:], ')'), 0)
	if start == 0 || end-start < len(linux) || indexFold(header[start:start+len(linux)], linux) != 0 {
		return extent{}
	}
	for _, c := range contacts {
		if start <= c.start && c.start < end {
			return extent{}
		}
	}
	version := indexFold(header[start:end], android)
	if version < 0 {
		return extent{}
	}
	model := bytes.IndexByte(header[start+version:end], ';')
	if model < 0 {
		return extent{}
	}
	return extent{start + version + model, end}
}

// withDotted returns the word at header[start:end] with the words that dots join to it.
func withDotted(header []byte, start, end int) []byte {
	for start > 0 && automaton.IsTokenByte(header[start-1]) {
		start--
	}
	for end < len(header) && automaton.IsTokenByte(header[end]) {
		end++
	}
	return bytes.Trim(header[start:end], ".")
}

var stems = [...]string{"bot", "spider", "crawl", "scrap", "fetch"}

// nextStem returns the first whole word of header[from:] that contains one of stems, and
// that stem; "" if no word does. from is not inside a word.
func nextStem(header []byte, from int) (word extent, stem string) {
	for i := from; i < len(header); i++ {
		switch header[i] | 0x20 {
		case 'b', 's', 'c', 'f': // all stems begin with these
		default:
			continue
		}
		for _, stem := range stems {
			if len(header)-i < len(stem) || indexFold(header[i:i+len(stem)], stem) != 0 {
				continue
			}
			word = extent{i, i + len(stem)}
			for word.start > from && automaton.IsWordByte(header[word.start-1]) {
				word.start--
			}
			for word.end < len(header) && automaton.IsWordByte(header[word.end]) {
				word.end++
			}
			return word, stem
		}
	}
	return extent{}, ""
}

// indexFold returns the index of stem, which is in lower case, in word in any ASCII
// case, -1 if word does not have it.
func indexFold(word []byte, stem string) int {
	for i := 0; i+len(stem) <= len(word); i++ {
		j := 0
		for j < len(stem) && word[i+j]|0x20 == stem[j] && (stem[j] >= 'a' || word[i+j] == stem[j]) {
			j++
		}
		if j == len(stem) {
			return i
		}
	}
	return -1
}

// like stands before the name of a program that the client is like.
const like = "like "

// standing says whether a word that starts at start may name the client: Names means only
// that it is not in a URL or an e-mail address, and not after "like ".
func (r *Reader) standing(header []byte, start int) Standing {
	if inside(r.contacts, start) {
		return InContact
	}
	if n := start - len(like); behind(header, start, like) &&
		(n == 0 || header[n-1] == '-' || !automaton.IsWordByte(header[n-1])) {
		return BehindLike
	}
	return Names
}

// behind reports whether text, which is in lower case, ends at header[end] in any ASCII case.
func behind(header []byte, end int, text string) bool {
	return end >= len(text) && indexFold(header[end-len(text):end], text) == 0
}
