package job

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/internal/archived"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
	"github.com/robotsieve/robotsieve/scan/internal/interrupt"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
	"github.com/robotsieve/robotsieve/scan/report"
)

// CompileOptions name the sources and the output of Compile.
type CompileOptions struct {
	// Sources are files and directories of robots.txt, JSON lines and WARC files, as
	// the help of "robotsieve compile" describes them; "-" is Stdin.
	Sources []string
	Stdin   io.Reader // nil stands for os.Stdin
	// Output is the name of the archive. A file of that name is replaced when the
	// new one is complete.
	Output string
	Force  bool // replaces also a file that is not an archive, but never a source
	// Dialects are the dialects of the rules in the archive; the default is
	// RFC 9309's and Google's.
	Dialects []automaton.Dialect
	// MaxBytes limits how much of each robots.txt is read, as in compile.Options: 0 stands
	// for compile.DefaultMaxBytes, a negative number for as much as fits into memory. The
	// highest limit is 64 MiB.
	MaxBytes int
	// Fields map the parts of a capture to members of JSON and columns of Parquet, such as
	// "host=domain,body=meta.robots,date=fetched"; with "" the parts' own names are used, and no
	// date: a member called date is read only if it is named here.
	Fields string
	// AllVersions keeps all captures with a date as versions of their origins, instead of
	// only the newest. A version that equals the one before is left out.
	AllVersions bool
	// Memory is how many bytes the job may hold; 0 is DefaultMemory. In addition, each distinct
	// ruleset takes eight bytes. What does not fit spills to temporary files in os.TempDir.
	// Compile fails if Memory is too small for MaxBytes.
	Memory   int64
	Messages Messages
}

// Compiled describes the archive that Compile wrote.
type Compiled struct {
	Origins, Rulesets int
	Versions          int64 // in all origins, at least one in each
	Size              int64 // of the archive, in bytes
	report.BodyCounts
	// Taken counts the captures by their kind of source, and Replaced those that gave way to a
	// newer or later one.
	Taken    map[string]int
	Replaced int
	// Lost means that a source could not be used, wholly or in part.
	Lost bool
}

// maxCompiled is the highest limit of a body in an archive. It is below policy.MaxRead, the limit of an
// audit, which reads its user's own files: bodies in an archive are untrusted, and compiling takes
// archived.CompileCost bytes of memory for each byte of them.
const maxCompiled = 64 << 20

// Compile reads the robots.txt of many origins and writes their rules to an
// archive for Filter. It goes on when part of a source cannot be used, and warns of
// everything that it skipped. An error is of type *Error; nothing has been written then.
func Compile(ctx context.Context, o CompileOptions) (*Compiled, error) {
	switch {
	case len(o.Sources) == 0:
		return nil, usageError("no source of robots.txt files")
	case o.Output == "":
		return nil, usageError("no archive to write: name it with -o FILE")
	}
	o.Stdin = cmp.Or[io.Reader](o.Stdin, os.Stdin)
	out := disk.Output{Option: "-o", Name: o.Output, Content: anArchive, Force: o.Force}
	inputs := disk.Inputs{Names: o.Sources, Stdin: o.Stdin}
	if err := checkOutputs(inputs, disk.Streams(nil, o.Messages.To), out); err != nil {
		return nil, err
	}
	if len(o.Dialects) == 0 {
		o.Dialects = []automaton.Dialect{automaton.RFC9309, automaton.Google}
	}
	// The archive does not depend on the order in which dialects are given.
	o.Dialects = slices.Compact(slices.Sorted(slices.Values(o.Dialects)))
	o.Memory = cmp.Or(o.Memory, DefaultMemory)
	shares := shareCompiling(o.Memory)
	if err := o.limit(shares); err != nil {
		return nil, err
	}
	g, err := newCompiler(ctx, o, shares)
	if err != nil {
		return nil, err
	}
	defer g.Stop(nil)
	c, err := g.readAndWrite(shares, out)
	g.Report(func(m string) { o.Messages.warn("%s", m) })
	if n := g.set.Replaced(); n > 0 {
		o.Messages.warn("copies replaced by a newer or later one of their origin: %s", english.Grouped(int64(n)))
	}
	if o.AllVersions && g.Undated > 0 {
		o.Messages.warn("copies whose date, in a member or column called date, is not read: %s; name all in option Fields, "+
			"such as host=host,body=body,date=date", english.Grouped(g.Undated))
	}
	err = cmp.Or(err, g.set.Close())
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, &Error{Interrupted, errors.New("interrupted; nothing has been written")}
	case err != nil:
		return nil, inputError(err)
	}
	c.Lost, c.Taken, c.Replaced = g.Lost, g.Taken, g.set.Replaced()
	return c, nil
}

// compiler makes an archive of the captures in sources.
type compiler struct {
	*capture.Sources
	CompileOptions
	set capture.Set
}

func newCompiler(ctx context.Context, o CompileOptions, shares compileShares) (*compiler, error) {
	sources, err := o.newSources(ctx, shares)
	if err != nil {
		return nil, err
	}
	c := &compiler{Sources: sources, CompileOptions: o}
	c.set.Memory, c.set.AllVersions = shares.set, o.AllVersions
	c.Options.Wants, c.Add = c.set.Wants, c.set.Add
	return c, nil
}

// newSources returns a reader of sources that gives its captures to no one yet.
func (o CompileOptions) newSources(ctx context.Context, shares compileShares) (*capture.Sources, error) {
	var fields capture.Fields
	if o.Fields != "" {
		var err error
		if fields, err = capture.ParseFields(o.Fields); err != nil {
			return nil, usageError("option Fields: %w", err)
		}
	}
	// One byte more than the limit shows the compiler that there is more.
	g := capture.NewSources(ctx, capture.Options{MaxBody: o.MaxBytes + 1, MaxLine: shares.line, Fields: fields})
	g.Window, g.Explain = newBudget(o.Memory).window(), explained
	return g, nil
}

// compileShares divide the memory of Compile, in bytes. Bodies and rulesets
// that don't fit into their shares spill to temporary files.
type compileShares struct {
	set    int64 // the index of origins, and bodies
	sorter int64 // each of two to four sorters of the archive's origins and rulesets
	line   int   // the longest line of JSON
	work   int64 // the bodies that are compiled at the same time
}

const (
	// minWork is the part of work that the program's own allowance covers, beside the memory.
	minWork = 32 << 20
)

// shareCompiling divides the memory of Compile. While sources are read, the shares for rulesets
// and work are used for the windows of decompressors, and for lines, which take four times their length.
func shareCompiling(memory int64) compileShares {
	return compileShares{set: memory / 2, sorter: memory / 16, line: int(min(memory/32, maxCompiled)),
		work: memory/8*3 + minWork}
}

// limit sets the limit of a body.
func (o *CompileOptions) limit(shares compileShares) error {
	most := min(shares.work/archived.CompileCost, maxCompiled)
	if o.MaxBytes < 0 {
		o.MaxBytes = int(most)
	}
	o.MaxBytes = min(compile.Limit(o.MaxBytes), maxCompiled)
	if int64(o.MaxBytes) > most {
		enough := (int64(o.MaxBytes)*archived.CompileCost - minWork) / 3 * 8
		return usageError("there is too little memory to compile robots.txt files of up to %s: option Memory %dMB would do",
			english.Plural(int64(o.MaxBytes), "byte"), enough/1_000_000+1)
	}
	return nil
}

// readAndWrite reads the sources and writes the archive. If it fails or the context ends, it
// leaves all files as they were.
func (o *compiler) readAndWrite(shares compileShares, out disk.Output) (*Compiled, error) {
	defer o.Messages.progress(o)()
	for _, name := range o.CompileOptions.Sources {
		if name == "-" {
			o.ReadStream(name, o.Stdin)
		} else {
			o.ReadAll(name)
		}
	}
	if err := context.Cause(o.Context()); err != nil {
		return nil, err
	}
	w, err := archive.NewWriter(o.Dialects...)
	if err != nil {
		return nil, err
	}
	w.NewSorter = func(long bool) archive.Sorter {
		r := spill.NewRecords(spill.Options{Memory: shares.sorter, Compress: long})
		r.StopAt(o.Context())
		return r
	}
	c, err := o.write(w, shares.work, out)
	return c, cmp.Or(err, w.Close())
}

// write adds the captures to the archive and writes it.
func (o *compiler) write(w *archive.Writer, work int64, out disk.Output) (*Compiled, error) {
	rules := archived.Compiler{Writer: w, Sources: o.Sources, Dialects: o.Dialects, Work: work,
		BodyCounts: report.BodyCounts{MaxBytes: o.MaxBytes}}
	err := rules.AddAll(o.set.Copies(o.Context()))
	switch {
	case err != nil:
		return nil, err
	case o.set.Len() == 0:
		return nil, errors.New("no robots.txt in any source; nothing has been written")
	}
	if err := o.set.Close(); err != nil { // nothing in it is needed now
		return nil, err
	}
	c := &Compiled{BodyCounts: rules.BodyCounts}
	err = out.Write(func(f io.Writer) error {
		b := bufio.NewWriterSize(interrupt.Stream{Ctx: o.Context(), W: f}, 1<<20)
		if c.Size, err = w.WriteTo(b); err != nil {
			return err
		}
		return b.Flush()
	})
	c.Origins, c.Rulesets = w.Len(), w.Rulesets()
	versions, dropped := w.Versions()
	if c.Versions = versions; dropped > 0 {
		o.Messages.warn("the oldest versions of origins that have more than 16,384 are left out: %s",
			english.Grouped(dropped))
	}
	return c, err
}
