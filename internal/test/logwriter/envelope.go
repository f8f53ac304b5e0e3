package logwriter

import (
	"fmt"
	"strings"
)

// Wrap puts a line into an envelope, given its name and a sample with an ellipsis for the line, in
// quotes if it is a JSON string.
//
// Docker ends each line with a line break. A field of the journal that isn't UTF-8 or has control
// characters is an array of numbers. Source: systemd.io/JOURNAL_EXPORT_FORMATS, JSON.
func Wrap(name, sample, line string) string {
	text := ""
	switch {
	case name == "quoted":
		text = `"` + line + `"`
	case name == "journald" && !printable(line):
		text = strings.Join(strings.Fields(fmt.Sprint([]byte(line))), ",")
	case name == "docker":
		line += "\n"
		fallthrough
	default:
		text = `"` + quoted(line) + `"`
	}
	return strings.NewReplacer(`"…"`, text, "…", line).Replace(sample)
}

// printable reports whether the journal writes a text as a string.
func printable(s string) bool {
	return valid(s) == s && !strings.ContainsFunc(s, func(c rune) bool {
		return c < ' ' && c != '\t' && c != '\n' || c == 0x7f
	})
}
