package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/interrupt"
	"github.com/robotsieve/robotsieve/scan/internal/loginfo"
	"github.com/robotsieve/robotsieve/scan/source"
)

// contentSum is the SHA-256 of decompressed bytes.
type contentSum = [sha256.Size]byte

// findDuplicates finds files with the same decompressed content as one before them. It
// leaves them out, unless duplicates are to be counted.
func (l *auditLogs) findDuplicates(ctx context.Context, workers int, count bool) error {
	// Few logs begin alike, and only those are compared to the end.
	heads := map[uint64]int{}
	for _, log := range l.list {
		heads[log.head]++
	}
	alike := slices.DeleteFunc(slices.Clone(l.list), func(log *auditLog) bool {
		return log.head == 0 || heads[log.head] == 1
	})
	sums, errs := make([]contentSum, len(alike)), make([]error, len(alike))
	interrupt.Parallel(ctx, len(alike), workers, func(i int) {
		sums[i], errs[i] = interrupt.Wait(ctx, alike[i].Sum)
	})
	for i, log := range alike {
		if notOpened(errs[i]) { // perhaps too many files were open
			sums[i], errs[i] = interrupt.Wait(ctx, log.Sum)
			if notOpened(errs[i]) && ctx.Err() == nil {
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
			l.warn("%s has the same content as %s: counted all the same (option AllowDuplicates)", log.Name, same.Name)
		default:
			log.copyOf = same.Name
			l.warn("%s has the same content as %s: not counted (option AllowDuplicates counts it)", log.Name, same.Name)
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

// notOpened reports whether an error says that a file could not be opened.
func notOpened(err error) bool {
	failed, ok := errors.AsType[*fs.PathError](err)
	return ok && failed.Op == string(disk.OpOpen)
}

// findOverlaps compares whole lines of a log with how the others begin.
func (l *auditLogs) findOverlaps(in int, header, data []byte) {
	if len(l.list) < 2 || l.list[in].copyOf != "" {
		return
	}
	if first, last, ok := format.Times(l.list[in].format, header, data); ok {
		l.overlaps.Find(in, first, last, data)
	}
}

// warnOfTwins warns of two logs in one folder with the same first requests, like the logs of a server and
// of a proxy in front of it: everything in both counts twice.
func (l *auditLogs) warnOfTwins() {
	for i, log := range l.list {
		for _, other := range l.list[:i] {
			if filepath.Dir(log.Name) != filepath.Dir(other.Name) || log.copyOf != "" || other.copyOf != "" {
				continue
			}
			n, of, inFirst := loginfo.Twins(other.Facts, log.Facts)
			most, least := other, log
			if inFirst {
				most, least = log, other
			}
			if n > 0 {
				l.warn("%s and %s have the same requests in different lines, as the logs of a server and of a proxy in front "+
					"of it do: %s of %s in the first lines of %s are in %s too, and count twice. Leave one of the two out: "+
					"name the other logs, or move it out of the folder", most.Name, least.Name, english.Grouped(int64(n)),
					english.Plural(int64(of), "request"), least.Name, most.Name)
			}
		}
	}
}

// warnOfOverlaps warns of logs with first lines that also occur in another log.
func (l *auditLogs) warnOfOverlaps(logs []loginfo.Info) {
	same := func(x, y int) bool { return logs[x].SHA256 == logs[y].SHA256 && logs[y].SHA256 != "" }
	var names []string
	for _, o := range l.overlaps.Found(same) {
		names = append(names, logs[o.Opened].Name+" in "+logs[o.In].Name)
	}
	if len(names) > 0 {
		l.warn("logs overlap, and lines that are in two of them count twice: the first %d lines of %s", source.OpeningLines,
			english.List(names))
	}
}
