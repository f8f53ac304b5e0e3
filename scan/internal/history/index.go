package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/columnar"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
)

var index = Source{Name: "index", Times: policy.Observed, Read: readIndex, Folder: "bodies"}

// indexColumns are the columns that matter. Indexes before November 2019 lack the last one.
var indexColumns = []string{"url", "fetch_time", "fetch_status", "content_digest", "fetch_redirect"}

type indexReader struct {
	to    *Writer
	files bodies // the bodies in the folder
	bad   int    // captures in the file without a time or a status
}

func readIndex(ctx context.Context, q *Query, to *Writer) error {
	r := &indexReader{to: to, files: bodies{}}
	if dir := q.Values["bodies"]; dir != "" {
		err := EachBody(ctx, []string{dir}, func(in *source.Input, body []byte) { r.files[SHA1(body)] = &knownBody{in: in} })
		if err != nil {
			return err
		}
	}
	return q.eachFile(ctx, to, func(in *source.Input) error {
		r.bad = 0
		err := r.read(ctx, in)
		if r.bad > 0 {
			q.fault("%s: captures without a time or a status: %d", in.Name, r.bad)
		}
		return err
	})
}

func (r *indexReader) read(ctx context.Context, in *source.Input) error {
	at, size, file, err := in.OpenAt()
	if err != nil {
		return err
	}
	defer file.Close()
	table, err := columnar.Open(at, size)
	if err != nil {
		return err
	}
	columns, last := indexColumns, len(indexColumns)-1
	if !slices.ContainsFunc(table.Columns(), func(c columnar.Column) bool { return c.Name == columns[last] }) {
		columns = columns[:last]
	}
	rows, err := table.Select(ctx, columns...)
	if err != nil {
		return err
	}
	for row, err := range rows {
		if err == nil {
			err = r.add(in.Name, row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add adds the row of a capture, if its URL is a /robots.txt.
func (r *indexReader) add(name string, f [][]byte) (err error) {
	target, isURL := answer.Resolve(answer.Target{}, string(f[0]))
	if !isURL || target.Path != answer.RobotsPath {
		return nil
	}
	row := &Row{Origins: []origin.Origin{target.Origin}, Place: name}
	if row.Time, err = time.Parse(time.RFC3339, string(f[1])); err != nil {
		row.Time, err = time.Parse(time.DateTime, string(f[1]))
	}
	var noStatus error
	row.Status, noStatus = strconv.Atoi(string(f[2]))
	if err != nil || noStatus != nil || row.Status < 100 || row.Status > 999 || !isKept(row.Time) {
		r.bad++
		return nil
	}
	switch answer.Of(row.Status, answer.Archive) {
	case answer.Nothing:
		return nil
	case answer.Redirect:
		row.Location = string(slices.Concat(f[4:]...))
	case answer.File:
		if digest := strings.TrimPrefix(string(f[3]), "sha1:"); digest != "" {
			row.Digest = "sha1:" + digest
		}
		if _, err := r.files.addTo(row, row.Digest); err != nil {
			return err
		}
	}
	return r.to.Add(row)
}

// EachBody reads files, and the files in folders, decompressed. It returns errors for the files that it could not read,
// and ctx.Err().
func EachBody(ctx context.Context, names []string, each func(in *source.Input, body []byte)) error {
	inputs, _, errs := source.Inputs(ctx, names, nil, source.Limits{Memory: 64 << 20, Inside: true})
	for _, in := range inputs {
		if ctx.Err() != nil {
			break
		}
		if body, err := bodyOf(in); err != nil {
			errs = append(errs, err)
		} else {
			each(in, body)
		}
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// bodies maps digests to files.
type bodies map[string]*knownBody

// knownBody is a file with a known digest. isGiven means that a row already has it.
type knownBody struct {
	in      *source.Input
	isGiven bool
}

// addTo adds the body with a digest to a row. If another row already has the body, it adds only the
// digest, from which the writer finds it, so that each file is read once. It reports whether there
// is a body.
func (b bodies) addTo(row *Row, digest string) (bool, error) {
	known := b[digest]
	if known == nil {
		return false, nil
	}
	row.Digest = digest
	if known.isGiven {
		return true, nil
	}
	body, err := bodyOf(known.in)
	if err == nil && SHA1(body) != digest {
		err = fmt.Errorf("%s: it was changed while it was read", known.in.Name)
	}
	if err != nil {
		delete(b, digest)
		return false, err
	}
	row.Body, known.isGiven = body, true
	return true, nil
}

// bodyOf reads a body. The result is not nil.
func bodyOf(in *source.Input) ([]byte, error) {
	if !in.Regular() { // it is read again when used, and a pipe may block
		return nil, fmt.Errorf("%s: not a regular file", in.Name)
	}
	r, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	body, err := io.ReadAll(disk.Limited(r, MaxBody))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return body, nil
}
