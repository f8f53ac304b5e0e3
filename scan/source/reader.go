package source

import (
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// Options of a Reader. The zero value is good.
type Options struct {
	Workers   int // goroutines that will call Next, and compressed files and pipes read at the same time; 0 is GOMAXPROCS
	ChunkSize int // bytes of a chunk of ordinary lines, 2 to 4 times as many in a compressed file; 0 is 512 KiB, and never more than half of MaxLine
	MaxLine   int // bytes of the longest line kept whole, its newline not counted; 0 is 1 MiB, and 32 at least

	// InOrder reads the inputs one after the other, so that chunks come nearly in the order of (Input, Seq): a consumer that puts
	// them back in order need not keep more of them than there are buffers, and may keep chunks unreleased for it, as long as
	// it releases those it can. It costs the parallel decompression of several streams.
	InOrder bool
}

const (
	defaultChunk   = 512 << 10 // reads of 256 KiB to 1 MiB are the fastest
	defaultMaxLine = 1 << 20
	minMaxLine     = 32
	// maxKept is what is kept of a line longer than MaxLine: enough to see what it was.
	maxKept = 64 << 10

	// Chunks for each worker. Of a file: one that is being used and one that is held back for the sake of order. Of a pipe or small
	// file: one that is being used, and what has come meanwhile.
	pipeBuffers  = 6
	fileBuffers  = 3
	plainBuffers = 2
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
	// Half: then a line longer than MaxLine covers at least one whole range, see plain.go, and a chunk of ChunkSize bytes can
	// contain no such line, see stream.go.
	o.ChunkSize = min(o.ChunkSize, o.MaxLine/2)
	return o
}

// Reader hands out the chunks of its inputs to any number of goroutines.
//
// Whoever calls Next does the reading: of plain files range by range, of compressed files in turns, at most Workers files at a time.
// Pipes and standard input, where a read may wait for ever, and small compressed files are each read by a goroutine ahead of the callers.
//
// Memory: at most 2*Workers chunks of plain files, 3*Workers of compressed ones and 6*Workers of pipes and small compressed files exist, each
// of ChunkSize bytes, in compressed files of up to four times that, and of up to one and a half times so much and MaxLine together where
// lines are long. Callers that keep more chunks than that unreleased wait for themselves.
//
// Read to the end or call Stop: a Reader that is dropped in the middle leaves goroutines behind.
type Reader struct {
	ins    []*Input
	o      Options
	states []state

	ready  queue     // of pipes and small files
	turns  turns     // compressed files
	work   chan span // ranges of plain files; unbuffered, so that a range is sent only to a caller that has a buffer for it
	pipes  *pool
	files  *pool // compressed ones
	plains *pool

	stop    chan struct{} // closed by Stop
	stopped sync.Once
	done    chan struct{} // closed when nothing more will be sent

	read, total atomic.Int64 // Progress

	mu       sync.Mutex
	blocking map[*os.File]bool // open files in which a Read may block for ever
}

// NewReader starts reading. The inputs must not be given to a second Reader.
func NewReader(ins []*Input, o Options) *Reader {
	o = o.filled()
	r := &Reader{
		ins:      ins,
		o:        o,
		states:   make([]state, len(ins)),
		ready:    queue{wake: make(chan struct{}, pipeBuffers*o.Workers)},
		work:     make(chan span),
		pipes:    newPool(pipeBuffers*o.Workers, o.ChunkSize),
		files:    newPool(fileBuffers*o.Workers, o.filePiece()),
		plains:   newPool(plainBuffers*o.Workers, o.ChunkSize+overread+1),
		stop:     make(chan struct{}),
		done:     make(chan struct{}),
		blocking: map[*os.File]bool{},
	}
	for _, in := range ins {
		if in.Size < 0 {
			r.total.Store(-1)
			break
		}
		r.total.Add(in.Size)
	}
	var wg sync.WaitGroup
	if o.InOrder {
		wg.Go(func() {
			for i := range ins {
				r.serve(i)
			}
		})
	} else {
		r.deal(&wg)
	}
	go func() {
		wg.Wait()
		close(r.done)
	}()
	return r
}

// deal sends plain files to one goroutine and others to as many as there are workers, so that neither waits for the other.
func (r *Reader) deal(wg *sync.WaitGroup) {
	files := make(chan int, len(r.ins))
	streams := make(chan int, len(r.ins))
	serve := func(queue chan int) func() {
		return func() {
			for i := range queue {
				r.serve(i)
			}
		}
	}
	wg.Go(func() {
		defer close(files)
		defer close(streams)
		for i, in := range r.ins {
			if r.isStopped() {
				return
			}
			if in.looksPlain() {
				files <- i
			} else {
				streams <- i
			}
		}
	})
	wg.Go(serve(files))
	for range min(r.o.Workers, len(r.ins)) {
		wg.Go(serve(streams))
	}
}

// serve reads one input, whatever it turns out to be when it is opened.
func (r *Reader) serve(i int) {
	if r.isStopped() {
		return
	}
	in, st := r.ins[i], &r.states[i]
	f, size, s, err := in.take(r.watch)
	if err != nil {
		st.fail(newError(in.Name, -1, err))
		r.sendEmpty(i, 0)
		return
	}
	if s != nil && in.again() && size >= r.o.sharedFrom() {
		r.takeTurns(i, s)
		return
	}
	if s != nil {
		r.pump(i, s)
		return
	}
	if r.total.Load() >= 0 {
		r.total.Add(size - in.Size) // it may have grown since it was found
	}
	r.spans(i, f, size)
}

// Next returns the next chunk, whole or partly in parallel with other callers, and false when all is read or Stop was called.
// It is safe for concurrent use. The chunk is the caller's until Release.
//
// With one caller, the chunks of each input come in ascending Seq. With several they are handed out nearly in that order.
func (r *Reader) Next() (*Chunk, bool) {
	if r.isStopped() {
		return nil, false
	}
	for called := false; ; { // called: by somebody who has nearly done with a compressed file, perhaps
		if c := r.ready.take(); c != nil {
			return r.deliver(c), true
		}
		if f := r.turns.pickUp(called); f != nil {
			c := r.turn(f)
			if c == nil {
				return nil, false // stopped
			}
			return r.deliver(c), true
		}
		// The buffer comes first and the range second: so the caller that has the lowest range always gets on, even while the
		// consumer holds all other buffers because it waits for that range.
		select {
		case <-r.ready.wake:
			called = true
			continue
		case <-r.plains.slots:
		case <-r.done:
			return r.rest()
		case <-r.stop:
			return nil, false
		}
		select {
		case t := <-r.work:
			c := r.plains.take(t.file.input, t.seq)
			r.readSpan(c, t)
			return c, true
		case <-r.ready.wake:
			called = true
			r.plains.slots <- struct{}{}
		case <-r.done:
			r.plains.slots <- struct{}{}
			return r.rest()
		case <-r.stop:
			r.plains.slots <- struct{}{}
			return nil, false
		}
	}
}

// rest empties the queue of streams after their end.
func (r *Reader) rest() (*Chunk, bool) {
	if c := r.ready.take(); c != nil {
		return r.deliver(c), true
	}
	return nil, false
}

// deliver counts a chunk of a stream as handed out: what is still queued when Stop is called was not.
func (r *Reader) deliver(c *Chunk) *Chunk {
	st := &r.states[c.Input]
	st.bytes.Add(int64(len(c.Data)) + c.Cut)
	if c.Last {
		st.complete.Store(true)
	}
	return c
}

// Release gives a chunk back; its Data must not be used any more. It is safe for concurrent use, never blocks, and must be called
// once for each chunk.
func (r *Reader) Release(c *Chunk) { c.home.put(c) }

// Stop ends the reading early: every Next returns false soon, goroutines end and files are closed. A goroutine that is blocked in a read
// of standard input, or in opening a pipe that nobody writes to, cannot be woken and is left behind. Stop is safe for
// concurrent use and may be called again, and after the end.
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

func (r *Reader) isStopped() bool {
	select {
	case <-r.stop:
		return true
	default:
		return false
	}
}

// watch lets Stop close a file in which a Read may block; unwatch ends that.
func (r *Reader) watch(f *os.File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isStopped() {
		f.Close()
	}
	r.blocking[f] = true
}

func (r *Reader) unwatch(f *os.File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.blocking, f)
}

// Progress returns the bytes on disk that have been read and the sum of the sizes of all inputs, or -1 for that if one of them has
// no size. It is cheap and safe for concurrent use.
func (r *Reader) Progress() (done, total int64) { return r.read.Load(), r.total.Load() }

// Results says for each input how its reading ended. It is meant to be called after Next has returned false to every
// goroutine; before that, and after Stop, it tells what is known so far.
func (r *Reader) Results() []Result {
	res := make([]Result, len(r.ins))
	for i := range r.ins {
		res[i] = r.Result(i)
	}
	return res
}

// Result says of one input, by its index, what Results would. An error that cut
// the last line of a chunk short is in it when the chunk is handed out.
func (r *Reader) Result(i int) Result { return r.states[i].result(r.ins[i]) }

// looksPlain guesses from the first bytes whether an input will be read by ranges. A wrong guess costs only time.
func (in *Input) looksPlain() bool {
	if !in.again() || in.Size == 0 {
		return false
	}
	if k := codec(in.kind.Load()); k != unknown {
		return k == plain
	}
	f, err := os.Open(in.path)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [magicLen]byte
	n, err := f.ReadAt(magic[:], 0)
	return (err == nil || err == io.EOF) && sniff(magic[:n]) == plain
}
