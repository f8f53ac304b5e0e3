package source

import (
	"errors"
	"fmt"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/sniff"
)

// Range is a part of a plain file: its bytes From to To, both where lines begin or the file ends.
// The zero value is the whole file.
type Range struct {
	From, To int64
	Of       int64 // bytes of the file; 0 if nobody has asked
	Line     int64 // how many lines are before it, if somebody has counted them
}

// NewRange returns an input of the lines in a part of a plain file. Head returns the beginning of
// the file, though: it tells what the lines are.
func NewRange(name string, r Range) (*Input, error) {
	in, err := NewFile(name)
	if err != nil {
		return nil, err
	}
	if !in.regular || r.From < 0 || r.From >= r.To || r.To > in.Size {
		return nil, newError(name, -1, fmt.Errorf("has no bytes from %d to %d", r.From, r.To))
	}
	in.part, in.Size = r, r.To-r.From
	in.codec.Store(int32(sniff.Plain))
	return in, nil
}

// NewUnread returns an input that cannot be read, for the reason of an error: a file, or a part of
// it. Head and Open fail with the reason, as one of name, whatever the name in err, which may be
// that of a copy.
func NewUnread(name string, r Range, err error) *Input {
	if e := (*Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return &Input{Name: name, Size: -1, part: r, fault: err}
}

// Range returns which part of its file the input is.
func (in *Input) Range() Range { return in.part }

// isPart tells whether the input is a part of a file.
func (in *Input) isPart() bool { return in.part.To > 0 }

// Divide returns the ranges, of about size bytes, into which a file can be divided. There are none
// if it is not larger, and of an archive or what is not a plain file. Errors are *Error.
func (in *Input) Divide(size int64) (ranges []Range, err error) {
	if size <= 0 || in.Size <= size || in.member != nil || in.isPart() ||
		in.archiveKind() != "" || in.Codec() != sniff.Plain.String() {
		return nil, nil
	}
	f, err := disk.Open(in.path)
	if err != nil {
		return nil, newError(in.Name, -1, err)
	}
	defer f.Close()
	buf := make([]byte, searchBuffer)
	for from := int64(0); from < in.Size; {
		to := in.Size
		if to-from > size {
			if to, _, err = nextLine(f, from+size, in.Size, buf); err != nil {
				return nil, newError(in.Name, to, err)
			}
		}
		ranges = append(ranges, Range{From: from, To: to, Of: in.Size})
		from = to
	}
	if len(ranges) == 1 {
		return nil, nil
	}
	return ranges, nil
}
