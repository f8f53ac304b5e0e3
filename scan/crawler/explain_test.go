package crawler

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// checkHeader holds the claim of a header against the specification, and its explanation against
// the claim.
func checkHeader(t *testing.T, set *Set, reader *Reader, spec naive, header []byte) Claim {
	t.Helper()
	e, claim := set.Explain(header), reader.Read(header)
	if want := spec.read(header); !same(claim, want) || !same(e.Claim, claim) {
		t.Errorf("%q is %v, to the specification %v, explained as %v", header, claim, want, e.Claim)
	}
	names, bare, rivals := 0, 0, 0
	for _, w := range e.Words {
		switch w.Standing {
		case Names:
			names++
			word := string(header[w.Start:w.End])
			if w.Profile != e.Profile || e.Profile == nil && listedName([]byte(word)) != e.Name && !e.Overlong {
				t.Errorf("%q is %v, by the word %q of %v", header, e.Claim, word, w.Profile)
			}
		case Bare:
			bare++
			if word := string(header[w.Start:w.End]); e.Nameless && word != e.word && !e.Overlong {
				t.Errorf("%q is %v, by the word %q", header, e.Claim, word)
			}
		case Rival:
			rivals++
		}
		if (w.Profile == nil) == (w.Stem == "") {
			t.Errorf("%q: %+v", header, w)
		}
	}
	if (names > 0) != (e.Name != "" && !e.Nameless) || names > 1 || e.Nameless && bare != 1 ||
		rivals != max(0, len(e.Rivals)-1) {
		t.Errorf("%q is %v, by %d words, %d bare ones and %d rivals", header, e.Claim, names, bare, rivals)
	}
	if (e.Foreign || e.Library) != (len(e.Product) > 0) || !bytes.Contains(header, e.Product) ||
		e.Library && !bytes.HasPrefix(header, e.Product) {
		t.Errorf("%q is %v, by the product %q", header, e.Claim, e.Product)
	}
	return claim
}

// TestExplain tells of each word why it counts or does not.
func TestExplain(t *testing.T) {
	standings := map[Standing]string{
		Names: "names", InContact: "contact", BehindLike: "like", LessSpecific: "less", Rival: "rival", Bare: "bare",
		NoContact: "no contact", Control: "control", Device: "device", Later: "later",
	}
	set := builtinSet(t)
	spec := newNaive(set.Profiles())
	for _, c := range []struct{ header, want string }{
		{"Googlebot/2.1 (+http://www.google.com/bot.html)", "Googlebot names"},
		{"Googlebot/2.1 Googlebot-Image/1.0", "Googlebot less, Googlebot-Image names"},
		{"bingbot bingbot", "bingbot names, bingbot less"},
		{"bingbot Googlebot Googlebot-Image", "bingbot names, Googlebot less, Googlebot-Image rival"},
		{"TelegramBot (like TwitterBot)", "TelegramBot names, TwitterBot like"},
		{"Foo/1 (like Googlebot)", "Googlebot names"},
		{"Foo/1 (+http://googlebot.example/)", "googlebot contact"},
		{"Mozilla/5.0 (compatible; FooBot/1.0; +http://foo.example/foobot) BarSpider",
			"FooBot names, foobot contact, BarSpider later"},
		{"Mozilla/5.0 (compatible; FooBot/1.0)", "FooBot names"},
		{"Mozilla/5.0 (compatible; FooBot/1.0) BarBot", "FooBot names, BarBot no contact"},
		{"Mozilla/5.0 (X11; FooBot/1.0) MyBot", "FooBot no contact, MyBot no contact"},
		{"bot/1.0 crawler FooBot", "bot bare, crawler no contact, FooBot no contact"},
		{"bot/1.0 crawler (+http://foo.example/)", "bot bare, crawler later"},
		{"bot/1.0 crawler FooBot spider (+http://foo.example/)", "bot bare, crawler bare, FooBot names, spider bare"},
		{"bot/1.0 (+http://foo.example/)", "bot bare"},
		{"Mozilla/5.0 (compatible; applebot-extended/0.1; +http://www.apple.com/go/applebot)",
			"applebot contact, applebot-extended control"},
		{"Mozilla/5.0 (compatible; Applebot-Extended)", "Applebot-Extended control"},
		{"FooBot/1.0 (Google-Extended)", "FooBot names, Google-Extended control"},
		{"x (like Google-Extended; www.google-extended.example)", "Google-Extended like, google-extended contact"},
		{"Mozilla/5.0 (Linux; Android 9; CUBOT_X19) https://x.example", "CUBOT_X19 device"},
		{"Mozilla/5.0 (Linux; Android 9; CUBOT_X19) FooBot https://x.example", "CUBOT_X19 device, FooBot names"},
		{"Mozilla/5.0 (Linux; Android 9; CUBOT_X19)", "CUBOT_X19 no contact"},
		{"FooBot/1.0", "FooBot names"},
		{"MyGooglebotX/1.0", "MyGooglebotX names"},
		{"Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0", ""},
		{"", ""},
	} {
		var got []string
		for _, w := range set.Explain([]byte(c.header)).Words {
			got = append(got, fmt.Sprintf("%s %s", c.header[w.Start:w.End], standings[w.Standing]))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%q: %s, want %s", c.header, got, c.want)
		}
		checkHeader(t, set, set.Reader(), spec, []byte(c.header))
	}
	if e := set.Explain([]byte("Foo/1 (FooBot; me@foo.example; http://foo.example/)")); string(e.Contact) != "me@foo.example" {
		t.Errorf("the contact is %q", e.Contact)
	}
}
