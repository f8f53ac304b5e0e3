package crawler

import (
	"bytes"
	"cmp"
	"slices"
)

// Claim is the crawler that a client claims to be. The zero value means no crawler.
type Claim struct {
	// Profile is the known crawler that the header names, or the first one if it names crawlers of several
	// operators.
	Profile *Profile
	// Name is the profile's name, or the name that an unknown crawler gives itself. It is empty if the header names no
	// crawler.
	Name string
	// Ambiguous is set if the header names crawlers of several operators, or is Foreign.
	Ambiguous bool
	// Rivals are the known crawlers named by an ambiguous header, one per operator, in the order in which the
	// operators appear; the first is Profile. It is nil if the header is not ambiguous. Callers must not modify
	// it.
	Rivals []*Profile
	// Foreign is set if the header contains words that the operator does not use, as in
	// "WireReaderBot/1.0 (compatible; Googlebot/2.1)" and "not bingbot". Such a client is never proven to
	// be spoofed.
	Foreign bool
	// Loose is set if no operator's page is known to document the crawler's product tokens for this header:
	// the crawler is unknown, its profile has no Source, or its word in the header is not one of its
	// tokens. Groups for other tokens that occur in the header may then be meant for it: see
	// Reader.Outside.
	Loose bool
	// Nameless is set if the header only has bare words such as "bot", which identify the client as a crawler without
	// saying which one. Name is then "(without a name)".
	Nameless bool
	// Overlong is set if the word of an unknown crawler exceeds the length limit, so it cannot be told from others. Name
	// is then the constant Overlong, or Nameless.
	Overlong bool
	// Library is set if the header names no crawler and begins with the product of an HTTP library, such as
	// curl.
	Library bool
	// Overlooked is set if the header names no crawler, although one of its words, possibly in a URL, looks like part of a
	// crawler's name and is not the name of a phone.
	Overlooked bool

	looseRivals []*Profile // the Rivals except Profile that would make the claim Loose

	// For an unknown crawler: the whole word if it differs from Name, and the word together with the words joined to it by
	// dots, if any.
	word, dotted string
}

// Tokens returns the product tokens by which robots.txt may refer to the crawler, most preferred first.
// Callers must not modify them. A dot ends a word of a header, but not a product token. So a client that
// calls itself example.com_bot, and is listed as com_bot, obeys a group for example.com_bot before one for
// com_bot.
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

// LooseAs returns the value of Loose if the client is p, one of the claim's rivals.
func (c Claim) LooseAs(p *Profile) bool {
	return p == c.Profile && c.Loose || slices.Contains(c.looseRivals, p)
}

// Word returns the whole word by which an unknown crawler calls itself, with any words joined to it by dots. It is ""
// if the crawler is known or there is none.
func (c Claim) Word() string {
	if c.Profile != nil {
		return ""
	}
	return cmp.Or(c.dotted, c.word, c.Name)
}

// Reader reads User-Agent headers. It is not safe for concurrent use. The zero value is not usable; call
// Set.Reader.
type Reader struct {
	set      *Set
	low      []byte // the header in lower case, ASCII letters only
	hits     []hit  // the words of known crawlers, ordered by start, longest first
	contacts []extent
	device   extent    // see deviceIn
	model    int       // where the device name ends
	mentions []mention // one per operator that the header names
	like     bool      // words after "like " count
	given    Word      // the name of the client, for NutchUser and PageOwner
	// The header is from an app that includes the phone, as in "WhatsApp/2.11 Android/4.1.1 Device/asus-K00E". None of its
	// words names a crawler, even if it is the word of one that fetches previews, which sends no device.
	onDevice bool
}

// hit is the word of a known crawler in a header.
type hit struct {
	extent
	*word
}

// mention is an operator whose crawlers are named in a header.
type mention struct {
	operator    string
	first, best hit // the first word of its crawlers, and the longest
}

// Reader returns a new Reader.
func (s *Set) Reader() *Reader { return &Reader{set: s} }

// Read returns the crawler that a User-Agent header names. The header must be as the client sent it, without escapes
// added by a log.
//
// Words count only outside URLs and e-mail addresses, which refer to the operator's pages rather than
// the client. Words after "like " refer to other programs. They count only if no other word names a
// known crawler, and make the claim Foreign. If a header names several crawlers of one operator, the
// longest word wins. Software that anyone can use does not count if its user adds a name of their own,
// as in "CazoodleBot/Nutch-0.9". Outside URLs, %20 counts as a blank, since some programs and logs write
// it that way. Read allocates only for the name of an unknown crawler, several rivals, and headers with
// %20.
func (r *Reader) Read(header []byte) Claim {
	claim, _ := r.read(unescaped(header))
	return claim
}

// read is Read, but also returns the part of the header that makes a claim Foreign.
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

// find sets low and hits. Only whole words match. Words consist of letters, digits, '-', '_' and all
// bytes from 0x80, so "bot" matches in "a bot/1" but not in "robot", "bot-x" or "my_bot". If the
// edge of a known word is another byte, such as the end of "Yahoo!", no boundary is needed there. A
// match can therefore start only where no other word continues, and is looked up by its leading word
// bytes.
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

// unescaped returns the header with each %20 outside URLs replaced by three blanks.
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

// instanceIn returns the number of digits at the end of a word that number an instance, as in "qwantify-prod34997".
func instanceIn(word []byte) int {
	name := bytes.TrimRight(word, "0123456789")
	if !bytes.HasSuffix(name, []byte("-prod")) && !bytes.HasSuffix(name, []byte("-dev")) {
		return 0
	}
	return len(word) - len(name)
}

// startLen returns the number of word bytes at the start of a text, which must not be empty, or 1 if it starts with
// another byte.
func startLen(text []byte) int {
	n := 1
	for isWordByte(text[0]) && n < len(text) && isWordByte(text[n]) {
		n++
	}
	return n
}

// isWordByte reports whether c, in lower case, is part of a word: an ASCII letter or digit, '-', '_', or a byte from
// 0x80, which is part of a letter in another script.
func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c >= 0x80
}

// appendLower appends a text to dst, with ASCII letters converted to lower case.
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

// Outside appends the lower-case header to dst, with each URL and e-mail address replaced by a blank.
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

// addMentions adds the words that count to the mentions of their operators, except those that the first of these
// operators adds, such as the software that it runs.
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

// counts reports whether the known crawler's word that starts at start names the client.
func (r *Reader) counts(start int) bool {
	standing := r.standing(start)
	if r.device.start < start && start < r.model {
		return false
	}
	return standing == Names || r.like && standing == BehindLike
}

// like precedes the name of a program that the client resembles.
const like = "like "

// trimmed reduces the blanks at the end of a text to one.
func trimmed(text []byte) []byte {
	for bytes.HasSuffix(text, []byte("  ")) {
		text = text[:len(text)-1]
	}
	return text
}

// standing returns whether a word that starts at start may name the client. Names only means that it is not in a URL or
// an e-mail address, and does not follow "like ".
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
