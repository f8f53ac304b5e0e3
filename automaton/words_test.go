package automaton_test

import (
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

func mustWords(t testing.TB, list ...string) *automaton.Words {
	t.Helper()
	w, err := automaton.NewWords(list)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestWordsAppendKeepsWhatIsThere: hits come after those that dst has.
func TestWordsAppendKeepsWhatIsThere(t *testing.T) {
	first := automaton.Hit{Word: 9, Start: 8, End: 7}
	got := mustWords(t, "ab", "b").Append([]automaton.Hit{first}, []byte("b"))
	if want := []automaton.Hit{first, {Word: 1, End: 1}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestZeroWordsKnowNoWord(t *testing.T) {
	var w automaton.Words
	if got := w.Append(nil, []byte("any header")); got != nil {
		t.Errorf("found %v", got)
	}
}

func TestIsWordByte(t *testing.T) {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
	for c := range 256 {
		want := c >= 0x80 || strings.IndexByte(letters, byte(c)) >= 0
		if got := automaton.IsWordByte(byte(c)); got != want {
			t.Errorf("%q: got %v", byte(c), got)
		}
		token := c < 0x80 && want || c == '.'
		if got := automaton.IsTokenByte(byte(c)); got != token {
			t.Errorf("token byte %q: got %v", byte(c), got)
		}
	}
}

// naiveWords searches for each word at each place.
func naiveWords(words []string, header string) []automaton.Hit {
	var hits []automaton.Hit
	for end := 1; end <= len(header); end++ {
		for start := range end {
			for i, word := range words {
				if foldASCII(word) == foldASCII(header[start:end]) && bounded(header, start, end) {
					hits = append(hits, automaton.Hit{Word: i, Start: start, End: end})
				}
			}
		}
	}
	return hits
}

func foldASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c - 'A' + 'a'
		}
	}
	return string(b)
}

// bounded is the rule of Words: between two bytes of a word is no boundary.
func bounded(header string, start, end int) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	isWord := func(i int) bool {
		return i >= 0 && i < len(header) && (header[i] >= 0x80 || strings.IndexByte(letters, header[i]) >= 0)
	}
	return !(isWord(start-1) && isWord(start)) && !(isWord(end-1) && isWord(end))
}

func TestWords(t *testing.T) {
	type hits = [][3]int // word, start, end
	for _, c := range []struct {
		name   string
		words  []string
		header string
		want   hits
	}{
		{"whole only", []string{"bot"}, "bot robot bot-x my_bot bot2 b\xc3\xb6bot bot/1", hits{{0, 0, 3}, {0, 35, 38}}},
		{"any case", []string{"GoogleBot"}, "(compatible; gOOGLEbOT/2.1)", hits{{0, 13, 22}}},
		{"prefix of another", []string{"Googlebot", "Googlebot-Image"}, "Googlebot-Image Googlebot",
			hits{{1, 0, 15}, {0, 16, 25}}},
		{"suffix of another, both whole", []string{"bot", "big bot"}, "a big bot", hits{{1, 2, 9}, {0, 6, 9}}},
		{"prefix of another, both whole", []string{"big", "big bot"}, "big bot", hits{{0, 0, 3}, {1, 0, 7}}},
		{"inside another", []string{"b", "a b c"}, "a b c", hits{{0, 2, 3}, {1, 0, 5}}},
		{"overlapping", []string{"a b", "b c"}, "a b c", hits{{0, 0, 3}, {1, 2, 5}}},
		{"edge that is no word byte", []string{"Yahoo!", "Slurp"}, "Yahoo!Slurp Yahoo!",
			hits{{0, 0, 6}, {1, 6, 11}, {0, 12, 18}}},
		{"dots and slashes", []string{"archive.org_bot", "https://x.com/b"}, "archive.org_bot; +https://X.com/b.",
			hits{{0, 0, 15}, {1, 18, 33}}},
		{"word that starts with a dot", []string{".net"}, "a.net", hits{{0, 1, 5}}},
		{"differ in case only", []string{"Bot", "bOT"}, "bot", hits{{0, 0, 3}, {1, 0, 3}}},
		{"high bytes are not folded", []string{"\xc3\x89"}, "\xc3\xa9 \xc3\x89", hits{{0, 3, 5}}},
		{"falls back to a shorter suffix", []string{"a a b"}, "a a a b", hits{{0, 2, 7}}},
		{"'@' and '`' are not one letter", []string{"@[", "`{"}, "`{ @[", hits{{1, 0, 2}, {0, 3, 5}}},
		{"NUL", []string{"a\x00b"}, "a\x00b", hits{{0, 0, 3}}},
		{"no word", nil, "a", nil},
		{"no header", []string{"a"}, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := automaton.NewWords(c.words)
			if err != nil {
				t.Fatal(err)
			}
			var got hits
			for _, hit := range w.Append(nil, []byte(c.header)) {
				got = append(got, [3]int{hit.Word, hit.Start, hit.End})
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestWordsRefusesEmptyWord(t *testing.T) {
	_, err := automaton.NewWords([]string{"a", ""})
	if err == nil || !strings.Contains(err.Error(), "word 1") {
		t.Errorf("got error %v, want one of word 1", err)
	}
}

// TestWordsOfAllBytes: every byte value may be in words at once.
func TestWordsOfAllBytes(t *testing.T) {
	var list []string
	for c := range 256 {
		list = append(list, string([]byte{byte(c)}), string([]byte{byte(c), ' ', byte(255 - c)}))
	}
	w, err := automaton.NewWords(list)
	if err != nil {
		t.Fatal(err)
	}
	for c := range 256 {
		header := string([]byte{byte(c), ' ', byte(255 - c)})
		checkHits(t, w, list, header)
	}
}

// TestWordsAgainstNaiveSearch has random words over few letters, so that they
// share prefixes and suffixes.
func TestWordsAgainstNaiveSearch(t *testing.T) {
	lists := 4000
	if testing.Short() {
		t.Log("short: 400 lists instead of 4,000")
		lists = 400
	}
	rng := rand.New(rand.NewPCG(7, 8))
	letters := []string{"a", "b", "A", "-", " ", ".", "/", "\xc3", "é"}
	found := 0
	for range lists {
		var list []string
		for range 1 + rng.IntN(8) {
			list = append(list, letters[rng.IntN(len(letters))]+randomLetters(rng, letters, 4))
		}
		w, err := automaton.NewWords(list)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			found += checkHits(t, w, list, randomLetters(rng, letters, 25)+list[0]+randomLetters(rng, letters, 3))
		}
	}
	if found < lists {
		t.Errorf("only %d words found", found)
	}
}

func randomLetters(rng *rand.Rand, letters []string, longest int) string {
	var b strings.Builder
	for range rng.IntN(longest + 1) {
		b.WriteString(letters[rng.IntN(len(letters))])
	}
	return b.String()
}

// checkHits compares with the naive search and returns the number of hits.
func checkHits(t *testing.T, w *automaton.Words, list []string, header string) int {
	t.Helper()
	got := w.Append(nil, []byte(header))
	want := naiveWords(list, header)
	for i := 1; i < len(got); i++ {
		x, y := got[i-1], got[i]
		if x.End > y.End || x.End == y.End && x.Start > y.Start {
			t.Errorf("words %q in %q: %v out of order", list, header, got)
		}
	}
	for _, hits := range [][]automaton.Hit{got, want} {
		// Words that differ in case only are found together, in no order.
		sort.Slice(hits, func(i, j int) bool {
			x, y := hits[i], hits[j]
			if x.End != y.End {
				return x.End < y.End
			}
			if x.Start != y.Start {
				return x.Start < y.Start
			}
			return x.Word < y.Word
		})
	}
	if !slices.Equal(got, want) {
		t.Errorf("words %q in %q: got %v, want %v", list, header, got, want)
	}
	return len(got)
}
