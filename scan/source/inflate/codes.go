package inflate

import "encoding/binary"

const (
	// spareIn is how many octets of input one turn of the fast loop may look at: it fills the bit buffer twice, by up to
	// eight octets, and takes at most seven of the first ones.
	spareIn = 16
	// spareOut is how many octets of output it may write: two literals and a match, whose last sixteen octets may be
	// all but one too many.
	spareOut = 2 + 258 + 15
)

// decodeCodes decodes the block of codes from out[n] on, until it ends or out is full. It returns how many octets out has then.
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
		if n, err = r.step(out, n); err != nil {
			return n, err
		}
	}
	return n, nil
}

// step decodes one symbol, for where there is too little input or room for the fast loop.
func (r *Reader) step(out []byte, n int) (int, error) {
	e, err := r.in.symbol(r.literals[:], literalBits)
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
	if e, err = r.in.symbol(r.distances[:], distanceBits); err != nil {
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

// withExtra takes the extra bits of an entry, and returns its length or distance.
func (in *input) withExtra(e entry) (int, error) {
	b, err := in.take(e.take() - e.code())
	return e.value() + int(b), err
}

// match copies as much of the match as there is room for.
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

// fast decodes symbols while there are enough input and room for any symbol, so that it need not ask for each.
func (r *Reader) fast(out []byte, n int) (int, error) {
	src, at, b, nb := r.in.src, r.in.at, r.in.bits, r.in.n
	literals, distances := r.literals, r.distances
	lastIn, lastOut := len(src)-spareIn, len(out)-spareOut
	var err error
loop:
	for at <= lastIn && n <= lastOut {
		// A refill gives at least 56 bits. nb counts whole octets taken; the bits above it in b are those that follow in src, too,
		// so it does no harm to set them again.
		b |= binary.LittleEndian.Uint64(src[at:]) << (nb & 63)
		at += int((63 - nb) >> 3)
		nb |= 56

		e := literals[b&(1<<literalBits-1)]
		if e&literal != 0 {
			b >>= e.take()
			nb -= e.take()
			out[n] = byte(e >> 16)
			n++
			e = literals[b&(1<<literalBits-1)]
			if e&literal != 0 {
				b >>= e.take()
				nb -= e.take()
				out[n] = byte(e >> 16)
				n++
				e = literals[b&(1<<literalBits-1)]
				if e&literal != 0 {
					b >>= e.take()
					nb -= e.take()
					out[n] = byte(e >> 16)
					n++
					continue
				}
			}
		}
		// 22 bits have been taken at most.
		if e&special != 0 {
			if e&link != 0 {
				at := e.linked(b)
				b >>= e.take()
				nb -= e.take()
				e = literals[at]
				if e&literal != 0 {
					b >>= e.take()
					nb -= e.take()
					out[n] = byte(e >> 16)
					n++
					continue
				}
			}
			if e&end != 0 {
				b >>= e.take()
				nb -= e.take()
				r.state = atHeader
				break loop
			}
			if e&invalid != 0 {
				err = ErrCorrupt
				break loop
			}
		}
		length := e.valueWith(b)
		b >>= e.take()
		nb -= e.take()

		b |= binary.LittleEndian.Uint64(src[at:]) << (nb & 63)
		at += int((63 - nb) >> 3)
		nb |= 56

		e = distances[b&(1<<distanceBits-1)]
		if e&special != 0 {
			if e&link != 0 {
				at := e.linked(b)
				b >>= e.take()
				nb -= e.take()
				e = distances[at]
			}
			if e&invalid != 0 {
				err = ErrCorrupt
				break loop
			}
		}
		distance := e.valueWith(b)
		b >>= e.take()
		nb -= e.take()

		if distance >= 16 && distance <= n {
			end := n + length
			from := n - distance
			for {
				copy(out[n:n+16], out[from:from+16])
				n += 16
				from += 16
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
	back := int(nb >> 3)
	at -= back
	nb -= uint(back) << 3
	r.in.at, r.in.bits, r.in.n = at, b&(1<<nb-1), nb
	return n, err
}
