package preference

import (
	"cmp"
	"strings"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// The parts of a dictionary of RFC 9651, section 3.2.
const (
	dictKey  = `[a-z*][a-z0-9_.*-]*`
	bareItem = "(?:[A-Za-z*][!#$%&'*+.^_`|~:/A-Za-z0-9-]*|" + `"(?:[ !#-\[\]-~]|\\["\\])*"|` +
		`@?-?[0-9]{1,15}(?:\.[0-9]{1,3})?|:[A-Za-z0-9+/=]*:|\?[01]|%"(?:[ !#$&-~]|%[0-9a-f]{2})*")`
	parameters = `(?:; *` + dictKey + `(?:=` + bareItem + `)?)*`
	innerList  = `\( *(?:` + bareItem + parameters + `(?: +` + bareItem + parameters + `)* *)?\)`
)

var dictMember = lazy.Regexp(`^(` + dictKey + `)(?:=(` + bareItem + `|` + innerList + `))?` + parameters)

// member is a key of a dictionary with its value, without parameters.
type member struct{ key, value string }

// dictionary parses a dictionary of RFC 9651. Of a key that occurs several times the last value counts; a key
// without one is true, which is ?1. It returns false if the text is none.
func dictionary(text string) (members []member, ok bool) {
	at := map[string]int{}
	for rest := strings.Trim(text, " "); rest != ""; {
		found := dictMember().FindStringSubmatch(rest)
		if found == nil {
			return nil, false
		}
		m := member{found[1], cmp.Or(found[2], "?1")}
		if i, known := at[m.key]; known {
			members[i] = m
		} else {
			at[m.key] = len(members)
			members = append(members, m)
		}
		rest = strings.TrimLeft(rest[len(found[0]):], " \t")
		if rest == "" {
			break
		}
		after, comma := strings.CutPrefix(rest, ",")
		if rest = strings.TrimLeft(after, " \t"); !comma || rest == "" {
			return nil, false
		}
	}
	return members, true
}
