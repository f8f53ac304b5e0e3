package filter

import (
	"bytes"
	"cmp"
	"errors"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/source"
)

// worker judges the lines of chunks, one chunk at a time. It belongs to one
// goroutine.
type worker struct {
	config  *Config
	prints  [Classes]bool
	sites   *sites
	last    *slot // of the line before
	targets site  // of lines that are request targets
	scratch automaton.Scratch
	quoted  *atomic.Bool // no more quotes are needed

	out outcome // of the chunk
}

// outcome is the result for one chunk.
type outcome struct {
	kept  []byte // the lines to print: a view of the chunk
	open  bool   // the last of them has no newline
	count [Classes]int64
	// misencoded is Summary.Misencoded.
	misencoded int64
	quotes     []Quote // Line counts from the beginning of the chunk
	err        error   // of the policy: then nothing else is valid
}

func newWorker(c *Config, quoted *atomic.Bool) *worker {
	w := &worker{config: c, prints: c.prints(), sites: newSites(c), quoted: quoted}
	w.last = &w.sites.slots[0]
	switch {
	case c.Site == nil:
		w.targets.class = NotAbsolute
	case c.Site.Unreachable:
		w.targets.class = Unreachable
	default:
		w.targets.machine = c.Site.Machine
	}
	return w
}

// ErrFault is the error of a run whose rules could no longer be read from memory,
// because they are in a mapped file that has become shorter.
var ErrFault = errors.New("the rules are no longer there: their file has been changed while in use")

// guarded is like chunk, but returns a memory fault as an error. Rules may be views
// of a mapped file, and a file that becomes shorter must not end the process.
func (w *worker) guarded(c *source.Chunk, failed func() bool) (out outcome) {
	err := disk.Faults(func() error {
		out = w.chunk(c, failed)
		return nil
	})
	if err != nil {
		out = outcome{err: ErrFault}
	}
	return out
}

// chunk judges the lines of a chunk. failed tells whether its input could not be
// read to the end; it is called only if the last line has no newline.
//
// The lines to print are moved to the beginning of the chunk, over the dropped
// ones, and adjacent lines are moved together.
func (w *worker) chunk(c *source.Chunk, failed func() bool) outcome {
	w.out = outcome{}
	w.sites.refresh()
	data := c.Data
	if c.Cut > 0 {
		w.settle(TooLong, data)
		return w.out
	}
	mark := 0
	if c.Seq == 0 && bytes.HasPrefix(data, format.BOM) {
		mark = len(format.BOM)
	}
	end, from, at := 0, 0, 0 // data[:end] is kept and in its place, data[from:at] is kept
	for at < len(data) {
		line, url := format.NextLine(data[at:])
		next := at + len(line)
		var class Class
		if next == len(data) && line[len(line)-1] != '\n' && failed() {
			class = CutOff
		} else {
			class = w.judge(url[mark:])
		}
		mark = 0
		if !w.settle(class, url) {
			if from < at {
				end += copy(data[end:], data[from:at])
			}
			from = next
		}
		at = next
	}
	if from < at {
		end += copy(data[end:], data[from:at])
	}
	w.out.kept = data[:end]
	w.out.open = end > 0 && data[end-1] != '\n'
	return w.out
}

// settle counts a line and tells whether to print it.
func (w *worker) settle(class Class, line []byte) bool {
	w.out.count[class]++
	if !class.Valid() {
		w.quote(class, line)
	}
	return w.prints[class]
}

// maxQuoted is how many bytes of a line a Quote has.
const maxQuoted = 200

// quote keeps the beginning of an invalid line, if more quotes may be needed.
func (w *worker) quote(class Class, line []byte) {
	if len(w.out.quotes) >= w.config.Quotes || w.quoted.Load() {
		return
	}
	number := int64(0)
	for _, n := range w.out.count {
		number += n
	}
	text := bytes.Clone(line[:min(len(line), maxQuoted)])
	w.out.quotes = append(w.out.quotes, Quote{Line: number, Class: class, Text: text})
}

// judge returns the class of a line, without its line end.
func (w *worker) judge(url []byte) Class {
	s := w.last
	if !s.matches(url) {
		if len(url) > 0 && url[0] == '/' {
			return w.target(url)
		}
		n, ok := origin.Prefix(url)
		if !ok {
			return notAbsolute(url)
		}
		var err error
		if s, err = w.sites.find(url[:n]); err != nil {
			w.out.err = cmp.Or(w.out.err, err)
			return NoPolicy
		}
		w.last = s
	}
	switch s.class {
	case Allowed:
	case Unreachable:
		return unreachable(w.path(s, url))
	default:
		return s.class
	}
	if s.machine == nil {
		return Allowed
	}
	if err := w.sites.use(s); err != nil {
		w.out.err = cmp.Or(w.out.err, err)
		return NoPolicy
	}
	path := w.path(s, url)
	if w.config.Dialect == automaton.Google {
		w.countMisencoded(path)
	}
	return judged(s.machine.Match(&w.scratch, path))
}

// path returns the path that the rules are matched with. If the end of the
// authority is known the path is read as a request target.
func (w *worker) path(s *slot, url []byte) []byte {
	if n := int(s.length); n > 0 && n < len(url) && url[n] == '/' && !s.whole {
		return w.config.Dialect.TargetPath(&w.scratch, url[n:])
	}
	return w.config.Dialect.Path(&w.scratch, url)
}

// target returns the class of a line that begins with a slash.
func (w *worker) target(url []byte) Class {
	if w.targets.class == NotAbsolute {
		return NotAbsolute
	}
	path := w.config.Dialect.TargetPath(&w.scratch, url)
	if w.targets.class == Unreachable {
		return unreachable(path)
	}
	if w.config.Dialect == automaton.Google && w.targets.machine != nil {
		w.countMisencoded(path)
	}
	return judged(w.targets.machine.Match(&w.scratch, path))
}

func judged(v automaton.Verdict) Class {
	if v.Disallowed {
		return Disallowed
	}
	return Allowed
}

// countMisencoded counts a path if it has an octet outside ASCII, or an escape in lower case.
func (w *worker) countMisencoded(path []byte) {
	if automaton.IsPlain(path) {
		return
	}
	for i, c := range path {
		if c >= 0x80 || c == '%' && i+2 < len(path) && isHex(path[i+1]) && isHex(path[i+2]) && max(path[i+1], path[i+2]) >= 'a' {
			w.out.misencoded++
			return
		}
	}
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func unreachable(path []byte) Class {
	if string(path) == "/robots.txt" {
		return Allowed
	}
	return Unreachable
}

// notAbsolute returns the class of a line that is neither a URL nor a target.
func notAbsolute(line []byte) Class {
	if len(bytes.Trim(line, " \t")) == 0 {
		return Blank
	}
	return NotAbsolute
}
