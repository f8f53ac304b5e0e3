package crawler

import (
	"bytes"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
)

// maxName limits the length of the name by which an unknown crawler is listed. Longer names are cut and end
// in cutName. Crawlers with the same beginning are then listed as one, but each keeps its own product
// tokens.
const (
	maxName = 64
	cutName = " (longer than 64 bytes)"
)

// maxToken limits the product token of an unknown crawler, which is the whole word, because robots.txt may
// have a group for it even if it is long. Crawlers with longer tokens cannot be told apart: see
// Claim.Overlong.
const maxToken = 4 << 10

// Names shared by unknown crawlers that cannot be told apart.
const (
	// Nameless is the name of all crawlers that identify themselves only by bare words.
	Nameless = "(without a name)"
	// Overlong is the name of all crawlers whose own names exceed the length limit.
	Overlong = "(a name longer than 4096 bytes)"
)

// unknown returns the claim for a header that names no known crawler: the first word that may be a crawler's name
// (mayName), else the first bare word in such a position, else no crawler. hasContacts means that r.contacts is set;
// most headers do not need it.
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

// listedName returns the name under which to list a crawler that calls itself by a word.
func listedName(word []byte) string {
	if len(word) > maxName {
		return string(word[:maxName]) + cutName
	}
	return string(word)
}

// claimOf returns the claim for an unknown crawler listed under name, which calls itself by the word at the given
// extent of the header.
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

// mayName returns whether a word that contains one of stems may be an unknown crawler's name. The first
// word for which it returns Names is. The header must begin with the name, have it directly after
// "(compatible; ", or contain a URL or an e-mail address. Crawlers' headers do, but headers of phones
// called CUBOT do not. Apps such as Turbotax on Apple devices also put their names first, but their headers
// have CFNetwork and no URL. A control token is never a name, because the crawler that obeys it sends its
// own.
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

// isHit reports whether a word belongs to a known crawler.
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

// controlAt returns the control token at a word, either the word alone or including the words joined to it by dots, or
// nil if there is none.
func (r *Reader) controlAt(word extent) *Profile {
	longest := r.set.longestDotted
	if p := r.set.controls[string(r.low[word.start:word.end])]; p != nil || longest == 0 {
		return p
	}
	// Limited, because a header may be one long run of words and dots.
	from, to := max(0, word.start-longest-1), min(len(r.low), word.end+longest+1)
	return r.set.controls[string(withDotted(r.low[from:to], word.start-from, word.end-from))]
}

// deviceIn returns the part of an Android browser's header that names the phone. It is in the first comment,
// such as "(Linux; Android 9; CUBOT_X19)", from the semicolon after the version on. A comment with a URL or
// an e-mail address belongs to a crawler, but elsewhere in the header the phone's owner may have added a
// URL.
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

// modelEnd returns where the device model ends. A crawler may follow it, as in "(Linux; Android 8.0; Pixel 2;
// Storebot-Google/1.0)". Old browsers put a language before it.
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

// isLanguage reports whether a text looks like a language tag, such as en or en-us.
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

// withDotted returns the word at header[start:end], extended by the words joined to it by dots.
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

// nextStem returns the first whole word of low[from:] that contains one of stems, and that stem, or "" if no word does.
// from must not be inside a word.
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
