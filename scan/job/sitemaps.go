package job

import (
	"bufio"
	"bytes"
	"context"
	"fmt"

	"github.com/robotsieve/robotsieve/scan/list"
	"github.com/robotsieve/robotsieve/scan/source"
)

// eachURL calls visit, which always returns true, for each URL of a list.
func eachURL(ctx context.Context, name string, visit func(url []byte) bool) error {
	in, err := source.NewFile(name)
	if err != nil {
		return inputError(err)
	}
	l, err := (&FilterOptions{}).lists(ctx, []*source.Input{in}, 1)
	if err != nil {
		return err
	}
	defer l.Close()
	switch {
	case len(l.refused) > 0:
		return inputError(l.refused[0])
	case l.records:
		return inputError(fmt.Errorf("%s: WARC, not a list of URLs", name))
	}
	r, err := openInput(ctx, l.inputs[0])
	if err != nil {
		return inputError(err)
	}
	defer r.Close()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestRow)
	var rows *list.Reader
	if layout := l.layouts[0]; layout != nil {
		rows = layout.NewReader()
	}
	urls, row := 0, list.Row{}
	for first := true; lines.Scan(); first = false {
		if row.URL = bytes.TrimSpace(lines.Bytes()); rows != nil {
			rows.Reset(lines.Bytes(), first)
			rows.Next(&row)
		}
		if len(row.URL) > 0 {
			urls++
			visit(row.URL)
		}
	}
	switch err := lines.Err(); {
	case err != nil:
		return inputError(named(name, err))
	case urls == 0:
		return inputError(fmt.Errorf("%s: no URL", name))
	}
	return nil
}
