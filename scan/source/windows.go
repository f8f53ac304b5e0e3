package source

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// ordinaryWindow is the largest window that every stream may have: the one used by zstd up to level 19 and
// of xz up to level 6.
const ordinaryWindow = 8 << 20

// MaxWindow is the largest window allowed, as in the commands zstd and xz without special flags.
const MaxWindow = 128 << 20

// Windows bounds the windows of zstd streams, and the dictionaries of xz streams, that are open at
// the same time. Each stream may use up to 8 MiB. A larger window has to wait until no other
// stream being read has one. There may be two more, each of them only while nothing else takes
// memory: one for a file whose first lines are examined, and one for a pipe, from when it is opened. It is
// safe for concurrent use.
type Windows struct {
	limit                 int64
	reading, glance, pipe chan struct{}
}

// NewWindows returns the bound for windows of up to limit bytes: never less than 8 MiB, and never
// more than 128 MiB, which 0 stands for.
func NewWindows(limit int64) *Windows {
	if limit <= 0 {
		limit = MaxWindow
	}
	slot := func() chan struct{} { return make(chan struct{}, 1) }
	return &Windows{limit: min(max(limit, ordinaryWindow), MaxWindow), reading: slot(), glance: slot(), pipe: slot()}
}

// Largest is the largest window that there is memory for besides ordinary ones; 0 if there is none.
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
	Window, Limit int64 // in bytes; of two pipes with such a window, the second has a Limit of 8 MiB
}

// Error names the sizes.
func (e *WindowError) Error() string {
	name := "window"
	if e.Codec == sniff.Xz.String() {
		name = "dictionary"
	}
	return fmt.Sprintf("%s %s of %d MiB is larger than %d MiB", e.Codec, name, e.Window>>20, e.Limit>>20)
}

// window is the right of one stream to a large window.
type window struct {
	of      *Windows
	slot    chan struct{} // of the three
	waits   bool          // for the slot, if it is taken
	stop    <-chan struct{}
	widened bool
}

// newWindow returns the right of a regular file, or of a member, to a window. stop is that of its
// Reader, or nil if there is none.
func newWindow(of *Windows, stop <-chan struct{}) *window {
	w := &window{of: cmp.Or(of, defaultWindows), stop: stop, waits: true}
	w.slot = w.of.reading
	if stop == nil {
		w.slot = w.of.glance
	}
	return w
}

var errStoppedWaiting = errors.New("reading was stopped before there was memory for the window")

// widen waits until the stream may have a window of so many bytes.
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

// free gives the right back.
func (w *window) free() {
	if w.widened {
		<-w.slot
		w.widened = false
	}
}
