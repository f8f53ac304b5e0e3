package source

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// ordinaryWindow is the largest window that every stream may use: that of zstd up to level 19 and
// of xz up to level 6.
const ordinaryWindow = 8 << 20

// MaxWindow is the largest permitted window, as in the commands zstd and xz without special flags.
const MaxWindow = 128 << 20

// Windows limits the windows of zstd streams, and the dictionaries of xz streams, that are open at
// the same time. Each stream may use up to 8 MiB. A larger window must wait until no other stream
// being read has one. Two more are permitted while nothing else uses the memory: one for a file
// whose first lines are examined, and one for a pipe, as soon as it is opened. It is safe for
// concurrent use.
type Windows struct {
	limit                 int64
	reading, glance, pipe chan struct{}
}

// NewWindows returns a limit of at least 8 MiB and at most 128 MiB for windows; 0 means 128 MiB.
func NewWindows(limit int64) *Windows {
	if limit <= 0 {
		limit = MaxWindow
	}
	slot := func() chan struct{} { return make(chan struct{}, 1) }
	return &Windows{limit: min(max(limit, ordinaryWindow), MaxWindow), reading: slot(), glance: slot(), pipe: slot()}
}

// Largest is the largest window that fits into memory besides ordinary ones, or 0 if none does.
func (w *Windows) Largest() int64 {
	if w.limit == ordinaryWindow {
		return 0
	}
	return w.limit
}

var defaultWindows = NewWindows(0)

// WindowError is the error of a stream whose window is too large.
type WindowError struct {
	Codec         string
	Window, Limit int64 // in bytes; of two pipes with large windows, the second has a Limit of 8 MiB
}

// Error includes the sizes.
func (e *WindowError) Error() string {
	name := "window"
	if e.Codec == sniff.Xz.String() {
		name = "dictionary"
	}
	return fmt.Sprintf("%s %s of %d MiB is larger than %d MiB", e.Codec, name, e.Window>>20, e.Limit>>20)
}

// window is a stream's right to a large window.
type window struct {
	of      *Windows
	slot    chan struct{} // one of three
	waits   bool          // it waits for the slot, if that is taken
	stop    <-chan struct{}
	widened bool
}

// newWindow returns the window right of a regular file or of a member. stop belongs to its Reader;
// it is nil without a Reader.
func newWindow(of *Windows, stop <-chan struct{}) *window {
	w := &window{of: cmp.Or(of, defaultWindows), stop: stop, waits: true}
	w.slot = w.of.reading
	if stop == nil {
		w.slot = w.of.glance
	}
	return w
}

var errStoppedWaiting = errors.New("reading was stopped before there was memory for the window")

// widen waits until the stream may use a window of the given size.
func (w *window) widen(c sniff.Codec, bytes int64) error {
	switch {
	case bytes <= ordinaryWindow:
		return nil
	case bytes > w.of.limit:
		return &WindowError{c.String(), bytes, w.of.limit}
	case w.widened:
		return nil
	case !w.waits:
		select {
		case w.slot <- struct{}{}:
		default:
			return &WindowError{c.String(), bytes, ordinaryWindow}
		}
	default:
		select {
		case w.slot <- struct{}{}:
		case <-w.stop:
			return errStoppedWaiting
		}
	}
	w.widened = true
	return nil
}

// free releases the right.
func (w *window) free() {
	if w.widened {
		<-w.slot
		w.widened = false
	}
}
