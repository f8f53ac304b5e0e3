package spill

import (
	"bufio"
	"cmp"
	"compress/flate"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// Blobs keeps byte strings of any length, each distinct one once, told by its SHA-256. Those
// that have no room in memory go to a temporary file, compressed. It is made by NewBlobs. One
// goroutine at a time may call its methods, but Append may be called by any number of them
// while nothing else is.
type Blobs struct {
	room int64

	numbers map[[sha256.Size]byte]uint32
	places  []place
	memory  [][]byte
	held    int64 // bytes of memory

	file *Temporary // nil until something is spilled
	end  int64      // of the last string in the file
	buf  *bufio.Writer
	zip  *flate.Writer
	zips sync.Pool // of readers
}

// place says where a string is.
type place struct {
	at   int64 // in the file; or, if negative, ^at in memory
	size int
}

// NewBlobs returns an empty Blobs, which holds strings in memory until they take room bytes.
// The temporary file is in os.TempDir, and is made when it is needed.
func NewBlobs(room int64) *Blobs {
	return &Blobs{room: room, numbers: map[[sha256.Size]byte]uint32{}}
}

// Add keeps a copy of data and returns its number: that of equal data added before, or else
// how many distinct strings were added before. An error is one of the temporary file.
func (b *Blobs) Add(data []byte) (number int, err error) {
	sum := sha256.Sum256(data)
	if n, there := b.numbers[sum]; there {
		return int(n), nil
	}
	if uint64(len(b.places)) == math.MaxUint32 {
		return 0, errors.New("spill: too many strings")
	}
	p := place{size: len(data)}
	if size := int64(len(data)); b.held+size <= b.room {
		b.memory, b.held, p.at = append(b.memory, slices.Clone(data)), b.held+size, ^int64(len(b.memory))
	} else if p.at, err = b.spill(data); err != nil {
		return 0, err
	}
	number = len(b.places)
	b.numbers[sum], b.places = uint32(number), append(b.places, p)
	return number, nil
}

// spill writes a string to the end of the file, and returns where it begins.
func (b *Blobs) spill(data []byte) (at int64, err error) {
	if b.file == nil {
		if b.file, err = createTemp("", disk.OpenUnnamed); err != nil {
			return 0, fmt.Errorf("%w: %w", errTemporary, err)
		}
	}
	to := io.NewOffsetWriter(b.file, b.end)
	if b.zip == nil {
		b.buf = bufio.NewWriterSize(to, maxBlock)
		b.zip, _ = flate.NewWriter(b.buf, flate.BestSpeed) // the level is valid
	}
	b.buf.Reset(to)
	b.zip.Reset(b.buf)
	_, err = b.zip.Write(data)
	if err = cmp.Or(err, b.zip.Close(), b.buf.Flush()); err != nil {
		return 0, fmt.Errorf("%w: %w", errTemporary, err)
	}
	at = b.end
	b.end, _ = to.Seek(0, io.SeekCurrent) // which never fails
	b.end += at
	return at, nil
}

// Append appends the string with a number to dst. An error is one of the temporary file.
func (b *Blobs) Append(dst []byte, number int) ([]byte, error) {
	p := b.places[number]
	if p.at < 0 {
		return append(dst, b.memory[^p.at]...), nil
	}
	dst = slices.Grow(dst, p.size)
	data := dst[len(dst) : len(dst)+p.size]
	from := io.NewSectionReader(b.file, p.at, b.end-p.at)
	r, _ := b.zips.Get().(io.ReadCloser)
	if r == nil {
		r = flate.NewReader(from)
	} else {
		_ = r.(flate.Resetter).Reset(from, nil) // it never fails
	}
	defer b.zips.Put(r)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("%w: %w", errTemporary, err)
	}
	return dst[:len(dst)+p.size], nil
}

// Close frees the memory and removes the temporary file, if there is one. Nothing may be
// called after it.
func (b *Blobs) Close() error {
	b.memory, b.numbers = nil, nil
	if b.file == nil {
		return nil
	}
	return b.file.Close()
}
