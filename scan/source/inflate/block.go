package inflate

// The types of blocks (RFC 1951, section 3.2.3).
const (
	typeStored = iota
	typeFixed
	typeDynamic
)

// header reads the header of a block, or detects the end of the stream.
func (r *Reader) header() error {
	if r.final {
		r.in.bits, r.in.n = 0, 0 // skip to the next byte
		r.state = atEnd
		return nil
	}
	b, err := r.in.take(3)
	if err != nil {
		return err
	}
	r.final = b&1 != 0
	switch b >> 1 {
	case typeStored:
		return r.storedHeader()
	case typeFixed:
		r.tables = fixed()
	case typeDynamic:
		if err := r.dynamicHeader(); err != nil {
			return err
		}
		r.tables = &r.dyn.tables
	default:
		return ErrCorrupt
	}
	r.state = inCodes
	return nil
}

// storedHeader reads the length of a stored block (RFC 1951, section 3.2.4).
func (r *Reader) storedHeader() error {
	r.in.bits, r.in.n = 0, 0 // skip to the next byte
	b, err := r.in.take(32)
	if err != nil {
		return err
	}
	if b&0xffff != ^b>>16&0xffff {
		return ErrCorrupt
	}
	r.stored = int(b & 0xffff)
	r.state = inStored
	return nil
}

// copyStored copies bytes of a stored block to out[n:], and returns the new length.
func (r *Reader) copyStored(out []byte, n int) (int, error) {
	if r.stored == 0 {
		r.state = atHeader
		return n, nil
	}
	if r.in.dry() {
		if err := r.in.more(); err != nil {
			return n, err
		}
	}
	m := copy(out[n:], r.in.src[r.in.at:min(r.in.at+r.stored, len(r.in.src))])
	r.in.at += m
	r.stored -= m
	return n + m, nil
}

var lengthOrder = [numLengths]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamicHeader reads the codes of a block (RFC 1951, section 3.2.7).
func (r *Reader) dynamicHeader() error {
	b, err := r.in.take(5 + 5 + 4)
	if err != nil {
		return err
	}
	literals, distances, codes := int(b&31)+257, int(b>>5&31)+1, int(b>>10)+4
	if literals > numLiterals || distances > numDistances {
		return ErrCorrupt
	}
	var ofLengths [numLengths]uint8
	for _, symbol := range lengthOrder[:codes] {
		b, err := r.in.take(3)
		if err != nil {
			return err
		}
		ofLengths[symbol] = uint8(b)
	}
	d := &r.dyn
	if !build(d.codes[:], lengthBits, lengthSymbols[:], ofLengths[:]) {
		return ErrCorrupt
	}
	lengths := d.lengths[:literals+distances]
	if err := r.readLengths(lengths); err != nil {
		return err
	}
	if !build(d.literals[:], literalBits, literalSymbols[:], lengths[:literals]) ||
		!build(d.distances[:], distanceBits, distanceSymbols[:], lengths[literals:]) {
		return ErrCorrupt
	}
	return nil
}

// readLengths reads the code lengths of literals and distances, which form one sequence.
func (r *Reader) readLengths(lengths []uint8) error {
	for i := 0; i < len(lengths); {
		e, err := r.in.symbol(r.dyn.codes[:], lengthBits)
		if err != nil {
			return err
		}
		if e&invalid != 0 {
			return ErrCorrupt
		}
		if e.value() < 16 {
			lengths[i] = uint8(e.value())
			i++
			continue
		}
		n, err := r.repeat(e.value(), lengths, i)
		if err != nil {
			return err
		}
		i += n
	}
	return nil
}

// repeat writes a length several times from i on, and returns how often. The length is the previous
// one (16) or 0 (17, 18).
func (r *Reader) repeat(symbol int, lengths []uint8, i int) (n int, err error) {
	var length uint8
	extra, least := uint(2), 3
	switch symbol {
	case 16:
		if i == 0 {
			return 0, ErrCorrupt
		}
		length = lengths[i-1]
	case 17:
		extra = 3
	case 18:
		extra, least = 7, 11
	}
	b, err := r.in.take(extra)
	if err != nil {
		return 0, err
	}
	if n = least + int(b); n > len(lengths)-i {
		return 0, ErrCorrupt
	}
	for j := range lengths[i : i+n] {
		lengths[i+j] = length
	}
	return n, nil
}
