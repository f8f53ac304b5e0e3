package loginfo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Info describes a log for the report, and for what depends on all logs together. A state holds one for each of its
// logs, so that it does not matter which logs were audited together.
type Info struct {
	report.InputInfo
	// Check is a checksum of the bytes on disk, in hexadecimal, by which Repeated recognizes a log that is in two
	// states. It is empty if no state is written, or if the log was not read to its end.
	Check string `json:",omitempty"`
	// First is the beginning of the first nonblank line, if no line is a request.
	First string `json:",omitempty"`
	// SiteUnknown means that some logs are named with their sites, but neither the name nor the lines of this log
	// have its site.
	SiteUnknown bool `json:"Unnamed,omitempty"` // states have this name
}

// lines counts the lines of an input that should be records.
func lines(i *report.InputInfo) int64 { return i.Lines + i.OutOfPeriod }

// unparsedShare is the share of them, in per cent, that could not be parsed.
func unparsedShare(i *report.InputInfo) float64 {
	return 100 * float64(i.Unparsed) / float64(max(lines(i), 1))
}

// HasNoRequest reports whether no line was a request, in a log that is no table of columns.
func (i *Info) HasNoRequest(hasHeader bool) bool {
	return unparsedShare(&i.InputInfo) == 100 || lines(&i.InputInfo) == 0 && !hasHeader
}

// noneParsed says that no line could be parsed, and quotes the first.
func (i *Info) noneParsed() string {
	const hint = "(job.Explain shows why)"
	what, quoted := "its only line could not", fmt.Sprintf(": %q", i.First)
	if i.Lines != 1 {
		what = fmt.Sprintf("none of its %s could", english.Plural(i.Lines, "line"))
		quoted = fmt.Sprintf("; the first is %q", i.First)
	}
	if i.First == "" { // no line may be quoted
		quoted = ""
	}
	return fmt.Sprintf("%s: %s be parsed as %s %s%s", i.Name, what, i.Format, hint, quoted)
}

// Checked are logs after they were read.
type Checked struct {
	List     []report.InputInfo
	Messages []string // about them, in their order
	Warnings []string // for the report: those of the messages that are no errors in List, and those of Sites
	Partial  bool     // a log exceeds the limit of unparsed lines
}

// Check checks the logs, of which at most some per cent of the lines may be unparsed. A log
// without any parsed line counts as unusable: it is most likely no log, or one in another
// format. Only a limit of 100 accepts it.
func Check(logs []Info, most float64) (c Checked) {
	c.Warnings = Sites(logs)
	warn := func(text string) {
		c.Messages, c.Warnings = append(c.Messages, text), append(c.Warnings, text)
	}
	var unclear []report.InputInfo
	for _, log := range logs {
		share, mistake := unparsedShare(&log.InputInfo), ""
		switch {
		case lines(&log.InputInfo) == 0 && log.First != "":
			c.Partial = true
			mistake = fmt.Sprintf("%s: none of its lines has a request where the format %s looks for it (job.Explain "+
				"shows why); the first is %q", log.Name, log.Format, log.First)
		case share == 100 && most == 100:
			warn(log.noneParsed())
		case share == 100:
			mistake = log.noneParsed()
		case share > most:
			unclear = append(unclear, log.InputInfo)
		}
		if mistake != "" {
			c.Messages, log.Error = append(c.Messages, mistake), cmp.Or(log.Error, mistake)
		}
		c.List, c.Partial = append(c.List, log.InputInfo), c.Partial || share > most
	}
	if len(unclear) > 0 {
		warn(unparsed(unclear, most))
	}
	c.Warnings = Set(c.Warnings)
	return c
}

// unparsed returns one warning for all logs with more than most per cent of unparsed lines, of which there
// may be hundreds.
func unparsed(list []report.InputInfo, most float64) string {
	const shown = 5
	const partial = "the report is partial, because these lines may hold what clears a violation"
	if i := &list[0]; len(list) == 1 {
		return fmt.Sprintf("%s: %s of its %s (%.3g %%) could not be parsed, which is more than %v %% "+
			"(option MaxUnparsed): %s", i.Name, english.Grouped(i.Unparsed), english.Plural(lines(i), "line"),
			unparsedShare(i), most, partial)
	}
	slices.SortFunc(list, func(x, y report.InputInfo) int {
		return cmp.Or(cmp.Compare(unparsedShare(&y), unparsedShare(&x)), strings.Compare(x.Name, y.Name))
	})
	var names []string
	for _, i := range list[:min(len(list), shown)] {
		names = append(names, fmt.Sprintf("%s (%s of %s)", i.Name, english.Grouped(i.Unparsed),
			english.Plural(lines(&i), "line")))
	}
	more := ""
	if rest := int64(len(list) - len(names)); rest > 0 {
		more = " and " + english.Plural(rest, "more log")
	}
	return fmt.Sprintf("more than %v %% of the lines could not be parsed (option MaxUnparsed) of %s%s: %s", most,
		strings.Join(names, ", "), more, partial)
}

// Sites warns of logs that may lack a site. All logs are known then, in any order.
func Sites(logs []Info) []string {
	var unknown []string
	for _, log := range logs {
		if log.SiteUnknown {
			unknown = append(unknown, log.Name)
		}
	}
	if unknown = Set(unknown); len(unknown) == 0 {
		return nil
	}
	return []string{"no option Hosts HOST=PATTERN names the site of " + english.List(unknown) + ", whose lines name no " +
		"host either: their requests are not judged"}
}

// Copies finds logs that turned out to have the same content once they were read: pipes, and files with the same
// damage. It sets their DuplicateOf and warns of them.
func Copies(logs []Info) (warnings []string) {
	first := map[string]string{}
	for i := range logs {
		in := &logs[i]
		name, known := first[in.SHA256]
		switch {
		case in.SHA256 == "" || in.Bytes == 0:
		case !known:
			first[in.SHA256] = in.Name
		case in.DuplicateOf == "":
			in.DuplicateOf = name
			warnings = append(warnings, fmt.Sprintf("%s has the same content as %s: both were counted, since they could be "+
				"compared only after they had been read", in.Name, name))
		}
	}
	return warnings
}

// Set sorts texts and removes duplicates.
func Set(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// State is a state to be added up, by the name of its file, and the logs in it.
type State struct {
	Name string
	Logs []Info
}

// content is equal for two logs if they are the same.
type content struct {
	report.InputInfo        // without the name and the hash, if check is known
	check            string // as in Info
}

func contentOf(log *Info) content {
	in := log.InputInfo
	in.DuplicateOf = ""
	if log.Check != "" {
		in.Name, in.SHA256 = "", "" // not all logs are hashed
	}
	return content{in, log.Check}
}

// Repeated reports which states repeat others, since their logs all occur in another one; none if all are to be
// counted. It warns of these, and of all logs that are in two states.
func Repeated(states []State, countAll bool) (repeated []bool, warnings []string) {
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	contents := make([]map[content]bool, len(states))
	holders := map[content][]int{} // the states that have a log
	for i, state := range states {
		contents[i] = map[content]bool{}
		for _, log := range state.Logs {
			if c := contentOf(&log); log.Bytes > 0 && !contents[i][c] {
				contents[i][c] = true
				holders[c] = append(holders[c], i)
			}
		}
	}
	repeated = make([]bool, len(states))
	in := make([]int, len(states))
	for i := range states {
		in[i] = within(i, contents, holders)
		repeated[i] = in[i] >= 0 && !countAll
	}
	for i, state := range states {
		if repeated[i] {
			warn("%s: all its inputs are in %s too: not counted (option AllowDuplicates counts it)", state.Name,
				states[in[i]].Name)
			continue
		}
		for _, log := range state.Logs {
			list := holders[contentOf(&log)]
			first := slices.IndexFunc(list, func(i int) bool { return !repeated[i] })
			if first >= 0 && list[first] < i {
				warn("%s, of %s, is in %s and in %s: its lines are counted twice", log.Name,
					english.Plural(log.Bytes, "byte"), states[list[first]].Name, state.Name)
			}
		}
	}
	return repeated, append(warnings, packed(states, repeated)...)
}

// within returns a state with all logs of state i that has more of them or comes
// before it; -1 if there is none. Logs without a known checksum may differ.
func within(i int, contents []map[content]bool, holders map[content][]int) int {
	var some content
	for some = range contents[i] {
		if some.check == "" {
			return -1
		}
	}
	hasAll := func(other int) bool {
		for log := range contents[i] {
			if !contents[other][log] {
				return false
			}
		}
		return true
	}
	for _, other := range holders[some] {
		more := len(contents[other]) - len(contents[i])
		if other != i && (more > 0 || more == 0 && other < i) && hasAll(other) {
			return other
		}
	}
	return -1
}

// packed warns of logs of different states that may be one log, compressed and uncompressed: their checksums
// differ, but their decompressed size and number of lines agree.
func packed(states []State, repeated []bool) (warnings []string) {
	type size struct{ bytes, lines int64 }
	type place struct{ name, codec, state string }
	first := map[size]place{}
	for i, state := range states {
		if repeated[i] {
			continue
		}
		for _, in := range state.Logs {
			k, here := size{in.Bytes, in.Lines}, place{in.Name, in.Codec, state.Name}
			switch other, seen := first[k]; {
			case in.Lines == 0:
			case !seen:
				first[k] = here
			case other.codec != here.codec && other.state != here.state:
				warnings = append(warnings, fmt.Sprintf("%s in %s and %s in %s have as many lines and bytes, decompressed: if "+
					"they are one log, its lines are counted twice", other.name, other.state, here.name, here.state))
			}
		}
	}
	return warnings
}
