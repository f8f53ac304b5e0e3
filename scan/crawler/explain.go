package crawler

import (
	"cmp"
	"slices"
)

// Standing says whether a word of a header names the client, and if not why.
type Standing uint8

// Standings of a word.
const (
	// Names is the word, at most one, that names the client.
	Names Standing = iota
	// InContact is a word in a URL or an e-mail address.
	InContact
	// BehindLike is a word after "like ", which names another program.
	BehindLike
	// LessSpecific is a word no longer than another word of the same operator that
	// counts.
	LessSpecific
	// Added is a word of the software that a crawler is made with, beside the crawler's own name.
	Added
	// Rival is the longest word of another operator that counts: it makes the
	// header ambiguous.
	Rival
	// Bare is a word such as "bot", which says that the client is a crawler, but not
	// which one. If no word names the client, the first bare one makes it Nameless.
	Bare
	// NoContact is a word that might be an unknown crawler's, but the header does not
	// begin with it, does not have it directly after "(compatible; ", and has neither a
	// URL nor an e-mail address.
	NoContact
	// Control is the name of a control token, which is used in robots.txt only.
	Control
	// Device is a word where a browser on Android names the phone that it runs on.
	Device
	// App is a word in the header of an app on Apple's systems, which a person runs: it has CFNetwork,
	// and neither a URL nor an e-mail address.
	App
	// Software is the name of a library or an app, or in the header of an app that names its device.
	Software
	// NutchUser is the name that a user of Apache Nutch gave, before "/Nutch-1.20": it names the client.
	NutchUser
	// PageOwner names the client where nothing but a page called bot, crawler or spider says that it is a
	// crawler: it is the first product of the header, or the host of the page.
	PageOwner
	// Later is a word that might be an unknown crawler's, or bare, after the one that
	// counts.
	Later
)

// Word is a word of a header that is known, or that might be the name of an
// unknown crawler: header[Start:End].
type Word struct {
	Start, End int
	// Profile is the known crawler or control token that the word names; nil if the word
	// is listed because it contains Stem.
	Profile *Profile
	Stem    string
	Standing
}

// Explanation is a claim with all words that were considered.
type Explanation struct {
	Claim
	// Words are in the order of their ends. Words that might name an unknown
	// crawler, and control tokens, are listed only if no known crawler is named,
	// and after the others.
	Words []Word
	// Contact is the first URL or e-mail address of the header, a view of it; nil if
	// there is none.
	Contact []byte
	// Product is the part of the header, a view of it, that makes it Foreign, or the product of
	// an HTTP library; otherwise nil.
	Product []byte
}

// Explain reads a header as Reader.Read does, and explains the result. It takes time in
// proportion to the length of the header, and allocates.
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

// addUnknown adds the words that might name an unknown crawler, and control tokens,
// because a reader might expect them to name one. Words of known crawlers are listed already.
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
			if w.Standing = r.standing(at.start); w.Standing == Names {
				w.Standing = Control
			}
		default:
			if w.Stem, w.Standing = stem, r.mayName(at); found && w.Standing == counts {
				w.Standing = Later
			}
			found = found || w.Standing == counts
		}
		e.Words = append(e.Words, w)
	}
}
