// Package lint reports what is wrong with a robots.txt, or may not be what its author means. Each kind
// of note is a row of a table (kinds.go), with its source and two examples. Some notes come from the
// parser, others from the lines (names.go, paths.go, records.go), and some are proved by
// searching machines for an example path (proved.go).
package lint

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/reading"
)

// Note is a remark on one line of a robots.txt, or on several with the same fault. Its texts
// are raw bytes of the file.
type Note struct {
	Line     int    `json:"line"`     // the first, 1-based; 0 if it concerns no line
	Kind     string `json:"kind"`     // the name of a Kind
	Severity string `json:"severity"` // note, warning or error
	Note     string `json:"note"`     // the note, in words
	Text     string `json:"text"`     // the part of the first line that it concerns
	Witness  string `json:"witness"`  // an example path; "" if there is none
	Lines    []int  `json:"lines"`    // all lines that it concerns, in order
	// Texts are the parts of the lines, without duplicates: at most MaxTexts.
	Texts []string `json:"texts"`
}

// MaxTexts is the maximum number of texts in a Note.
const MaxTexts = 100

// Options say how a robots.txt is read.
type Options struct {
	// Readings are the ways to read it. The default is RFC 9309's and Google's: then a rule is
	// without effect only if both agree.
	Readings []reading.Reading
	MaxBytes int // as compile.Options has it
	// Crawlers are the known ones, not nil: see job.Crawlers.
	Crawlers *crawler.Set
	// Crossings also notes rules that conflict with a wildcard rule as intended, or only on paths that
	// hardly any site has.
	Crossings bool
	// LogOf names the log format that a file without groups is in, "" if none. It may be nil.
	LogOf func(body []byte) string
	// Sitemap yields the URLs of the site's own sitemaps, or paths, each valid until the next. It may be nil.
	Sitemap iter.Seq[[]byte]
}

// linter is the state of Check.
type linter struct {
	o       Options
	body    []byte
	read    []*compile.Robots // by each of the readings
	crawler *names
	notes   []Note
	scratch automaton.Scratch

	foreign    bool        // it looks like something else, so its single lines get no notes
	controlled map[int]int // the number of control tokens of a group
}

// Check returns the notes on a robots.txt, by line.
func Check(body []byte, o Options) []Note {
	l := &linter{o: o, body: body, crawler: namesOf(o.Crawlers), controlled: map[int]int{}}
	if len(o.Readings) == 0 {
		l.o.Readings = []reading.Reading{reading.ReadRFC9309, reading.ReadGoogleWide}
	}
	for _, r := range l.o.Readings {
		l.read = append(l.read, compile.Compile(body, r.Options(o.MaxBytes)))
	}
	l.ofParser()
	if !l.isLog() && !l.foreign {
		l.readAgents()
		l.readRules()
		l.readRecords()
		l.readSitemap()
		l.prove()
	}
	slices.SortStableFunc(l.notes, func(x, y Note) int { return cmp.Compare(x.Line, y.Line) })
	return together(l.notes)
}

// together merges notes that say the same of several lines. The notes are sorted by line.
func together(notes []Note) (list []Note) {
	type saying struct{ kind, severity, note, witness string }
	places := map[saying]int{}
	for _, n := range notes {
		key := saying{n.Kind, n.Severity, n.Note, n.Witness}
		at, known := places[key]
		if !known {
			at, list = len(list), append(list, n)
			places[key] = at
		}
		all := &list[at]
		if len(all.Lines) == 0 || all.Lines[len(all.Lines)-1] != n.Line {
			all.Lines = append(all.Lines, n.Line)
		}
		if len(all.Texts) < MaxTexts && !slices.Contains(all.Texts, n.Text) {
			all.Texts = append(all.Texts, n.Text)
		}
	}
	return list
}

// add adds a note of a kind. More, unless it is empty, continues the kind's sentence.
func (l *linter) add(line int, kind, text, more, witness string) *Note {
	k := byName()[kind]
	if more != "" {
		more = "; " + more
	}
	l.notes = append(l.notes, Note{Line: line, Kind: kind, Severity: k.Severity.String(), Note: k.Sentence + more,
		Text: text, Witness: witness})
	return &l.notes[len(l.notes)-1]
}

// ofParser adds the notes of the parser, each once.
func (l *linter) ofParser() {
	type place struct {
		line int
		kind compile.NoteKind
	}
	has, known := map[place]int{}, map[compile.Note]bool{} // has counts readings
	for _, r := range l.read {
		for _, n := range r.Notes {
			has[place{n.Line, n.Kind}]++
			l.foreign = l.foreign || len(r.Groups) == 0 && (n.Kind == compile.NoteMarkup || n.Kind == compile.NoteUTF16)
		}
	}
	for _, r := range l.read {
		for _, n := range r.Notes {
			also := func(kind compile.NoteKind) bool { return has[place{n.Line, kind}] > 0 }
			drop, more, severity, kind := false, "", n.Kind.Severity(), n.Kind.Name()
			switch n.Kind {
			case compile.NoteNoField: // to most parsers
				drop = l.foreign || also(compile.NoteNoColon) && !also(compile.NoteUnknownKey)
			case compile.NoteNoColon:
				drop = also(compile.NoteNoField) && also(compile.NoteUnknownKey)
			case compile.NoteUnknownKey:
				drop = l.foreign || also(compile.NoteTypo) || also(compile.NoteNoColon)
				like := nearest(n.Text, knownKeys())
				more = meant(like)
				if slices.Contains(ruleKeys, like) {
					severity = compile.SeverityError
				}
			case compile.NoteTypo:
				if lacksColon().MatchString(n.Text) { // as in "Disallow https://..."
					more = "a colon is missing"
				}
			case compile.NoteOutsideGroup, compile.NoteEmptyGroup, compile.NoteContinued: // others are contested
				drop = has[place{n.Line, n.Kind}] < len(l.read)
			case compile.NoteNUL:
				drop = l.foreign
			case compile.NoteAfterToken:
				drop = l.crawler.kindOfAgent(n.Text) != ""
			}
			switch isLine := n.Kind == compile.NoteNoField || n.Kind == compile.NoteUnknownKey; {
			case strings.HasPrefix(n.Text, "\u00ef\u00bb\u00bf"):
				more = "it begins with a byte order mark that was encoded twice"
			case isLine && strings.HasPrefix(n.Text, "\ufeff"):
				n.Kind, kind, severity, more = 0, "bom-inside", compile.SeverityError, "" // whatever follows it
			}
			if !drop && !known[n] {
				known[n] = true
				l.add(n.Line, kind, n.Text, more, "").Severity = severity.String()
			}
		}
	}
}

// isLog reports whether the file is a log, and then keeps only the note about that.
func (l *linter) isLog() bool {
	hasGroups := func(r *compile.Robots) bool { return len(r.Groups) > 0 }
	if l.o.LogOf == nil || slices.ContainsFunc(l.read, hasGroups) {
		return false
	}
	name := l.o.LogOf(l.body)
	if name != "" {
		l.notes = nil
		l.add(1, "log", "", name, "")
	}
	return name != ""
}

// literal reports whether * and $ are ordinary bytes in rules.
func (l *linter) literal() bool { return l.o.Readings[0].Dialect() == automaton.Original }
