package compile_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

const (
	google   = automaton.Google
	rfc9309  = automaton.RFC9309
	original = automaton.Original
)

// TestNotes has a file for each kind of note, and similar files without it.
func TestNotes(t *testing.T) {
	type notes = []compile.Note
	long := strings.Repeat("x", 16_663-len("disallow: /"))
	cases := []struct {
		name    string
		dialect automaton.Dialect
		body    string
		want    notes
	}{
		{"nothing to say", google, "User-agent: *\nAllow: /a\n\n# c\nSitemap: http://h/\n", nil},

		{"byte order mark", rfc9309, "\xef\xbb\xbfuser-agent: *\nallow: /", notes{{1, compile.NoteByteOrderMark, ""}}},
		{"nothing but two bytes of a byte order mark", google, "\xef\xbb", notes{{1, compile.NoteByteOrderMark, ""}}},
		{"byte order mark on another line", rfc9309, "\n\xef\xbb\xbfallow: /",
			notes{{2, compile.NoteUnknownKey, "\xef\xbb\xbfallow"}}},

		{"page", rfc9309, "<!doctype html>", notes{{1, compile.NoteMarkup, ""}, {1, compile.NoteNoField, "<!doctype html>"}}},
		{"page after byte order mark and space", rfc9309, "\xef\xbb\xbf \n<html>", notes{
			{1, compile.NoteByteOrderMark, ""}, {1, compile.NoteMarkup, ""}, {2, compile.NoteNoField, "<html>"}}},
		{"UTF-16", rfc9309, "\xff\xfea\x00", notes{{1, compile.NoteUTF16, ""}, {1, compile.NoteNUL, ""}}},
		{"UTF-16 without a byte order mark", rfc9309, "U\x00s\x00",
			notes{{1, compile.NoteUTF16, ""}, {1, compile.NoteNUL, ""}}},

		{"line of 16,663 bytes", google, "user-agent: *\ndisallow: /" + long, nil},
		{"line of 16,664 bytes", google, "user-agent: *\ndisallow: /" + long + "x", notes{{2, compile.NoteLongLine, ""}}},
		{"line of 16,664 bytes to others", rfc9309, "user-agent: *\ndisallow: /" + long + "x", nil},

		{"NUL", google, "user-agent: *\nallow: /\x00 x", notes{{2, compile.NoteNUL, ""}}},

		{"no field", original, "user-agent: *\nallow: /\n\n hello world # x", notes{{4, compile.NoteNoField, "hello world"}}},

		{"no colon", google, "user-agent *\nallow: /", notes{{1, compile.NoteNoColon, "user-agent *"}}},

		{"typo", google, "useragent: *\nDissalow: /", notes{{1, compile.NoteTypo, "useragent"}, {2, compile.NoteTypo,
			"Dissalow"}}},

		{"unknown key", rfc9309, "no-index : /a", notes{{1, compile.NoteUnknownKey, "no-index"}}},
		{"letters that Unicode would fold to ASCII", rfc9309, "d\u0130sallow: /\ndi\u017fallow: /", notes{
			{1, compile.NoteUnknownKey, "d\u0130sallow"}, {2, compile.NoteUnknownKey, "di\u017fallow"}}},
		{"known keys in any case", rfc9309, "CRAWL-delay: 1\nSiteMap:x\nhost: h\nClean-param: a", nil},

		{"rule outside a group", rfc9309, "allow: /a\nuser-agent: *\nallow: /", notes{{1, compile.NoteOutsideGroup, "/a"}}},
		{"rule after a record", original, "user-agent: *\nallow: /a\n\ndisallow: /b",
			notes{{4, compile.NoteOutsideGroup, "/b"}}},

		{"no token", google, "user-agent: 360Spider\nuser-agent:\nuser-agent: **\nallow: /", notes{
			{1, compile.NoteNoToken, "360Spider"}, {2, compile.NoteNoToken, ""}, {3, compile.NoteNoToken, "**"}}},
		{"no token to others", rfc9309, "user-agent: 360Spider\nuser-agent: (x)\nallow: /",
			notes{{2, compile.NoteNoToken, "(x)"}}},

		{"several names on a line", rfc9309, "user-agent: GPTBot, CCBot\nuser-agent: a/1.0 (x)\nallow: /",
			notes{{1, compile.NoteAfterToken, "GPTBot, CCBot"}}},
		{"a name is all before a slash", original, "user-agent: GPTBot, CCBot /1\nallow: /", nil},
		{"no slash", google, "user-agent: *\nallow: a\nallow: $",
			notes{{2, compile.NoteNoSlash, "a"}, {3, compile.NoteNoSlash, "$"}}},
		{"no slash but a wildcard", rfc9309, "user-agent: *\nallow: *a", nil},
		{"escaped slash to original", original, "user-agent: *\nallow: %2fa", notes{{2, compile.NoteNoSlash, "%2fa"}}},

		{"space in pattern", rfc9309, "user-agent: *\nallow: /a b", notes{{2, compile.NoteSpaceInPattern, "/a b"}}},

		{"not UTF-8", rfc9309, "user-agent: *\nallow: /\xff", notes{{2, compile.NoteNotUTF8, "/\xff"}}},

		{"comment in a path", rfc9309, "user-agent: *\ndisallow: /#/admin", notes{{2, compile.NoteHash, "/#"}}},
		{"comment behind a path", rfc9309, "user-agent: * # all\ndisallow: /a # b\nsitemap: http://h/#c", nil},

		{"URL", google, "user-agent: *\ndisallow: HTTPS://h/a", notes{{2, compile.NoteFullURL, "HTTPS://h/a"}}},

		{"curly quotes", rfc9309, "user-agent: \u201c*\u201d\nallow: /it\u2019s", notes{
			{1, compile.NoteCurlyQuotes, "\u201c*\u201d"}, {1, compile.NoteNoToken, "\u201c*\u201d"}}},

		{"empty group", rfc9309, "user-agent: a\ndisallow:\nuser-agent: b\nuser-agent: c\ncrawl-delay: 1\n",
			notes{{3, compile.NoteEmptyGroup, "b"}}},
		{"empty record", original, "user-agent: a\n\n\nuser-agent: b\nallow: /", notes{{1, compile.NoteEmptyGroup, "a"}}},
		{"blank line between user agents", rfc9309, "user-agent: a\n\nuser-agent: b\nallow: /",
			notes{{3, compile.NoteContinued, "b"}}},
		{"delay between user agents", google, "user-agent: a\ncrawl-delay: 1\nuser-agent: b\nallow: /",
			notes{{3, compile.NoteContinued, "b"}}},
		{"comment between user agents", google, "user-agent: a\n# c\nuser-agent: b\nallow: /", nil},

		{"delay for Google", rfc9309, "user-agent: a\nuser-agent: AdsBot-Google\nallow: /\ncrawl-delay: 1",
			notes{{4, compile.NoteDelayForGoogle, "AdsBot-Google"}}},
		{"delays of several groups", rfc9309,
			"user-agent: a\nuser-agent: GoogleOther\ncrawl-delay: 1\ncrawl-delay: 2\nallow: /\nuser-agent: " +
				"b\ncrawl-delay: 3\nallow: /\nuser-agent: Googlebot\ncrawl-delay: 4\nallow: /",
			notes{{3, compile.NoteDelayForGoogle, "GoogleOther"}, {4, compile.NoteDelayForGoogle, "GoogleOther"},
				{10, compile.NoteDelayForGoogle, "Googlebot"}}},
	}
	seen := map[compile.NoteKind]bool{compile.NoteTruncated: true} // TestLimit has it
	for _, c := range cases {
		if got := compileIn(c.dialect, c.body).Notes; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s, %v: got %v, want %v", c.name, c.dialect, got, c.want)
		}
		for _, note := range c.want {
			seen[note.Kind] = true
		}
	}
	for kind := compile.NoteKind(1); !strings.HasPrefix(kind.String(), "NoteKind("); kind++ {
		if kind.Severity() == 0 || kind.Name() == "" {
			t.Errorf("the note %q has no severity or no name", kind)
		}
		if !seen[kind] {
			t.Errorf("no case has the note %q", kind)
		}
	}
}

func TestNoteString(t *testing.T) {
	for _, c := range []struct {
		note compile.Note
		want string
	}{
		{compile.Note{Line: 3, Kind: compile.NoteNoField, Text: "a\x1b\n"}, `line 3: no field (key: value): "a\x1b\n"`},
		{compile.Note{Line: 1, Kind: compile.NoteByteOrderMark}, "line 1: byte order mark, ignored"},
		{compile.Note{Line: 1}, "line 1: NoteKind(0)"},
		{compile.Note{Line: 1, Kind: 200}, "line 1: NoteKind(200)"},
	} {
		if got := c.note.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestLimit moves the size limit over one body.
func TestLimit(t *testing.T) {
	const body = "user-agent: *\r\n" + // 13 bytes, with its end 15
		"disallow: /a\r\n" + // up to 27, 29
		"\n" +
		"disallow: /ab" // up to 43
	for _, c := range []struct {
		name     string
		prefix   string
		maxBytes int
		lines    int // read
		verdict  int // the line that forbids /ab, 0 if none does
		note     int // the line of the note on the limit, 0 if there is none
	}{
		{"negative", "", -1, 4, 4, 0},
		{"the size", "", 43, 4, 4, 0},
		{"a byte less", "", 42, 3, 2, 4},
		{"first byte of the last line", "", 31, 3, 2, 4},
		{"end of the line before", "", 29, 3, 2, 4},
		{"between CR and LF", "", 28, 2, 2, 3},
		{"last byte of a line", "", 27, 2, 2, 3},
		{"a byte less than a line", "", 26, 1, 0, 2},
		{"last byte of the first line", "", 13, 1, 0, 2},
		{"within the first line", "", 12, 0, 0, 1},
		{"one", "", 1, 0, 0, 1},
		{"byte order mark counts", "\xef\xbb\xbf", 30, 2, 2, 3},
		{"byte order mark counts, a byte less", "\xef\xbb\xbf", 29, 1, 0, 2},
		{"within the byte order mark", "\xef\xbb\xbf", 2, 0, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, d := range []automaton.Dialect{google, rfc9309} {
				r := compile.Compile([]byte(c.prefix+body), compile.Options{Dialect: d, MaxBytes: c.maxBytes})
				got := ask(r, new(automaton.Scratch), []byte("F"), []byte("/ab"))
				if want := (answer{c.verdict == 0, c.verdict}); r.Lines != c.lines || got != want {
					t.Errorf("%v: %d lines and %v, want %d and %v", d, r.Lines, got, c.lines, want)
				}
				var notes, want []int
				for _, note := range r.Notes {
					if note.Kind == compile.NoteTruncated {
						notes = append(notes, note.Line)
					}
				}
				if c.note > 0 {
					want = []int{c.note}
				}
				if !slices.Equal(notes, want) {
					t.Errorf("%v: notes on lines %v, want %v", d, notes, want)
				}
			}
		})
	}
}

// TestDefaultLimit checks that 0 means 512,000 bytes.
func TestDefaultLimit(t *testing.T) {
	const rule = "\ndisallow: /a"
	head := "user-agent: *\n#"
	for size, want := range map[int]answer{512_000: {false, 3}, 512_001: {true, 0}} {
		body := head + strings.Repeat("x", size-len(head)-len(rule)) + rule
		for maxBytes, want := range map[int]answer{0: want, compile.DefaultMaxBytes: want, all: {false, 3}} {
			if got := askUpTo(maxBytes, body); got != want || len(body) != size {
				t.Errorf("%d bytes, limit %d: got %v, want %v", size, maxBytes, got, want)
			}
		}
	}
	// A line of which google would read only the beginning is dropped whole if its end lies past it.
	body := "user-agent: *\ndisallow: /a" + strings.Repeat(" ", 20_000)
	for maxBytes, want := range map[int]answer{len(body): {false, 2}, len(body) - 1: {true, 0}} {
		if got := askUpTo(maxBytes, body); got != want {
			t.Errorf("limit %d: got %v, want %v", maxBytes, got, want)
		}
	}
}

// askUpTo asks about /a by the first bytes of a body.
func askUpTo(maxBytes int, body string) answer {
	r := compile.Compile([]byte(body), compile.Options{Dialect: google, MaxBytes: maxBytes})
	return ask(r, new(automaton.Scratch), []byte("F"), []byte("/a"))
}
