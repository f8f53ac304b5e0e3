package crawler

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
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
		added: map[string][]string{}, referrers: newReferrers(profiles),
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
	// Overlooked says that the header names no crawler, although a word of it, be it in a URL,
	// contains what the names of crawlers do, and is not that of a browser's phone.
	Overlooked bool

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
	low      []byte // the header in lower case, ASCII letters only
	hits     []hit  // the words of known crawlers in it, in the order of their starts, the longer first
	contacts []extent
	device   extent    // see deviceIn
	mentions []mention // of each operator that the header names
	like     bool      // words behind "like " count
}

// hit is a word of a known crawler in a header.
type hit struct {
	extent
	*word
}

// mention is an operator whose crawlers a header names.
type mention struct {
	operator    string
	first, best hit // the first word of its crawlers, and the longest
}

// Reader returns a new reader of headers.
func (s *Set) Reader() *Reader { return &Reader{set: s} }

// Read returns the crawler that a User-Agent header names. The header is given as the
// client sent it, without a log's escaping.
//
// Words count only outside URLs and e-mail addresses, which name the operator's pages and
// not the client. Words after "like " name other programs: they count only where no other word
// names a known crawler, and the claim is then Foreign. If a header names several crawlers of
// one operator, the one with the longest word counts. Software that anybody may use does not count
// where its user gives a name of its own, as in "CazoodleBot/Nutch-0.9".
// Read allocates only for the name of an unknown crawler, and for several rivals.
func (r *Reader) Read(header []byte) Claim {
	claim, _ := r.read(header)
	return claim
}

// read is Read, which also returns the part of the header for which a claim is Foreign.
func (r *Reader) read(header []byte) (claim Claim, foreign extent) {
	r.find(header)
	if len(r.hits) == 0 {
		return r.unknown(header, false), extent{}
	}
	r.contacts = appendContacts(r.contacts[:0], r.low)
	r.mentions, r.like = r.mentions[:0], false
	r.addMentions()
	if len(r.mentions) == 0 {
		r.like = true
		r.addMentions()
	}
	if len(r.mentions) == 0 {
		return r.unknown(header, true), extent{}
	}
	word := r.mentions[0].best.word
	p := word.of[0]
	foreign = r.foreign()
	if r.like && foreign.end == 0 {
		at := r.mentions[0].first.start
		foreign = extent{at - len(like), at - 1}
	}
	if foreign.end > 0 && p.Anybodys() {
		if own := r.unknown(header, true); own.Name != "" && !own.Nameless {
			r.mentions = r.mentions[:0]
			return own, extent{}
		}
	}
	claim = Claim{Profile: p, Name: p.Name, Loose: word.loose, Foreign: foreign.end > 0}
	switch {
	case len(r.mentions) > 1:
		claim.Ambiguous, claim.Rivals = true, make([]*Profile, len(r.mentions))
		for i, m := range r.mentions {
			claim.Rivals[i] = m.best.of[0]
			if i > 0 && m.best.loose {
				claim.looseRivals = append(claim.looseRivals, claim.Rivals[i])
			}
		}
	case claim.Foreign:
		claim.Ambiguous, claim.Rivals = true, word.of
	}
	return claim, foreign
}

// find sets low and hits. A word is found only whole: letters, digits, '-', '_' and all bytes from
// 0x80 belong to a word, so that "bot" is found in "a bot/1" but not in "robot", "bot-x" or
// "my_bot". An edge that is itself another byte, such as the end of "Yahoo!", needs no boundary
// beside it. So a word can only begin where no other goes on, with just the bytes of one that stand
// there, by which it is looked up.
func (r *Reader) find(header []byte) {
	r.low, r.hits = appendLower(r.low[:0], header), r.hits[:0]
	for at := 0; at < len(r.low); {
		rest := r.low[at:]
		n := startLen(rest)
		if r.set.begins[rest[0]]>>min(n, 63)&1 == 0 {
			at += n
			continue
		}
		for _, w := range r.set.words[string(rest[:n])] {
			end := at + len(w.text)
			if bytes.HasPrefix(rest, []byte(w.text)) &&
				(end == len(r.low) || !isWordByte(r.low[end]) || !isWordByte(r.low[end-1])) {
				r.hits = append(r.hits, hit{extent{at, end}, w})
			}
		}
		at += n
	}
}

// startLen returns how many bytes of a word a text, which is not empty, begins with: 1 if it begins
// with another.
func startLen(text []byte) int {
	n := 1
	for isWordByte(text[0]) && n < len(text) && isWordByte(text[n]) {
		n++
	}
	return n
}

// isWordByte reports whether c, in lower case, belongs to a word: an ASCII letter or digit, '-',
// '_', or a byte from 0x80, which is part of some other script's letter.
func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c >= 0x80
}

// appendLower appends a text to dst with its ASCII letters in lower case.
func appendLower[T string | []byte](dst []byte, text T) []byte {
	from := len(dst)
	dst = append(dst, text...)
	for i, c := range dst[from:] {
		if 'A' <= c && c <= 'Z' {
			dst[from+i] = c + 'a' - 'A'
		}
	}
	return dst
}

// Outside appends to dst the header in lower case, with a blank for each URL and e-mail address.
func (r *Reader) Outside(dst, header []byte) []byte {
	r.low = appendLower(r.low[:0], header)
	r.contacts = appendContacts(r.contacts[:0], r.low)
	from := 0
	for _, c := range r.contacts {
		dst = append(append(dst, r.low[from:max(from, c.start)]...), ' ') // an address may end within a URL
		from = c.end
	}
	return append(dst, r.low[from:]...)
}

// addMentions adds the words that count to the mentions of their operators, but not those that the
// first of these operators adds, such as the software that it runs.
func (r *Reader) addMentions() {
	for _, h := range r.hits {
		if !r.counts(h.start) || len(r.mentions) > 0 && r.isAdded([]byte(h.text)) {
			continue
		}
		operator := h.of[0].Operator
		i := slices.IndexFunc(r.mentions, func(m mention) bool { return m.operator == operator })
		if i < 0 {
			r.mentions = append(r.mentions, mention{operator, h, h})
		} else if len(h.text) > len(r.mentions[i].best.text) {
			r.mentions[i].best = h
		}
	}
}

// counts reports whether the word of a known crawler that starts at start names the client.
func (r *Reader) counts(start int) bool {
	standing := r.standing(start)
	return standing == Names || r.like && standing == BehindLike
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
	bare, overlooked := extent{}, false
	for from, first := 0, true; ; first = false {
		word, stem := nextStem(r.low, from)
		if stem == "" {
			break
		}
		if !hasContacts {
			r.contacts, hasContacts = appendContacts(r.contacts[:0], r.low), true
		}
		if first {
			r.device = deviceIn(r.low, r.contacts)
		}
		switch standing := r.mayName(word); {
		case standing == Names:
			return claimOf(header, word, listedName(header[word.start:word.end]))
		case standing == Bare && bare.end == 0:
			bare = word
		case standing != Device:
			overlooked = true
		}
		from = word.end
	}
	if bare.end == 0 {
		return Claim{Library: isLibrary(r.low), Overlooked: overlooked}
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
// do, but not those of phones called CUBOT. Apps such as Turbotax on a phone of Apple's begin
// with their names, too; their headers have CFNetwork, and no URL. A control token is no name, because the
// crawler that obeys it sends its own.
func (r *Reader) mayName(word extent) Standing {
	switch standing := r.standing(word.start); {
	case standing != Names:
		return standing
	case r.device.start < word.start && word.start < r.device.end:
		return Device
	case word.start > 0 && !bytes.HasSuffix(r.low[:word.start], []byte("(compatible; ")) && len(r.contacts) == 0:
		return NoContact
	case len(r.contacts) == 0 && bytes.Contains(r.low, []byte(" cfnetwork/")):
		return App
	case r.controlAt(word) != nil:
		return Control
	case isBare(r.low[word.start:word.end]):
		return Bare
	default:
		return Names
	}
}

// controlAt returns the control token at a word: the word alone, or with the words that
// dots join to it; nil if there is none.
func (r *Reader) controlAt(word extent) *Profile {
	longest := r.set.longestDotted
	if p := r.set.controls[string(r.low[word.start:word.end])]; p != nil || longest == 0 {
		return p
	}
	// Bounded, because a header may be one long run of dots and words.
	from, to := max(0, word.start-longest-1), min(len(r.low), word.end+longest+1)
	return r.set.controls[string(withDotted(r.low[from:to], word.start-from, word.end-from))]
}

// deviceIn returns the part of a header that names the phone of a browser on Android: in
// the first comment, such as "(Linux; Android 9; CUBOT_X19)", from the semicolon after
// the version on. A comment with a URL or an e-mail address belongs to a crawler;
// elsewhere in the header owners of phones may have added a URL.
func deviceIn(low []byte, contacts []extent) extent {
	start := bytes.IndexByte(low, '(') + 1
	end := start + max(bytes.IndexByte(low[start:], ')'), 0)
	if start == 0 || !bytes.HasPrefix(low[start:end], []byte("linux")) {
		return extent{}
	}
	for _, c := range contacts {
		if start <= c.start && c.start < end {
			return extent{}
		}
	}
	version := bytes.Index(low[start:end], []byte("android"))
	if version < 0 {
		return extent{}
	}
	model := bytes.IndexByte(low[start+version:end], ';')
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

var stems = [...]string{"bot", "spider", "crawl", "scrap", "fetch", "nutch"}

// nextStem returns the first whole word of low[from:] that contains one of stems, and
// that stem; "" if no word does. from is not inside a word.
func nextStem(low []byte, from int) (word extent, stem string) {
	for i := from; i < len(low); i++ {
		switch low[i] {
		case 'b', 's', 'c', 'f', 'n': // all stems begin with these
		default:
			continue
		}
		for _, stem := range stems {
			if !bytes.HasPrefix(low[i:], []byte(stem)) {
				continue
			}
			word = extent{i, i + len(stem)}
			for word.start > from && isWordByte(low[word.start-1]) {
				word.start--
			}
			for word.end < len(low) && isWordByte(low[word.end]) {
				word.end++
			}
			return word, stem
		}
	}
	return extent{}, ""
}

// like stands before the name of a program that the client is like.
const like = "like "

// standing says whether a word that starts at start may name the client: Names means only
// that it is not in a URL or an e-mail address, and not after "like ".
func (r *Reader) standing(start int) Standing {
	if inside(r.contacts, start) {
		return InContact
	}
	before, isBehind := bytes.CutSuffix(r.low[:start], []byte(like))
	if n := len(before); isBehind && (n == 0 || before[n-1] == '-' || !isWordByte(before[n-1])) {
		return BehindLike
	}
	return Names
}
