package inflate

import "encoding/binary"

const (
	// step is the number of bytes copied at a time in a match: one load and one store of an SSE
	// register.
	step = 16
	// spareIn is the number of input bytes that one iteration of the fast loop may examine. It refills
	// its bits twice, each time from eight bytes, and consumes at most seven of the first eight.
	spareIn = 7 + 8
	// spareOut is the number of output bytes that an iteration may write: two literals, and a match
	// copied in whole steps.
	spareOut = 2 + 258 + step - 1
)

// decodeCodes decodes the block of codes to out[n:], until it ends or out is full. It returns the
// new length.
func (r *Reader) decodeCodes(out []byte, n int) (int, error) {
	for n < len(out) && r.state == inCodes {
		if r.length > 0 {
			n = r.match(out, n)
			continue
		}
		if len(r.in.src)-r.in.at >= spareIn && len(out)-n >= spareOut {
			var err error
			if n, err = r.fast(out, n); err != nil || r.state != inCodes {
				return n, err
			}
		}
		var err error
		if n, err = r.one(out, n); err != nil {
			return n, err
		}
	}
	return n, nil
}

// one decodes one symbol, when input or output is too short for the fast loop.
func (r *Reader) one(out []byte, n int) (int, error) {
	e, err := r.in.symbol(r.tables.literals[:], literalBits)
	switch {
	case err != nil:
		return n, err
	case e&literal != 0:
		out[n] = byte(e.value())
		return n + 1, nil
	case e&end != 0:
		r.state = atHeader
		return n, nil
	case e&invalid != 0:
		return n, ErrCorrupt
	}
	length, err := r.in.withExtra(e)
	if err != nil {
		return n, err
	}
	if e, err = r.in.symbol(r.tables.distances[:], distanceBits); err != nil {
		return n, err
	}
	if e&invalid != 0 {
		return n, ErrCorrupt
	}
	distance, err := r.in.withExtra(e)
	if err != nil {
		return n, err
	}
	if distance > n+r.past {
		return n, ErrCorrupt
	}
	r.length, r.distance = length, distance
	return n, nil
}

// withExtra consumes the extra bits of an entry, and returns its length or distance.
func (in *input) withExtra(e entry) (int, error) {
	b, err := in.take(e.take() - e.code())
	return e.value() + int(b), err
}

// match copies as much of the match as fits.
func (r *Reader) match(out []byte, n int) int {
	end := min(n+r.length, len(out))
	r.length -= end - n
	if back := r.distance - n; back > 0 { // it begins before out
		n += copy(out[n:end], r.hist[window-back:])
	}
	for n < end {
		n += copy(out[n:end], out[n-r.distance:n])
	}
	return n
}

// fast decodes symbols while input and output suffice for any symbol. It is long because inlining
// keeps its variables in registers.
//
// Above the nb bits consumed from src, bits may hold further bits of src, so a refill may set these
// again. Only the lowest six bits of nb count, so that an entry can be subtracted directly. The
// entry of the next symbol is looked up before the bytes of a match are copied, because everything
// else depends on it.
func (r *Reader) fast(out []byte, n int) (int, error) {
	src, at, b, nb, t := r.in.src, r.in.at, r.in.bits, r.in.n, r.tables
	lastIn, lastOut := len(src)-spareIn, len(out)-spareOut
	if at > lastIn || n > lastOut {
		return n, nil
	}
	var err error
	b |= next(src, at) << (nb & 63)
	at, nb = at+taken(nb), nb|56
	e := t.literals[b&(1<<literalBits-1)]
loop:
	for at <= lastIn && n <= lastOut {
		if e&literal != 0 { // 56 bits suffice for two literals, and a length or a third
			b >>= e.take()
			nb -= uint(e)
			out[n] = e.literal()
			n++
			e = t.literals[b&(1<<literalBits-1)]
			if e&literal != 0 {
				b >>= e.take()
				nb -= uint(e)
				out[n] = e.literal()
				n++
				e = t.literals[b&(1<<literalBits-1)]
				if e&literal != 0 {
					b >>= e.take()
					nb -= uint(e)
					out[n] = e.literal()
					n++
					b |= next(src, at) << (nb & 63)
					at, nb = at+taken(nb), nb|56
					e = t.literals[b&(1<<literalBits-1)]
					continue
				}
			}
		}
		if e&special != 0 {
			if e&link != 0 {
				i := e.linked(b)
				b >>= e.take()
				nb -= uint(e)
				e = t.literals[i]
			}
			switch {
			case e&literal != 0:
				b >>= e.take()
				nb -= uint(e)
				out[n] = e.literal()
				n++
				b |= next(src, at) << (nb & 63)
				at, nb = at+taken(nb), nb|56
				e = t.literals[b&(1<<literalBits-1)]
				continue
			case e&end != 0:
				b >>= e.take()
				nb -= uint(e)
				r.state = atHeader
				break loop
			case e&invalid != 0:
				nb -= uint(e)
				err = ErrCorrupt
				break loop
			}
		}
		length := e.valueWith(b)
		b >>= e.take()
		nb -= uint(e)
		b |= next(src, at) << (nb & 63)
		at, nb = at+taken(nb), nb|56

		e = t.distances[b&(1<<distanceBits-1)]
		if e&special != 0 {
			if e&link != 0 {
				i := e.linked(b)
				b >>= e.take()
				nb -= uint(e)
				e = t.distances[i]
			}
			if e&invalid != 0 {
				nb -= uint(e)
				err = ErrCorrupt
				break loop
			}
		}
		distance := e.valueWith(b)
		b >>= e.take()
		nb -= uint(e)
		e = t.literals[b&(1<<literalBits-1)]
		b |= next(src, at) << (nb & 63)
		at, nb = at+taken(nb), nb|56

		if distance >= step && distance <= n {
			end := n + length
			from := n - distance
			for {
				copy(out[n:n+step], out[from:from+step])
				n += step
				from += step
				if n >= end {
					break
				}
			}
			n = end
			continue
		}
		if distance > n+r.past {
			err = ErrCorrupt
			break loop
		}
		r.length, r.distance = length, distance
		n = r.match(out, n)
	}
	nb &= 63
	at -= int(nb >> 3) // return whole bytes
	nb &= 7
	r.in.at, r.in.bits, r.in.n = at, b&(1<<nb-1), nb
	return n, err
}

// next returns the eight bytes of src from at on as bits.
func next(src []byte, at int) uint64 { return binary.LittleEndian.Uint64(src[at:]) }

// taken is the number of bytes consumed by a refill: as many as fit wholly above nb bits.
func taken(nb uint) int { return int(^nb >> 3 & 7) }
