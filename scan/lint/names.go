package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/crawler"
)

// names finds known crawlers by their product tokens.
type names struct {
	set *crawler.Set
	// by has the crawler of each token, name and word, in lower case.
	by     map[string]*crawler.Profile
	tokens []word // that crawlers look for
}

var (
	lastNames *names
	namesLock sync.Mutex
)

// namesOf returns the names of a set, which are kept for the next file.
func namesOf(set *crawler.Set) *names {
	namesLock.Lock()
	defer namesLock.Unlock()
	if lastNames != nil && lastNames.set == set {
		return lastNames
	}
	n := &names{set: set, by: map[string]*crawler.Profile{}}
	profiles := set.Profiles()
	add := func(p *crawler.Profile, words ...string) {
		for _, w := range words {
			if low := strings.ToLower(w); n.by[low] == nil {
				n.by[low] = p
			}
		}
	}
	for i := range profiles { // the first token of a crawler is its own
		add(&profiles[i], profiles[i].Name, profiles[i].Tokens[0])
	}
	for i := range profiles {
		p := &profiles[i]
		add(p, slices.Concat(append(p.Also, p.Tokens, p.Words)...)...)
		n.tokens = append(n.tokens, wordsOf(p.Tokens...)...)
	}
	lastNames = n
	return n
}

// name matches a product token, perhaps with a version.
var name = lazy.Regexp(`^ *[A-Za-z0-9_.-]+(/[0-9.]+)? *$`)

// kindOfAgent returns the kind of note on a user-agent line that has more than a product token and a
// version; "" if it has no more, or nothing of a known kind.
func (n *names) kindOfAgent(value string) string {
	if !strings.ContainsAny(value, " ,;|(") {
		return "" // nearly all
	}
	apart := func(by string) []string {
		return strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(by, c) })
	}
	named, known := 0, map[*crawler.Profile]bool{}
	for _, part := range apart(",;|") {
		if name().MatchString(part) {
			named++
		}
	}
	for _, word := range apart(",;| ") {
		word, _, _ = strings.Cut(strings.ToLower(word), "/")
		if p := n.by[word]; p != nil {
			known[p] = true
		}
	}
	_, version, _ := strings.Cut(value, "/")
	starred := value[0] == '*' // not a header
	switch {
	case !starred && (strings.Contains(value, "(") || strings.Contains(value, "://")):
		return "whole-header"
	case named > 1 || len(known) > 1:
		return "several-names"
	case !starred && strings.Contains(strings.TrimSpace(version), " "):
		return "whole-header"
	}
	return ""
}

// readAgents adds the notes on user-agent lines.
func (l *linter) readAgents() {
	type place struct{ group, line int }
	in := map[string]place{}        // where a token is first
	repeated := map[string]bool{}   // tokens that have a note
	near := map[string]string{}     // the known token that each unknown one resembles
	var unknown []compile.AgentLine // those that resemble none
	for i, g := range l.read[0].Groups {
		for _, a := range g.Agents {
			token := a.Token
			if a.Wildcard {
				token = "*"
			}
			if first, named := in[token]; !named {
				in[token] = place{i, a.Line}
			} else if first.group != i && token != "" && !repeated[token] && !l.literal() {
				repeated[token] = true
				l.add(a.Line, "repeated-group", a.Value, fmt.Sprintf("the first is on line %d", first.line), "")
			}
			kind := l.crawler.kindOfAgent(a.Value)
			if kind != "" {
				n := l.add(a.Line, kind, a.Value, l.meantBy(kind, a.Value, a.Value[:len(a.Token)]), "")
				if kind == "whole-header" && l.crawler.by[a.Token] == nil {
					n.Severity = asError.String()
				}
			}
			switch p := l.crawler.by[a.Token]; {
			case a.Wildcard || a.Token == "" || kind == "whole-header":
			case p == nil:
				like, known := near[a.Token]
				if !known {
					if len(near) < maxNear {
						like = cmp.Or(nearest(a.Token, l.crawler.tokens), l.crawler.beginning(a.Token))
					}
					near[a.Token] = like
				}
				if like != "" {
					l.add(a.Line, "unknown-name", a.Value, meant(like), "").Severity = asWarning.String()
					continue
				}
				unknown = append(unknown, a)
			case p.Control:
				l.controlled[i]++
				if len(g.Rules) > 0 {
					l.add(a.Line, "control-token", a.Value, "", "")
				}
			case p.Obeys == "no" || p.Exempt != "":
				l.add(a.Line, "not-obeyed", a.Value, p.Exempt, "")
			default:
				l.readOperator(a, p)
			}
		}
	}
	if more := len(unknown) - 1; more >= 0 {
		also := ""
		if more > 0 {
			also = fmt.Sprintf("nor the ones on %s", english.Plural(int64(more), "more line"))
		}
		l.add(unknown[0].Line, "unknown-name", unknown[0].Value, also, "")
	}
}

// readOperator adds a note on a user-agent line that names a crawler, if it is also the beginning of the names of
// another operator's crawlers.
func (l *linter) readOperator(a compile.AgentLine, p *crawler.Profile) {
	like := l.crawler.beginning(a.Token)
	if other := l.crawler.by[strings.ToLower(like)]; other != nil && other.Operator != p.Operator {
		severity := compile.SeverityNote
		if strings.HasPrefix(like, a.Value[:len(a.Token)]) { // in the other operator's spelling
			severity = compile.SeverityWarning
		}
		l.add(a.Line, "other-operator", a.Value, fmt.Sprintf("%s is %s's, and no crawler of %s's is bound; %s", p.Name,
			p.Operator, other.Operator, meant(like)), "").Severity = severity.String()
	}
}

// maxNear is the maximum number of unknown names in a file that are compared with known ones.
const maxNear = 1000

// meantBy says what a user-agent line of a kind binds, and what may be intended.
func (l *linter) meantBy(kind, value, token string) string {
	text := "it binds no crawler"
	if token != "" {
		text = fmt.Sprintf("only parsers that stop at the first other byte, as Google's does, bind %s by it", token)
	}
	if kind == "several-names" {
		return text
	}
	claim := l.o.Crawlers.Reader().Read([]byte(value))
	if p := claim.Profile; p != nil && slices.Contains([]string{"", "mozilla", "compatible"}, strings.ToLower(token)) {
		return text + "; " + meant(p.Tokens[0])
	}
	return text
}

// meant suggests what may be intended, unless that is "".
func meant(other string) string {
	if other == "" {
		return ""
	}
	return other + " meant?"
}

// word is a known word that an unknown one may stand for.
type word struct {
	text string
	key  string // in lower case, the ASCII letters and digits alone
	part int    // the length of the key without an ending such as bot
}

// ending matches the usual endings of names.
var ending = lazy.Regexp(`(bot|spider|crawler|agent|user)$`)

// letterOrDigit keeps an ASCII letter in lower case or a digit, and drops other characters, including
// invisible ones.
func letterOrDigit(c rune) rune {
	if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
		return c
	}
	return -1
}

func wordsOf(texts ...string) (list []word) {
	for _, text := range texts {
		key := strings.Map(letterOrDigit, strings.ToLower(text))
		list = append(list, word{text, key, len(ending().ReplaceAllString(key, ""))})
	}
	return list
}

// nearest returns the known word most similar to a text, the first of several; "" if there is none.
// Both must begin with the same letter, because NPBot and WPBot, for example, are different crawlers.
func nearest(text string, known []word) (best string) {
	const longest = 64
	own := wordsOf(text)[0]
	key := own.key
	if own.part == 0 || len(key) > longest || slices.Contains(others, key) {
		return ""
	}
	least := longest
	for _, w := range known {
		most := 1 // of mistakes, with which a text still matches the word
		if w.part >= 2*shortPart {
			most = 2
		}
		if len(key) == len(w.key) && letters(key) == letters(w.key) {
			most = 2 // for two transposed letters
		}
		if d := len(key) - len(w.key); d > most || -d > most || w.key[0] != key[0] {
			continue
		}
		n := english.Distance(key, w.key, most)
		if n <= most && n < least && (n == 0 || w.part > shortPart || letters(key) == letters(w.key)) {
			best, least = w.text, n
		}
	}
	return best
}

// beginning returns the known token that begins with a text and a hyphen, as AdsBot-Google does with AdsBot; ""
// if there is none, or if there are several that don't share one of them as their beginning.
func (n *names) beginning(text string) (best string) {
	if slices.Contains(words, strings.ToLower(text)) {
		return ""
	}
	for _, w := range n.tokens {
		switch begins := len(w.text) > len(text) && w.text[len(text)] == '-' && strings.EqualFold(w.text[:len(text)], text); {
		case !begins:
		case best == "" || strings.HasPrefix(best, w.text):
			best = w.text
		case !strings.HasPrefix(w.text, best):
			return ""
		}
	}
	return best
}

// words are beginnings of tokens that don't name crawlers.
var words = []string{"mozilla", "node"}

// others resemble known words without being mistakes: an old program, and old names of two crawlers.
var others = []string{"webzip", "yodaobot", "semrushbotct"}

// shortPart is the length of names that one letter more or less turns into another.
const shortPart = 5

// letters returns the letters of a text in order.
func letters(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}
