package archive

import "testing"

// TestHashIsThatOfTheFormat: archives outlive the program that
// wrote them. The numbers were made by another implementation, of the prose.
func TestHashIsThatOfTheFormat(t *testing.T) {
	for key, want := range map[string]uint64{
		"":                        0x670527f286862c69,
		"a":                       0x8ef3dbc31713fdab,
		"https://":                0x2f4559728e5d311f,
		"https://example.com:443": 0xbb5b441439fadbb1,
	} {
		if got := hash([]byte(key)); got != want {
			t.Errorf("%q: got %#x, want %#x", key, got, want)
		}
	}
}
