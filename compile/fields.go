package compile

import (
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// Record is a field that is neither a user agent nor a rule, such as a sitemap or a crawl delay. It
// does not affect verdicts.
type Record struct {
	Line       int    // 1-based
	Key, Value string // as in the file, trimmed
	// Group is the index of the group in which the line stands, or -1 outside all groups. Sitemaps
	// apply to the whole file wherever they stand (RFC 9309 2.2.4).
	Group int
}

// split splits a line without comments and outer white space into the key and value of a field.
// Google's parser also accepts two words without a colon.
func (p *parser) split(line string) (key, value string, ok bool) {
	key, value, ok = cutAt(line, ':')
	p.colon = ok
	if !ok && p.row.optionalColon {
		if key, value, ok = twoWords(line); ok {
			p.note(NoteNoColon, line)
		}
	}
	key = trim(key)
	return key, trim(value), ok && key != ""
}

// twoWords splits a line that consists of two runs of bytes other than spaces and tabs.
func twoWords(line string) (first, second string, ok bool) {
	const blank = " \t"
	at := strings.IndexAny(line, blank)
	if at < 0 {
		return "", "", false
	}
	second = strings.TrimLeft(line[at:], blank)
	return line[:at], second, second != "" && !strings.ContainsAny(second, blank)
}

// standardField handles a line whose key is in the standard and directly followed by the colon.
// Nearly all lines are like that, and their first eight bytes identify the key.
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
	// Only these letters and the hyphen have these values, apart from CR, which doesn't occur in
	// lines.
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

// keys are the keys of the standard, followed by the other spellings that Google's parser accepts.
// That parser knows a key if it begins with one of these.
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

// The typographic quotation marks begin with these bytes. The mark \u2019 isn't among them, because
// it is the apostrophe in paths such as /it’s.
const (
	quotePrefix = "\xe2\x80"
	quotes      = "\u2018\u201c\u201d"
)

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

// knownKeys are common keys of records, which need no note.
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

// endRun notes that a record with a colon follows a user-agent line, and ends the run of user-agent
// lines if Options.EndRuns is set.
func (p *parser) endRun() {
	if !p.colon || !p.open {
		return
	}
	p.other = true
	if p.o.EndRuns {
		p.open = false
	}
}

// noteDelay notes a Crawl-delay in a group for a crawler of Google; all its product tokens contain
// this word. Each user-agent line is checked once, however many delays follow.
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
