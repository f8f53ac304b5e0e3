package source

import (
	"bufio"
	"fmt"
	"slices"
	"sync"
)

// ahead decodes parts of a stream side by side and returns their contents in order, where the
// callers of Next would wait for one goroutine to decode. A part is a piece of the compressed bytes
// that can be decoded by itself: frames of zstd, members of gzip.
//
// Only the goroutine that calls Read takes bytes of the input. It takes them as long as there are
// memory to hold a part, and a goroutine to decode it. Where no part can be split off, and where
// one cannot be decoded, the serial decoder reads on from the beginning of that part: so the bytes,
// the errors, their offsets and the warnings are those of the serial decoder alone.
type ahead struct {
	r      *Reader
	raw    *rawReader
	form   splitter
	serial decoder
	begins func() bool // it is of use to read parts, and one may begin where the serial decoder is
	pool   *partPool
	window *window // whose memory the pool has; nil if it has that of the Reader

	inside bool    // parts are read; else the serial decoder reads
	queue  []*part // in their order in the input
	given  *part   // whose contents Read returns; nil if there is none
	out    []byte  // what is left of them
	end    bool    // nothing more can be split off after the queue
	again  int64   // offset before which nothing is split off again
}

// splitter knows one form of parts. Its methods are safe for concurrent use.
type splitter interface {
	// split appends the bytes of a part to p.src. Where those that follow in the input are not a
	// part, it returns false, and p.src has behind p.whole what it has read of them.
	split(br *bufio.Reader, p *part) bool
	// decode decodes all of a part, or fails.
	decode(p *part) error
}

// part is a piece of the compressed bytes. A goroutine of its own decodes it.
type part struct {
	src    []byte
	whole  int    // bytes of src that belong to the part
	ends   []int  // where in src each of its frames ends
	size   int    // of its contents, at most
	dst    []byte // its contents; it has room for contentsSlack more
	err    error
	blocks Blocks // decoders

	maxSource, maxContents int // bytes that it may have
	of                     *ahead
	run                    func()         // decode
	busy                   sync.WaitGroup // until it is decoded
}

const (
	// maxContents is how long the contents of a part may be. Those of a frame of pzstd -3 are 8
	// MiB. A part itself may have a quarter of that.
	maxContents = 8 << 20
	sourceShare = 4
	// With as many bytes, compressed or as contents, a part is large enough: handing it over costs
	// little beside decoding it.
	enoughSource   = 128 << 10
	enoughContents = 1 << 20
	// contentsSlack is the room after the contents with which they are decoded faster.
	// contentsStep divides the lengths of the buffers, so that they fit the next contents.
	contentsSlack = 64 << 10
	contentsStep  = 256 << 10
	decoderBytes  = 1 << 20 // more than a decoder takes
)

// readAhead has the parts of a stream decoded side by side, if its form has any.
func (r *Reader) readAhead(s *stream) {
	a := &ahead{r: r, raw: s.raw, serial: s.dec}
	switch dec := s.dec.(type) {
	case *gzipDecoder:
		a.form, a.pool = gzipMembers{}, r.parts
		a.begins = func() bool { return dec.betweenSmall() && r.idle() > 0 }
	case *zstdDecoder:
		if r.o.Workers <= zstdFeeds {
			return
		}
		// Once the decoder has begun, it cannot tell where a frame ends. So it reads parts from the
		// beginning, or none.
		a.form, a.pool, a.window = zstdFrames{}, newPartPool(s.window.of.Largest()), s.window
		a.begins = func() bool {
			return s.raw.offset() == 0 && r.decoding.Load() < int32(r.o.Workers) && s.window.tryWiden()
		}
	default:
		return
	}
	s.dec = a
}

func (a *ahead) Read(p []byte) (int, error) {
	for len(a.out) == 0 {
		if !a.next() {
			return a.serial.Read(p)
		}
	}
	n := copy(p, a.out)
	a.out = a.out[n:]
	return n, nil
}

// next waits for the contents of the next part. It returns false where the serial decoder has to
// read on.
func (a *ahead) next() bool {
	if a.given != nil {
		a.pool.put(a.given)
		a.given = nil
	}
	if a.inside && len(a.queue) == 0 && a.window == nil {
		a.leave() // unless there are idle cores
	}
	if !a.inside && !a.enter() {
		return false
	}
	if a.fill(); len(a.queue) > 0 {
		p := a.queue[0]
		if p.busy.Wait(); p.err == nil {
			a.given, a.out, a.queue = p, p.dst, slices.Delete(a.queue, 0, 1)
			return true
		}
		a.again = a.raw.offset() // what was split in vain is not split again
	}
	for _, p := range slices.Backward(a.queue) {
		a.raw.unread(p.src)
	}
	a.leave()
	return false
}

// enter begins the reading of parts, if one may begin here and it is of use.
func (a *ahead) enter() bool {
	if a.raw.offset() < a.again || !a.begins() {
		return false
	}
	a.r.decoding.Add(-1) // this goroutine waits for those that decode parts
	a.inside, a.end = true, false
	return true
}

// leave ends the reading of parts, and gives their memory back.
func (a *ahead) leave() {
	for _, p := range a.queue {
		p.busy.Wait()
		a.pool.put(p)
	}
	a.queue = a.queue[:0]
	if a.window != nil {
		a.pool = nil
		a.window.free()
	}
	a.inside = false
	a.r.decoding.Add(1)
}

// fill splits off parts: one that is decoded instead of this goroutine, and one for each core that
// is idle.
func (a *ahead) fill() {
	for !a.end && (len(a.queue) == 0 || len(a.queue) <= a.r.o.Workers && a.r.idle() > 0) {
		p := a.pool.get()
		if p == nil || !a.split(p) {
			return
		}
		a.queue = append(a.queue, p)
		a.r.decoding.Add(1)
		p.busy.Add(1)
		go p.run()
	}
}

// split makes p the next part. If there is none, it gives p back to the pool.
func (a *ahead) split(p *part) bool {
	if a.end = !a.form.split(a.raw.br, p); a.end {
		a.again = a.raw.offset()
		a.raw.unread(p.src[p.whole:])
		p.src = p.src[:p.whole]
	}
	if len(p.src) == 0 {
		a.pool.put(p)
		return false
	}
	if want := p.size + contentsSlack; cap(p.dst) < want {
		p.dst = make([]byte, 0, (want+contentsStep-1)/contentsStep*contentsStep)
	}
	p.of = a
	return true
}

func (a *ahead) warnings() []string { return a.serial.warnings() }

func (a *ahead) free() {
	if a.given != nil {
		a.pool.put(a.given)
	}
	if a.inside {
		a.leave()
	}
	a.serial.free()
}

// decode has the form decode the part. A panic of a decoder is an error: that of the serial decoder
// will be reported.
func (p *part) decode() {
	defer func() {
		if e := recover(); e != nil {
			p.err = fmt.Errorf("decoder failed: %v", e)
			p.blocks = Blocks{}
		}
		p.of.r.decoding.Add(-1)
		p.busy.Done()
	}()
	p.err = p.of.form.decode(p)
}

// idle is how many of the callers of Next wait whose cores no goroutine that decodes can be using.
func (r *Reader) idle() int32 { return r.waiting.Load() - r.decoding.Load() }

// partPool is memory for a number of parts. It is safe for concurrent use.
type partPool struct {
	maxContents int // of a part

	mu   sync.Mutex
	idle []*part
	more int // parts that may still be made
}

// newPartPool returns the pool of n bytes. A part has at most a fifth of them as contents, so that there are several.
func newPartPool(n int64) *partPool {
	b := &partPool{maxContents: int(min(n/5, maxContents))}
	b.more = int(n / int64(b.bytes()))
	return b
}

// bytes is how many bytes a part takes at most.
func (b *partPool) bytes() int {
	return b.maxContents/sourceShare + b.maxContents + contentsSlack + contentsStep + decoderBytes
}

// get returns an empty part, or nil if all are in use.
func (b *partPool) get() *part {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.idle) == 0 {
		if b.more == 0 {
			return nil
		}
		b.more--
		p := &part{maxSource: b.maxContents / sourceShare, maxContents: b.maxContents}
		p.run = p.decode
		b.idle = append(b.idle, p)
	}
	last := len(b.idle) - 1
	p := b.idle[last]
	b.idle = b.idle[:last]
	p.src, p.ends, p.whole, p.size, p.err = p.src[:0], p.ends[:0], 0, 0, nil
	return p
}

// put takes back a part that is not used any more.
func (b *partPool) put(p *part) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.of = nil
	b.idle = append(b.idle, p)
}
