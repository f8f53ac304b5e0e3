package source

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// Options of a Reader. The zero value is good.
type Options struct {
	Workers int // goroutines that will call Next, and inputs read at the same time; 0 is GOMAXPROCS
	MaxLine int // bytes of the longest line kept whole, without its newline; 0 is 1 MiB, and 32 at least

	// ChunkSize is the bytes of a chunk of ordinary lines; 0 is 512 KiB, and less for small plain
	// files. It is never more than half of MaxLine.
	ChunkSize int

	// Memory is how many bytes the buffers may hold, also if all lines are long; 0 is as many as
	// keep all workers busy. With little memory there are fewer and smaller chunks, but there are
	// some for each worker, whatever Memory is: about 3.5 MiB if MaxLine is 1 MiB. The windows of
	// decompressors are not part of it: see Windows.
	Memory int64

	// InOrder reads the inputs one after the other, and decompresses only one stream at a time.
	// Then chunks come nearly in the order of (Input, Seq). A consumer that puts them into that
	// order may keep chunks that come too early, if it releases all others: there are buffers
	// enough for the next one in order.
	InOrder bool

	// Prompt ends a chunk of a stream when a Read has given a whole line, instead of waiting for
	// more.
	Prompt bool
}

const (
	defaultChunk   = 512 << 10 // reads of 256 KiB to 1 MiB are the fastest
	minChunk       = 64 << 10  // smaller ones save no memory to speak of, since a line may have MaxLine bytes
	defaultMaxLine = 1 << 20
	minMaxLine     = 32
	// maxKept is how many bytes are kept of a line longer than MaxLine: enough to recognise it.
	maxKept = 64 << 10

	// How many chunks there are for each worker: one in use, and those that are read or
	// decompressed meanwhile. Rather than fewer than fewBuffers there are smaller ones.
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
	// So a chunk of ChunkSize bytes can contain no line that is too long (stream.go).
	o.ChunkSize = min(o.ChunkSize, o.MaxLine/2)
	for o.Memory > 0 && o.ChunkSize > minChunk && o.buffers() < fewBuffers*o.Workers {
		o.ChunkSize = max(o.ChunkSize/2, minChunk)
	}
	return o
}

// longest is the largest size of a buffer: the longest line, and what precedes it where a read
// is aligned.
func (o Options) longest() int { return max(o.MaxLine+1, o.ChunkSize+overread) + alignment }

// buffers is the number of chunks that fit in memory, besides what each stream holds of its own: its
// input, and the line that begins the next chunk. There is one more than there are workers at
// least.
func (o Options) buffers() int {
	n := mostBuffers * o.Workers
	if o.Memory > 0 {
		left := o.Memory - int64(o.Workers)*int64(rawBuffer+o.MaxLine)
		n = int(min(max(left, 0)/int64(o.longest()), int64(n)))
	}
	return max(n, o.Workers+1)
}

// Reader gives the chunks of its inputs to any number of goroutines.
//
// As many inputs as there are Workers are read at the same time, each by a goroutine of its own,
// ahead of the callers of Next. That of a plain file only finds its ranges, and the callers read
// them. Compressed files, pipes and standard input are streams.
//
// Memory: at most 6*Workers chunks exist, fewer with little Options.Memory, each of ChunkSize
// bytes, and of up to MaxLine where lines are long. Callers that keep more chunks than that
// unreleased block themselves.
//
// Read to the end or call Stop: a Reader that is dropped in the middle leaves goroutines behind.
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
	blocking map[*disk.File]bool // open files: a Read may block for ever, or decode a million empty members
}

// item is what Next returns next: a chunk of a stream, or a range of a plain file, which its caller
// reads. It has a slot of the pool.
type item struct {
	chunk *Chunk
	plain fileRange
}

// NewReader starts reading. The inputs must not be given to a second Reader.
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

// fitChunks makes the chunks smaller if all inputs are known to be plain files and are small
// together: so all workers have some, and the buffers take no more memory than the input.
func (r *Reader) fitChunks() {
	const ranges = 4 // for each worker
	if slices.ContainsFunc(r.ins, func(in *Input) bool { return !in.regular || in.Codec() != sniff.Plain.String() }) {
		return
	}
	fit := max(r.total.Load()/int64(ranges*r.o.Workers), minChunk)
	r.o.ChunkSize = int(min(int64(r.o.ChunkSize), fit))
	r.chunks.size = r.o.ChunkSize + overread + alignment
}

// readAll reads the inputs in their order, as many at a time as there are workers.
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
	releaseSpools(r.ins)
	close(r.ready)
}

// releaseSpools frees the temporary files with members of compressed tars.
func releaseSpools(ins []*Input) {
	for _, in := range ins {
		if in.member != nil && in.member.spool != nil {
			in.member.spool.release()
		}
	}
}

// readInput opens one input, and reads it by ranges if it is a plain file, else as a stream.
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

// takeSlot waits for a slot of the pool; it reports false after Stop.
func (r *Reader) takeSlot() bool {
	select {
	case <-r.chunks.slots:
		return true
	case <-r.stop:
		return false
	}
}

// Next returns the next chunk, and false when all is read or Stop was called. It is safe for
// concurrent use. The chunk is the caller's until Release.
//
// With one caller, the chunks of each input come in ascending Seq. With several they come nearly in
// that order.
func (r *Reader) Next() (*Chunk, bool) {
	if r.isStopped() {
		return nil, false
	}
	if 2*len(r.ready) < cap(r.ready) {
		runtime.Gosched() // callers may keep all processors busy, so that nobody makes items
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

// deliver returns the chunk of an item, none of an empty one, as when all inputs have been read.
// That of a stream it counts as given to the caller of Next: chunks still unsent when Stop is
// called are not counted.
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

// Release gives a chunk back; its Data must not be used any more. It is safe for concurrent use,
// never blocks, and must be called once for each chunk.
func (r *Reader) Release(c *Chunk) { c.pool.put(c) }

// Stop ends the reading early: every Next returns false soon, goroutines end and files are closed.
// A goroutine that is blocked in a read of standard input, or in opening a pipe that has no writer,
// cannot be woken and is left behind. Stop is safe for concurrent use and may be called again, and
// after the end.
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

// stopping returns the channel that Stop closes. A nil Reader, of an input that is read without
// one, never stops.
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

// Progress returns the bytes on disk that have been read and the sum of the sizes of all inputs, or
// -1 for that if one of them has no size. It is cheap and safe for concurrent use.
func (r *Reader) Progress() (done, total int64) { return r.read.Load(), r.total.Load() }

// Results returns, for each input, how its reading ended. It is meant to be called after Next has
// returned false to every goroutine; before that, and after Stop, the results are those known so
// far.
func (r *Reader) Results() []Result {
	res := make([]Result, len(r.ins))
	for i := range r.ins {
		res[i] = r.Result(i)
	}
	return res
}

// Result returns the result of one input, by its index, as Results does. An error that cut the last
// line of a chunk short is in it when Next returns the chunk.
func (r *Reader) Result(i int) Result { return r.states[i].result(r.ins[i]) }

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
	Lines bool   // of an input with Records: each line is a record

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
