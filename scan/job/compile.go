package job

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/capture"
	"github.com/robotsieve/robotsieve/scan/source"
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
	// Dialects are those that the archive holds the rules of; none stands for
	// RFC 9309's and Google's.
	Dialects []automaton.Dialect
	// MaxBytes limits how much of each robots.txt is read, as in compile.Options: 0 stands
	// for compile.DefaultMaxBytes. A negative number, or one above 64 MiB, stands for 64 MiB.
	MaxBytes int
	Messages Messages
}

// Compiled describes the archive that Compile wrote.
type Compiled struct {
	Origins, Rulesets int
	Size              int64 // of the archive, in bytes
	// MaxBytes is the limit of a body. Bodies counts the distinct bodies; BodyBytes is
	// the length of their lines within the limit.
	MaxBytes          int
	Bodies, BodyBytes int64
	// BodyOrigins counts the origins that have a body, and the others those of them whose
	// body looks like a web page, looks like UTF-16, or is any other text without a line
	// that names a user agent. The rules in it, if there are any, are in the archive.
	BodyOrigins, Pages, UTF16, Unnamed int64
	// Cut counts the bodies longer than the limit, and CutOrigins their origins. The
	// archive lacks the rules beyond the limit.
	Cut, CutOrigins int64
	// Redirected counts the origins whose robots.txt is redirected to where the sources
	// have nothing: for Filter, their robots.txt is not known.
	Redirected int64
	// Lost says that a source could not be used, wholly or in part.
	Lost bool
}

// maxBody is the highest limit of a body, and the limit where the options set none.
const maxBody = 64 << 20

// Compile reads the robots.txt of many origins and writes their rules to an
// archive for Filter. It goes on when part of a source cannot be used, and warns of
// everything that it passed over. An error is of type *Error; nothing has been written then.
func Compile(ctx context.Context, o CompileOptions) (*Compiled, error) {
	switch {
	case len(o.Sources) == 0:
		return nil, usageError("no source of robots.txt files")
	case o.Output == "":
		return nil, usageError("no archive to write: name it with -o FILE")
	}
	o.Stdin = cmp.Or[io.Reader](o.Stdin, os.Stdin)
	if err := checkOutput(o.Output); err != nil {
		return nil, inputError(err)
	}
	if err := o.refuseSource(); err != nil {
		return nil, err
	}
	if len(o.Dialects) == 0 {
		o.Dialects = []automaton.Dialect{automaton.RFC9309, automaton.Google}
	}
	// The archive does not depend on the order in which dialects are given.
	o.Dialects = slices.Compact(slices.Sorted(slices.Values(o.Dialects)))
	o.MaxBytes = cmp.Or(o.MaxBytes, compile.DefaultMaxBytes)
	if o.MaxBytes < 0 || o.MaxBytes > maxBody {
		o.MaxBytes = maxBody
	}
	// One byte more than the limit tells the compiler that there is more.
	g := &gatherer{ctx: ctx, messages: o.Messages, options: capture.Options{MaxBody: o.MaxBytes + 1}, skipped: map[capture.Reason]int{}}
	g.options.Wants = g.set.Wants
	c, err := o.compile(ctx, g)
	g.report()
	switch {
	case err == nil:
		c.Lost = g.lost
		return c, nil
	case ctx.Err() != nil:
		return nil, &Error{Interrupted, errors.New("interrupted; nothing has been written")}
	}
	return nil, inputError(err)
}

// refuseSource returns an error if the output is one of the sources, or in a
// directory of them where it would be read as one.
func (o CompileOptions) refuseSource() error {
	out, statErr := disk.Stat(o.Output)
	if statErr != nil {
		return nil //nolint:nilerr // without the file nothing would be replaced
	}
	for _, name := range o.Sources {
		reads := []string{name, filepath.Join(name, filepath.Base(o.Output))}
		for _, robots := range capture.FileNames() {
			reads = append(reads, filepath.Join(name, filepath.Base(filepath.Dir(o.Output)), robots))
		}
		for _, read := range reads {
			info, err := disk.Stat(read)
			if f, ok := disk.Of(o.Stdin); ok && read == "-" {
				info, err = f.Stat()
			}
			if err == nil && os.SameFile(out, info) {
				return usageError("the archive %s would replace the source %s", o.Output, read)
			}
		}
	}
	return nil
}

// compile reads the sources and writes the archive. If it fails, or ctx ends, it makes no
// file and changes none.
func (o CompileOptions) compile(ctx context.Context, g *gatherer) (*Compiled, error) {
	defer o.Messages.progress(g)()
	for _, name := range o.Sources {
		if name == "-" {
			g.read(source.NewInput(name, until(ctx, o.Stdin), -1), nil)
		} else {
			g.source(name, 0)
		}
	}
	if ctx.Err() == nil && g.set.Len() == 0 {
		return nil, errors.New("no robots.txt in any source; nothing has been written")
	}
	copies := g.set.Copies()
	c := &Compiled{MaxBytes: o.MaxBytes}
	w, err := o.archive(ctx, copies, c, g)
	if err != nil {
		return nil, err
	}
	c.Origins, c.Rulesets = w.Len(), w.Rulesets()
	err = writeFile(o.Output, func(f io.Writer) error {
		out := bufio.NewWriterSize(untilWriter{ctx, f}, 1<<20)
		if c.Size, err = w.WriteTo(out); err != nil {
			return err
		}
		return out.Flush()
	})
	return c, err
}

// archive compiles each body once in each dialect, on all processors, and counts in c. An
// origin whose rules an archive cannot hold is passed over, so that it does not prevent
// the archive of the others.
func (o CompileOptions) archive(ctx context.Context, copies []capture.Copy, c *Compiled, g *gatherer) (*archive.Writer, error) {
	w, err := archive.NewWriter(o.Dialects...)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex // of w, c, g and key
	var key []byte
	inParallel(ctx, len(copies), runtime.GOMAXPROCS(0), func(i int) {
		rulesets, robots := o.compileBody(copies[i].Body)
		mu.Lock()
		defer mu.Unlock()
		c.count(copies[i], robots)
		for _, use := range copies[i].Uses {
			key = use.Origin.AppendKey(key[:0])
			if err := w.Add(key, use.Status, rulesets...); err != nil {
				g.skip(unheld, err)
			}
		}
	})
	return w, ctx.Err()
}

// count counts a body and the origins that have it, or origins without a body.
func (c *Compiled) count(copied capture.Copy, robots *compile.Robots) {
	origins := int64(len(copied.Uses))
	if copied.Body == nil {
		for _, use := range copied.Uses {
			if answer.Of(int(use.Status), answer.Archive) == answer.Redirect {
				c.Redirected++
			}
		}
		return
	}
	c.Bodies++
	c.BodyBytes += int64(len(compile.WholeLines(copied.Body, c.MaxBytes)))
	c.BodyOrigins += origins
	has := func(kind compile.NoteKind) bool {
		return slices.ContainsFunc(robots.Notes, func(n compile.Note) bool { return n.Kind == kind })
	}
	switch {
	case has(compile.NoteMarkup):
		c.Pages += origins
	case has(compile.NoteUTF16):
		c.UTF16 += origins
	case len(robots.Groups) == 0 && len(bytes.TrimSpace(copied.Body)) > 0:
		c.Unnamed += origins
	}
	if len(copied.Body) > c.MaxBytes {
		c.Cut++
		c.CutOrigins += origins
	}
}

// compileBody compiles a body in each dialect; robots is it in the first. If body is nil, so
// are robots and the rulesets.
func (o CompileOptions) compileBody(body []byte) (rulesets []*automaton.Ruleset, robots *compile.Robots) {
	rulesets = make([]*automaton.Ruleset, len(o.Dialects))
	for i, d := range o.Dialects {
		if body != nil {
			// An archive holds lists of rules, so tables are not needed.
			r := compile.Compile(body, compile.Options{Dialect: d, MaxBytes: o.MaxBytes, Engine: compile.EngineList})
			rulesets[i], robots = r.Ruleset, cmp.Or(robots, r)
		}
	}
	return rulesets, robots
}

// untilWriter is a writer that fails when its context has ended.
type untilWriter struct {
	ctx context.Context
	io.Writer
}

func (w untilWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}
