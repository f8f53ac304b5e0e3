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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/capture"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/source"
)

// gatherer collects copies of robots.txt from sources until its context ends, and
// counts what it passes over.
type gatherer struct {
	ctx     context.Context
	log     Log
	options capture.Options
	set     capture.Set
	skipped map[string]int // by reason
	shown   []string       // the first of each reason
	bytes   atomic.Int64   // read, decompressed
	lost    bool           // an input could not be used, wholly or in part
}

// maxShown is how many examples of each reason are shown; the others are counted.
const maxShown = 5

// The reasons to pass something over that package capture does not have.
const (
	unread   = "input that could not be read to its end"
	noRobots = "directory without a robots.txt"
	unheld   = "origin whose rules an archive cannot hold"
)

// source reads one source: a file, a directory, stdin, or a pipe.
func (g *gatherer) source(name string, stdin io.Reader) {
	if name == "-" {
		g.read(source.NewInput(name, until(g.ctx, stdin), -1), nil)
		return
	}
	info, ok := g.stat(name)
	switch {
	case !ok:
	case info.IsDir():
		g.directory(name)
	case info.Mode().IsRegular():
		g.file(name)
	default:
		g.open(name, nil)
	}
}

// stat follows links. An error is passed over in the words of package source.
func (g *gatherer) stat(name string) (info fs.FileInfo, ok bool) {
	info, err := os.Stat(name)
	if err != nil {
		g.skip(unread, true, &source.Error{Name: name, Offset: -1, Err: cmp.Or(errors.Unwrap(err), err)})
	}
	return info, err == nil
}

// directory reads the files in a directory, and the robots.txt in each of its
// directories. It ignores hidden names.
func (g *gatherer) directory(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		g.skip(unread, true, err)
	}
	for _, entry := range entries {
		if g.ctx.Err() != nil {
			return
		}
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		name := filepath.Join(dir, entry.Name())
		switch info, ok := g.stat(name); {
		case !ok:
		case info.Mode().IsRegular():
			g.file(name)
		case info.IsDir():
			g.host(name)
		}
	}
}

// host reads the robots.txt in the directory of a host, plain or compressed.
func (g *gatherer) host(dir string) {
	for _, name := range capture.FileNames() {
		robots := filepath.Join(dir, name)
		info, err := os.Stat(robots)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && !info.Mode().IsRegular(): // a pipe might block for ever
			g.skip(unread, true, fmt.Errorf("%s: not a regular file", robots))
		default:
			g.file(robots)
		}
		return
	}
	g.skip(noRobots, false, errors.New(dir))
}

// file reads a regular file as its name says.
func (g *gatherer) file(name string) {
	switch capture.KindOf(name) {
	case capture.JSON:
		g.open(name, capture.JSONLines)
	case capture.Archive:
		g.open(name, capture.WARC)
	default:
		host, err := capture.HostOf(name)
		if err == nil {
			_, err = origin.Parse(host)
		}
		if err != nil {
			g.skip(string(capture.BadHost), true, fmt.Errorf("%q: %w", name, err))
			return
		}
		g.open(name, func(r io.Reader, o capture.Options) iter.Seq2[capture.Capture, error] {
			return func(yield func(capture.Capture, error) bool) { yield(capture.File(r, host, o)) }
		})
	}
}

// reading reads the captures in an input.
type reading func(io.Reader, capture.Options) iter.Seq2[capture.Capture, error]

func (g *gatherer) open(name string, read reading) {
	in, err := source.NewFile(name)
	if err != nil {
		g.skip(unread, true, err)
		return
	}
	g.read(in, read)
}

// read adds the captures in an input. If read is nil, the first bytes tell whether
// it is JSON lines or WARC.
func (g *gatherer) read(in *source.Input, read reading) {
	if read == nil {
		var err error
		if read, err = detect(in); err != nil {
			g.skip(unread, true, err)
			return
		}
	}
	r, err := in.Open()
	if err != nil {
		g.skip(unread, true, err)
		return
	}
	defer r.Close()
	for c, err := range read(counting{g, r}, g.options) {
		var skipped *capture.Skipped
		var broken *source.Error // names the input itself
		switch {
		case err == nil:
			g.set.Add(c)
		case g.ctx.Err() != nil:
			return
		case errors.As(err, &skipped):
			g.skip(string(skipped.Reason), skipped.Reason.Lost(), fmt.Errorf("%s: %w", in.Name, err))
		case errors.As(err, &broken):
			g.skip(unread, true, err)
		default:
			g.skip(unread, true, fmt.Errorf("%s: %w", in.Name, err))
		}
	}
}

func detect(in *source.Input) (reading, error) {
	head, err := in.Head(4096)
	if err != nil {
		return nil, err
	}
	kind, err := capture.Detect(head)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	if kind == capture.Archive {
		return capture.WARC, nil
	}
	return capture.JSONLines, nil
}

// skip counts something that is passed over. If a copy may be lost by it, it is
// kept to be shown, unless there are enough of its reason.
func (g *gatherer) skip(reason string, lost bool, what error) {
	if g.ctx.Err() != nil { // the interrupt is the cause
		return
	}
	g.skipped[reason]++
	if !lost {
		return
	}
	g.lost = true
	if g.skipped[reason] <= maxShown {
		g.shown = append(g.shown, what.Error())
	}
}

// Progress returns the bytes read. The total is not known.
func (g *gatherer) Progress() (read, total int64) { return g.bytes.Load(), -1 }

// report warns of what was passed over and which copies were replaced.
func (g *gatherer) report() {
	for _, what := range g.shown {
		g.log.warn("%s", what)
	}
	for _, reason := range slices.Sorted(maps.Keys(g.skipped)) {
		g.log.warn("passed over: %s: %s", reason, english.Grouped(int64(g.skipped[reason])))
	}
	if n := g.set.Replaced(); n > 0 {
		g.log.warn("copies replaced by a newer or later one of their origin: %s", english.Grouped(int64(n)))
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
