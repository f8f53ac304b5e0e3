package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/columnar"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
)

var index = Source{
	Name: "index", Args: "FILE...", Short: "from the index of Common Crawl, which has no bodies",
	Times: policy.Observed, Read: readIndex,
	Long: `Index reads Parquet files of the index of Common Crawl, of which those of the subset
robotstxt have captures of /robots.txt: when it was fetched, the status, and the SHA-1
of what was sent. So it dates the changes of the robots.txt of any number of sites. Rows
of other URLs are passed over.

--bodies is a folder of robots.txt files, or one of them, plain or compressed. A capture
with the SHA-1 of one has that body. All others are observations: another file was
there.`,
	Example: `  robotsieve history index cc-index/table/*/crawl=*/subset=robotstxt/*.parquet -o versions`,
	Flags:   []Flag{{Name: "bodies", Help: "robots.txt files, which are recognized by their SHA-1"}},
}

// indexColumns are those that count. An index before November 2019 lacks fetch_redirect.
var indexColumns = []string{"url", "fetch_time", "fetch_status", "content_digest", "fetch_redirect"}

func readIndex(ctx context.Context, q *Query, to *Writer) error {
	files := map[string]*source.Input{} // by SHA-1
	if dir := q.Values["bodies"]; dir != "" {
		if err := EachBody(ctx, []string{dir}, func(in *source.Input, body []byte) { files[SHA1(body)] = in }); err != nil {
			return err
		}
	}
	for _, name := range q.Args {
		bad := 0
		failed := error(nil) // of the writer
		err := indexRows(ctx, name, func(f map[string]string) bool {
			row, ok := indexRow(f)
			if row == nil || !ok {
				bad += map[bool]int{false: 1}[ok]
				return true
			}
			row.Place = name
			if in := files[row.Digest]; in != nil {
				row.Body, failed = bodyOf(in)
			}
			failed = cmp.Or(failed, to.Add(row))
			return failed == nil
		})
		if err := cmp.Or(failed, ctx.Err()); err != nil {
			return err
		}
		if err != nil {
			q.fault("%s: %v", name, err)
		}
		if bad > 0 {
			q.fault("%s: captures without a time or a status: %d", name, bad)
		}
	}
	return nil
}

// indexRows calls each for the rows of a file, with the columns that it has, until that returns false.
func indexRows(ctx context.Context, name string, each func(map[string]string) bool) error {
	in, err := source.NewFile(name)
	if err != nil {
		return err
	}
	at, size, file, err := in.OpenAt()
	if err != nil {
		return err
	}
	defer file.Close()
	table, err := columnar.Open(at, size)
	if err != nil {
		return err
	}
	names := slices.Clone(indexColumns)
	if !slices.ContainsFunc(table.Columns(), func(c columnar.Column) bool { return c.Name == "fetch_redirect" }) {
		names = names[:len(names)-1]
	}
	rows, err := table.Select(ctx, names...)
	if err != nil {
		return err
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		f := map[string]string{}
		for i, value := range row {
			f[names[i]] = string(value)
		}
		if !each(f) {
			break
		}
	}
	return nil
}

// indexRow returns the row of a capture, nil if it is of another URL than a /robots.txt or says nothing
// about it. ok is false if its time or status cannot be read.
func indexRow(f map[string]string) (row *Row, ok bool) {
	target, isURL := answer.Resolve(answer.Target{}, f["url"])
	if !isURL || target.Path != answer.RobotsPath {
		return nil, true
	}
	at, err := time.Parse(time.RFC3339, f["fetch_time"])
	if err != nil {
		at, err = time.Parse(time.DateTime, f["fetch_time"])
	}
	status, err2 := strconv.Atoi(f["fetch_status"])
	if err != nil || err2 != nil || status < 100 || status > 999 {
		return nil, false
	}
	meaning := answer.Of(status, answer.Archive)
	if meaning == answer.Nothing {
		return nil, true
	}
	row = &Row{Origins: []origin.Origin{target.Origin}, Time: at, Status: status, Location: f["fetch_redirect"]}
	if digest := strings.TrimPrefix(f["content_digest"], "sha1:"); meaning == answer.File && digest != "" {
		row.Digest = "sha1:" + digest
	}
	return row, true
}

// EachBody reads files, and the files in folders, decompressed.
func EachBody(ctx context.Context, names []string, each func(in *source.Input, body []byte)) error {
	inputs, _, failed := source.Inputs(ctx, names, nil, source.Limits{Memory: 64 << 20})
	if err := errors.Join(failed...); err != nil {
		return err
	}
	for _, in := range inputs {
		body, err := bodyOf(in)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		each(in, body)
	}
	return ctx.Err()
}

// bodyOf reads a body. It is not nil.
func bodyOf(in *source.Input) ([]byte, error) {
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
