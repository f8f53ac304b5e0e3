package report

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"ASCII", `GET /a?b="c" HTTP/1.1`, `GET /a?b="c" HTTP/1.1`},
		{"letters of any script", "grün 日本 кириллица", "grün 日本 кириллица"},
		{"an emoji", "🤖", "🤖"},
		{"a backslash stands for itself", `\x1b \`, `\x1b \`},
		{"NUL", "a\x00b", `a\x00b`},
		{"ESC", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"BEL, BS and DEL", "\a\b\x7f", `\x07\x08\x7f`},
		{"tab and line ends", "\t\r\n", `\x09\x0d\x0a`},
		{"C1 controls in UTF-8: NEL and CSI", "\u0085\u009b31m", `\u{85}\u{9b}31m`},
		{"C1 controls as octets", "\x85\x9b31m", `\x85\x9b31m`},
		{"bidi controls", "a\u202eb\u2066c\u200f", `a\u{202e}b\u{2066}c\u{200f}`},
		{"line and paragraph separators", "\u2028\u2029", `\u{2028}\u{2029}`},
		{"a zero-width space and a byte order mark", "\u200b\ufeff", `\u{200b}\u{feff}`},
		{"a no-break space", "a\u00a0b", `a\u{a0}b`},
		{"private use", "\ue000", `\u{e000}`},
		{"above the first plane", "\U000e0001", `\u{e0001}`},
		{"no UTF-8", "\xff\xc3(", `\xff\xc3(`},
		{"cut UTF-8", "gr\xc3", `gr\xc3`},
		{"overlong and surrogate", "\xc0\xaf\xed\xa0\x80", `\xc0\xaf\xed\xa0\x80`},
		{"the replacement character itself", "\ufffd", "\ufffd"},
	}
	for _, test := range tests {
		if got := Printable([]byte(test.in)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestPrintableOfAnything: what Printable returns can act on no terminal, is the
// same after JSON, and has nothing left to be done to it.
func TestPrintableOfAnything(t *testing.T) {
	check := func(b []byte) {
		t.Helper()
		s := Printable(b)
		if !utf8.ValidString(s) {
			t.Fatalf("%q: %q is not UTF-8", b, s)
		}
		for _, c := range s {
			if !strconv.IsPrint(c) {
				t.Fatalf("%q: %q has %U", b, s, c)
			}
		}
		if again := Printable([]byte(s)); again != s {
			t.Fatalf("%q: %q, and then %q", b, s, again)
		}
	}
	for c := range rune(utf8.MaxRune + 1) {
		check(utf8.AppendRune(nil, c))
	}
	rounds := 50000
	if testing.Short() {
		rounds = 5000
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for range rounds {
		b := make([]byte, rng.IntN(30))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		check(b)
	}
}

// TestToUTF8 has what JSON shows of bytes that it cannot hold.
func TestToUTF8(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"grün \x1b\u202e \ufffd":  "grün \x1b\u202e \ufffd",
		"\xffz":                   `\xffz`,
		"gr\xc3":                  `gr\xc3`,
		`C:\logs\x1b\x22\x7f`:     `C:\logs\x1b\x22\x7f`, // no byte of these is coded
		`\xE2 as nginx writes it`: `\xE2 as nginx writes it`,
		`\xe2 as Apache does`:     `\x5cxe2 as Apache does`,
		`\x5c`:                    `\x5cx5c`,
		`\\xff`:                   `\\x5cxff`,
		"\\\xff":                  `\\xff`,
	} {
		if got := ToUTF8(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzToUTF8: every text comes back from UTF-8.
func FuzzToUTF8(f *testing.F) {
	for _, text := range []string{"", "\\\xff", `\x5cx5c\xff`, "\\x\xff", `\xE2\xe2`, "\\x5\x80c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		coded := ToUTF8(text)
		if back := FromUTF8(coded); !utf8.ValidString(coded) || back != text {
			t.Errorf("%q: %q, and back %q", text, coded, back)
		}
	})
}
