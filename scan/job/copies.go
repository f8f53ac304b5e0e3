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
	"sync"
	"sync/atomic"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/columnar"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/source"
)

// gatherer collects copies of robots.txt from sources until its context ends, and
// counts what it skips.
type gatherer struct {
	ctx      context.Context
	stop     context.CancelCauseFunc // ends ctx with an error that ends the job
	messages Messages
	options  capture.Options
	set      capture.Set
	memory   int64 // of the job
	skipped  map[capture.Reason]int
	shown    []string       // the first few for each reason
	taken    map[string]int // captures, by their kind of source
	date     time.Time      // of the folder or file that is being read, if its name contains one
	month    bool           // with only the month known
	name     string         // of the input that is being read
	// give gets the captures; it is Set.Add by default.
	give func(capture.Capture) error
	// unused gets the facts about unusable captures; optional.
	unused func(capture.Capture)
	bytes  atomic.Int64 // read, decompressed
	lost   bool         // an input could not be used, wholly or in part
	// undated are captures without a date, except one that Options.Fields does not name.
	undated int64
	// inside is the folder that is read without following links out of it, "" if they are followed.
	inside string
}

// maxShown is how many examples of each reason are shown; the others are only counted.
const maxShown = 5

// The reasons to skip something beyond those of package capture.
const (
	unread   capture.Reason = "input that could not be read to its end"
	noRobots capture.Reason = "directory without a robots.txt, of which nothing else is read"
	unheld   capture.Reason = "origin whose rules an archive cannot hold"
)

func newGatherer(ctx context.Context, o CompileOptions, shares compileShares) (*gatherer, error) {
	var fields capture.Fields
	if o.Fields != "" {
		var err error
		if fields, err = capture.ParseFields(o.Fields); err != nil {
			return nil, usageError("option Fields: %w", err)
		}
	}
	// One byte more than the limit shows the compiler that there is more.
	g := &gatherer{messages: o.Messages, memory: o.Memory,
		options: capture.Options{MaxBody: o.MaxBytes + 1, MaxLine: shares.line, Fields: fields},
		skipped: map[capture.Reason]int{}, taken: map[string]int{}}
	g.ctx, g.stop = context.WithCancelCause(ctx)
	g.set.Memory, g.set.AllVersions, g.options.Wants = shares.set, o.AllVersions, g.set.Wants
	g.give = g.set.Add
	return g, nil
}

// standing is the role of a name in a source.
type standing int

const (
	aSource  standing = iota // a source, or a directory in it with a date for its name
	inSource                 // in a directory that is one
	ofHost                   // the robots.txt in the directory of a host
)

// source reads a source of copies, or a file or directory in it. Hidden names are ignored.
func (g *gatherer) source(name string, as standing) {
	info, err := disk.Stat(name)
	switch {
	case g.ctx.Err() != nil:
	case err != nil:
		g.skip(unread, &source.Error{Name: name, Offset: -1, Err: cmp.Or(errors.Unwrap(err), err)})
	case g.leadsOut(name):
	case info.Mode().IsRegular():
		g.file(name)
	case info.IsDir() && as != ofHost && g.dated(name):
	case info.IsDir() && as == aSource:
		entries, err := disk.ReadDir(name) // with an error, those read before it
		if err != nil {
			g.skip(unread, err)
		}
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Name(), ".") {
				g.source(filepath.Join(name, entry.Name()), inSource)
			}
		}
	case info.IsDir() && as == inSource:
		g.host(name)
	case as == aSource:
		g.open(name, capture.RobotsTxt, nil)
	default: // a pipe might block for ever
		g.skip(unread, fmt.Errorf("%s: not a regular file", name))
	}
}

// leadsOut reports whether a name is a link out of the folder that is read, and records it.
func (g *gatherer) leadsOut(name string) bool {
	out := g.inside != "" && g.inside != name && disk.LeadsOut(g.inside, name)
	if out {
		g.skip(unread, fmt.Errorf("%s: %w", name, disk.ErrLeadsOut))
	}
	return out
}

// dated reads a directory named by the date of the copies in it, and reports whether it is one.
func (g *gatherer) dated(dir string) bool {
	at, isMonth, ok := capture.DateOf(dir)
	if !ok || !g.date.IsZero() {
		return false
	}
	g.date, g.month = at, isMonth
	g.source(dir, aSource)
	g.date, g.month = time.Time{}, false
	return true
}

// host reads the robots.txt in the directory of a host, plain or compressed: robots.txt, or the files
// with dates for names.
func (g *gatherer) host(dir string) {
	for _, name := range capture.FileNames() {
		name = filepath.Join(dir, name)
		if _, err := disk.Lstat(name); !errors.Is(err, fs.ErrNotExist) { // a broken link counts as unreadable
			g.source(name, ofHost)
			return
		}
	}
	entries, err := disk.ReadDir(dir)
	if err != nil {
		g.skip(unread, err)
	}
	found := false
	for _, entry := range entries {
		if !entry.IsDir() && g.datedFile(filepath.Join(dir, entry.Name())) {
			found = true
		}
	}
	if !found {
		g.skip(noRobots, errors.New(dir))
	}
}

// datedFile reads a robots.txt in the directory of its host with its date as its name, and reports whether
// it is one.
func (g *gatherer) datedFile(name string) bool {
	at, ok := capture.DateOfFile(filepath.Base(name))
	if !ok || !g.date.IsZero() {
		return false
	}
	if g.leadsOut(name) {
		return true
	}
	g.date = at
	g.robotsTxt(name, filepath.Base(filepath.Dir(name)), false)
	g.date = time.Time{}
	return true
}

// captureReader reads the captures in an input.
type captureReader func(io.Reader, capture.Options) iter.Seq2[capture.Capture, error]

var captureReaders = map[capture.Kind]captureReader{capture.JSON: capture.Objects, capture.Archive: capture.WARC}

// sourceNames are what captures are read from, in the plural, by the kind of the input.
var sourceNames = map[capture.Kind]string{
	capture.RobotsTxt: "robots.txt files", capture.JSON: "JSON", capture.Archive: "WARC", capture.Table: "Parquet",
}

// file reads a regular file as its name says.
func (g *gatherer) file(name string) {
	kind := capture.KindOf(name)
	if kind == capture.Table {
		g.table(name)
		return
	}
	if read := captureReaders[kind]; read != nil {
		g.open(name, kind, read)
		return
	}
	if strings.EqualFold(filepath.Ext(name), ".wacz") {
		g.collection(name)
		return
	}
	if g.datedFile(name) {
		return
	}
	host, err := capture.HostOf(name)
	if err != nil {
		g.skip(capture.BadHost, fmt.Errorf("%q: %w", name, err))
		return
	}
	g.robotsTxt(name, host, true)
}

// collection reads the WARC files in a web archive collection (WACZ), which is a zip.
func (g *gatherer) collection(name string) {
	members, _, errs := source.Inputs(g.ctx, []string{name}, nil, source.Limits{Windows: newBudget(g.memory).windows()})
	for _, err := range errs {
		g.skip(unread, err)
	}
	for _, in := range members {
		if capture.KindOf(in.Name) == capture.Archive {
			g.read(in, capture.Archive, capture.WARC)
		}
	}
}

// robotsTxt reads the robots.txt of a host, which may be known only from the name of the file.
func (g *gatherer) robotsTxt(name, host string, named bool) {
	if _, err := origin.Parse(host); err != nil {
		g.skip(capture.BadHost, fmt.Errorf("%q: %w", name, err))
		return
	}
	if err := disk.CheckRegular(name); errors.Is(err, disk.ErrIrregular) { // a pipe might block for ever
		g.skip(unread, err)
		return
	}
	g.open(name, capture.RobotsTxt, func(r io.Reader, o capture.Options) iter.Seq2[capture.Capture, error] {
		return func(yield func(capture.Capture, error) bool) {
			c, err := capture.File(r, host, o)
			if err == nil && named {
				err = capture.CheckNamed(name, c.Body)
			}
			yield(c, err)
		}
	})
}

func (g *gatherer) open(name string, kind capture.Kind, read captureReader) {
	in, err := source.NewFile(name)
	if err != nil {
		g.skip(unread, err)
		return
	}
	g.read(in, kind, read)
}

// table reads the captures in a table of Parquet.
func (g *gatherer) table(name string) {
	in, err := source.NewFile(name)
	if err != nil {
		g.skip(unread, err)
		return
	}
	if err := g.rows(in); err != nil && g.ctx.Err() == nil {
		g.skip(unread, named(name, err))
	}
}

// rows reads the captures in the rows of a table.
func (g *gatherer) rows(in *source.Input) error {
	g.name = in.Name
	file, closer, err := openTable(in)
	if err != nil {
		return err
	}
	defer closer.Close()
	fields := g.options.Fields
	if fields == (capture.Fields{}) {
		fields[capture.Host], fields[capture.Body] = "host", "body"
	}
	unread := fields[capture.Date] == "" &&
		slices.ContainsFunc(file.Columns(), func(c columnar.Column) bool { return c.Name == "date" })
	names, of := fields.Columns()
	rows, err := file.Select(g.ctx, names...)
	if err != nil {
		return err
	}
	number := int64(0)
	for row, err := range rows {
		if err != nil {
			return err
		}
		number++
		var v capture.Values
		for i, field := range of {
			v[field] = row[i]
		}
		c, why := v.Capture(g.options)
		if why != "" {
			g.skip(why, &capture.SkipError{Where: fmt.Sprintf("%s: row %d", in.Name, number), Reason: why,
				Text: string(v[capture.Host])})
			continue
		}
		c.Line, c.DateUnread = number, unread
		g.add(c, capture.Table)
	}
	return nil
}

// read adds the captures in an input. If read is nil, the first bytes show whether
// it is JSON or WARC.
func (g *gatherer) read(in *source.Input, kind capture.Kind, read captureReader) {
	in.Windows, g.name = newBudget(g.memory).windows(), in.Name
	if read == nil {
		head, err := wait(g.ctx, func() ([]byte, error) { return in.Head(4096) })
		if err == nil {
			if kind, err = capture.Detect(head); err != nil {
				err = fmt.Errorf("%s: %w", in.Name, err)
			}
		}
		if err != nil {
			g.skip(unread, explained(err))
			return
		}
		read = captureReaders[kind]
	}
	r, err := openInput(g.ctx, in)
	if err != nil {
		g.skip(unread, err)
		return
	}
	defer r.Close()
	captures := read(ending{g.ctx, r, nil, &g.bytes}, g.options)
	if kind == capture.JSON { // a WARC file is read according to the needs of the set
		captures = ahead(captures)
	}
	for c, err := range captures {
		var skipped *capture.SkipError
		var form *capture.FormError
		switch {
		case g.ctx.Err() != nil:
			return
		case err == nil:
			g.add(c, kind)
		case errors.As(err, &skipped):
			g.skip(skipped.Reason, fmt.Errorf("%s: %w", in.Name, err))
			if g.unused != nil && skipped.Reason != capture.NotModified {
				g.unused(c)
			}
		case errors.As(err, &form):
			g.skip(capture.BadForm, fmt.Errorf("%s: %w", in.Name, err))
		default:
			g.skip(unread, named(in.Name, explained(err)))
		}
	}
}

// ahead yields the captures of a reader, while another goroutine reads the next ones.
func ahead(captures iter.Seq2[capture.Capture, error]) iter.Seq2[capture.Capture, error] {
	type captured struct {
		capture.Capture
		err error
	}
	return func(yield func(capture.Capture, error) bool) {
		batches, done := make(chan []captured), make(chan struct{})
		var reader sync.WaitGroup
		defer reader.Wait()
		defer close(done)
		reader.Go(func() {
			defer close(batches)
			var batch []captured
			octets := 0
			for c, err := range captures {
				batch, octets = append(batch, captured{c, err}), octets+len(c.Body)
				if len(batch) < batchBodies && octets < batchOctets {
					continue
				}
				select {
				case batches <- batch:
				case <-done:
					return
				}
				batch, octets = nil, 0
			}
			select {
			case batches <- batch:
			case <-done:
			}
		})
		for batch := range batches {
			for _, c := range batch {
				if !yield(c.Capture, c.err) {
					return
				}
			}
		}
	}
}

// add adds a capture to the set, and counts it.
func (g *gatherer) add(c capture.Capture, from capture.Kind) {
	g.taken[sourceNames[from]]++
	if c.Time.IsZero() {
		c.Time, c.Month = g.date, g.month
	}
	if c.DateUnread && c.Time.IsZero() {
		g.undated++
	}
	if err := g.give(c); err != nil {
		g.stop(err)
	}
}

// skip counts something that is skipped. If a copy may be lost by it, the first
// few for each reason are kept to be shown.
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

// report warns of everything that was skipped, and of copies that were replaced.
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
