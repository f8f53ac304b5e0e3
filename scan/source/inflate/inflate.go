// Package inflate decompresses DEFLATE streams (RFC 1951) and gzip members (RFC 1952). It gives the
// same bytes as compress/flate, two to four times as fast.
//
// A DEFLATE stream is a sequence of blocks. Each is stored as it is, or is a sequence of Huffman
// codes, which stand for a byte (a literal), or for a length. A length is followed by a code for
// a distance: so many bytes are to be copied from so far back, at most 32 KiB. The codes of a
// block are fixed, or are told in its header.
//
// Time goes into three things, and each has its answer here.
//
// Codes are looked up in tables (huffman.go). One entry encodes how many bits to take, with the extra
// bits of a length, and what they stand for, so that a symbol costs one load and two shifts.
//
// The ends of the input and of the output buffer are checked once per iteration of a loop
// that has enough of both for any iteration (fast in codes.go). Its 64 bits of input are filled by one
// load. Where there is less of either, one symbol at a time is decoded by code that asks for each
// octet (one).
//
// Bytes are copied once: from their place in the caller's buffer to where they come again, sixteen
// octets at a time. Only the last 32 KiB of a buffer are kept aside for the next call.
//
// Nothing here is unsafe: what a stranger's stream makes of a slice is checked by the compiler's
// code, and the checks that it could not leave out cost less than a tenth of the time.
//
// The files: inflate.go has the Reader, input.go takes bits from the input, block.go reads the
// headers of blocks, huffman.go makes the tables, codes.go decodes with them, and gzip.go reads the
// members of gzip.
package inflate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Errors of damaged data. They come wrapped in an [Error].
var (
	ErrCorrupt  = errors.New("invalid compressed data")
	ErrHeader   = errors.New("invalid gzip header")
	ErrChecksum = errors.New("wrong checksum or length at the end of a gzip member")
)

// Error is an error with its place.
type Error struct {
	Offset int64 // octets of the compressed data before it, from Reset on
	Err    error // ErrCorrupt, ErrHeader, ErrChecksum, io.ErrUnexpectedEOF, or that of the reader underneath
}

// Error returns the cause and the place.
func (e *Error) Error() string { return fmt.Sprintf("%v at octet %d", e.Err, e.Offset) }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

const (
	// window is how far back a match may reach.
	window = 32 << 10
	// direct is the least length of a buffer that is decoded into. At its end 32 KiB are copied, so
	// a shorter one is filled from a buffer of the Reader, which has four times this size.
	direct    = 64 << 10
	ownBuffer = 128 << 10
)

// state is what comes next in a stream.
type state uint8

const (
	atHeader state = iota // of a block
	inStored
	inCodes
	atEnd
)

// Reader decompresses one DEFLATE stream after the other. Reset it before use. It is for one
// goroutine, and allocates nothing after its first use.
type Reader struct {
	in    input
	err   error // sticky
	state state
	final bool // this block is the last one

	stored           int // octets of a stored block that are left
	length, distance int // of a match, of which this many bytes did not fit

	tables *tables // of this block: fixed, or own

	past  int          // how many bytes of the history there are
	own   []byte       // decoded for buffers that are too short
	ready []byte       // the part of own that is not read yet
	dyn   dynamic      // the tables of this block, if it has any
	hist  [window]byte // the bytes before the buffer that is being decoded into, the last one last
}

// dynamic are the tables that a block brings along.
type dynamic struct {
	tables
	codes   [1 << lengthBits]entry
	lengths [numLiterals + numDistances]uint8
}

// Reset makes the Reader read a raw DEFLATE stream that begins at br's next byte.
func (r *Reader) Reset(br *bufio.Reader) {
	r.in = input{br: br}
	r.err, r.state, r.final = nil, atHeader, false
	r.length, r.past, r.ready = 0, 0, nil
}

// Offset is how many bytes have been taken from the bufio.Reader since Reset.
func (r *Reader) Offset() int64 { return r.in.offset }

// Read reads decompressed bytes. It returns those before an error first, and then the error each
// time: io.EOF after the final block, else an *Error. At io.EOF the bufio.Reader is at the byte
// behind the stream. p may be as long as one likes; from 64 KiB on it is decoded into without a
// copy.
func (r *Reader) Read(p []byte) (n int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(r.ready) == 0 && r.err == nil {
		if len(p) >= direct {
			n = r.decode(p)
			if n > 0 {
				return n, nil
			}
			return 0, r.err
		}
		if r.own == nil {
			r.own = make([]byte, ownBuffer)
		}
		r.ready = r.own[:r.decode(r.own)]
	}
	if len(r.ready) == 0 {
		return 0, r.err
	}
	n = copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// decode fills out, or sets err. It returns how many bytes it has written.
func (r *Reader) decode(out []byte) (n int) {
	r.in.look()
	for n < len(out) && r.err == nil {
		switch r.state {
		case atHeader:
			if n > 0 && r.in.dry() { // who wrote this may wait for an answer to it
				out = out[:n]
				break
			}
			r.err = r.header()
		case inStored:
			n, r.err = r.copyStored(out, n)
		case inCodes:
			n, r.err = r.decodeCodes(out, n)
		case atEnd:
			r.err = io.EOF
		}
	}
	if r.state != atEnd {
		r.keep(out[:n])
	}
	r.in.drop()
	if r.err != nil && r.err != io.EOF { //nolint:errorlint // an EOF of ours
		r.err = &Error{r.in.offset, r.err}
	}
	return n
}

// keep keeps the end of what was decoded, for matches that reach back to it.
func (r *Reader) keep(out []byte) {
	r.past = min(r.past+len(out), window)
	if len(out) < window {
		copy(r.hist[:], r.hist[len(out):])
	} else {
		out = out[len(out)-window:]
	}
	copy(r.hist[window-len(out):], out)
}
