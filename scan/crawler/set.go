package crawler

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// Set is a list of profiles ready to be found in headers. It is immutable and
// safe for any number of goroutines.
type Set struct {
	profiles []Profile
	words    *automaton.Words
	owner    []*Profile // of each word
	operator []int32    // of each word, numbered
	controls []control
	dotted   int // the length of the longest name in controls that has a dot
}

// control is a name or a token of a control token's profile.
type control struct {
	name    []byte
	profile *Profile
}

// New makes a set of profiles and of the automaton of their words, which
// compile.Words makes of Words(profiles). Both are kept.
func New(profiles []Profile, words *automaton.Words) *Set {
	s := &Set{profiles: profiles, words: words}
	numbers := map[string]int32{}
	for i := range profiles {
		operator, known := numbers[profiles[i].Operator]
		if !known {
			operator = int32(len(numbers))
			numbers[profiles[i].Operator] = operator
		}
		for range profiles[i].Words {
			s.owner = append(s.owner, &profiles[i])
			s.operator = append(s.operator, operator)
		}
		if p := &profiles[i]; p.Control {
			for _, name := range append([]string{p.Name}, p.Tokens...) {
				s.controls = append(s.controls, control{[]byte(name), p})
				if strings.Contains(name, ".") {
					s.dotted = max(s.dotted, len(name))
				}
			}
		}
	}
	return s
}

// control returns the control token that goes by a name, in any case; nil if
// none does. There are a few of them.
func (s *Set) control(name []byte) *Profile {
	for _, c := range s.controls {
		if bytes.EqualFold(c.name, name) {
			return c.profile
		}
	}
	return nil
}

// Profiles returns the profiles of the set, not to be changed.
func (s *Set) Profiles() []Profile { return s.profiles }

// ByName returns the profile of that name, or with a word or a preferred product
// token of that name, in any ASCII case; nil if there is none.
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

// Claim is who a header says that the client is. The zero value is no crawler.
type Claim struct {
	// Profile is the known crawler that the header names; if it names crawlers of
	// two operators, the first of them.
	Profile *Profile
	// Name is the profile's name, or for an unknown crawler the word by which it
	// calls itself. Empty where the header names no crawler.
	Name string
	// Ambiguous says that the header names crawlers of two operators.
	Ambiguous bool
	// Rivals are then the crawlers that it names, one of each operator and in the
	// order in which the operators are named, so that the first is Profile. nil if
	// it is not ambiguous. Not to be changed.
	Rivals []*Profile

	word   string // of an unknown crawler: the whole of a word that Name is cut from
	dotted string // of an unknown crawler: Name with the words that dots join to it, if there are any
}

// Tokens returns the product tokens by which robots.txt may name the crawler, the
// preferred first, not to be changed. Dots end a word of a header but not a
// product token, so that who calls itself example.com_bot, and is listed as
// com_bot, is bound first of all by a group for example.com_bot.
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

// Reader reads headers. It belongs to one goroutine; the zero value is not
// usable, see Set.Reader.
type Reader struct {
	set      *Set
	hits     []automaton.Hit
	contacts []span
	device   span      // see deviceIn
	mentions []mention // of each operator that the header names
	place    []int32   // of each operator: its index in mentions and one, 0 if it is not there
}

// mention is what a header says of one operator's crawlers.
type mention struct {
	operator    int32
	first, best automaton.Hit // the word that comes first, and the longest
}

// Reader returns a new reader of headers.
func (s *Set) Reader() *Reader { return &Reader{set: s, place: make([]int32, len(s.profiles))} }

// Read returns who a User-Agent header names. The header is given as the client
// sent it, without a log's escaping.
//
// Words count only outside URLs and e-mail addresses, which name the operator's
// pages and not the client, and not behind "like ", by which clients say what
// they resemble and are not. Of one operator's crawlers the one with the longest
// word is meant. It allocates only for the name of an unknown crawler, and for
// the rivals of an ambiguous header.
func (r *Reader) Read(header []byte) Claim {
	r.hits = r.set.words.Append(r.hits[:0], header)
	if len(r.hits) == 0 {
		return r.unknown(header, false)
	}
	r.contacts = appendContacts(r.contacts[:0], header)
	r.mentions = r.mentions[:0]
	for _, hit := range r.hits {
		if r.isName(header, hit.Start) {
			r.add(hit)
		}
	}
	if len(r.mentions) == 0 {
		return r.unknown(header, true)
	}
	for _, m := range r.mentions {
		r.place[m.operator] = 0
	}
	slices.SortFunc(r.mentions, byFirst)
	p := r.set.owner[r.mentions[0].best.Word]
	claim := Claim{Profile: p, Name: p.Name}
	if len(r.mentions) > 1 {
		claim.Ambiguous, claim.Rivals = true, make([]*Profile, len(r.mentions))
		for i, m := range r.mentions {
			claim.Rivals[i] = r.set.owner[m.best.Word]
		}
	}
	return claim
}

// add adds a word to what the header says of its operator.
func (r *Reader) add(hit automaton.Hit) {
	operator := r.set.operator[hit.Word]
	if r.place[operator] == 0 {
		r.mentions = append(r.mentions, mention{operator, hit, hit})
		r.place[operator] = int32(len(r.mentions))
		return
	}
	m := &r.mentions[r.place[operator]-1]
	if inOrder(hit, m.first) < 0 {
		m.first = hit
	}
	m.best = longer(m.best, hit)
}

func byFirst(x, y mention) int { return inOrder(x.first, y.first) }

// inOrder compares words by where they begin, and of two that begin together
// has the longer come first.
func inOrder(x, y automaton.Hit) int {
	return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End))
}

func longer(x, y automaton.Hit) automaton.Hit {
	if y.End-y.Start > x.End-x.Start {
		return y
	}
	return x
}

// maxName bounds the name that an unknown crawler may give itself; what is
// longer is cut.
const maxName = 64

// maxToken bounds its product token, which is the whole word: robots.txt may name it
// so, however long it is.
const maxToken = 4 << 10

// unknown returns the claim of a header that names no known crawler: the first
// word by which it calls itself one, or no claim if it does not. located says
// that the contacts of the header are known; most headers need none.
func (r *Reader) unknown(header []byte, located bool) Claim {
	for from, first := 0, true; ; first = false {
		word, stem := nextStem(header, from)
		if stem == "" {
			return Claim{}
		}
		if !located {
			r.contacts, located = appendContacts(r.contacts[:0], header), true
		}
		if first {
			r.device = deviceIn(header, r.contacts)
		}
		switch r.mayName(header, word, stem) {
		case Names:
			name := header[word.start:word.end]
			claim := Claim{Name: string(name[:min(len(name), maxName)])}
			if len(name) > maxName {
				claim.word = string(name[:min(len(name), maxToken)])
			}
			if token := dotted(header, word.start, word.end); len(token) != len(name) {
				claim.dotted = string(token)
			}
			return claim
		case NoContact: // as all that follow
			return Claim{}
		}
		from = word.end
	}
}

// mayName says whether a word that contains one of stems is the name of an
// unknown crawler. It is more than the stem; and the header begins with it, or
// carries a URL or an e-mail address, as crawlers do and phones called CUBOT do
// not. A control token is nobody's name: the crawler that obeys it sends its own.
func (r *Reader) mayName(header []byte, word span, stem string) Standing {
	switch standing := r.standing(header, word.start); {
	case standing != Names:
		return standing
	case word.end-word.start == len(stem):
		return Bare
	case r.control(header, word) != nil:
		return Control
	case word.start > 0 && len(r.contacts) == 0:
		return NoContact
	case r.device.start < word.start && word.start < r.device.end:
		return Device
	default:
		return Names
	}
}

// control returns the control token that a word is, alone or with what dots join
// to it; nil if it is none.
func (r *Reader) control(header []byte, word span) *Profile {
	longest := r.set.dotted
	if p := r.set.control(header[word.start:word.end]); p != nil || longest == 0 {
		return p
	}
	// A header may be one long run of dots and words, each of which comes here.
	from, to := max(0, word.start-longest-1), min(len(header), word.end+longest+1)
	return r.set.control(dotted(header[from:to], word.start-from, word.end-from))
}

// deviceIn returns where a header names the phone, if it is that of a browser on
// Android: from the semicolon on in "(Linux; Android 9; CUBOT_X19)", the first
// comment of the header. Owners of phones may add a URL to it. A comment that
// carries a contact itself is a crawler's.
func deviceIn(header []byte, contacts []span) span {
	const linux, android = "linux", "android"
	start := bytes.IndexByte(header, '(') + 1
	end := start + max(bytes.IndexByte(header[start:], ')'), 0)
	if start == 0 || end-start < len(linux) || indexFold(header[start:start+len(linux)], linux) != 0 {
		return span{}
	}
	for _, c := range contacts {
		if start <= c.start && c.start < end {
			return span{}
		}
	}
	version := indexFold(header[start:end], android)
	if version < 0 {
		return span{}
	}
	model := bytes.IndexByte(header[start+version:end], ';')
	if model < 0 {
		return span{}
	}
	return span{start + version + model, end}
}

// dotted returns the word at header[start:end] with the words that dots join it
// to, at most maxToken bytes.
func dotted(header []byte, start, end int) []byte {
	for start > 0 && automaton.IsTokenByte(header[start-1]) {
		start--
	}
	for end < len(header) && automaton.IsTokenByte(header[end]) {
		end++
	}
	token := bytes.Trim(header[start:end], ".")
	return token[:min(len(token), maxToken)]
}

var stems = [...]string{"bot", "spider", "crawl", "scrap", "fetch"}

// nextStem returns the first whole word of header[from:] that contains one of
// stems, and which; an empty stem if no word does. from is where no word goes on.
func nextStem(header []byte, from int) (word span, stem string) {
	for i := from; i < len(header); i++ {
		switch header[i] | 0x20 {
		case 'b', 's', 'c', 'f': // with which all of them begin
		default:
			continue
		}
		for _, stem := range stems {
			if len(header)-i < len(stem) || indexFold(header[i:i+len(stem)], stem) != 0 {
				continue
			}
			word = span{i, i + len(stem)}
			for word.start > from && automaton.IsWordByte(header[word.start-1]) {
				word.start--
			}
			for word.end < len(header) && automaton.IsWordByte(header[word.end]) {
				word.end++
			}
			return word, stem
		}
	}
	return span{}, ""
}

// indexFold returns where stem, which is in lower case, first stands in word in
// any ASCII case, -1 if it does not.
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

// isName tells whether the word that starts at start is one by which a client
// may call itself: outside URLs and e-mail addresses, and not behind "like ".
func (r *Reader) isName(header []byte, start int) bool {
	const like = "like "
	if n := start - len(like); n >= 0 && indexFold(header[n:start], like) == 0 &&
		(n == 0 || header[n-1] == '-' || !automaton.IsWordByte(header[n-1])) {
		return false
	}
	return !inside(r.contacts, start)
}
