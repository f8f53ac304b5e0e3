package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/format"
)

// preimages are the paths that a decoding server logs as one: each byte of it is sent as it is
// where a URL may have it so (RFC 3986 3.3), and percent-encoded. The octets that need no encoding
// are never encoded, and slashes are slashes (audit-rules 5).
func preimages(logged string, spell map[byte][]string) (all []string) {
	all = []string{""}
	for i := range len(logged) {
		ways, ok := spell[logged[i]]
		if !ok {
			ways = []string{logged[i : i+1]}
		}
		var longer []string
		for _, p := range all {
			for _, w := range ways {
				longer = append(longer, p+w)
			}
		}
		all = longer
	}
	return all
}

// sentAs says how clients may send bytes that a server has logged decoded.
var sentAs = map[byte][]string{
	// IIS
	'%': {"%25"}, ' ': {"%20"}, 0xff: {"%FF", "\xff"}, ',': {",", "%2C"}, '?': {"%3F"}, '#': {"%23"},
	'+': {"+", "%2B", "%20"},
}

// TestPreimagesOfDecodedPaths judges every short path as a server would log it decoded, under a
// robots.txt that permits only one path that a client may have sent instead: no violation.
func TestPreimagesOfDecodedPaths(t *testing.T) {
	octets := []byte("/%2Fa?#+ ,\xff")
	var paths []string
	for _, a := range octets {
		for _, b := range octets {
			paths = append(paths, "/"+string([]byte{a}), "/"+string([]byte{a, b}))
		}
	}
	for _, logged := range paths {
		if strings.HasPrefix(logged, "//") {
			continue
		}
		for _, sent := range preimages(logged, sentAs) {
			if (strings.Contains(sent, "%2B") || strings.Contains(sent, "%2C")) && strings.ContainsAny(sent, "+,") ||
				strings.Contains(logged, "+") && strings.Contains(sent, "%20") &&
					(strings.Contains(sent, "+") || strings.Contains(sent, "%2B")) {
				continue // no client encodes some of these only
			}
			a := newAuditor(t, fmt.Sprintf("User-agent: *\nDisallow: /\nAllow: %s$\n", sent), "https://example.com")
			exact := request(sent)
			if got := verdictOf(t, a, exact); got == "violation" {
				continue // a parser reads the rule in another way
			}
			r := request(ends.Replace(logged))
			if r.Lossy = format.Decoded; verdictOf(t, a, r) == "violation" {
				t.Errorf("logged %q, sent %q: a violation", logged, sent)
			}
		}
	}
}

// ends encodes what would end a path, as package format does.
var ends = strings.NewReplacer("?", "%3F", "#", "%23")
