package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

// headerReading explains how a User-Agent header is read.
type headerReading struct {
	Header string `json:"header"`
	// Crawler is empty if the header names none, and with it Operator, Role and Category.
	Crawler   string `json:"crawler"`
	Known     bool   `json:"known"`
	Operator  string `json:"operator"`
	Role      string `json:"role"`
	Category  string `json:"category"`
	Ambiguous bool   `json:"ambiguous"`
	Nameless  bool   `json:"nameless"`
	Library   bool   `json:"library"`
	// Words lists the words that were considered, in the order of the header.
	Words []headerWord `json:"words"`
	// Tokens may name the crawler in robots.txt, the preferred one first. Wildcard: else groups for * bind it.
	Tokens   []string `json:"tokens"`
	Wildcard bool     `json:"wildcard"`
	// Also lists the tokens of each further product that uses the header.
	Also    [][]string `json:"also"`
	Dialect string     `json:"dialect"` // empty if not known
	Exempt  string     `json:"exempt"`
	// Obeys is the operator's statement on the page Source, as of the day Date.
	Obeys  string `json:"obeys"`
	Source string `json:"source"`
	Date   string `json:"date"`
	// Verify lists how the crawler's addresses can be verified: ranges, dns.
	Verify []string `json:"verify"`
	Why    string   `json:"why"` // explains the result
}

// rewrite returns a copy in which write was called once for each text of the header or of a file of crawlers.
func (r headerReading) rewrite(write report.Rewriter) headerReading {
	write.Texts(&r.Header, &r.Crawler, &r.Operator, &r.Role, &r.Category, &r.Dialect, &r.Exempt, &r.Obeys, &r.Source,
		&r.Date, &r.Why)
	write.Lists(&r.Tokens, &r.Verify)
	report.Each(&r.Also, func(tokens *[]string) { write.Lists(tokens) })
	report.Each(&r.Words, func(w *headerWord) { write.Texts(&w.Word, &w.Crawler, &w.Operator, &w.Why) })
	return r
}

type headerWord struct {
	Byte     int    `json:"byte"` // where it begins, from 1
	Word     string `json:"word"`
	Crawler  string `json:"crawler"`  // empty if not known
	Operator string `json:"operator"` // empty if not known
	Counts   bool   `json:"counts"`
	Why      string `json:"why"`
}

func readHeader(set *crawler.Set, header string) headerReading {
	e := set.Explain([]byte(header))
	r := headerReading{
		Header: header, Crawler: e.Name, Known: e.Profile != nil,
		Ambiguous: e.Ambiguous, Nameless: e.Nameless, Library: e.Library,
		Words: []headerWord{}, Tokens: []string{}, Also: [][]string{}, Verify: []string{},
	}
	var rivals []string
	for _, w := range e.Words {
		word := newHeaderWord(e, header, w)
		r.Words = append(r.Words, word)
		if w.Standing == crawler.Rival {
			rivals = append(rivals, word.Crawler+" of "+word.Operator)
		}
	}
	switch {
	case e.Profile != nil:
		p := *e.Profile
		r.Operator, r.Role, r.Category = p.Operator, cmp.Or(p.Role, "crawler"), p.Category
		r.Tokens, r.Wildcard, r.Also = p.Tokens, !p.IgnoresWildcard, append(r.Also, p.Also...)
		r.Dialect, r.Exempt, r.Obeys, r.Source, r.Date = p.Dialect, p.Exempt, p.Obeys, p.Source, p.Date
		if p.Verify != "" {
			r.Verify = strings.Split(p.Verify, ",")
		}
		switch {
		case len(rivals) > 0:
			r.Why = "ambiguous: the header also names " + strings.Join(rivals, " and ") +
				". Requests are undecided, unless their address " +
				"verifies one of them, and are counted under the first"
		case e.Foreign:
			r.Why = fmt.Sprintf("ambiguous: the header has %q, which is no word of %s, so its client may be another. "+
				"Requests are undecided, unless their address verifies %s", e.Product, p.Operator, p.Name)
		default:
			r.Why = "a word of a known crawler counts"
		}
	case e.Name != "":
		r.Tokens, r.Wildcard, r.Obeys = e.Tokens(), true, "unknown"
		r.Why = "no word of a known crawler counts, but a word looks like the name of a crawler"
		if e.Nameless {
			r.Why = "no word is a name, but a word says that the client is a crawler. " +
				"All crawlers without a name are counted as one"
		}
		if e.Overlong {
			r.Tokens = []string{}
			r.Why += ". It is too long to be told from other headers: requests are undecided"
		}
	default:
		r.Why = whyNone(set, header, e)
	}
	return r
}

func newHeaderWord(e crawler.Explanation, header string, w crawler.Word) headerWord {
	out := headerWord{Byte: w.Start + 1, Word: header[w.Start:w.End]}
	out.Counts = w.Standing == crawler.Names || w.Standing == crawler.Rival || w.Standing == crawler.Bare && e.Nameless ||
		w.Standing == crawler.NutchUser || w.Standing == crawler.PageOwner
	if w.Profile != nil {
		out.Crawler, out.Operator = w.Profile.Name, w.Profile.Operator
	}
	switch {
	case w.Standing == crawler.LessSpecific:
		out.Why = "no more specific than " + moreSpecific(e, header, w) + ", which counts"
	case w.Standing == crawler.Added:
		out.Why = "what the crawler that counts is made with, or its operator adds to its headers"
	case w.Standing != crawler.Names:
		out.Why = strings.ReplaceAll(standings[w.Standing], "STEM", w.Stem)
	case e.Ambiguous:
		out.Why = "the crawler as which the client is counted"
	case w.Profile != nil:
		out.Why = "the crawler that the client claims to be"
	case w.Start == 0:
		out.Why = fmt.Sprintf("contains %q and more, and the header begins with it", w.Stem)
	case e.Contact == nil:
		out.Why = fmt.Sprintf("contains %q and more, and is directly after \"(compatible; \"", w.Stem)
	default:
		out.Why = fmt.Sprintf("contains %q and more, and the header has %s", w.Stem, string(e.Contact))
	}
	return out
}

// standings explain why a word counts or doesn't. STEM is the part that many crawlers' names contain.
var standings = map[crawler.Standing]string{
	crawler.InContact:  "in a URL or an e-mail address, which names a page and not the client",
	crawler.BehindLike: `after "like ", which names another program`,
	crawler.Rival:      "a crawler of another operator, which makes the header ambiguous",
	crawler.Bare:       "says that the client is a crawler, but not which one",
	crawler.NoContact: `contains "STEM", but the header does not begin with it, does not have it directly after ` +
		`"(compatible; ", and has no URL and no e-mail address`,
	crawler.Control: controlToken,
	crawler.Device:  "where a browser on Android names its device",
	crawler.App: `contains "STEM", but the header belongs to an app on an Apple device (CFNetwork), ` +
		`without a URL`,
	crawler.Software:  "the name of a library or an app, or in the header of an app on a phone, which a person runs",
	crawler.NutchUser: `what stands before "/Nutch-", where Apache Nutch writes the name that its user gave`,
	crawler.PageOwner: `no word is a crawler's, but the header has a page called "STEM", and this says whose it is`,
	crawler.Later:     `contains "STEM", but after another word that does`,
}

const controlToken = "a control token: it is for robots.txt only, no client sends it as its name, " +
	"and no log shows whether it is obeyed"

// moreSpecific returns the word of the same operator that counts.
func moreSpecific(e crawler.Explanation, header string, than crawler.Word) string {
	for _, w := range e.Words {
		if w.Profile.Operator == than.Profile.Operator && (w.Standing == crawler.Names || w.Standing == crawler.Rival) {
			return header[w.Start:w.End]
		}
	}
	return ""
}

// whyNone explains why a header names no crawler. The headers of browsers never name one.
func whyNone(set *crawler.Set, header string, e crawler.Explanation) string {
	p := set.ByName(strings.TrimSpace(header)) // a name can have several words
	if i := slices.IndexFunc(e.Words, func(w crawler.Word) bool { return w.Standing == crawler.Control }); i >= 0 {
		p = e.Words[i].Profile
	}
	switch {
	case p != nil && p.Control:
		return fmt.Sprintf("%s of %s is %s", p.Name, p.Operator, controlToken)
	case e.Library:
		return fmt.Sprintf("the header begins with %s, an HTTP library or client that anybody may use; "+
			"its requests are counted apart among those that are not of crawlers", string(e.Product))
	case len(e.Words) > 0:
		return "none of these words counts; a client that does not claim to be a crawler is never counted as one"
	}
	return "no word belongs to a known crawler, and none outside URLs and e-mail addresses contains bot, spider, " +
		"crawl, scrap, fetch or nutch; " +
		"a client that does not claim to be a crawler, as no browser does, is never counted as one, " +
		"whatever it requests"
}
