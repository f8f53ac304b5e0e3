package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// contentSum is the SHA-256 of decompressed bytes.
type contentSum = [sha256.Size]byte

// findDuplicates finds the files that have the content of one before them, decompressed. It
// leaves them out, unless they are to be counted.
func (l *auditLogs) findDuplicates(ctx context.Context, workers int, count bool) error {
	// Few logs begin as another does, and only these are compared to the end.
	heads := map[contentSum]int{}
	for _, log := range l.list {
		heads[log.head]++
	}
	alike := slices.DeleteFunc(slices.Clone(l.list), func(log *auditLog) bool {
		return log.head == contentSum{} || heads[log.head] == 1
	})
	sums, errs := make([]contentSum, len(alike)), make([]error, len(alike))
	inParallel(ctx, len(alike), workers, func(i int) {
		sums[i], errs[i] = wait(ctx, alike[i].Sum)
	})
	for i, log := range alike {
		if notOpened(errs[i]) { // there may have been too many open files
			if sums[i], errs[i] = wait(ctx, log.Sum); notOpened(errs[i]) && ctx.Err() == nil {
				l.fail(log.info(), errs[i])
				l.list = slices.DeleteFunc(l.list, func(other *auditLog) bool { return other == log })
			}
		}
	}
	if ctx.Err() != nil {
		return errNothingDone
	}
	first := map[contentSum]*auditLog{}
	for i, log := range alike {
		switch same := first[sums[i]]; {
		case errs[i] != nil: // which its reader will report
		case same == nil:
			first[sums[i]] = log
		case count:
			log.copyOf = same.Name
			l.warn("%s", CopyWarning(log.Name, same.Name, true))
		default:
			log.copyOf = same.Name
			l.warn("%s", CopyWarning(log.Name, same.Name, false))
			info := log.info()
			info.Disk, info.Complete = log.Size, true
			if info.Codec == "plain" {
				info.SHA256 = hex.EncodeToString(sums[i][:])
			}
			l.unread = append(l.unread, info)
		}
	}
	if !count {
		l.list = slices.DeleteFunc(l.list, func(log *auditLog) bool { return log.copyOf != "" })
	}
	return nil
}

// notOpened reports whether an error is that of a file that could not be opened.
func notOpened(err error) bool {
	failed, ok := errors.AsType[*fs.PathError](err)
	return ok && failed.Op == string(disk.OpOpen)
}

// CopyWarning is the warning of a log that has the content of another one before it.
func CopyWarning(log, other string, counted bool) string {
	if counted {
		return fmt.Sprintf("%s has the same content as %s: counted all the same (--allow-duplicates)", log, other)
	}
	return fmt.Sprintf("%s has the same content as %s: not counted (--allow-duplicates counts it)", log, other)
}

// findCopies warns of inputs that turned out to have the same content when they had been
// read: pipes, and files that are damaged in the same way.
func (l *auditLogs) findCopies(list []logInfo) {
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
			l.warn("%s has the same content as %s: both were counted, since they could be compared only after they had "+
				"been read", in.Name, name)
		}
	}
}
