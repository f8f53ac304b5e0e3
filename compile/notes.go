package compile

import "fmt"

// Note is something about one line that its author may not have meant.
type Note struct {
	Line int      // 1-based
	Kind NoteKind // what it is about
	// Text is the part of the line that the note is about, raw: it must be escaped
	// before it is printed.
	Text string
}

// NoteKind is the subject of a Note. Its String explains it in a sentence. The zero value is
// no kind.
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
	NoteNoSlash
	NoteSpaceInPattern
	NoteNotUTF8
)

var noteTexts = [...]string{
	NoteByteOrderMark:  "byte order mark, ignored",
	NoteMarkup:         "looks like a web page, not a robots.txt",
	NoteUTF16:          "looks like UTF-16, so that no line of it can be read; save it as UTF-8",
	NoteTruncated:      "past the size limit; this line and all after it are not read",
	NoteLongLine:       "line longer than 16,663 bytes; its end is not read",
	NoteNUL:            "NUL byte; Google's parser reads the line up to it, others drop the line",
	NoteNoField:        "no field (key: value)",
	NoteNoColon:        "colon missing; accepted by Google's parser only",
	NoteTypo:           "key misspelled; accepted by Google's parser only",
	NoteUnknownKey:     "unknown key",
	NoteOutsideGroup:   "rule outside a group; it binds no crawler",
	NoteNoToken:        "user agent without a product token; it binds no crawler",
	NoteNoSlash:        "path begins neither with / nor with a wildcard; it never matches",
	NoteSpaceInPattern: "path with a space or control character; ignored",
	NoteNotUTF8:        "path is not UTF-8; ignored",
}

// String explains the kind in a sentence.
func (k NoteKind) String() string {
	if int(k) < len(noteTexts) && k > 0 {
		return noteTexts[k]
	}
	return fmt.Sprintf("NoteKind(%d)", uint8(k))
}

// String returns the note with its line, its text quoted.
func (n Note) String() string {
	if n.Text == "" {
		return fmt.Sprintf("line %d: %s", n.Line, n.Kind)
	}
	return fmt.Sprintf("line %d: %s: %q", n.Line, n.Kind, n.Text)
}

func (p *parser) note(kind NoteKind, text string) {
	p.notes = append(p.notes, Note{Line: p.line, Kind: kind, Text: text})
}
