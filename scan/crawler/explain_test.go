package crawler

import (
	"bytes"
	"testing"
)

// checkHeader holds the claim of a header against the specification, and its explanation against the claim.
func checkHeader(t *testing.T, set *Set, reader *Reader, spec naive, header []byte) Claim {
	t.Helper()
	e, claim := set.Explain(header), reader.Read(header)
	if want := spec.read(header); !same(claim, want) || !same(e.Claim, claim) {
		t.Errorf("%q is %v, to the specification %v, explained as %v", header, claim, want, e.Claim)
	}
	names, bare, rivals := 0, 0, 0
	for _, w := range e.Words {
		switch w.Standing {
		case Names, NutchUser, PageOwner:
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
