package lint

import (
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/preference"
)

// Kind is a kind of note. Its name is stable.
type Kind struct {
	Name     string
	Severity compile.Severity // the lowest severity of its notes
	Sentence string
	Source   string // the section or page that supports the sentence
	// Bad is a robots.txt with a note of the kind on Line; Good is similar, without the note.
	Bad  string
	Line int
	Good string
}

// Kinds returns all kinds. It must not be changed.
func Kinds() []Kind { return withLongest() }

// withLongest returns kinds with the examples that are too long to be made at every start.
var withLongest = sync.OnceValue(func() []Kind {
	all := slices.Clone(kinds)
	for i := range all {
		switch all[i].Name {
		case compile.NoteTruncated.Name():
			all[i].Bad = rule + "#" + strings.Repeat("x", compile.DefaultMaxBytes) + "\nAllow: /shop/a\n"
		case compile.NoteLongLine.Name():
			all[i].Bad = rule + "Disallow: /" + strings.Repeat("x", 16_700) + "\n"
		case notDecided:
			all[i].Bad = everybody + "Disallow: /" + strings.Repeat("x", 8000) + "\nAllow: /*" +
				strings.Repeat("x", 7990) + "y\n"
		}
	}
	return all
})

var byName = sync.OnceValue(func() map[string]*Kind {
	m := map[string]*Kind{}
	for i := range kinds {
		m[kinds[i].Name] = &kinds[i]
	}
	return m
})

// of makes the row of a kind that the parser finds, with its sentence.
func of(kind compile.NoteKind, source, bad string, line int, good string) Kind {
	return Kind{kind.Name(), kind.Severity(), kind.String(), source, bad, line, good}
}

const (
	asNote    = compile.SeverityNote
	asWarning = compile.SeverityWarning
	asError   = compile.SeverityError

	rfc         = "https://www.rfc-editor.org/rfc/rfc9309#section-"
	rfcAgents   = rfc + "2.2.1"
	rfcRules    = rfc + "2.2.2"
	rfcSpecial  = rfc + "2.2.3"
	rfcRecords  = rfc + "2.2.4"
	rfcSyntax   = rfc + "2.2"
	rfcFile     = rfc + "2.3"
	rfcLimits   = rfc + "2.5"
	rfcSecurity = rfc + "3"
	googlePage  = "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec"
	googleCode  = "https://github.com/google/robotstxt"
	notes2019   = "https://developers.google.com/search/blog/2019/07/a-note-on-unsupported-rules"
	sitemaps    = "https://www.sitemaps.org/protocol.html#submit_robots"
	profiles    = "https://github.com/robotsieve/robotsieve/blob/main/scan/crawler/crawlers.json"
	bounds      = "https://github.com/robotsieve/robotsieve/blob/main/docs/reference/notes.md"
	signals     = "https://contentsignals.org/"
	licenses    = "https://rslstandard.org/guide"
	managed     = "https://developers.cloudflare.com/bots/additional-configurations/managed-robots-txt/"
	usage       = "https://datatracker.ietf.org/doc/draft-ietf-aipref-attach/"

	notDecided = "not-decided"

	everybody = "User-agent: *\n"
	rule      = everybody + "Disallow: /shop/\n"
)

// kinds has a row for each kind: for the file, user-agent lines, paths, other lines, and then
// those that are proved.
var kinds = []Kind{
	of(compile.NoteByteOrderMark, googlePage, "\ufeff"+rule, 1, rule),
	{"bom-inside", asError, "byte order mark inside the file, where parsers take it for a part of the key; some text " +
		"was put " +
		"in front of a file that began with it", googlePage, rule + "\n\ufeffUser-agent: GPTBot\nDisallow: /\n", 4,
		"\ufeff" + rule},
	of(compile.NoteMarkup, rfcFile, "<!doctype html>\n<title>Not found</title>\n", 1, rule),
	of(compile.NoteUTF16, rfcFile, "\xff\xfeU\x00s\x00", 1, rule),
	{"log", asError, "looks like a log, not a robots.txt", rfcFile,
		`192.0.2.1 - - [26/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "GPTBot/1.2"` + "\n", 1, rule},
	of(compile.NoteTruncated, rfcLimits, "", 3, rule), // Kinds adds this and other long examples
	of(compile.NoteLongLine, googleCode, "", 3, rule),
	of(compile.NoteNUL, googleCode, everybody+"Disallow: /a\x00b\n", 2, rule),
	of(compile.NoteNoField, rfcSyntax, rule+"keep out\n", 3, rule+"# keep out\n"),
	of(compile.NoteNoColon, googleCode, everybody+"Disallow /shop/\n", 2, rule),
	of(compile.NoteTypo, googleCode, everybody+"Dissallow: /shop/\n", 2, rule),
	of(compile.NoteUnknownKey, rfcRecords, rule+"Dizallow: /a\n", 3, rule+"Crawl-delay: 5\n"),
	of(compile.NoteCurlyQuotes, rfcSyntax, everybody+"Disallow: \u201c/shop/\u201d\n", 2, rule),

	of(compile.NoteOutsideGroup, rfcSyntax, "Disallow: /shop/\nUser-agent: *\nDisallow: /a/\n", 1, rule),
	of(compile.NoteNoToken, rfcAgents, "User-agent:\nDisallow: /shop/\n", 1, rule),
	of(compile.NoteAfterToken, rfcAgents, "User-agent: Googlebot*\nDisallow: /shop/\n", 1,
		"User-agent: Googlebot/2.1\nDisallow: /shop/\n"),
	{"several-names", asError, "several names in one user-agent line, which binds none of them by RFC 9309's grammar",
		rfcAgents, "User-agent: GPTBot, CCBot\nDisallow: /\n", 1, "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n"},
	{"whole-header", asWarning, "more of a User-Agent header than the product token", rfcAgents,
		"User-agent: Mozilla/5.0 (compatible; GPTBot/1.2)\nDisallow: /\n", 1, "User-agent: GPTBot/1.2\nDisallow: /\n"},
	{"unknown-name", asNote, "no known crawler has this product token", profiles, "User-agent: GPT-Bot\nDisallow: /\n", 1,
		"User-agent: GPTBot\nDisallow: /\n"},
	{"other-operator", asNote, "names a crawler of another operator than may be meant", profiles,
		"User-agent: AdsBot\nDisallow: /\n", 1, "User-agent: AdsBot-Google\nDisallow: /\n"},
	{"control-token", asNote, "the token only says what may be done with pages; they are fetched by a crawler of " +
		"another name", profiles, "User-agent: Google-Extended\nDisallow: /\n", 1, "User-agent: Googlebot\nDisallow: /\n"},
	{"not-obeyed", asWarning, "its operator says that robots.txt may not apply to it", profiles,
		"User-agent: ChatGPT-User\nDisallow: /\n", 1, "User-agent: GPTBot\nDisallow: /\n"},
	{"repeated-group", asWarning, "another group for the same product token; RFC 9309 joins them, but some parsers read " +
		"only one", rfcAgents, rule + "\nUser-agent: *\nDisallow: /cart/\n", 4, rule + "Disallow: /cart/\n"},
	of(compile.NoteEmptyGroup, rfcSyntax, rule+"\nUser-agent: GPTBot\n", 4, rule+"\nUser-agent: GPTBot\nDisallow:\n"),
	of(compile.NoteContinued, rfcSyntax, "User-agent: GPTBot\n\nUser-agent: CCBot\nDisallow: /\n", 3,
		"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n"),

	of(compile.NoteNoSlash, rfcRules, everybody+"Disallow: shop/\n", 2, rule),
	of(compile.NoteFullURL, rfcRules, everybody+"Disallow: https://example.com/shop/\n", 2, rule),
	of(compile.NoteHash, rfcSpecial, everybody+"Disallow: /#/shop\n", 2, rule),
	of(compile.NoteSpaceInPattern, rfcRules, everybody+"Disallow: /my shop/\n", 2, everybody+"Disallow: /my%20shop/\n"),
	of(compile.NoteNotUTF8, rfcFile, everybody+"Disallow: /caf\xe9/\n", 2, everybody+"Disallow: /caf%C3%A9/\n"),
	{"encoding", asNote, "not spelled as in a URL, in which parsers differ", googlePage,
		everybody + "Disallow: /caf\u00e9/\n", 2, everybody + "Disallow: /caf%C3%A9/\n"},
	{"not-at-end", asWarning, "$ means the end of a path only as the last character; here it stands for itself",
		rfcSpecial, everybody + "Disallow: /*.pdf$?\n", 2, everybody + "Disallow: /*.pdf$\n"},
	{"missing-slash", asNote, "also forbids every other path that begins like this", rfcRules,
		everybody + "Disallow: /shop\nDisallow: /shop/\n", 2, rule},
	{"case", asNote, "differs from another rule in case alone, which counts in paths", rfcRules,
		rule + "Disallow: /Shop/\n", 3, rule + "Disallow: /Cart/\n"},
	{"private-exposed", asNote, "tells every reader of robots.txt where to look", rfcSecurity,
		everybody + "Disallow: /backup/\n", 2, rule},

	{"several-sitemaps", asError, "several URLs in one Sitemap line; each needs a line of its own", sitemaps,
		rule + "Sitemap: https://example.com/a.xml https://example.com/b.xml\n", 3,
		rule + "Sitemap: https://example.com/a.xml?u=https://example.com/b\n"},
	{"placeholder", asError, "a placeholder or markup that was left in; no URL has < > { }", sitemaps,
		rule + "Sitemap: https://{{ domain }}/sitemap.xml\n", 3, rule + "Sitemap: https://example.com/sitemap.xml\n"},
	{"relative-sitemap", asError, "not a full URL", sitemaps, rule + "Sitemap: /sitemap.xml\n", 3,
		rule + "Sitemap: https://example.com/sitemap.xml\n"},
	{"wildcard-sitemap", asError, "a sitemap cannot be named with a wildcard", sitemaps,
		rule + "Sitemap: https://example.com/sitemap*.xml\n", 3, rule + "Sitemap: https://example.com/sitemap1.xml\n"},
	{"crawl-delay-not-a-number", asWarning, "not a number of seconds", rfcRecords, rule + "Crawl-delay: 5s\n", 3,
		rule + "Crawl-delay: 0.5\n"},
	of(compile.NoteDelayForGoogle, googlePage, "User-agent: Googlebot\nDisallow: /shop/\nCrawl-delay: 5\n", 3,
		"User-agent: bingbot\nDisallow: /shop/\nCrawl-delay: 5\n"),
	{"not-supported", asWarning, "a line that search engines do not read", notes2019, rule + "Noindex: /shop/\n", 3, rule},
	{"signal-outside-group", asWarning, "stands in no group, so that it is for no crawler", signals,
		"Content-Signal: ai-train=no\n\n" + rule, 1, everybody + "Content-Signal: ai-train=no\nDisallow: /shop/\n"},
	{"signal-misplaced", asWarning, "stands between user-agent lines, where parsers differ on which of them it is for",
		usage, "User-agent: GPTBot\nContent-Usage: train-ai=n\nUser-agent: CCBot\nDisallow: /\n", 2,
		"User-agent: GPTBot\nUser-agent: CCBot\nContent-Usage: train-ai=n\nDisallow: /\n"},

	{preference.UnknownUse, asWarning, "a key that the signal does not have, so that it states nothing", signals,
		everybody + "Content-Signal: ai-retrieval=no\nDisallow: /shop/\n", 2,
		everybody + "Content-Signal: ai-input=no\nDisallow: /shop/\n"},
	{preference.WrongValue, asWarning, "a value that the signal does not have, so that it states nothing", usage,
		everybody + "Content-Usage: train-ai=no\nDisallow: /shop/\n", 2,
		everybody + "Content-Usage: train-ai=n\nDisallow: /shop/\n"},
	{preference.Contradiction, asWarning, "contradicts another line for the same crawler, so that readers may differ",
		usage, everybody + "Content-Signal: search=yes\nContent-Signal: search=no\nDisallow: /shop/\n", 3,
		everybody + "Content-Signal: search=yes\nContent-Signal: ai-train=no\nDisallow: /shop/\n"},
	{preference.NotURL, asWarning, "not a full URL, so that no license is stated", licenses,
		rule + "License: /license.xml\n", 3, rule + "License: https://example.com/license.xml\n"},
	{"generated-block", asNote, "a CDN puts these lines in front of the site's own file, whose copy on the server or in " +
		"a repository lacks them", managed,
		"# BEGIN Cloudflare Managed content\nUser-agent: GPTBot\nDisallow: /\n# END Cloudflare Managed Content\n" + rule,
		1, "# Cloudflare manages content\n" + rule},

	{"dead-rule", asNote, "this rule has no effect", rfcRules, rule + "Disallow: /shop/cart/\n", 3,
		rule + "Allow: /shop/cart/\n"},
	{"contradicted", asNote, "on some of its paths another rule decides the opposite", rfcRules,
		everybody + "Allow: /docs/\nDisallow: /*.pdf$\n", 2, everybody + "Disallow: /docs/\n"},
	{"contested", asNote, "parsers differ on a path", googleCode, everybody + "Dissallow: /shop/\n", 2, rule},
	{"star-not-for-named", asNote, "a group for a name is in place of that for *, not beside it", rfcAgents,
		rule + "\nUser-agent: GPTBot\nDisallow: /cart/\n", 4,
		rule + "\nUser-agent: GPTBot\nDisallow: /cart/\nDisallow: /shop/\n"},
	{"blocks-sitemap", asWarning, "forbids what a sitemap of the site lists, to crawlers without a name or to a " +
		"search engine", sitemaps, everybody + "Disallow: /about\n", 2, rule + "Allow: /shop/a\n"},
	{"everything-forbidden", asWarning, "no crawler may fetch anything", rfcRules, everybody + "Disallow: /\n", 2, rule},
	{notDecided, asNote, "some searches ended at their bound, so that notes may be missing", bounds, "", 2, rule},
}
