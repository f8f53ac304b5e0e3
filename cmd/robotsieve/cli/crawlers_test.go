package cli

import (
	"testing"
	"unicode/utf8"
)

// Headers and files are written by strangers.
func TestCrawlersShowsNoControlCharacters(t *testing.T) {
	const evil = "\x1b[31m\x9b\u009b\u202e\x07\x7f"
	mine := file(t, "mine.json", `[{"name":"E\u001b[31mBot","operator":"\u202eX","words":["E\u001bBot"],"tokens":["x"],"exempt":"\u009b","obeys":"no","source":"\u001b","date":"\u007f","verify":"\u0007"}]`)
	for _, args := range [][]string{
		{"crawlers", "FooBot" + evil + " http://x" + evil + " YBot" + evil},
		{"crawlers", evil + "YBot http://x" + evil},
		{"crawlers", "--output", "json", "FooBot" + evil},
		{"crawlers", "--crawlers", mine},
		{"crawlers", "--crawlers", mine, "E\x1bBot"},
		{"crawlers", "--crawlers", mine, "E\x1bBot Googlebot"},
		{"crawlers", "--crawlers", mine, "Googlebot E\x1bBot"},
		{"crawlers", "--crawlers", mine, "--output", "json"},
		{"crawlers", "--crawlers", mine, "--output", "json", "E\x1bBot"},
		{"crawlers", "--crawlers", "missing" + evil},
	} {
		r := command(t, "", args...)
		for _, text := range []string{r.out, r.err} {
			if !utf8.ValidString(text) {
				t.Errorf("%q: not UTF-8: %q", args, text)
			}
			for _, c := range text {
				if c != '\n' && (c < 0x20 || c >= 0x7f && c < 0xa0 || c == 0x202e) {
					t.Errorf("%q: %U in %q", args, c, text)
					break
				}
			}
		}
	}
}
