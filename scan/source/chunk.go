package source

import "sync"

// Chunk is a piece of one input: whole lines, or the beginning of one line too long to keep.
//
// The chunks of an input are numbered 0, 1, 2, … without gaps. Their Data in that order, with the
// bytes counted in Cut added after each, are the input. A chunk may be empty. Every input has at
// least one chunk, also an empty file and a file that could not be opened, and exactly one of its
// chunks, the highest, is Last; only after [Reader.Stop] may some be missing.
//
// A Chunk belongs to the goroutine that got it from [Reader.Next] until [Reader.Release], which
// another goroutine may call. After Release its Data is overwritten.
type Chunk struct {
	Input int    // index into the inputs given to NewReader
	Seq   int64  // number of the chunk within its input
	Last  bool   // no chunk of this input follows in Seq
	Data  []byte // each line ends in '\n', except perhaps the last of the input and one before damage

	// Cut is the number of bytes that were dropped after Data. If it is not 0, Data is the
	// beginning of one line longer than Options.MaxLine and has no newline; the line's newline, if
	// it has one, is among the dropped bytes.
	Cut int64

	buf  []byte // whole buffer; Data is a part of it
	pool *pool
}

// grow makes the buffer at least n bytes long, keeping its contents.
func (c *Chunk) grow(n int) {
	if n <= len(c.buf) {
		return
	}
	// Doubling, so that buffers stop growing after a few long lines.
	b := make([]byte, max(n, min(2*len(c.buf), c.pool.longest)))
	copy(b, c.buf)
	c.buf = b
}

// pool is a fixed number of chunks. A token in slots is the right to have one. Buffers are made
// when first needed, and the chunk released last is reused first, because it is still in a cache.
type pool struct {
	slots chan struct{}
	size  int // length of a new buffer

	longest int // no buffer needs to be longer

	mu   sync.Mutex
	idle []*Chunk
}

func newPool(n, size, longest int) *pool {
	p := &pool{slots: make(chan struct{}, n), size: size, longest: longest, idle: make([]*Chunk, 0, n)}
	for range n {
		p.slots <- struct{}{}
	}
	return p
}

// take returns a chunk to a caller that has received a token from slots.
func (p *pool) take(input int, seq int64) *Chunk {
	p.mu.Lock()
	var c *Chunk
	if n := len(p.idle); n > 0 {
		c = p.idle[n-1]
		p.idle = p.idle[:n-1]
	}
	p.mu.Unlock()
	if c == nil {
		c = &Chunk{buf: make([]byte, p.size), pool: p}
	}
	c.Input, c.Seq, c.Last, c.Data, c.Cut = input, seq, false, c.buf[:0], 0
	return c
}

// put takes back a chunk and its token.
func (p *pool) put(c *Chunk) {
	p.mu.Lock()
	p.idle = append(p.idle, c)
	p.mu.Unlock()
	p.slots <- struct{}{}
}
