package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// duplicateKey is what logs of the same content have in common.
type duplicateKey struct {
	size int64
	sum  [sha256.Size]byte
}

// headBytes is how much of files of the same size is compared before they are hashed whole.
const headBytes = 64 << 10

// findDuplicates finds the files that have the content of one before them. It leaves them
// out, unless they are to be counted.
func (l *auditLogs) findDuplicates(ctx context.Context, workers int, count bool) error {
	groups := map[duplicateKey][]*auditLog{}
	for _, log := range l.list {
		if log.Regular() && log.Size > 0 {
			k := duplicateKey{size: log.Size}
			groups[k] = append(groups[k], log)
		}
	}
	for _, n := range []int64{headBytes, math.MaxInt64} {
		groups = split(ctx, groups, n, workers)
	}
	if ctx.Err() != nil {
		return errNothingDone
	}
	sums := map[*auditLog]string{}
	for k, same := range groups {
		for _, log := range same[1:] {
			log.copyOf, sums[log] = same[0].Name, hex.EncodeToString(k.sum[:])
		}
	}
	for _, log := range l.list {
		switch {
		case log.copyOf == "":
		case count:
			l.warn("%s has the same content as %s: counted all the same (--allow-duplicates)", log.Name, log.copyOf)
		default:
			l.warn("%s has the same content as %s: not counted (--allow-duplicates counts it)", log.Name, log.copyOf)
			info := log.info()
			info.Disk, info.SHA256, info.Complete = log.Size, sums[log], true
			l.unread = append(l.unread, info)
		}
	}
	if !count {
		l.list = slices.DeleteFunc(l.list, func(log *auditLog) bool { return log.copyOf != "" })
	}
	return nil
}

// split divides groups of files of the same size by their first n bytes. Those that are
// the only one of their kind are left out, and so are those that cannot be read, which
// their reader will report.
func split(ctx context.Context, groups map[duplicateKey][]*auditLog, n int64, workers int) map[duplicateKey][]*auditLog {
	var list []*auditLog
	for _, group := range groups {
		if len(group) > 1 {
			list = append(list, group...)
		}
	}
	sums, errs := make([][sha256.Size]byte, len(list)), make([]error, len(list))
	inParallel(ctx, len(list), workers, func(i int) {
		sums[i], errs[i] = wait(ctx, func() ([sha256.Size]byte, error) { return list[i].Sum(n) })
	})
	parts := map[duplicateKey][]*auditLog{}
	for i, log := range list {
		if errs[i] == nil {
			k := duplicateKey{log.Size, sums[i]}
			parts[k] = append(parts[k], log)
		}
	}
	for k, part := range parts {
		if len(part) == 1 {
			delete(parts, k)
		}
	}
	return parts
}

// findCopies warns of inputs that turned out to have the same content when they had been
// read, as pipes may.
func (l *auditLogs) findCopies(list []audit.InputInfo) {
	first := map[string]string{}
	for i := range list {
		in := &list[i]
		name, known := first[in.SHA256]
		switch {
		case in.SHA256 == "" || in.Bytes == 0:
		case !known:
			first[in.SHA256] = in.Name
		case in.DuplicateOf == "":
			in.DuplicateOf = name
			l.warn("%s has the same content as %s: both were counted, as that was not known before", in.Name, name)
		}
	}
}
