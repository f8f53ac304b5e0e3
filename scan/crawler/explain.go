package crawler

import (
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
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
	claim, foreign := r.read(header)
	e := Explanation{Claim: claim}
	r.contacts = appendContacts(r.contacts[:0], header)
	if len(r.contacts) > 0 {
		e.Contact = header[r.contacts[0].start:r.contacts[0].end]
	}
	for _, hit := range r.hits {
		w := Word{Start: hit.Start, End: hit.End, Profile: s.owner[hit.Word], Standing: r.standing(header, hit.Start)}
		if r.counts(header, hit.Start) {
			w.Standing = Names
			m := slices.IndexFunc(r.mentions, func(m mention) bool { return m.operator == w.Profile.Operator })
			switch {
			case hit != r.mentions[m].best:
				w.Standing = LessSpecific
			case m > 0:
				w.Standing = Rival
			}
		}
		e.Words = append(e.Words, w)
	}
	switch {
	case e.Library:
		e.Product = header[:frontEnd(header)]
	case e.Foreign:
		e.Product = header[foreign.start:foreign.end]
	}
	if e.Profile == nil {
		e.addUnknown(r, header)
	}
	return e
}

// addUnknown adds the words that might name an unknown crawler, and control tokens,
// because a reader might expect them to name one. Words of known crawlers are listed already.
func (e *Explanation) addUnknown(r *Reader, header []byte) {
	r.device = deviceIn(header, r.contacts)
	counts := Names // the standing of the word that counts
	if e.Nameless {
		counts = Bare
	}
	found := false
	hits := r.hits // behind the word
	for at := nextOf(header, 0, automaton.IsWordByte); at.end > 0; at = nextOf(header, at.end, automaton.IsWordByte) {
		listed := false
		for ; len(hits) > 0 && hits[0].End <= at.end; hits = hits[1:] {
			listed = listed || hits[0].Start == at.start && hits[0].End == at.end
		}
		if listed {
			continue
		}
		w := Word{Start: at.start, End: at.end, Profile: r.controlAt(header, at)}
		if w.Profile != nil {
			if w.Standing = r.standing(header, at.start); w.Standing == Names {
				w.Standing = Control
			}
			e.Words = append(e.Words, w)
			continue
		}
		_, w.Stem = nextStem(header[:at.end], at.start)
		if w.Stem == "" {
			continue
		}
		w.Standing = r.mayName(header, at)
		if found && w.Standing == counts {
			w.Standing = Later
		}
		found = found || w.Standing == counts
		e.Words = append(e.Words, w)
	}
}
