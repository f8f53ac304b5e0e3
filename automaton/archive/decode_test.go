package archive

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

// TestListsSharedTooOftenAreRefused: one list of n rules in m parts of a machine
// takes n+m bytes and n*m steps.
func TestListsSharedTooOftenAreRefused(t *testing.T) {
	const n, m = 1 << 15, maxJoined>>15 + 1
	blob := []byte{byte(automaton.Google)}
	for _, count := range []uint64{n, n, 1, 1, 0, n} {
		blob = binary.AppendUvarint(blob, count)
	}
	for range n {
		blob = append(blob, flagLineRank|1<<shiftSegments, 0, 2, 1, '/')
	}
	one := slices.Concat(blob, []byte{1, 0, 1})
	if r, err := decode(one, nil); err != nil || r.Wildcard().Len() != n {
		t.Fatalf("the list alone: %v", err)
	}
	blob = binary.AppendUvarint(blob, m)
	blob = append(append(blob, make([]byte, m)...), 1)
	if _, err := decode(blob, nil); !errors.Is(err, errEntangled) {
		t.Errorf("got %v", err)
	}
}

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
