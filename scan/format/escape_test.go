package format

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestUndo checks the result of each spelling, and that the existing content is kept.
func TestUndo(t *testing.T) {
	for name, c := range map[string]struct {
		undo  func(dst, field []byte) []byte
		cases map[string]string
	}{
		"Apache and nginx": {unescape, map[string]string{
			"": "", "/a?b=c": "/a?b=c", `a\"b`: `a"b`, `a\\b`: `a\b`, `\\\\`: `\\`, `\b\n\r\t\v`: "\b\n\r\t\v", `\f`: "\f",
			`\xc3\xa9`: "\xc3\xa9", `\xC3\xA9`: "\xc3\xa9", `\xcF`: "\xcf", // of either case
			`\x01\x23\x45\x67\x89\xab\xcd\xef`: "\x01\x23\x45\x67\x89\xab\xcd\xef",
			`\x5cn\\x41`:                       `\n\x41`,                                                                                     // what an escape makes is not read again
			`\X41`:                             `\X41`, `\x4`: `\x4`, `\x`: `\x`, `\x4g\xg4\x`: `\x4g\xg4\x`, `\a\0\d`: `\a\0\d`, `a\`: `a\`, // none
			`\x/0\x:0\x@0\xG0\x` + "`0": `\x/0\x:0\x@0\xG0\x` + "`0", `%5C%22\"%0a`: `%5C%22"%0a`,
		}},
		"plus signs": {unplus, map[string]string{
			"Mozilla/5.0+(compatible;+bingbot/2.0;++http://www.bing.com/bingbot.htm)": "Mozilla/5.0 (compatible; " +
				"bingbot/2.0; +http://www.bing.com/bingbot.htm)",
			"X/1.0+(+http://x.example/)": "X/1.0 (+http://x.example/)", "+a+": "+a+", "libc++": "libc++", "a+++b": "a ++b",
			"": "", "+": "+", "++++++++++": "++++++++++", "12345678+12345678": "12345678 12345678",
			"1234567++1234567(+1": "1234567 +1234567(+1",
		}},
		"percents": {percents.undo, map[string]string{
			"/a%2520b": "/a%20b", "/100%25": "/100%", "%": "%", "%2": "%2", "%zz%41%": "%zzA%",
			"Mozilla/5.0%2520(x;%2520y)": "Mozilla/5.0%20(x;%20y)", "My%2520App/1%20CFNetwork/1": "My%20App/1 CFNetwork/1",
		}},
		"percents of a User-Agent": {allPercents.undo, map[string]string{
			"/a%2520b": "/a b", "/100%25": "/100%", "%zz%41%": "%zzA%", "Mozilla/5.0%20(x;%20y)": "Mozilla/5.0 (x; y)",
			"Mozilla/5.0%2520(x;%2520y)": "Mozilla/5.0 (x; y)", "My%2520App/1%20CFNetwork/1": "My%20App/1 CFNetwork/1",
		}},
		"doubled quotes": {undoubled.undo, map[string]string{`a""b`: `a"b`, `""`: `"`, `"""`: `""`, `a"b`: `a"b`, "": ""}},
	} {
		for field, want := range c.cases {
			if got := c.undo([]byte("kept "), []byte(field)); string(got) != "kept "+want {
				t.Errorf("%s: %q is %q, want %q", name, field, got, "kept "+want)
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

// TestPlusesAreThoseOfOctets compares with slowUnplus.
func TestPlusesAreThoseOfOctets(t *testing.T) {
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
