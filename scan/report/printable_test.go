package report

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/test/cases"
)

func TestPrintable(t *testing.T) {
	for _, row := range cases.Rows(t, "printable.txt") {
		name, in, want := row[0], row[1], row[2]
		if got := Printable([]byte(in)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
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
