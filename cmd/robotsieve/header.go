package main

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/crawler"
)

// headerReading is the reading of a User-Agent header. Its texts are printable.
type headerReading struct {
	Header string `json:"header"`
	// Crawler is empty if the header names none. Its operator and category are
	// known only if it is.
	Crawler   string `json:"crawler"`
	Known     bool   `json:"known"`
	Operator  string `json:"operator"`
	Category  string `json:"category"`
	Ambiguous bool   `json:"ambiguous"`
	// Words are the words considered, in the order of the header.
	Words []headerWord `json:"words"`
	// Tokens are its product tokens in robots.txt, the preferred first. Wildcard: if
	// robots.txt has none of them, groups for * bind it.
	Tokens   []string `json:"tokens"`
	Wildcard bool     `json:"wildcard"`
	Dialect  string   `json:"dialect"` // empty: not known
	Exempt   string   `json:"exempt"`
	// Obeys is the statement of its operator on the page Source, as of the day Date.
	Obeys  string `json:"obeys"`
	Source string `json:"source"`
	Date   string `json:"date"`
	// Verify lists the ways to verify its addresses: ranges, dns.
	Verify []string `json:"verify"`
	Why    string   `json:"why"`
}

// headerWord is a word of a header.
type headerWord struct {
	Byte     int    `json:"byte"` // where it begins, from 1
	Word     string `json:"word"`
	Crawler  string `json:"crawler"`  // empty: it is not known
	Operator string `json:"operator"` // the same
	Counts   bool   `json:"counts"`
	Why      string `json:"why"`
}

func readHeader(set *crawler.Set, header string) headerReading {
	e := set.Explain([]byte(header))
	r := headerReading{
		Header: printable(header), Crawler: printable(e.Name), Known: e.Profile != nil, Ambiguous: e.Ambiguous,
		Words: []headerWord{}, Tokens: []string{}, Verify: []string{},
	}
	for _, w := range e.Words {
		r.Words = append(r.Words, newHeaderWord(e, header, w))
	}
	switch {
	case e.Profile != nil:
		r.profile(printableProfile(*e.Profile))
		r.Why = whyKnown(e)
	case e.Name != "":
		r.Tokens, r.Wildcard, r.Obeys = printableList(e.Tokens()), true, "unknown"
		r.Why = "no word of a known crawler counts, and the name that it gives looks like that of a crawler"
	default:
		r.Why = whyNone(set, header, e)
	}
	return r
}

// profile copies the profile of the crawler.
func (r *headerReading) profile(p crawler.Profile) {
	r.Operator, r.Category, r.Tokens, r.Wildcard = p.Operator, p.Category, p.Tokens, !p.IgnoresWildcard
	r.Dialect, r.Exempt, r.Obeys, r.Source, r.Date = p.Dialect, p.Exempt, p.Obeys, p.Source, p.Date
	if p.Verify != "" {
		r.Verify = strings.Split(p.Verify, ",")
	}
}

func newHeaderWord(e crawler.Explanation, header string, w crawler.Word) headerWord {
	out := headerWord{Byte: w.Start + 1, Word: printable(header[w.Start:w.End]), Counts: w.Standing == crawler.Names}
	if w.Profile != nil {
		out.Crawler, out.Operator = printable(w.Profile.Name), printable(w.Profile.Operator)
	}
	switch w.Standing {
	case crawler.Names:
		out.Why = "the name that the client gives"
		if w.Profile == nil {
			out.Why = whyUnknown(e, w)
		}
	case crawler.InContact:
		out.Why = "in a URL or an e-mail address, which names a page and not the client"
	case crawler.BehindLike:
		out.Why = `after "like ", which names what the client is not`
	case crawler.LessSpecific:
		out.Why = "no more specific than " + printable(moreSpecific(e, header, w)) + ", which counts"
	case crawler.Rival:
		out.Counts = true
		out.Why = "a crawler of another operator, which makes the header ambiguous"
	case crawler.Bare:
		out.Why = "says that the client is a crawler, but not which one"
	case crawler.NoContact:
		out.Why = fmt.Sprintf("contains %q, but the header neither begins with it nor carries a URL or an e-mail address", w.Stem)
	case crawler.Control:
		out.Why = "a control token: no client sends it as its name, and no log shows whether it is obeyed"
	case crawler.Device:
		out.Why = fmt.Sprintf("contains %q, but is where a browser on Android names its phone", w.Stem)
	case crawler.Later:
		out.Why = fmt.Sprintf("contains %q, but after another word that does", w.Stem)
	}
	return out
}

// moreSpecific returns the word of the same operator that counts.
func moreSpecific(e crawler.Explanation, header string, than crawler.Word) string {
	for _, w := range e.Words {
		if w.Profile.Operator == than.Profile.Operator && (w.Standing == crawler.Names || w.Standing == crawler.Rival) {
			return header[w.Start:w.End]
		}
	}
	return ""
}

// whyUnknown returns the rule by which a word is the name of an unknown crawler.
func whyUnknown(e crawler.Explanation, w crawler.Word) string {
	why := fmt.Sprintf("contains %q and more, and the header ", w.Stem)
	if w.Start == 0 {
		return why + "begins with it"
	}
	return why + "carries " + printable(string(e.Contact))
}

func whyKnown(e crawler.Explanation) string {
	if !e.Ambiguous {
		return "a word of a known crawler counts"
	}
	var rivals []string
	for _, w := range e.Words {
		if w.Standing == crawler.Rival {
			rivals = append(rivals, fmt.Sprintf("%s of %s", printable(w.Profile.Name), printable(w.Profile.Operator)))
		}
	}
	return "ambiguous: the header also names " + strings.Join(rivals, " and ") + ". Requests are indeterminate, unless their address verifies " +
		"one of them, and are counted under the first"
}

// whyNone returns why a header names no crawler.
func whyNone(set *crawler.Set, header string, e crawler.Explanation) string {
	p := set.ByName(strings.TrimSpace(header)) // or a name of several words
	for _, w := range e.Words {
		if w.Standing == crawler.Control {
			p = w.Profile
			break
		}
	}
	if p != nil && p.Control {
		return printable(p.Name) + " is a control token of " + printable(p.Operator) + ": it is used in robots.txt only, no client sends it as its name, and no log shows whether it is obeyed"
	}
	if len(e.Words) > 0 {
		return "none of these words counts, and a client that does not call itself a crawler is never taken for one"
	}
	return "no word is that of a known crawler, and none outside URLs and e-mail addresses contains bot, spider, crawl, scrap or fetch; " +
		"a client that does not call itself a crawler, such as a browser, is never taken for one"
}

// text prints the reading for people.
func (r headerReading) text(w *bufio.Writer) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintln(w, r.Header)
	switch {
	case r.Known:
		line("crawler", "%s of %s, %s", r.Crawler, r.Operator, cmp.Or(r.Category, "of no category"))
	case r.Crawler != "":
		line("crawler", "%s, which is not known", r.Crawler)
	default:
		line("crawler", "none")
	}
	line("because", "%s", r.Why)
	for _, word := range r.Words {
		line("word", "%s", word.text())
	}
	if r.Crawler == "" {
		return
	}
	line("bound by", "%s", r.boundBy())
	line("reading", "%s", r.reads())
	if r.Exempt != "" {
		line("exempt", "its requests are not judged; %s", r.Exempt)
	}
	line("operator", "%s", r.says())
	line("verify", "%s", r.verified())
}

func (w headerWord) text() string {
	verb := "does not count"
	if w.Counts {
		verb = "counts"
	}
	who := ""
	if w.Crawler != "" && w.Crawler != w.Word {
		who = ", a word of " + w.Crawler + ","
	}
	return fmt.Sprintf("%s at byte %s%s %s: %s", w.Word, grouped(int64(w.Byte)), who, verb, w.Why)
}

func (r headerReading) boundBy() string {
	last := "by nothing: groups for * do not bind it"
	if r.Wildcard {
		last = "those for *"
	}
	return "groups for " + strings.Join(r.Tokens, ", else for ") + ", else " + last
}

func (r headerReading) reads() string {
	switch {
	case r.Dialect == automaton.Google.String():
		return "google: by its operator's parser, which is published"
	case r.Dialect != "":
		return r.Dialect
	default:
		return "not known: a rule that google and rfc9309 read differently is contested"
	}
}

// says returns the statement of the operator about robots.txt.
func (r headerReading) says() string {
	claim := map[string]string{"yes": "says that it obeys robots.txt", "no": "says that it does not obey robots.txt"}[r.Obeys]
	switch {
	case !r.Known:
		return "not known"
	case claim == "" && r.Source == "":
		return "not known whether it says that it obeys robots.txt"
	case claim == "":
		claim = "does not say whether it obeys robots.txt"
	}
	return fmt.Sprintf("%s: %s, as of %s", claim, r.Source, r.Date)
}

func (r headerReading) verified() string {
	var ways []string
	for _, way := range r.Verify {
		switch way {
		case "ranges":
			ways = append(ways, "its operator publishes address ranges")
		case "dns":
			ways = append(ways, "the names of its addresses can be looked up")
		default:
			ways = append(ways, way)
		}
	}
	if len(ways) == 0 {
		return "no way is known to verify its addresses"
	}
	return strings.Join(ways, "; ")
}
