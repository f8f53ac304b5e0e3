package source

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// Options configures a Reader. The zero value is ready for use.
type Options struct {
	Workers int // goroutines that call Next, and inputs read concurrently; 0 means GOMAXPROCS
	MaxLine int // maximum line length, without newline; 0 means 1 MiB, and the minimum is 32

	// ChunkSize is the size of a chunk of ordinary lines, in bytes; 0 means 256 KiB, or less for small
	// plain files. It is at most half of MaxLine.
	ChunkSize int

	// Memory limits the bytes in buffers, even if all lines are long. 0 means enough to keep all
	// workers busy. With little memory there are fewer and smaller chunks, but always some per worker,
	// about 3.5 MiB if MaxLine is 1 MiB. The windows of decompressors don't count: see Windows.
	Memory int64

	// InOrder reads the inputs one after the other, and decompresses only one stream at a time. Chunks
	// then come nearly in the order of (Input, Seq). A consumer that sorts them may hold chunks that
	// come too early, provided that it releases all others: there are always enough buffers for the
	// next one in order.
	InOrder bool

	// Prompt ends a chunk of a stream as soon as a Read has returned a whole line, instead of waiting
	// for more.
	Prompt bool
}

const (
	defaultChunk   = 256 << 10 // reads of 256 KiB to 1 MiB are equally fast, and smaller chunks stay in a cache
	minChunk       = 64 << 10  // smaller chunks save little memory, because a line may have MaxLine bytes
	defaultMaxLine = 1 << 20
	minMaxLine     = 32
	// maxKept limits the bytes kept of a line longer than MaxLine. They suffice to recognize it.
	maxKept = 64 << 10

	// The number of chunks per worker: one in use, and others being read or decompressed meanwhile.
	// Chunks shrink rather than being fewer than fewBuffers.
	mostBuffers = 6
	fewBuffers  = 3
)

func (o Options) filled() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.MaxLine <= 0 {
		o.MaxLine = defaultMaxLine
	}
	o.MaxLine = max(o.MaxLine, minMaxLine)
	if o.ChunkSize <= 0 {
		o.ChunkSize = defaultChunk
	}
	// So a chunk of ChunkSize bytes can't contain a line that is too long (stream.go).
	o.ChunkSize = min(o.ChunkSize, o.MaxLine/2)
	for o.Memory > 0 && o.ChunkSize > minChunk && o.buffers() < fewBuffers*o.Workers {
		o.ChunkSize = max(o.ChunkSize/2, minChunk)
	}
	return o
}

// longest is the maximum size of a buffer: the longest line, and what precedes it in an aligned
// read.
func (o Options) longest() int { return max(o.MaxLine+1, o.ChunkSize+overread) + alignment }

// buffers is the number of chunks that fit into memory, besides what each stream holds itself: its
// input, and the line that begins the next chunk. There are at least one more than workers.
func (o Options) buffers() int {
	n := mostBuffers * o.Workers
	if o.Memory > 0 {
		left := o.Memory - int64(o.Workers)*int64(rawBuffer+o.MaxLine)
		n = int(min(max(left, 0)/int64(o.longest()), int64(n)))
	}
	return max(n, o.Workers+1)
}

// Reader distributes the chunks of its inputs to any number of goroutines.
//
// It reads as many inputs concurrently as there are Workers, each in a goroutine, ahead of the
// callers of Next. For a plain file that goroutine only finds ranges, and the callers read them.
// Compressed files, pipes and standard input are streams.
//
// At most 6*Workers chunks exist, or fewer with a low Options.Memory, each of ChunkSize bytes, or
// up to MaxLine if lines are long. Callers that hold more chunks without releasing them block
// themselves.
//
// Read to the end or call Stop; a Reader abandoned in the middle leaks goroutines.
type Reader struct {
	ins    []*Input
	o      Options
	states []state

	ready  chan item // with capacity for all chunks, so that sending never blocks
	chunks *pool

	stop    chan struct{} // closed by Stop
	stopped sync.Once

	read, total atomic.Int64 // Progress

	mu       sync.Mutex
	blocking map[*disk.File]bool // open files where a Read may block forever, or decode a million empty members
}

// item is the next result of Next: a chunk of a stream, or a range of a plain file that the caller
// reads. It has a slot of the pool.
type item struct {
	chunk *Chunk
	plain fileRange
}

// NewReader starts reading. The inputs must not be passed to another Reader.
func NewReader(ins []*Input, o Options) *Reader {
	byInput := o.ChunkSize == 0
	o = o.filled()
	r := &Reader{
		ins:      ins,
		o:        o,
		states:   make([]state, len(ins)),
		stop:     make(chan struct{}),
		chunks:   newPool(o.buffers(), o.ChunkSize+overread+alignment, o.longest()),
		blocking: map[*disk.File]bool{},
	}
	r.ready = make(chan item, cap(r.chunks.slots))
	for _, in := range ins {
		if in.Size < 0 {
			r.total.Store(-1)
			break
		}
		r.total.Add(in.Size)
	}
	if byInput {
		r.fitChunks()
	}
	go r.readAll()
	return r
}

// fitChunks makes chunks smaller and fewer if all inputs are plain files with a small total size, so that all workers
// get some, and the buffers need little memory: a short run spends more time on a new page than on reading it.
func (r *Reader) fitChunks() {
	const ranges, buffers = 8, 2 // per worker
	if slices.ContainsFunc(r.ins, func(in *Input) bool { return !in.regular || in.Codec() != sniff.Plain.String() }) {
		return
	}
	fit := max(r.total.Load()/int64(ranges*r.o.Workers), minChunk)
	if fit >= int64(r.o.ChunkSize) {
		return
	}
	r.o.ChunkSize = int(fit)
	r.chunks.size = r.o.ChunkSize + overread + alignment
	for len(r.chunks.slots) > max(buffers*r.o.Workers, r.o.Workers+1) {
		<-r.chunks.slots
	}
}

// readAll reads the inputs in order, with as many in parallel as there are workers.
func (r *Reader) readAll() {
	readers := min(r.o.Workers, len(r.ins))
	if r.o.InOrder {
		readers = 1
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(r.ins)) && !r.isStopped(); i = next.Add(1) - 1 {
				r.readInput(int(i))
			}
		})
	}
	wg.Wait()
	for _, in := range r.ins { // free the temporary files with members of compressed tars
		if in.member != nil && in.member.spool != nil {
			s := in.member.spool
			s.once.Do(func() { _ = s.file.Close() }) // it was only read
		}
	}
	close(r.ready)
}

// readInput opens an input, and reads it by ranges if it is a plain file, else as a stream.
func (r *Reader) readInput(i int) {
	in := r.ins[i]
	o, err := in.take(r)
	switch {
	case err != nil:
		r.states[i].fail(newError(in.Name, -1, err))
		if r.takeSlot() {
			c := r.chunks.take(i, 0)
			c.Last = true
			r.ready <- item{chunk: c}
		}
	case o.stream != nil:
		r.readStream(i, o.stream)
	default:
		if r.total.Load() >= 0 {
			r.total.Add(o.size - in.Size) // it may have grown since it was found
		}
		r.sendRanges(i, o)
	}
}

// takeSlot waits for a slot of the pool. It returns false after Stop.
func (r *Reader) takeSlot() bool {
	select {
	case <-r.chunks.slots:
		return true
	case <-r.stop:
		return false
	}
}

// Next returns the next chunk, or false when everything has been read or Stop was called. It is
// safe for concurrent use. The caller owns the chunk until Release.
//
// With one caller, the chunks of each input come in ascending Seq. With several callers they come
// nearly in that order.
func (r *Reader) Next() (*Chunk, bool) {
	if r.isStopped() {
		return nil, false
	}
	if 2*len(r.ready) < cap(r.ready) {
		runtime.Gosched() // busy callers may occupy all processors, so that nobody makes items
	}
	select {
	case next := <-r.ready:
		return r.deliver(next)
	default:
	}
	var next item // none after Stop
	select {
	case next = <-r.ready:
	case <-r.stop:
	}
	return r.deliver(next)
}

// deliver returns the chunk of an item, or nothing for an empty item, as after the last input. It
// counts the chunk of a stream as delivered here, so that chunks still unsent when Stop is called
// don't count.
func (r *Reader) deliver(next item) (*Chunk, bool) {
	c := next.chunk
	switch {
	case next.plain.file != nil:
		return r.readRange(next.plain), true
	case c == nil:
		return nil, false
	}
	r.states[c.Input].add(int64(len(c.Data))+c.Cut, 0, c.Last)
	return c, true
}

// Release returns a chunk; its Data must not be used afterwards. It is safe for concurrent use,
// never blocks, and must be called once for each chunk.
func (r *Reader) Release(c *Chunk) { c.pool.put(c) }

// Stop ends reading early: every Next soon returns false, goroutines end and files are closed. A
// goroutine blocked in a read from standard input, or in opening a pipe without a writer, can't be
// woken and is left behind. Stop is safe for concurrent use and may be called repeatedly, and after
// the end.
func (r *Reader) Stop() {
	r.stopped.Do(func() {
		close(r.stop)
		r.mu.Lock()
		defer r.mu.Unlock()
		for f := range r.blocking {
			f.Close()
		}
	})
}

// stopping returns the channel that Stop closes. A nil Reader, for an input read without one, never
// stops.
func (r *Reader) stopping() <-chan struct{} {
	if r == nil {
		return nil
	}
	return r.stop
}

func (r *Reader) isStopped() bool {
	select {
	case <-r.stopping():
		return true
	default:
		return false
	}
}

// watch lets Stop close a file in which a Read may block; unwatch ends that.
func (r *Reader) watch(f *disk.File) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isStopped() {
		f.Close()
	}
	r.blocking[f] = true
}

func (r *Reader) unwatch(f *disk.File) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.blocking, f)
}

// Progress returns the number of bytes read from disk, and the total size of all inputs, which is
// -1 if one is unknown. It is cheap and safe for concurrent use.
func (r *Reader) Progress() (done, total int64) { return r.read.Load(), r.total.Load() }

// Results returns how the reading of each input ended. Call it after Next has returned false to
// every goroutine. Before that, and after Stop, it returns what is known so far.
func (r *Reader) Results() []Result {
	res := make([]Result, len(r.ins))
	for i := range r.ins {
		res[i] = r.Result(i)
	}
	return res
}

// Result returns the result of an input by index, as in Results. It includes an error that cut a
// chunk short as soon as Next has returned that chunk.
func (r *Reader) Result(i int) Result { return r.states[i].result(r.ins[i]) }

// Chunk is a piece of one input: whole lines, or the beginning of a single line that is too long to
// keep.
//
// The chunks of an input are numbered 0, 1, 2, … without gaps. Their Data in that order, each
// followed by the bytes counted in Cut, is the input. A chunk may be empty. Every input has at
// least one chunk, even if it is empty or could not be opened, and only the chunk with the highest
// number is Last. After [Reader.Stop] some chunks may be missing.
//
// A Chunk belongs to the goroutine that got it from [Reader.Next] until [Reader.Release], which
// another goroutine may call. After Release its Data is overwritten.
type Chunk struct {
	Input int    // index into the inputs of NewReader
	Seq   int64  // number of the chunk within its input
	Last  bool   // the last chunk of its input
	Data  []byte // each line ends in '\n', except possibly the last of the input and one before damage
	Lines bool   // for an input with Records: each line is a record

	// Cut is the number of bytes dropped after Data. If it isn't 0, Data is the beginning of a single
	// line longer than Options.MaxLine, without its newline, which counts as dropped.
	Cut int64

	buf  []byte // whole buffer; Data is a part of it
	pool *pool
}

// grow makes the buffer at least n bytes long, keeping its contents.
func (c *Chunk) grow(n int) {
	if n <= len(c.buf) {
		return
	}
	// Doubling means that buffers stop growing after a few long lines.
	b := make([]byte, max(n, min(2*len(c.buf), c.pool.longest)))
	copy(b, c.buf)
	c.buf = b
}

// pool is a fixed number of chunks. A token from slots is the right to take one. Buffers are
// allocated on first use, and the chunk released last is reused first, because it is still in a
// cache.
type pool struct {
	slots chan struct{}
	size  int // length of a new buffer

	longest int // maximum length of a buffer

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
	c.Input, c.Seq, c.Last, c.Lines, c.Data, c.Cut = input, seq, false, false, c.buf[:0], 0
	return c
}

// put takes back a chunk and its token.
func (p *pool) put(c *Chunk) {
	p.mu.Lock()
	p.idle = append(p.idle, c)
	p.mu.Unlock()
	p.slots <- struct{}{}
}
