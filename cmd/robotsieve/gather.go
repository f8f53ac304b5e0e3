package main

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

	"github.com/robotsieve/robotsieve/scan/capture"
	"github.com/robotsieve/robotsieve/scan/source"
)

// gatherer collects copies of robots.txt from sources, and counts what it passes
// over.
type gatherer struct {
	streams
	ctx     context.Context
	options capture.Options
	set     capture.Set
	skipped map[string]int // by reason
	shown   []string       // the first of each reason
	read    atomic.Int64   // bytes, decompressed
	lost    bool           // an input could not be used, wholly or in part
}

// maxShown is how many things are shown that were passed over for one reason; the
// others are counted.
const maxShown = 5

// Reasons of the gatherer's own.
const (
	unread   = "input that could not be read to its end"
	noRobots = "directory without a robots.txt"
	unheld   = "origin whose rules an archive cannot hold"
)

// gather reads all sources.
func (g *gatherer) gather(sources []string) {
	g.skipped = map[string]int{}
	for _, name := range sources {
		if g.ctx.Err() != nil {
			return
		}
		if name == "-" {
			// Where nothing comes, the interrupt is not to wait for it.
			g.dump(source.NewInput(name, until(g.ctx, g.in), -1), nil)
			continue
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			g.skip(unread, true, unopened(name, err))
		case info.IsDir():
			g.directory(name)
		case info.Mode().IsRegular():
			g.file(name)
		default:
			if in, err := source.NewFile(name); err != nil {
				g.skip(unread, true, err)
			} else {
				g.dump(in, nil)
			}
		}
	}
}

// unopened is an error of os.Stat as package source tells it.
func unopened(name string, err error) error {
	return &source.Error{Name: name, Offset: -1, Err: cmp.Or(errors.Unwrap(err), err)}
}

// directory reads the files in a directory, and the robots.txt in each directory
// in it. What is hidden is not looked at.
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
		info, err := os.Stat(name) // follows links
		switch {
		case err != nil:
			g.skip(unread, true, unopened(name, err))
		case info.Mode().IsRegular():
			g.file(name)
		case info.IsDir():
			g.host(name)
		}
	}
}

// host reads the robots.txt in a directory, also a compressed one.
func (g *gatherer) host(dir string) {
	for _, name := range capture.FileNames() {
		robots := filepath.Join(dir, name)
		info, err := os.Stat(robots)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && !info.Mode().IsRegular(): // one that nobody writes to would be waited for
			g.skip(unread, true, fmt.Errorf("%s: not a regular file", robots))
		default:
			g.file(robots)
		}
		return
	}
	g.skip(noRobots, false, errors.New(dir))
}

// file reads a file as its name says.
func (g *gatherer) file(name string) {
	in, err := source.NewFile(name)
	if err != nil {
		g.skip(unread, true, err)
		return
	}
	switch capture.KindOf(name) {
	case capture.JSON:
		g.dump(in, capture.JSONLines)
	case capture.Archive:
		g.dump(in, capture.WARC)
	default:
		g.robots(in)
	}
}

// robots reads a robots.txt, which its name says the host of.
func (g *gatherer) robots(in *source.Input) {
	host, err := capture.HostOf(in.Name)
	if err != nil {
		g.skip(string(capture.BadHost), true, fmt.Errorf("%q: %w", in.Name, err))
		return
	}
	r, err := in.Open()
	if err != nil {
		g.skip(unread, true, err)
		return
	}
	defer r.Close()
	c, err := capture.File(stopping{g, r}, host, g.options)
	var broken *source.Error
	switch {
	case g.ctx.Err() != nil:
	case errors.As(err, &broken):
		g.skip(unread, true, err)
	case err != nil:
		g.skip(string(capture.BadHost), true, fmt.Errorf("%q: %w", in.Name, err))
	default:
		g.set.Add(c)
	}
}

// reading reads the captures in an input.
type reading func(io.Reader, capture.Options) iter.Seq2[capture.Capture, error]

// dump reads an input of many captures; a nil read is told by the first bytes.
func (g *gatherer) dump(in *source.Input, read reading) {
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
	for c, err := range read(stopping{g, r}, g.options) {
		var skipped *capture.Skipped
		var broken *source.Error // which says the name itself
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

// skip counts something passed over, and keeps it to be shown if it is among the first of
// its reason and a copy may be lost by it.
func (g *gatherer) skip(reason string, lost bool, what error) {
	if g.ctx.Err() != nil { // it was the interrupt that broke it
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

// Progress returns the bytes read. How many there are in all nobody knows.
func (g *gatherer) Progress() (read, total int64) { return g.read.Load(), -1 }

// report says what was passed over, and how often which copy was chosen.
func (g *gatherer) report() {
	for _, what := range g.shown {
		g.warn("%s", what)
	}
	for _, reason := range slices.Sorted(maps.Keys(g.skipped)) {
		g.warn("passed over: %s: %s", reason, grouped(int64(g.skipped[reason])))
	}
	if n := g.set.Replaced(); n > 0 {
		g.warn("copies that gave way to another of their origin, newer or later: %s", grouped(int64(n)))
	}
}

// stopping is a reader that ends with the context of its gatherer, and counts.
type stopping struct {
	g *gatherer
	io.Reader
}

func (s stopping) Read(p []byte) (int, error) {
	if err := s.g.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.Reader.Read(p)
	s.g.read.Add(int64(n))
	return n, err
}
