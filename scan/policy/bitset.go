package policy

import (
	"errors"
	"math/bits"
)

// bitset is a set of small numbers.
type bitset []uint64

func (b bitset) add(n int32)      { b[n/64] |= 1 << (n % 64) }
func (b bitset) has(n int32) bool { return b[n/64]&(1<<(n%64)) != 0 }

// fit returns an empty set with room for numbers below n, in b if that is large
// enough.
func (b bitset) fit(n int) bitset {
	words := (n + 63) / 64
	if cap(b) < words {
		return make(bitset, words)
	}
	b = b[:words]
	clear(b)
	return b
}

// bounds returns how many numbers are in the set, and its least and greatest.
func (b bitset) bounds() (count int, least, greatest int32) {
	least = -1
	for i, w := range b {
		if w == 0 {
			continue
		}
		if least < 0 {
			least = int32(i*64 + bits.TrailingZeros64(w))
		}
		greatest = int32(i*64 + 63 - bits.LeadingZeros64(w))
		count += bits.OnesCount64(w)
	}
	return count, least, greatest
}

// addAll adds the numbers of an ascending list: those without gaps word by word.
func (b bitset) addAll(list []int32) {
	if len(list) == 0 {
		return
	}
	if !consecutive(list) {
		for _, n := range list {
			b.add(n)
		}
		return
	}
	for n, end := list[0], list[len(list)-1]+1; n < end; n = n/64*64 + 64 {
		word := ^uint64(0) << (n % 64)
		if end-n/64*64 < 64 {
			word &= 1<<(end%64) - 1
		}
		b[n/64] |= word
	}
}

// Lists in tables may have maxListed numbers, all together, and the replies may be
// looked at maxLooked times to make them: some seconds.
const (
	maxListed = 1 << 25
	maxLooked = 1 << 31
)

// errCrowded says that there are more.
var errCrowded = errors.New("its versions are too many and follow each other too quickly")

// scratch is what all tables of a policy are made with. Numbers that follow each
// other, of which most lists consist, are a part of one long list: thousands of
// versions within one window take no thousands of lists.
type scratch struct {
	all    []int32 // 0, 1, 2…
	listed int
	looked int64
	// What was found last: copies, the outages in the window, and the outages whose
	// copies are among those.
	lawfulCopies, inWindow, consulted bitset
}

// numbers returns the numbers of a set in their order.
func (s *scratch) numbers(b bitset) ([]int32, error) {
	count, least, greatest := b.bounds()
	if count == 0 {
		return nil, nil
	}
	if int(greatest-least)+1 == count {
		for n := int32(len(s.all)); n <= greatest; n++ {
			s.all = append(s.all, n)
		}
		return s.all[least : greatest+1 : greatest+1], nil
	}
	if s.listed += count; s.listed > maxListed {
		return nil, errCrowded
	}
	list := make([]int32, 0, count)
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			list = append(list, int32(i*64+bits.TrailingZeros64(w)))
		}
	}
	return list, nil
}
