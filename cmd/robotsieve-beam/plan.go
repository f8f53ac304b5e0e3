package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// The plan of a job says which worker reads what. The names are expanded; the beginning of each
// file is read, side by side; files that begin alike are read to their ends, since a log that is
// there twice must be counted once; and one worker, who knows all files, puts them together into
// shards. The shards depend on the files alone, so that it does not matter how often this is done.

func init() {
	register.DoFn3x1[context.Context, []byte, func(candidate), error](&findFn{})
	register.DoFn3x1[context.Context, candidate, func(string, candidate), error](&lookFn{})
	register.DoFn4x1[context.Context, string, func(*candidate) bool, func(int, candidate), error](&compareFn{})
	register.DoFn4x1[context.Context, int, func(*candidate) bool, func(shard), error](&planFn{})
	register.Emitter1[candidate]()
	register.Emitter2[string, candidate]()
	register.Emitter2[int, candidate]()
	register.Emitter1[shard]()
	register.Iter1[candidate]()
}

// candidate is a file that may have to be read.
type candidate struct {
	Place   int // among all files
	File    file
	Codec   string         // how it is compressed; "" if it has not been looked at
	Head    string         // the SHA-256 of its first bytes, decompressed; "" if there are none or they cannot be read
	Sum     string         // that of all its bytes, if another file begins as it does and they can be read
	CopyOf  string         // of an audit: a log before it with the same content, if both are counted
	Output  string         // as in part
	Ranges  []source.Range // into which it is divided; none if it is one part
	Warning string         // about the names of files; then there is nothing else
}

// shard is what one worker reads at a time. The first one has in Rest what is to be said of files
// that none of them has.
type shard struct {
	Index   int
	Parts   []part
	Rest    job.Part
	Refused string // why nothing is read
}

// part is a file, or a range of its bytes.
type part struct {
	File   file
	Range  source.Range // zero: the whole file
	Empty  bool         // of an audit: nothing is read of the file
	Output string       // of a filter
}

// compressed is how many times as large a compressed log is, decompressed: a guess, for shards that
// take about the same time.
const compressed = 8

// plan returns the shards of a job.
func plan(s beam.Scope, look *lookFn, scratch string) beam.PCollection {
	s = s.Scope("plan")
	found := beam.Reshuffle(s, beam.ParDo(s, &findFn{scratch}, beam.Impulse(s)))
	looked := beam.ParDo(s, look, found)
	compared := beam.ParDo(s, &compareFn{}, beam.GroupByKey(s, looked))
	return beam.Reshuffle(s, beam.ParDo(s, &planFn{scratch}, beam.GroupByKey(s, compared)))
}

// findFn expands the names of the inputs.
type findFn struct{ Scratch string }

// ProcessElement emits the files.
func (f *findFn) ProcessElement(ctx context.Context, _ []byte, emit func(candidate)) error {
	spec, err := readSpec(ctx, f.Scratch)
	if err != nil {
		return err
	}
	files, warnings := find(ctx, spec.Names)
	for i, f := range files {
		emit(candidate{Place: i, File: f})
	}
	for _, w := range warnings {
		emit(candidate{Place: len(files), Warning: w})
	}
	return nil
}

// lookFn looks at the beginning of a log, and where it can be divided. Of lists nothing has to be
// known.
type lookFn struct {
	Logs       bool
	Format     string // as in AuditOptions
	ShardBytes int64  // 0: logs are not divided
}

// ProcessElement emits the file under the hash of its beginning. A damaged file is left to the
// worker who will read it, and report it.
func (f *lookFn) ProcessElement(ctx context.Context, c candidate, emit func(string, candidate)) error {
	if f.Logs && c.File.Error == "" && c.Warning == "" {
		if err := f.look(ctx, &c); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			c.File.Error = err.Error() // what cannot be compared is not read: it might be a copy
		}
	}
	emit(c.Head, c)
	return nil
}

func (f *lookFn) look(ctx context.Context, c *candidate) error {
	in, err := beginning(ctx, c.File)
	if err != nil {
		return err
	}
	head, err := in.Head(format.SampleBytes)
	if err != nil || len(head) == 0 {
		return nil //nolint:nilerr // as above
	}
	sum := sha256.Sum256(head)
	c.Head, c.Codec = hex.EncodeToString(sum[:]), in.Codec()
	if isPath(c.File.Name) {
		c.Ranges, _ = job.Divide(ctx, in, f.Format, f.ShardBytes) // an error comes again when the file is read
	}
	return nil
}

// headBytes are more than the decompressed head of a file takes before it is decompressed.
const headBytes = 1 << 20

// beginning returns a file, or of one that is no path the first bytes.
func beginning(ctx context.Context, f file) (*source.Input, error) {
	if isPath(f.Name) {
		return source.NewFile(f.Name)
	}
	fs, err := filesystem.New(ctx, f.Name)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	var head []byte
	err = again(ctx, f.Name, func() error {
		r, err := fs.OpenRead(ctx, f.Name)
		if err != nil {
			return err
		}
		defer r.Close()
		head, err = io.ReadAll(io.LimitReader(r, headBytes))
		return err
	})
	return source.NewInput(f.Name, bytes.NewReader(head), f.Size), err
}

// compareFn finds the hashes of files that begin alike.
type compareFn struct{}

// ProcessElement emits all files under one key.
func (*compareFn) ProcessElement(ctx context.Context, head string, files func(*candidate) bool,
	emit func(int, candidate)) error {
	var alike []candidate
	for c := (candidate{}); files(&c); c = (candidate{}) {
		alike = append(alike, c)
	}
	for _, c := range alike {
		if head != "" && len(alike) > 1 {
			var err error
			if c.Sum, err = sumOf(ctx, c.File); ctx.Err() != nil {
				return context.Cause(ctx)
			} else if err != nil {
				c.File.Error = err.Error()
			}
		}
		emit(0, c)
	}
	return nil
}

// sumOf returns the SHA-256 of a file, decompressed; "" if it is damaged. An error is that of
// copying it.
func sumOf(ctx context.Context, f file) (sum string, err error) {
	err = inTemp(func(dir string) error {
		path, err := fetch(ctx, f.Name, dir)
		if err != nil {
			return err
		}
		if in, err := source.NewFile(path); err == nil { // an error will be reported when it is read
			if all, err := in.Sum(); err == nil {
				sum = hex.EncodeToString(all[:])
			}
		}
		return nil
	})
	return sum, err
}

// planFn makes the shards.
type planFn struct{ Scratch string }

// ProcessElement emits the shards, of which the first one has what is to be said of files that none
// of them has.
func (f *planFn) ProcessElement(ctx context.Context, _ int, files func(*candidate) bool, emit func(shard)) error {
	spec, err := readSpec(ctx, f.Scratch)
	if err != nil {
		return err
	}
	var all []candidate
	for c := (candidate{}); files(&c); c = (candidate{}) {
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.Place, b.Place), strings.Compare(a.Warning, b.Warning))
	})
	read, rest := choose(all, spec.AllowDuplicates)
	refused := ""
	if spec.Filter != nil {
		named, warnings, err := outputs(read, spec)
		if err != nil {
			refused = err.Error()
		}
		read, rest.Warnings = named, append(rest.Warnings, warnings...)
	}
	shards := divide(read, spec.ShardBytes)
	if len(shards) == 0 {
		shards = []shard{{}}
	}
	rest.Copies = shards[0].Rest.Copies
	shards[0].Rest, shards[0].Refused = rest, refused
	if spec.Rows.List != "" {
		if err := publishValue(ctx, join(spec.Scratch, shardsName), shards); err != nil {
			return err
		}
	}
	for _, s := range shards {
		emit(s)
	}
	return nil
}

// choose returns the files that are to be read, and what is to be said of the others.
func choose(all []candidate, copies bool) (read []candidate, rest job.Part) {
	first := map[string]string{} // names of files, by their sums
	for _, c := range all {
		original, isCopy := first[c.Sum]
		switch {
		case c.Warning != "":
			rest.Warnings = append(rest.Warnings, c.Warning)
		case c.File.Error != "":
			rest.Unread = append(rest.Unread, report.InputInfo{Name: c.File.Name, Error: c.File.Error})
		case c.Sum == "":
			read = append(read, c)
		case !isCopy:
			first[c.Sum] = c.File.Name
			read = append(read, c)
		default:
			rest.Warnings = append(rest.Warnings, job.CopyWarning(c.File.Name, original, copies))
			if c.CopyOf = original; copies {
				read = append(read, c)
			} else {
				rest.Unread = append(rest.Unread, report.InputInfo{Name: c.File.Name, DuplicateOf: original, Disk: c.File.Size,
					Codec: c.Codec, Complete: true})
			}
		}
	}
	return read, rest
}

// divide puts files together into shards of about size bytes, decompressed. Files that are beside
// each other stay so.
func divide(files []candidate, size int64) (shards []shard) {
	room := int64(0)
	add := func(p part, copyOf string, bytes int64) {
		if len(shards) == 0 || room < bytes {
			shards = append(shards, shard{Index: len(shards), Rest: job.Part{Copies: map[string]string{}}})
			room = max(size, bytes)
		}
		s := &shards[len(shards)-1]
		if s.Parts = append(s.Parts, p); copyOf != "" {
			s.Rest.Copies[p.File.Name] = copyOf
		}
		room -= bytes
	}
	for _, c := range files {
		bytes := c.File.Size
		if c.Codec != "" && c.Codec != "plain" {
			bytes *= compressed
		}
		if len(c.Ranges) == 0 {
			add(part{File: c.File, Output: c.Output}, c.CopyOf, bytes)
		}
		for _, r := range c.Ranges {
			add(part{File: c.File, Range: r}, c.CopyOf, r.To-r.From)
		}
	}
	return shards
}
