package twin

import (
	"bytes"
	"slices"
	"strings"
)

// parseOriginal collects the records of a robots.txt. A blank line ends a
// record; one that holds only a comment is not blank.
func parseOriginal(lines []line) []*group {
	var records []*group
	inRecord := false
	for _, l := range lines {
		if len(trim(l.text)) == 0 {
			inRecord = false
			continue
		}
		key, value, ok := strictField(l.text)
		if !ok {
			continue
		}
		switch key {
		case "user-agent":
			if !inRecord || records[len(records)-1].closed {
				records = append(records, &group{})
				inRecord = true
			}
			addOriginalAgent(records[len(records)-1], value)
		case "allow", "disallow":
			if inRecord {
				addOriginalRule(records[len(records)-1], key == "allow", value, l.number)
			}
		}
	}
	return records
}

// addOriginalAgent adds the value of an agent line to its record. The version
// after a / is no part of the name. A name of nothing binds nobody, and neither
// does the * of "*/1.0", which is not the wildcard.
func addOriginalAgent(record *group, value []byte) {
	if string(value) == "*" {
		record.wildcard = true
		return
	}
	name := lower(trim(beforeByte(value, '/')))
	if name != "" && name != "*" {
		record.tokens = append(record.tokens, name)
	}
}

// addOriginalRule adds a rule to its record. An empty one decides nothing.
func addOriginalRule(record *group, allow bool, value []byte, number int) {
	record.closed = true
	if len(value) > 0 {
		record.rules = append(record.rules, rule{allow: allow, pattern: Decode(value), line: number})
	}
}

func matchOriginal(records []*group, agent, url []byte) (allowed bool, line int) {
	path := Path(Original, url)
	if isRobotsTxt(path) {
		return true, 0
	}
	path = Decode(path)
	for _, r := range originalRules(records, agent) {
		if bytes.HasPrefix(path, r.pattern) {
			return r.allow, r.line
		}
	}
	return true, 0
}

// originalRules returns the rules of the first record with a name that is part
// of the agent's, else those of the first record with the wildcard.
func originalRules(records []*group, agent []byte) []rule {
	caller := lower(agent)
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
