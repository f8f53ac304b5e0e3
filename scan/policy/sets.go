package policy

import (
	"bytes"
	"errors"
)

// multiset counts small numbers. The zero value has room for none.
type multiset struct {
	n           []int32 // how often each number is in it
	marks       []byte  // 1 for each number that is in it
	first, last int32   // the least and the greatest of them; last is below first if there is none
	listed      []int32 // the numbers, as memory.list returned them; not valid if changed
	changed     bool
}

// empty takes all numbers out, and makes room for those below n.
func (s *multiset) empty(n int) {
	*s = multiset{n: make([]int32, n), marks: make([]byte, n), first: int32(n), last: -1}
}

// add adds a number, or takes it out, as often as by says.
func (s *multiset) add(number int32, by int8) {
	was := s.n[number] > 0
	s.n[number] += int32(by)
	if was == (s.n[number] > 0) {
		return
	}
	s.changed = true
	if !was {
		s.marks[number] = 1
		s.first, s.last = min(s.first, number), max(s.last, number)
		return
	}
	s.marks[number] = 0
	for s.first <= s.last && s.marks[s.first] == 0 {
		s.first++
	}
	for s.first <= s.last && s.marks[s.last] == 0 {
		s.last--
	}
	if s.last < s.first {
		s.first, s.last = int32(len(s.n)), -1
	}
}

// maxListed bounds how many numbers the lists of all tables of a policy have together.
const maxListed = 1 << 25

// errCrowded refuses a source that would exceed this bound.
var errCrowded = errors.New("its versions are too many and follow each other too quickly")

// memory is what all tables of a policy share. A list of consecutive numbers, as most lists
// are, is a part of one long list: so thousands of versions within one span do not take
// thousands of lists.
type memory struct {
	all    []int32 // 0, 1, 2…
	listed int
}

// list returns the numbers of a set in their order.
func (m *memory) list(of *multiset) (_ []int32, err error) {
	if of.changed {
		of.listed, err = m.newList(of)
		of.changed = err != nil
	}
	return of.listed, err
}

func (m *memory) newList(of *multiset) ([]int32, error) {
	if of.last < of.first {
		return nil, nil
	}
	marks := of.marks[of.first : of.last+1]
	count := bytes.Count(marks, []byte{1})
	if count == len(marks) {
		for n := int32(len(m.all)); n <= of.last; n++ {
			m.all = append(m.all, n)
		}
		return m.all[of.first : of.last+1 : of.last+1], nil
	}
	if m.listed += count; m.listed > maxListed {
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
