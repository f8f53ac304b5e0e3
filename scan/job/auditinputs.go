package job

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/firstlines"
	"github.com/robotsieve/robotsieve/scan/internal/interrupt"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// logInfo describes a log for the report, and for what depends on all logs together, whether in
// one audit or in a sum of states. A state holds one for each of its logs, so that it does not matter
// which logs were audited together.
type logInfo struct {
	report.InputInfo
	// Check is a checksum of the bytes on disk, in hexadecimal, by which merge recognizes a log that is in two
	// states. It is empty if no state is written, or if the log was not read to its end.
	Check string `json:",omitempty"`
	// First is the beginning of the first nonblank line, if no line is a request.
	First string `json:",omitempty"`
	// SiteUnknown means that values of AuditOptions.Hosts name logs, but neither these values nor its lines
	// name the site of this log.
	SiteUnknown bool `json:"Unnamed,omitempty"` // states have this name
}

// plainInfos returns the logs' part of the report.
func plainInfos(logs []logInfo) []report.InputInfo {
	list := make([]report.InputInfo, 0, len(logs))
	for _, log := range logs {
		list = append(list, log.InputInfo)
	}
	return list
}

// linesOf counts the lines of an input that should be records.
func linesOf(i report.InputInfo) int64 { return i.Lines + i.OutOfPeriod }

// unparsedShare is the share of them, in per cent, that could not be parsed.
func unparsedShare(i report.InputInfo) float64 {
	return 100 * float64(i.Unparsed) / float64(max(linesOf(i), 1))
}

// noneParsed says that no line could be parsed, and quotes the first.
func (log *logInfo) noneParsed() string {
	const hint = "(job.Explain shows why)"
	what, quoted := "its only line could not", fmt.Sprintf(": %q", log.First)
	if log.Lines != 1 {
		what = fmt.Sprintf("none of its %s could", english.Plural(log.Lines, "line"))
		quoted = fmt.Sprintf("; the first is %q", log.First)
	}
	text := fmt.Sprintf("%s: %s be parsed as %s %s", log.Name, what, log.Format, hint)
	if log.First == "" { // no line may be quoted
		return text
	}
	return text + quoted
}

// noRequests says that no line is a request, and quotes the first.
func (log *logInfo) noRequests() string {
	return fmt.Sprintf("%s: none of its lines has a request where the format %s looks for it (job.Explain "+
		"shows why); the first is %q", log.Name, log.Format, log.First)
}

// described returns the inputs as the report describes them. It is partial if an input exceeds the
// limit of unparsed lines. An input
// without any parsed line counts as unusable: it is most likely no log, or one in another
// format. Only a limit of 100 accepts it.
func (a *auditRun) described() audit.Inputs {
	logs, in, most := a.logs, a.inputs, a.basis.MaxUnparsed
	if a.Anonymous {
		for i := range logs {
			logs[i].First = ""
		}
	}
	in.List, in.Warnings = plainInfos(logs), append(siteWarnings(logs), in.Warnings...)
	warn := func(text string) {
		a.Messages.warn("%s", text)
		in.Warnings = append(in.Warnings, text)
	}
	var unclear []report.InputInfo
	for i := range logs {
		info := &in.List[i]
		share := unparsedShare(*info)
		switch {
		case linesOf(*info) == 0 && logs[i].First != "":
			text := logs[i].noRequests()
			a.Messages.warn("%s", text)
			info.Error, in.Partial = cmp.Or(info.Error, text), true
		case share == 100 && most == 100:
			warn(logs[i].noneParsed())
		case share == 100:
			text := logs[i].noneParsed()
			a.Messages.warn("%s", text)
			info.Error = cmp.Or(info.Error, text)
		case share > most:
			unclear = append(unclear, *info)
		}
		in.Partial = in.Partial || share > most
	}
	if w := unparsedWarning(unclear, most); w != "" {
		warn(w)
	}
	in.Warnings = setOf(in.Warnings)
	return in
}

// unparsedWarning returns one warning for all logs with more than most per cent of unparsed lines, of which there
// may be hundreds.
func unparsedWarning(list []report.InputInfo, most float64) string {
	const shown = 5
	const partial = "the report is partial, because these lines may hold what clears a violation"
	switch len(list) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s: %s of its %s (%.3g %%) could not be parsed, which is more than %v %% "+
			"(option MaxUnparsed): %s",
			list[0].Name, english.Grouped(list[0].Unparsed), english.Plural(linesOf(list[0]), "line"), unparsedShare(list[0]),
			most, partial)
	}
	slices.SortFunc(list, func(x, y report.InputInfo) int {
		return cmp.Or(cmp.Compare(unparsedShare(y), unparsedShare(x)), strings.Compare(x.Name, y.Name))
	})
	var names []string
	for _, i := range list[:min(len(list), shown)] {
		names = append(names, fmt.Sprintf("%s (%s of %s)", i.Name, english.Grouped(i.Unparsed),
			english.Plural(linesOf(i), "line")))
	}
	more := ""
	if rest := int64(len(list) - len(names)); rest > 0 {
		more = " and " + english.Plural(rest, "more log")
	}
	return fmt.Sprintf("more than %v %% of the lines could not be parsed (option MaxUnparsed) of %s%s: %s", most,
		strings.Join(names, ", "), more, partial)
}

// contentSum is the SHA-256 of decompressed bytes.
type contentSum = [sha256.Size]byte

// findDuplicates finds files with the same decompressed content as one before them. It
// leaves them out, unless duplicates are to be counted.
func (l *auditLogs) findDuplicates(ctx context.Context, workers int, count bool) error {
	// Few logs begin alike, and only those are compared to the end.
	heads := map[contentSum]int{}
	for _, log := range l.list {
		heads[log.head]++
	}
	alike := slices.DeleteFunc(slices.Clone(l.list), func(log *auditLog) bool {
		return log.head == contentSum{} || heads[log.head] == 1
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
			l.warn("%s", copyWarning(log.Name, same.Name, true))
		default:
			log.copyOf = same.Name
			l.warn("%s", copyWarning(log.Name, same.Name, false))
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

// copyWarning is the warning that a log has the same content as one before it.
func copyWarning(log, other string, counted bool) string {
	if counted {
		return fmt.Sprintf("%s has the same content as %s: counted all the same (option AllowDuplicates)", log, other)
	}
	return fmt.Sprintf("%s has the same content as %s: not counted (option AllowDuplicates counts it)", log, other)
}

// findCopies warns of inputs that turned out to have the same content once they were
// read: pipes, and files with the same damage.
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
			n, of, inFirst := firstlines.Twins(other.Facts, log.Facts)
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
func (l *auditLogs) warnOfOverlaps(logs []logInfo) {
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
