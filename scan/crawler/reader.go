package crawler

import (
	"bytes"
	"cmp"
	"slices"
)

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
	model    int       // where the name of the device ends
	mentions []mention // of each operator that the header names
	like     bool      // words behind "like " count
	given    Word      // the name of the client, if it is NutchUser or PageOwner
	// The header is of an app that names the phone, as in "WhatsApp/2.11 Android/4.1.1 Device/asus-K00E": no word
	// of it names a crawler, although it may be that of one, which fetches previews and has no device.
	onDevice bool
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
// %20 outside of URLs is a blank, since some programs and logs write it so.
// Read allocates only for the name of an unknown crawler, for several rivals, and for a header with %20.
func (r *Reader) Read(header []byte) Claim {
	claim, _ := r.read(unescaped(header))
	return claim
}

// read is Read, which also returns the part of the header for which a claim is Foreign.
func (r *Reader) read(header []byte) (claim Claim, foreign extent) {
	r.given = Word{}
	r.find(header)
	if len(r.hits) == 0 {
		return r.unknown(header, false), extent{}
	}
	r.contacts = appendContacts(r.contacts[:0], r.low)
	r.device = deviceIn(r.low, r.contacts)
	r.model = r.modelEnd()
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
		if user := r.nutchUser(); user.end > 0 && user.end <= r.mentions[0].first.start {
			r.mentions = r.mentions[:0]
			return r.give(header, user, NutchUser, "nutch"), extent{}
		}
		if own := r.unknown(header, true); own.Name != "" && !own.Nameless {
			r.mentions = r.mentions[:0]
			return own, extent{}
		}
	}
	if foreign.end == 0 && !p.Anybodys() {
		foreign = r.foreignPage()
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
	r.onDevice = bytes.Contains(r.low, []byte(" device/"))
	for at := 0; at < len(r.low); {
		rest := r.low[at:]
		n := startLen(rest)
		instance := 0
		if isDigit(rest[n-1]) {
			instance = instanceIn(rest[:n])
		}
		if r.set.begins[rest[0]]>>min(n-instance, 63)&1 == 0 {
			at += n
			continue
		}
		for _, w := range r.set.words[string(rest[:n-instance])] {
			end := at + len(w.text)
			if len(w.text) == n-instance {
				end += instance
			}
			if bytes.HasPrefix(rest, []byte(w.text)) &&
				(end == len(r.low) || !isWordByte(r.low[end]) || !isWordByte(r.low[end-1])) {
				r.hits = append(r.hits, hit{extent{at, end}, w})
			}
		}
		at += n
	}
}

// unescaped returns the header with three blanks for each %20 before the URL, if any, of each text without breaks.
func unescaped(header []byte) []byte {
	const escape, blanks, url, www = "%20", "   ", "://", "www."
	if !bytes.Contains(header, []byte(escape)) {
		return header
	}
	plain, inURL := bytes.Clone(header), false
	for i, c := range header {
		rest := header[i:]
		switch {
		case kinds[c] == isBreak:
			inURL = false
		case bytes.HasPrefix(rest, []byte(url)), bytes.HasPrefix(rest, []byte(www)):
			inURL = true
		case !inURL && bytes.HasPrefix(rest, []byte(escape)):
			copy(plain[i:], blanks)
		}
	}
	return plain
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// instanceIn returns how many digits at the end of a word number a running crawler, as in "qwantify-prod34997".
func instanceIn(word []byte) int {
	name := bytes.TrimRight(word, "0123456789")
	if !bytes.HasSuffix(name, []byte("-prod")) && !bytes.HasSuffix(name, []byte("-dev")) {
		return 0
	}
	return len(word) - len(name)
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
	r.low = appendLower(r.low[:0], unescaped(header))
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
	if r.device.start < start && start < r.model {
		return false
	}
	return standing == Names || r.like && standing == BehindLike
}

// like stands before the name of a program that the client is like.
const like = "like "

// trimmed returns a text with one blank at the end, if it has several.
func trimmed(text []byte) []byte {
	for bytes.HasSuffix(text, []byte("  ")) {
		text = text[:len(text)-1]
	}
	return text
}

// standing says whether a word that starts at start may name the client: Names means only
// that it is not in a URL or an e-mail address, and not after "like ".
func (r *Reader) standing(start int) Standing {
	if r.onDevice {
		return Software
	}
	if inside(r.contacts, start) {
		return InContact
	}
	before, isLike := bytes.CutSuffix(trimmed(r.low[:start]), []byte(like))
	if n := len(before); isLike && (n == 0 || before[n-1] == '-' || !isWordByte(before[n-1])) {
		return BehindLike
	}
	return Names
}
