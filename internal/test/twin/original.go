package twin

import (
	"bytes"
	"slices"
	"strings"
)

// originalToken returns the name before the version, which follows a slash. An empty name binds no crawler, nor does
// the * of "*/1.0", which is not the wildcard.
func originalToken(value []byte, _ bool) (token string, ok bool) {
	name := lower(trim(beforeByte(value, '/')))
	return name, name != "" && name != "*"
}

// originalPattern returns the decoded pattern. An empty rule decides nothing.
func originalPattern(value []byte) (pattern []byte, formB, ok bool) {
	return Decode(value), false, len(value) > 0
}

// matchOriginal: the first record with a name that is part of the caller's binds it,
// else the first record with the wildcard. Its first rule that matches decides.
func matchOriginal(records []*group, agent, path []byte) (allowed bool, line int) {
	if isRobotsTxt(path) {
		return true, 0
	}
	caller, decoded := lower(agent), Decode(path)
	bound := slices.IndexFunc(records, func(record *group) bool {
		return slices.ContainsFunc(record.tokens, func(name string) bool { return strings.Contains(caller, name) })
	})
	if bound < 0 {
		bound = slices.IndexFunc(records, func(record *group) bool { return record.wildcard })
	}
	if bound < 0 {
		return true, 0
	}
	for _, r := range records[bound].rules {
		if bytes.HasPrefix(decoded, r.pattern) {
			return r.allow, r.line
		}
	}
	return true, 0
}
