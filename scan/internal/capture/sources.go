package capture

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
	"github.com/robotsieve/robotsieve/scan/internal/interrupt"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
	"github.com/robotsieve/robotsieve/scan/source"
)

// Sources reads copies of robots.txt from files and folders until its context ends, and counts what it skips.
type Sources struct {
	Options Options
	// Add gets the captures.
	Add func(Capture) error
	// Unused gets the facts about unusable captures; optional.
	Unused func(Capture)
	// Window bounds the windows of decompressors, in bytes. Explain adds to the error of an input; optional.
	Window  int64
	Explain func(error) error
	// Inside is the folder that is read without following links out of it, "" if they are followed.
	Inside string
	// Name is the input that is being read.
	Name  string
	Taken map[string]int // captures, by their kind of source
	Lost  bool           // an input could not be used, wholly or in part
	// Undated are captures without a date, except one that Options.Fields does not name.
	Undated int64

	ctx     context.Context
	stop    context.CancelCauseFunc
	skipped map[Reason]int
	shown   []string     // the first few for each reason
	date    time.Time    // of the folder or file that is being read, if its name contains one
	month   bool         // with only the month known
	bytes   atomic.Int64 // read, decompressed
}

// maxShown is how many examples of each reason are shown; the others are only counted.
const maxShown = 5

// The reasons to skip something beyond those of package
const (
	unread   Reason = "input that could not be read to its end"
	noRobots Reason = "directory without a robots.txt, of which nothing else is read"
	Unheld   Reason = "origin whose rules an archive cannot hold"
)

// NewSources returns a reader of sources that ends with ctx, or when Stop is called.
func NewSources(ctx context.Context, o Options) *Sources {
	g := &Sources{Options: o, skipped: map[Reason]int{}, Taken: map[string]int{}}
	g.ctx, g.stop = context.WithCancelCause(ctx)
	return g
}

// Context ends with the reading. Its cause is the error of Stop.
func (g *Sources) Context() context.Context { return g.ctx }

// Stop ends the reading with an error, or frees its context if err is nil.
func (g *Sources) Stop(err error) { g.stop(err) }

// ReadAll reads a source: a file, or a folder as the help of compile describes it.
func (g *Sources) ReadAll(name string) { g.source(name, aSource) }

// ReadStream reads the captures in a stream, of which the first bytes show whether it is JSON or WARC.
func (g *Sources) ReadStream(name string, r io.Reader) {
	g.read(source.NewInput(name, interrupt.Reader(g.ctx, r), -1), RobotsTxt, nil)
}

// standing is the role of a name in a source.
type standing int

const (
	aSource  standing = iota // a source, or a directory in it with a date for its name
	inSource                 // in a directory that is one
	ofHost                   // the robots.txt in the directory of a host
)

// source reads a source of copies, or a file or directory in it. Hidden names are ignored.
func (g *Sources) source(name string, as standing) {
	info, err := disk.Stat(name)
	switch {
	case g.ctx.Err() != nil:
	case err != nil:
		g.Skip(unread, &source.Error{Name: name, Offset: -1, Err: cmp.Or(errors.Unwrap(err), err)})
	case g.leadsOut(name):
	case info.Mode().IsRegular():
		g.file(name)
	case info.IsDir() && as != ofHost && g.dated(name):
	case info.IsDir() && as == aSource:
		entries, err := disk.ReadDir(name) // with an error, those read before it
		if err != nil {
			g.Skip(unread, err)
		}
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Name(), ".") {
				g.source(filepath.Join(name, entry.Name()), inSource)
			}
		}
	case info.IsDir() && as == inSource:
		g.host(name)
	case as == aSource:
		g.open(name, RobotsTxt, nil)
	default: // a pipe might block for ever
		g.Skip(unread, fmt.Errorf("%s: not a regular file", name))
	}
}

// leadsOut reports whether a name is a link out of the folder that is read, and records it.
func (g *Sources) leadsOut(name string) bool {
	out := g.Inside != "" && g.Inside != name && disk.LeadsOut(g.Inside, name)
	if out {
		g.Skip(unread, fmt.Errorf("%s: %w", name, disk.ErrLeadsOut))
	}
	return out
}

// dated reads a directory named by the date of the copies in it, and reports whether it is one.
func (g *Sources) dated(dir string) bool {
	at, isMonth, ok := DateOf(dir)
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
func (g *Sources) host(dir string) {
	for _, ending := range append([]string{""}, sniff.Compressions()...) {
		name := filepath.Join(dir, "robots.txt"+ending)
		if _, err := disk.Lstat(name); !errors.Is(err, fs.ErrNotExist) { // a broken link counts as unreadable
			g.source(name, ofHost)
			return
		}
	}
	entries, err := disk.ReadDir(dir)
	if err != nil {
		g.Skip(unread, err)
	}
	found := false
	for _, entry := range entries {
		if !entry.IsDir() && g.datedFile(filepath.Join(dir, entry.Name())) {
			found = true
		}
	}
	if !found {
		g.Skip(noRobots, errors.New(dir))
	}
}

// datedFile reads a robots.txt in the directory of its host with its date as its name, and reports whether
// it is one.
func (g *Sources) datedFile(name string) bool {
	at, ok := DateOfFile(filepath.Base(name))
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

type captureReader func(io.Reader, Options) iter.Seq2[Capture, error]

var captureReaders = map[Kind]captureReader{JSON: Objects, Archive: WARC}

// sourceNames are what captures are read from, in the plural, by the kind of the input.
var sourceNames = map[Kind]string{
	RobotsTxt: "robots.txt files", JSON: "JSON", Archive: "WARC", Table: "Parquet",
}

// file reads a regular file as its name says.
func (g *Sources) file(name string) {
	kind := KindOf(name)
	if kind == Table {
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
	host, err := HostOf(name)
	if err != nil {
		g.Skip(BadHost, fmt.Errorf("%q: %w", name, err))
		return
	}
	g.robotsTxt(name, host, true)
}

// collection reads the WARC files in a web archive collection (WACZ), which is a zip.
func (g *Sources) collection(name string) {
	members, _, errs := source.Inputs(g.ctx, []string{name}, nil, source.Limits{Windows: source.NewWindows(g.Window)})
	for _, err := range errs {
		g.Skip(unread, err)
	}
	for _, in := range members {
		if KindOf(in.Name) == Archive {
			g.read(in, Archive, WARC)
		}
	}
}

// robotsTxt reads the robots.txt of a host, which may be known only from the name of the file.
func (g *Sources) robotsTxt(name, host string, named bool) {
	if _, err := origin.Parse(host); err != nil {
		g.Skip(BadHost, fmt.Errorf("%q: %w", name, err))
		return
	}
	if err := disk.CheckRegular(name); errors.Is(err, disk.ErrIrregular) { // a pipe might block for ever
		g.Skip(unread, err)
		return
	}
	g.open(name, RobotsTxt, func(r io.Reader, o Options) iter.Seq2[Capture, error] {
		return func(yield func(Capture, error) bool) {
			c, err := File(r, host, o)
			if err == nil && named {
				err = CheckNamed(name, c.Body)
			}
			yield(c, err)
		}
	})
}

func (g *Sources) open(name string, kind Kind, read captureReader) {
	in, err := source.NewFile(name)
	if err != nil {
		g.Skip(unread, err)
		return
	}
	g.read(in, kind, read)
}

// table reads the captures in a table of Parquet.
func (g *Sources) table(name string) {
	in, err := source.NewFile(name)
	if err == nil {
		err = g.rows(in)
	}
	if err != nil {
		g.Skip(unread, source.Named(name, err))
	}
}

// rows reads the captures in the rows of a table.
func (g *Sources) rows(in *source.Input) error {
	g.Name = in.Name
	file, closer, err := columnar.OpenInput(in)
	if err != nil {
		return err
	}
	defer closer.Close()
	has := func(f Field) bool {
		return slices.ContainsFunc(file.Columns(), func(c columnar.Column) bool {
			return strings.EqualFold(c.Name, fieldNames[f]) && !c.List
		})
	}
	fields := g.Options.Fields
	if fields == (Fields{}) {
		fields[Host], fields[Body] = fieldNames[Host], fieldNames[Body]
		for _, f := range []Field{Coded, Status, Location} {
			if has(f) {
				fields[f] = fieldNames[f]
			}
		}
	}
	unread := fields[Date] == "" && has(Date)
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
		var v Values
		for i, field := range of {
			v[field] = row[i]
		}
		c, why := v.Capture(g.Options)
		if why != "" {
			g.Skip(why, &SkipError{Where: fmt.Sprintf("%s: row %d", in.Name, number), Reason: why,
				Text: string(v[Host])})
			continue
		}
		c.Line, c.DateUnread = number, unread
		g.add(c, Table)
	}
	return nil
}

// read adds the captures in an input. If read is nil, the first bytes show whether
// it is JSON or WARC.
func (g *Sources) read(in *source.Input, kind Kind, read captureReader) {
	in.Windows, g.Name = source.NewWindows(g.Window), in.Name
	if read == nil {
		head, err := interrupt.Wait(g.ctx, func() ([]byte, error) { return in.Head(4096) })
		if err == nil {
			if kind, err = Detect(head); err != nil {
				err = fmt.Errorf("%s: %w", in.Name, err)
			}
		}
		if err != nil {
			g.Skip(unread, g.explained(err))
			return
		}
		read = captureReaders[kind]
	}
	r, err := interrupt.Open(g.ctx, in)
	if err != nil {
		g.Skip(unread, err)
		return
	}
	defer r.Close()
	captures := read(interrupt.Stream{Ctx: g.ctx, R: r, Count: &g.bytes}, g.Options)
	if kind == JSON { // a WARC file is read according to the needs of the set
		captures = ahead(captures)
	}
	for c, err := range captures {
		var skipped *SkipError
		var form *FormError
		switch {
		case g.ctx.Err() != nil:
			return
		case err == nil:
			g.add(c, kind)
		case errors.As(err, &skipped):
			g.Skip(skipped.Reason, fmt.Errorf("%s: %w", in.Name, err))
			if g.Unused != nil && skipped.Reason != NotModified {
				g.Unused(c)
			}
		case errors.As(err, &form):
			g.Skip(BadForm, fmt.Errorf("%s: %w", in.Name, err))
		default:
			g.Skip(unread, source.Named(in.Name, g.explained(err)))
		}
	}
}

// Captures are read ahead in batches of at most this many captures and bytes, but for the last body.
const batchCaptures, batchOctets = 128, 64 << 10

// batch is a batch of captures and of errors in their place. It has a copy of the bodies.
type batch struct {
	captures []Capture
	errs     []error
	bodies   []byte
}

func (b *batch) add(c Capture, err error) {
	if c.Body != nil {
		from := len(b.bodies)
		b.bodies = append(b.bodies, c.Body...)
		c.Body = b.bodies[from:len(b.bodies):len(b.bodies)]
	}
	b.captures, b.errs = append(b.captures, c), append(b.errs, err)
}

// newBatch returns an empty batch, if possible in the memory of a used one.
func newBatch(used <-chan batch) batch {
	select {
	case b := <-used:
		if cap(b.bodies) <= 2*batchOctets {
			return batch{b.captures[:0], b.errs[:0], b.bodies[:0]}
		}
	default:
	}
	return batch{bodies: make([]byte, 0, 2*batchOctets)}
}

// ahead yields the captures of a reader, while another goroutine reads the next ones.
func ahead(captures iter.Seq2[Capture, error]) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		batches, used, done := make(chan batch, 1), make(chan batch, 2), make(chan struct{})
		var reader sync.WaitGroup
		defer reader.Wait()
		defer close(done)
		reader.Go(func() {
			defer close(batches)
			b := newBatch(used)
			for c, err := range captures {
				b.add(c, err)
				if len(b.captures) < batchCaptures && len(b.bodies) < batchOctets {
					continue
				}
				select {
				case batches <- b:
				case <-done:
					return
				}
				b = newBatch(used)
			}
			select {
			case batches <- b:
			case <-done:
			}
		})
		for b := range batches {
			for i, c := range b.captures {
				if !yield(c, b.errs[i]) {
					return
				}
			}
			select {
			case used <- b:
			default:
			}
		}
	}
}

// add gives a capture to Add, and counts it.
func (g *Sources) add(c Capture, from Kind) {
	g.Taken[sourceNames[from]]++
	if c.Time.IsZero() {
		c.Time, c.Month = g.date, g.month
	}
	if c.DateUnread && c.Time.IsZero() {
		g.Undated++
	}
	if err := g.Add(c); err != nil {
		g.stop(err)
	}
}

// Skip counts something that is skipped. If a copy may be lost by it, the first
// few for each reason are kept to be shown.
func (g *Sources) Skip(reason Reason, what error) {
	if g.ctx.Err() != nil { // the interrupt is the cause
		return
	}
	g.skipped[reason]++
	if reason == noRobots || !reason.Lost() {
		return
	}
	g.Lost = true
	if g.skipped[reason] <= maxShown {
		g.shown = append(g.shown, what.Error())
	}
}

// Progress returns the bytes read. The total is not known.
func (g *Sources) Progress() (read, total int64) { return g.bytes.Load(), -1 }

// Report warns of everything that was skipped.
func (g *Sources) Report(warn func(string)) {
	for _, what := range g.shown {
		warn(what)
	}
	for _, reason := range slices.Sorted(maps.Keys(g.skipped)) {
		warn(fmt.Sprintf("passed over: %s: %s", reason, english.Grouped(int64(g.skipped[reason]))))
	}
}

func (g *Sources) explained(err error) error {
	if g.Explain == nil {
		return err
	}
	return g.Explain(err)
}
