package job

import (
	"context"
	"fmt"
	"slices"

	"github.com/robotsieve/robotsieve/scan/list"
	"github.com/robotsieve/robotsieve/scan/source"
)

// How much of a list is looked at to find its format and its columns. Of a pipe only its first line is, and no
// more than firstLineBytes bytes: what follows may not have come yet.
const (
	listHead       = 256 << 10
	firstLineBytes = 4 << 10
)

// longestObject is how long a row may be in a format whose rows hold more than a URL.
const longestObject = 16 << 20

// longestRow is the limit of a row, in bytes: 0 is that of package source.
func longestRow(layouts []*list.Layout) int {
	if slices.ContainsFunc(layouts, func(l *list.Layout) bool { return l != nil }) {
		return longestObject
	}
	return 0
}

// lists finds the format of each input. It returns those that can be read, with their layouts, and an error for each that cannot.
// err is why there is no list: ctx has ended.
func (o *FilterOptions) lists(ctx context.Context, inputs []*source.Input, workers int) (lists []*source.Input, layouts []*list.Layout, refused []error, err error) {
	found, errs := make([]*list.Layout, len(inputs)), make([]error, len(inputs))
	look := func(i int) { found[i], errs[i] = o.layout(inputs[i]) }
	inParallel(ctx, len(inputs), workers, func(i int) {
		if inputs[i].Regular() { // a pipe may have nothing to read before another has been read
			look(i)
		}
	})
	for i, in := range inputs {
		if !in.Regular() && !(o.Format == list.URLs) {
			if _, err := wait(ctx, func() (struct{}, error) { look(i); return struct{}{}, nil }); err != nil {
				return nil, nil, nil, errNothingDone
			}
		}
		if errs[i] != nil {
			refused = append(refused, errs[i])
			continue
		}
		lists, layouts = append(lists, in), append(layouts, found[i])
	}
	return lists, layouts, refused, nil
}

// layout finds the format of a list, and where in its rows the URL is. It is nil for URLs a line, and for
// inputs that cannot be read, of which the Reader tells why.
func (o *FilterOptions) layout(in *source.Input) (*list.Layout, error) {
	head, err := headOf(in)
	switch {
	case err != nil && !in.Regular():
		return nil, err // a pipe is not opened again
	case err != nil || len(head) == 0:
		return nil, nil //nolint:nilerr // the Reader returns the error
	}
	kind := o.Format
	if kind == list.Unknown {
		if kind, err = list.Detect(head, in.Name, o.List); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	if kind == list.URLs {
		return nil, nil
	}
	layout, err := list.New(kind, head, o.List)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return layout, nil
}

// headOf returns the beginning of an input. The Reader will read it all the same.
func headOf(in *source.Input) (head []byte, err error) {
	if in.Regular() {
		return in.Head(listHead)
	}
	for n := 1; n <= firstLineBytes; n++ { // an octet at a time, since there may be no more of it yet
		if head, err = in.Head(n); err != nil || len(head) < n || head[n-1] == '\n' {
			break
		}
	}
	return head, err
}
