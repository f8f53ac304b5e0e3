package format

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/logwriter"
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
		for name, escape := range map[string]func(string) string{"Apache": logwriter.Apache, "nginx": logwriter.Nginx} {
			logged := escape(string(sent))
			if got := unescape(nil, []byte(logged)); !bytes.Equal(got, sent) {
				t.Fatalf("%s logs %q as %s, which is read as %q", name, sent, logged, got)
			}
		}
	}
}

// slowUnplus is the law of pluses, byte by byte.
func slowUnplus(field string) string {
	b := []byte(field)
	end := len(strings.TrimRight(field, "+"))
	for i, c := range b[:end] {
		if c == '+' && i > 0 && field[i-1] != '+' && field[i-1] != '(' {
			b[i] = ' '
		}
	}
	return string(b)
}

func TestPluses(t *testing.T) {
	for field, want := range map[string]string{
		"Mozilla/5.0+(compatible;+bingbot/2.0;++http://www.bing.com/bingbot.htm)": "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
		"X/1.0+(+http://x.example/)": "X/1.0 (+http://x.example/)",
		"+a+":                        "+a+",
		"libc++":                     "libc++",
		"a+++b":                      "a ++b",
		"":                           "",
		"+":                          "+",
		"++++++++++":                 "++++++++++",
		"12345678+12345678":          "12345678 12345678",
		"1234567++1234567(+1":        "1234567 +1234567(+1",
	} {
		if got := string(unplus([]byte("x"), []byte(field))); got != "x"+want || slowUnplus(field) != want {
			t.Errorf("%q is %q, want %q", field, got[1:], want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		b := make([]byte, r.IntN(60))
		for i := range b {
			b[i] = "+++(a\xab\x2a\x2c"[r.IntN(8)]
		}
		if got, want := string(unplus(nil, b)), slowUnplus(string(b)); got != want {
			t.Fatalf("%q is %q, want %q", b, got, want)
		}
	}
}

func TestPercents(t *testing.T) {
	for _, c := range []struct{ field, once, agent string }{
		{"/a%2520b", "/a%20b", "/a b"},
		{"/100%25", "/100%", "/100%"},
		{"%", "%", "%"},
		{"%2", "%2", "%2"},
		{"%zz%41%", "%zzA%", "%zzA%"},
		{"Mozilla/5.0%20(x;%20y)", "Mozilla/5.0 (x; y)", "Mozilla/5.0 (x; y)"},
		{"Mozilla/5.0%2520(x;%2520y)", "Mozilla/5.0%20(x;%20y)", "Mozilla/5.0 (x; y)"},
		{"My%2520App/1%20CFNetwork/1", "My%20App/1 CFNetwork/1", "My%20App/1 CFNetwork/1"},
	} {
		once, agent := percents.undo([]byte("x"), []byte(c.field)), allPercents.undo([]byte("x"), []byte(c.field))
		if string(once) != "x"+c.once || string(agent) != "x"+c.agent {
			t.Errorf("%q is %q, as a User-Agent %q", c.field, once[1:], agent[1:])
		}
	}
}

func TestUndoubled(t *testing.T) {
	for field, want := range map[string]string{`a""b`: `a"b`, `""`: `"`, `"""`: `""`, `a"b`: `a"b`, "": ""} {
		if got := string(undoubled.undo([]byte("x"), []byte(field))); got != "x"+want {
			t.Errorf("%q is %q, want %q", field, got[1:], want)
		}
	}
}
