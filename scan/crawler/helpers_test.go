package crawler

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// newSet makes a set of profiles.
func newSet(t testing.TB, profiles []Profile) *Set {
	t.Helper()
	set, err := New(profiles)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// builtinSet makes a set of the profiles that come with the package.
func builtinSet(t testing.TB) *Set {
	t.Helper()
	return newSet(t, Builtin())
}

// String describes the claim as tests print it.
func (c Claim) String() string {
	switch {
	case c.Library:
		return "a library"
	case c.Name == "":
		return "no crawler"
	case c.Nameless:
		return c.Name + " " + c.word
	case c.Profile == nil:
		return c.Name + " (unknown)"
	case c.Ambiguous:
		return c.Name + " (ambiguous)"
	}
	return fmt.Sprintf("%s (%s)", c.Name, c.Profile.Operator)
}

// String returns the state as tests print it.
func (s State) String() string {
	switch s {
	case Verified:
		return "verified"
	case Spoofed:
		return "spoofed"
	case Unverified:
		return "unverified"
	default:
		return "unverifiable"
	}
}

// naive reads headers as the specification says it (audit-rules 7), one word of
// one profile after the other.
type naive struct {
	words    []naiveWord
	controls []string // in lower case
}

type naiveWord struct {
	text    []byte // in lower case
	profile *Profile
}

func newNaive(profiles []Profile) naive {
	var n naive
	for i := range profiles {
		if profiles[i].Control {
			for _, name := range append([]string{profiles[i].Name}, profiles[i].Tokens...) {
				n.controls = append(n.controls, strings.ToLower(name))
			}
		}
		for _, word := range profiles[i].Words {
			n.words = append(n.words, naiveWord{lower([]byte(word)), &profiles[i]})
		}
	}
	return n
}

// lower is bytes.ToLower for ASCII only.
func lower(b []byte) []byte {
	b = bytes.Clone(b)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return b
}

func (n naive) read(header []byte) Claim {
	low := lower(header)
	hidden, contact := contactBytes(low)
	type hit struct {
		start  int
		length int
		*Profile
	}
	var hits []hit
	for _, w := range n.words {
		for from := 0; ; {
			at := bytes.Index(low[from:], w.text)
			if at < 0 {
				break
			}
			at += from
			from = at + 1
			if standsAlone(low, at, at+len(w.text)) && !hidden[at] && !behindLike(low[:at]) {
				hits = append(hits, hit{at, len(w.text), w.profile})
			}
		}
	}
	if len(hits) == 0 {
		return n.unknown(header, low, hidden, contact)
	}
	// Who is named first, and of who begins at one place the one with more to say.
	slices.SortFunc(hits, func(a, b hit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.length - a.length
	})
	var best []hit // of each operator, as they are named
	for _, h := range hits {
		n := slices.IndexFunc(best, func(b hit) bool { return b.Operator == h.Operator })
		if n < 0 {
			best = append(best, h)
		} else if h.length > best[n].length {
			best[n] = h
		}
	}
	claim := Claim{Profile: best[0].Profile, Name: best[0].Name}
	if product := frontOf.Find(low); len(best) > 1 || product != nil && hits[0].start >= len(product) &&
		!hidden[0] && !slices.Contains([]string{"mozilla/", "opera/"}, string(product)) {
		claim.Ambiguous = true
		for _, b := range best {
			claim.Rivals = append(claim.Rivals, b.Profile)
		}
	}
	return claim
}

// same tells whether two claims are equal.
func same(a, b Claim) bool {
	return a.Profile == b.Profile && a.Name == b.Name && a.Ambiguous == b.Ambiguous && a.dotted == b.dotted && a.word == b.word &&
		a.Nameless == b.Nameless && a.Library == b.Library &&
		slices.Equal(a.Rivals, b.Rivals) && (a.Rivals == nil) == (b.Rivals == nil)
}

var (
	joinedBefore = regexp.MustCompile(`[A-Za-z0-9_.-]*$`)
	joinedBehind = regexp.MustCompile(`^[A-Za-z0-9_.-]*`)
)

// phoneOf is the first comment of a header, if it is a phone's, with what is in it
// and where the model is named.
var phoneOf = regexp.MustCompile(`(?s)^[^(]*\((linux(?:[^)]*?)android[^;)]*(;[^)]*))\)`)

var (
	// frontOf is the product with which a header begins, and its slash.
	frontOf = regexp.MustCompile(`^(?:[a-z0-9_.-]|[^\x00-\x7f])+/`)
	bareOf  = regexp.MustCompile(`^(bots?|robots?|spiders?|(crawl|scrap|fetch)(er|ers|ing)?|` +
		`web|site|page|link|url|http|my|test|java|python|php|node|go|[0-9._-])+$`)
	libraryOf = func() *regexp.Regexp {
		var names []string
		for name := range libraries {
			names = append(names, regexp.QuoteMeta(name))
		}
		return regexp.MustCompile(`^(` + strings.Join(names, "|") + `)(/|$)`)
	}()
)

// unknown names an unknown crawler by its word.
func (n naive) unknown(header, low []byte, hidden []bool, contact bool) (c Claim) {
	model := extent{}
	if at := phoneOf.FindSubmatchIndex(low); at != nil && !slices.Contains(hidden[at[2]:at[3]], true) {
		model = extent{at[4], at[5]}
	}
	for _, bare := range []bool{false, true} {
		for start := 0; start < len(low); start++ {
			if !wordByte(low[start]) || start > 0 && wordByte(low[start-1]) {
				continue
			}
			end := start
			for end < len(low) && wordByte(low[end]) {
				end++
			}
			word := low[start:end]
			if hidden[start] || behindLike(low[:start]) || !stemOf.Match(word) || bareOf.Match(word) != bare {
				continue
			}
			if start > 0 && !contact && !bytes.HasSuffix(low[:start], []byte("(compatible; ")) {
				continue
			}
			joined := string(joinedBefore.Find(header[:start])) + string(header[start:end]) + string(joinedBehind.Find(header[end:]))
			joined = strings.Trim(joined, ".")
			if slices.Contains(n.controls, string(word)) || slices.Contains(n.controls, strings.ToLower(joined)) || model.start < start && start < model.end {
				continue
			}
			c.Name, c.Nameless, c.Overlong = string(header[start:end]), bare, len(joined) > 4096
			switch {
			case bare:
				c.Name = "(without a name)"
			case c.Overlong:
				c.Name = "(a name longer than 4096 bytes)"
			case end-start > 64:
				c.Name = string(header[start:start+64]) + " (longer than 64 bytes)"
			}
			if c.Overlong {
				return c
			}
			if word := string(header[start:end]); word != c.Name {
				c.word = word
			}
			if joined != string(header[start:end]) {
				c.dotted = joined
			}
			return c
		}
	}
	return Claim{Library: libraryOf.Match(low)}
}

// contactBytes tells of each byte whether it is in a URL or an e-mail address,
// and whether there is any.
func contactBytes(low []byte) (hidden []bool, any bool) {
	hidden = make([]bool, len(low))
	hide := func(from, to int) {
		any = true
		for i := from; i < to; i++ {
			hidden[i] = true
		}
	}
	breaks := func(c byte) bool { return c <= ' ' || strings.IndexByte(`()<>[]{}"';,|`, c) >= 0 }
	for i := range low {
		isURL := bytes.HasPrefix(low[i:], []byte("://")) ||
			bytes.HasPrefix(low[i:], []byte("www.")) && (i == 0 || !wordByte(low[i-1]))
		isMail := low[i] == '@' && i > 0 && mailByte(low[i-1]) && i+1 < len(low) && mailByte(low[i+1])
		from, to := i, i
		switch {
		case isURL:
			for from > 0 && low[i] == ':' && 'a' <= low[from-1] && low[from-1] <= 'z' {
				from--
			}
			for to < len(low) && !breaks(low[to]) {
				to++
			}
			hide(from, to)
		case isMail:
			for from > 0 && mailByte(low[from-1]) {
				from--
			}
			for to < len(low) && mailByte(low[to]) {
				to++
			}
			hide(from, to)
		}
	}
	return hidden, any
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c >= 0x80
}

func mailByte(c byte) bool { return wordByte(c) || c == '.' || c == '+' || c == '@' }

// standsAlone tells whether no word goes on at either side of low[from:to].
func standsAlone(low []byte, from, to int) bool {
	left := from > 0 && wordByte(low[from-1]) && wordByte(low[from])
	right := to < len(low) && wordByte(low[to]) && wordByte(low[to-1])
	return !left && !right
}

func behindLike(low []byte) bool {
	before, ok := bytes.CutSuffix(low, []byte("like "))
	return ok && (len(before) == 0 || before[len(before)-1] == '-' || !wordByte(before[len(before)-1]))
}

// identify is Proof.Identify for a crawler.
func (i *Identities) identify(p *Profile, addr []byte, t int64, hasTime bool) State {
	proof := i.Of(p)
	return proof.Identify(addr, t, hasTime)
}
