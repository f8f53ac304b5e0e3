package archive

import "testing"

// TestHashIsThatOfTheFormat checks the hash, because archives outlive the program that wrote them. The numbers come
// from another implementation, made from the prose.
func TestHashIsThatOfTheFormat(t *testing.T) {
	for _, c := range []struct {
		seed uint64
		key  string
		want uint64
	}{
		{1, "", 0xa0761d6478bd642f},
		{1, "a", 0xf6f6a8cf4a38ea47},
		{1, "https://", 0xe08ed074107f09b4},
		{1, "https://example.com:443", 0x832fb9f1124bd5ff},
		{0x9e3779b97f4a7c15, "", 0x670527f286862c69},
		{0x9e3779b97f4a7c15, "https://example.com:443", 0xe345bef8f32f5c36},
	} {
		if got := hash(c.seed, []byte(c.key)); got != c.want {
			t.Errorf("%#x, %q: got %#x, want %#x", c.seed, c.key, got, c.want)
		}
	}
}
