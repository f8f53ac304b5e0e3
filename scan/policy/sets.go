package policy

import (
	"bytes"
	"errors"
)

// set is a set of small numbers.
type set struct {
	marks       []byte // 1 for each number that is in it
	first, last int32  // the least and the greatest of them; last is below first if there is none
}

// empty takes all numbers out, and makes room for those below n.
func (s *set) empty(n int) {
	if s.marks == nil || len(s.marks) < n {
		s.marks = make([]byte, n)
	} else if s.first <= s.last {
		clear(s.marks[s.first : s.last+1])
	}
	s.first, s.last = int32(len(s.marks)), -1
}

// add adds numbers, in ascending order.
func (s *set) add(numbers ...int32) {
	if len(numbers) == 0 {
		return
	}
	s.first, s.last = min(s.first, numbers[0]), max(s.last, numbers[len(numbers)-1])
	for _, n := range numbers {
		s.marks[n] = 1
	}
}

// Bounds for the tables of a policy: how many numbers their lists may have all together,
// and how often replies may be looked at to make them, which takes some seconds.
const (
	maxListed = 1 << 25
	maxLooked = 1 << 31
)

// errCrowded refuses a source that would exceed these bounds.
var errCrowded = errors.New("its versions are too many and follow each other too quickly")

// scratch is the memory that all tables of a policy share while they are made, and the
// counts for their bounds. A list of consecutive numbers, as most lists are, is a part of
// one long list: so thousands of versions within one span do not take thousands of
// lists.
type scratch struct {
	all         []int32 // 0, 1, 2…
	listed      int
	looked      int64
	copiesFound set // by the last find
}

// look counts looks at replies.
func (s *scratch) look(n int) error {
	if s.looked += int64(n); s.looked > maxLooked {
		return errCrowded
	}
	return nil
}

// list returns the numbers of a set in their order.
func (s *scratch) list(of *set) ([]int32, error) {
	if of.last < of.first {
		return nil, nil
	}
	marks := of.marks[of.first : of.last+1]
	count := bytes.Count(marks, []byte{1})
	if count == len(marks) {
		for n := int32(len(s.all)); n <= of.last; n++ {
			s.all = append(s.all, n)
		}
		return s.all[of.first : of.last+1 : of.last+1], nil
	}
	if s.listed += count; s.listed > maxListed {
		return nil, errCrowded
	}
	list := make([]int32, 0, count)
	for i, mark := range marks {
		if mark != 0 {
			list = append(list, of.first+int32(i))
		}
	}
	return list, nil
}
