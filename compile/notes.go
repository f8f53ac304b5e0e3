package compile

import "fmt"

// Note is a remark on a line that may not do what its author meant.
type Note struct {
	Line int      // 1-based
	Kind NoteKind // the subject of the note
	// Text is the part of the line in question, unescaped: escape it before printing.
	Text string
}

// NoteKind is the kind of a Note. The zero value is not a valid kind.
type NoteKind uint8

// The kinds of notes.
const (
	NoteByteOrderMark NoteKind = iota + 1
	NoteMarkup
	NoteUTF16
	NoteTruncated
	NoteLongLine
	NoteNUL
	NoteNoField
	NoteNoColon
	NoteTypo
	NoteUnknownKey
	NoteOutsideGroup
	NoteNoToken
	NoteAfterToken
	NoteNoSlash
	NoteSpaceInPattern
	NoteNotUTF8
	NoteHash
	NoteFullURL
	NoteCurlyQuotes
	NoteEmptyGroup
	NoteContinued
	NoteDelayForGoogle
)

// Severity is the importance of a note. The zero value is not a valid severity.
type Severity uint8

const (
	// SeverityNote marks lines that probably do what their author meant.
	SeverityNote Severity = iota + 1
	// SeverityWarning marks lines that parsers read differently, or that do not do what most authors
	// expect.
	SeverityWarning
	// SeverityError marks lines that, wholly or in part, have no effect or another one than they seem
	// to have.
	SeverityError
)

// String returns note, warning or error.
func (s Severity) String() string {
	return [...]string{"no severity", "note", "warning", "error"}[min(s, SeverityError)]
}

var noteKinds = [...]struct {
	name     string
	severity Severity
	text     string
}{
	NoteByteOrderMark: {"bom", SeverityNote, "byte order mark, ignored"},
	NoteMarkup:        {"html", SeverityError, "begins like a web page, not a robots.txt"},
	NoteUTF16:         {"utf-16", SeverityError, "looks like UTF-16, so that no line of it can be read; save it as UTF-8"},
	NoteTruncated:     {"past-limit", SeverityError, "past the size limit; this line and all after it are not read"},
	NoteLongLine: {"line-too-long", SeverityWarning, "line longer than 16,663 bytes; " +
		"Google's parser does not read its end"},
	NoteNUL:          {"nul", SeverityError, "NUL byte; Google's parser reads the line up to it, others drop the line"},
	NoteNoField:      {"no-field", SeverityError, "no field (key: value)"},
	NoteNoColon:      {"no-colon", SeverityError, "colon missing; accepted by Google's parser only"},
	NoteTypo:         {"misspelled-key", SeverityError, "key misspelled; accepted by Google's parser only"},
	NoteUnknownKey:   {"unknown-key", SeverityWarning, "unknown key"},
	NoteOutsideGroup: {"late-user-agent", SeverityError, "rule outside a group; it binds no crawler"},
	NoteNoToken:      {"no-token", SeverityError, "user agent without a product token; by RFC 9309 it binds no crawler"},
	NoteAfterToken: {"after-token", SeverityWarning, "user agent with more than a product token; " +
		"only the token at its beginning counts"},
	NoteNoSlash: {"no-slash", SeverityError, "path begins neither with / nor with a wildcard; it never matches"},
	NoteSpaceInPattern: {"space-in-path", SeverityError, "path with a space or control character; " +
		"Google's parser compares it, RFC 9309 does not allow it"},
	NoteNotUTF8: {"not-utf8", SeverityError, "path is not UTF-8; " +
		"Google's parser compares it, RFC 9309 does not allow it"},
	NoteHash:        {"hash-in-path", SeverityError, "# begins a comment; only the path before it counts"},
	NoteFullURL:     {"full-url", SeverityError, "a URL where a path must be; it never matches"},
	NoteCurlyQuotes: {"curly-quotes", SeverityError, "typographic quotation marks; they count as part of the value"},
	NoteEmptyGroup:  {"no-rules", SeverityWarning, "group without a rule; it forbids nothing"},
	NoteContinued: {"run-together", SeverityWarning, "the user-agent lines above have no rule of their own; " +
		"they are in one group with this one"},
	NoteDelayForGoogle: {"crawl-delay-for-google", SeverityNote, "Google's crawlers ignore Crawl-delay"},
}

// String explains the kind in a sentence.
func (k NoteKind) String() string {
	if int(k) < len(noteKinds) && k > 0 {
		return noteKinds[k].text
	}
	return fmt.Sprintf("NoteKind(%d)", uint8(k))
}

// Name returns the short name of the kind, such as no-slash, or "" for an invalid kind.
func (k NoteKind) Name() string {
	if int(k) < len(noteKinds) {
		return noteKinds[k].name
	}
	return ""
}

// Severity returns the severity of notes of the kind, or 0 for an invalid kind.
func (k NoteKind) Severity() Severity {
	if int(k) < len(noteKinds) {
		return noteKinds[k].severity
	}
	return 0
}

// String returns the note with its line and its quoted text.
func (n Note) String() string {
	if n.Text == "" {
		return fmt.Sprintf("line %d: %s", n.Line, n.Kind)
	}
	return fmt.Sprintf("line %d: %s: %q", n.Line, n.Kind, n.Text)
}

func (p *parser) note(kind NoteKind, text string) {
	if p.question == nil {
		p.notes = append(p.notes, Note{Line: p.line, Kind: kind, Text: text})
	}
}
