package compile

// Group is a run of user-agent lines and the rules under it. In the dialect
// original it is a record.
type Group struct {
	Agents []Agent // in file order
	Rules  []Rule  // in file order
}

// Agent is one user-agent line.
type Agent struct {
	Line  int    // 1-based
	Value string // as in the file, trimmed
	// Token is the part of the value that names crawlers, in lower case: the product
	// token, or for original the name before a slash. It is empty if Wildcard is true,
	// or if there is no such part.
	Token string
	// Wildcard says that the line is for every crawler.
	Wildcard bool
}

// agent adds a user-agent line to the group that is open, or opens one.
func (p *parser) agent(value string) {
	p.runs = p.runs || p.open && p.other
	switch {
	case !p.open:
		p.starts = append(p.starts, start{len(p.agents), len(p.rules)})
		p.open, p.inside = true, true
	case p.gap:
		p.note(NoteContinued, value)
	}
	p.gap, p.other = false, false
	p.agents = append(p.agents, Agent{})
	a := &p.agents[len(p.agents)-1]
	a.Line, a.Value = p.line, value
	if a.Wildcard = p.reading.wildcard(value); a.Wildcard {
		return
	}
	token := p.reading.token
	if p.o.WideTokens {
		token = p.reading.wideToken
	}
	a.Token = token(value)
	switch rest := trim(value[len(a.Token):]); {
	case a.Token == "":
		p.note(NoteNoToken, value)
	case rest != "" && rest[0] != '/': // which is no version
		p.note(NoteAfterToken, value)
	}
}

func (p *parser) allow(value string) { p.rule(true, value) }

func (p *parser) disallow(value string) { p.rule(false, value) }

// endGroup notes that the last group has no rule.
func (p *parser) endGroup() {
	if p.open && len(p.starts) > 0 {
		first := &p.agents[p.starts[len(p.starts)-1].agents]
		p.notes = append(p.notes, Note{first.Line, NoteEmptyGroup, first.Value})
	}
}

// rule adds a rule to the group and closes the group's list of agents, even if the rule
// can match no path.
func (p *parser) rule(allow bool, value string) {
	if !p.inside {
		p.note(NoteOutsideGroup, value)
		return
	}
	p.open = false
	if p.glued {
		p.note(NoteHash, value+"#")
	}
	p.rules = append(p.rules, Rule{})
	r := &p.rules[len(p.rules)-1]
	r.Line, r.Allow, r.Value = p.line, allow, value
	p.compilePattern(r)
}
