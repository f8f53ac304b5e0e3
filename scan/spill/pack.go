package spill

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// A packed payload is a byte that says how, and then the payload, or its length in four bytes and
// the payload as flate.
const (
	packedPlain = iota
	packedFlate
)

// packFrom is how long the records of a block are on average, in bytes, from which on it is compressed. The prefixes that
// records share are not written anyway, so that it pays for long records alone.
const packFrom = 256

// unpackerBytes is about what an unpacker takes besides the payload.
const unpackerBytes = 48 << 10

// packer packs payloads.
type packer struct {
	out bytes.Buffer
	zip *flate.Writer
}

func newPacker() *packer {
	p := &packer{}
	p.zip, _ = flate.NewWriter(&p.out, flate.BestSpeed) // the level is valid
	return p
}

// pack returns a block, which has so many records, with a packed payload. It is valid until the next call.
func (p *packer) pack(block []byte, records int) []byte {
	payload := block[blockHead:]
	p.out.Reset()
	p.out.Write(block[:blockHead])
	if len(payload) < packFrom*records {
		p.out.WriteByte(packedPlain)
		p.out.Write(payload)
		return p.out.Bytes()
	}
	p.out.WriteByte(packedFlate)
	p.out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(payload))))
	p.zip.Reset(&p.out)
	_, _ = p.zip.Write(payload) // a buffer never fails
	_ = p.zip.Close()
	return p.out.Bytes()
}

// unpacker unpacks payloads.
type unpacker struct {
	from bytes.Reader
	zip  io.ReadCloser // nil before the first
	data []byte
}

// unpack returns the payload, which is valid until the next call.
func (u *unpacker) unpack(packed []byte) ([]byte, error) {
	if packed[0] == packedPlain {
		return packed[1:], nil
	}
	n := int(binary.LittleEndian.Uint32(packed[1:]))
	u.from.Reset(packed[5:])
	if u.zip == nil {
		u.zip = flate.NewReader(&u.from)
	} else {
		_ = u.zip.(flate.Resetter).Reset(&u.from, nil) // it never fails
	}
	u.data = slices.Grow(u.data[:0], n)[:n]
	if _, err := io.ReadFull(u.zip, u.data); err != nil {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	return u.data, nil
}
