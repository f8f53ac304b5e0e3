package job

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/evidence"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// lineReader gives the lines of a folder to a worker, each as a line of its log.
type lineReader struct {
	folder *evidence.Folder
	worker *audit.Worker
	inputs []lineInput
	line   []byte
}

// lineInput is how the lines of a log are read.
type lineInput struct {
	*evidence.Input
	format *format.Format
	site   policy.Site
}

// maxHeads bounds the lines by which the format of a log is found, in bytes.
const maxHeads = 64 << 10

func (c *verification) newLineReader(worker *audit.Worker) (_ *lineReader, err error) {
	r := &lineReader{folder: c.folder, worker: worker}
	heads := make([][]byte, len(c.folder.Manifest.Inputs))
	if slices.ContainsFunc(c.folder.Manifest.Inputs, c.needsHead) {
		if err := c.findHeads(heads); err != nil {
			return nil, err
		}
	}
	for i, in := range c.folder.Manifest.Inputs {
		x := lineInput{Input: &in}
		f, known := format.ByName(in.Format)
		if c.options.format != nil {
			f, known = c.options.format.Enclosed(heads[i], true), true
		}
		if known {
			if x.format, err = f.Bound(heads[i]); err != nil {
				return nil, inputError(fmt.Errorf("%s: %w", in.Name, err))
			}
			x.format = x.format.In(c.side.zone)
		}
		if x.site, err = siteOfOrigins(in.Origins, c.side.config.Policy); err != nil {
			return nil, inputError(fmt.Errorf("%s: %w", in.Name, err))
		}
		r.inputs = append(r.inputs, x)
	}
	return r, nil
}

// needsHead tells whether lines of a log say how it is read: of formats with a header, in envelopes, or in the
// user's words.
func (c *verification) needsHead(in evidence.Input) bool {
	return in.Header != "" || c.options.format != nil || strings.Contains(in.Format, ":")
}

// findHeads finds the first lines of each input that the folder has, with the headers that they stand behind.
func (c *verification) findHeads(heads [][]byte) error {
	last := make([][]byte, len(heads))
	return c.eachLine(func(line []byte, row *evidence.Row) error {
		if row.InputIndex >= len(heads) {
			return errNoInput(row)
		}
		if head := heads[row.InputIndex]; len(head) < maxHeads && len(line) < evidence.MaxLine {
			in := &c.folder.Manifest.Inputs[row.InputIndex]
			header := headerAt(in, row.Line)
			if header == nil && len(head) == 0 {
				header = []byte(in.Header)
			}
			if len(header) > 0 && !bytes.Equal(header, last[row.InputIndex]) {
				head = append(append(head, header...), '\n')
				last[row.InputIndex] = header
			}
			heads[row.InputIndex] = append(append(head, line...), '\n')
		}
		return nil
	})
}

func errNoInput(row *evidence.Row) error {
	return fmt.Errorf("a line is of input %d, which the manifest does not have", row.InputIndex)
}

// headerAt returns the header that is in force at a line, nil if none is before it in its log.
func headerAt(in *evidence.Input, line int64) []byte {
	i, _ := slices.BinarySearchFunc(in.Headers, line, func(h evidence.Header, line int64) int { return cmp.Compare(h.Line, line) })
	if i == 0 {
		return nil
	}
	return []byte(in.Headers[i-1].Text)
}

// eachLine calls do for all lines of the folder.
func (c *verification) eachLine(do func(line []byte, row *evidence.Row) error) error {
	for i := range c.folder.Manifest.Crawlers {
		x := &c.folder.Manifest.Crawlers[i]
		for _, list := range []struct {
			name string
			n    int64
		}{{evidence.Fetches, x.Fetches}, {evidence.Violations, x.Violations}} {
			if list.n == 0 {
				continue
			}
			if err := eachLineOf(c.folder, x.Folder, list.name, do); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachLineOf calls do for all lines of a list.
func eachLineOf(f *evidence.Folder, folder, list string, do func(line []byte, row *evidence.Row) error) error {
	l, err := f.List(folder, list)
	if err != nil {
		return err
	}
	defer l.Close()
	for {
		line, row, err := l.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = do(line, &row)
		}
		if err != nil {
			return err
		}
	}
}

// judge gives a line to the worker, unless it has been cut: the rest may change its meaning.
func (r *lineReader) judge(line []byte, row *evidence.Row) error {
	if row.InputIndex >= len(r.inputs) {
		return errNoInput(row)
	}
	in := &r.inputs[row.InputIndex]
	if in.format == nil {
		return fmt.Errorf("%s: its format is %q, which this version of robotsieve does not know", in.Name, in.Format)
	}
	if len(line) == evidence.MaxLine || !in.Alone {
		return nil
	}
	r.worker.SetSite(in.site, in.Only)
	r.worker.SetPlace(row.InputIndex, row.Line)
	r.line = append(append(r.line[:0], line...), '\n')
	r.worker.ChunkBehind(in.format, headerAt(in.Input, row.Line), r.line)
	return r.worker.Err()
}

// read judges all lines of the folder.
func (r *lineReader) read(ctx context.Context, c *verification) error {
	return c.eachLine(func(line []byte, row *evidence.Row) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return r.judge(line, row)
	})
}
