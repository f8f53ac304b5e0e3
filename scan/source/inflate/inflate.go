// Package inflate decompresses DEFLATE streams (RFC 1951) and gzip members (RFC 1952). It gives the
// same bytes as compress/flate, two to four times as fast.
//
// A DEFLATE stream is a sequence of blocks. A block is either stored uncompressed or is a sequence
// of Huffman codes. A code stands for a byte (a literal) or for a length, which is followed by a
// code for a distance: that many bytes are copied from that far back, at most 32 KiB. The codes of
// a block are fixed, or described in its header.
//
// Most of the time goes into three things.
//
// Codes are looked up in tables (huffman.go). One entry encodes how many bits to consume, including
// the extra bits of a length, and their meaning, so that a symbol costs one load and two shifts.
//
// The bounds of input and output are checked once per iteration, in a loop that runs while both
// suffice for any iteration (fast in codes.go). A single load fills its 64 bits of input. Near the
// bounds, code that checks each byte decodes one symbol at a time (one).
//
// Bytes are copied once, from their first place in the caller's buffer to the next, sixteen bytes
// at a time. Only the last 32 KiB of a buffer are saved for the next call.
//
// No code here is unsafe. The compiler checks all slice accesses that depend on the input, and the
// remaining checks cost less than a tenth of the time.
//
// The files: inflate.go has the Reader, input.go consumes bits of the input, block.go reads the
// headers of blocks, huffman.go builds the tables, codes.go decodes with them, and gzip.go reads
// gzip members.
package inflate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Errors for damaged data. They are wrapped in an [Error].
var (
	ErrCorrupt  = errors.New("invalid compressed data")
	ErrHeader   = errors.New("invalid gzip header")
	ErrChecksum = errors.New("wrong checksum or length at the end of a gzip member")
)

// Error is an error with its offset.
type Error struct {
	Offset int64 // bytes of compressed data before it, since Reset
	Err    error // ErrCorrupt, ErrHeader, ErrChecksum, io.ErrUnexpectedEOF, or an error of the underlying reader
}

// Error returns the cause and the offset.
func (e *Error) Error() string { return fmt.Sprintf("%v at octet %d", e.Err, e.Offset) }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

const (
	// window is how far back a match may reach.
	window = 32 << 10
	// direct is the minimum length of a buffer for decoding directly into it. At its end 32 KiB are
	// copied, so shorter buffers are filled from a buffer of the Reader, which is four times that
	// size.
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

// Reader decompresses DEFLATE streams. Reset it before use. It isn't safe for concurrent use, and
// allocates nothing after its first use.
type Reader struct {
	in    input
	err   error // sticky
	state state
	final bool // this is the last block

	stored           int // remaining bytes of a stored block
	length, distance int // of the rest of a match that didn't fit

	tables *tables // of this block: fixed, or dyn

	past  int          // bytes in the history
	own   []byte       // decoded for buffers that are too short
	ready []byte       // unread part of own
	dyn   dynamic      // tables of a block with dynamic codes
	hist  [window]byte // the bytes before the current output buffer, the last one last
}

// dynamic are the tables of a block with dynamic codes.
type dynamic struct {
	tables
	codes   [1 << lengthBits]entry
	lengths [numLiterals + numDistances]uint8
}

// Reset makes the Reader read a raw DEFLATE stream from the next byte of br.
func (r *Reader) Reset(br *bufio.Reader) {
	r.in = input{br: br}
	r.err, r.state, r.final = nil, atHeader, false
	r.length, r.past, r.ready = 0, 0, nil
}

// Offset is the number of bytes consumed from the bufio.Reader since Reset.
func (r *Reader) Offset() int64 { return r.in.offset }

// Read reads decompressed bytes. It returns the bytes before an error first, then the error each
// time: io.EOF after the final block, else an *Error. At io.EOF the bufio.Reader is at the byte
// after the stream. p may have any length; from 64 KiB on no copy is needed.
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

// decode fills out, or sets err. It returns the number of bytes written.
func (r *Reader) decode(out []byte) (n int) {
	r.in.look()
	for n < len(out) && r.err == nil {
		switch r.state {
		case atHeader:
			if n > 0 && r.in.dry() { // the writer may be waiting for an answer
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

// keep saves the end of the output, for matches that reach back to it.
func (r *Reader) keep(out []byte) {
	r.past = min(r.past+len(out), window)
	if len(out) < window {
		copy(r.hist[:], r.hist[len(out):])
	} else {
		out = out[len(out)-window:]
	}
	copy(r.hist[window-len(out):], out)
}
