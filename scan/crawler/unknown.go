package crawler

import (
	"bytes"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
)

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
		case standing == Names && r.isHit(word): // its claim was foreign
			overlooked = true
		case standing == Names:
			return claimOf(header, word, listedName(header[word.start:word.end]))
		case standing == Bare && bare.end == 0:
			bare = word
		case standing != Device && standing != Software:
			overlooked = true
		}
		from = word.end
	}
	if bare.end == 0 {
		if overlooked {
			if claim := r.ownPage(header); claim.Name != "" {
				return claim
			}
		}
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
	case r.isSoftware(word):
		return Software
	case r.device.start < word.start && word.start < r.device.end:
		return Device
	case word.start > 0 && !bytes.HasSuffix(trimmed(r.low[:word.start]), []byte("(compatible; ")) && len(r.contacts) == 0:
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

// isHit reports whether a word is that of a known crawler.
func (r *Reader) isHit(word extent) bool {
	i, _ := slices.BinarySearchFunc(r.hits, word.start, func(h hit, start int) int { return h.start - start })
	for ; i < len(r.hits) && r.hits[i].start == word.start; i++ {
		if r.hits[i].end == word.end {
			return true
		}
	}
	return false
}

// isSoftware reports whether a word is the name of a library or an app.
func (r *Reader) isSoftware(word extent) bool {
	return software()[string(r.low[word.start:word.end])] || word.start == 0 && isFreeBSD(r.low)
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

// modelEnd returns where the model of the device ends: a crawler may stand behind it, as in "(Linux; Android
// 8.0; Pixel 2; Storebot-Google/1.0)". Old browsers have a language before it.
func (r *Reader) modelEnd() int {
	if r.device.end == 0 {
		return 0
	}
	item := func(from int) int {
		if n := bytes.IndexByte(r.low[from:r.device.end], ';'); n >= 0 {
			return from + n
		}
		return r.device.end
	}
	from := r.device.start + 1
	end := item(from)
	if language := bytes.TrimLeft(r.low[from:end], " "); end < r.device.end && isLanguage(language) {
		return item(end + 1)
	}
	return end
}

// isLanguage reports whether a text is such as en or en-us.
func isLanguage(text []byte) bool {
	letters := func(b []byte) bool { return 'a' <= b[0] && b[0] <= 'z' && 'a' <= b[1] && b[1] <= 'z' }
	switch len(text) {
	case 2:
		return letters(text)
	case 5:
		return letters(text) && (text[2] == '-' || text[2] == '_') && letters(text[3:])
	}
	return false
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
