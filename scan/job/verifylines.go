package job

import (
	"context"
	"fmt"
	"io"
	"slices"

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
	format *format.Format
	header []byte // nil if it has none
	site   policy.Site
	only   bool
}

// maxHeads bounds the lines by which the format of a log is found, in bytes.
const maxHeads = 64 << 10

func (c *verification) newLineReader(worker *audit.Worker) (*lineReader, error) {
	r := &lineReader{folder: c.folder, worker: worker}
	heads, err := c.heads()
	if err != nil {
		return nil, err
	}
	for i, in := range c.folder.Manifest.Inputs {
		x := lineInput{only: in.Only}
		if in.Header != "" {
			x.header = []byte(in.Header)
			heads[i] = slices.Concat(x.header, []byte("\n"), heads[i])
		}
		f, known := format.ByName(in.Format)
		if c.options.format != nil {
			f, known = c.options.format.Enclosed(heads[i], true), true
		}
		if !known && len(heads[i]) > 0 {
			return nil, inputError(fmt.Errorf("%s: its format is %q, which this version of robotsieve does not know", in.Name, in.Format))
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

// heads returns the first lines of each input that the folder has.
func (c *verification) heads() ([][]byte, error) {
	heads := make([][]byte, len(c.folder.Manifest.Inputs))
	err := c.eachLine(func(line []byte, row *evidence.Row) error {
		if row.InputIndex >= len(heads) {
			return fmt.Errorf("a line is of input %d, which the manifest does not have", row.InputIndex)
		}
		if head := heads[row.InputIndex]; len(head) < maxHeads && len(line) < evidence.MaxLine {
			heads[row.InputIndex] = append(append(head, line...), '\n')
		}
		return nil
	})
	return heads, err
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
		if err == io.EOF {
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
	in := &r.inputs[row.InputIndex]
	if len(line) == evidence.MaxLine {
		return nil
	}
	r.worker.SetSite(in.site, in.only)
	r.worker.SetPlace(row.InputIndex, row.Line)
	r.line = append(append(r.line[:0], line...), '\n')
	r.worker.ChunkBehind(in.format, in.header, r.line)
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
