package job

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/internal/basis"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
)

// budget is the memory of a job: Options.Memory, less what its side files take. Everything that
// grows with the inputs gets a share of it, in bytes, so that the job stays within it
// whatever the inputs contain. The process may take 64 MB more: for its code, the known crawlers, the
// runtime, and the minimum of one worker.
type budget struct {
	memory int64
	loaded int64 // taken by the side files and the list of inputs
}

const (
	// DefaultMemory is the memory of a job, in bytes, if its options have 0.
	DefaultMemory = 256_000_000

	// programBytes is how much of the program's own allowance side files may take.
	programBytes = 12 << 20
	// leastBytes must be left for everything else.
	leastBytes = 1_000_000

	// A worker takes workerBytes: two or three chunks with a line of 1 MiB each, its tables of
	// 2 MB, its buffers and its memos. If it decodes zstd, xz or bzip2, it takes decoderBytes more.
	workerBytes  = 12 << 20
	decoderBytes = 10 << 20
	// readingBytes is the largest useful share of a worker's chunks.
	readingBytes = 16 << 20
)

// The cost of the parts of side files, in bytes, after reading. Rules are compiled for
// each way of reading them, when first needed.
const (
	ruleBytes    = 1000 // a line of a robots.txt that is not a comment
	profileBytes = 4 << 10
	inputBytes   = 2 << 10 // an input in the list of a state
)

func newBudget(memory int64) *budget { return &budget{memory: cmp.Or(memory, DefaultMemory)} }

// workers returns how many of n workers fit into memory, at least 1. An n below 1 means
// one for each processor.
func (b *budget) workers(n int) int {
	if n < 1 {
		n = runtime.GOMAXPROCS(0)
	}
	return int(max(min(int64(n), b.memory/workerBytes), 1))
}

// windows returns the bound for the windows of decompressors: the largest may take nine
// sixteenths of the memory.
func (b *budget) windows() *source.Windows { return source.NewWindows(b.window()) }

func (b *budget) window() int64 { return b.memory / 16 * 9 }

// statePart returns the maximum length of a part of a state that is read at once: decoding takes
// several times as much.
func (b *budget) statePart() int64 { return max(b.memory/4, leastPart) }

// memoryForPart returns the memory at which statePart allows a part.
func memoryForPart(bytes int64) int64 { return 4 * bytes }

const leastPart = 8 << 20

// explained adds the memory that would suffice to the error of an input with too large a window.
func explained(err error) error {
	e, ok := errors.AsType[*source.WindowError](err)
	if !ok || e.Window > source.MaxWindow || e.Limit == source.MaxWindow {
		return err
	}
	return fmt.Errorf("%w: option Memory %dMB would do", err, e.Window/9*16/1_000_000+1)
}

// loadBody, and the other functions named load…, charge the budget for what was read.
func (b *budget) loadBody(text []byte) {
	b.loaded += int64(len(text))
	for begins, rest := true, text; len(rest) > 0; rest = rest[1:] {
		c := rest[0]
		if begins && c != '#' && c != '\n' && c != '\r' {
			b.loaded += ruleBytes
		}
		begins = c == '\n' || c == '\r'
	}
}

// loadBasis also fails if memory is too small.
func (b *budget) loadBasis(of *basis.Basis) error {
	for _, body := range of.Bodies {
		b.loadBody(body.Text)
		b.loadBody(body.Past)
	}
	b.loaded += int64(len(of.Rows)*policy.VersionBytes + len(of.Profiles)*profileBytes)
	return b.check()
}

// take charges bytes to the budget, and returns how many are left.
func (b *budget) take(bytes int64) int64 {
	b.loaded += bytes
	return b.room()
}

// room returns how many more bytes side files may take.
func (b *budget) room() int64 { return b.memory + programBytes - leastBytes - b.loaded }

// check fails if the side files leave too little memory.
func (b *budget) check() error {
	if b.room() >= 0 {
		return nil
	}
	return inputError(fmt.Errorf("option Memory %dMB is too little for robots.txt, crawlers, lists and the names of "+
		"inputs: option Memory %dMB would do", b.memory/1_000_000, (b.loaded-programBytes+leastBytes)/1_000_000+1))
}

// failed returns an error of reading a side file, which may be due to a lack of memory.
func (b *budget) failed(err error) error {
	if errors.Is(err, disk.ErrMemory) {
		err = fmt.Errorf("%w: option Memory %dMB is too little", err, b.memory/1_000_000)
	}
	return inputError(err)
}

// shares divide the memory that side files leave.
type shares struct {
	workers int
	reading int64 // chunks of the inputs
	rest    int64 // audit.Config.Memory, or the rules of a filter
}

// divide divides the remaining memory among n workers that read inputs, which have been opened
// far enough to know their compression.
func (b *budget) divide(n int, inputs []*source.Input) (s shares, err error) {
	if err := b.check(); err != nil {
		return s, err
	}
	left := b.memory - max(b.loaded-programBytes, 0)
	var files, pipes int64 // their windows
	var decoders int64     // each worker reads at most one compressed input
	for _, in := range inputs {
		decodes := int64(0)
		for codec := range strings.SplitSeq(in.Codec(), "+") { // of an archive and of its member
			switch {
			case codec == "" && !in.Regular():
				pipes = b.windows().Largest() // its first bytes have not arrived yet
			case codec == "zstd", codec == "xz":
				decodes = 1
				if in.Regular() {
					files = b.windows().Largest()
				} else {
					pipes = b.windows().Largest()
				}
			case codec == "bzip2":
				decodes = 1
			}
		}
		decoders += decodes
	}
	left = max(left-files-pipes, leastBytes)
	workers := left / (workerBytes + decoderBytes)
	if workers >= decoders {
		workers = (left - decoders*decoderBytes) / workerBytes
	}
	workers = max(min(int64(n), workers), 1)
	s.workers = int(workers)
	s.reading = min(left/8*3, workers*readingBytes)
	s.rest = max(left-s.reading-min(workers, decoders)*decoderBytes, leastBytes/2)
	return s, nil
}
