package inflate

import (
	"bufio"
	"io"
)

// input consumes bits from a bufio.Reader, the lowest bit of a byte first (RFC 1951, section
// 3.1.1).
//
// Between two steps of the decoder it holds fewer than eight bits, all from the last consumed byte.
// So it never reads the bufio.Reader beyond the stream, and never waits for it if the next symbol
// is already available.
type input struct {
	br     *bufio.Reader
	offset int64  // bytes discarded from br
	src    []byte // buffered in br
	at     int    // bytes consumed from src
	bits   uint64 // consumed bits, the next one lowest; those above n are 0
	n      uint   // number of bits
}

// look sets src to the buffered bytes.
func (in *input) look() {
	in.src, _ = in.br.Peek(in.br.Buffered())
}

// drop discards the consumed part of src from br.
func (in *input) drop() {
	_, _ = in.br.Discard(in.at)
	in.offset += int64(in.at)
	in.src, in.at = nil, 0
}

// dry reports whether the next byte requires a read from br.
func (in *input) dry() bool { return in.at == len(in.src) }

// more reads from br. It is called when all buffered bytes have been consumed.
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

// need consumes bytes until there are n bits.
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

// skip discards available bits.
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

// symbol consumes the next code, but not its extra bits, and returns its entry. For an incomplete
// code, the zeros after it select an entry that is not longer (codes in ascending order have
// ascending lengths).
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
