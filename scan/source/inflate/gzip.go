package inflate

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// Gzip decompresses gzip members (RFC 1952), one by one. Reset it before use. It isn't safe for
// concurrent use, and allocates nothing after its first use.
//
//	for err = z.Next(); err == nil; err = z.Next() {
//		// read z until io.EOF
//	}
//	// err is io.EOF if the last byte of the input belongs to a member
type Gzip struct {
	r      Reader
	br     *bufio.Reader
	inside bool   // within a member
	err    error  // sticky until Reset
	offset int64  // bytes consumed since Reset for headers, trailers and completed members
	sum    uint32 // of the member's bytes so far
	size   uint32 // their number modulo 2^32
}

// Reset makes the Gzip read members from the next byte of br.
func (z *Gzip) Reset(br *bufio.Reader) {
	z.br, z.inside, z.err, z.offset = br, false, nil, 0
}

// Offset is the number of bytes consumed from the bufio.Reader since Reset.
func (z *Gzip) Offset() int64 {
	if z.inside {
		return z.offset + z.r.Offset()
	}
	return z.offset
}

// Next begins the first member, or the one after a member that has been read completely. It returns
// io.EOF at the end of the input, else an *Error. It consumes nothing if the first two bytes don't
// begin a member.
func (z *Gzip) Next() error {
	if z.err != nil {
		return z.err
	}
	if _, err := z.br.Peek(1); err == io.EOF {
		return io.EOF
	}
	if err := z.header(); err != nil {
		return z.fail(err)
	}
	z.r.Reset(z.br)
	z.inside, z.sum, z.size = true, 0, 0
	return nil
}

// Read reads decompressed bytes of the member, like [Reader.Read]. io.EOF means that their checksum
// and their number modulo 2^32 are correct.
func (z *Gzip) Read(p []byte) (n int, err error) {
	if z.err != nil {
		return 0, z.err
	}
	if !z.inside {
		return 0, io.EOF
	}
	n, err = z.r.Read(p)
	z.sum = crc32.Update(z.sum, crc32.IEEETable, p[:n])
	z.size += uint32(n)
	if err == nil {
		return n, nil
	}
	z.offset, z.inside = z.Offset(), false
	if err != io.EOF { //nolint:errorlint // the Reader's own
		err.(*Error).Offset = z.offset //nolint:errorlint // a new error of the Reader
		z.err = err
		return n, err
	}
	if err := z.trailer(); err != nil {
		return n, z.fail(err)
	}
	return n, io.EOF
}

// fail keeps an error with its offset.
func (z *Gzip) fail(err error) error {
	if err == io.EOF { //nolint:errorlint // an error that wraps it isn't the end
		err = io.ErrUnexpectedEOF
	}
	z.err = &Error{z.offset, err}
	return z.err
}

// next consumes n bytes, at most the size of the smallest buffer. They are valid until the
// bufio.Reader is used again.
func (z *Gzip) next(n int) ([]byte, error) {
	b, err := z.br.Peek(n)
	m, _ := z.br.Discard(len(b))
	z.offset += int64(m)
	return b, err
}

// Flags of a header (RFC 1952, section 2.3.1).
const (
	flagHeaderSum = 1 << 1
	flagExtra     = 1 << 2
	flagName      = 1 << 3
	flagComment   = 1 << 4
	flagsReserved = 7 << 5
)

// header consumes the header of a member.
func (z *Gzip) header() error {
	switch magic, err := z.br.Peek(2); {
	case string(magic) == "\x1f\x8b":
	case err != nil && (err != io.EOF || string(magic) == "\x1f"):
		return err
	default:
		return ErrHeader
	}
	b, err := z.next(10)
	if err != nil {
		return err
	}
	const deflate = 8
	flags := b[3]
	if b[2] != deflate || flags&flagsReserved != 0 {
		return ErrHeader
	}
	sum := crc32.ChecksumIEEE(b)
	if flags&flagExtra != 0 {
		if b, err = z.next(2); err != nil {
			return err
		}
		sum = crc32.Update(sum, crc32.IEEETable, b)
		if sum, err = z.skip(sum, int(binary.LittleEndian.Uint16(b))); err != nil {
			return err
		}
	}
	for _, flag := range []byte{flagName, flagComment} {
		if flags&flag != 0 {
			if sum, err = z.skipString(sum); err != nil {
				return err
			}
		}
	}
	if flags&flagHeaderSum == 0 {
		return nil
	}
	if b, err = z.next(2); err != nil {
		return err
	}
	if binary.LittleEndian.Uint16(b) != uint16(sum) {
		return ErrHeader
	}
	return nil
}

// skip consumes n bytes, and adds them to the checksum of the header.
func (z *Gzip) skip(sum uint32, n int) (uint32, error) {
	for n > 0 {
		if _, err := z.br.Peek(1); err != nil {
			return sum, err
		}
		b, err := z.next(min(n, z.br.Buffered()))
		if err != nil {
			return sum, err
		}
		sum = crc32.Update(sum, crc32.IEEETable, b)
		n -= len(b)
	}
	return sum, nil
}

// skipString consumes bytes up to a 0, and adds them to the checksum of the header.
func (z *Gzip) skipString(sum uint32) (uint32, error) {
	for {
		b, err := z.next(1)
		if err != nil {
			return sum, err
		}
		sum = crc32.Update(sum, crc32.IEEETable, b)
		if b[0] == 0 {
			return sum, nil
		}
	}
}

// trailer consumes and verifies the checksum and the length of a member.
func (z *Gzip) trailer() error {
	b, err := z.next(8)
	if err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(b) != z.sum || binary.LittleEndian.Uint32(b[4:]) != z.size {
		return ErrChecksum
	}
	return nil
}
