package format

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestUnescape(t *testing.T) {
	for _, c := range []struct{ name, field, want string }{
		{"nothing", "", ""},
		{"nothing to undo", "/a?b=c", "/a?b=c"},
		{"Apache's quote", `a\"b`, `a"b`},
		{"Apache's backslash", `a\\b`, `a\b`},
		{"two of them", `\\\\`, `\\`},
		{"Apache's letters", `\b\n\r\t\v`, "\b\n\r\t\v"},
		{"a form feed", `\f`, "\f"},
		{"hex in lower case", `\xc3\xa9`, "\xc3\xa9"},
		{"hex in upper case", `\xC3\xA9`, "\xc3\xa9"},
		{"hex in both cases", `\xcF`, "\xcf"},
		{"all digits", `\x01\x23\x45\x67\x89\xab\xcd\xef`, "\x01\x23\x45\x67\x89\xab\xcd\xef"},
		{"what an escape makes is not read again", `\x5cn\\x41`, `\n\x41`},
		{"a large X", `\X41`, `\X41`},
		{"hex of one digit", `\x4`, `\x4`},
		{"hex cut short", `\x`, `\x`},
		{"hex that is none", `\x4g\xg4\x`, `\x4g\xg4\x`},
		{"bytes beside the digits", `\x/0\x:0\x@0\xG0\x` + "`0", `\x/0\x:0\x@0\xG0\x` + "`0"},
		{"a letter of no escape", `\a\0\d`, `\a\0\d`},
		{"a backslash at the end", `a\`, `a\`},
		{"percent-encoding", `%5C%22\"%0a`, `%5C%22"%0a`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := unescape([]byte("kept "), []byte(c.field)); string(got) != "kept "+c.want {
				t.Errorf("got %q, want %q", got, "kept "+c.want)
			}
		})
	}
}

// TestUnescapeUndoesTheServers writes random bytes as Apache and nginx do, and
// reads them back.
func TestUnescapeUndoesTheServers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	likely := []byte("\\\\\\\"x0aAfnrtbv4 /%\n\x00\xff")
	for range 50_000 {
		sent := make([]byte, r.IntN(20))
		for i := range sent {
			if sent[i] = byte(r.Uint32()); r.IntN(2) == 0 {
				sent[i] = likely[r.IntN(len(likely))]
			}
		}
		for _, server := range escapers {
			logged := server.escape(string(sent))
			if got := unescape(nil, []byte(logged)); !bytes.Equal(got, sent) {
				t.Fatalf("%s logs %q as %s, which is read as %q", server.name, sent, logged, got)
			}
		}
	}
}
