package compile

import (
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// Record is a field that is neither a user agent nor a rule: a sitemap, a crawl
// delay, or something that only some crawlers know. It has no effect on any
// verdict.
type Record struct {
	Line       int    // 1-based
	Key, Value string // as in the file, trimmed
	// Group is the index of the group that the line stands in, -1 if it stands
	// outside all groups. Sitemaps belong to the file whatever group they stand in
	// (RFC 9309 2.2.4).
	Group int
}

// split cuts a line, free of comments and outer white space, into the key and
// the value of a field. Google's parser also accepts two words without a colon.
func (p *parser) split(line string) (key, value string, ok bool) {
	key, value, ok = cutAt(line, ':')
	if p.colon = ok; !ok && p.row.optionalColon {
		if key, value, ok = twoWords(line); ok {
			p.note(NoteNoColon, line)
		}
	}
	key = trim(key)
	return key, trim(value), ok && key != ""
}

// twoWords splits a line that is two runs of anything but spaces and tabs.
func twoWords(line string) (first, second string, ok bool) {
	const blank = " \t"
	at := strings.IndexAny(line, blank)
	if at < 0 {
		return "", "", false
	}
	second = strings.TrimLeft(line[at:], blank)
	return line[:at], second, second != "" && !strings.ContainsAny(second, blank)
}

// standardField acts on a line if it is a field with a key of the standard, with the colon directly
// after it. Nearly all lines are, and are known by their first eight bytes.
func (p *parser) standardField(line string) bool {
	const (
		octets    = 8
		lowerCase = 0x2020202020202020
		allow     = 'a' | 'l'<<8 | 'l'<<16 | 'o'<<24 | 'w'<<32
		disallow  = 'd' | 'i'<<8 | 's'<<16 | 'a'<<24 | 'l'<<32 | 'l'<<40 | 'o'<<48 | 'w'<<56
		userAge   = 'u' | 's'<<8 | 'e'<<16 | 'r'<<24 | '-'<<32 | 'a'<<40 | 'g'<<48 | 'e'<<56
	)
	if len(line) < octets || p.quotes {
		return false
	}
	// Nothing but these letters and the hyphen becomes one of them, except for a CR, which is in no line.
	first := table.FirstOctets(octetsOf(line[:octets])) | lowerCase
	switch {
	case first == disallow && len(line) > octets && line[octets] == ':':
		p.rule(false, trim(line[octets+1:]))
	case first&(1<<40-1) == allow && line[len("allow")] == ':':
		p.rule(true, trim(line[len("allow:"):]))
	case first == userAge && hasPrefixFold(line[octets:], "nt:"):
		p.agent(trim(line[len("user-agent:"):]))
	default:
		return false
	}
	return true
}

// keys are the keys of the standard, and after them the other spellings that Google's
// parser accepts. To that parser, a key is known if it begins with one of these.
var keys = []struct {
	spelling string
	act      func(p *parser, value string)
}{
	{"user-agent", (*parser).agent}, {"allow", (*parser).allow}, {"disallow", (*parser).disallow},
	{"useragent", (*parser).agent}, {"user agent", (*parser).agent},
	{"dissallow", (*parser).disallow}, {"dissalow", (*parser).disallow}, {"disalow", (*parser).disallow},
	{"diasllow", (*parser).disallow}, {"disallaw", (*parser).disallow},
}

const standardKeys = 3

// The typographic quotation marks begin with these bytes. The mark \u2019 is not among them: it is
// the apostrophe of paths such as /it’s.
const (
	quotePrefix = "\xe2\x80"
	quotes      = "\u2018\u201c\u201d"
)

// field acts on one field.
func (p *parser) field(key, value string) {
	if p.quotes && strings.ContainsAny(value, quotes) {
		p.note(NoteCurlyQuotes, value)
	}
	for i := range keys {
		k := &keys[i]
		standard := i < standardKeys && len(key) == len(k.spelling)
		if (standard || p.row.lenientKeys) && hasPrefixFold(key, k.spelling) {
			if !standard {
				p.note(NoteTypo, key)
			}
			k.act(p, value)
			return
		}
	}
	p.record(key, value)
}

// knownKeys are the keys of records in common use, which deserve no note.
var knownKeys = []string{
	"sitemap", "site-map", "request-rate", "visit-time", "host", "clean-param",
	"content-signal", "content-usage", "license", "noindex", "nofollow", "noarchive", "domain", "revisit-after",
}

func (p *parser) record(key, value string) {
	group := -1
	if p.inside {
		group = len(p.starts) - 1
	}
	p.apart = true
	p.endRun()
	if p.question != nil {
		return
	}
	p.records = append(p.records, Record{Line: p.line, Key: key, Value: value, Group: group})
	switch {
	case equalFold(key, "crawl-delay"):
		p.noteDelay()
	case !slices.ContainsFunc(knownKeys, func(known string) bool { return equalFold(key, known) }):
		p.note(NoteUnknownKey, key)
	}
}

// endRun notes that another record with a colon follows a user-agent line, and ends the run of
// these lines if that is asked for.
func (p *parser) endRun() {
	if !p.colon || !p.open {
		return
	}
	p.other = true
	if p.o.EndRuns {
		p.open = false
	}
}

// noteDelay notes that a Crawl-delay is in a group for a crawler of Google, whose product
// tokens all have this word. It looks at each user-agent line once, however many delays follow.
func (p *parser) noteDelay() {
	if !p.inside {
		return
	}
	begin := p.starts[len(p.starts)-1].agents
	for p.looked = max(p.looked, begin); p.looked < len(p.agents); p.looked++ {
		if p.google <= begin && strings.Contains(strings.ToLower(p.agents[p.looked].Token), "google") {
			p.google = p.looked + 1
		}
	}
	if p.google > begin {
		p.note(NoteDelayForGoogle, p.agents[p.google-1].Value)
	}
}
