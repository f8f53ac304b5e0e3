package twin

import (
	"bytes"
	"slices"
	"strings"
)

// originalToken returns the name before the version, which follows a slash. A
// name of nothing binds nobody, and neither does the * of "*/1.0", which is not
// the wildcard.
func originalToken(value []byte, _ bool) (token string, ok bool) {
	name := lower(trim(beforeByte(value, '/')))
	return name, name != "" && name != "*"
}

// originalPattern: an empty rule decides nothing.
func originalPattern(value []byte) (pattern []byte, formB, ok bool) {
	return Decode(value), false, len(value) > 0
}

func matchOriginal(records []*group, agents [][]byte, path []byte) (allowed bool, line int) {
	if isRobotsTxt(path) {
		return true, 0
	}
	decoded := Decode(path)
	for _, r := range originalRules(records, lower(agents[0])) {
		if bytes.HasPrefix(decoded, r.pattern) {
			return r.allow, r.line
		}
	}
	return true, 0
}

// originalRules returns the rules of the first record with a name that is part
// of the caller's, else those of the first record with the wildcard.
func originalRules(records []*group, caller string) []rule {
	named := func(record *group) bool {
		return slices.ContainsFunc(record.tokens, func(name string) bool {
			return strings.Contains(caller, name)
		})
	}
	wildcard := func(record *group) bool { return record.wildcard }
	for _, binds := range []func(*group) bool{named, wildcard} {
		if i := slices.IndexFunc(records, binds); i >= 0 {
			return records[i].rules
		}
	}
	return nil
}
