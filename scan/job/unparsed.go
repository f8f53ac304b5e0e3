package job

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
)

// linesOf is how many lines an input has that should be records.
func linesOf(i audit.InputInfo) int64 { return i.Lines + i.OutOfPeriod }

// unparsedShare is how many per cent of them could not be parsed.
func unparsedShare(i audit.InputInfo) float64 {
	return 100 * float64(i.Unparsed) / float64(max(linesOf(i), 1))
}

// tellUnparsed notes a log with nothing but lines that cannot be parsed as an input that could not be used: it is most likely no
// log, or one of another format. Only a limit of 100 accepts it.
func (l *auditLogs) tellUnparsed(log *auditLog, info *audit.InputInfo, most float64) {
	if unparsedShare(*info) < 100 || info.To > 0 {
		return
	}
	text := fmt.Sprintf("%s; the first is %q", noneParsed(info), log.first)
	if info.Lines == 1 {
		text = fmt.Sprintf("%s: its only line could not be parsed as %s (robotsieve formats --explain shows why): %q", log.Name, info.Format, log.first)
	}
	if most == 100 {
		l.warn("%s", text)
		return
	}
	l.messages.warn("%s", text)
	info.Error = cmp.Or(info.Error, text)
}

func noneParsed(info *audit.InputInfo) string {
	return fmt.Sprintf("%s: none of its %s could be parsed as %s (robotsieve formats --explain shows why)", info.Name, english.Plural(info.Lines, "line"), info.Format)
}

// tellUnparsed returns the inputs as the report describes them: it is partial because of those of which more lines than allowed could
// not be parsed. That is found out here, and is not in a state, so that it does not matter which logs were audited together.
func (a *auditing) tellUnparsed() audit.Inputs {
	in := a.inputs
	most := a.basis.MaxUnparsed
	var unclear []audit.InputInfo
	in.List = slices.Clone(in.List)
	for i := range in.List {
		info := &in.List[i]
		switch share := unparsedShare(*info); {
		case share <= most:
			continue
		case share < 100:
			unclear = append(unclear, *info)
		case info.Error == "": // it was read in parts
			info.Error = noneParsed(info)
			a.messages.warn("%s", info.Error)
		}
		in.Partial = true
	}
	if w := unparsedWarning(unclear, most); w != "" {
		a.messages.warn("%s", w)
		in.Warnings = append(slices.Clone(in.Warnings), w)
		slices.Sort(in.Warnings)
	}
	return in
}

// unparsedWarning is one warning of all logs of which more than most per cent of the lines could not be parsed: there may be hundreds.
func unparsedWarning(list []audit.InputInfo, most float64) string {
	const shown = 5
	const partial = "the report is partial, because these lines may hold what clears a violation"
	switch len(list) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s: %s of its %s (%.3g %%) could not be parsed, which is more than %v %% (--max-unparsed): %s",
			list[0].Name, english.Grouped(list[0].Unparsed), english.Plural(linesOf(list[0]), "line"), unparsedShare(list[0]), most, partial)
	}
	slices.SortFunc(list, func(x, y audit.InputInfo) int {
		return cmp.Or(cmp.Compare(unparsedShare(y), unparsedShare(x)), strings.Compare(x.Name, y.Name))
	})
	var names []string
	for _, i := range list[:min(len(list), shown)] {
		names = append(names, fmt.Sprintf("%s (%s of %s)", i.Name, english.Grouped(i.Unparsed), english.Plural(linesOf(i), "line")))
	}
	more := ""
	if rest := int64(len(list) - len(names)); rest > 0 {
		more = " and " + english.Plural(rest, "more log")
	}
	return fmt.Sprintf("more than %v %% of the lines could not be parsed (--max-unparsed) of %s%s: %s", most, strings.Join(names, ", "), more, partial)
}
