package source

import (
	"slices"
	"sync"
	"time"
)

// A compressed file can only be decompressed from its beginning, by one goroutine at a time. The callers of Next take turns at it: one
// fills a chunk, puts the file down and goes off to use the chunk, while another decompresses on. So each core finds in its cache what
// it has decompressed itself, and all that moves from core to core is the decoder. A goroutine that decompressed ahead for the
// others would wait for every line of the cache that it writes, since another core has read it there: against that (Go 1.26, two cores,
// logs of 1 GB) an audit of a gzip file takes 0.04 s less, of 1.7, one of a zstd file 0.01 to 0.02, of 0.8, and one of four gzip files 2
// per cent less.
//
// Nobody should wait for a file that nobody reads. Where it takes longer to decompress a chunk than to use it, as with
// gzip, the others sleep meanwhile, and waking one takes 100 µs or more. So it is called while the chunk is not quite full yet, and
// waits for the rest awake.

// turns are the compressed files that are being read. The zero value has none. It is safe for concurrent use.
type turns struct {
	mu   sync.Mutex
	free []*shared // nobody reads them; the first has waited longest
	near []*shared // whose reader has nearly done, and for whom nobody waits yet
}

// shared is a compressed file whose readers take turns. But for what turns.mu guards and baton it belongs to who has the turn.
type shared struct {
	input int
	s     *stream
	l     lines
	seq   int64         // of the next chunk
	over  chan struct{} // closed after the last turn

	// Guarded by turns.mu.
	called    bool // somebody has been called for the next turn
	awaited   bool // and waits for the baton
	withdrawn bool // the turn that somebody has is the last, since the reading was stopped

	baton chan bool // what is given to who waits: true is the turn, false says that there is none
}

const (
	// Pieces of a chunk. To move deflate's window of 32 KiB takes no time worth saving; that of zstd is megabytes, and with
	// two pieces of 1 MiB an audit takes 3 to 5 per cent less than with one. Four would save as much again, and take twice the memory.
	gzipPieces  = 1
	otherPieces = 2

	// notice is how many bytes before the end of a chunk the next reader is called: 0.3 ms of gzip, 0.1 ms of zstd.
	notice = 192 << 10
	// patience is how long that one waits for the end, awake. Then it goes: there may be a line of gigabytes to pass over.
	patience = 500 * time.Microsecond
)

// takeTurns lets the callers of Next read a compressed file, and returns when they have done.
func (r *Reader) takeTurns(i int, s *stream) {
	s.src.report(&r.read)
	f := &shared{input: i, s: s, over: make(chan struct{}), baton: make(chan bool, 1)}
	f.l = lines{r: r, s: s, piece: r.o.filePiece(), pieces: otherPieces}
	if s.codec == gzipped {
		f.l.pieces = gzipPieces
	}
	r.putDown(f, true)
	select {
	case <-f.over:
	case <-r.stop:
		if !r.turns.withdraw(f) {
			<-f.over
		}
	}
	r.states[i].disk.Store(s.src.in.n.Load())
	s.close()
}

// filePiece is the size of a piece of a compressed file: 1 MiB, with one of the usual size a turn ends too soon. It is not more than
// MaxLine, of which ChunkSize is half at most.
func (o Options) filePiece() int { return 2 * o.ChunkSize }

// sharedFrom is the compressed size of a file from which on turns are worth while: some ten chunks. (4,000 files of 9 kB are filtered, in
// their order, in 0.72 s without turns and in 0.88 with them.)
func (o Options) sharedFrom() int64 { return int64(o.filePiece()) }

// turn is a turn at a file that was picked up: it fills one chunk and puts the file down. It returns nil after Stop.
func (r *Reader) turn(f *shared) *Chunk {
	c := r.fillBy(f)
	r.putDown(f, c != nil && !c.Last)
	return c
}

// fillBy fills the next chunk of a file; it returns nil after Stop.
func (r *Reader) fillBy(f *shared) *Chunk {
	c := r.buffer(r.files, f.input, f.seq)
	if c == nil {
		return nil
	}
	f.seq++
	f.l.turn = f
	f.l.fill(c)
	if r.isStopped() {
		r.Release(c) // perhaps cut short by Stop
		return nil
	}
	if c.Last {
		r.conclude(f.input, f.s)
	}
	return c
}

// putDown ends a turn, the last one if there is no more to read, and sees to it that somebody takes the next.
func (r *Reader) putDown(f *shared, more bool) {
	if r.turns.putDown(f, more) {
		r.ready.call()
	}
}

// callNext wakes somebody for the next turn at a file.
func (r *Reader) callNext(f *shared) {
	r.turns.mu.Lock()
	f.called = true
	r.turns.near = append(r.turns.near, f)
	r.turns.mu.Unlock()
	r.ready.call()
}

// pickUp returns a file that it is the caller's turn to read, nil if there is none. A caller that has been called waits a little for
// one that is nearly there.
func (t *turns) pickUp(called bool) *shared {
	t.mu.Lock()
	f := removeFirst(&t.free)
	if f != nil || !called {
		t.mu.Unlock()
		return f
	}
	if f = removeFirst(&t.near); f != nil {
		f.awaited = true
	}
	t.mu.Unlock()
	if f == nil || !t.await(f) {
		return nil
	}
	return f
}

// await waits for the baton, and tells whether it is the caller's turn.
func (t *turns) await(f *shared) bool {
	for start := time.Now(); time.Since(start) < patience; {
		for range 100 {
			select {
			case more := <-f.baton:
				return more
			default:
			}
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.awaited {
		f.awaited, f.called = false, false
		return false
	}
	return <-f.baton // it has just been given
}

// putDown tells whether somebody is to be called for the next turn.
func (t *turns) putDown(f *shared, more bool) (call bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	remove(&t.near, f)
	more = more && !f.withdrawn
	switch {
	case f.awaited:
		f.baton <- more // there is room for it
	case more:
		t.free = append(t.free, f)
		call = !f.called
	}
	f.called, f.awaited = false, false
	if !more {
		close(f.over)
	}
	return call
}

// withdraw takes a file back when the reading was stopped. It tells whether nobody reads it.
func (t *turns) withdraw(f *shared) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	f.withdrawn = true
	return remove(&t.free, f)
}

func remove(list *[]*shared, f *shared) bool {
	i := slices.Index(*list, f)
	if i < 0 {
		return false
	}
	*list = slices.Delete(*list, i, i+1)
	return true
}

func removeFirst(list *[]*shared) *shared {
	if len(*list) == 0 {
		return nil
	}
	f := (*list)[0]
	*list = slices.Delete(*list, 0, 1)
	return f
}
