package crawler

import (
	"cmp"
	"slices"
)

// Standing classifies a word of a header: it either names the client, or is ignored for some reason.
type Standing uint8

// The standings of a word.
const (
	// Names is the word that names the client. A header has at most one.
	Names Standing = iota
	// InContact is a word in a URL or an e-mail address.
	InContact
	// BehindLike is a word after "like ", which refers to a different program.
	BehindLike
	// LessSpecific is a word that is no longer than another word of the same operator that
	// counts.
	LessSpecific
	// Added is the name of software that a crawler uses, next to the crawler's own name.
	Added
	// Rival is the longest word of another operator that counts. It makes the header
	// ambiguous.
	Rival
	// Bare is a generic word such as "bot", which identifies the client as a crawler without saying which one. If no word
	// names the client, the first bare word makes it Nameless.
	Bare
	// NoContact is a word that could name an unknown crawler, except that the header neither
	// begins with it nor has it directly after "(compatible; ", and contains no URL or e-mail
	// address.
	NoContact
	// Control is the name of a control token, which only appears in robots.txt.
	Control
	// Device is a word in the device name that a browser on Android sends.
	Device
	// App is a word in the header of an app that a person runs on an Apple device: the header contains CFNetwork, but no
	// URL or e-mail address.
	App
	// Software is the name of a library or an app, or a word in the header of an app that includes its device.
	Software
	// NutchUser is the name that an Apache Nutch user chose, before "/Nutch-1.20". It names the client.
	NutchUser
	// PageOwner names the client if the only sign of a crawler is a page called bot, crawler or spider. It is the first
	// product of the header, or the host of the page.
	PageOwner
	// Later is a bare word or a possible name of an unknown crawler that comes after the one that
	// counts.
	Later
)

// Word is header[Start:End], a word of a header that either is known or might name an unknown
// crawler.
type Word struct {
	Start, End int
	// Profile is the known crawler or control token that the word names, or nil if the word is listed because it contains
	// Stem.
	Profile *Profile
	Stem    string
	Standing
}

// Explanation is a claim together with every word that was considered.
type Explanation struct {
	Claim
	// Words is ordered by the end of each word. Words that might name an unknown crawler
	// and control tokens are listed only if no known crawler is named, and follow all
	// others.
	Words []Word
	// Contact is the first URL or e-mail address in the header, as a slice of it, or nil if there is
	// none.
	Contact []byte
	// Product is the part of the header that makes it Foreign, or the product of an HTTP library, as a slice of the
	// header; otherwise nil.
	Product []byte
}

// Explain reads a header as Reader.Read does and explains the result. It allocates, and takes time linear in the length
// of the header.
func (s *Set) Explain(header []byte) Explanation {
	r := s.Reader()
	claim, foreign := r.read(unescaped(header))
	e := Explanation{Claim: claim}
	r.contacts = appendContacts(r.contacts[:0], r.low)
	if len(r.contacts) > 0 {
		e.Contact = header[r.contacts[0].start:r.contacts[0].end]
	}
	for _, h := range r.hits {
		w := Word{Start: h.start, End: h.end, Profile: h.of[0], Standing: r.standing(h.start)}
		if w.Standing == Names && r.device.start < h.start && h.start < r.model {
			w.Standing = Device
		}
		if r.counts(h.start) {
			w.Standing = Names
			m := slices.IndexFunc(r.mentions, func(m mention) bool { return m.operator == w.Profile.Operator })
			switch {
			case m < 0:
				w.Standing = Added
			case h != r.mentions[m].best:
				w.Standing = LessSpecific
			case m > 0:
				w.Standing = Rival
			}
		}
		e.Words = append(e.Words, w)
	}
	slices.SortFunc(e.Words, func(x, y Word) int {
		return cmp.Or(cmp.Compare(x.End, y.End), cmp.Compare(x.Start, y.Start))
	})
	switch {
	case e.Library:
		e.Product = header[:len(frontOf(r.low))]
	case e.Foreign:
		e.Product = header[foreign.start:foreign.end]
	}
	if e.Profile == nil {
		e.addUnknown(r)
	}
	return e
}

// addUnknown adds control tokens and words that might name an unknown crawler, because a reader might expect them to
// count. Words of known crawlers are already listed.
func (e *Explanation) addUnknown(r *Reader) {
	r.device = deviceIn(r.low, r.contacts)
	counts := Names // the standing of the word that counts
	if e.Nameless {
		counts = Bare
	}
	if r.given.Standing != Names {
		e.Words = append(e.Words, r.given)
	}
	found := r.given.Standing != Names
	hits := r.hits // behind the word
	for at := nextOf(r.low, 0, isWordByte); at.end > 0; at = nextOf(r.low, at.end, isWordByte) {
		listed := false
		for ; len(hits) > 0 && hits[0].start <= at.start; hits = hits[1:] {
			listed = listed || hits[0].extent == at
		}
		_, stem := nextStem(r.low[:at.end], at.start)
		w := Word{Start: at.start, End: at.end, Profile: r.controlAt(at)}
		switch {
		case listed, w.Profile == nil && stem == "", found && at.start == r.given.Start && at.end == r.given.End:
			continue
		case w.Profile != nil:
			w.Standing = r.standing(at.start)
			if w.Standing == Names {
				w.Standing = Control
			}
		default:
			w.Stem, w.Standing = stem, r.mayName(at)
			if found && w.Standing == counts {
				w.Standing = Later
			}
			found = found || w.Standing == counts
		}
		e.Words = append(e.Words, w)
	}
}
