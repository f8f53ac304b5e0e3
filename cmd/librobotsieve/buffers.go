package main

import (
	"bytes"

	"github.com/robotsieve/robotsieve/scan/filter"
)

// texts are n texts in one buffer of the caller. wide or narrow has n+1 offsets: their beginnings and the
// end of the last. Without, unless it is one text, each is followed by a NUL, or padded with NULs.
type texts struct {
	data   []byte // with ended, the unread data
	n      int
	one    bool
	ended  bool // a NUL follows each text
	wide   []uint64
	narrow []uint32
}

// next returns text i, a view of the buffer. It is called once per text, in order.
func (t *texts) next(i int) ([]byte, error) {
	var from, to uint64
	switch {
	case t.wide != nil:
		from, to = t.wide[i], t.wide[i+1]
	case t.narrow != nil:
		from, to = uint64(t.narrow[i]), uint64(t.narrow[i+1])
	case t.one:
		return t.data, nil
	case t.ended:
		return t.nextEnded(i)
	default:
		width := len(t.data) / t.n
		return trimNULs(t.data[i*width:][:width]), nil
	}
	if from > to || to > uint64(len(t.data)) {
		return nil, usage("URL %d: from %d to %d of a buffer of %d bytes", i, from, to, len(t.data))
	}
	return t.data[from:to], nil
}

func (t *texts) nextEnded(i int) ([]byte, error) {
	text := t.data
	end := bytes.IndexByte(text, 0)
	if end < 0 || i == t.n-1 && end < len(text)-1 {
		return nil, usage("%d URLs have as many NULs, one behind each, and nothing else is behind the last", t.n)
	}
	t.data = text[end+1:]
	return text[:end], nil
}

func trimNULs(text []byte) []byte {
	end := bytes.IndexByte(text, 0)
	switch {
	case end < 0:
		return text
	case len(text)-end <= len(nuls) && bytes.Equal(text[end:], nuls[:len(text)-end]):
		return text[:end]
	}
	return bytes.TrimRight(text, "\x00")
}

var nuls [1 << 10]byte

func (t *texts) each(judge func(i int, url []byte)) error {
	for i := range t.n {
		url, err := t.next(i)
		if err != nil {
			return err
		}
		judge(i, url)
	}
	return nil
}

// answers are the caller's buffers for the answers about some URLs. Any of them may be nil.
type answers struct {
	allowed []byte // a bit per URL, the lowest for the first
	reasons []byte
	lines   []int32
	last    int64 // for the last URL, as robotsieve_match returns it
}

func (a *answers) set(i int, class filter.Class, line uint32) {
	if a.allowed != nil {
		if i%8 == 0 {
			a.allowed[i/8] = 0
		}
		if class == filter.Allowed {
			a.allowed[i/8] |= 1 << (i % 8)
		}
	}
	if a.reasons != nil {
		a.reasons[i] = byte(class)
	}
	if a.lines != nil {
		a.lines[i] = int32(line)
	}
	a.last = int64(line)<<8 | int64(class)
}
