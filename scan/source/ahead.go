package source

import (
	"bufio"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// ahead decodes parts of a stream side by side and returns their contents in order. A part is a piece of the compressed bytes that
// can be decoded by itself, as frames of zstd can. Where no part can be split off, and where a part cannot be decoded, the serial
// decoder reads on from the beginning of that part to the end of the stream: so the bytes, the errors and their offsets are those of
// the serial decoder alone.
//
// Only the goroutine that calls Read takes bytes of the input. It takes them as long as there is a part to hold them.
type ahead struct {
	raw    *rawReader
	form   splitter
	serial decoder
	window *window // whose memory the parts take; nil when the serial decoder reads
	most   int     // parts at a time

	made  []*part
	idle  []*part
	queue []*part // in their order in the input
	out   []byte  // of the last part that was in queue: what Read has not returned yet
	end   bool    // nothing more can be split off
	wg    sync.WaitGroup
}

// splitter knows one form of parts. Its methods are safe for concurrent use.
type splitter interface {
	// split appends the bytes of a part to p.src. Where those that follow in the input are not a part, it returns false, and p.src
	// has behind p.whole what it has read of them.
	split(br *bufio.Reader, p *part) bool
	// decode decodes all of a part, or fails.
	decode(p *part) error
}

// part is a piece of the compressed bytes. A goroutine of its own decodes it.
type part struct {
	src   []byte
	whole int    // bytes of src that belong to the part
	ends  []int  // where in src each of its frames ends
	size  int    // of its contents, at most
	dst   []byte // its contents
	err   error
	zstd  *zstd.Decoder // of its goroutine, if it has decoded frames

	todo, done chan struct{}
}

const (
	// The most bytes that a part and its contents have. Frames of pzstd -3 have contents of 8 MiB.
	maxPart     = 2 << 20
	maxContents = 8 << 20
	// partBytes is what a part takes, with its decoder and the room that its buffers have beyond that.
	partBytes = maxPart + maxContents + 2<<20
)

// readAhead has the parts of a stream decoded by as many goroutines as the Reader has workers, and one more, as far as there is memory.
// They take that of a large window, so one stream at a time has parts. feeds is how many workers the serial decoder is fast
// enough for: with no more workers it is left alone, because it takes less CPU time.
func (r *Reader) readAhead(s *stream, form splitter, feeds int) {
	most := min(r.o.Workers+1, int(s.window.of.Largest()/partBytes))
	if r.o.Workers > feeds && most > 1 && s.window.tryWiden() {
		s.dec = &ahead{raw: s.raw, form: form, serial: s.dec, window: s.window, most: most}
	}
}

func (a *ahead) Read(p []byte) (int, error) {
	for len(a.out) == 0 {
		if a.window == nil {
			return a.serial.Read(p)
		}
		a.next()
	}
	n := copy(p, a.out)
	a.out = a.out[n:]
	return n, nil
}

// next waits for the contents of the next part. Where there is none, it leaves the rest of the input to the serial decoder.
func (a *ahead) next() {
	a.fill()
	if len(a.queue) > 0 {
		p := a.queue[0]
		if <-p.done; p.err == nil {
			a.out, a.queue = p.dst, slices.Delete(a.queue, 0, 1)
			a.idle = append(a.idle, p) // until out is empty nobody takes it
			return
		}
	}
	for _, p := range slices.Backward(a.queue) {
		a.raw.unread(p.src)
	}
	a.close()
}

// fill splits off as many parts as there may be.
func (a *ahead) fill() {
	for !a.end && len(a.queue) < a.most {
		p := a.part()
		a.end = !a.form.split(a.raw.br, p)
		if len(a.queue) == 0 && !a.end {
			if _, err := a.raw.br.Peek(1); err != nil {
				a.end, p.whole = true, 0 // nothing could be done beside a single part
			}
		}
		if a.end {
			a.raw.unread(p.src[p.whole:])
			p.src = p.src[:p.whole]
		}
		if len(p.src) == 0 {
			return
		}
		a.queue = append(a.queue, p)
		p.todo <- struct{}{}
	}
}

// part returns an empty part.
func (a *ahead) part() *part {
	if n := len(a.idle); n > 0 {
		p := a.idle[n-1]
		a.idle = a.idle[:n-1]
		p.src, p.ends, p.whole, p.size = p.src[:0], p.ends[:0], 0, 0
		return p
	}
	p := &part{todo: make(chan struct{}, 1), done: make(chan struct{}, 1)}
	a.made = append(a.made, p)
	a.wg.Go(func() {
		for range p.todo {
			p.err = p.decode(a.form)
			p.done <- struct{}{}
		}
	})
	return p
}

// decode has the form decode the part. A panic of a decoder is an error: that of the serial decoder will be reported.
func (p *part) decode(form splitter) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("decoder failed: %v", e)
		}
	}()
	return form.decode(p)
}

// close ends the goroutines and gives the memory of the parts back.
func (a *ahead) close() {
	if a.window == nil {
		return
	}
	for _, p := range a.made {
		close(p.todo)
	}
	a.wg.Wait()
	a.window.free()
	*a = ahead{raw: a.raw, serial: a.serial}
}

func (a *ahead) warnings() []string { return a.serial.warnings() }

func (a *ahead) free() {
	a.close()
	a.serial.free()
}
