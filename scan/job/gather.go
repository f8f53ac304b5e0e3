package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/capture"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/source"
)

// gatherer collects copies of robots.txt from sources until its context ends, and
// counts what it passes over.
type gatherer struct {
	ctx      context.Context
	stop     context.CancelCauseFunc // ends ctx with an error that ends the job
	messages Messages
	options  capture.Options
	set      capture.Set
	memory   int64 // of the job
	skipped  map[capture.Reason]int
	shown    []string     // the first of each reason
	bytes    atomic.Int64 // read, decompressed
	lost     bool         // an input could not be used, wholly or in part
}

// maxShown is how many examples of each reason are shown; the others are counted.
const maxShown = 5

// The reasons to pass something over that package capture does not have.
const (
	unread   capture.Reason = "input that could not be read to its end"
	noRobots capture.Reason = "directory without a robots.txt, of which nothing else is read"
	unheld   capture.Reason = "origin whose rules an archive cannot hold"
)

func newGatherer(ctx context.Context, o CompileOptions, shares compileShares) *gatherer {
	// One byte more than the limit tells the compiler that there is more.
	g := &gatherer{messages: o.Messages, memory: o.Memory, options: capture.Options{MaxBody: o.MaxBytes + 1, MaxLine: shares.line}, skipped: map[capture.Reason]int{}}
	g.ctx, g.stop = context.WithCancelCause(ctx)
	g.set.Memory, g.set.AllVersions, g.options.Wants = shares.set, o.AllVersions, g.set.Wants
	return g
}

// source reads a source of copies, or a file or directory in it. The depth is 0 for the
// source itself, 1 for a name in its directory, and 2 for the robots.txt in the directory
// of a host. Hidden names are ignored.
func (g *gatherer) source(name string, depth int) {
	info, err := disk.Stat(name)
	switch {
	case g.ctx.Err() != nil:
	case err != nil:
		g.skip(unread, &source.Error{Name: name, Offset: -1, Err: cmp.Or(errors.Unwrap(err), err)})
	case info.Mode().IsRegular():
		g.file(name)
	case info.IsDir() && depth == 0:
		entries, err := disk.ReadDir(name) // with an error, those read before it
		if err != nil {
			g.skip(unread, err)
		}
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Name(), ".") {
				g.source(filepath.Join(name, entry.Name()), 1)
			}
		}
	case info.IsDir() && depth == 1:
		g.host(name)
	case depth == 0:
		g.open(name, nil)
	default: // a pipe might block for ever
		g.skip(unread, fmt.Errorf("%s: not a regular file", name))
	}
}

// host reads the robots.txt in the directory of a host, plain or compressed.
func (g *gatherer) host(dir string) {
	for _, name := range capture.FileNames() {
		name = filepath.Join(dir, name)
		if _, err := disk.Lstat(name); !errors.Is(err, fs.ErrNotExist) { // a link to nowhere is one that cannot be read
			g.source(name, 2)
			return
		}
	}
	g.skip(noRobots, errors.New(dir))
}

// reading reads the captures in an input.
type reading func(io.Reader, capture.Options) iter.Seq2[capture.Capture, error]

var readings = map[capture.Kind]reading{capture.JSON: capture.JSONLines, capture.Archive: capture.WARC}

// file reads a regular file as its name says.
func (g *gatherer) file(name string) {
	read := readings[capture.KindOf(name)]
	if read == nil {
		host, err := capture.HostOf(name)
		if err == nil {
			_, err = origin.Parse(host)
		}
		if err != nil {
			g.skip(capture.BadHost, fmt.Errorf("%q: %w", name, err))
			return
		}
		read = func(r io.Reader, o capture.Options) iter.Seq2[capture.Capture, error] {
			return func(yield func(capture.Capture, error) bool) { yield(capture.File(r, host, o)) }
		}
	}
	g.open(name, read)
}

func (g *gatherer) open(name string, read reading) {
	in, err := source.NewFile(name)
	if err != nil {
		g.skip(unread, err)
		return
	}
	g.read(in, read)
}

// read adds the captures in an input. If read is nil, the first bytes tell whether
// it is JSON lines or WARC.
func (g *gatherer) read(in *source.Input, read reading) {
	in.Windows = newBudget(g.memory).windows()
	if read == nil {
		head, err := wait(g.ctx, func() ([]byte, error) { return in.Head(4096) })
		kind := capture.Kind(0)
		if err == nil {
			if kind, err = capture.Detect(head); err != nil {
				err = fmt.Errorf("%s: %w", in.Name, err)
			}
		}
		if err != nil {
			g.skip(unread, explained(err))
			return
		}
		read = readings[kind]
	}
	r, err := openInput(g.ctx, in)
	if err != nil {
		g.skip(unread, err)
		return
	}
	defer r.Close()
	for c, err := range read(counting{g, r}, g.options) {
		var skipped *capture.SkipError
		var form *capture.FormError
		var broken *source.Error // names the input itself
		switch {
		case g.ctx.Err() != nil:
			return
		case err == nil:
			g.add(c)
		case errors.As(err, &skipped):
			g.skip(skipped.Reason, fmt.Errorf("%s: %w", in.Name, err))
		case errors.As(err, &form):
			g.skip(capture.BadForm, fmt.Errorf("%s: %w", in.Name, err))
		case errors.As(err, &broken):
			g.skip(unread, explained(err))
		default:
			g.skip(unread, fmt.Errorf("%s: %w", in.Name, err))
		}
	}
}

// add adds a capture to the set.
func (g *gatherer) add(c capture.Capture) {
	if err := g.set.Add(c); err != nil {
		g.stop(err)
	}
}

// skip counts something that is passed over. If a copy may be lost by it, the first
// ones of each reason are kept to be shown.
func (g *gatherer) skip(reason capture.Reason, what error) {
	if g.ctx.Err() != nil { // the interrupt is the cause
		return
	}
	g.skipped[reason]++
	if reason == noRobots || !reason.Lost() {
		return
	}
	g.lost = true
	if g.skipped[reason] <= maxShown {
		g.shown = append(g.shown, what.Error())
	}
}

// Progress returns the bytes read. The total is not known.
func (g *gatherer) Progress() (read, total int64) { return g.bytes.Load(), -1 }

// report warns of everything that was passed over, and of copies that were replaced.
func (g *gatherer) report() {
	for _, what := range g.shown {
		g.messages.warn("%s", what)
	}
	for _, reason := range slices.Sorted(maps.Keys(g.skipped)) {
		g.messages.warn("passed over: %s: %s", reason, english.Grouped(int64(g.skipped[reason])))
	}
	if n := g.set.Replaced(); n > 0 {
		g.messages.warn("copies replaced by a newer or later one of their origin: %s", english.Grouped(int64(n)))
	}
}

// counting is a reader that ends with the context of its gatherer, and counts.
type counting struct {
	g *gatherer
	io.Reader
}

func (c counting) Read(p []byte) (int, error) {
	if err := c.g.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.Reader.Read(p)
	c.g.bytes.Add(int64(n))
	return n, err
}
