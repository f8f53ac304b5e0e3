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
	return [...]string{"verified", "spoofed", "unverified", "unverifiable"}[s]
}

// wordsOf returns the words of all profiles.
func wordsOf(profiles []Profile) (words []string) {
	for i := range profiles {
		words = append(words, profiles[i].Words...)
	}
	return words
}

// naive reads headers as the specification says it (audit-rules 7), one word of one profile after the other.
type naive struct {
	words    []naiveWord
	controls []string            // in lower case
	adds     map[string][]string // by operator, in lower case
	sites    map[string][]string // by operator
}

type naiveWord struct {
	text    []byte // in lower case
	profile *Profile
}

func newNaive(profiles []Profile) naive {
	n := naive{adds: map[string][]string{}, sites: map[string][]string{}}
	for i := range profiles {
		n.sites[profiles[i].Operator] = append(n.sites[profiles[i].Operator], profiles[i].Sites...)
		for _, word := range profiles[i].Adds {
			n.adds[profiles[i].Operator] = append(n.adds[profiles[i].Operator], strings.ToLower(word))
		}
		if profiles[i].Control {
			for _, name := range append([]string{profiles[i].Name}, profiles[i].Tokens...) {
				n.controls = append(n.controls, strings.ToLower(name))
			}
		}
		for _, word := range profiles[i].Words {
			n.words = append(n.words, naiveWord{appendLower(nil, []byte(word)), &profiles[i]})
		}
	}
	return n
}

func (n naive) read(header []byte) Claim {
	header = blanked(header)
	low := appendLower(nil, header)
	if bytes.Contains(low, []byte(" device/")) {
		return Claim{Library: libraryOf.Match(low)}
	}
	hidden, contact := contactBytes(low)
	var all, hits, like []naiveHit
	for _, w := range n.words {
		for from := 0; ; {
			at := bytes.Index(low[from:], w.text)
			if at < 0 {
				break
			}
			at += from
			from = at + 1
			if !standsAlone(low, at, at+len(w.text)) {
				continue
			}
			hit := naiveHit{at, len(w.text), w.profile}
			all = append(all, hit)
			model, named := modelOf(low, hidden), 0
			if model.end > 0 {
				named = model.start + len(modelNameOf.Find(low[model.start:model.end]))
			}
			switch {
			case hidden[at], model.start < at && at < named:
			case behindLike(low[:at]):
				like = append(like, hit)
			default:
				hits = append(hits, hit)
			}
		}
	}
	if len(hits) == 0 && len(like) == 0 {
		return n.unknown(header, low, hidden, contact)
	}
	claimed := len(hits) > 0
	if !claimed {
		hits = like
	}
	// Who is named first, and of who begins at one place the one with more to say.
	slices.SortFunc(hits, func(a, b naiveHit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.length - a.length
	})
	var best []naiveHit // of each operator, as they are named
	for _, h := range hits {
		isAdded := func(word string) bool { return slices.Contains(n.adds[best[0].Operator], word) }
		words := strings.Split(string(low[h.start:h.start+h.length]), ".")
		if len(best) > 0 && slices.ContainsFunc(words, isAdded) {
			continue // software of the first operator named
		}
		n := slices.IndexFunc(best, func(b naiveHit) bool { return b.Operator == h.Operator })
		if n < 0 {
			best = append(best, h)
		} else if h.length > best[n].length {
			best[n] = h
		}
	}
	claim := Claim{Profile: best[0].Profile, Name: best[0].Name}
	claim.Foreign = !claimed || n.foreign(header, low, hidden, contact, all, hits, n.adds[best[0].Operator])
	if user := nutchUserOf.FindSubmatchIndex(low); claim.Foreign && best[0].Anybodys() && user != nil &&
		user[1] < len(low) && '0' <= low[user[1]] && low[user[1]] <= '9' && user[2]+len(oneWordOf.Find(low[user[2]:])) <= best[0].start && !wares()[string(low[:user[3]])] && !libraries()[string(low[:user[3]])] {
		return n.claim(header, user[2], user[2]+len(oneWordOf.Find(low[user[2]:])), false)
	}
	if own := n.unknown(header, low, hidden, contact); claim.Foreign && best[0].Anybodys() && own.Name != "" && !own.Nameless {
		return own
	}
	if sites := n.sites[best[0].Operator]; len(best) == 1 && len(sites) > 0 && !best[0].Anybodys() {
		for _, page := range pagesOf(low) {
			host := pageHostOf.FindStringSubmatch(page)[1]
			claim.Foreign = claim.Foreign || strings.Contains(host, ".") && !slices.ContainsFunc(sites, func(site string) bool {
				return host == site || strings.HasSuffix(host, "."+site)
			})
		}
	}
	if len(best) > 1 || claim.Foreign {
		claim.Ambiguous = true
		for _, b := range best {
			claim.Rivals = append(claim.Rivals, b.Profile)
		}
	}
	return claim
}

var (
	modelNameOf = regexp.MustCompile(`^;( *[a-z]{2}([-_][a-z]{2})?;)?[^;]*`)
	nutchUserOf = regexp.MustCompile(`^((?:[a-z0-9_-]|[^\x00-\x7f])(?:[a-z0-9_.-]|[^\x00-\x7f])*)(?s:.*?)/nutch-`)
	pageHostOf  = regexp.MustCompile(`^(?:(?s:.*?)://)?(?:[^/?#\\]*@)?([^/?#\\:]*?)[^a-z0-9_\x80-\x{10ffff}-]*(?:[/?#\\:](?s:.*))?$`)
	botPageOf   = regexp.MustCompile(`^[^/?#]*/(?:[^?#]*/)?(?:bot|crawler|spider)(?:\.[^/?#]*)?[/.]*(?:[?#](?s:.*))?$`)
)

// pagesOf returns the URLs and e-mail addresses of a header.
func pagesOf(low []byte) (pages []string) {
	for _, c := range appendContacts(nil, low) {
		pages = append(pages, string(low[c.start:c.end]))
	}
	return pages
}

// modelOf is where a header names the model of a phone.
func modelOf(low []byte, hidden []bool) extent {
	if at := phoneOf.FindSubmatchIndex(low); at != nil && !slices.Contains(hidden[at[2]:at[3]], true) {
		return extent{at[4], at[5]}
	}
	return extent{}
}

// naiveHit is a word of a profile in a header.
type naiveHit struct {
	start, length int
	*Profile
}

var (
	tokenOf   = regexp.MustCompile(`(?:[a-z0-9_.-]|[^\x00-\x7f])+`)
	versionOf = regexp.MustCompile(`^/v?[0-9]`)
	letterOf  = regexp.MustCompile(`[a-z]|[^\x00-\x7f]`)
	oneWordOf = regexp.MustCompile(`(?:[a-z0-9_-]|[^\x00-\x7f])+`)
)

// foreign reports whether a header contains words that aren't used by the operator of the crawler
// it names. all are the words of known crawlers in it, and hits those among them that name one.
func (n naive) foreign(header, low []byte, hidden []bool, contact bool, all, hits []naiveHit, adds []string) bool {
	known := func(from, to int) bool {
		return slices.ContainsFunc(all, func(h naiveHit) bool { return h.start < to && h.start+h.length > from })
	}
	tokens := tokenOf.FindAllIndex(low, -1)
	plain := map[int]bool{} // the ends of plain words
	for _, at := range tokens {
		token := string(low[at[0]:at[1]])
		if known(at[0], at[1]) || hidden[at[0]] || slices.Contains(n.controls, strings.Trim(token, ".")) ||
			slices.ContainsFunc(strings.Split(token, "."), func(word string) bool { return slices.Contains(adds, word) }) {
			continue
		}
		ware := wares()[token] || libraries()[token]
		if at[0] == 0 && token != "mozilla" && token != "opera" {
			return true
		}
		if versionOf.Match(low[at[1]:]) && !ware || token == "appengine-google" {
			return true
		}
		for _, word := range oneWordOf.FindAllIndex(low[at[0]:at[1]], -1) {
			if n.mayName(header, low, hidden, contact, at[0]+word[0], at[0]+word[1]) &&
				!bareOf.MatchString(string(low[at[0]+word[0]:at[0]+word[1]])) {
				return true
			}
		}
		plain[at[1]] = !ware && letterOf.MatchString(token) && !bytes.HasSuffix(low[:at[0]], []byte("/"))
	}
	return slices.ContainsFunc(hits, func(h naiveHit) bool {
		before := bytes.TrimRight(low[:h.start], " ")
		return len(before) < h.start && plain[len(before)]
	})
}

// same reports whether two claims are equal.
func same(a, b Claim) bool {
	return a.Profile == b.Profile && a.Name == b.Name && a.Ambiguous == b.Ambiguous && a.dotted == b.dotted &&
		a.word == b.word &&
		a.Nameless == b.Nameless && a.Foreign == b.Foreign && a.Library == b.Library && a.Overlooked == b.Overlooked &&
		slices.Equal(a.Rivals, b.Rivals) && (a.Rivals == nil) == (b.Rivals == nil)
}

var (
	instanceOf   = regexp.MustCompile(`-(prod|dev)$`)
	compatibleOf = regexp.MustCompile(`\(compatible; +$`)
	pieceOf      = regexp.MustCompile(`[^\x00-\x20()<>[\]{}"';,|]+`)
	urlOf        = regexp.MustCompile(`://|www\.`)
)

// blanked returns the header with blanks for each %20 outside of URLs.
func blanked(header []byte) []byte {
	return pieceOf.ReplaceAllFunc(header, func(piece []byte) []byte {
		end := len(piece)
		if at := urlOf.FindIndex(piece); at != nil {
			end = at[0]
		}
		return append(bytes.ReplaceAll(piece[:end:end], []byte("%20"), []byte("   ")), piece[end:]...)
	})
}

var (
	joinedBefore = regexp.MustCompile(`[A-Za-z0-9_.-]*$`)
	joinedBehind = regexp.MustCompile(`^[A-Za-z0-9_.-]*`)
)

// phoneOf is the first comment of a header, if it is a phone's, with what is in it and where the model is named.
var phoneOf = regexp.MustCompile(`(?s)^[^(]*\((linux(?:[^)]*?)android[^;)]*(;[^)]*))\)`)

var (
	bareOf = regexp.MustCompile(`^(bots?|robots?|spiders?|(crawl|scrap|fetch)(er|ers|ing)?|` +
		`web|site|page|link|url|http|my|test|java|python|php|node|go|nutch|[0-9._-])+$`)
	libraryOf = func() *regexp.Regexp {
		var names []string
		for name := range libraries() {
			names = append(names, regexp.QuoteMeta(name))
		}
		return regexp.MustCompile(`^((` + strings.Join(names, "|") + `)(/|$)|fetch libfetch/)`)
	}()
)

// mayName reports whether a word, bare or not, may be the name of an unknown crawler.
func (n naive) mayName(header, low []byte, hidden []bool, contact bool, start, end int) bool {
	model := modelOf(low, hidden)
	joined := strings.ToLower(joinedAt(header, start, end))
	switch {
	case hidden[start], behindLike(low[:start]), !stemOf.Match(low[start:end]):
		return false
	case software()[string(low[start:end])] || start == 0 && bytes.HasPrefix(low, []byte("fetch libfetch/")):
		return false
	case start > 0 && !contact && !compatibleOf.Match(low[:start]):
		return false
	case !contact && strings.Contains(string(low), " cfnetwork/"):
		return false
	}
	return !slices.Contains(n.controls, string(low[start:end])) && !slices.Contains(n.controls, joined) &&
		(start <= model.start || start >= model.end)
}

// joinedAt returns a word with those that dots join to it.
func joinedAt(header []byte, start, end int) string {
	joined := string(joinedBefore.Find(header[:start])) + string(header[start:end]) +
		string(joinedBehind.Find(header[end:]))
	return strings.Trim(joined, ".")
}

// unknown names an unknown crawler by its word.
func (n naive) unknown(header, low []byte, hidden []bool, contact bool) (c Claim) {
	for _, bare := range []bool{false, true} {
		for start := 0; start < len(low); start++ {
			if !wordByte(low[start]) || start > 0 && wordByte(low[start-1]) {
				continue
			}
			end := start
			for end < len(low) && wordByte(low[end]) {
				end++
			}
			isKnown := slices.ContainsFunc(n.words, func(w naiveWord) bool { return string(w.text) == string(low[start:end]) })
			if bareOf.Match(low[start:end]) != bare || isKnown && !bare || !n.mayName(header, low, hidden, contact, start, end) {
				continue
			}
			return n.claim(header, start, end, bare)
		}
	}
	for _, page := range pagesOf(low) {
		_, url, found := strings.Cut(page, "://")
		if !found {
			url = page
		}
		if !botPageOf.MatchString(url) {
			continue
		}
		front := tokenOf.Find(low)
		if len(front) > 0 && bytes.HasPrefix(low, front) && !hidden[0] && !wares()[string(front)] && !libraries()[string(front)] {
			at := oneWordOf.FindIndex(low)
			return n.claim(header, at[0], at[1], false)
		}
		if host := pageHostOf.FindStringSubmatchIndex(page); host[2] < host[3] {
			at := bytes.Index(low, []byte(page))
			return n.claim(header, at+host[2], at+host[3], false)
		}
	}
	return Claim{Library: libraryOf.Match(low), Overlooked: overlooked(low, hidden)}
}

// claim returns the claim of an unknown crawler by a word.
func (n naive) claim(header []byte, start, end int, bare bool) (c Claim) {
	joined := joinedAt(header, start, end)
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

// overlooked reports whether a word has a stem and is not in the name of a phone.
func overlooked(low []byte, hidden []bool) bool {
	at := phoneOf.FindSubmatchIndex(low)
	isPhone := at != nil && !slices.Contains(hidden[at[2]:at[3]], true)
	for _, word := range oneWordOf.FindAllIndex(low, -1) {
		isSoftware := software()[string(low[word[0]:word[1]])] || word[0] == 0 && bytes.HasPrefix(low, []byte("fetch libfetch/"))
		if isSoftware && !hidden[word[0]] && !behindLike(low[:word[0]]) {
			continue
		}
		if stemOf.Match(low[word[0]:word[1]]) && !(isPhone && at[4] < word[0] && word[0] < at[5]) {
			return true
		}
	}
	return false
}

// contactBytes reports for each byte whether it is in a URL or an e-mail address, and whether there is any.
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

// standsAlone reports whether no word goes on at either side of low[from:to].
func standsAlone(low []byte, from, to int) bool {
	left := from > 0 && wordByte(low[from-1]) && wordByte(low[from])
	if instanceOf.Match(low[from:to]) {
		for to < len(low) && '0' <= low[to] && low[to] <= '9' {
			to++
		}
	}
	right := to < len(low) && wordByte(low[to]) && wordByte(low[to-1])
	return !left && !right
}

func behindLike(low []byte) bool {
	before, ok := bytes.CutSuffix(bytes.TrimRight(low, " "), []byte("like"))
	ok = ok && bytes.HasSuffix(low, []byte(" "))
	return ok && (len(before) == 0 || before[len(before)-1] == '-' || !wordByte(before[len(before)-1]))
}

// identify is Proof.Identify for a crawler.
func (i *Identities) identify(p *Profile, addr []byte, t int64, hasTime bool) State {
	proof := i.Of(p)
	return proof.Identify(addr, t, hasTime)
}
