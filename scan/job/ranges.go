package job

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/source"
)

// Divide returns the ranges, of about size bytes, into which a log can be divided, for parts of an
// audit. There are none if source.Input.Divide gives none, and if the lines of the log depend on a
// header before them. The format is as in AuditOptions. Errors are of type *Error.
func Divide(ctx context.Context, in *source.Input, format string, size int64) ([]source.Range, error) {
	if in.Size <= size || !in.Regular() {
		return nil, nil
	}
	f, _, err := formatByName(ctx, format)
	if err != nil {
		return nil, err
	}
	log := auditLog{Input: in}
	if _, err := log.open(ctx, f, time.UTC); err != nil {
		return nil, inputError(err)
	}
	if log.format.LastHeader() != nil {
		return nil, nil
	}
	ranges, err := in.Divide(size)
	if err != nil {
		return nil, inputError(err)
	}
	return ranges, nil
}

// joinRanges makes one input of ranges of one file that adjoin, and of all ranges together the
// whole file. It does not matter in which order and groups they are joined.
func joinRanges(list []logInfo) []logInfo {
	isRange := func(in logInfo) bool { return in.To > 0 }
	if !slices.ContainsFunc(list, isRange) {
		return list
	}
	var ranges, joined []logInfo
	for _, in := range list {
		if isRange(in) {
			ranges = append(ranges, in)
		} else {
			joined = append(joined, in)
		}
	}
	slices.SortStableFunc(ranges, func(x, y logInfo) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), cmp.Compare(x.From, y.From))
	})
	for _, in := range ranges {
		if n := len(joined); n > 0 && adjoins(joined[n-1].InputInfo, in.InputInfo) {
			last := &joined[n-1]
			last.To, last.Complete, last.Error = in.To, last.Complete && in.Complete, cmp.Or(last.Error, in.Error)
			last.Format, last.Codec, last.Host = cmp.Or(last.Format, in.Format), cmp.Or(last.Codec, in.Codec),
				cmp.Or(last.Host, in.Host)
			last.Disk, last.Bytes = last.Disk+in.Disk, last.Bytes+in.Bytes
			last.Lines, last.Unparsed = last.Lines+in.Lines, last.Unparsed+in.Unparsed
			last.OutOfPeriod += in.OutOfPeriod
			last.First = cmp.Or(last.First, in.First)
			if last.Unparsed < linesOf(last.InputInfo) {
				last.First = ""
			}
			continue
		}
		joined = append(joined, in)
	}
	for i := range joined {
		if in := &joined[i]; in.From == 0 && in.To == in.Of {
			in.To, in.Of = 0, 0
		}
	}
	return joined
}

// adjoins reports whether a range of a file follows another one. Of a range that could not be opened
// nothing else is known.
func adjoins(a, b audit.InputInfo) bool {
	if a.To == 0 || a.To != b.From || a.Name != b.Name || a.Of != b.Of {
		return false
	}
	unopened := func(in audit.InputInfo) bool { return in.Format == "" && in.Error != "" }
	return unopened(a) || unopened(b) || a.Format == b.Format && a.Codec == b.Codec && a.Host == b.Host
}
