package compile

// Group is a run of user-agent lines and the rules that follow. In dialect Original it is a record.
type Group struct {
	Agents []AgentLine // in file order
	Rules  []Rule      // in file order
}

// AgentLine is one user-agent line.
type AgentLine struct {
	Line  int    // 1-based
	Value string // as in the file, trimmed
	// Token is the lowercase part of the value that names crawlers: the product token or, in dialect
	// Original, the name before a slash. It is empty for a wildcard, and if the value has no such
	// part.
	Token string
	// Wildcard means that the line applies to every crawler.
	Wildcard bool
}

// agent adds a user-agent line to the open group, or opens one.
func (p *parser) agent(value string) {
	p.runs = p.runs || p.open && p.other
	begins := !p.open
	if p.open && p.apart {
		p.note(NoteContinued, value)
	}
	p.open, p.inside, p.apart, p.other = true, true, false, false
	a := AgentLine{Line: p.line, Value: value, Wildcard: p.row.wildcard(value)}
	if !a.Wildcard {
		token := p.row.token
		if p.o.WideTokens {
			token = p.row.wideToken
		}
		a.Token = token(value)
	}
	if p.question != nil {
		p.question.agentLine(p, &a, begins)
		return
	}
	if begins {
		p.starts = append(p.starts, start{len(p.agents), len(p.rules)})
	}
	p.agents = append(p.agents, a)
	switch rest := trim(value[len(a.Token):]); {
	case a.Wildcard:
	case a.Token == "":
		p.note(NoteNoToken, value)
	case rest != "" && rest[0] != '/': // it isn't a version
		p.note(NoteAfterToken, value)
	}
}

func (p *parser) allow(value string) { p.rule(true, value) }

func (p *parser) disallow(value string) { p.rule(false, value) }

// noteEmptyGroup notes that the last group has no rule.
func (p *parser) noteEmptyGroup() {
	if p.open && len(p.starts) > 0 {
		first := &p.agents[p.starts[len(p.starts)-1].agents]
		p.notes = append(p.notes, Note{first.Line, NoteEmptyGroup, first.Value})
	}
}

// rule adds a rule to the group and closes the group's list of agents, even if the rule can't match
// any path.
func (p *parser) rule(allow bool, value string) {
	if !p.inside {
		p.note(NoteOutsideGroup, value)
		return
	}
	p.open = false
	if p.glued {
		p.note(NoteHash, value+"#")
	}
	if p.question != nil {
		p.question.ruleLine(p, allow, value)
		return
	}
	r := Rule{Line: p.line, Allow: allow, Value: value}
	p.compilePattern(&r)
	p.rules = append(p.rules, r)
}

// tokenGroups maps tokens to the groups that bind them, and holds the groups for *. A crawler is
// bound by all groups that name it or, without any, by all groups for *. In dialect Original only
// the first of these binds.
type tokenGroups struct {
	row      *dialectReading
	named    []groupsOfToken // in file order
	wildcard []int
	index    map[string]int // the index of a token in named; nil while there are few
	each     []int          // 0, 1, 2...: lists of one group alias it
}

type groupsOfToken struct {
	token  string
	groups []int
}

// fewTokens is the number of tokens up to which a linear search costs no more than a map.
const fewTokens = 16

// groupsOfTokens maps tokens to the groups that bind them.
func groupsOfTokens(row *dialectReading, groups []Group) *tokenGroups {
	n := 0
	for i := range groups {
		n += len(groups[i].Agents)
	}
	b := &tokenGroups{row: row, named: make([]groupsOfToken, 0, n), each: make([]int, len(groups))}
	for i := range groups {
		b.each[i] = i
		for j := range groups[i].Agents {
			switch a := &groups[i].Agents[j]; {
			case a.Wildcard:
				b.add(&b.wildcard, i)
			case a.Token != "" || b.row.emptyTokens:
				b.add(&b.of(a.Token).groups, i)
			}
		}
	}
	return b
}

// add adds a group to a list unless it was the last one added, because it names the token twice. If
// only the first group binds, add adds no other.
func (b *tokenGroups) add(groups *[]int, group int) {
	switch n := len(*groups); {
	case n == 0:
		*groups = b.each[group : group+1 : group+1]
	case !b.row.firstGroup && (*groups)[n-1] != group:
		*groups = append(*groups, group)
	}
}

// of returns the entry of a token, adding it if necessary.
func (b *tokenGroups) of(token string) *groupsOfToken {
	if b.index == nil {
		for i := range b.named {
			if b.named[i].token == token {
				return &b.named[i]
			}
		}
		if len(b.named) == fewTokens {
			b.index = map[string]int{}
			for i, n := range b.named {
				b.index[n.token] = i
			}
		}
	} else if i, known := b.index[token]; known {
		return &b.named[i]
	}
	if b.index != nil {
		b.index[token] = len(b.named)
	}
	b.named = append(b.named, groupsOfToken{token: token})
	return &b.named[len(b.named)-1]
}
