// Package lint says what is wrong with a robots.txt, or may not be what its author means. Each kind
// of note is a row of a table (kinds.go), with its source and two examples. Some notes are of the
// parser, others are read off the lines (names.go, paths.go, records.go), and some are proved by
// search over machines, with a path that shows it (proved.go).
package lint

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Note is something about one line of a robots.txt. Its texts have the bytes of the file.
type Note struct {
	Line     int    `json:"line"`     // 1-based; 0 if it is about no line
	Kind     string `json:"kind"`     // the name of a Kind
	Severity string `json:"severity"` // note, warning or error
	Note     string `json:"note"`     // what it is, in words
	Text     string `json:"text"`     // the part of the line that it is about
	Witness  string `json:"witness"`  // a path that shows it; "" if there is none
}

// Options say how a robots.txt is read.
type Options struct {
	// Readings are the ways to read it. None stands for RFC 9309's and Google's: then a rule is
	// without effect only if it is in both.
	Readings []policy.Reading
	MaxBytes int // as compile.Options has it
	// Crawlers are the known ones, not nil: see job.Crawlers.
	Crawlers *crawler.Set
	// Sitemap has the URLs of the site's own sitemaps, or paths, each only until the next. Nil is none.
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

	foreign    bool        // it looks like something else, so that there are no notes on its single lines
	controlled map[int]int // how many control tokens a group has
}

// Check returns the notes on a robots.txt, by line.
func Check(body []byte, o Options) []Note {
	l := &linter{o: o, body: body, crawler: namesOf(o.Crawlers), controlled: map[int]int{}}
	if len(o.Readings) == 0 {
		l.o.Readings = []policy.Reading{policy.ReadRFC9309, policy.ReadGoogleWide}
	}
	for _, r := range l.o.Readings {
		l.read = append(l.read, compile.Compile(body, r.Options(o.MaxBytes)))
	}
	if l.ofParser(); !l.isLog() && !l.foreign {
		l.readAgents()
		l.readRules()
		l.readRecords()
		l.readSitemap()
		l.prove()
	}
	slices.SortStableFunc(l.notes, func(x, y Note) int { return cmp.Compare(x.Line, y.Line) })
	return l.notes
}

// add adds a note of a kind. More, unless it is empty, goes on with the kind's sentence.
func (l *linter) add(line int, kind, text, more, witness string) *Note {
	k := byName[kind]
	if more != "" {
		more = "; " + more
	}
	l.notes = append(l.notes, Note{line, kind, k.Severity.String(), k.Sentence + more, text, witness})
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
			drop, more := false, ""
			switch n.Kind {
			case compile.NoteNoField: // to most parsers
				drop = l.foreign || also(compile.NoteNoColon) && !also(compile.NoteUnknownKey)
			case compile.NoteNoColon:
				drop = also(compile.NoteNoField) && also(compile.NoteUnknownKey)
			case compile.NoteUnknownKey:
				drop = l.foreign || also(compile.NoteTypo) || also(compile.NoteNoColon)
				more = meant(nearest(n.Text, knownKeys()))
			case compile.NoteTypo:
				if strings.Contains(n.Text, " ") { // as in "Disallow https://..."
					more = "a colon is missing"
				}
			case compile.NoteOutsideGroup, compile.NoteEmptyGroup, compile.NoteContinued: // others are contested
				drop = has[place{n.Line, n.Kind}] < len(l.read)
			case compile.NoteNUL:
				drop = l.foreign
			case compile.NoteAfterToken:
				drop = l.crawler.kindOfAgent(n.Text) != ""
			}
			if strings.HasPrefix(n.Text, "\u00ef\u00bb\u00bf") {
				more = "it begins with a byte order mark that was encoded twice"
			}
			if !drop && !known[n] {
				known[n] = true
				l.add(n.Line, n.Kind.Name(), n.Text, more, "")
			}
		}
	}
}

// isLog reports whether the file is a log, and then leaves only the note that says so.
func (l *linter) isLog() bool {
	if slices.ContainsFunc(l.read, func(r *compile.Robots) bool { return len(r.Groups) > 0 }) {
		return false
	}
	head := l.body[:min(len(l.body), format.SampleBytes)]
	log, err := format.Detect(head, len(head) == len(l.body))
	if err == nil {
		l.notes = nil
		l.add(1, "log", "", log.Name(), "")
	}
	return err == nil
}

// literal reports whether * and $ are ordinary bytes in the rules.
func (l *linter) literal() bool { return l.o.Readings[0].Dialect() == automaton.Original }
