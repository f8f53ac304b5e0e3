package inflate

import (
	"bufio"
	"io"
)

// input takes bits from a bufio.Reader, the lowest bit of an octet first (RFC 1951, section 3.1.1).
//
// Between two steps of the decoder fewer than eight bits are held back: those of the last byte
// taken. So the bufio.Reader is never read further than the stream goes, and is never waited for
// when the next symbol is there already.
type input struct {
	br     *bufio.Reader
	offset int64  // octets discarded from br
	src    []byte // buffered in br
	at     int    // octets taken from src
	bits   uint64 // taken, the next one lowest; above n they are 0
	n      uint   // how many bits these are
}

// look sets src to what is buffered.
func (in *input) look() {
	in.src, _ = in.br.Peek(in.br.Buffered())
}

// drop gives src back to br, as far as it has been taken.
func (in *input) drop() {
	_, _ = in.br.Discard(in.at)
	in.offset += int64(in.at)
	in.src, in.at = nil, 0
}

// dry reports whether br must be read for the next byte.
func (in *input) dry() bool { return in.at == len(in.src) }

// more reads br. It is called when all that is buffered has been taken.
func (in *input) more() error {
	in.drop()
	if _, err := in.br.Peek(1); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	in.look()
	return nil
}

// need takes bytes until there are so many bits.
func (in *input) need(n uint) error {
	for in.n < n {
		if in.dry() {
			if err := in.more(); err != nil {
				return err
			}
		}
		in.bits |= uint64(in.src[in.at]) << in.n
		in.at++
		in.n += 8
	}
	return nil
}

// skip takes bits that are there.
func (in *input) skip(n uint) {
	in.bits >>= n
	in.n -= n
}

// take returns the next bits.
func (in *input) take(n uint) (uint, error) {
	if err := in.need(n); err != nil {
		return 0, err
	}
	b := uint(in.bits & (1<<n - 1))
	in.skip(n)
	return b, nil
}

// symbol takes the next code, and returns its entry. The extra bits after the code are not taken.
// While a code is not there wholly, the zeros after it lead to an entry that is no longer than it
// (codes in ascending order have ascending lengths).
func (in *input) symbol(table []entry, width uint) (entry, error) {
	for {
		e := table[in.bits&(1<<width-1)]
		n := e.code()
		if e&link != 0 {
			n = e.take()
			e = table[e.linked(in.bits)]
			n += e.code()
		}
		if n <= in.n {
			in.skip(n)
			return e, nil
		}
		if err := in.need(in.n + 1); err != nil {
			return 0, err
		}
	}
}
